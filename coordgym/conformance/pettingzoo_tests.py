"""PettingZoo's own test functions as checks, on the parallel and the AEC form.

What PettingZoo's tests leave out is checked elsewhere: ``parallel_api_test`` looks at no
observation space, no types and no end; ``parallel_seed_test`` runs one step only and is not used.
"""

from types import SimpleNamespace
from typing import Any

from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.utils import parallel_to_aec

from coordgym.conformance.play import SAMPLES_RULE, play, sampled, start
from coordgym.conformance.report import CheckFailed, CheckSkipped, expect
from coordgym.conformance.subject import Subject

CYCLES = 25
"""Env steps that each of PettingZoo's tests may play."""

TEST_MAX_CYCLES = 4
"""The limit that ``max_cycles_test`` sets, env steps."""

SAMPLED_EPISODES = 8
"""Episodes of sampled actions that must reach that limit."""


def check_parallel_api(subject: Subject) -> str:
    """Check that PettingZoo's ``parallel_api_test`` passes: dict keys, live agents, same spaces."""
    env = subject.make()
    parallel_api_test(env, num_cycles=CYCLES)
    env.close()
    return ""


def check_aec_api(subject: Subject) -> str:
    """Check that PettingZoo's ``api_test`` passes on the AEC form: spaces, bools, key sets."""
    env = parallel_to_aec(subject.make())
    api_test(env, num_cycles=CYCLES)
    env.close()
    return ""


def check_aec_seed(subject: Subject) -> str:
    """Check that PettingZoo's ``seed_test`` passes on the AEC form: same seed, same episode."""
    seed_test(lambda: parallel_to_aec(subject.make()), num_cycles=CYCLES)
    return ""


def check_render(subject: Subject) -> str:
    """Check that PettingZoo's ``render_test`` passes: each mode gives what its name promises."""
    modes = subject.make().metadata.get("render_modes") or []
    if not modes:
        raise CheckSkipped("its metadata lists no render_modes")

    def make_aec(render_mode: str) -> Any:
        return parallel_to_aec(subject.make(render_mode=render_mode))

    try:
        make_aec(modes[0])
    except TypeError as error:
        raise CheckSkipped(f"it takes no render_mode argument ({error})") from error
    constructor: Any = make_aec  # PettingZoo's annotation leaves the argument out
    render_test(constructor)
    return f"modes {', '.join(modes)}"


def check_state(subject: Subject) -> str:
    """Check that PettingZoo's ``state_test`` passes on both forms: the state is in its space."""
    env = subject.make()
    if not hasattr(env, "state_space"):
        raise CheckSkipped("it has no state_space")
    state_test(parallel_to_aec(subject.make()), env, num_cycles=5)
    return ""


def check_max_cycles(subject: Subject) -> str:
    """Check that PettingZoo's ``max_cycles_test`` passes on both forms: 4 cycles where 4 are asked.

    Environments whose own clock ends earlier are exempt.
    """
    # PettingZoo's test would wait for ever for an environment that does not end.
    expect_end(subject.make_limited(TEST_MAX_CYCLES), TEST_MAX_CYCLES)
    clock = own_clock(subject, TEST_MAX_CYCLES)
    if clock is not None:
        raise CheckSkipped(clock)
    for seed in range(SAMPLED_EPISODES):
        expect_not_early(subject.make_limited(TEST_MAX_CYCLES), TEST_MAX_CYCLES, seed)
    forms = SimpleNamespace(
        parallel_env=subject.make_limited,
        env=lambda max_cycles: parallel_to_aec(subject.make_limited(max_cycles)),
    )
    try:
        max_cycles_test(forms)
    except AssertionError as error:  # PettingZoo's says nothing; it draws unseeded samples
        raise CheckFailed(
            str(error)
            or f"with max_cycles={TEST_MAX_CYCLES}, an episode of sampled actions does not give "
            f"{TEST_MAX_CYCLES} cycles to most agents, in one of the two forms; {SAMPLES_RULE}"
        ) from error
    return ""


def expect_not_early(env: Any, max_cycles: int, seed: int) -> None:
    """Fail if sampled actions end an episode before ``max_cycles`` steps."""
    episode = play(env, seed, sampled, stream=seed, max_steps=max_cycles)
    steps = len(episode.actions)
    expect(
        steps == max_cycles,
        f"seed {seed}: sampled actions end the episode after {steps} of {max_cycles} steps; "
        f"{SAMPLES_RULE}",
    )


def expect_end(env: Any, max_cycles: int) -> None:
    """Fail unless an episode of sampled actions is over after ``max_cycles`` steps."""
    episode = play(env, 0, sampled, max_steps=max_cycles)
    expect(episode.ended, f"the episode is not over after {max_cycles} steps, its limit")


def own_clock(subject: Subject, max_cycles: int) -> str | None:
    """Say why episodes end before ``max_cycles`` by rule, or give None if they should not.

    A text environment tells its own limit in ``infos``; without a limit of the caller's, an
    episode of silent agents that all terminate shows a clock as well.
    """
    env = subject.make_limited(max_cycles)
    frame = start(env, 0)
    if not subject.is_text:
        return None
    limit = min(info["max_cycles"] for info in frame.infos.values())
    if limit < max_cycles:
        return f"its own clock ends after {limit} of {max_cycles} steps"
    clocks = []
    for seed in (0, 1):
        episode = play(subject.make(max_cycles=max_cycles), seed, sampled, max_steps=max_cycles)
        last = episode.frames[-1]
        if episode.ended and all(last.terminations.values()):
            clocks.append(len(episode.actions))
    if len(clocks) == 2 and clocks[0] == clocks[1] < max_cycles:
        return f"its own clock ends every episode after {clocks[0]} of {max_cycles} steps"
    return None

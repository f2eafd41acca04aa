"""Checks of the environment's Gymnasium form, ``coordgym.SeatEnv``, alone and in vectors."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from gymnasium.error import CustomSpaceError
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from coordgym.conformance.play import GARBAGE, SAMPLES_RULE, first_difference
from coordgym.conformance.report import CheckFailed, CheckSkipped, expect
from coordgym.conformance.subject import Subject
from coordgym.episodes.seat import SeatEnv

SEED = 13
TRIED_EPISODES = 8
"""Episodes in which a middle is looked for."""
VECTOR_SEEDS = (13, 14)
VECTOR_STEPS = 6
LONG_TEXTS = ("é" * 4000, "🙂 日本語 " * 600, "plain " * 600)
SeatPlay = list[tuple[Any, ...]]


def make_seat(subject: Subject, seat: str = "agent_0", **overrides: Any) -> SeatEnv:
    """Make a seat of the environment, with random partners."""
    kwargs = {**subject.kwargs, **overrides}
    return SeatEnv(subject.factory, seat=seat, partners="random", **kwargs)


def check_seat_api(subject: Subject) -> str:
    """Check that Gymnasium's ``check_env`` accepts the seat environment."""
    subject.need_text("seat environment")
    env = make_seat(subject)
    check_env(env, skip_render_check=True)
    env.close()
    return ""


def check_seat_episode(subject: Subject) -> str:
    """Check that the first and the last seat start the instance of the parallel form.

    Seats are only stepped in their turn, reset infos have ``instructions``, the last info has
    ``metrics``, and two seat environments with the same seed and texts play the same episode.
    """
    subject.need_text("seat environment")
    parallel = subject.make()
    parallel.reset(seed=SEED)
    lengths = []
    for seat in dict.fromkeys((parallel.possible_agents[0], parallel.possible_agents[-1])):
        env = make_seat(subject, seat)
        _, info = env.reset(seed=SEED)
        found = first_difference(
            parallel.unwrapped.instance, env.env.unwrapped.instance, "instance"
        )
        expect(found is None, f"the seat of {seat} starts another instance: {found}")
        expect("instructions" in info, f"the reset info of {seat} has no instructions")
        one = _play_seat(env)
        other = _play_seat(make_seat(subject, seat))
        found = first_difference(one, other)
        expect(found is None, f"two seats of {seat} play differently: {found}")
        lengths.append(len(one) - 1)
    return f"{' and '.join(map(str, lengths))} turns"


def check_seat_snapshot(subject: Subject) -> str:
    """Check that pickle and deepcopy of a seat in mid-episode continue identically.

    The partners are part of the seat.
    """
    subject.need_text("seat environment")
    env = _in_mid_episode(subject)
    clones = {"pickle": pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy(env)}
    original = _continue_seat(env)
    for name, clone in clones.items():
        found = first_difference(original, _continue_seat(clone))
        expect(found is None, f"after {name} the seat plays differently: {found}")
    return ""


def check_vector_sync(subject: Subject) -> str:
    """Check that ``SyncVectorEnv`` of seats gives the texts of serial stepping.

    Some of the texts are long, some no ASCII.
    """
    subject.need_text("seat environment")
    env_fns = [partial(make_seat, subject)] * len(VECTOR_SEEDS)
    return _compare_with_serial(subject, SyncVectorEnv(env_fns))


def check_vector_async(subject: Subject) -> str:
    """Check that ``AsyncVectorEnv`` of seats does so too, and refuses ``shared_memory=True``.

    Shared memory would hand out wrong texts in silence.
    """
    subject.need_text("seat environment")
    env_fns: list[Callable[[], SeatEnv]] = [partial(make_seat, subject)] * len(VECTOR_SEEDS)
    try:
        wrong = AsyncVectorEnv(env_fns, shared_memory=True)
    except (CustomSpaceError, ValueError) as error:
        named = "shared_memory=False" in str(error)
        expect(named, f"the error for shared memory does not say what to do: {error}")
    else:
        wrong.close()
        raise CheckFailed("AsyncVectorEnv takes shared memory, in which texts are lost")
    return _compare_with_serial(subject, AsyncVectorEnv(env_fns, shared_memory=False))


def _compare_with_serial(subject: Subject, vector: Any) -> str:
    """Step a vector environment and single seats with the same texts."""
    singles = [make_seat(subject) for _ in VECTOR_SEEDS]
    done = [False] * len(singles)
    try:
        texts, _ = vector.reset(seed=list(VECTOR_SEEDS))
        told = [env.reset(seed=s)[0] for env, s in zip(singles, VECTOR_SEEDS, strict=True)]
        for step in range(VECTOR_STEPS):
            expect(
                list(texts) == [str(text) for text in told],
                f"step {step}: the vector gives {_ends(texts)}, serial stepping {_ends(told)}",
            )
            actions = tuple(_text(i, step) for i in range(len(singles)))
            texts, rewards, terminated, truncated, _ = vector.step(actions)
            for i, env in enumerate(singles):
                # Gymnasium's vectors reset an ended environment in the step after, unseeded.
                if done[i]:
                    told[i], _, done[i] = env.reset()[0], 0.0, False
                    continue
                told[i], reward, *flags, _ = env.step(actions[i])
                done[i] = any(flags)
                got = (rewards[i], bool(terminated[i]), bool(truncated[i]))
                expect(
                    got == (reward, *flags),
                    f"step {step}: the vector gives (reward, terminated, truncated) = {got}, "
                    f"serial stepping {(reward, *flags)}",
                )
    finally:
        vector.close()
    return f"{VECTOR_STEPS} steps of {len(singles)} environments"


def _text(env_index: int, step: int) -> str:
    """Give the text for one step: long and non-ASCII ones, and garbage."""
    texts = (*LONG_TEXTS, *(text for text in GARBAGE if text != "\ud800"))
    return texts[(env_index + step) % len(texts)]


def _in_mid_episode(subject: Subject) -> SeatEnv:
    """Give a seat that has had a turn and will have another; partners may end some episodes."""
    for seed in range(SEED, SEED + TRIED_EPISODES):
        env = make_seat(subject)
        if not _is_over(_play_seat(env, 1, seed)):
            return env
    env.reset(seed=SEED)
    _, _, terminated, truncated, _ = env.step(GARBAGE[0])
    if terminated or truncated:
        raise CheckSkipped("its episodes last one turn: they have no middle")
    raise CheckFailed(
        f"each of {TRIED_EPISODES} episodes of sampled actions is over after the seat's first "
        f"turn, so nothing can be copied in its middle; {SAMPLES_RULE}"
    )


def _is_over(played: SeatPlay) -> bool:
    _, _, terminated, truncated, _ = played[-1]
    return bool(terminated or truncated)


def _play_seat(env: SeatEnv, turns: int = 60, seed: int = SEED) -> SeatPlay:
    """Reset, then play samples and garbage for some turns or to the end."""
    text, info = env.reset(seed=seed)
    return [(str(text), info), *_continue_seat(env, turns)]


def _continue_seat(env: SeatEnv, turns: int = 60) -> SeatPlay:
    told: SeatPlay = []
    rng = np.random.default_rng(SEED)
    env.action_space.seed(SEED)
    for _ in range(turns):
        text = env.action_space.sample()
        if rng.random() < 0.3:
            text = GARBAGE[int(rng.integers(len(GARBAGE)))]
        observation, reward, terminated, truncated, info = env.step(text)
        told.append((str(observation), reward, terminated, truncated, info))
        if terminated or truncated:
            expect("metrics" in info, "the last info of a seat has no metrics")
            break
    return told


def _ends(texts: Any) -> list[str]:
    """Show texts by their ends."""
    return [text if len(text) < 80 else f"{text[:50]}…{text[-20:]}" for text in texts]

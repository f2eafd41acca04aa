"""Checks that an environment is a function of (id, kwargs, seed, actions) and nothing else."""

import copy
import json
import pickle
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np

from coordgym.conformance.play import (
    Frame,
    Play,
    episode_difference,
    first_difference,
    frozen,
    play,
    resume,
    start,
)
from coordgym.conformance.processes import compare_processes, play_in_processes
from coordgym.conformance.report import CheckFailed, CheckSkipped, expect
from coordgym.conformance.subject import Subject

SEEDS = (7, 11)
THREADS = 8
SWITCH_SECONDS = 1e-5
"""Python changes threads this often during the check, to meet in every line."""
BAD_SEEDS: tuple[Any, ...] = (True, -1, 1.5, "7", [7])


def check_determinism(subject: Subject) -> str:
    """Check that two fresh environments with the same seed and texts play the same episode.

    Observations, rewards, flags and infos are compared exactly at every step, under a seeded
    stream of valid and invalid texts.
    """
    steps = 0
    for seed in SEEDS:
        one, other = (play(subject.make(), seed, stream=seed) for _ in range(2))
        found = episode_difference(one, other)
        expect(found is None, f"seed {seed}: two fresh environments differ {found}")
        steps += len(one.actions)
    return f"{steps} steps compared"


def check_hash_seed(subject: Subject) -> str:
    """Check that processes with different PYTHONHASHSEED play the same episode.

    Nothing may depend on the order of a set or of hashes.
    """
    return compare_processes(subject, [plays[0] for plays in play_in_processes([subject])])


def check_reset(subject: Subject) -> str:
    """Check that ``reset(seed)`` forgets what was before, and other seeds give other episodes."""
    env = subject.make()
    first = frozen(start(env, SEEDS[0]))
    resume(env, first, stream=1, max_steps=10)
    other = start(env, SEEDS[1])
    again = start(env, SEEDS[0])
    found = first_difference(first, again)
    expect(found is None, f"reset(seed={SEEDS[0]}) after an episode starts another: {found}")
    if subject.is_text and first_difference(first, other) is None:
        starts = [start(env, seed) for seed in range(20, 28)]
        same = all(first_difference(first, frame) is None for frame in starts)
        expect(not same, "ten different seeds start the same episode: the seed has no effect")
    return ""


def check_reset_without_seed(subject: Subject) -> str:
    """Check that ``reset()`` draws a new seed from the last stream, kept as ``seed_value``."""
    subject.need_text("recorded seed")
    env, twin = subject.make(), subject.make()
    start(env, SEEDS[0])
    start(twin, SEEDS[0])
    seen = {SEEDS[0]}
    for _ in range(3):
        frame, same = start(env, None), start(twin, None)
        found = first_difference(frame, same)
        expect(found is None, f"reset() after the same seeded episode differs: {found}")
        drawn = env.unwrapped.seed_value
        expect(drawn not in seen, f"reset() without a seed gives seed {drawn} again")
        seen.add(drawn)
        found = first_difference(frame, start(subject.make(), drawn))
        expect(found is None, f"reset(seed={drawn}), the recorded seed, starts another: {found}")
    start(subject.make(), None)
    return ""


def check_given_instance(subject: Subject) -> str:
    """Check that the instance, given back through JSON, makes the same episode again.

    It is complete and JSON-able, the caller's copy stays as it is, other options are ignored.
    """
    subject.need_text("instance")
    steps = 0
    for seed in SEEDS:
        env, twin = subject.make(), subject.make()
        frame = start(env, seed)
        try:
            text = json.dumps(env.unwrapped.instance, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise CheckFailed(f"its instance is not JSON-able: {error}") from error
        given = json.loads(text)
        observations, infos = twin.reset(seed=seed, options={"instance": given, "unrelated": 1})
        again = Frame(observations, {}, {}, {}, infos)
        one, other = (
            resume(each, first, stream=seed) for each, first in ((env, frame), (twin, again))
        )
        found = episode_difference(one, other)
        expect(found is None, f"seed {seed}: with its own instance given, it differs {found}")
        expect(given == json.loads(text), f"seed {seed}: the caller's instance was changed")
        steps += len(one.actions)
    return f"{steps} steps compared"


def check_bad_seeds(subject: Subject) -> str:
    """Check that a seed that is no int ≥ 0 is refused with a ValueError that names it.

    Bools are no ints here.
    """
    subject.need_text("rule for bad seeds")
    for seed in BAD_SEEDS:
        env = subject.make()
        try:
            env.reset(seed=seed)
        except ValueError as error:
            expect(repr(seed) in str(error), f"the error for seed {seed!r} does not name it")
        else:
            raise CheckFailed(f"reset(seed={seed!r}) is accepted")
    start(subject.make(), 2**40)
    return f"{len(BAD_SEEDS)} bad seeds refused"


def check_global_random(subject: Subject) -> str:
    """Check that ``reset`` and ``step`` leave the global generators of random and numpy alone.

    They neither read nor move them.
    """
    episodes = []
    for global_seed in (1, 2):
        saved = random.getstate(), np.random.get_state()  # noqa: NPY002 - the point of the check
        try:
            random.seed(global_seed)
            np.random.seed(global_seed)  # noqa: NPY002
            before = random.getstate(), np.random.get_state()  # noqa: NPY002
            episodes.append(play(subject.make(), SEEDS[0], max_steps=30))
            after = random.getstate(), np.random.get_state()  # noqa: NPY002
        finally:
            random.setstate(saved[0])
            np.random.set_state(saved[1])  # noqa: NPY002
        expect(before[0] == after[0], "playing moved the global generator of `random`")
        found = first_difference(before[1], after[1])
        expect(found is None, "playing moved the global generator of `numpy.random`")
    found = episode_difference(*episodes)
    expect(found is None, f"the episode depends on a global generator: {found}")
    return ""


def check_threads(subject: Subject) -> str:
    """Check that environments of eight threads that play at once give what serial play gives."""
    seeds = [100 + i for i in range(THREADS)]

    def some(seed: int, gate: Barrier | None = None) -> Play:
        env = subject.make()
        if gate is not None:
            gate.wait()
        for other in range(2):
            start(env, seed + other)
        return play(env, seed, max_steps=8)

    serial = [some(seed) for seed in seeds]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            threaded = list(pool.map(some, seeds, [Barrier(THREADS)] * THREADS))
    finally:
        sys.setswitchinterval(interval)
    for seed, one, other in zip(seeds, serial, threaded, strict=True):
        found = episode_difference(one, other)
        expect(found is None, f"seed {seed} in a thread differs from serial play {found}")
    return f"{THREADS} threads"


def check_snapshots(subject: Subject) -> str:
    """Check that pickle, deepcopy and get_state/set_state in mid-episode continue identically."""
    subject.need_text("promise about snapshots")
    pickle.loads(pickle.dumps(subject.make()))
    copy.deepcopy(subject.make())
    env = subject.make()
    length = len(play(subject.make(), SEEDS[0]).actions)
    if length < 2:
        raise CheckSkipped("its episodes last one step: they have no middle")
    middle = min(length // 2, 12)
    head = play(env, SEEDS[0], max_steps=middle)
    frame = head.frames[-1]
    state = env.unwrapped.get_state()
    clones = {
        "pickle": pickle.loads(pickle.dumps(env)),
        "deepcopy": copy.deepcopy(env),
    }
    tail = _continue(env, frame, middle)
    restored = subject.make()
    restored.unwrapped.set_state(state)
    clones["set_state in a fresh environment"] = restored
    for name, clone in clones.items():
        found = episode_difference(tail, _continue(clone, frame, middle))
        expect(found is None, f"after {name} at step {middle} the episode differs {found}")
    env.unwrapped.set_state(state)
    found = episode_difference(tail, _continue(env, frame, middle))
    expect(found is None, f"after set_state back to step {middle} the episode differs {found}")
    return f"taken at step {middle} of {length}"


def _continue(env: Any, frame: Frame, step: int) -> Play:
    """Play on to the end, then start the next episode without a seed."""
    tail = resume(env, frame, first_step=step)
    tail.frames.append(start(env, None))
    return tail

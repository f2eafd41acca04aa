"""Checks of the environment contract: keys, types, ends, spaces, fresh objects, errors."""

import json
import math
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coordgym.conformance.play import (
    SAMPLES_RULE,
    Frame,
    first_difference,
    frozen,
    play,
    start,
    step_seed,
)
from coordgym.conformance.play import mixed as mixed_actions
from coordgym.conformance.report import CheckFailed, CheckSkipped, expect
from coordgym.conformance.subject import Subject
from coordgym.contract.base import TextParallelEnv

SEED = 5
INFO_KEYS = frozenset({"round", "max_cycles", "active", "valid", "error", "view"})
MAX_ERROR_CHARS = 200
MAX_REPR_CHARS = 500
POISON = "__all__"


def check_keys_and_types(subject: Subject) -> str:
    """Check that the five dicts hold exactly the agents alive at the step's start, in plain types.

    Flags are python bools, rewards finite numbers (python floats in text environments), no
    agent has both flags, and on the last step all terminate or all truncate: RLlib never ends
    an episode that mixes them. A plain environment may also tell agents born in the step.
    """
    env = subject.make()
    frame, step = start(env, SEED), 0
    alive = list(env.agents)
    _expect_keys(frame, ("observations", "infos"), alive, 0)
    while env.agents and step < 300:
        alive = list(env.agents)
        frame = Frame(*env.step(mixed_actions(env, frame, step_seed(SEED, step))))
        step += 1
        born = [] if subject.is_text else [agent for agent in env.agents if agent not in alive]
        _expect_keys(frame, Frame._fields, alive + born, step)
        for agent in alive:
            _expect_types(frame, agent, step, strict=subject.is_text)
        left = [a for a in alive if not (frame.terminations[a] or frame.truncations[a])]
        expect(
            sorted(env.agents) == sorted(left + born),
            f"step {step}: agents is {env.agents}, not {left + born}",
        )
    if env.agents:
        return f"not ended after {step} steps; the last step was not seen"
    flags = {(frame.terminations[agent], frame.truncations[agent]) for agent in alive}
    expect(
        len(flags) == 1,
        f"on the last step (terminated, truncated) are mixed: {sorted(flags)}; "
        "all must terminate or all truncate",
    )
    return f"{step} steps"


def check_info_keys(subject: Subject) -> str:
    """Check that infos hold the contract's keys, ``instructions`` at reset, ``metrics`` last.

    Views and metrics are JSON-able, metrics flat, and ``error`` goes with ``valid``.
    """
    subject.need_text("agreed info keys")
    episode = play(subject.make(), SEED)
    for step, frame in enumerate(episode.frames):
        extra = {"instructions"} if step == 0 else set()
        if episode.ended and step == len(episode.frames) - 1:
            extra = {"metrics"}
        for agent, info in frame.infos.items():
            where = f"step {step}: infos[{agent!r}]"
            expect(
                set(info) == INFO_KEYS | extra,
                f"{where} has keys {sorted(info)}, not {sorted(INFO_KEYS | extra)}",
            )
            _expect_info(info, where)
            asked = info["active"] and (frame.terminations | frame.truncations).get(agent)
            expect(not asked, f"{where}: active is True, but the agent has left")
    metrics = next(iter(episode.frames[-1].infos.values())).get("metrics", {})
    if episode.ended:
        success = metrics.get("success", "missing")
        expect(success is None or type(success) is bool, f"metrics['success'] is {success!r}")
        for key, kind in {"score": float, "rounds": int, "messages": int}.items():
            expect(type(metrics.get(key)) is kind, f"metrics[{key!r}] is {metrics.get(key)!r}")
        expect("invalid_actions" in metrics, "metrics lacks 'invalid_actions'")
    return ""


def check_spaces(subject: Subject) -> str:
    """Check that all observations, samples and states lie in their spaces, which stay and pickle.

    Texts have a finite ``max_length``, the samples of the action space are legal, and drawing
    from the space does not touch the environment.
    """
    env = subject.make()
    frame, step = start(env, SEED), 0
    agents = getattr(env, "possible_agents", env.agents)
    spaces = {agent: (env.observation_space(agent), env.action_space(agent)) for agent in agents}
    while env.agents and step < 100:
        _expect_in_space(env, frame, step)
        if subject.is_text:
            _expect_legal_samples(env, frame, step)
        frame = Frame(*env.step(mixed_actions(env, frame, step_seed(SEED, step))))
        step += 1
    _expect_in_space(env, frame, step)
    for agent, (observation_space, action_space) in spaces.items():
        same = env.observation_space(agent) is observation_space
        expect(same, f"observation_space({agent!r}) is another object after the episode")
        same = env.action_space(agent) is action_space
        expect(same, f"action_space({agent!r}) is another object after the episode")
        for space in (observation_space, action_space):
            expect(pickle.loads(pickle.dumps(space)) == space, f"{space} is not itself pickled")
            expect(len(repr(space)) <= MAX_REPR_CHARS, f"repr of {type(space).__name__} is huge")
    return f"{step} steps"


def check_repeated_instructions(subject: Subject) -> str:
    """Check that observations that repeat the instructions stand alone and fit."""
    subject.need_text("repeat_instructions argument")
    env = subject.make(repeat_instructions=True)
    frame = start(env, SEED)
    instructions = {agent: info["instructions"] for agent, info in frame.infos.items()}
    step = 0
    while True:
        for agent, observation in frame.observations.items():
            told = observation.startswith(instructions[agent])
            expect(told, f"step {step}: {agent} is not given the instructions")
        _expect_in_space(env, frame, step)
        if not env.agents or step == 30:
            return f"{step} steps"
        frame = Frame(*env.step(mixed_actions(env, frame, step_seed(SEED, step))))
        step += 1


def check_aliasing(subject: Subject) -> str:
    """Check that nothing returned is changed later, and nothing returned or passed in is relied on.

    No two calls, and no two agents, are given the same dict, list or array. And a poison twin:
    after each step everything the environment returned, and the dict of actions
    it was given, is corrupted in place; it must go on exactly like a clean twin. And what the
    clean twin returned must still be what it was at the time.
    """
    clean, twin = subject.make(), subject.make()
    frame = start(clean, SEED)
    kept, copies = [frame], [frozen(frame)]
    poisoned = start(twin, SEED)
    found = first_difference(frame, poisoned)
    expect(found is None, f"two fresh environments differ at reset: {found}")
    _corrupt(poisoned)
    for step in range(100):
        if not clean.agents:
            break
        actions = mixed_actions(clean, frame, step_seed(SEED, step))
        given = dict(actions)
        poisoned = Frame(*twin.step(given))
        frame = Frame(*clean.step(dict(actions)))
        kept.append(frame)
        copies.append(frozen(frame))
        found = first_difference(frame, poisoned)
        expect(
            found is None,
            f"changing what earlier calls returned changes step {step + 1}: {found}",
        )
        given.clear()
        _corrupt(poisoned)
    start(clean, SEED + 1)
    for step, (now, then) in enumerate(zip(kept, copies, strict=True)):
        found = first_difference(then, now)
        expect(found is None, f"what step {step} returned was changed later: {found}")
    _expect_unshared(kept)
    return f"{len(kept) - 1} steps"


def check_inactive(subject: Subject) -> str:
    """Check that an agent that waits may send nothing or anything: it is ignored all the same."""
    subject.need_text("inactive agents")
    episode = play(subject.make(), SEED, _active_only)
    waits = sum(
        not info["active"] and not frame.terminations.get(agent, False)
        for frame in episode.frames[:-1]
        for agent, info in frame.infos.items()
    )
    if not waits:
        raise CheckSkipped("no agent ever waits")
    for text in ("", "teleport(everywhere)", "\ud800"):
        other = play(subject.make(), SEED, _with_idle_text(text))
        for step, (one, two) in enumerate(zip(episode.frames, other.frames, strict=False)):
            found = first_difference(one, two)
            expect(found is None, f"step {step}: {text!r} of a waiting agent counts: {found}")
    return f"{waits} waits"


def _expect_keys(frame: Frame, fields: tuple[str, ...], alive: list[str], step: int) -> None:
    for name in fields:
        keys = list(getattr(frame, name))
        expect(
            set(keys) == set(alive),
            f"step {step}: {name} has keys {keys}, not those of the agents of this step, {alive}",
        )


def _expect_types(frame: Frame, agent: str, step: int, *, strict: bool) -> None:
    where = f"step {step}: the %s of {agent} is %r (%s)"
    for name in ("terminations", "truncations"):
        flag = getattr(frame, name)[agent]
        expect(type(flag) is bool, where % (name, flag, type(flag).__name__) + ", not a bool")
    both = frame.terminations[agent] and frame.truncations[agent]
    expect(not both, f"step {step}: {agent} is terminated and truncated at once")
    reward = frame.rewards[agent]
    kind = where % ("reward", reward, type(reward).__name__)
    expect(type(reward) is float if strict else _is_number(reward), f"{kind}, not a float")
    expect(math.isfinite(reward), kind)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _expect_info(info: dict[str, Any], where: str) -> None:
    expect(type(info["active"]) is bool, f"{where}['active'] is {info['active']!r}")
    for key in ("round", "max_cycles"):
        expect(type(info[key]) is int, f"{where}[{key!r}] is {info[key]!r}, not an int")
    expect(isinstance(info["view"], dict), f"{where}['view'] is no dict")
    error = info["error"]
    agree = (info["valid"] is False) == (error is not None)
    expect(agree, f"{where}: valid is {info['valid']!r} and error {error!r}")
    short = error is None or (isinstance(error, str) and 0 < len(error) <= MAX_ERROR_CHARS)
    expect(short, f"{where}['error'] is {error!r:.300}")
    for key in ("view", "metrics"):
        try:
            json.dumps(info.get(key), allow_nan=False)
        except (TypeError, ValueError) as problem:
            raise CheckFailed(f"{where}[{key!r}] is not JSON-able: {problem}") from problem
    for key, value in info.get("metrics", {}).items():
        flat = isinstance(value, bool | int | float | str | None)
        expect(flat, f"{where}['metrics'][{key!r}] is not flat: {value!r:.200}")


def _expect_in_space(env: Any, frame: Frame, step: int) -> None:
    for agent, observation in frame.observations.items():
        space = env.observation_space(agent)
        size = f" of {len(observation)} characters" if isinstance(observation, str) else ""
        expect(
            space.contains(observation),
            f"step {step}: the observation{size} of {agent} is not in {space}",
        )
        masked = isinstance(observation, str) and "action_mask" in frame.infos[agent]
        expect(not masked, f"step {step}: a text environment must not have an action_mask")
    if isinstance(env.unwrapped, TextParallelEnv):
        state = env.state()
        expect(
            env.state_space.contains(state),
            f"step {step}: state() of {len(state)} characters is not in {env.state_space}",
        )
        json.loads(state)


def _expect_legal_samples(env: Any, frame: Frame, step: int) -> None:
    for agent in env.agents:
        space = env.action_space(agent)
        expect(math.isfinite(space.max_length), f"{space} has no finite max_length")
        sample = space.sample()
        expect(space.contains(sample), f"step {step}: a sample of {space} is not in it")
        if frame.infos[agent]["active"]:
            wrong = env.unwrapped.check_action(agent, sample)
            expect(
                wrong is None,
                f"step {step}: the sample {sample!r:.200} is illegal: {wrong}; {SAMPLES_RULE}",
            )


def _expect_unshared(frames: list[Frame]) -> None:
    """Fail if one mutable object occurs twice in what an environment has returned."""
    owners: dict[int, str] = {}
    for step, frame in enumerate(frames):
        for name, returned in frame._asdict().items():
            for path, inner in _mutables(returned, f"{name} of step {step}"):
                owner = owners.setdefault(id(inner), path)
                expect(owner == path, f"{owner} and {path} are the same object: {inner!r:.120}")


def _mutables(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield all dicts, lists and arrays inside a value, with their paths."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from _mutables(inner, f"{path}[{key!r}]")
    elif isinstance(value, list | tuple):
        if isinstance(value, list):
            yield path, value
        for i, inner in enumerate(value):
            yield from _mutables(inner, f"{path}[{i}]")
    elif isinstance(value, np.ndarray):
        yield path, value


def _corrupt(value: Any) -> None:
    """Change everything inside ``value`` that can be changed in place."""
    if isinstance(value, dict):
        for inner in value.values():
            _corrupt(inner)
        for key in value:
            if not isinstance(value[key], dict | list | np.ndarray):
                value[key] = POISON
        value[POISON] = True
    elif isinstance(value, list):
        for inner in value:
            _corrupt(inner)
        value.append(POISON)
    elif isinstance(value, tuple):
        for inner in value:
            _corrupt(inner)
    elif isinstance(value, np.ndarray) and value.flags.writeable and value.dtype.kind in "biuf":
        value.fill(1)


def _active_only(env: Any, frame: Frame, seed: np.random.SeedSequence) -> dict[str, Any]:
    return {
        agent: text
        for agent, text in mixed_actions(env, frame, seed).items()
        if frame.infos[agent]["active"]
    }


def _with_idle_text(text: str) -> Callable[..., dict[str, Any]]:
    def player(env: Any, frame: Frame, seed: np.random.SeedSequence) -> dict[str, Any]:
        return {**dict.fromkeys(env.agents, text), **_active_only(env, frame, seed)}

    return player

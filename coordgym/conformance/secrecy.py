"""Checks that what only the grader may know never reaches an agent.

What can be checked for any environment: the answer is found in ``env.unwrapped.instance`` by the
names of its fields. An environment can name its own in a class attribute ``truth_fields``
(a collection of str); without it the names in ``TRUTH_FIELDS`` count.

Two checks look from both sides. ``truth_text`` searches all that agents are told, and the global
state that critics see in training, for the answer,
unless the same value also stands in the rest of the instance, which may be private data of
some agent. ``truth_influence`` replaces the answer inside a running twin by another and plays the
same actions: whatever agents are told must stay the same, so that not even a hint ("warm") that
is computed from the answer gets through. It replaces the answer in the instance and wherever
the environment keeps an equal value under a name of a truth field; ``detail`` says how many. A
copy under another name is not found: tests of the family look there.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from coordgym.conformance.play import (
    Frame,
    Play,
    Player,
    first_difference,
    mixed,
    resume,
    start,
)
from coordgym.conformance.report import CheckSkipped, expect
from coordgym.conformance.subject import Subject
from coordgym.contract.base import TextParallelEnv

SEEDS = (2, 9)
TRUTH_FIELDS = frozenset(
    {"answer", "answers", "expected", "expected_answer", "solution", "solutions", "truth",
     "ground_truth", "optimum", "optimal_value", "target_answer"}
)  # fmt: skip
MIN_CHARS = 5
"""A shorter value stands in texts by chance, characters."""
MAX_STEPS = 40


def check_truth_text(subject: Subject) -> str:
    """Check that no observation, info (but the final metrics) or global state shows the answer.

    Looked for are the answer as a whole and its parts of five or more characters, as JSON and
    as plain text, unless they also stand in the part of the instance that is no answer, or in
    what agents are told about another instance: words to choose from are no secret.
    """
    subject.need_text("instance that holds an answer")
    needles_seen = 0
    for seed, other_seed in zip(SEEDS, reversed(SEEDS), strict=True):
        env = subject.make()
        elsewhere = _opening(start(env, other_seed))
        first = start(env, seed)
        needles = [each for each in _needles(env, subject) if each[1] not in elsewhere]
        needles_seen += len(needles)
        states: list[str] = []
        episode = resume(env, first, _noting(states), max_steps=MAX_STEPS)
        states.append(env.state())
        for step, frame in enumerate(episode.frames):
            told = {"state()": states[step]}
            for agent in frame.observations:
                observation, info = _told(frame, agent)
                told[f"observation of {agent}"] = observation
                told[f"info of {agent}"] = json.dumps(info, ensure_ascii=False)
            _expect_absent(needles, episode, step, told)
    if not needles_seen:
        raise CheckSkipped("its answers are too short to be searched for")
    return f"{needles_seen} values looked for"


def check_truth_influence(subject: Subject) -> str:
    """Check that what agents are told stays the same if the answer is another.

    Rewards, metrics and whether the episode ends may depend on it; the comparison stops where
    the twins end differently.
    """
    replaced = 0
    for seed in SEEDS:
        env, twin = subject.make(), subject.make()
        first = start(env, seed)
        start(twin, seed)
        _answers(env, subject)
        replaced += replace_truth(twin.unwrapped)
        one = resume(env, first, stream=seed, max_steps=MAX_STEPS)
        two = _replay(twin, first, one)
        for step, (frame, other) in enumerate(zip(one.frames, two, strict=False)):
            if frame.terminations != other.terminations:
                break
            for agent in frame.observations:
                found = first_difference(_told(frame, agent), _told(other, agent))
                expect(
                    found is None,
                    f"seed {seed}, step {step}: with another answer {agent} is told something "
                    f"else: {found}",
                )
    return f"{replaced} places replaced"


def truth_fields(env: Any) -> Collection[str]:
    """Name the fields of the instance that hold the answer."""
    fields: Collection[str] = getattr(type(env.unwrapped), "truth_fields", TRUTH_FIELDS)
    return fields


def replace_truth(env: TextParallelEnv) -> int:
    """Replace the answer by another of the same shape, in the instance and its copies.

    Returns:
        How many places were changed.
    """
    names = truth_fields(env)
    count = 0
    for holder in _holders(vars(env), set()):
        for key in list(holder):
            if isinstance(key, str) and key.lstrip("_") in names:
                other = _another(holder[key])
                if first_difference(holder[key], other) is not None:
                    holder[key] = other
                    count += 1
    return count


def _answers(env: Any, subject: Subject) -> dict[str, Any]:
    """Give the answer fields of the running instance.

    Raises:
        CheckSkipped: If the environment has no instance, or no field of it is an answer.
    """
    subject.need_text("instance that holds an answer")
    names = truth_fields(env)
    found = dict(_fields(env.unwrapped.instance, names, ""))
    if not found:
        raise CheckSkipped(
            "no field of its instance is called "
            f"{', '.join(sorted(names)) or '(truth_fields is empty)'}; name the fields that "
            "agents must not learn in the class attribute truth_fields"
        )
    return found


def _fields(value: Any, names: Collection[str], path: str) -> Iterator[tuple[str, Any]]:
    """Find the answer fields at any depth of an instance, with their paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in names:
                yield f"{path}{key}", inner
            else:
                yield from _fields(inner, names, f"{path}{key}.")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _fields(inner, names, f"{path}{i}.")


def _without(value: Any, names: Collection[str]) -> Any:
    """Give the instance without its answer fields."""
    if isinstance(value, dict):
        return {key: _without(inner, names) for key, inner in value.items() if key not in names}
    if isinstance(value, list):
        return [_without(inner, names) for inner in value]
    return value


def _needles(env: Any, subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield (field, text) for all texts that must not be told to anybody."""
    public = _without(env.unwrapped.instance, truth_fields(env))
    known = {*_texts(public)}
    haystack = json.dumps(public, ensure_ascii=False)
    for name, answer in _answers(env, subject).items():
        for text in dict.fromkeys(_texts(answer)):
            if len(text) >= MIN_CHARS and text not in known and text not in haystack:
                yield name, text


def _texts(value: Any) -> Iterator[str]:
    """Yield a value and all its parts as the texts in which they could be shown."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    else:
        yield json.dumps(value, ensure_ascii=False)
        yield str(value)
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _noting(states: list[str]) -> Player:
    """Play mixed actions and note the global state before each step."""

    def player(env: Any, frame: Frame, seed: np.random.SeedSequence) -> dict[str, Any]:
        states.append(env.state())
        return mixed(env, frame, seed)

    return player


def _expect_absent(
    needles: list[tuple[str, str]], episode: Play, step: int, told: dict[str, str]
) -> None:
    # What agents have written themselves may be quoted to anybody.
    written = "\n".join(
        str(text) for actions in episode.actions[:step] for text in actions.values()
    )
    for name, needle in needles:
        if needle in written:
            continue
        for where, text in told.items():
            expect(
                needle not in text,
                f"step {step}: the {where} shows instance field {name!r}: {needle:.80}",
            )


def _opening(frame: Frame) -> str:
    """Return all that agents are told in a frame, as one text."""
    told = [_told(frame, agent) for agent in frame.observations]
    return "\n".join(f"{text}\n{json.dumps(info, ensure_ascii=False)}" for text, info in told)


def _told(frame: Frame, agent: str) -> tuple[str, dict[str, Any]]:
    info = {key: value for key, value in frame.infos[agent].items() if key != "metrics"}
    return frame.observations[agent], info


def _holders(value: Any, seen: set[int]) -> Iterator[dict[Any, Any]]:
    """Yield all dicts inside the environment's own data, each once."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        yield value
        for inner in list(value.values()):
            yield from _holders(inner, seen)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _holders(inner, seen)


def _another(value: Any) -> Any:
    """Give a different value of the same shape and types."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[::-1] if value != value[::-1] else value + "~"
    if isinstance(value, dict):
        return {key: _another(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_another(inner) for inner in value)
    return value


def _replay(env: Any, first: Frame, played: Play) -> list[Frame]:
    """Play recorded actions in another environment, as long as its agents are the same."""
    frames = [first]
    for actions in played.actions:
        if not set(actions) <= set(env.agents):
            break
        if any(agent not in actions for agent in env.agents if frames[-1].infos[agent]["active"]):
            break
        frames.append(Frame(*env.step(dict(actions))))
    return frames

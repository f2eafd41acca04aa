"""Instances given from outside, and verdicts on outcomes, without an environment."""

import json
from collections.abc import Mapping
from math import fsum
from typing import Any, NamedTuple

from coordgym.data.plain import json_copy, require_outcome
from coordgym.errors import InstanceError, suggest
from coordgym.silo_env.compute.answers.grading import Grade, equal
from coordgym.silo_env.compute.task import Instance, Task
from coordgym.silo_env.compute.tasks import find_task

MAX_DATA_CHARS = 20_000_000
"""Largest instance, as JSON text of its shards and parameters."""
_KEYS = ("shards", "extra", "answer", "task", "n_agents", "oracle")


class Verdict(NamedTuple):
    """What ``verify`` finds.

    Attributes:
        success: Whether all agents are right.
        score: Share of agents that are right (S).
        partial: Mean partial credit (P).
        grades: Verdict by agent.
    """

    success: bool
    score: float
    partial: float
    grades: tuple[Grade, ...]


def as_instance(task: Task[Any, Any], given: Mapping[str, Any]) -> Instance[Any, Any]:
    """Check data given from outside and solve them.

    Args:
        task: The task that they are for.
        given: ``shards``, optionally ``extra``, and whatever else an environment's ``instance``
            holds; a given ``answer`` must agree with the solution.

    Raises:
        InstanceError: Naming what is wrong.
    """
    for key in given:
        if key not in _KEYS:
            raise InstanceError(
                f"the instance has an unknown key {key!r:.100}{suggest(str(key)[:100], _KEYS)} "
                f"(known: {', '.join(_KEYS)})"
            )
    shards, extra = given.get("shards"), given.get("extra", {})
    if not isinstance(shards, list | tuple) or not isinstance(extra, Mapping):
        raise InstanceError("an instance needs 'shards' (a list) and may have 'extra' (a dict)")
    if given.get("task", task.id) != task.id:
        raise InstanceError(
            f"the instance is for task {given['task']!r:.100}, not for {task.id!r:.100}"
        )
    _require_json(shards, extra)
    _require_same_team(given, len(shards))
    instance = task.adopt(shards, extra)
    if "answer" in given and not equal(given["answer"], instance.answer, task.tolerance):
        raise InstanceError(
            f"the instance's answer is not the solution: given {given['answer']!r:.80}, "
            f"solved {instance.answer!r:.80}"
        )
    return instance


def expected_answers(
    task: Task[Any, Any], instance: Instance[Any, Any], *, oracle: bool = False
) -> list[Any]:
    """Return the right answer of each player; an oracle joins the pieces of a segmented task."""
    segmented = task.is_segmented(instance.extra)
    if oracle:
        pieces = instance.answer
        return [[item for piece in pieces for item in piece] if segmented else pieces]
    if segmented:
        return list(instance.answer)
    return [instance.answer] * len(instance.shards)


def verify(instance: Mapping[str, Any], outcome: Mapping[str, Any]) -> Verdict:
    """Judge the answers of an episode from its instance alone; a pure function.

    Args:
        instance: As ``env.unwrapped.instance`` gives it; the answer is solved anew.
        outcome: Submitted answers by agent (``"agent_0"``, …), as ``env.unwrapped.outcome()`` gives
            them; None or missing = no answer.

    Raises:
        InstanceError: If the instance is malformed.
        ConfigError: If the outcome is no dict, or names others than the instance's agents.
    """
    instance = json_copy(instance, "instance")
    task = find_task(instance.get("task"))
    data = as_instance(task, instance)
    expected = expected_answers(task, data, oracle=instance.get("oracle", False))
    require_outcome(outcome, [f"agent_{i}" for i in range(len(expected))])
    grades = tuple(task.grade(outcome.get(f"agent_{i}"), e) for i, e in enumerate(expected))
    correct = sum(grade.correct for grade in grades)
    return Verdict(
        success=correct == len(grades),
        score=correct / len(grades),
        partial=fsum(grade.partial for grade in grades) / len(grades),
        grades=grades,
    )


def _require_same_team(given: Mapping[str, Any], n_agents: int) -> None:
    """Check the keys of an environment's own ``instance`` that only tell about the others."""
    if given.get("n_agents", n_agents) != n_agents:
        raise InstanceError(
            f"n_agents of the instance must be the number of its shards, {n_agents}, "
            f"got {given['n_agents']!r:.100}"
        )
    if not isinstance(given.get("oracle", False), bool):
        raise InstanceError(
            f"oracle of the instance must be true or false, got {given['oracle']!r:.100}"
        )


def _require_json(shards: Any, extra: Any) -> None:
    try:
        size = len(json.dumps([shards, dict(extra)], allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InstanceError(f"the instance must have a JSON form: {error}") from error
    if size > MAX_DATA_CHARS:
        raise InstanceError(f"the instance has {size} characters as JSON; at most {MAX_DATA_CHARS}")

"""The pairs family as pure functions of a task's name and an instance in JSON."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from coordgym.data.plain import json_copy
from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.options import require_friction, searches_schemes
from coordgym.silo_env.pairs.task import (
    SEATS,
    Answer,
    ConfigT,
    Grade,
    InstanceT,
    PairTask,
    find_task,
)
from coordgym.silo_env.pairs.union import one_view_floor, union_necessary

MAX_DRAWS = 20_000
"""Draws after which a configuration counts as impossible."""
MAX_ABOVE_FLOOR = 500
"""Instances above a largest floor after which that floor counts as impossible."""


def read_instance(task: str, instance: Mapping[str, object]) -> Any:
    """Check an instance in JSON and return the task's own form of it.

    Args:
        task: The task's name.
        instance: The fields of the task's schema; as an environment's ``instance`` it may also name
            its ``task`` and have its ``answer``.

    Raises:
        ConfigError: There is no such task.
        InstanceError: The instance is malformed, unsolvable or another task's, has an unknown key
            or another answer than its solution.
    """
    plain = json_copy(instance, "instance")
    if plain.get("task", task) != task:
        raise InstanceError(f"the instance is one of {plain['task']!r:.100}, not of {task!r:.100}")
    rules = find_task(task)
    given = {key: value for key, value in plain.items() if key not in ("task", "answer")}
    parsed = rules.read_instance(given)
    if "answer" in plain and plain["answer"] != json_copy(rules.solve(parsed), "answer"):
        raise InstanceError(
            f"the instance's answer is not its solution: got {plain['answer']!r:.80}; leave it "
            "out, it is found anew"
        )
    return parsed


def grade(
    task: str, instance: Mapping[str, object], answer: object, *, schemes: str = "grid"
) -> Grade:
    """Grade an answer; anything that is no answer scores 0.0.

    Args:
        task: The task's name, such as "maze".
        instance: An instance in the task's JSON schema.
        answer: Any JSON value.
        schemes: "grid" or "paper_table", see ``options.SCHEME_CHOICES``.

    Raises:
        ConfigError: The task or ``schemes`` is unknown.
        InstanceError: The instance is malformed.
    """
    rules = find_task(task)
    search = searches_schemes(rules, schemes)
    return rules.grade(read_instance(task, instance), answer, search_schemes=search)


def solve(task: str, instance: Mapping[str, object]) -> Answer:
    """Return the canonical optimal answer of an instance; errors as ``grade``."""
    return find_task(task).solve(read_instance(task, instance))


def views(task: str, instance: Mapping[str, object], friction: int = 1) -> tuple[str, str]:
    """Return the texts of view 1 and view 2 of an instance.

    Args:
        task: The task's name.
        instance: An instance in the task's JSON schema.
        friction: 0..2: same words and stated frame; the papers' wording; another frame.

    Raises:
        ConfigError: The task is unknown or friction out of range.
        InstanceError: The instance is malformed.
    """
    level = require_friction(friction)
    rules, parsed = find_task(task), read_instance(task, instance)
    first, second = (rules.view_text(rules.facts(parsed, s), s, level) for s in SEATS)
    return first, second


def is_union_necessary(task: str, instance: Mapping[str, object]) -> bool:
    """Tell whether neither view alone determines an optimal answer; errors as ``grade``."""
    return union_necessary(find_task(task), read_instance(task, instance))


def verify(
    instance: Mapping[str, object], outcome: Mapping[str, object] | None, *, schemes: str = "grid"
) -> Grade:
    """Judge an answer to an environment's ``instance``, which names its task.

    Args:
        instance: As ``env.unwrapped.instance`` gives it.
        outcome: The answer, as ``env.unwrapped.outcome()`` gives it; None if there was none.
        schemes: "grid" or "paper_table", see ``options.SCHEME_CHOICES``.

    Raises:
        InstanceError: The instance names no task or is malformed.
        ConfigError: The outcome is neither a dict nor None; the task or ``schemes`` is unknown.
    """
    if outcome is not None and not isinstance(outcome, Mapping):
        raise ConfigError(f"outcome must be an answer as a dict, or None, got {outcome!r:.100}")
    task = json_copy(instance, "instance").get("task")
    if not isinstance(task, str):
        raise InstanceError("the instance must name its task under 'task'")
    return grade(task, instance, outcome, schemes=schemes)


def generate(
    task: PairTask[InstanceT, ConfigT, Any],
    config: ConfigT,
    rng: np.random.Generator,
    max_floor: float | None = None,
) -> InstanceT:
    """Draw instances until one needs both views.

    Args:
        task: The task.
        config: Parameters of its generator.
        rng: Source of the draws.
        max_floor: Largest ``one_view_floor`` of either view, 0..1; None: any.

    Raises:
        ConfigError: The configuration yields none in MAX_DRAWS draws, or ``max_floor`` lets none of
            MAX_ABOVE_FLOOR instances pass.
    """
    above: list[float] = []

    def will_do(instance: InstanceT) -> bool:
        if not union_necessary(task, instance):
            return False
        if max_floor is None:
            return True
        floors = (one_view_floor(task, instance, seat) for seat in SEATS)
        too_high = next((floor for floor in floors if floor > max_floor), None)
        if too_high is None:
            return True
        above.append(too_high)
        if len(above) == MAX_ABOVE_FLOOR:
            raise ConfigError(
                f"max_floor is {max_floor}, but in each of {len(above)} {task.name} instances "
                f"one view alone was worth {min(above):.2f} or more; choose a larger one"
            )
        return False

    instance = first_accepted(lambda: task.draw(config, rng), will_do, MAX_DRAWS)
    if instance is None:
        floor = "" if max_floor is None else f" and max_floor {max_floor}"
        raise ConfigError(
            f"no {task.name} instance in {MAX_DRAWS} draws with {config}{floor}; "
            "choose easier parameters"
        )
    return instance

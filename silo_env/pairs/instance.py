"""The pairs family as pure functions of a task's name and an instance in JSON."""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from coordgym.data.plain import json_copy, plain_number
from coordgym.errors import ConfigError, InstanceError, require_choice, require_int, suggest
from coordgym.loading import load
from coordgym.silo_env.pairs.grids.cells import HIDDEN
from coordgym.silo_env.pairs.table import TASK_CLASSES
from coordgym.silo_env.pairs.task import SEATS, Answer, AnyTask, Friction, Grade
from coordgym.silo_env.pairs.union import union_necessary

SCHEME_CHOICES = ("grid", "paper_table")
"""Which tasks read coordinates under all schemes: every grid task, or only the paper's ``maze``."""


@cache
def get_task(name: str) -> AnyTask:
    """Return the task of this name.

    Raises:
        ConfigError: There is none, with the nearest name.
    """
    require_choice("task", name, tuple(TASK_CLASSES))
    return cast("AnyTask", load(TASK_CLASSES[name])())


def searches_schemes(task: AnyTask, schemes: str) -> bool:
    """Tell whether answers of a task are read under all coordinate schemes.

    Raises:
        ConfigError: ``schemes`` is none of SCHEME_CHOICES.
    """
    require_choice("schemes", schemes, SCHEME_CHOICES)
    return task.uses_schemes and (schemes == "grid" or task.name == "maze")


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
    rules = get_task(task)
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
        schemes: "grid" or "paper_table", see SCHEME_CHOICES.

    Raises:
        ConfigError: The task or ``schemes`` is unknown.
        InstanceError: The instance is malformed.
    """
    rules = get_task(task)
    search = searches_schemes(rules, schemes)
    return rules.grade(read_instance(task, instance), answer, search_schemes=search)


def solve(task: str, instance: Mapping[str, object]) -> Answer:
    """Return the canonical optimal answer of an instance; errors as ``grade``."""
    return get_task(task).solve(read_instance(task, instance))


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
    rules, parsed = get_task(task), read_instance(task, instance)
    first, second = (rules.view_text(rules.facts(parsed, s), s, level) for s in SEATS)
    return first, second


def is_union_necessary(task: str, instance: Mapping[str, object]) -> bool:
    """Tell whether neither view alone determines an optimal answer; errors as ``grade``."""
    return union_necessary(get_task(task), read_instance(task, instance))


def verify(
    instance: Mapping[str, object], outcome: Mapping[str, object] | None, *, schemes: str = "grid"
) -> Grade:
    """Judge an answer to an environment's ``instance``, which names its task.

    Args:
        instance: As ``env.unwrapped.instance`` gives it.
        outcome: The answer, as ``env.unwrapped.outcome()`` gives it; None if there was none.
        schemes: "grid" or "paper_table", see SCHEME_CHOICES.

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


def require_friction(friction: object) -> Friction:
    """Check a friction level.

    Raises:
        ConfigError: It is not 0, 1 or 2.
    """
    return cast("Friction", require_int("friction", friction, 0, 2))


def require_mask(task: AnyTask, mask_char: object) -> str:
    """Check the sign for hidden cells.

    Raises:
        ConfigError: It may stand for something else in a drawing, or the task hides no cells.
    """
    if not isinstance(mask_char, str) or len(mask_char) > 1:
        raise ConfigError(f"mask_char must be one sign or '', got {mask_char!r:.40}")
    if mask_char and (
        mask_char.isalnum() or not mask_char.isprintable() or mask_char in " @*.#^<>|"
    ):
        raise ConfigError(f"mask_char must be a sign that drawings don't use, got {mask_char!r}")
    if mask_char != HIDDEN and not task.masks:
        raise ConfigError(f"mask_char must be {HIDDEN!r} for {task.name}: its views hide no cells")
    return mask_char


def make_config(task: AnyTask, config: Mapping[str, object] | None) -> Any:
    """Return the generator's parameters of a task, with defaults for what is not given.

    Raises:
        ConfigError: It is no dict, a key is unknown or a value not allowed.
    """
    if config is not None and not isinstance(config, Mapping):
        raise ConfigError(f"config must be a dict or None, got {config!r:.80}")
    given = {} if config is None else {key: plain_number(value) for key, value in config.items()}
    known = list(task.config_type.__dataclass_fields__)
    for key in given:
        if key not in known:
            raise ConfigError(
                f"config of {task.name} has no {key!r:.100}{suggest(str(key)[:100], known)}"
                f"; it takes {', '.join(known)}"
            )
    return task.config_type(**given)

"""The table of swarm tasks: one line per task, nothing heavy imported."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from coordgym.errors import ConfigError, require_choice
from coordgym.loading import load
from coordgym.registry import EnvEntry

if TYPE_CHECKING:
    from coordgym.swarm_env.task import Task


class TaskLine(NamedTuple):
    """A task's name as a keyword argument, where its class is, and what its agents do."""

    name: str
    entry_point: str
    title: str


TASKS: Final = (
    TaskLine(
        "pursuit",
        "coordgym.swarm_env.tasks.pursuit:Pursuit",
        "Surround a prey that flees faster than any of you moves",
    ),
    TaskLine(
        "synchronization",
        "coordgym.swarm_env.tasks.synchronization:Synchronization",
        "Switch your lights so that all agree, then all the other way round",
    ),
    TaskLine(
        "foraging",
        "coordgym.swarm_env.tasks.foraging:Foraging",
        "Carry food through a maze of walls to the nest",
    ),
    TaskLine(
        "transport",
        "coordgym.swarm_env.tasks.transport:Transport",
        "Push a heavy box out of the exit together, then leave",
    ),
    TaskLine(
        "flocking",
        "coordgym.swarm_env.tasks.flocking:Flocking",
        "Form a hollow square",
    ),
)

ENVS: tuple[EnvEntry, ...] = tuple(
    EnvEntry(
        id=f"coordgym/Swarm{line.name.capitalize()}-v0",
        entry_point="coordgym.swarm_env.environment:SwarmEnv",
        kwargs={"task": line.name},
        family="swarm",
        title=line.title,
        tags=("grid", "partial-view"),
    )
    for line in TASKS
)


def load_task(name: str, options: Mapping[str, Any] | None = None) -> "Task":
    """Makes a task by its name, with options of its own.

    Raises:
        ConfigError: No task has this name, or the task no such option or value.
    """
    require_choice("task", name, [line.name for line in TASKS])
    line = next(line for line in TASKS if line.name == name)
    factory: type[Task] = load(line.entry_point)
    for option in options or {}:
        if option not in factory.options:
            raise ConfigError(
                f"{option!s:.100} is no option of {name}, which has "
                f"{', '.join(factory.options) or 'none of its own'}"
            )
    return factory(**(options or {}))

"""The table of swarm tasks: one line per task, nothing heavy imported."""

from typing import Final, NamedTuple

from coordgym.registry import EnvEntry


class TaskEntry(NamedTuple):
    """Where a task is found, and one line on what its agents do.

    Attributes:
        name: The task as a keyword argument.
        place: ``"module:Class"``.
        title: What the agents do.
    """

    name: str
    place: str
    title: str


TASKS: Final = (
    TaskEntry(
        "pursuit",
        "coordgym.swarm_env.tasks.pursuit:Pursuit",
        "Surround a prey that flees faster than any of you moves",
    ),
    TaskEntry(
        "synchronization",
        "coordgym.swarm_env.tasks.synchronization:Synchronization",
        "Switch your lights so that all agree, then all the other way round",
    ),
    TaskEntry(
        "foraging",
        "coordgym.swarm_env.tasks.foraging:Foraging",
        "Carry food through a maze of walls to the nest",
    ),
    TaskEntry(
        "transport",
        "coordgym.swarm_env.tasks.transport:Transport",
        "Push a heavy box out of the exit together, then leave",
    ),
    TaskEntry(
        "flocking",
        "coordgym.swarm_env.tasks.flocking:Flocking",
        "Form a hollow square",
    ),
)

ENVS: tuple[EnvEntry, ...] = tuple(
    EnvEntry(
        id=f"coordgym/Swarm{entry.name.capitalize()}-v0",
        entry_point="coordgym.swarm_env.environment:SwarmEnv",
        kwargs={"task": entry.name},
        family="swarm",
        title=entry.title,
        tags=("grid", "partial-view"),
    )
    for entry in TASKS
)

"""The table of swarm tasks: one line per task, nothing heavy imported."""

from collections.abc import Mapping
from typing import NamedTuple

from coordgym.registry import EnvEntry

_BASELINES = "coordgym.baselines.swarm"


class TaskEntry(NamedTuple):
    """Where a task is found, one line on what its agents do, and what plays it.

    Attributes:
        name: The task as a keyword argument.
        place: ``"module:Class"``.
        about: What its agents do.
        brains: ``"module:Brain"`` for each of the policies ``swarm:reactive``,
            ``swarm:heuristic``, ``swarm:communicating`` and ``swarm:strong`` by its last word.
            May be left out: agents then act at random, but walk onto free cells only.
    """

    name: str
    place: str
    about: str
    brains: Mapping[str, str] = {}


def _brains(module: str, strong: str) -> dict[str, str]:
    return {
        "reactive": f"{_BASELINES}.{module}:Reactive",
        "heuristic": f"{_BASELINES}.{module}:Heuristic",
        "communicating": f"{_BASELINES}.{module}:Communicating",
        "strong": f"{_BASELINES}.{strong}",
    }


TASKS: tuple[TaskEntry, ...] = (
    TaskEntry(
        "pursuit",
        "coordgym.swarm_env.tasks.pursuit:Pursuit",
        "Surround a prey that flees faster than any of you moves",
        _brains("pursuit", "pursuit_trappers:strong"),
    ),
    TaskEntry(
        "synchronization",
        "coordgym.swarm_env.tasks.synchronization:Synchronization",
        "Switch your lights so that all agree, then all the other way round",
        _brains("synchronization", "synchronization:Clockwork"),
    ),
    TaskEntry(
        "foraging",
        "coordgym.swarm_env.tasks.foraging:Foraging",
        "Carry food through a maze of walls to the nest",
        _brains("foraging", "foraging_carriers:Carrier"),
    ),
    TaskEntry(
        "transport",
        "coordgym.swarm_env.tasks.transport:Transport",
        "Push a heavy box out of the exit together, then leave",
        _brains("transport", "transport_haulers:Hauler"),
    ),
    TaskEntry(
        "flocking",
        "coordgym.swarm_env.tasks.flocking:Flocking",
        "Form a hollow square",
        _brains("flocking", "flocking:Persistent"),
    ),
)


def env_entry(entry: TaskEntry) -> EnvEntry:
    """Return the environment of a task."""
    return EnvEntry(
        id=f"coordgym/Swarm{entry.name.capitalize()}-v0",
        entry_point="coordgym.swarm_env.environment:SwarmEnv",
        kwargs={"task": entry.name},
        family="swarm",
        title=entry.about,
        tags=("grid", "partial-view"),
    )


ENVS: tuple[EnvEntry, ...] = tuple(map(env_entry, TASKS))

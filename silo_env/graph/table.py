"""The tasks of the graph family as plain data: importing this module imports no task."""

from typing import NamedTuple

from coordgym.registry import EnvEntry

_SMALL = "coordgym.baselines.graph.small"


class TaskEntry(NamedTuple):
    """Where a task is found, one line on what agents do, and what the baselines do in it.

    The last four may be left out: general baselines then play the task.

    Attributes:
        name: Name of the task, and of its module in ``tasks/``.
        title: Name of its class, and of its id after ``Graph``.
        reach: ``local`` if looking at near agents is enough, else ``global``.
        about: What agents do.
        small: ``"module:Brain"`` that plays it in ``graph:small``.
        greedy: The same for ``graph:greedy``.
        solver: ``"module:function"`` by which ``graph:flood`` solves what it knows; None = the
            task's own ``solve``.
        constant: What ``graph:constant`` answers; None = the first option.
    """

    name: str
    title: str
    reach: str
    about: str
    small: str = f"{_SMALL}:FirstFit"
    greedy: str = f"{_SMALL}:first_fit_by_name"
    solver: str | None = None
    constant: str | None = None


TASKS: tuple[TaskEntry, ...] = (
    TaskEntry(
        "coloring",
        "Coloring",
        "local",
        "Neighbours in a network join different groups",
        small=f"{_SMALL}:ColorTrials",
    ),
    TaskEntry(
        "leader_election",
        "LeaderElection",
        "global",
        "A network elects exactly one leader",
        small=f"{_SMALL}:SmallestName",
        greedy=f"{_SMALL}:LocalSmallest",
        constant="No",
    ),
    TaskEntry(
        "consensus",
        "Consensus",
        "global",
        "All agents of a network agree on one bit",
        small=f"{_SMALL}:SmallestName",
        greedy=f"{_SMALL}:LocalSmallest",
    ),
    TaskEntry(
        "matching",
        "Matching",
        "local",
        "Neighbours in a network pair up until nobody can",
        small=f"{_SMALL}:Handshake",
        greedy=f"{_SMALL}:handshake_by_name",
        solver="coordgym.baselines.graph.flood:match_edges",
        constant="None",
    ),
    TaskEntry(
        "vertex_cover",
        "VertexCover",
        "local",
        "A network picks coordinators, none idle",
        small=f"{_SMALL}:IndependentSet",
        greedy=f"{_SMALL}:independent_set_by_name",
    ),
)


def task_entry(name: str) -> TaskEntry:
    """Return the line of a task.

    Raises:
        KeyError: If no task has this name.
    """
    return {entry.name: entry for entry in TASKS}[name]


def env_entry(entry: TaskEntry) -> EnvEntry:
    """Return the environment of a task."""
    return EnvEntry(
        id=f"coordgym/Graph{entry.title}-v0",
        entry_point="coordgym.silo_env.graph.environment:GraphEnv",
        family="graph",
        title=entry.about,
        kwargs={"task": entry.name},
        tags=("graph", "messages", entry.reach),
    )


ENVS: tuple[EnvEntry, ...] = tuple(map(env_entry, TASKS))

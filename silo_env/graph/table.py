"""The environments of the graph family."""

from coordgym.registry import EnvEntry

_TASKS = (
    ("GraphColoring", "coloring", "Neighbours in a network join different groups", "local"),
    ("GraphLeaderElection", "leader_election", "A network elects exactly one leader", "global"),
    ("GraphConsensus", "consensus", "All agents of a network agree on one bit", "global"),
    ("GraphMatching", "matching", "Neighbours in a network pair up until nobody can", "local"),
    ("GraphVertexCover", "vertex_cover", "A network picks coordinators, none idle", "local"),
)

ENVS: tuple[EnvEntry, ...] = tuple(
    EnvEntry(
        id=f"coordgym/{name}-v0",
        entry_point="coordgym.silo_env.graph.environment:GraphEnv",
        family="graph",
        title=title,
        kwargs={"task": task},
        tags=("graph", "messages", reach),
    )
    for name, task, title, reach in _TASKS
)

"""The table of the computation tasks: one line per task; imports nothing heavy."""

from typing import NamedTuple

from coordgym.registry import EnvEntry


class Level(NamedTuple):
    """A kind of tasks, by how their data have to flow.

    Attributes:
        number: The paper's name of it.
        kind: One word for it.
        topology: Along which links the data flow most naturally (Silo-Bench, figure 2).
    """

    number: str
    kind: str
    topology: str


AGGREGATION = Level("I", "aggregation", "star")
MESH = Level("II", "mesh", "chain")
SHUFFLE = Level("III", "shuffle", "all-to-all")


class TaskEntry(NamedTuple):
    """One task: the paper's id, the slug, one line on what is asked, and the level.

    The slug names the file in ``tasks/`` and the class: ``global-max`` is ``GlobalMax`` in
    ``global_max.py``.
    """

    paper_id: str
    slug: str
    title: str
    level: Level

    @property
    def class_name(self) -> str:
        """The name of its class, which is also the one in the environment's id."""
        return "".join(part.capitalize() for part in self.slug.split("-"))


TASKS: tuple[TaskEntry, ...] = (
    TaskEntry("I-01", "global-max", "Largest of all integers", AGGREGATION),
    TaskEntry("I-02", "word-frequency", "How often a word occurs in all lists", AGGREGATION),
    TaskEntry("I-03", "distributed-vote", "Winner of a close election", AGGREGATION),
    TaskEntry("I-04", "any-match", "Whether any log holds an error line", AGGREGATION),
    TaskEntry("I-05", "range-count", "How many of all integers lie in a range", AGGREGATION),
    TaskEntry("I-06", "checksum", "Exclusive or of all integers", AGGREGATION),
    TaskEntry("I-07", "average-value", "Mean of all numbers", AGGREGATION),
    TaskEntry("I-08", "set-union-size", "How many different integers there are", AGGREGATION),
    TaskEntry("I-09", "top-k-select", "The ten largest of all integers", AGGREGATION),
    TaskEntry("I-10", "standard-deviation", "Spread of all numbers", AGGREGATION),
    TaskEntry("II-11", "prefix-sum", "Running totals at the own positions", MESH),
    TaskEntry("II-12", "moving-average", "Means of a sliding window", MESH),
    TaskEntry("II-13", "longest-palindrome", "Length of the longest palindrome", MESH),
    TaskEntry("II-14", "life-game-1d", "Own cells of an automaton after five steps", MESH),
    TaskEntry("II-15", "pattern-search", "Greedy count of a pattern with gaps", MESH),
    TaskEntry("II-16", "trapping-rain", "Water that a skyline holds", MESH),
    TaskEntry("II-17", "diff-array", "Differences of neighbours", MESH),
    TaskEntry("II-18", "list-ranking", "Ranks of scattered nodes of a linked list", MESH),
    TaskEntry("II-19", "merge-neighbors", "Sorted list without repetitions", MESH),
    TaskEntry("II-20", "pipeline-hash", "Hashes that build on the block before", MESH),
    TaskEntry("III-21", "distributed-sort", "All integers in order", SHUFFLE),
    TaskEntry("III-22", "median", "Upper median of all integers", SHUFFLE),
    TaskEntry("III-23", "graph-components", "Number of parts of a scattered graph", SHUFFLE),
    TaskEntry("III-24", "bfs-distance", "Hops to all nodes of a scattered graph", SHUFFLE),
    TaskEntry("III-25", "kmeans-step", "Centroids after one step of k-means", SHUFFLE),
    TaskEntry("III-26", "global-distinct", "Distinct integers by splitting up values", SHUFFLE),
    TaskEntry("III-27", "collaborative-filtering", "Best user-item pairs", SHUFFLE),
    TaskEntry("III-28", "pagerank-step", "Ranks after one step of PageRank", SHUFFLE),
    TaskEntry("III-29", "load-balance", "Loads when the longest tasks go first", SHUFFLE),
    TaskEntry("III-30", "matrix-multiply", "Product of two scattered matrices", SHUFFLE),
)

TASK_CLASSES: dict[str, str] = {
    entry.paper_id: (
        f"coordgym.silo_env.compute.tasks.{entry.slug.replace('-', '_')}:{entry.class_name}"
    )
    for entry in TASKS
}
"""``"module:Class"`` of each task by the paper's id."""

FILE_KWARGS = ("db_path",)
TEAM_KWARGS = (
    *("protocol", "delivery", "topology", "message_loss", "corruption", "reward"),
    *("max_calls", "max_message_chars", "max_inbox_chars"),
)

ENVS: tuple[EnvEntry, ...] = tuple(
    EnvEntry(
        id=f"coordgym/Silo{entry.class_name}-v0",
        entry_point="coordgym.silo_env.compute.environment:SiloEnv",
        kwargs={"task": entry.paper_id},
        family="silo",
        title=entry.title,
        aliases=(entry.paper_id,),
        tags=("silo", entry.level.kind, f"level-{entry.level.number}"),
        file_kwargs=FILE_KWARGS,
        team_kwargs=TEAM_KWARGS,
    )
    for entry in TASKS
)

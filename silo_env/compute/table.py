"""The table of the computation family: one line per task; imports nothing heavy."""

from collections.abc import Mapping
from typing import NamedTuple

from coordgym.registry import EnvEntry


class Row(NamedTuple):
    """One task: the paper's id, the slug, a title, and its class in ``tasks/``."""

    paper_id: str
    slug: str
    title: str
    class_name: str


ROWS = (
    Row("I-01", "global-max", "Largest of all integers", "GlobalMax"),
    Row("I-02", "word-frequency", "How often a word occurs in all lists", "WordFrequency"),
    Row("I-03", "distributed-vote", "Winner of a close election", "DistributedVote"),
    Row("I-04", "any-match", "Whether any log holds an error line", "AnyMatch"),
    Row("I-05", "range-count", "How many of all integers lie in a range", "RangeCount"),
    Row("I-06", "checksum", "Exclusive or of all integers", "Checksum"),
    Row("I-07", "average-value", "Mean of all numbers", "AverageValue"),
    Row("I-08", "set-union-size", "How many different integers there are", "SetUnionSize"),
    Row("I-09", "top-k-select", "The ten largest of all integers", "TopKSelect"),
    Row("I-10", "standard-deviation", "Spread of all numbers", "StandardDeviation"),
    Row("II-11", "prefix-sum", "Running totals at the own positions", "PrefixSum"),
    Row("II-12", "moving-average", "Means of a sliding window", "MovingAverage"),
    Row("II-13", "longest-palindrome", "Length of the longest palindrome", "LongestPalindrome"),
    Row("II-14", "life-game-1d", "Own cells of an automaton after five steps", "LifeGame1d"),
    Row("II-15", "pattern-search", "Greedy count of a pattern with gaps", "PatternSearch"),
    Row("II-16", "trapping-rain", "Water that a skyline holds", "TrappingRain"),
    Row("II-17", "diff-array", "Differences of neighbours", "DiffArray"),
    Row("II-18", "list-ranking", "Ranks of scattered nodes of a linked list", "ListRanking"),
    Row("II-19", "merge-neighbors", "Sorted list without repetitions", "MergeNeighbors"),
    Row("II-20", "pipeline-hash", "Hashes that build on the block before", "PipelineHash"),
    Row("III-21", "distributed-sort", "All integers in order", "DistributedSort"),
    Row("III-22", "median", "Upper median of all integers", "Median"),
    Row("III-23", "graph-components", "Number of parts of a scattered graph", "GraphComponents"),
    Row("III-24", "bfs-distance", "Hops to all nodes of a scattered graph", "BfsDistance"),
    Row("III-25", "kmeans-step", "Centroids after one step of k-means", "KmeansStep"),
    Row("III-26", "global-distinct", "Distinct integers by splitting up values", "GlobalDistinct"),
    Row("III-27", "collaborative-filtering", "Best user-item pairs", "CollaborativeFiltering"),
    Row("III-28", "pagerank-step", "Ranks after one step of PageRank", "PagerankStep"),
    Row("III-29", "load-balance", "Loads when the longest tasks go first", "LoadBalance"),
    Row("III-30", "matrix-multiply", "Product of two scattered matrices", "MatrixMultiply"),
)

LEVEL_TAGS = {"I": "aggregation", "II": "mesh", "III": "shuffle"}

TASK_CLASSES: Mapping[str, tuple[str, str]] = {
    row.paper_id: (row.slug.replace("-", "_"), row.class_name) for row in ROWS
}
"""Module below ``tasks`` and class name, by the paper's id."""


def _entry(row: Row) -> EnvEntry:
    level = row.paper_id.partition("-")[0]
    name = "".join(part.capitalize() for part in row.slug.split("-"))
    return EnvEntry(
        id=f"coordgym/Silo{name}-v0",
        entry_point="coordgym.silo_env.compute.environment:SiloEnv",
        kwargs={"task": row.paper_id},
        family="silo",
        title=row.title,
        aliases=(row.paper_id,),
        tags=("silo", LEVEL_TAGS[level], f"level-{level}"),
    )


ENVS: tuple[EnvEntry, ...] = tuple(_entry(row) for row in ROWS)

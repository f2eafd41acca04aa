"""Partial results of the shuffle tasks (level III), in which anything may belong anywhere.

What all agents are told is written as short as it can be, so that it fits in one message for a
hundred agents too: a sorted list as steps, node values in the order of the nodes, matrices packed.
"""

import bz2
import json
from base64 import b64decode, b64encode
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, chain, pairwise
from math import fsum
from statistics import median_high, pvariance
from typing import Any

import numpy as np

from coordgym.baselines.silo.partial_results.aggregation import AGGREGATION
from coordgym.baselines.silo.partial_results.forms import Extra, Reduction
from coordgym.baselines.silo.post import as_json

# --- sort and median ----------------------------------------------------------------------------


def _ordered(shard: Sequence[int], extra: Extra) -> list[int]:
    return sorted(shard)


def _steps(items: Sequence[int]) -> list[int]:
    """Return the first item, and how far each following one is from the one before."""
    return [*items[:1], *(b - a for a, b in pairwise(items))]


def _sorted_steps(lists: Sequence[Sequence[int]], extra: Extra) -> list[Any]:
    merged = sorted(chain.from_iterable(lists))
    if extra.get("answer") != "segment":
        return _steps(merged)
    size, last = len(merged) // len(lists), len(lists) - 1
    ends = [size * (agent + 1) if agent < last else len(merged) for agent in range(len(lists))]
    return [_steps(merged[size * agent : end]) for agent, end in enumerate(ends)]


def _from_steps(steps: Sequence[int], shard: Any, extra: Extra) -> list[int]:
    return list(accumulate(steps))


def _upper_median(lists: Sequence[Sequence[int]], extra: Extra) -> int:
    return median_high(chain.from_iterable(lists))


# --- graphs -------------------------------------------------------------------------------------


def _forest(edges: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return the edges that join parts which those before them left apart."""
    part_of: dict[int, set[int]] = {}
    kept = []
    for a, b in edges:
        small, large = sorted((part_of.setdefault(n, {n}) for n in (a, b)), key=len)
        if small is not large:
            kept.append([a, b])
            large |= small
            part_of.update(dict.fromkeys(small, large))
    return kept


def _own_forest(shard: Sequence[Sequence[int]], extra: Extra) -> list[list[int]]:
    return _forest(shard)


def _components(forests: Sequence[Sequence[Sequence[int]]], extra: Extra) -> int:
    joins: int = extra["num_nodes"] - len(_forest(chain.from_iterable(forests)))
    return joins


def _different_edges(shard: Sequence[Sequence[int]], extra: Extra) -> list[list[int]]:
    return [list(edge) for edge in sorted({(min(e), max(e)) for e in shard if e[0] != e[1]})]


def _hops(lists: Sequence[Sequence[Sequence[int]]], extra: Extra) -> list[int]:
    """Return distances in the order of the nodes, found ring by ring around the source."""
    near: dict[int, set[int]] = {}
    for a, b in chain.from_iterable(lists):
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    hops = [-1] * extra["num_nodes"]
    ring, distance = {extra["source"]}, 0
    while ring:
        for node in ring:
            hops[node] = distance
        beyond = set().union(*(near.get(node, set()) for node in ring))
        ring, distance = {node for node in beyond if hops[node] < 0}, distance + 1
    return hops


def _by_node(values: Sequence[int], shard: Any, extra: Extra) -> dict[str, int]:
    return {str(node): value for node, value in enumerate(values)}


def _own_edges(shard: Sequence[Sequence[int]], extra: Extra) -> Sequence[Sequence[int]]:
    return shard


def _ranks(lists: Sequence[Sequence[Sequence[int]]], extra: Extra) -> list[int]:
    """Return ranks in the order of the nodes, in units of their last decimal."""
    targets: dict[int, list[int]] = {}
    for a, b in chain.from_iterable(lists):
        targets.setdefault(a, []).append(b)
    shares = [0.0] * extra["num_nodes"]
    for reached in targets.values():
        for node in reached:
            shares[node] += 1 / len(reached)
    damping, scale = extra["damping"], 10 ** extra["decimals"] / extra["num_nodes"]
    return [round((1 - damping + damping * share) * scale) for share in shares]


def _ranks_by_node(units: Sequence[int], shard: Any, extra: Extra) -> dict[str, float]:
    return {str(node): unit / 10 ** extra["decimals"] for node, unit in enumerate(units)}


# --- k-means: count and sums of the points of each cluster --------------------------------------


def _exactly(point: Sequence[float]) -> list[Fraction]:
    return [Fraction(str(coordinate)) for coordinate in point]


def _cluster_sums(shard: Sequence[Sequence[float]], extra: Extra) -> list[list[float]]:
    centroids = [_exactly(centroid) for centroid in extra["initial_centroids"]]
    clusters: list[list[Sequence[float]]] = [[] for _ in centroids]
    for point in shard:
        x, y = _exactly(point)
        distances = [(x - cx) ** 2 + (y - cy) ** 2 for cx, cy in centroids]
        clusters[distances.index(min(distances))].append(point)
    return [[len(c), fsum(p[0] for p in c), fsum(p[1] for p in c)] for c in clusters]


def _new_centroids(sums: Sequence[Sequence[Sequence[float]]], extra: Extra) -> list[list[float]]:
    moved = []
    for centroid, parts in zip(extra["initial_centroids"], zip(*sums, strict=True), strict=True):
        count = sum(part[0] for part in parts)
        mean = [fsum(part[i] for part in parts) / count for i in (1, 2)] if count else centroid
        moved.append([round(coordinate, extra["decimals"]) for coordinate in mean])
    return moved


# --- collaborative filtering: near candidates by floats, their order exactly --------------------


def _own_vectors(shard: Mapping[str, Any], extra: Extra) -> Mapping[str, Any]:
    return shard


def _best_pairs(shards: Sequence[Mapping[str, Any]], extra: Extra) -> list[list[float]]:
    users, items = (
        {int(name): vector for shard in shards for name, vector in shard[kind].items()}
        for kind in ("users", "items")
    )
    user_ids, item_ids = sorted(users), sorted(items)
    scores = np.array([users[u] for u in user_ids]) @ np.array([items[i] for i in item_ids]).T
    margin = 1e-9 * (1 + np.abs(scores).max())
    least = np.sort(scores, axis=None)[-extra["k"]] - margin
    exact = {}
    for row, column in np.argwhere(scores >= least).tolist():
        user, item = user_ids[row], item_ids[column]
        factors = zip(_exactly(users[user]), _exactly(items[item]), strict=True)
        exact[user, item] = sum(a * b for a, b in factors)
    best = sorted(exact, key=lambda pair: (-exact[pair], pair))[: extra["k"]]
    return [[*pair, float(round(exact[pair], extra["decimals"]))] for pair in best]


# --- load balance: only durations count ---------------------------------------------------------


def _durations(shard: Sequence[Mapping[str, int]], extra: Extra) -> list[list[int]]:
    counts = Counter(job["duration"] for job in shard)
    return [[duration, counts[duration]] for duration in sorted(counts)]


def _greedy_loads(counts: Sequence[Sequence[Sequence[int]]], extra: Extra) -> dict[str, float]:
    loads = [0] * extra["n_servers"]  # ascending; which server it is does not matter
    for duration, count in sorted(map(tuple, chain.from_iterable(counts)), reverse=True):
        for _ in range(count):
            insort(loads, loads.pop(0) + duration)
    variance = float(round(pvariance(map(Fraction, loads)), extra["decimals"]))
    return {"variance": variance, "max_load": loads[-1], "min_load": loads[0]}


# --- matrix multiply: rows of A (and columns of B) ----------------------------------------------


def _own_lines(shard: Mapping[str, Any], extra: Extra) -> list[list[Any]]:
    """Return rows of A by index, and columns of B if not everybody has all of them."""
    rows = [list(pair) for pair in zip(shard["A_row_indices"], shard["A_rows"], strict=True)]
    if "B_matrix" in shard:
        return [rows]
    return [
        rows,
        [list(p) for p in zip(shard["B_column_indices"], shard["B_columns"], strict=True)],
    ]


def _packed_lines(shards: Sequence[Sequence[Sequence[Any]]], extra: Extra) -> str:
    matrices = []
    for lines in zip(*shards, strict=True):
        by_index = dict(chain.from_iterable(lines))
        matrices.append([by_index[index] for index in range(extra["dim"])])
    return b64encode(bz2.compress(as_json(matrices).encode())).decode()


def _product(packed: str, shard: Mapping[str, Any], extra: Extra) -> list[list[int]]:
    try:
        rows, *columns = json.loads(bz2.decompress(b64decode(packed)))
    except OSError as error:
        raise ValueError("the matrices were damaged on their way") from error
    right = list(zip(*columns[0], strict=True)) if columns else shard["B_matrix"]
    largest = max(abs(entry) for line in chain(rows, right) for entry in line)
    kind = np.int64 if extra["dim"] * largest**2 < 2**62 else object
    product: list[list[int]] = np.dot(np.array(rows, kind), np.array(right, kind)).tolist()
    return product


SHUFFLE: Mapping[str, Reduction] = {
    "III-21": Reduction(_ordered, _sorted_steps, _from_steps),
    "III-22": Reduction(_ordered, _upper_median),
    "III-23": Reduction(_own_forest, _components),
    "III-24": Reduction(_different_edges, _hops, _by_node),
    "III-25": Reduction(_cluster_sums, _new_centroids),
    "III-26": AGGREGATION["I-08"],
    "III-27": Reduction(_own_vectors, _best_pairs),
    "III-28": Reduction(_own_edges, _ranks, _ranks_by_node),
    "III-29": Reduction(_durations, _greedy_loads),
    "III-30": Reduction(_own_lines, _packed_lines, _product),
}
"""By the paper's ids."""

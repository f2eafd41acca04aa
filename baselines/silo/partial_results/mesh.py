"""Partial results of the mesh tasks (level II), in which pieces depend on their neighbours.

A longest palindrome has none that are shorter than the pieces themselves.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, groupby, pairwise
from typing import Any

from coordgym.baselines.silo.partial_results.forms import Extra, Reduction, Scan

# --- prefix sums: the total of everything before -----------------------------------------------


def _own_total(shard: Sequence[int], extra: Extra) -> int:
    return sum(shard)


def _totals_from(carry: int, shard: Sequence[int], extra: Extra) -> list[int]:
    return list(accumulate(shard, initial=carry))[1:]


# --- moving average: sums of windows, which are shorter than means -----------------------------


def _as_it_is(shard: Any, extra: Extra) -> Any:
    return shard


def _window_sums(shards: Sequence[Sequence[int]], extra: Extra) -> list[int]:
    items, window = list(chain.from_iterable(shards)), extra["window"]
    return [sum(items[i : i + window]) for i in range(len(items) - window + 1)]


def _means(sums: Sequence[int], shard: Any, extra: Extra) -> list[float]:
    return [round(total / extra["window"], extra["decimals"]) for total in sums]


# --- life game: the cells that can be felt within the steps -------------------------------------


def near_margin(cells: Sequence[int], steps: int) -> list[int]:
    """Return the cells left of a border that can be felt right of it."""
    return list(cells[max(0, len(cells) - steps) :])


def far_margin(cells: Sequence[int], steps: int) -> list[int]:
    """Return the cells right of a border that can be felt left of it."""
    return list(cells[:steps])


def _margins(shards: Sequence[Sequence[int]], extra: Extra) -> list[list[list[int]]]:
    row, steps = list(chain.from_iterable(shards)), extra["steps"]
    borders = pairwise(accumulate(map(len, shards), initial=0))
    return [[near_margin(row[:a], steps), far_margin(row[b:], steps)] for a, b in borders]


def evolve(margins: Sequence[Sequence[int]], shard: Sequence[int], extra: Extra) -> list[int]:
    """Return the own cells after the steps, from those that can be felt left and right of them."""
    left, right = margins
    cells = [*left, *shard, *right]
    for _ in range(extra["steps"]):
        padded = [0, *cells, 0]
        cells = [
            (a ^ b ^ c) ^ (a & b & c)  # odd, and not all three
            for a, b, c in zip(padded, padded[1:], padded[2:], strict=False)
        ]
    return cells[len(left) : len(left) + len(shard)]


# --- pattern search: what a piece adds, by how far the search had come --------------------------


def _search_from_each_state(shard: str, extra: Extra) -> list[list[int]]:
    """Return by letters found before the piece: letters found after it, and finds within it."""
    pattern = extra["pattern"]
    outcomes = []
    for found in range(len(pattern)):
        finds = 0
        for letter in shard:
            if letter == pattern[found]:
                found += 1
            if found == len(pattern):
                found, finds = 0, finds + 1
        outcomes.append([found, finds])
    return outcomes


def _finds(pieces: Sequence[Sequence[Sequence[int]]], extra: Extra) -> int:
    found = total = 0
    for outcomes in pieces:
        found, finds = outcomes[found]
        total += finds
    return total


# --- trapping rain: water held within a piece, and the skyline above it --------------------------


def _fill(heights: Sequence[int]) -> list[int]:
    """Return the surface after rain that finds no walls outside."""
    levels = list(accumulate(heights, max))
    return [min(levels[i], max(heights[i:])) for i in range(len(heights))]


def _own_water(shard: Sequence[int], extra: Extra) -> list[Any]:
    """Return what the piece's own walls hold, and its surface then as [height, columns]."""
    surface = _fill(shard)
    runs = [[height, len(list(run))] for height, run in groupby(surface)]
    return [sum(surface) - sum(shard), runs]


def _all_water(pieces: Sequence[Sequence[Any]], extra: Extra) -> int:
    """Add what only walls of several pieces hold: rain on the surfaces."""
    runs = [run for _, surface in pieces for run in surface]
    levels = _fill([height for height, _ in runs])
    above: int = sum((level - h) * n for level, (h, n) in zip(levels, runs, strict=True))
    within: int = sum(water for water, _ in pieces)
    return within + above


# --- diff array: differences within a piece, and its two ends ----------------------------------


def _own_differences(shard: Sequence[int], extra: Extra) -> list[Any]:
    return [shard[:1], [b - a for a, b in pairwise(shard)], shard[-1:]]


def _all_differences(pieces: Sequence[Sequence[Any]], extra: Extra) -> list[int]:
    joined: list[int] = []
    before: list[int] = []
    for first, differences, last in pieces:
        joined += [b - a for a, b in zip(before, first, strict=False)]
        joined += differences
        before = last or before
    return joined


# --- list ranking: runs of nodes ---------------------------------------------------------------


def _runs(shard: Sequence[Mapping[str, int]], extra: Extra) -> list[list[int]]:
    """Return own nodes that follow each other; a run ends with the first id held elsewhere."""
    following = {node["id"]: node["next"] for node in shard}
    runs = []
    for head in sorted(following.keys() - following.values()):
        run = [head]
        while run[-1] in following:
            run.append(following[run[-1]])
        runs.append(run)
    return runs


def _order(pieces: Sequence[Sequence[Sequence[int]]], extra: Extra) -> list[int]:
    """Return all ids from the first node to the last."""
    following = {a: b for runs in pieces for run in runs for a, b in pairwise(run)}
    node = min(following.keys() - following.values())
    order: list[int] = []
    while node in following and len(order) < len(following):  # damaged parts may hold circles
        order.append(node)
        node = following[node]
    return order


def _ranks(order: Sequence[int], shard: Any, extra: Extra) -> dict[str, int]:
    return {str(node): rank for rank, node in enumerate(order)}


# --- merge neighbors: pieces without their own repetitions --------------------------------------


def _merged(shard: Sequence[int], extra: Extra) -> list[int]:
    return [item for i, item in enumerate(shard) if i == 0 or item != shard[i - 1]]


def _all_merged(pieces: Sequence[Sequence[int]], extra: Extra) -> list[int]:
    return _merged(list(chain.from_iterable(pieces)), extra)


# --- pipeline hash: sums of blocks, and the hash before them -------------------------------------


def _block_sums(shard: Sequence[str], extra: Extra) -> list[int]:
    return [sum(map(ord, block)) for block in shard]


def _hashes(before: int, sums: Sequence[int], extra: Extra) -> list[int]:
    def advance(previous: int, block_sum: int) -> int:
        hashed: int = (block_sum ^ previous) % extra["modulus"]
        return hashed

    return list(accumulate(sums, advance, initial=before))


SCANS: Mapping[str, Scan] = {
    "II-11": Scan(
        summarise=_own_total,
        start=lambda extra: 0,
        advance=lambda carry, total, extra: carry + total,
        conclude=_totals_from,
    ),
    "II-20": Scan(
        summarise=_block_sums,
        start=lambda extra: extra["genesis"],
        advance=lambda carry, sums, extra: _hashes(carry, sums, extra)[-1],
        conclude=lambda carry, shard, extra: _hashes(carry, _block_sums(shard, extra), extra)[1:],
    ),
}
"""Tasks in which each agent needs what comes before, by the paper's ids."""

MESH: Mapping[str, Reduction] = {
    **{task: scan.reduction() for task, scan in SCANS.items()},
    "II-12": Reduction(_as_it_is, _window_sums, _means),
    "II-14": Reduction(_as_it_is, _margins, evolve),
    "II-15": Reduction(_search_from_each_state, _finds),
    "II-16": Reduction(_own_water, _all_water),
    "II-17": Reduction(_own_differences, _all_differences),
    "II-18": Reduction(_runs, _order, _ranks),
    "II-19": Reduction(_merged, _all_merged),
}
"""By the paper's ids."""

"""How far agents are from a formation, wherever on the map it might be formed.

Each candidate place of the formation costs the least sum of L1 distances over assignments of its
cells to different agents; the distance is the least cost of all places. Candidate places are the
vectors agent − cell (``"paired"``), or all combinations of their rows and columns
(``"independent"``): the cost is piecewise linear in either, so one of these is the true optimum.

A place can't cost less than its rows and its columns cost matched for themselves. These bounds
take a few array operations for all places together. Assignments are computed only for places
whose bound is below the best cost found, in the order of the bounds, which is mostly for a few in
a hundred of them.
Source of the distance: Ruan et al. 2025, section A.4.4.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from coordgym.swarm_env.grid.cells import Cell

Integers = NDArray[np.int64]

TRANSLATIONS: Final = ("paired", "independent")


def distance(
    agents: Sequence[Cell], formation: Sequence[Cell], translations: str = "paired"
) -> int:
    """Count the least steps from the agents' cells to the formation at its best place.

    Args:
        agents: Row and column of each agent.
        formation: Row and column of each cell, relative to any origin; at most as many as agents.
        translations: ``"paired"`` or ``"independent"``.
    """
    from scipy.optimize import linear_sum_assignment

    standing: Integers = np.array(agents, dtype=np.int64)
    wanted: Integers = np.array(formation, dtype=np.int64)
    apart = standing[:, None, :] - wanted[None, :, :]
    row_gaps, column_gaps = apart[:, :, 0], apart[:, :, 1]
    row_shifts, row_at = np.unique(row_gaps, return_inverse=True)
    column_shifts, column_at = np.unique(column_gaps, return_inverse=True)
    row_bounds = line_costs(standing[:, 0], wanted[:, 0], row_shifts)
    column_bounds = line_costs(standing[:, 1], wanted[:, 1], column_shifts)
    bounds = row_bounds[:, None] + column_bounds[None, :]
    if translations == "paired":
        candidates = np.unique(row_at.ravel() * len(column_shifts) + column_at.ravel())
    else:
        candidates = np.arange(bounds.size)
    limits = bounds.ravel()[candidates]
    best: int | None = None
    for at in np.argsort(limits, kind="stable"):
        if best is not None and limits[at] >= best:
            break
        row, column = divmod(int(candidates[at]), len(column_shifts))
        cost = np.abs(row_gaps - row_shifts[row]) + np.abs(column_gaps - column_shifts[column])
        chosen: tuple[Any, Any] = linear_sum_assignment(cost)
        total = int(cost[chosen].sum())
        best = total if best is None else min(best, total)
    return best or 0


def line_costs(agents: Integers, wanted: Integers, shifts: Integers) -> Integers:
    """Compute the least cost of matching points on a line, for several shifts of those wanted.

    On a line it is best to match in order of position. Where there are s more agents than points,
    the j-th point in order takes one of the agents j … j+s, later points never an earlier agent:
    the costs of all such courses are found by raising the number of agents skipped one by one.

    Args:
        agents: Shape (n,).
        wanted: Shape (m,), m ≤ n.
        shifts: Shape (k,), added to ``wanted``.

    Returns:
        Shape (k,).
    """
    agents, wanted = np.sort(agents), np.sort(wanted)
    points = len(wanted)
    targets = wanted + shifts[:, None]
    least: Integers = np.zeros(0, dtype=np.int64)
    for skipped in range(len(agents) - points + 1):
        # Sum of the first j costs if all points take the agent ``skipped`` places further.
        sums = np.zeros((len(shifts), points + 1), dtype=np.int64)
        np.cumsum(np.abs(agents[skipped : skipped + points] - targets), axis=1, out=sums[:, 1:])
        if skipped:
            sums += np.minimum.accumulate(least - sums, axis=1)
        least = sums
    return least[:, -1]


def is_formed(agents: Sequence[Cell], formation: Sequence[Cell]) -> bool:
    """Tell whether agents stand on all cells of the formation at some place: distance 0."""
    taken = set(agents)
    top, left = formation[0]
    return any(
        all((i + row - top, j + column - left) in taken for row, column in formation)
        for i, j in taken
    )

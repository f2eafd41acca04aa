"""What a formation is worth: how many rounds pass from one capture to the next.

While all agents hold still, each cell has one successor, so that the prey's course ends in a trap
or in a cycle. After a capture the prey mostly reappears where the threat is least; if that is the
very trap, whose sides are still taken, it is caught again in the next round.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from coordgym.baselines.swarm.formations.field import Field, Flags, Numbers, Shares
from coordgym.baselines.swarm.formations.traps import find_traps

EVEN, ODD, BOTH = 0, 1, 2
"""Parities of the prey's row + column; ``BOTH`` stands for either."""

_COURSE: Final = 25  # rounds for which the prey's course is followed
_LOST: Final = 40.0  # rounds that a prey costs which never runs into a trap
_OTHER: Final = 15.0  # rounds that one of the other parity costs: the formation has to change
_NOTHING: Final = 1000.0  # worth of a formation without traps
_SQUARINGS: Final = 6  # 2 to this power captures are looked ahead


class Worth(NamedTuple):
    """What a formation does against prey of its parity.

    Attributes:
        coverage: Share of the free cells from which the prey runs into a trap.
        first: Rounds until the first capture, on average over the free cells.
        rounds: Rounds from one capture to the next, on average.
    """

    coverage: float
    first: float
    rounds: float


def worth(field: Field, slots: Sequence[int], parity: int, sight: int) -> Worth:
    """Work out what a formation is worth against prey of a parity (``BOTH``: of either).

    Args:
        field: The map.
        slots: The number of each agent's cell.
        parity: The prey's row + column modulo 2, or ``BOTH``.
        sight: How many rows and columns away an agent sees the prey.
    """
    free = field.free(slots)
    traps = {
        trap: closers
        for trap, closers in find_traps(field, slots, free, sight).items()
        if parity in (BOTH, field.parity[trap])
    }
    meant = free if parity == BOTH else free & (field.parity == parity)
    count = int(meant.sum())
    if not traps or not count:
        return Worth(0.0, _NOTHING, _NOTHING)
    steps, ends = _courses(field, free, field.threat(slots), list(traps))
    rounds = np.where(ends >= 0, steps + 1.0, _LOST)
    if parity != BOTH:
        rounds[field.parity != parity] = _OTHER
        ends[field.parity != parity] = -1
    start = meant / count
    shares = [_shares_after(field, slots, trap, closers) for trap, closers in traps.items()]
    return Worth(
        coverage=int((meant & (ends >= 0)).sum()) / count,
        first=float(start @ rounds),
        rounds=_rounds_between(list(traps), shares, start, rounds, ends),
    )


def _courses(
    field: Field, free: Flags, threat: Numbers, traps: Sequence[int]
) -> tuple[Numbers, Numbers]:
    """Return per number how many flights lead to which trap; the trap is −1 if none is met."""
    goes = field.flights(free, threat)
    is_trap = np.zeros(field.size, bool)
    is_trap[traps] = True
    steps = np.zeros(field.size, np.int64)
    ends = np.full(field.size, -1)
    now = np.arange(field.size)
    for step in range(_COURSE + 1):
        new = is_trap[now] & (ends < 0)
        steps[new], ends[new] = step, now[new]
        now = goes[now]
    return steps, ends


def _shares_after(field: Field, slots: Sequence[int], trap: int, closers: dict[int, int]) -> Shares:
    """Return where the prey reappears after a capture, as a probability of each number."""
    closed = list(slots)
    for slot, side in closers.items():
        closed[slot] = side
    return field.refuges(field.free(closed), field.threat(closed))


def _rounds_between(
    traps: Sequence[int],
    shares: Sequence[Shares],
    start: Shares,
    rounds: Shares,
    ends: Numbers,
) -> float:
    """Return the mean rounds from capture to capture of the chain of traps.

    Args:
        traps: The traps.
        shares: Per trap where the prey reappears.
        start: Where a prey is that was lost, and is caught after all.
        rounds: Per number the rounds until the next capture.
        ends: Per number the trap of that capture, −1 for none.
    """
    size = len(traps) + 1
    chain = np.zeros((size, size))
    cost = np.zeros(size)
    for row, after in enumerate([*shares, start]):
        length, end = rounds, ends
        if row < len(traps):  # whoever reappears in the closed trap is caught at once
            length, end = rounds.copy(), ends.copy()
            length[traps[row]], end[traps[row]] = 1.0, traps[row]
        cost[row] = after @ length
        for column, trap in enumerate(traps):
            chain[row, column] = after[end == trap].sum()
        chain[row, -1] = max(0.0, 1 - chain[row, :-1].sum())
    chain = (chain + np.eye(size)) / 2
    for _ in range(_SQUARINGS):
        chain = chain @ chain
    return float(chain[-1] @ cost)

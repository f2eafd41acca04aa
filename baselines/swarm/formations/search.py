"""Finding formations by simulated annealing on what they are worth."""

from math import exp
from typing import Final

import numpy as np

from coordgym.baselines.swarm.formations.field import Field, field
from coordgym.baselines.swarm.formations.worth import BOTH, EVEN, ODD, Worth, worth
from coordgym.swarm_env.grid.cells import VECTORS, Cell, distance

KEEP, CATCH = "keep", "catch"
"""Aims of a formation: many captures one after the other, or soon a first one."""

_WEIGHTS: Final = {
    (KEEP, EVEN): (0.1, 1.0),
    (KEEP, ODD): (0.1, 1.0),
    (KEEP, BOTH): (0.4, 1.0),
    (CATCH, EVEN): (1.0, 0.25),
    (CATCH, ODD): (1.0, 0.25),
}
"""By aim and parity, what the rounds until the first capture and those between two count."""
_HEAT: Final = 0.3  # rounds by which a change may be worse at first, roughly
_NEAR: Final = 0.6  # probability that an agent is moved by one cell only


def search(
    height: int, width: int, n_agents: int, sight: int, parity: int, aim: str, tries: int
) -> tuple[Cell, ...]:
    """Find a formation; a pure function.

    Args:
        height: Rows of the map.
        width: Columns of the map.
        n_agents: Agents, fewer than cells within the walls.
        sight: How many rows and columns away an agent sees the prey.
        parity: Row + column of the prey modulo 2, or ``BOTH``.
        aim: ``KEEP`` or ``CATCH``.
        tries: Changes tried.
    """
    key = (height, width, n_agents, sight, parity, (KEEP, CATCH).index(aim))
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=key))
    land = field(height, width)
    now = _start(land, n_agents, parity, rng)
    cost = cost_of(worth(land, now, parity, sight), parity, aim)
    best, least = now, cost
    for number in range(tries):
        changed = _changed(land, now, rng)
        if changed is None:
            continue
        found = cost_of(worth(land, changed, parity, sight), parity, aim)
        heat = _HEAT * (1 - number / tries)
        if found <= cost or rng.random() < exp((cost - found) / heat):
            now, cost = changed, found
            if cost < least:
                best, least = now, cost
    return tuple(land.cell(number) for number in best)


def cost_of(found: Worth, parity: int, aim: str) -> float:
    """Return what the search makes small."""
    first, rounds = _WEIGHTS[aim, parity]
    return first * found.first + rounds * found.rounds


def _start(land: Field, n_agents: int, parity: int, rng: np.random.Generator) -> list[int]:
    """Put four agents around a cell in the middle, the others anywhere else."""
    row, column = land.height // 2, land.width // 2
    column += (row + column + parity) % 2
    ring = [(row + i, column + j) for i, j in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
    drawn = [land.cell(int(number)) for number in rng.permutation(land.cells)]
    # The cells beside the middle one come last: the way in stays open if it can.
    drawn.sort(key=lambda cell: distance(cell, (row, column)) <= 1)
    inside = [cell for cell in ring if land.is_inside(land.number(cell))]
    return [land.number(cell) for cell in dict.fromkeys([*inside, *drawn])][:n_agents]


def _changed(land: Field, slots: list[int], rng: np.random.Generator) -> list[int] | None:
    """Move one agent by a cell or anywhere; None if that is not possible."""
    at = int(rng.integers(len(slots)))
    if rng.random() < _NEAR:
        i, j = list(VECTORS.values())[int(rng.integers(4))]
        number = slots[at] + i * land.row + j
    else:
        number = int(land.cells[int(rng.integers(len(land.cells)))])
    if number in slots or not land.is_inside(number):
        return None
    return [*slots[:at], number, *slots[at + 1 :]]

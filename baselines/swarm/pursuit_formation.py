"""Formations in which a fleeing prey runs into a trap by itself.

The prey's flight is known: two steps to the least threat, which depends only on where agents and
walls are. While all agents hold still, each cell therefore has one successor, and the prey's
course ends in a cycle. A cell is a *trap* if all its sides are walls or agents, or can be closed
in one round by agents that stand next to the open sides and see the cell: then the prey is caught
as soon as its course touches the cell. Two steps keep the parity of row + column, so a prey of one
parity never meets the traps of the other: there is one formation for each.

Good formations are found by hill climbing on the share of cells from which the prey runs into a
trap. Those of the published map are listed; others are computed once per size.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from coordgym.swarm_env.grid.cells import VECTORS, Cell, distance, neighbours
from coordgym.swarm_env.grid.placement import bordered_grid, wall_object
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.tasks.pursuit import PREY, PreyState, flight

_FOUND: Final[dict[tuple[int, int, int, int], tuple[Cell, ...]]] = {
    (10, 10, 10, 0): (
        (4, 4), (4, 6), (6, 6), (6, 4), (4, 2), (1, 7), (7, 1), (2, 8), (2, 1), (2, 2),
    ),
    (10, 10, 10, 1): (
        (7, 6), (3, 6), (6, 1), (5, 8), (2, 1), (2, 7), (3, 2), (1, 4), (8, 7), (8, 3),
    ),
}  # fmt: skip
"""By height, width, number of agents and parity of row + column."""

_MAX_COURSE: Final = 25
_CLIMB_WORK: Final = 20_000  # cells evaluated; one takes about 30 µs
_SEE: Final = 2  # how far an agent with the smallest usual view sees the prey


class Formation(NamedTuple):
    """Where the agents wait and how they close the traps.

    Attributes:
        slots: A cell for each agent; filled in this order where there are more agents.
        closers: Per trap cell, by slot, the open side that the agent there has to enter.
    """

    slots: tuple[Cell, ...]
    closers: Mapping[Cell, Mapping[int, Cell]]


@lru_cache(maxsize=32)
def formation(height: int, width: int, n_agents: int, parity: int) -> Formation:
    """Find the formation against a prey with this parity of row + column; a pure function."""
    slots = _FOUND.get((height, width, n_agents, parity))
    if slots is None:
        slots = _climb(height, width, n_agents, parity)
    return Formation(slots, traps(slots, height, width))


def traps(slots: Sequence[Cell], height: int, width: int) -> dict[Cell, dict[int, Cell]]:
    """Find the trap cells of a formation, each with the side that each closing slot takes."""
    taken = {cell: number for number, cell in enumerate(slots)}
    found = {}
    for cell in _interior(height, width):
        if cell in taken:
            continue
        sides = [side for side in neighbours(cell) if _inside(side, height, width)]
        holding = {taken[side] for side in sides if side in taken}
        choices = {
            side: [
                taken[near]
                for near in neighbours(side)
                if near in taken and taken[near] not in holding and _sees(near, cell)
            ]
            for side in sides
            if side not in taken
        }
        closing = _match(choices)
        if closing is not None:
            found[cell] = closing
    return found


def _match(choices: Mapping[Cell, Sequence[int]]) -> dict[int, Cell] | None:
    """Give a different slot to each side, if that can be done."""
    matched: dict[int, Cell] = {}

    def give(side: Cell, tried: set[int]) -> bool:
        for slot in choices[side]:
            if slot not in tried:
                tried.add(slot)
                if slot not in matched or give(matched[slot], tried):
                    matched[slot] = side
                    return True
        return False

    return matched if all(give(side, set()) for side in choices) else None


def coverage(slots: Sequence[Cell], height: int, width: int, parity: int) -> float:
    """Return the share of the free cells of a parity from which the prey runs into a trap.

    Each later step of the course counts 2 % less.
    """
    caught = traps(slots, height, width)
    cells = [c for c in _interior(height, width) if c not in slots and sum(c) % 2 == parity]
    if not cells:
        return 0.0
    world = _world(slots, height, width, cells[0])
    successor = {}
    for cell in cells:
        world.move(PREY, *cell)
        successor[cell] = flight(world, *cell, compat=False) or cell
    value = 0.0
    for cell in cells:
        for step in range(_MAX_COURSE):
            if cell in caught:
                value += 1 - step / (2 * _MAX_COURSE)
                break
            cell = successor[cell]
    return value / len(cells)


def _climb(height: int, width: int, n_agents: int, parity: int) -> tuple[Cell, ...]:
    """Find a formation by hill climbing from a ring of agents around the middle."""
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(height, width, parity)))
    middle = height // 2, width // 2 + (height // 2 + width // 2 + parity) % 2
    cells = _interior(height, width)
    ring = [(middle[0] + i, middle[1] + j) for i, j in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
    drawn = [cells[int(at)] for at in rng.permutation(len(cells))]
    drawn.sort(key=lambda cell: distance(cell, middle) <= 1)  # the way in stays open if it can
    slots = list(dict.fromkeys([*(cell for cell in ring if cell in cells), *drawn]))[:n_agents]
    if len(slots) == len(cells):
        return tuple(slots)
    best = coverage(slots, height, width, parity)
    for _ in range(max(_CLIMB_WORK // len(cells), 20)):
        changed = slots.copy()
        at = int(rng.integers(len(slots)))
        row, column = slots[at]
        if rng.random() < 0.7:
            i, j = list(VECTORS.values())[int(rng.integers(4))]
            cell = row + i, column + j
        else:
            cell = cells[int(rng.integers(len(cells)))]
        if cell in slots or not _inside(cell, height, width):
            continue
        changed[at] = cell
        value = coverage(changed, height, width, parity)
        if value >= best:
            slots, best = changed, value
    return tuple(slots)


def _interior(height: int, width: int) -> list[Cell]:
    return [(i, j) for i in range(1, height - 1) for j in range(1, width - 1)]


def _inside(cell: Cell, height: int, width: int) -> bool:
    return 0 < cell[0] < height - 1 and 0 < cell[1] < width - 1


def _sees(cell: Cell, other: Cell) -> bool:
    return max(abs(cell[0] - other[0]), abs(cell[1] - other[1])) <= _SEE


def _world(slots: Sequence[Cell], height: int, width: int, prey: Cell) -> World:
    return World.from_dict(
        {
            "height": height,
            "width": width,
            "agents": {str(number): {"pos": list(cell)} for number, cell in enumerate(slots)},
            "objects": [wall_object(bordered_grid(height, width))],
            "prey": list(prey),
        },
        PreyState,
    )

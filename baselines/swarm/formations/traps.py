"""Traps: cells on which the prey can be surrounded in one round.

A cell is a trap of a formation if all its sides are walls or agents, or can be entered in one step
by different agents that see the cell.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from coordgym.baselines.swarm.formations.field import Field, Flags

Closers = dict[int, int]
"""By slot, the number of the open side that the agent there has to enter."""


def find_traps(field: Field, slots: Sequence[int], free: Flags, sight: int) -> dict[int, Closers]:
    """Find the traps of a formation.

    Args:
        field: The map.
        slots: The number of each agent's cell.
        free: What ``field.free(slots)`` gives.
        sight: How many rows and columns away an agent sees the prey.

    Returns:
        By the number of each trap who closes which side.
    """
    taken = {int(number): slot for slot, number in enumerate(slots)}
    beside = np.zeros(field.size, bool)
    at = np.array(slots)
    for shift in (-field.row, field.row, -1, 1):
        beside[at + shift] = True
    closable = ~free | beside  # walls and agents hold a side
    cells = field.cells
    possible = free[cells]
    for shift in (-field.row, field.row, -1, 1):
        possible = possible & closable[cells + shift]
    found = {}
    for number in cells[possible].tolist():
        closers = _closers(field, number, taken, free, sight)
        if closers is not None:
            found[number] = closers
    return found


def _closers(
    field: Field, trap: int, taken: Mapping[int, int], free: Flags, sight: int
) -> Closers | None:
    sides = field.neighbours(trap)
    holding = [side for side in sides if side in taken]
    row, column = divmod(trap, field.row)
    choices = {}
    for side in sides:
        if not free[side]:
            continue
        able = []
        for near in field.neighbours(side):
            if near in taken and near not in holding:
                apart = divmod(near, field.row)
                if max(abs(apart[0] - row), abs(apart[1] - column)) <= sight:
                    able.append(taken[near])
        if not able:
            return None
        choices[side] = able
    return _match(choices)


def _match(choices: Mapping[int, Sequence[int]]) -> Closers | None:
    """Give a different slot to each side, if that can be done."""
    matched: dict[int, int] = {}

    def give(side: int, tried: set[int]) -> bool:
        for slot in choices[side]:
            if slot not in tried:
                tried.add(slot)
                if slot not in matched or give(matched[slot], tried):
                    matched[slot] = side
                    return True
        return False

    return matched if all(give(side, set()) for side in choices) else None

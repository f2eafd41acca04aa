"""The formations of a team: one against prey of either parity, or one against each.

Two steps keep the parity of row + column, so a prey of one parity never meets the traps of the
other. With many agents one formation has traps for both. Else the team has a formation in which
the prey mostly reappears where it was caught, and another one that catches prey of the other
parity once.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from coordgym.baselines.swarm.formations.field import field
from coordgym.baselines.swarm.formations.known import KNOWN
from coordgym.baselines.swarm.formations.search import KEEP, search
from coordgym.baselines.swarm.formations.traps import find_traps
from coordgym.baselines.swarm.formations.worth import BOTH, EVEN, ODD, Worth, worth
from coordgym.swarm_env.grid.cells import Cell, distance

MAX_CELLS, MAX_SHARE = 900, 24
"""Cells of a map, and cells within its walls for each agent, beyond which no formation is looked
for: few agents can't leave a large map no calmer place than a trap."""
_TRIES: Final = 800  # changes tried where no formations are listed
_ROUNDS: Final = 100  # rounds for which captures are foretold
_WALK: Final = 15  # rounds until the first formation stands
_CHANGE: Final = 20  # rounds until the second has taken its place


class Formation(NamedTuple):
    """Where the agents wait and how they close the traps.

    Attributes:
        parity: Parity of row + column of the prey that it is meant for, or ``BOTH``.
        slots: A cell for each agent.
        closers: Per trap, by slot, the open side that the agent there has to enter.
        worth: What it is worth.
    """

    parity: int
    slots: tuple[Cell, ...]
    closers: Mapping[Cell, Mapping[int, Cell]]
    worth: Worth


class Plan(NamedTuple):
    """The formations of a team.

    Attributes:
        formations: The one to hold, then those that are tried where it catches nothing.
        slots: Per formation the slot of each agent.
    """

    formations: tuple[Formation, ...]
    slots: tuple[tuple[int, ...], ...]

    def against(self, parity: int) -> tuple[int, ...]:
        """Return the places of the formations to take against prey of a known parity."""
        found = (at for at, each in enumerate(self.formations) if each.parity in (parity, BOTH))
        return tuple(found) or tuple(range(len(self.formations)))


@lru_cache(maxsize=64)
def plan(height: int, width: int, n_agents: int, sight: int) -> Plan | None:
    """Choose the formations of a team; None if the map is too large for them; a pure function.

    Args:
        height: Rows of the map.
        width: Columns of the map.
        n_agents: Agents.
        sight: How many rows and columns away an agent sees the prey.
    """
    size = height, width
    listed = KNOWN.get((*size, n_agents, sight))
    if listed is not None:
        return plan_of([formation(slots, *size, sight, parity) for parity, slots in listed])
    inside = (height - 2) * (width - 2)
    if height * width > MAX_CELLS or inside > MAX_SHARE * n_agents:
        return None
    found = []
    for parity in (BOTH, EVEN, ODD):
        slots = search(*size, n_agents, sight, parity, KEEP, _TRIES)
        found.append(formation(slots, *size, sight, parity))
    both, *single = found
    choices = [(both,), *permutations(single)]
    return plan_of(max(choices, key=captures))


def formation(
    slots: tuple[Cell, ...], height: int, width: int, sight: int, parity: int
) -> Formation:
    """Work out the traps of a formation and what it is worth."""
    land = field(height, width)
    numbers = [land.number(cell) for cell in slots]
    found = find_traps(land, numbers, land.free(numbers), sight)
    closers = {
        land.cell(trap): {slot: land.cell(side) for slot, side in sides.items()}
        for trap, sides in found.items()
    }
    return Formation(parity, slots, closers, worth(land, numbers, parity, sight))


def plan_of(formations: Sequence[Formation]) -> Plan:
    """Give each agent the slot of its number in the first formation, one in each other.

    The ways from the first one are short in sum.
    """
    from scipy.optimize import linear_sum_assignment

    slots = []
    for other in formations:
        cost = [[distance(cell, end) for end in other.slots] for cell in formations[0].slots]
        slots.append(tuple(int(column) for column in linear_sum_assignment(cost)[1]))
    return Plan(tuple(formations), tuple(slots))


def captures(formations: Sequence[Formation]) -> float:
    """Foretell how many captures the formations make in an episode, roughly."""
    wait = _WALK + formations[0].worth.first
    if len(formations) > 1:  # half of the times the prey has the other parity
        wait = (wait + _WALK + _CHANGE + formations[1].worth.first) / 2
    return (_ROUNDS - wait) / formations[0].worth.rounds

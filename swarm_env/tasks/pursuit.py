"""Pursuit: surround a prey that moves two cells a round.

After the physics the prey is caught if all four cells next to it hold agents or walls: the team
scores 1 and the prey reappears elsewhere. Otherwise it flees by exactly two steps over free cells
towards the least threat, or stays. The threat of a cell is the agents plus 0.9 times the wall
cells in rows i−4..i+3 and columns j−4..j+3.

Observation: the view, the own position, the team's score, messages heard. Actions: UP, DOWN,
LEFT, RIGHT, STAY. Reward: the score gained; individual: the decrease of the own L1 distance to
the prey (measured before it flees) and +1 on a capture to the agents next to it. The episode
ends at the limit on rounds. Source: Ruan et al. 2025, section A.4.1.

The published implementation (compat) differs: the first prey can be pushed; both corners of an
L-shaped flight must be free; the prey moves only if the threat there is below that of the cell to
its left.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from coordgym.errors import InstanceError
from coordgym.swarm_env.grid.cells import Cell, distance
from coordgym.swarm_env.grid.fields import read_bool, read_cell
from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.task_state import Piece, TaskState
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.task import Outcome, Published, Task, Turn

PREY: Final = "prey"
"""Name of the prey as a body of the world."""
MIN_SIDE: Final = 6
"""Smallest number of rows and of columns."""
SIGHT_BACK, SIGHT_AHEAD = 4, 3
"""How many rows and columns the prey watches before and behind a cell's own."""
AGENT_THREAT, WALL_THREAT = 10, 9
"""Threat of one agent and of one wall cell, in tenths."""
FLIGHT_STEPS: Final = ((0, 1), (0, -1), (1, 0), (-1, 0))
"""RIGHT, LEFT, DOWN, UP: the order in which the prey considers its steps."""

_RULES = """\
{start} It is caught when at the end of a round the four cells above, below, left and right of it \
are all taken by agents or walls. Each capture scores 1 point for the whole team, and the prey \
reappears at once: of {draws} free cells drawn at random it takes the one with the least danger, \
which may be the cell where it was caught. The danger of a cell is 10 for each agent and 9 for \
each wall cell in the {near} rows from {back} above to {ahead} below it and the {near} columns \
from {back} left to {ahead} right of it. After every round in which it is not caught the prey runs \
exactly two steps over free cells, straight on or round a corner, to the end with the least \
danger; of equal ones it takes the first when each step is tried in the order right, left, down, \
up. {stays} {pushed} Catch it as often as you can."""
_START = "A prey P starts in the lower right quarter of the map."
_ANYWHERE = "There is a prey P on the map."
_STAYS = "It stays only where no such way is free."
_WARY = (
    "Round a corner it runs only if both cells between are free, and it stays unless the end has "
    "less danger than the cell left of it."
)
_FIXED = "It can't be pushed."
_LOOSE = "The first prey can be pushed like an agent, later ones can't."


@dataclass(slots=True)
class PreyState(TaskState):
    """The prey.

    Attributes:
        prey: The prey itself, if there is one.
    """

    fields: ClassVar[tuple[str, ...]] = ("prey", "prey_static")

    prey: Piece | None

    @classmethod
    def read(cls, given: Mapping[str, Any], n_agents: int) -> Self:
        """Read where the prey is and whether it withstands every push."""
        static = read_bool("prey_static", given.get("prey_static", True))
        if given.get("prey") is None:
            return cls(None)
        return cls(Piece(PREY, "P", *read_cell("prey", given["prey"]), static))

    def to_dict(self) -> dict[str, Any]:
        """Return where the prey is and whether it withstands every push."""
        if self.prey is None:
            return {}
        return {"prey": list(self.prey.cell), "prey_static": self.prey.static}

    def pieces(self) -> tuple[Piece, ...]:
        """Return the prey."""
        return () if self.prey is None else (self.prey,)


def prey_of(world: World) -> Piece | None:
    """Return the prey of a world."""
    return world.state_of(PreyState).prey


def threat(world: World, row: int, column: int) -> int:
    """Return the threat of a cell to the prey, in tenths."""
    top, bottom = row - SIGHT_BACK, row + SIGHT_AHEAD
    left, right = column - SIGHT_BACK, column + SIGHT_AHEAD
    agents = sum(
        top <= i <= bottom and left <= j <= right and not gone
        for (i, j), gone in zip(world.positions, world.escaped, strict=True)
    )
    walls = world.backdrop.count_walls(top, left, bottom, right)
    return AGENT_THREAT * agents + WALL_THREAT * walls


def is_caught(world: World, row: int, column: int) -> bool:
    """Tell whether agents or walls take all four cells next to a cell."""
    return all(world.letter_at(row + i, column + j) in "AaW" for i, j in FLIGHT_STEPS)


def flight(world: World, row: int, column: int, compat: bool) -> Cell | None:
    """Find where the prey on a cell runs to; None if it stays."""
    best: Cell | None = None
    least = threat(world, row, column - 1) if compat else None
    seen: dict[Cell, int] = {}
    for cell in _ways(world, row, column, compat):
        if cell not in seen:  # a second way to a cell is no better than the first
            seen[cell] = danger = threat(world, *cell)
            if least is None or danger < least:
                best, least = cell, danger
    return best


def _ways(world: World, row: int, column: int, compat: bool) -> Iterator[Cell]:
    """Yield the ends of the free two-step ways, in the prey's order."""
    for i, j in FLIGHT_STEPS:
        if not world.is_free(row + i, column + j):
            continue
        for k, m in FLIGHT_STEPS:
            end = row + i + k, column + j + m
            if not world.is_free(*end):
                continue
            if compat and (i, j) != (k, m) and not world.is_free(row + k, column + m):
                continue
            yield end


def refuge(world: World, rng: np.random.Generator) -> Cell:
    """Draw where a caught prey reappears: the least threat of height·width random free cells.

    Raises:
        InstanceError: If no cell within the border is free.
    """
    prey = prey_of(world)
    own = None if prey is None else prey.cell
    free = [
        (i, j)
        for i in range(1, world.height - 1)
        for j in range(1, world.width - 1)
        if world.is_free(i, j) or (i, j) == own
    ]
    if not free:
        raise InstanceError("the prey can't reappear: no cell within the border is free")
    drawn = rng.integers(len(free), size=world.height * world.width)
    cells = dict.fromkeys(free[int(at)] for at in drawn)
    return min(cells, key=lambda cell: threat(world, *cell))


class Pursuit(Task):
    """The rules above, bound to the interface of a task."""

    name: ClassVar[str] = "pursuit"
    target: ClassVar[float] = 57.0
    score_words: ClassVar[str] = "times that the prey was surrounded"
    published: ClassVar[Published | None] = Published(
        "3.05 / 9.15 / 8.37", "–", "12.0 (o4-mini, noisy messages)"
    )
    state: ClassVar[type[TaskState]] = PreyState
    shows_score: ClassVar[bool] = True

    def check(self, config: SwarmConfig) -> None:
        """Require 6×6 cells and a free cell for each agent in the upper left part."""
        config.require_size(MIN_SIDE, MIN_SIDE, self.name)
        rows, columns = _start_area(config)
        # One cell may hold the prey, which is placed first.
        config.require_room(len(rows) * len(columns) - 1, self.name)

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Put the prey into the lower right, the agents into the upper left."""
        height, width = config.height, config.width
        prey = (
            int(rng.integers(height // 2 + 1, height - 1)),
            int(rng.integers(width // 2 + 1, width - 1)),
        )
        rows, columns = _start_area(config)
        cells = place_agents(config.n_agents, rows, columns, [prey], rng)
        walls = wall_object(bordered_grid(height, width))
        return self.start(config, cells, [walls], prey=prey, prey_static=not config.compat)

    def check_world(self, world: World) -> None:
        """Require a prey on the map."""
        prey = prey_of(world)
        if prey is None:
            raise InstanceError("a pursuit instance needs prey: [row, column]")
        if not world.inside(*prey.cell):
            raise InstanceError(f"prey must be on the map, got {list(prey.cell)}")

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Catch the prey or let it flee."""
        prey = prey_of(world)
        if prey is None or not world.inside(*prey.cell):  # pushed out through a gap (compat)
            return Outcome(0.0)
        row, column = here = prey.cell
        shaped = {
            agent: float(distance(turn.before[agent], here) - distance(cell, here))
            for agent, cell in enumerate(world.positions)
        }
        if not is_caught(world, row, column):
            escape = flight(world, row, column, config.compat)
            if escape is not None:
                world.move(PREY, *escape)
            return Outcome(0.0, shaped)
        for i, j in FLIGHT_STEPS:
            catcher = world.agent_at(row + i, column + j)
            if catcher is not None:
                shaped[catcher] += 1.0
        world.score += 1.0
        world.fix(PREY)
        world.move(PREY, *refuge(world, rng))
        return Outcome(1.0, shaped)

    def phases(self, world: World) -> list[float]:
        """Return how near each agent is to the prey, whose flight is over."""
        prey = prey_of(world)
        if prey is None:
            return [0.0] * world.n_agents
        size = world.height + world.width
        return [max(1 - distance(cell, prey.cell) / size, 0.0) for cell in world.positions]

    def rules(self, config: SwarmConfig, world: World) -> str:
        """Tell capture, flight and score in prose."""
        return _RULES.format(
            start=_START if _starts_lower_right(world) else _ANYWHERE,
            draws=world.height * world.width,
            near=SIGHT_BACK + SIGHT_AHEAD + 1,
            back=SIGHT_BACK,
            ahead=SIGHT_AHEAD,
            stays=_WARY if config.compat else _STAYS,
            pushed=_LOOSE if config.compat else _FIXED,
        )

    def short_rules(self, config: SwarmConfig, world: World) -> str:
        """Tell capture, flight and score in few words."""
        pushed = "only the first prey can be pushed" if config.compat else "prey can't be pushed"
        wary = (
            "both cells of a corner free, only to less danger than left of it"
            if config.compat
            else "stays only if none is free"
        )
        return (
            "capture P: agents or walls on all 4 cells next to it at a round's end; +1 for the "
            f"team, P reappears on the least dangerous of {world.height * world.width} drawn free "
            "cells, also the same one; else P runs 2 free steps to the least danger, first of "
            f"equals trying each step right, left, down, up ({wary}); danger of a cell: 10 an "
            f"agent, 9 a wall cell in rows -{SIGHT_BACK}..+{SIGHT_AHEAD}, columns "
            f"-{SIGHT_BACK}..+{SIGHT_AHEAD} of it; {pushed}"
        )

    def legend(self) -> dict[str, str]:
        """Tell the letter of the prey."""
        return {"P": "the prey"}


def _starts_lower_right(world: World) -> bool:
    prey = prey_of(world)
    return prey is not None and prey.cell[0] > world.height // 2 and prey.cell[1] > world.width // 2


def _start_area(config: SwarmConfig) -> tuple[range, range]:
    """Return the rows and columns in which the agents start."""
    last_row = min(max(config.height // 2, 5), config.height - 2)
    last_column = min(max(config.width // 2, 5), config.width - 2)
    return range(1, last_row + 1), range(1, last_column + 1)

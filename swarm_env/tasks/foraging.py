"""Foraging: carry food from a source through a maze to the nest.

Food and nest are blocks of 2×2 cells in two corners of the map; walls across the map, each with
an opening at one end, make the way long. After the physics an agent next to food (four
neighbours) carries some, and an agent next to the nest that carries some delivers it: the team
scores 1. Both happen by themselves, both can happen in one round, and food never runs out.

The maze: walls stand in rows 4, 8, … < height − 4 (or in columns, drawn at random), alternately
attached to the low and the high side. On an axis of length L a low one leaves the last
ceil(L/3) − 2 cells before the border open, a high one the cells from 1 to L//3 − 1; from
7 cells on both are at least one. Food and nest are in opposite corners, which are drawn at random;
with an odd number of walls both are on the low side, so that the way between them is long.

Observation: the view (numbers with a $ carry nothing), whether the agent itself carries food,
messages heard. Actions: UP, DOWN, LEFT, RIGHT, STAY. Reward: the score gained; individual: +0.5
for picking up and +0.5 for delivering, otherwise max(0.05 − 0.01·d, 0) with d the L1 distance to
the nearest cell of what the agent needs next (nest if it carries food, else food). The episode
ends at the limit on rounds. Source: Ruan et al. 2025, section A.4.3; pick-up and drop are
automatic, as the published code has them.

The published implementation (compat) differs: it takes height and width for each other when an
agent looks at its neighbours, so that cells with row ≥ width or column ≥ height count as empty.
"""

from collections import deque
from collections.abc import Collection
from functools import lru_cache
from math import ceil
from typing import ClassVar, Final, NamedTuple

import numpy as np

from coordgym.errors import InstanceError
from coordgym.swarm_env.grid.cells import VECTORS, Cell, distance
from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.state import Shape
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.task import MAX_PHASE_WEIGHT, Outcome, Published, Task, Turn

MIN_SIDE: Final = 7
"""Smallest number of rows and of columns: with fewer the openings of the walls close."""
WALL_EVERY: Final = 4
"""Rows (or columns) from one inner wall to the next."""
FOOD, NEST = "F", "N"
EVENT_REWARD: Final = 0.5
"""Individual reward for a pick-up and for a delivery."""
DERIVED_SHARE: Final = 0.55
"""Share of the deliveries of agents that never meet which is a success off the published size."""
APPROACH_MAX, APPROACH_STEP = 0.05, 0.01
"""Individual reward next to the goal in any other round, and by how much a cell lowers it."""

_NEAR: Final = tuple(VECTORS.values())

_RULES = """\
Bring as much food as you can from the source F to the nest N. An agent that ends a round directly \
above, below, left or right of F picks up food by itself if it carries none; one that ends a round \
so next to N delivers what it carries, which scores 1 point for the whole team. An agent carries \
one piece at a time and the source never runs out. F and N are blocks that nobody can enter or \
move.{walls}{slip}"""
_WALLS = " Walls stand within the map, too."
_SLIP = (
    " Beware: picking up and delivering fail at cells of F and N whose row number is {width} or "
    "more, or whose column number is {height} or more."
)


class Layout(NamedTuple):
    """What is drawn of a maze.

    Attributes:
        rows: Whether the inner walls lie in rows, else in columns.
        food_first: Whether the food, else the nest, is before the first wall.
        crossed: Whether what is before the first wall is at its high side; counts only with an
            even number of walls.
    """

    rows: bool
    food_first: bool
    crossed: bool = False


def maze(height: int, width: int, layout: Layout) -> list[list[str]]:
    """Build the map without agents, as rows of letters.

    Args:
        height: Rows, at least 7.
        width: Columns, at least 7.
        layout: Where walls, food and nest are.
    """
    # Built with walls in rows; for walls in columns it is turned over at the end.
    depth, length = (height, width) if layout.rows else (width, height)
    grid = bordered_grid(depth, length)
    walls = range(WALL_EVERY, depth - WALL_EVERY, WALL_EVERY)
    for number, row in enumerate(walls):
        low_end = length - ceil(length / 3) + 1
        for column in range(length // 3, length) if number % 2 else range(low_end):
            grid[row][column] = "W"
    first, last = (FOOD, NEST) if layout.food_first else (NEST, FOOD)
    sides = (1, 1) if len(walls) % 2 else (1, length - 3)
    start, end = reversed(sides) if layout.crossed else sides
    for letter, top, left in ((first, 1, start), (last, depth - 3, end)):
        for row in (top, top + 1):
            grid[row][left : left + 2] = letter * 2
    return grid if layout.rows else [list(column) for column in zip(*grid, strict=True)]


def is_next_to(world: World, cell: Cell, letter: str, compat: bool) -> bool:
    """Tell whether a letter stands above, below, left or right of a cell."""
    for i, j in _NEAR:
        row, column = cell[0] + i, cell[1] + j
        if compat and (row >= world.width or column >= world.height):
            continue
        if world.letter_at(row, column) == letter:
            return True
    return False


def cells_of(world: World, letter: str) -> list[Cell]:
    """List all cells of the objects that show a letter."""
    cells: list[Cell] = []
    for number, shape in enumerate(world.shapes):
        offsets = _offsets_of(shape, letter)
        if offsets:
            top, left = world.object_position(number)
            cells.extend((top + i, left + j) for i, j in offsets)
    return cells


@lru_cache(maxsize=64)
def _offsets_of(shape: Shape, letter: str) -> tuple[Cell, ...]:
    return tuple((i, j) for i, j, found in shape.offsets if found == letter)


def approach_reward(cell: Cell, goals: Collection[Cell]) -> float:
    """Return the small reward for being near the nearest goal."""
    apart = min(distance(cell, goal) for goal in goals)
    return max(APPROACH_MAX - APPROACH_STEP * apart, 0.0)


def has_inner_walls(world: World) -> bool:
    """Tell whether walls stand off the border of the map."""
    return any(
        world.letter_at(i, j) == "W"
        for i in range(1, world.height - 1)
        for j in range(1, world.width - 1)
    )


class Trips(NamedTuple):
    """What agents would do that never met.

    Attributes:
        way: Steps between a cell beside the food and one beside the nest.
        deliveries: Pieces that all would deliver.
    """

    way: int
    deliveries: int


def shortest_trips(world: World, rounds: int) -> Trips | None:
    """Return the deliveries of agents that walk the shortest ways; None if there is no way."""
    walls = {cell for number in range(len(world.shapes)) for cell in world.object_cells(number)}
    steps = _steps_to(world, _beside(cells_of(world, FOOD)), walls)
    ways = [steps[cell] for cell in _beside(cells_of(world, NEST)) if cell in steps]
    if not ways:
        return None
    way = min(ways)
    if way == 0:
        return Trips(0, rounds * world.n_agents)
    deliveries = 0
    for cell, gone, carries in zip(world.positions, world.escaped, world.lights, strict=True):
        if not gone and cell in steps:
            first = way if carries else steps[cell] + way
            deliveries += 1 + (rounds - first) // (2 * way) if rounds >= first else 0
    return Trips(way, deliveries)


def _beside(cells: Collection[Cell]) -> list[Cell]:
    return sorted({(i + k, j + m) for i, j in cells for k, m in _NEAR})


def _steps_to(world: World, goals: Collection[Cell], walls: Collection[Cell]) -> dict[Cell, int]:
    """Count the steps from each free cell of the map to the nearest goal."""
    steps = {cell: 0 for cell in goals if cell not in walls and world.inside(*cell)}
    queue = deque(steps)
    while queue:
        here = queue.popleft()
        for i, j in _NEAR:
            cell = here[0] + i, here[1] + j
            if cell not in steps and cell not in walls and world.inside(*cell):
                steps[cell] = steps[here] + 1
                queue.append(cell)
    return steps


class Foraging(Task):
    """The rules above, bound to the interface of a task."""

    name: ClassVar[str] = "foraging"
    target: ClassVar[float] = 30.0
    score_words: ClassVar[str] = "pieces of food in the nest"
    published: ClassVar[Published | None] = Published(
        "0.42 / 0.00 / 0.95", "20.40", "8.2 (gemini-2.0-flash, centralised)"
    )
    light_name: ClassVar[str | None] = "carrying_food"
    dark_words: ClassVar[str] = "that carries no food"

    def check(self, config: SwarmConfig) -> None:
        """Require 7×7 cells and a free cell for each agent however the walls lie."""
        config.require_size(MIN_SIDE, MIN_SIDE, self.name)
        height, width = config.height, config.width
        room = min(
            sum(row.count(".") for row in maze(height, width, Layout(rows, food_first=True)))
            for rows in (True, False)
        )
        config.require_room(room, self.name)

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Draw the maze, then the agents' cells."""
        height, width = config.height, config.width
        rows, food_first, crossed = (bool(draw) for draw in rng.integers(2, size=3))
        grid = maze(height, width, Layout(rows, food_first, crossed))
        taken = [(i, j) for i, row in enumerate(grid) for j, c in enumerate(row) if c != "."]
        inner_rows, inner_columns = range(1, height - 1), range(1, width - 1)
        cells = place_agents(config.n_agents, inner_rows, inner_columns, taken, rng)
        food = min((i, j) for i, j in taken if grid[i][j] == FOOD)
        source = {"kind": FOOD, "pos": list(food), "shape": [FOOD * 2] * 2, "static": True}
        return self.start(config, cells, [wall_object(grid), source], [False] * len(cells))

    def check_world(self, world: World) -> None:
        """Require food, a nest, and for each agent whether it carries food."""
        for letter, what in ((FOOD, "food"), (NEST, "a nest")):
            if not cells_of(world, letter):
                raise InstanceError(
                    f"a foraging instance needs {what}: an object of {letter!r:.100}"
                )
        for agent, carries in enumerate(world.lights):
            if carries is None:
                raise InstanceError(
                    "a foraging instance needs state: true or false (carrying food or not) for "
                    f"each agent, agent {agent} has none"
                )

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Let agents next to the food pick up, then those next to the nest deliver."""
        delivered: dict[int, float] = {}
        shaped = {}
        food, nest = cells_of(world, FOOD), cells_of(world, NEST)
        for agent, cell in enumerate(world.positions):
            if world.escaped[agent]:
                continue
            events = 0
            if not world.lights[agent] and is_next_to(world, cell, FOOD, config.compat):
                world.lights[agent] = True
                events += 1
            if world.lights[agent] and is_next_to(world, cell, NEST, config.compat):
                world.lights[agent] = False
                events += 1
                delivered[agent] = 1.0
            goals = nest if world.lights[agent] else food
            shaped[agent] = EVENT_REWARD * events or approach_reward(cell, goals)
        gain = float(len(delivered))
        world.score += gain
        return Outcome(gain, shaped, own=delivered)

    def own_target(self, world: World, limit: int) -> float | None:
        """Return the published target at its size, else one derived from the lengths of the ways.

        It is 55 % of what the agents would deliver that never met, each on the shortest ways from
        its cell. There is none where more agents than the cells of a round trip would crowd.
        """
        published = super().own_target(world, limit)
        if published is not None:
            return published
        trips = shortest_trips(world, limit - world.round)
        if trips is None or world.n_agents > 2 * trips.way:
            return None
        target = ceil(DERIVED_SHARE * trips.deliveries)
        return world.score + target if target else None

    def phases(self, world: World) -> list[float]:
        """Return half for a load, and up to half for being near what the agent needs next."""
        goals = {True: cells_of(world, NEST), False: cells_of(world, FOOD)}
        size = world.height + world.width
        phases = []
        for cell, carries in zip(world.positions, world.lights, strict=True):
            apart = min(distance(cell, goal) for goal in goals[carries is True])
            phases.append((max(1 - apart / size, 0.0) + (carries is True)) / 2)
        return phases

    def phase_weight(self, full: float, n_agents: int) -> float:
        """Return what a delivery is worth to the agent, as it has the full score divided up."""
        return min(n_agents / full, MAX_PHASE_WEIGHT) if full else 0.0

    def rules(self, config: SwarmConfig, world: World) -> str:
        """Tell food, nest and score in prose."""
        uneven = config.compat and config.height != config.width
        slip = _SLIP.format(height=config.height, width=config.width) if uneven else ""
        return _RULES.format(walls=_WALLS if has_inner_walls(world) else "", slip=slip)

    def short_rules(self, config: SwarmConfig, world: World) -> str:
        """Tell food, nest and score in few words."""
        text = (
            "end a round next to (4 cells) source F: pick up, if you carry none; then next to "
            "nest N: deliver, +1 for the team; both automatic, F endless; F and N can't be moved"
        )
        if has_inner_walls(world):
            text += "; walls within the map"
        if config.compat and config.height != config.width:
            text += f"; cells of F and N in rows >= {config.width} or columns >= {config.height} "
            text += "don't count"
        return text

    def legend(self) -> dict[str, str]:
        """Tell the letters of food and nest."""
        return {FOOD: "food", NEST: "the nest"}

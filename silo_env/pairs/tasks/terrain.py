"""``terrain``: the cheapest walk over ground of which each agent knows half of the costs.

Rules: every cell has an entry cost 1..9; walk from the top-left to the bottom-right cell in steps
up, down, left or right with the least sum of entry costs. The start's own cost is not paid.
Views: costs but those of the two ends are halved. View 1 shows digits, view 2 names of terrains
with a price list.
Answer: ``{"path": [[row, column], ...]}``.
Grade: optimal cost over the cost of the walk up to its first arrival, best of the sixteen
schemes; 0 for a walk that is broken, malformed or does not arrive.
Source: The Collaboration Tax, table 8.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.pairs.grids.cells import (
    HIDDEN,
    Rows,
    corners,
    neighbours,
    shared_by_both,
    shared_fault,
    split_cells,
    split_fault,
)
from coordgym.silo_env.pairs.grids.drawings import (
    CANONICAL_FRAME,
    FLIPPED_FRAME,
    compact_view,
    is_flipped,
    spaced,
)
from coordgym.silo_env.pairs.grids.schemes import Cell, CellReader, canonical_cell
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_cells
from coordgym.silo_env.pairs.shapes.drawn_walks import SplitWalk
from coordgym.silo_env.pairs.shapes.masked_grids import GridView, MaskedGridTask
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, Json, Seat

COSTS = "123456789"
NAMES = ("road", "grass", "sand", "scrub", "forest", "mud", "rubble", "swamp", "cliff")
"""Terrains by their cost, 1..9."""
NAME_WIDTH = 7
PALETTE = "11279"
"""Costs of the default instances: two extremes, so that a blind guess is expensive."""

SMALLEST, LARGEST = 3, 12
"""Cells per side."""

HEAD = (
    "Your cost map (number = cost of stepping ONTO that cell; start top-left, goal bottom-right; "
    "start cost is not paid):"
)
NAMED_HEAD = (
    "Your terrain map (entering a cell costs by its terrain: "
    + ", ".join(f"{name}={cost}" for cost, name in enumerate(NAMES, 1))
    + "; start top-left, goal bottom-right; the start cell is not paid):"
)
LEGEND = "Legend: ? not surveyed by you"


@dataclass(frozen=True, slots=True)
class TerrainConfig:
    """Difficulty of generated grounds.

    Attributes:
        n: Cells per side, 3..12.
        palette: Digits 1..9 from which costs are drawn with equal chance.
    """

    n: int = 6
    palette: str = PALETTE

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        if not isinstance(self.palette, str) or not set(self.palette) <= set(COSTS):
            raise ConfigError(f"palette must be digits 1..9, got {self.palette!r:.100}")
        if len(set(self.palette)) < 2:
            raise ConfigError("palette must hold two different costs")


class Terrain(MaskedGridTask[SplitWalk, TerrainConfig]):
    """The cheapest walk."""

    answer_fields = ("path",)
    takes_moves = True
    config_type = TerrainConfig
    instance_type = SplitWalk
    symbols = COSTS
    cell_words = dict(zip(NAMES, COSTS, strict=True))
    rule = (
        "A ground is drawn on a square grid, and entering a cell has a cost. Find a walk from the "
        "top-left to the bottom-right cell whose sum of entry costs is as small as possible. A "
        "step goes to the next cell up, down, left or right; every cell may be entered, and a "
        "cell that is entered again is paid again."
    )
    split = "Your map lacks about half of the costs; the other agent's map shows exactly those."
    compact_rule = (
        "ground: least sum of entry costs (4 directions) from top left to bottom right, start free"
    )
    form = '{"path": [[row, column], ...]}'
    note = '"path" lists the cells of the walk from start to goal{convention}.'

    def draw(self, config: TerrainConfig, rng: np.random.Generator) -> SplitWalk | None:
        """Draw independent costs."""
        n, palette = config.n, config.palette
        costs = rng.integers(len(palette), size=(n, n))
        grid = tuple("".join(palette[int(cost)] for cost in line) for line in costs)
        start, goal = (0, 0), (n - 1, n - 1)
        return SplitWalk(grid, start, goal, split_cells(n, n, (start, goal), rng))

    def fault(self, instance: SplitWalk) -> str | None:
        """Say what is wrong with the ground."""
        grid, start, goal = instance.grid, instance.start, instance.goal
        fault = split_fault(grid, instance.owner, COSTS, start=start, goal=goal)
        if fault is None and (start, goal) != corners(grid):
            return "start and goal must be the first and the last cell"
        return fault or shared_fault(instance.owner, start=start, goal=goal)

    def optimal_answers(self, instance: SplitWalk, limit: int) -> list[Answer]:
        """Return cheapest walks in lexicographic order."""
        grid, ahead = instance.grid, costs_to(instance.grid, instance.goal)
        around = neighbours(len(grid), len(grid[0]))
        answers: list[Answer] = []
        stack = [[instance.start]]
        while stack and len(answers) < limit:
            path = stack.pop()
            here = path[-1]
            if here == instance.goal:
                answers.append({"path": [list(cell) for cell in path]})
                continue
            best = [near for near in around[here] if ahead[near] + _cost(grid, near) == ahead[here]]
            stack.extend([*path, near] for near in sorted(best, reverse=True))
        return answers

    def score_in(
        self, instance: SplitWalk, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Return the optimal cost over the walk's cost."""
        grid = instance.grid
        cells = reader.cells(answer.get("path"), len(grid), len(grid[0]))
        cost = None if None in cells else walk_cost(instance, cells)
        optimum = costs_to(grid, instance.goal)[instance.start]
        return None if cost is None else Grade(optimum / cost)

    def of_grid(self, grid: Rows) -> SplitWalk:
        """Return the walk from corner to corner."""
        return SplitWalk(grid, *corners(grid), shared_by_both(grid))

    def draw_hidden(self, drawn: str, rng: np.random.Generator) -> list[str]:
        """Draw costs from the visible ones and the usual palette."""
        pool = drawn.replace(HIDDEN, "") + PALETTE
        return [pool[int(index)] for index in rng.integers(len(pool), size=drawn.count(HIDDEN))]

    def say(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Write digits for view 1, terrains for view 2."""
        grid, legend = view.grid, [] if view.whole else [LEGEND]
        if friction == 0 or seat == 1:
            frame = [CANONICAL_FRAME] if friction == 0 else []
            return "\n".join([HEAD, spaced(grid), *legend, *frame])
        rows = grid[::-1] if is_flipped(seat, friction) else grid
        frame = [FLIPPED_FRAME] if is_flipped(seat, friction) else []
        named = [" | ".join(f"{_name(cost):<{NAME_WIDTH}}" for cost in line) for line in rows]
        return "\n".join([NAMED_HEAD, *named, *legend, *frame])

    def say_compact(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Write the digits without blanks."""
        return compact_view("costs", view.grid, seat, friction)

    def check_steps(self, instance: SplitWalk, answer: Answer) -> list[str]:
        """Return the cost of every cell of a canonical walk, and their sum."""
        path = answer.get("path")
        cells = [canonical_cell(entry) for entry in path] if isinstance(path, list) else []
        known = neighbours(len(instance.grid), len(instance.grid[0]))
        entered = [cell for cell in cells if cell and cell in known and cell != instance.start]
        costs = [_cost(instance.grid, cell) for cell in entered]
        steps = [
            f"({cell[0]},{cell[1]}) costs {cost}, ok"
            for cell, cost in zip(entered, costs, strict=True)
        ]
        return [*steps, f"{' + '.join(map(str, costs))} = {sum(costs)}"]

    def free_text_answer(self, instance: SplitWalk, messages: Sequence[str]) -> Answer | None:
        """Read the last run of coordinates, else the moves agreed one by one."""
        cells = free_text_cells(messages)
        return agreed_moves(messages) if cells is None else {"path": cells}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw random steps right and down on a ground of default size."""
        n = TerrainConfig().n
        row, column = 0, 0
        path: list[Json] = [[0, 0]]
        for right in rng.random(2 * (n - 1)) < 0.5:
            row, column = (row, column + 1) if right else (row + 1, column)
            path.append([row, column])
        return {"path": path}


@lru_cache(maxsize=16)
def costs_to(grid: Rows, goal: Cell) -> Mapping[Cell, int]:
    """Return the least sum of entry costs from every cell to the goal (Dijkstra)."""
    around = neighbours(len(grid), len(grid[0]))
    costs: dict[Cell, int] = {}
    queue = [(0, goal)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell in costs:
            continue
        costs[cell] = cost
        entry = _cost(grid, cell)
        for near in around[cell]:
            if near not in costs:
                heapq.heappush(queue, (cost + entry, near))
    return costs


def walk_cost(instance: SplitWalk, cells: Iterable[Cell | None]) -> int | None:
    """Add up entry costs up to the first arrival; None for a walk that is no walk."""
    grid = instance.grid
    around = neighbours(len(grid), len(grid[0]))
    position, cost = instance.start, 0
    for cell in cells:
        if cell == position:
            continue
        if cell is None or cell not in around[position]:
            return None
        position, cost = cell, cost + _cost(grid, cell)
        if position == instance.goal:
            return cost
    return None


def _cost(grid: Rows, cell: Cell) -> int:
    return int(grid[cell[0]][cell[1]])


def _name(symbol: str) -> str:
    return HIDDEN if symbol == HIDDEN else NAMES[int(symbol) - 1]

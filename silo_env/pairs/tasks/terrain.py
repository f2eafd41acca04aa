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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.pairs.grids.cells import (
    HIDDEN,
    Rows,
    facts_rows,
    fill,
    mask,
    neighbours,
    overlay,
    read_ends,
    read_split_grid,
    require_shared,
    shared_by_both,
    split_cells,
)
from coordgym.silo_env.pairs.grids.drawings import (
    CANONICAL_FRAME,
    FLIPPED_FRAME,
    compact_view,
    is_flipped,
    read_drawing,
    spaced,
)
from coordgym.silo_env.pairs.grids.schemes import (
    CANONICAL,
    SCHEMES,
    Cell,
    WrittenCell,
    axis_names,
    decode,
    one_convention,
    read_cell,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_cells
from coordgym.silo_env.pairs.shapes.grid_walks import canonical_cell
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, PairTask, Seat

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


@dataclass(frozen=True, slots=True)
class TerrainInstance:
    """A ground and its split.

    Attributes:
        grid: Rows of digits 1..9.
        start: The top-left cell.
        goal: The bottom-right cell.
        owner: For each cell "1" or "2", the view that shows it, or "b" for both.
    """

    grid: Rows
    start: Cell
    goal: Cell
    owner: Rows


class Terrain(PairTask[TerrainInstance, TerrainConfig]):
    """The cheapest walk."""

    name = "terrain"
    title = "Terrain"
    category = "spatial"
    answer_fields = ("path",)
    uses_schemes = True
    takes_moves = True
    masks = True
    config_type = TerrainConfig
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
    compact_split = "the other agent sees your ? cells"

    def draw(self, config: TerrainConfig, rng: np.random.Generator) -> TerrainInstance | None:
        """Independent costs."""
        n, palette = config.n, config.palette
        costs = rng.integers(len(palette), size=(n, n))
        grid = tuple("".join(palette[int(cost)] for cost in line) for line in costs)
        start, goal = (0, 0), (n - 1, n - 1)
        return TerrainInstance(grid, start, goal, split_cells(n, n, (start, goal), rng))

    def read_instance(self, given: Mapping[str, object]) -> TerrainInstance:
        """Check a ground given as JSON: grid, start, goal, owner."""
        grid, owner = read_split_grid(given, COSTS)
        start, goal = read_ends(given, grid)
        if start != (0, 0) or goal != (len(grid) - 1, len(grid[0]) - 1):
            raise InstanceError("start and goal must be the first and the last cell")
        require_shared(owner, start=start, goal=goal)
        return TerrainInstance(grid, start, goal, owner)

    def solve(self, instance: TerrainInstance) -> Answer:
        """The lexicographically smallest cheapest walk."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: TerrainInstance, limit: int) -> list[Answer]:
        """Cheapest walks in lexicographic order."""
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

    def grade(
        self, instance: TerrainInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Optimal cost over the walk's cost, best of the schemes."""
        path = answer.get("path") if isinstance(answer, Mapping) else None
        if not isinstance(path, list | tuple) or not path:
            return Grade(0.0)
        written: list[WrittenCell] = []
        for entry in path:
            cell = read_cell(entry)
            if cell is None:
                return Grade(0.0)
            written.append(cell)
        optimum = costs_to(instance.grid, instance.goal)[instance.start]
        height, width = len(instance.grid), len(instance.grid[0])
        best = Grade(0.0)
        for scheme in SCHEMES if search_schemes else CANONICAL:
            cost = walk_cost(instance, [decode(cell, scheme, height, width) for cell in written])
            if cost is not None and optimum / cost > best.score:
                best = Grade(optimum / cost, scheme=scheme.number)
        return best

    def facts(self, instance: TerrainInstance, seat: Seat | None) -> Facts:
        """The known costs, "?" for the others."""
        grid = instance.grid if seat is None else mask(instance.grid, instance.owner, seat)
        return {"grid": list(grid)}

    def merge(self, views: Sequence[Facts]) -> TerrainInstance | None:
        """Lay the maps over each other; None if a cost stays hidden."""
        grid = overlay([facts_rows(view) for view in views])
        if grid is None or any(HIDDEN in line for line in grid):
            return None
        goal = (len(grid) - 1, len(grid[0]) - 1)
        return TerrainInstance(grid, (0, 0), goal, shared_by_both(grid))

    def complete(
        self, instance: TerrainInstance, seat: Seat, rng: np.random.Generator
    ) -> TerrainInstance:
        """Redraw the costs that a view hides from those that it shows."""
        return replace(self.guess(self.facts(instance, seat), rng), owner=instance.owner)

    def guess(self, facts: Facts, rng: np.random.Generator) -> TerrainInstance:
        """Draw each hidden cost from the visible ones and the usual palette."""
        view = facts_rows(facts)
        drawn = "".join(view)
        pool = drawn.replace(HIDDEN, "") + PALETTE
        chosen = rng.integers(len(pool), size=drawn.count(HIDDEN))
        grid = fill(view, [pool[int(index)] for index in chosen])
        goal = (len(grid) - 1, len(grid[0]) - 1)
        return TerrainInstance(grid, (0, 0), goal, shared_by_both(grid))

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Digits for view 1, terrains for view 2."""
        grid = facts_rows(facts)
        legend = [LEGEND] if HIDDEN in "".join(grid) else []
        if friction == 0 or seat == 1:
            frame = [CANONICAL_FRAME] if friction == 0 else []
            return "\n".join([HEAD, spaced(grid), *legend, *frame])
        rows = grid[::-1] if is_flipped(seat, friction) else grid
        frame = [FLIPPED_FRAME] if is_flipped(seat, friction) else []
        named = [" | ".join(f"{_name(cost):<{NAME_WIDTH}}" for cost in line) for line in rows]
        return "\n".join([NAMED_HEAD, *named, *legend, *frame])

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The digits without blanks."""
        return compact_view("costs", facts_rows(facts), seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read the last map of digits in a text."""
        grid = read_drawing(text, COSTS + HIDDEN)
        return None if grid is None else {"grid": list(grid)}

    def answer_form(self, friction: Friction) -> str:
        """Cells in walking order."""
        cell = f"[{axis_names(friction)}]"
        return f'{{"path": [{cell}, ...]}}'

    def answer_note(self, friction: Friction) -> str:
        """Only friction 0 fixes the convention."""
        convention = one_convention(friction)
        return f'"path" lists the cells of the walk from start to goal{convention}.'

    def check_steps(self, instance: TerrainInstance, answer: Answer) -> list[str]:
        """The cost of every cell of a canonical walk, and their sum."""
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

    def free_text_answer(self, instance: TerrainInstance, messages: Sequence[str]) -> Answer | None:
        """The last run of coordinates, else the moves agreed one by one."""
        cells = free_text_cells(messages)
        return agreed_moves(messages) if cells is None else {"path": cells}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Random steps right and down on a ground of default size."""
        n = TerrainConfig().n
        row, column = 0, 0
        path: list[Json] = [[0, 0]]
        for right in rng.random(2 * (n - 1)) < 0.5:
            row, column = (row, column + 1) if right else (row + 1, column)
            path.append([row, column])
        return {"path": path}


def costs_to(grid: Rows, goal: Cell) -> dict[Cell, int]:
    """The least sum of entry costs from every cell to the goal (Dijkstra)."""
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


def walk_cost(instance: TerrainInstance, cells: Sequence[Cell]) -> int | None:
    """The sum of entry costs up to the first arrival; None for a walk that is no walk."""
    grid = instance.grid
    around = neighbours(len(grid), len(grid[0]))
    position, cost = instance.start, 0
    for cell in cells:
        if cell == position:
            continue
        if cell not in around[position]:
            return None
        position, cost = cell, cost + _cost(grid, cell)
        if position == instance.goal:
            return cost
    return None


def _cost(grid: Rows, cell: Cell) -> int:
    return int(grid[cell[0]][cell[1]])


def _name(symbol: str) -> str:
    return HIDDEN if symbol == HIDDEN else NAMES[int(symbol) - 1]

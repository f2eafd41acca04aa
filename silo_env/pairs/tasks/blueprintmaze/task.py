"""``blueprintmaze``: a maze whose plan is torn into a left and a right sheet.

Rules: as ``maze``; the start @ lies on the left sheet, the goal * on the right one.
Views: view 1 is the left sheet, view 2 the right one, each cropped, so that column numbers of
the two sheets collide; at friction 2 the right sheet is upside down and labelled from 1.
Answer: ``{"path": [[row, column], ...]}`` on the whole blueprint, or ``{"moves": [...]}``.
Grade: the score of ``grids/paths.py``, best of the sixteen coordinate schemes.
Source: The Collaboration Tax, case E.4 and table 8.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    OPEN,
    START,
    WALL,
    Rows,
    cells_fault,
    find,
    grid_fault,
    hidden_wall_rate,
    open_moves,
    random_walls,
    set_cells,
)
from coordgym.silo_env.pairs.grids.drawings import (
    CANONICAL_FRAME,
    COMPACT_FLIPPED,
    is_flipped,
    read_drawing,
    spaced,
    spaced_flipped,
)
from coordgym.silo_env.pairs.grids.paths import reachable
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import (
    Board,
    GridPathTask,
    drawn_ends_fault,
    make_board,
)
from coordgym.silo_env.pairs.task import Friction, Seat

SYMBOLS = START + GOAL + OPEN + WALL
LEFT, RIGHT, WHOLE = "left", "right", "whole"

SMALLEST, LARGEST = 4, 12
"""Cells per side."""
GUESSES = 2000
"""Draws of a hidden sheet before it is taken to have no walls."""

LEGEND = "Legend: @ start, * goal, . path, # wall"
TORN = " (an endpoint missing from your sheet is on the other sheet)"
UPSIDE_DOWN = (
    "\nThis sheet is printed upside down: its first line is the bottom row, y=1, and x counts the "
    "columns of this sheet from 1. Up means towards larger y."
)


@dataclass(frozen=True, slots=True)
class BlueprintMazeConfig:
    """Difficulty of generated blueprints.

    Attributes:
        n: Cells per side, 4..12; the left sheet has the larger half of the columns.
        p_wall: Chance of a cell to be a wall, 0..1.
        min_length: Fewest moves of the shortest walk.
    """

    n: int = 7
    p_wall: float = 0.3
    min_length: int = 5

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        require_int("min_length", self.min_length, 1, self.n * self.n)


@dataclass(frozen=True, slots=True)
class BlueprintMazeInstance:
    """A square maze and the column at which it is torn.

    Attributes:
        grid: Rows over "@*.#".
        start: The cell of @, left of the cut.
        goal: The cell of *, right of the cut.
        cut: The first column of the right sheet.
    """

    grid: Rows
    start: Cell
    goal: Cell
    cut: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of the blueprint: "left" or "right", or the "whole" of it."""

    part: str
    grid: Rows


class BlueprintMaze(GridPathTask[BlueprintMazeInstance, BlueprintMazeConfig, Sheet]):
    """The torn maze."""

    config_type = BlueprintMazeConfig
    instance_type = BlueprintMazeInstance
    view_type = Sheet
    reader = "coordgym.silo_env.pairs.tasks.blueprintmaze.reader:BlueprintReader"
    hides_endpoints = True
    rule = (
        "A maze is drawn on a square blueprint that was torn from top to bottom into two sheets. "
        "Find a walk from the start @ to the goal * that takes as few steps as possible. A step "
        "goes to the next cell up, down, left or right, also across the tear; walls can't be "
        "entered. The answer refers to the whole blueprint."
    )
    split = "You have one sheet and the other agent has the other."
    compact_rule = (
        "blueprint maze torn into a left and a right sheet: fewest steps (4 directions) from @ to "
        "*, # = wall, answer on the whole blueprint"
    )
    compact_split = "the other agent has the other sheet"

    def draw(
        self, config: BlueprintMazeConfig, rng: np.random.Generator
    ) -> BlueprintMazeInstance | None:
        """Draw walls and an endpoint on either sheet; kept if they are far enough apart."""
        n, cut = config.n, (config.n + 1) // 2
        start = int(rng.integers(n)), int(rng.integers(cut))
        goal = int(rng.integers(n)), int(rng.integers(cut, n))
        grid = set_cells(random_walls(n, n, config.p_wall, rng), {start: START, goal: GOAL})
        instance = BlueprintMazeInstance(grid, start, goal, cut)
        far_enough = self.board(instance).distance.get(start, 0) >= config.min_length
        return instance if far_enough else None

    def fault(self, instance: BlueprintMazeInstance) -> str | None:
        """Say what is wrong with the blueprint, or that no walk leads to the goal."""
        grid, start, goal, cut = instance.grid, instance.start, instance.goal, instance.cut
        fault = grid_fault("grid", grid, SYMBOLS, shape=(len(grid), len(grid)))
        fault = fault or cells_fault(grid, start=start, goal=goal)
        if fault is None and not 1 <= cut < len(grid):
            return f"cut must be 1..{len(grid) - 1}, got {cut!r:.40}"
        fault = fault or drawn_ends_fault(grid, start, goal)
        if fault is None and not start[1] < cut <= goal[1]:
            return "start must lie left of the cut and goal right of it"
        return fault or self.walk_fault(instance)

    def board(self, instance: BlueprintMazeInstance) -> Board:
        """Return the steps between cells that are no walls."""
        n = len(instance.grid)
        return make_board(n, n, instance.start, instance.goal, open_moves(instance.grid))

    def cell_note(self, instance: BlueprintMazeInstance, cell: Cell) -> str:
        """Say what the blueprint shows at a cell of a walk."""
        symbol = instance.grid[cell[0]][cell[1]]
        return {START: "is the start", GOAL: "is the goal, valid", OPEN: "is open"}[symbol]

    def view(self, instance: BlueprintMazeInstance, seat: Seat | None) -> Sheet:
        """Return one sheet, or the whole blueprint."""
        grid, cut = instance.grid, instance.cut
        if seat is None:
            return Sheet(WHOLE, grid)
        if seat == 1:
            return Sheet(LEFT, tuple(line[:cut] for line in grid))
        return Sheet(RIGHT, tuple(line[cut:] for line in grid))

    def join(self, views: Sequence[Sheet]) -> BlueprintMazeInstance | None:
        """Put the sheets side by side; None if one is missing or they don't fit."""
        sheets = {view.part: view.grid for view in views}
        if WHOLE in sheets:
            grid = sheets[WHOLE]
        elif LEFT in sheets and RIGHT in sheets:
            grid = tuple(a + b for a, b in zip(sheets[LEFT], sheets[RIGHT], strict=False))
        else:
            return None
        start, goal = find(grid, START), find(grid, GOAL)
        if start is None or goal is None:
            return None
        # The whole does not show where it is torn: in the middle, if the ends allow that.
        middle = min(max(start[1] + 1, (len(grid) + 1) // 2), goal[1])
        cut = middle if WHOLE in sheets else len(sheets[LEFT][0])
        return BlueprintMazeInstance(grid, start, goal, cut)

    def redraw(
        self,
        view: Sheet,
        rng: np.random.Generator,
        like: BlueprintMazeInstance | None = None,
    ) -> BlueprintMazeInstance | None:
        """Draw the other sheet, walls about as often as on this one, and its endpoint."""
        height, width = len(view.grid), len(view.grid) - len(view.grid[0])
        endpoint, part = (GOAL, RIGHT) if view.part == LEFT else (START, LEFT)

        def draw(rate: float) -> BlueprintMazeInstance | None:
            sheet = random_walls(height, width, rate, rng)
            cell = int(rng.integers(height)), int(rng.integers(width))
            return self.join([view, Sheet(part, set_cells(sheet, {cell: endpoint}))])

        rate = hidden_wall_rate("".join(view.grid))
        return first_accepted(lambda: draw(rate), _has_walk, GUESSES, lambda: draw(0.0))

    def say(self, view: Sheet, seat: Seat, friction: Friction) -> str:
        """Draw the sheet, say which part it is, and give the legend."""
        grid, whole, flipped = view.grid, view.part == WHOLE, is_flipped(seat, friction)
        share = "" if whole else f"{len(grid[0])} of "
        which = "the whole" if whole else f"the {view.part} part of the"
        head = f"Your sheet is {which} blueprint ({share}{len(grid)} columns):"
        drawing = spaced_flipped(grid) if flipped else spaced(grid)
        text = f"{head}\n{drawing}\n{LEGEND}{'' if whole else TORN}"
        if friction == 0:
            return f"{text}\n{CANONICAL_FRAME} Columns are those of the whole blueprint."
        return text + UPSIDE_DOWN if flipped else text

    def say_compact(self, view: Sheet, seat: Seat, friction: Friction) -> str:
        """Draw the sheet without blanks."""
        head = f"{view.part} sheet"
        if is_flipped(seat, friction):
            return "\n".join([f"{head}{COMPACT_FLIPPED} of the sheet:", *reversed(view.grid)])
        frame = ", cells (row,column) from 0 at top left of the whole" if friction == 0 else ""
        return "\n".join([f"{head}{frame}:", *view.grid])

    def hear(self, text: str) -> Sheet | None:
        """Read the last sheet of a text."""
        parts = re.findall(r"sheet is the (left|right|whole)\b", text)
        grid = read_drawing(text, SYMBOLS)
        return None if grid is None or not parts else Sheet(parts[-1], grid)


def _has_walk(instance: BlueprintMazeInstance) -> bool:
    return instance.goal in reachable(instance.start, open_moves(instance.grid))

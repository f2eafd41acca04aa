"""``maze``: a walk through a grid of which each agent sees half of the cells.

Rules: from start @ to goal * of an n x n grid in as few steps up, down, left or right as
possible, never through walls. The ends lie in opposite corners.
Views: every other cell is visible to exactly one agent, "?" to the other. Both drawings look
alike, so the pair has to settle on a coordinate convention; at friction 2 the second drawing is
upside down and labelled.
Answer: ``{"path": [[row, column], ...]}`` or ``{"moves": ["R", "D", ...]}``.
Grade: the score of ``grids/paths.py``, best of the sixteen coordinate schemes.
Source: The Collaboration Tax, appendix F (maze); Davidson et al. 2025.
"""

from dataclasses import dataclass

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    HIDDEN,
    OPEN,
    START,
    WALL,
    Rows,
    hidden_wall_rate,
    open_moves,
    random_walls,
    set_cells,
    split_cells,
)
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view
from coordgym.silo_env.pairs.grids.paths import Moves
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.drawn_walks import DrawnWalkTask, SplitWalk
from coordgym.silo_env.pairs.shapes.grid_walks import WalkLimits, make_board
from coordgym.silo_env.pairs.shapes.masked_grids import GridView
from coordgym.silo_env.pairs.task import Friction, Seat

SMALLEST, LARGEST = 3, 12
"""Cells per side."""

LEGEND = "Legend: @ start, * goal, . path, # wall"


@dataclass(frozen=True, slots=True)
class MazeConfig(WalkLimits):
    """Difficulty of generated mazes.

    Attributes:
        n: Cells per side, 3..12.
        p_wall: Chance of a cell to be a wall, 0..1.
        min_length: Fewest moves of the shortest walk; None: 2 (n - 1), that of an empty grid.
        max_optimal: Most shortest walks, at least 1.
    """

    n: int = 7
    p_wall: float = 0.35
    min_length: int | None = None
    max_optimal: int = 6

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        self.require_limits()


class Maze(DrawnWalkTask[MazeConfig]):
    """The maze task."""

    symbols = START + GOAL + OPEN + WALL
    config_type = MazeConfig
    rule = (
        "A maze is drawn on a square grid. Find a walk from the start @ to the goal * that takes "
        "as few steps as possible. A step goes to the next cell up, down, left or right; walls "
        "can't be entered."
    )
    split = "Your map hides about half of the cells; the other agent's map shows exactly those."
    compact_rule = "maze: fewest steps (4 directions) from @ to *, # = wall"

    def draw(self, config: MazeConfig, rng: np.random.Generator) -> SplitWalk | None:
        """Draw independent walls; kept if the goal is far enough and few walks are optimal."""
        n = config.n
        start, goal = (0, 0), (n - 1, n - 1)
        grid = set_cells(random_walls(n, n, config.p_wall, rng), {start: START, goal: GOAL})
        board = make_board(n, n, start, goal, open_moves(grid))
        if not config.allow(board):
            return None
        return SplitWalk(grid, start, goal, split_cells(n, n, (start, goal), rng))

    def legal_moves(self, grid: Rows) -> Moves[Cell]:
        """Return the steps between cells that are no walls."""
        return open_moves(grid)

    def draw_hidden(self, drawn: str, rng: np.random.Generator) -> list[str]:
        """Draw walls about as often as among the visible cells."""
        walls = rng.random(drawn.count(HIDDEN)) < hidden_wall_rate(drawn)
        return [WALL if wall else OPEN for wall in walls]

    def cell_note(self, instance: SplitWalk, cell: Cell) -> str:
        """Say what the map shows at a cell of a walk."""
        row, column = cell
        notes = {START: "is the start", GOAL: "is the goal, valid", OPEN: "is open"}
        return notes.get(instance.grid[row][column], "is a wall")

    def say(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Draw the map and its legend."""
        return drawn_view("Your map:", view.grid, LEGEND, seat, friction)

    def say_compact(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Draw the map without blanks."""
        return compact_view("map", view.grid, seat, friction)

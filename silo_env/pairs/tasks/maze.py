"""`maze`: a walk through a grid of which each agent sees half of the cells.

Rules: from start @ to goal * of an n x n grid in as few steps up, down, left or right as
possible, never through walls. The ends lie in opposite corners.
Views: every other cell is visible to exactly one agent, "?" to the other. Both drawings look
alike, so the pair has to settle on a coordinate convention; at friction 2 the second drawing is
upside down and labelled.
Answer: ``{"path": [[row, column], ...]}`` or ``{"moves": ["R", "D", ...]}``.
Grade: the path score of `paths.py`, best of the sixteen coordinate schemes.
Source: The Collaboration Tax, appendix F (maze); Davidson et al. 2025.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import InstanceError, require_int, require_probability
from coordgym.silo_env.pairs.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grid_paths import Board, GridPathTask, make_board
from coordgym.silo_env.pairs.grids import (
    BOTH,
    HIDDEN,
    Rows,
    facts_rows,
    fill,
    find,
    hidden_wall_rate,
    mask,
    open_moves,
    overlay,
    random_walls,
    refill,
    require_cell,
    require_rows,
    set_cells,
    shared_by_both,
    split_cells,
)
from coordgym.silo_env.pairs.paths import count_shortest_paths, reachable
from coordgym.silo_env.pairs.schemes import Cell
from coordgym.silo_env.pairs.task import Facts, Friction, Seat

START, GOAL, PATH, WALL = "@", "*", ".", "#"
SYMBOLS = START + GOAL + PATH + WALL

SMALLEST, LARGEST = 3, 12
"""Cells per side."""

LEGEND = "Legend: @ start, * goal, . path, # wall"


@dataclass(frozen=True, slots=True)
class MazeConfig:
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
        require_int("max_optimal", self.max_optimal, 1, 399)
        if self.min_length is not None:
            require_int("min_length", self.min_length, 1, self.n * self.n)

    @property
    def least_moves(self) -> int:
        """Fewest moves of the shortest walk."""
        return 2 * (self.n - 1) if self.min_length is None else self.min_length


@dataclass(frozen=True, slots=True)
class MazeInstance:
    """A maze and its split.

    Attributes:
        grid: Rows over "@*.#".
        start: The cell of @.
        goal: The cell of *.
        owner: For each cell "1" or "2", the view that shows it, or "b" for both.
    """

    grid: Rows
    start: Cell
    goal: Cell
    owner: Rows


class Maze(GridPathTask[MazeInstance, MazeConfig]):
    """The maze task."""

    name = "maze"
    title = "Maze"
    category = "spatial"
    config_type = MazeConfig
    rule = (
        "A maze is drawn on a square grid. Find a walk from the start @ to the goal * that takes "
        "as few steps as possible. A step goes to the next cell up, down, left or right; walls "
        "can't be entered."
    )
    split = "Your map hides about half of the cells; the other agent's map shows exactly those."
    compact_rule = "maze: fewest steps (4 directions) from @ to *, # = wall"
    compact_split = "the other agent sees your ? cells"

    def draw(self, config: MazeConfig, rng: np.random.Generator) -> MazeInstance | None:
        """Independent walls; kept if the goal is far enough and few walks are optimal."""
        n = config.n
        start, goal = (0, 0), (n - 1, n - 1)
        grid = set_cells(random_walls(n, n, config.p_wall, rng), {start: START, goal: GOAL})
        board = make_board(n, n, start, goal, open_moves(grid))
        if board.distance.get(start, 0) < config.least_moves:
            return None
        if count_shortest_paths(start, board.moves, board.distance) > config.max_optimal:
            return None
        return MazeInstance(grid, start, goal, split_cells(n, n, (start, goal), rng))

    def read_instance(self, given: Mapping[str, object]) -> MazeInstance:
        """Check a maze given as JSON: grid, start, goal, owner."""
        grid = require_rows("grid", given.get("grid"), SYMBOLS)
        owner = require_rows(
            "owner", given.get("owner"), f"12{BOTH}", shape=(len(grid), len(grid[0]))
        )
        start = require_cell("start", given.get("start"), grid)
        goal = require_cell("goal", given.get("goal"), grid)
        drawn = "".join(grid)
        if drawn.count(START) != 1 or drawn.count(GOAL) != 1:
            raise InstanceError("grid must hold @ and * once each")
        if find(grid, START) != start or find(grid, GOAL) != goal:
            raise InstanceError("start and goal must be the cells of @ and * in the grid")
        if any(owner[row][column] != BOTH for row, column in (start, goal)):
            raise InstanceError("owner must be 'b' at start and goal")
        instance = MazeInstance(grid, start, goal, owner)
        if start not in self.board(instance).distance:
            raise InstanceError("grid has no walk from start to goal")
        return instance

    def board(self, instance: MazeInstance) -> Board:
        """Steps between cells that are no walls."""
        grid = instance.grid
        moves = open_moves(grid)
        return make_board(len(grid), len(grid[0]), instance.start, instance.goal, moves)

    def cell_note(self, instance: MazeInstance, cell: Cell) -> str:
        """What the map shows at a cell of a walk."""
        row, column = cell
        notes = {START: "is the start", GOAL: "is the goal, valid", PATH: "is open"}
        return notes.get(instance.grid[row][column], "is a wall")

    def facts(self, instance: MazeInstance, seat: Seat | None) -> Facts:
        """The visible cells, "?" for the others."""
        grid = instance.grid if seat is None else mask(instance.grid, instance.owner, seat)
        return {"grid": list(grid)}

    def merge(self, views: Sequence[Facts]) -> MazeInstance | None:
        """Lay the drawings over each other; None if a cell stays hidden."""
        grid = overlay([facts_rows(view) for view in views])
        if grid is None or any(HIDDEN in line for line in grid):
            return None
        return _unsplit(grid)

    def complete(
        self, instance: MazeInstance, seat: Seat, rng: np.random.Generator
    ) -> MazeInstance:
        """Redraw the cells that a view hides; the view alone sets the chance of walls."""
        return replace(self.guess(self.facts(instance, seat), rng), owner=instance.owner)

    def guess(self, facts: Facts, rng: np.random.Generator) -> MazeInstance:
        """Make hidden cells walls about as often as visible ones are."""
        view = facts_rows(facts)
        start, goal = find(view, START), find(view, GOAL)
        if start is None or goal is None:
            raise ValueError("a view of the maze shows start and goal")
        drawn = "".join(view)
        hidden, rate = drawn.count(HIDDEN), hidden_wall_rate(drawn)
        grid = refill(
            view,
            lambda: [WALL if wall else PATH for wall in rng.random(hidden) < rate],
            lambda filled: _solvable(filled, start, goal),
        )
        grid = grid or fill(view, PATH * hidden)
        return MazeInstance(grid, start, goal, shared_by_both(grid))

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The drawing and its legend."""
        return drawn_view("Your map:", facts_rows(facts), LEGEND, seat, friction)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The drawing without blanks."""
        return compact_view("map", facts_rows(facts), seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read the last drawing of a text."""
        grid = read_drawing(text, SYMBOLS + HIDDEN)
        return None if grid is None else {"grid": list(grid)}


def _solvable(grid: Rows, start: Cell, goal: Cell) -> bool:
    """Whether an open walk joins two cells."""
    return goal in reachable(start, open_moves(grid))


def _unsplit(grid: Rows) -> MazeInstance | None:
    """A maze that nobody has to share; None if the drawing is no solvable maze."""
    start, goal = find(grid, START), find(grid, GOAL)
    if start is None or goal is None or not _solvable(grid, start, goal):
        return None
    return MazeInstance(grid, start, goal, shared_by_both(grid))

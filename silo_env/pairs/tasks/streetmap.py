"""``streetmap``: a city grid with buildings and one-way cells, its facts dealt unevenly.

Rules: from @ to * in as few steps up, down, left or right as possible; buildings # can't be
entered; a one-way cell ^ v < > may be entered from anywhere but left only along its arrow.
Views: all buildings belong to view 2, one-way cells are halved, open cells go to whichever view
has fewer cells. Bare drawings; at friction 2 the second is upside down, arrows included.
Answer: ``{"path": [[row, column], ...]}`` or ``{"moves": [...]}``.
Grade: the score of ``grids/paths.py``, best of the sixteen schemes; leaving a one-way cell against
its arrow and entering a cell from which * can't be reached are invalid moves.
Source: The Collaboration Tax, case E.1 and table 8.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import ConfigError, require_int, require_probability
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.grids.cells import (
    BOTH,
    GOAL,
    HIDDEN,
    OPEN,
    START,
    WALL,
    Rows,
    neighbours,
)
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, is_flipped
from coordgym.silo_env.pairs.grids.paths import Moves
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.drawn_walks import DrawnWalkTask, SplitWalk
from coordgym.silo_env.pairs.shapes.grid_walks import WalkLimits, make_board
from coordgym.silo_env.pairs.shapes.masked_grids import GridView
from coordgym.silo_env.pairs.task import Friction, Seat

BUILDING = WALL
ARROWS: Mapping[str, Cell] = {"^": (-1, 0), "v": (1, 0), "<": (0, -1), ">": (0, 1)}
"""One-way cells and the step by which they may be left."""
UPSIDE_DOWN = str.maketrans("^v", "v^")

SMALLEST, LARGEST = 4, 12
"""Cells per side."""
LEAST_BUILDINGS, LEAST_ARROWS = 1, 2

LEGEND = (
    "Legend: @ start, * goal, . open street, # building, ^ v < > one-way cell (may be left only in "
    "the arrow direction)"
)


@dataclass(frozen=True, slots=True)
class StreetMapConfig(WalkLimits):
    """Difficulty of generated cities.

    Attributes:
        n: Cells per side, 4..12.
        p_wall: Chance of a cell to be a building, 0..1.
        p_arrow: Chance of a cell to be one-way; together with p_wall at most 1.
        min_length: Fewest moves of the shortest walk; None: 2 (n - 1), that of an empty grid.
        max_optimal: Most shortest walks, at least 1.
    """

    n: int = 7
    p_wall: float = 0.16
    p_arrow: float = 0.30
    min_length: int | None = None
    max_optimal: int = 6

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        require_probability("p_arrow", self.p_arrow)
        if self.p_wall + self.p_arrow > 1:
            raise ConfigError(
                f"p_wall + p_arrow must be at most 1, got {self.p_wall + self.p_arrow}"
            )
        self.require_limits()


class StreetMap(DrawnWalkTask[StreetMapConfig]):
    """The one-way city."""

    symbols = START + GOAL + OPEN + BUILDING + "".join(ARROWS)
    walk_noun = "drive"
    config_type = StreetMapConfig
    rule = (
        "A city is drawn on a square grid. Find a drive from the start @ to the goal * that takes "
        "as few steps as possible. A step goes to the next cell up, down, left or right. "
        "Buildings can't be entered. A one-way cell may be entered from any side, but left only "
        "in the direction of its arrow."
    )
    split = "Your map lacks about half of the cells; the other agent's map shows exactly those."
    compact_rule = (
        "city: fewest steps (4 directions) from @ to *, # = building, ^ v < > can be left only "
        "along the arrow"
    )

    def draw(self, config: StreetMapConfig, rng: np.random.Generator) -> SplitWalk | None:
        """Draw independent cells; kept if the goal is far enough and few drives are optimal."""
        n = config.n
        chance = rng.random((n, n))
        arrow = rng.integers(len(ARROWS), size=(n, n))
        lines = [
            [_symbol(float(chance[r, c]), int(arrow[r, c]), config) for c in range(n)]
            for r in range(n)
        ]
        lines[0][0], lines[-1][-1] = START, GOAL
        grid = tuple("".join(line) for line in lines)
        start, goal = (0, 0), (n - 1, n - 1)
        drawn = "".join(grid)
        if drawn.count(BUILDING) < LEAST_BUILDINGS or _count_arrows(drawn) < LEAST_ARROWS:
            return None
        board = make_board(n, n, start, goal, street_moves(grid))
        if not config.allow(board):
            return None
        return SplitWalk(grid, start, goal, _deal(grid, rng))

    def legal_moves(self, grid: Rows) -> Moves[Cell]:
        """Return the steps that buildings and arrows allow."""
        return street_moves(grid)

    def draw_hidden(self, drawn: str, rng: np.random.Generator) -> list[str]:
        """Draw cells at the default rates, given that one view holds all buildings."""
        default, hidden = StreetMapConfig(), drawn.count(HIDDEN)
        # View 2 shows a building, so it hides none; view 1 shows none and hides them all.
        rates = replace(default, p_wall=0.0 if BUILDING in drawn else 2 * default.p_wall)
        chance, arrow = rng.random(hidden), rng.integers(len(ARROWS), size=hidden)
        return [_symbol(float(c), int(a), rates) for c, a in zip(chance, arrow, strict=True)]

    def cell_note(self, instance: SplitWalk, cell: Cell) -> str:
        """Say what the map shows at a cell of a drive."""
        symbol = instance.grid[cell[0]][cell[1]]
        notes = {START: "is the start", GOAL: "is the goal, valid", OPEN: "is open"}
        return notes.get(symbol, f"is one-way {symbol}, left along it, valid")

    def say(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Draw the map and its legend."""
        grid = _turned(view.grid, seat, friction)
        head = "Your street map:"
        return drawn_view(head, grid, LEGEND, seat, friction, hidden="not on your map")

    def say_compact(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Draw the map without blanks."""
        return compact_view("street map", _turned(view.grid, seat, friction), seat, friction)


def street_moves(grid: Rows) -> Moves[Cell]:
    """Return the steps that buildings and arrows allow."""
    around = neighbours(len(grid), len(grid[0]))
    moves: dict[Cell, tuple[Cell, ...]] = {}
    for row, line in enumerate(grid):
        for column, symbol in enumerate(line):
            if symbol == BUILDING:
                continue
            arrow = ARROWS.get(symbol)
            targets = (
                around[row, column] if arrow is None else ((row + arrow[0], column + arrow[1]),)
            )
            moves[row, column] = tuple(
                cell for cell in targets if cell in around and grid[cell[0]][cell[1]] != BUILDING
            )
    return moves


def _symbol(chance: float, arrow: int, rates: StreetMapConfig) -> str:
    """Return the kind of a cell whose uniform draws are given."""
    if chance < rates.p_wall:
        return BUILDING
    return list(ARROWS)[arrow] if chance < rates.p_wall + rates.p_arrow else OPEN


def _count_arrows(drawn: str) -> int:
    return sum(drawn.count(arrow) for arrow in ARROWS)


def _turned(grid: Rows, seat: Seat, friction: Friction) -> Rows:
    """Turn the arrows as they look upside down, where the grid is drawn so."""
    if not is_flipped(seat, friction):
        return grid
    return tuple(line.translate(UPSIDE_DOWN) for line in grid)


def _deal(grid: Rows, rng: np.random.Generator) -> Rows:
    """Deal buildings to view 2, half of the arrows to each, open cells to who has fewer."""
    cells = [(row, column) for row, line in enumerate(grid) for column in range(len(line))]
    owner = dict.fromkeys(cells, BOTH)
    arrows = [cell for cell in cells if grid[cell[0]][cell[1]] in ARROWS]
    owner |= dict(zip(arrows, balanced_owners(len(arrows), rng), strict=True))
    owner |= {cell: "2" for cell in cells if grid[cell[0]][cell[1]] == BUILDING}
    streets = [cell for cell in cells if grid[cell[0]][cell[1]] == OPEN]
    counts = {view: sum(whose == view for whose in owner.values()) for view in "12"}
    for index in rng.permutation(len(streets)):
        fewer = "1" if counts["1"] < counts["2"] else "2"
        if counts["1"] == counts["2"]:
            fewer = "12"[int(rng.integers(2))]
        owner[streets[int(index)]] = fewer
        counts[fewer] += 1
    return tuple(
        "".join(owner[row, column] for column in range(len(line))) for row, line in enumerate(grid)
    )

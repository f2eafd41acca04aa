"""Walks from @ to * over a drawing whose cells are dealt to the views.

What ``maze`` and ``streetmap`` share: each view draws its own cells, the other cells are hidden. A
task says which steps are legal, how hidden cells are redrawn and how a drawing is put.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from coordgym.silo_env.pairs.grids.cells import (
    HIDDEN,
    Rows,
    facts_rows,
    fill,
    find,
    mask,
    overlay,
    read_ends,
    read_split_grid,
    refill,
    require_shared,
    shared_by_both,
)
from coordgym.silo_env.pairs.grids.drawings import read_drawing
from coordgym.silo_env.pairs.grids.paths import Moves, reachable
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import (
    GOAL,
    OPEN,
    START,
    Board,
    GridPathTask,
    make_board,
    require_drawn_ends,
)
from coordgym.silo_env.pairs.task import ConfigT, Facts, Seat


@dataclass(frozen=True, slots=True)
class DrawnWalk:
    """A drawing and its split.

    Attributes:
        grid: Rows over the symbols of the task.
        start: The cell of @.
        goal: The cell of *.
        owner: For each cell "1" or "2", the view that shows it, or "b" for both.
    """

    grid: Rows
    start: Cell
    goal: Cell
    owner: Rows


class DrawnWalkTask(GridPathTask[DrawnWalk, ConfigT]):
    """A walk over a drawing of which each view hides the cells of the other one.

    Attributes:
        symbols: The symbols of all cells, with "." for an open one.
        ground: What is drawn, such as "maze".
    """

    category = "spatial"
    masks = True
    symbols: ClassVar[str]
    ground: ClassVar[str]

    @abstractmethod
    def legal_moves(self, grid: Rows) -> Moves[Cell]:
        """The steps between the cells of a complete drawing."""

    @abstractmethod
    def draw_hidden(self, view: str, rng: np.random.Generator) -> Sequence[str]:
        """Symbols for the hidden cells of a drawing, all its rows in one string."""

    def read_instance(self, given: Mapping[str, object]) -> DrawnWalk:
        """Check a drawing given as JSON: grid, start, goal, owner."""
        grid, owner = read_split_grid(given, self.symbols)
        start, goal = read_ends(given, grid)
        require_drawn_ends(grid, start, goal)
        require_shared(owner, start=start, goal=goal)
        return self.solvable(DrawnWalk(grid, start, goal, owner))

    def board(self, instance: DrawnWalk) -> Board:
        """The legal steps from @ to *."""
        grid = instance.grid
        moves = self.legal_moves(grid)
        return make_board(len(grid), len(grid[0]), instance.start, instance.goal, moves)

    def facts(self, instance: DrawnWalk, seat: Seat | None) -> Facts:
        """The visible cells, "?" for the others."""
        grid = instance.grid if seat is None else mask(instance.grid, instance.owner, seat)
        return {"grid": list(grid)}

    def merge(self, views: Sequence[Facts]) -> DrawnWalk | None:
        """Lay the drawings over each other; None if a cell stays hidden or there is no walk."""
        grid = overlay([facts_rows(view) for view in views])
        if grid is None or any(HIDDEN in line for line in grid):
            return None
        start, goal = find(grid, START), find(grid, GOAL)
        if start is None or goal is None or not self._leads(grid, start, goal):
            return None
        return DrawnWalk(grid, start, goal, shared_by_both(grid))

    def complete(self, instance: DrawnWalk, seat: Seat, rng: np.random.Generator) -> DrawnWalk:
        """Redraw the cells that a view hides, from nothing but the view."""
        return replace(self.guess(self.facts(instance, seat), rng), owner=instance.owner)

    def guess(self, facts: Facts, rng: np.random.Generator) -> DrawnWalk:
        """Redraw hidden cells until there is a walk; leave them open if there never is."""
        view = facts_rows(facts)
        start, goal = find(view, START), find(view, GOAL)
        if start is None or goal is None:
            raise ValueError(f"a view of the {self.ground} shows start and goal")
        drawn = "".join(view)
        grid = refill(
            view,
            lambda: self.draw_hidden(drawn, rng),
            lambda filled: self._leads(filled, start, goal),
        )
        grid = grid or fill(view, OPEN * drawn.count(HIDDEN))
        return DrawnWalk(grid, start, goal, shared_by_both(grid))

    def read_view(self, text: str) -> Facts | None:
        """Read the last drawing of a text."""
        grid = read_drawing(text, self.symbols + HIDDEN)
        return None if grid is None else {"grid": list(grid)}

    def _leads(self, grid: Rows, start: Cell, goal: Cell) -> bool:
        """Whether legal steps lead from one cell to the other."""
        return goal in reachable(start, self.legal_moves(grid))

"""Walks from @ to * over a drawing whose cells are dealt to the views.

What ``maze`` and ``streetmap`` share. A task says which steps are legal, how hidden cells are
redrawn and how a drawing is put.
"""

from abc import abstractmethod
from dataclasses import dataclass

from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    START,
    Rows,
    find,
    shared_by_both,
    shared_fault,
    split_fault,
)
from coordgym.silo_env.pairs.grids.paths import Moves, reachable
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import (
    Board,
    GridPathTask,
    drawn_ends_fault,
    make_board,
)
from coordgym.silo_env.pairs.shapes.masked_grids import GridView, MaskedGridTask
from coordgym.silo_env.pairs.task import ConfigT


@dataclass(frozen=True, slots=True)
class SplitWalk:
    """A grid, the ends of a walk and the split.

    Attributes:
        grid: Rows over the symbols of the task.
        start: Where the walk begins.
        goal: Where it ends.
        owner: For each cell "1" or "2", the view that shows it, or "b" for both.
    """

    grid: Rows
    start: Cell
    goal: Cell
    owner: Rows


class DrawnWalkTask(MaskedGridTask[SplitWalk, ConfigT], GridPathTask[SplitWalk, ConfigT, GridView]):
    """A walk over a drawing of which each view hides the cells of the other one."""

    instance_type = SplitWalk

    @abstractmethod
    def legal_moves(self, grid: Rows) -> Moves[Cell]:
        """Return the steps between the cells of a complete drawing."""

    def fault(self, instance: SplitWalk) -> str | None:
        """Say what is wrong with the drawing, or that no walk leads to the goal."""
        grid, start, goal = instance.grid, instance.start, instance.goal
        return (
            split_fault(grid, instance.owner, self.symbols, start=start, goal=goal)
            or drawn_ends_fault(grid, start, goal)
            or shared_fault(instance.owner, start=start, goal=goal)
            or self.walk_fault(instance)
        )

    def board(self, instance: SplitWalk) -> Board:
        """Return the legal steps from @ to *."""
        grid = instance.grid
        moves = self.legal_moves(grid)
        return make_board(len(grid), len(grid[0]), instance.start, instance.goal, moves)

    def of_grid(self, grid: Rows) -> SplitWalk | None:
        """Return the walk from @ to *; None if none leads there."""
        start, goal = find(grid, START), find(grid, GOAL)
        if start is None or goal is None or goal not in reachable(start, self.legal_moves(grid)):
            return None
        return SplitWalk(grid, start, goal, shared_by_both(grid))

"""Grids whose cells are dealt to the views: each view hides the cells of the other one."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.grids.cells import HIDDEN, OPEN, Rows, fill, mask, overlay
from coordgym.silo_env.pairs.grids.drawings import read_drawing
from coordgym.silo_env.pairs.shapes.grid_task import GridTask
from coordgym.silo_env.pairs.task import ConfigT, InstanceT, Seat


@dataclass(frozen=True, slots=True)
class GridView:
    """A grid with "?" for hidden cells."""

    grid: Rows

    @property
    def hidden(self) -> int:
        """How many cells it hides."""
        return "".join(self.grid).count(HIDDEN)

    @property
    def whole(self) -> bool:
        """Whether it hides nothing."""
        return self.hidden == 0


class MaskedGridTask(GridTask[InstanceT, ConfigT, GridView]):
    """A task about a grid half of whose cells are hidden from each view.

    Its instances have the fields ``grid`` and ``owner``.

    Attributes:
        symbols: The symbols of all cells.
        easiest: The symbol of all hidden cells if no draw is legal.
        cell_words: What cells are called besides "wall" and the like, with their symbols.
    """

    view_type = GridView
    masks = True
    compact_split = "the other agent sees your ? cells"
    symbols: ClassVar[str]
    easiest: ClassVar[str] = OPEN
    cell_words: ClassVar[Mapping[str, str]] = {}
    reader = "coordgym.silo_env.pairs.dialogue.readers.grid_atoms:drawn_reader"

    @abstractmethod
    def of_grid(self, grid: Rows) -> InstanceT | None:
        """Return the instance that a complete grid is, shared by both; None if it is illegal."""

    @abstractmethod
    def draw_hidden(self, drawn: str, rng: np.random.Generator) -> Sequence[str]:
        """Draw symbols for the hidden cells of a view, all its rows in one string."""

    def view(self, instance: InstanceT, seat: Seat | None) -> GridView:
        """Return the visible cells, "?" for the others."""
        split: Any = instance
        return GridView(split.grid if seat is None else mask(split.grid, split.owner, seat))

    def join(self, views: Sequence[GridView]) -> InstanceT | None:
        """Lay the grids over each other; None if a cell stays hidden."""
        grid = overlay([view.grid for view in views])
        return None if grid is None or not GridView(grid).whole else self.of_grid(grid)

    def redraw(
        self, view: GridView, rng: np.random.Generator, like: InstanceT | None = None
    ) -> InstanceT | None:
        """Draw hidden cells until the grid is legal."""
        drawn, easiest = "".join(view.grid), self.easiest * view.hidden
        found = first_accepted(
            lambda: self.of_grid(fill(view.grid, self.draw_hidden(drawn, rng))),
            last=lambda: self.of_grid(fill(view.grid, easiest)),
        )
        original: Any = like
        if found is None or like is None:
            return found
        return cast("InstanceT", replace(cast("Any", found), owner=original.owner))

    def hear(self, text: str) -> GridView | None:
        """Read the last drawing of a text."""
        grid = read_drawing(text, self.symbols + HIDDEN)
        return None if grid is None else GridView(grid)

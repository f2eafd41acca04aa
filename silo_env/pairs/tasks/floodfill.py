"""``floodfill``: which cells does water reach, on a site of which each agent sees half?

Rules: water starts at the leak @ and spreads up, down, left and right through open ground; dykes
# stop it. Name every cell that it reaches, the leak included.
Views: every cell but the leak is visible to exactly one agent; drawings as in ``maze``.
Answer: ``{"cells": [[row, column], ...]}``, in any order.
Grade: intersection over union of the sets, best of the coordinate schemes under which the leak
is in the answer; repeated cells count once, cells outside the grid are wrong members.
Source: The Collaboration Tax, table 8.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.grids.cells import (
    HIDDEN,
    OPEN,
    Rows,
    find,
    hidden_wall_rate,
    open_moves,
    random_walls,
    set_cells,
    shared_by_both,
    shared_fault,
    split_cells,
    split_fault,
)
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view
from coordgym.silo_env.pairs.grids.paths import path_json, reachable
from coordgym.silo_env.pairs.grids.schemes import Cell, CellReader, canonical_cell
from coordgym.silo_env.pairs.grids.walks_in_prose import free_text_cells
from coordgym.silo_env.pairs.shapes.masked_grids import GridView, MaskedGridTask
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, Seat

LEAK, DYKE = "@", "#"

SMALLEST, LARGEST = 3, 12
"""Cells per side."""
LONGEST_RANDOM_ANSWER = 12

LEGEND = "Legend: @ leak, . open ground, # dyke"
SPREAD = ". Water spreads from @ up, down, left, right through open ground."


@dataclass(frozen=True, slots=True)
class FloodFillConfig:
    """Difficulty of generated sites.

    Attributes:
        n: Cells per side, 3..12.
        p_wall: Chance of a cell to be a dyke, 0..1.
        least_cells: Smallest flooded region, at least 2.
        most_cells: Largest flooded region.
    """

    n: int = 6
    p_wall: float = 0.42
    least_cells: int = 8
    most_cells: int = 20

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        require_int("least_cells", self.least_cells, 2, self.n**2)
        require_int("most_cells", self.most_cells, self.least_cells, self.n**2)


@dataclass(frozen=True, slots=True)
class FloodFillInstance:
    """A site and its split.

    Attributes:
        grid: Rows over "@.#".
        start: The cell of the leak.
        owner: For each cell "1" or "2", the view that shows it, or "b" for both.
    """

    grid: Rows
    start: Cell
    owner: Rows


class FloodFill(MaskedGridTask[FloodFillInstance, FloodFillConfig]):
    """The flooding task."""

    answer_fields = ("cells",)
    config_type = FloodFillConfig
    instance_type = FloodFillInstance
    reader = "coordgym.silo_env.pairs.dialogue.readers.grid_atoms:walls_reader"
    symbols = LEAK + OPEN + DYKE
    rule = (
        "A site is drawn on a square grid. Water leaks in at @ and floods every cell that it can "
        "reach through open ground, going up, down, left and right; dykes stop it. Name all "
        "flooded cells, the leak included."
    )
    split = "Your map hides about half of the cells; the other agent's map shows exactly those."
    compact_rule = "flood: all cells reachable from @ (4 directions), @ included, # = dyke"
    form = '{"cells": [[row, column], ...]}'
    note = '"cells" lists the flooded cells in any order{convention}.'

    def draw(self, config: FloodFillConfig, rng: np.random.Generator) -> FloodFillInstance | None:
        """Draw independent dykes and a random leak; kept if the flood has the right size."""
        n = config.n
        start = int(rng.integers(n)), int(rng.integers(n))
        grid = set_cells(random_walls(n, n, config.p_wall, rng), {start: LEAK})
        if not config.least_cells <= len(_flood(grid, start)) <= config.most_cells:
            return None
        return FloodFillInstance(grid, start, split_cells(n, n, (start,), rng))

    def fault(self, instance: FloodFillInstance) -> str | None:
        """Say what is wrong with the site."""
        grid, start, owner = instance.grid, instance.start, instance.owner
        fault = split_fault(grid, owner, self.symbols, start=start)
        if fault is None and ("".join(grid).count(LEAK) != 1 or find(grid, LEAK) != start):
            return "grid must hold @ once, in the cell start"
        return fault or shared_fault(owner, start=start)

    def solve(self, instance: FloodFillInstance) -> Answer:
        """Return the flooded cells in reading order."""
        return {"cells": path_json(sorted(_flood(instance.grid, instance.start)))}

    def score_in(
        self, instance: FloodFillInstance, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Return intersection over union, where the answer has the leak."""
        grid, start = instance.grid, instance.start
        named = set(filter(None, reader.cells(answer.get("cells"), len(grid), len(grid[0]))))
        flooded = _flood(grid, start)
        return Grade(len(named & flooded) / len(named | flooded)) if start in named else None

    def of_grid(self, grid: Rows) -> FloodFillInstance | None:
        """Return the site; None if it has no leak."""
        start = find(grid, LEAK)
        return None if start is None else FloodFillInstance(grid, start, shared_by_both(grid))

    def draw_hidden(self, drawn: str, rng: np.random.Generator) -> list[str]:
        """Draw dykes about as often as among the visible cells."""
        dykes = rng.random(drawn.count(HIDDEN)) < hidden_wall_rate(drawn)
        return [DYKE if dyke else OPEN for dyke in dykes]

    def say(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Draw the map and its legend."""
        head = "Your map of the flooded site:"
        return drawn_view(head, view.grid, LEGEND, seat, friction, closing=SPREAD)

    def say_compact(self, view: GridView, seat: Seat, friction: Friction) -> str:
        """Draw the map without blanks."""
        return compact_view("map", view.grid, seat, friction)

    def check_steps(self, instance: FloodFillInstance, answer: Answer) -> list[str]:
        """Say what the map shows at each named cell."""
        cells = answer.get("cells")
        named = [canonical_cell(entry) for entry in cells] if isinstance(cells, list) else []
        notes = {LEAK: "is the leak, valid", OPEN: "is open and joined to the flood"}
        return [
            f"({cell[0]},{cell[1]}) {notes[instance.grid[cell[0]][cell[1]]]}"
            for cell in named
            if cell in _flood(instance.grid, instance.start)
        ]

    def free_text_answer(
        self, instance: FloodFillInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the cells of the last message that lists two or more."""
        cells = free_text_cells(messages)
        return None if cells is None else {"cells": cells}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a few random cells."""
        count = int(rng.integers(1, LONGEST_RANDOM_ANSWER + 1))
        cells = rng.integers(0, 6, size=(count, 2))
        return {"cells": [[int(row), int(column)] for row, column in cells]}


@lru_cache(maxsize=16)
def _flood(grid: Rows, start: Cell) -> frozenset[Cell]:
    """Return the cells that water reaches."""
    return frozenset(reachable(start, open_moves(grid)))

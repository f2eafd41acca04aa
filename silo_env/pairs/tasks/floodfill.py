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
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import InstanceError, require_int, require_probability
from coordgym.silo_env.pairs.grids.cells import (
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
    read_split_grid,
    require_cell,
    require_shared,
    set_cells,
    shared_by_both,
    split_cells,
)
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grids.paths import reachable
from coordgym.silo_env.pairs.grids.schemes import (
    CANONICAL,
    SCHEMES,
    Cell,
    axis_names,
    canonical_cell,
    decode,
    one_convention,
    read_cell,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import free_text_cells
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Seat

LEAK, OPEN, DYKE = "@", ".", "#"
SYMBOLS = LEAK + OPEN + DYKE

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


class FloodFill(WideTask[FloodFillInstance, FloodFillConfig]):
    """The flooding task."""

    answer_fields = ("cells",)
    reader = "coordgym.silo_env.pairs.dialogue.readers.grid_atoms:walls_reader"
    uses_schemes = True
    masks = True
    config_type = FloodFillConfig
    rule = (
        "A site is drawn on a square grid. Water leaks in at @ and floods every cell that it can "
        "reach through open ground, going up, down, left and right; dykes stop it. Name all "
        "flooded cells, the leak included."
    )
    split = "Your map hides about half of the cells; the other agent's map shows exactly those."
    compact_rule = "flood: all cells reachable from @ (4 directions), @ included, # = dyke"
    compact_split = "the other agent sees your ? cells"

    def draw(self, config: FloodFillConfig, rng: np.random.Generator) -> FloodFillInstance | None:
        """Independent dykes and a random leak; kept if the flood has the right size."""
        n = config.n
        start = int(rng.integers(n)), int(rng.integers(n))
        grid = set_cells(random_walls(n, n, config.p_wall, rng), {start: LEAK})
        if not config.least_cells <= len(_flood(grid, start)) <= config.most_cells:
            return None
        return FloodFillInstance(grid, start, split_cells(n, n, (start,), rng))

    def read_instance(self, given: Mapping[str, object]) -> FloodFillInstance:
        """Check a site given as JSON: grid, start, owner."""
        grid, owner = read_split_grid(given, SYMBOLS)
        start = require_cell("start", given.get("start"), grid)
        if "".join(grid).count(LEAK) != 1 or find(grid, LEAK) != start:
            raise InstanceError("grid must hold @ once, in the cell start")
        require_shared(owner, start=start)
        return FloodFillInstance(grid, start, owner)

    def solve(self, instance: FloodFillInstance) -> Answer:
        """The flooded cells in reading order."""
        flooded = sorted(_flood(instance.grid, instance.start))
        return {"cells": [list(cell) for cell in flooded]}

    def optimal_answers(self, instance: FloodFillInstance, limit: int) -> list[Answer]:
        """The one set."""
        return [self.solve(instance)][:limit]

    def grade(
        self, instance: FloodFillInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Intersection over union under the best scheme that has the leak in the answer."""
        cells = answer.get("cells") if isinstance(answer, Mapping) else None
        if not isinstance(cells, list | tuple):
            return Grade(0.0)
        written = {cell for entry in cells if (cell := read_cell(entry)) is not None}
        flooded = _flood(instance.grid, instance.start)
        height, width = len(instance.grid), len(instance.grid[0])
        best = Grade(0.0)
        for scheme in SCHEMES if search_schemes else CANONICAL:
            named = {decode(cell, scheme, height, width) for cell in written}
            if instance.start in named:
                score = len(named & flooded) / len(named | flooded)
                if score > best.score:
                    best = Grade(score, scheme=scheme.number)
        return best

    def facts(self, instance: FloodFillInstance, seat: Seat | None) -> Facts:
        """The visible cells, "?" for the others."""
        grid = instance.grid if seat is None else mask(instance.grid, instance.owner, seat)
        return {"grid": list(grid)}

    def merge(self, views: Sequence[Facts]) -> FloodFillInstance | None:
        """Lay the drawings over each other; None if a cell stays hidden."""
        grid = overlay([facts_rows(view) for view in views])
        start = None if grid is None else find(grid, LEAK)
        if grid is None or start is None or any(HIDDEN in line for line in grid):
            return None
        return FloodFillInstance(grid, start, shared_by_both(grid))

    def complete(
        self, instance: FloodFillInstance, seat: Seat, rng: np.random.Generator
    ) -> FloodFillInstance:
        """Redraw the cells that a view hides; the view alone sets the chance of dykes."""
        return replace(self.guess(self.facts(instance, seat), rng), owner=instance.owner)

    def guess(self, facts: Facts, rng: np.random.Generator) -> FloodFillInstance:
        """Make hidden cells dykes about as often as visible ones are."""
        view = facts_rows(facts)
        start, drawn = find(view, LEAK), "".join(view)
        if start is None:
            raise ValueError("a view of the site shows the leak")
        dykes = rng.random(drawn.count(HIDDEN)) < hidden_wall_rate(drawn)
        grid = fill(view, [DYKE if dyke else OPEN for dyke in dykes])
        return FloodFillInstance(grid, start, shared_by_both(grid))

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The drawing and its legend."""
        head = "Your map of the flooded site:"
        return drawn_view(head, facts_rows(facts), LEGEND, seat, friction, closing=SPREAD)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The drawing without blanks."""
        return compact_view("map", facts_rows(facts), seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read the last drawing of a text."""
        grid = read_drawing(text, SYMBOLS + HIDDEN)
        return None if grid is None else {"grid": list(grid)}

    def answer_form(self, friction: Friction) -> str:
        """The flooded cells."""
        cell = f"[{axis_names(friction)}]"
        return f'{{"cells": [{cell}, ...]}}'

    def answer_note(self, friction: Friction) -> str:
        """Only friction 0 fixes the convention."""
        convention = one_convention(friction)
        return f'"cells" lists the flooded cells in any order{convention}.'

    def check_steps(self, instance: FloodFillInstance, answer: Answer) -> list[str]:
        """What the map shows at each named cell."""
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
        """The cells of the last message that lists two or more."""
        cells = free_text_cells(messages)
        return None if cells is None else {"cells": cells}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """A few random cells."""
        count = int(rng.integers(1, LONGEST_RANDOM_ANSWER + 1))
        cells = rng.integers(0, 6, size=(count, 2))
        return {"cells": [[int(row), int(column)] for row, column in cells]}


def _flood(grid: Rows, start: Cell) -> set[Cell]:
    return reachable(start, open_moves(grid))

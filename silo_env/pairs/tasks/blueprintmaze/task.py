"""``blueprintmaze``: a maze whose plan is torn into a left and a right sheet.

Rules: as ``maze``; the start @ lies on the left sheet, the goal * on the right one.
Views: view 1 is the left sheet, view 2 the right one, each cropped, so that column numbers of
the two sheets collide; at friction 2 the right sheet is upside down and labelled from 1.
Answer: ``{"path": [[row, column], ...]}`` on the whole blueprint, or ``{"moves": [...]}``.
Grade: the path score of ``paths.py``, best of the sixteen coordinate schemes.
Source: The Collaboration Tax, case E.4 and table 8.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import InstanceError, require_int, require_probability
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    OPEN,
    START,
    Rows,
    facts_rows,
    find,
    hidden_wall_rate,
    open_moves,
    random_walls,
    read_ends,
    require_square,
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
    make_board,
    require_drawn_ends,
)
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Facts, Friction, Seat

SYMBOLS = START + GOAL + OPEN + "#"
LEFT, RIGHT, WHOLE = "left", "right", "whole"

SMALLEST, LARGEST = 4, 12
"""Cells per side."""
GUESSES = 2000
"""Draws of a hidden sheet before it is taken to have no walls."""

LEGEND = "Legend: @ start, * goal, . path, # wall"
TORN = " (an endpoint missing from your sheet is on the other sheet)"


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


class BlueprintMaze(
    WideTask[BlueprintMazeInstance, BlueprintMazeConfig],
    GridPathTask[BlueprintMazeInstance, BlueprintMazeConfig, Any],
):
    """The torn maze."""

    config_type = BlueprintMazeConfig
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
        """Independent walls, an endpoint on either sheet; kept if they are far enough apart."""
        n, cut = config.n, (config.n + 1) // 2
        start = int(rng.integers(n)), int(rng.integers(cut))
        goal = int(rng.integers(n)), int(rng.integers(cut, n))
        grid = set_cells(random_walls(n, n, config.p_wall, rng), {start: START, goal: GOAL})
        instance = BlueprintMazeInstance(grid, start, goal, cut)
        far_enough = self.board(instance).distance.get(start, 0) >= config.min_length
        return instance if far_enough else None

    def read_instance(self, given: Mapping[str, object]) -> BlueprintMazeInstance:
        """Check a blueprint given as JSON: grid, start, goal, cut."""
        grid = require_square("grid", given.get("grid"), SYMBOLS)
        start, goal = read_ends(given, grid)
        cut = given.get("cut")
        if isinstance(cut, bool) or not isinstance(cut, int) or not 1 <= cut < len(grid):
            raise InstanceError(f"cut must be 1..{len(grid) - 1}, got {cut!r:.40}")
        require_drawn_ends(grid, start, goal)
        if not start[1] < cut <= goal[1]:
            raise InstanceError("start must lie left of the cut and goal right of it")
        return self.solvable(BlueprintMazeInstance(grid, start, goal, cut))

    def board(self, instance: BlueprintMazeInstance) -> Board:
        """Steps between cells that are no walls."""
        n = len(instance.grid)
        return make_board(n, n, instance.start, instance.goal, open_moves(instance.grid))

    def cell_note(self, instance: BlueprintMazeInstance, cell: Cell) -> str:
        """What the blueprint shows at a cell of a walk."""
        symbol = instance.grid[cell[0]][cell[1]]
        return {START: "is the start", GOAL: "is the goal, valid", OPEN: "is open"}[symbol]

    def facts(self, instance: BlueprintMazeInstance, seat: Seat | None) -> Facts:
        """One sheet, or the whole blueprint."""
        cut = instance.cut
        if seat is None:
            return {"part": WHOLE, "grid": list(instance.grid)}
        if seat == 1:
            return {"part": LEFT, "grid": [line[:cut] for line in instance.grid]}
        return {"part": RIGHT, "grid": [line[cut:] for line in instance.grid]}

    def merge(self, views: Sequence[Facts]) -> BlueprintMazeInstance | None:
        """Put the sheets side by side; None if one is missing or they do not fit."""
        sheets = {str(view.get("part")): facts_rows(view) for view in views}
        if WHOLE in sheets:
            grid, cut = sheets[WHOLE], (len(sheets[WHOLE]) + 1) // 2
        elif LEFT in sheets and RIGHT in sheets:
            pairs = zip(sheets[LEFT], sheets[RIGHT], strict=False)
            grid, cut = tuple(a + b for a, b in pairs), len(sheets[LEFT][0])
        else:
            return None
        start, goal = find(grid, START), find(grid, GOAL)
        fits = all(len(line) == len(grid) for line in grid)
        if not fits or start is None or goal is None:
            return None
        solvable = goal in reachable(start, open_moves(grid))
        return BlueprintMazeInstance(grid, start, goal, cut) if solvable else None

    def complete(
        self, instance: BlueprintMazeInstance, seat: Seat, rng: np.random.Generator
    ) -> BlueprintMazeInstance:
        """Redraw the other sheet with its endpoint; the view alone sets the chance of walls."""
        return self.guess(self.facts(instance, seat), rng)

    def guess(self, facts: Facts, rng: np.random.Generator) -> BlueprintMazeInstance:
        """Make the other sheet's cells walls about as often as those of this sheet."""
        known = facts_rows(facts)
        height, width = len(known), len(known) - len(known[0])
        rate = hidden_wall_rate("".join(known))
        endpoint, part = (GOAL, RIGHT) if facts.get("part") == LEFT else (START, LEFT)
        for attempt in range(GUESSES + 1):
            sheet = random_walls(height, width, rate if attempt < GUESSES else 0.0, rng)
            cell = int(rng.integers(height)), int(rng.integers(width))
            other: Facts = {"part": part, "grid": list(set_cells(sheet, {cell: endpoint}))}
            instance = self.merge([facts, other])
            if instance is not None:
                return instance
        raise ValueError("the sheet closes its endpoint in: there is no walk to the other sheet")

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The sheet, which part it is, and the legend."""
        grid, part = facts_rows(facts), facts.get("part")
        flipped = is_flipped(seat, friction)
        share = "" if part == WHOLE else f"{len(grid[0])} of "
        which = "the whole" if part == WHOLE else f"the {part} part of the"
        head = f"Your sheet is {which} blueprint ({share}{len(grid)} columns):"
        drawing = spaced_flipped(grid) if flipped else spaced(grid)
        text = f"{head}\n{drawing}\n{LEGEND}{'' if part == WHOLE else TORN}"
        if friction == 0:
            return f"{text}\n{CANONICAL_FRAME} Columns are those of the whole blueprint."
        note = (
            "\nThis sheet is printed upside down: its first line is the bottom row, y=1, and x "
            "counts the columns of this sheet from 1. Up means towards larger y."
        )
        return text + note if flipped else text

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The sheet without blanks."""
        grid, part = facts_rows(facts), facts.get("part")
        head = f"{part} sheet"
        if is_flipped(seat, friction):
            return "\n".join([f"{head}{COMPACT_FLIPPED} of the sheet:", *reversed(grid)])
        frame = ", cells (row,column) from 0 at top left of the whole" if friction == 0 else ""
        return "\n".join([f"{head}{frame}:", *grid])

    def read_view(self, text: str) -> Facts | None:
        """Read the last sheet of a text."""
        parts = re.findall(r"sheet is the (left|right|whole)\b", text)
        grid = read_drawing(text, SYMBOLS)
        return None if grid is None or not parts else {"part": parts[-1], "grid": list(grid)}

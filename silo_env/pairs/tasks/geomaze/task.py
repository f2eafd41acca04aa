"""``geomaze``: a courtyard with thin walls between its cells, surveyed by direction.

Rules: from the top-left to the bottom-right cell of an n x n courtyard in as few steps up, down,
left or right as possible; a wall between two neighbouring cells blocks the step between them.
Views: view 1 knows every wall that blocks north-south movement, view 2 every wall that blocks
left-right movement. View 1 speaks of compass directions and counts rows and columns from 0, view
2 of left and right and counts x and y from 1 at the bottom left; both say so.
Answer: ``{"path": [[row, column], ...]}`` or ``{"moves": [...]}``.
Grade: the path score of ``paths.py``, best of the sixteen coordinate schemes.
Source: The Collaboration Tax, table 8 (name and answer type; the survey is this package's).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import InstanceError, require_int, require_probability
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    START,
    Rows,
    neighbours,
    require_cell,
    require_square,
)
from coordgym.silo_env.pairs.grids.drawings import CANONICAL_FRAME
from coordgym.silo_env.pairs.grids.paths import Moves
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import (
    Board,
    GridPathTask,
    make_board,
    read_corner_ends,
)
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Facts, Friction, Json, Seat

FREE = "."
SYMBOLS = START + GOAL + FREE
HORIZONTAL, VERTICAL = "horizontal", "vertical"
KINDS = (HORIZONTAL, VERTICAL)
"""Walls on the south side of a cell, known to view 1; on its east side, known to view 2."""

SMALLEST, LARGEST = 3, 12
"""Cells per side."""
DRAWS = 500
"""Draws of hidden walls before they are taken to be none."""


@dataclass(frozen=True, slots=True)
class GeoMazeConfig:
    """Difficulty of generated courtyards.

    Attributes:
        n: Cells per side, 3..12.
        p_wall: Chance of a wall between two neighbouring cells, 0..1.
        min_length: Fewest moves of the shortest walk; None: 2 (n - 1), that of a free courtyard.
    """

    n: int = 5
    p_wall: float = 0.38
    min_length: int | None = None

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        if self.min_length is not None:
            require_int("min_length", self.min_length, 1, self.n * self.n)

    @property
    def least_moves(self) -> int:
        """Fewest moves of the shortest walk."""
        return 2 * (self.n - 1) if self.min_length is None else self.min_length


@dataclass(frozen=True, slots=True)
class GeoMazeInstance:
    """A courtyard and its walls.

    Attributes:
        grid: Rows over "@*.", for the size and the ends.
        start: The cell of @, top left.
        goal: The cell of *, bottom right.
        hw: Cells with a wall on their south side.
        vw: Cells with a wall on their east side.
    """

    grid: Rows
    start: Cell
    goal: Cell
    hw: tuple[Cell, ...]
    vw: tuple[Cell, ...]


class GeoMaze(
    WideTask[GeoMazeInstance, GeoMazeConfig], GridPathTask[GeoMazeInstance, GeoMazeConfig, Any]
):
    """The surveyed courtyard."""

    config_type = GeoMazeConfig
    reader = "coordgym.silo_env.pairs.tasks.geomaze.reader:CourtyardReader"
    rule = (
        "A square courtyard of open cells has thin walls between some neighbouring cells. Find a "
        "walk that takes as few steps as possible. A step goes to the next cell to the north, "
        "south, west or east, and never through a wall."
    )
    split = "You surveyed one kind of walls; the other agent surveyed the other kind."
    compact_rule = (
        "courtyard: fewest steps (4 directions) from top left to bottom right, walls between cells"
    )
    compact_split = "the other agent knows the walls of the other kind"

    def draw(self, config: GeoMazeConfig, rng: np.random.Generator) -> GeoMazeInstance | None:
        """Independent walls; kept if both kinds exist and the goal is far enough."""
        n = config.n
        instance = _courtyard(n, _walls(n, HORIZONTAL, config.p_wall, rng),
                              _walls(n, VERTICAL, config.p_wall, rng))  # fmt: skip
        if not instance.hw or not instance.vw:
            return None
        far_enough = self.board(instance).distance.get((0, 0), 0) >= config.least_moves
        return instance if far_enough else None

    def read_instance(self, given: Mapping[str, object]) -> GeoMazeInstance:
        """Check a courtyard given as JSON: grid, start, goal, hw, vw."""
        grid = require_square("grid", given.get("grid"), SYMBOLS)
        start, goal = read_corner_ends(given, grid)
        walls: dict[str, tuple[Cell, ...]] = {}
        for name, kind in (("hw", HORIZONTAL), ("vw", VERTICAL)):
            cells = given.get(name)
            if not isinstance(cells, list | tuple):
                raise InstanceError(f"{name} must be a list of cells")
            walls[name] = tuple(require_cell(name, cell, grid) for cell in cells)
            if not set(walls[name]) <= set(_places(len(grid), kind)):
                raise InstanceError(f"{name} must name cells that have a neighbour on that side")
        instance = GeoMazeInstance(grid, start, goal, walls["hw"], walls["vw"])
        if start not in self.board(instance).distance:
            raise InstanceError("the walls leave no walk from start to goal")
        return instance

    def board(self, instance: GeoMazeInstance) -> Board:
        """Steps that no wall blocks."""
        n = len(instance.grid)
        return make_board(n, n, instance.start, instance.goal, _moves(instance))

    def cell_note(self, instance: GeoMazeInstance, cell: Cell) -> str:
        """That the step onto a cell crosses no wall."""
        return "is the start" if cell == instance.start else "is free, no wall on the way, valid"

    def facts(self, instance: GeoMazeInstance, seat: Seat | None) -> Facts:
        """The walls of one kind, or of both."""
        n = len(instance.grid)
        if seat is None:
            both = {HORIZONTAL: _json(instance.hw), VERTICAL: _json(instance.vw)}
            return {"n": n, "kind": "both", **both}
        walls = instance.hw if seat == 1 else instance.vw
        return {"n": n, "walls": _json(walls), "kind": KINDS[seat - 1]}

    def merge(self, views: Sequence[Facts]) -> GeoMazeInstance | None:
        """Join the two surveys; None if a kind of walls is missing."""
        walls: dict[str, list[Cell]] = {}
        for view in views:
            for kind in KINDS:
                if view.get("kind") in (kind, "both"):
                    walls[kind] = _cells(view.get("walls" if "walls" in view else kind))
        sizes = {view.get("n") for view in views}
        n = sizes.pop()
        if sizes or not isinstance(n, int) or len(walls) < len(KINDS):
            return None
        instance = _courtyard(n, walls[HORIZONTAL], walls[VERTICAL])
        return instance if (0, 0) in self.board(instance).distance else None

    def complete(
        self, instance: GeoMazeInstance, seat: Seat, rng: np.random.Generator
    ) -> GeoMazeInstance:
        """Redraw the walls of the other kind, from what the view shows."""
        return self.guess(self.facts(instance, seat), rng)

    def guess(self, facts: Facts, rng: np.random.Generator) -> GeoMazeInstance:
        """Draw the other kind of walls about as densely as the known kind."""
        n, known = facts["n"], _cells(facts.get("walls"))
        if not isinstance(n, int):
            raise ValueError("a view of the courtyard states its size")
        kind = VERTICAL if facts["kind"] == HORIZONTAL else HORIZONTAL
        rate = (len(known) + 1) / (n * (n - 1) + 2)
        for attempt in range(DRAWS + 1):
            drawn = _walls(n, kind, rate if attempt < DRAWS else 0.0, rng)
            pair = (known, drawn) if kind == VERTICAL else (drawn, known)
            instance = _courtyard(n, *pair)
            if (0, 0) in self.board(instance).distance:
                return instance
        raise ValueError("the known walls leave no walk from start to goal")

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The survey in the words of the seat."""
        kinds = KINDS if facts["kind"] == "both" else (str(facts["kind"]),)
        plain = friction == 0 or seat == 1
        parts = []
        for kind in kinds:
            walls = _cells(facts.get("walls" if "walls" in facts else kind))
            survey = _compass_survey if plain else _square_survey
            parts.append(survey(int(str(facts["n"])), kind, walls, whole=len(kinds) > 1))
        text = "\n".join(parts)
        return f"{text}\n{CANONICAL_FRAME}" if friction == 0 else text

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Cells with a wall on one side, in the frame of the seat."""
        n = int(str(facts["n"]))
        kinds = KINDS if facts["kind"] == "both" else (str(facts["kind"]),)
        lines = []
        for kind in kinds:
            walls = _cells(facts.get("walls" if "walls" in facts else kind))
            if friction == 0 or seat == 1:
                side, frame = ("south", "east")[kind == VERTICAL], "(row,column) from 0 at NW"
                cells = walls
            else:
                side, frame = ("bottom", "right")[kind == VERTICAL], "(x,y) from 1 at bottom left"
                cells = [(column + 1, n - row) for row, column in walls]
            listed = " ".join(f"{a},{b}" for a, b in cells)
            lines.append(f"{n}x{n}, cells {frame}, wall on {side} side of: {listed}")
        return "\n".join(lines)

    def read_view(self, text: str) -> Facts | None:
        """Read a survey in compass words."""
        size = re.search(r"a (\d{1,2})x\1 courtyard", text)
        kind = re.search(r"every wall that blocks (north-south|west-east) movement", text)
        if size is None or kind is None:
            return None
        side = "south" if kind[1] == "north-south" else "east"
        found = re.findall(rf"on the {side} side of row (\d{{1,2}}), column (\d{{1,2}})", text)
        walls: list[Json] = [[int(row), int(column)] for row, column in found]
        return {"n": int(size[1]), "walls": walls, "kind": KINDS[side == "east"]}


def _places(n: int, kind: str) -> list[Cell]:
    """The cells that may have a wall of a kind."""
    rows, columns = (n - 1, n) if kind == HORIZONTAL else (n, n - 1)
    return [(row, column) for row in range(rows) for column in range(columns)]


def _walls(n: int, kind: str, rate: float, rng: np.random.Generator) -> list[Cell]:
    places = _places(n, kind)
    built = rng.random(len(places)) < rate
    return [place for place, wall in zip(places, built, strict=True) if wall]


def _courtyard(n: int, hw: Sequence[Cell], vw: Sequence[Cell]) -> GeoMazeInstance:
    lines = [FREE * n] * n
    lines[0], lines[-1] = START + FREE * (n - 1), FREE * (n - 1) + GOAL
    return GeoMazeInstance(tuple(lines), (0, 0), (n - 1, n - 1), tuple(hw), tuple(vw))


def _moves(instance: GeoMazeInstance) -> Moves[Cell]:
    n = len(instance.grid)
    blocked = {frozenset((cell, (cell[0] + 1, cell[1]))) for cell in instance.hw}
    blocked |= {frozenset((cell, (cell[0], cell[1] + 1))) for cell in instance.vw}
    return {
        cell: tuple(other for other in near if frozenset((cell, other)) not in blocked)
        for cell, near in neighbours(n, n).items()
    }


def _json(cells: Sequence[Cell]) -> list[Json]:
    return [list(cell) for cell in cells]


def _cells(value: Json) -> list[Cell]:
    """Cells of a view's facts."""
    cells: list[Cell] = []
    for entry in value if isinstance(value, list) else []:
        if isinstance(entry, list) and len(entry) == 2:
            row, column = entry
            if isinstance(row, int) and isinstance(column, int):
                cells.append((row, column))
    return cells


def _compass_survey(n: int, kind: str, walls: Sequence[Cell], *, whole: bool) -> str:
    """A survey in compass words, rows and columns from 0."""
    side, way = ("south", "north-south") if kind == HORIZONTAL else ("east", "west-east")
    only = "" if whole else " (and no other wall)"
    head = (
        f"Your survey sheet: a {n}x{n} courtyard, rows numbered 0-{n - 1} from north to south, "
        f"columns 0-{n - 1} from west to east. You enter at the north-west cell and must reach "
        f"the south-east cell. You surveyed every wall that blocks {way} movement{only}:"
    )
    return "\n".join(
        [head, *(f"- a wall on the {side} side of row {r}, column {c}" for r, c in walls)]
    )


def _square_survey(n: int, kind: str, walls: Sequence[Cell], *, whole: bool) -> str:
    """A survey in left and right, squares counted from 1 at the bottom left."""
    side, way = ("below", "up-down") if kind == HORIZONTAL else ("to the right of", "left-right")
    only = "" if whole else " (and no other wall)"
    head = (
        f"Your survey sheet: a {n}x{n} courtyard, x counted 1-{n} from the left, y counted 1-{n} "
        "from the bottom. You enter at the top-left square and must reach the bottom-right "
        f"square. You surveyed every wall that blocks {way} movement{only}:"
    )
    return "\n".join([head, *(f"- a wall {side} square x={c + 1}, y={n - r}" for r, c in walls)])

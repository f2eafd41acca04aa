"""``geomaze``: a courtyard with thin walls between its cells, surveyed by direction.

Rules: from the top-left to the bottom-right cell of an n x n courtyard in as few steps up, down,
left or right as possible; a wall between two neighbouring cells blocks the step between them.
Views: view 1 knows every wall that blocks north-south movement, view 2 every wall that blocks
left-right movement. View 1 speaks of compass directions and counts rows and columns from 0, view
2 of left and right and counts x and y from 1 at the bottom left; both say so.
Answer: ``{"path": [[row, column], ...]}`` or ``{"moves": [...]}``.
Grade: the score of ``grids/paths.py``, best of the sixteen coordinate schemes.
Source: The Collaboration Tax, table 8 (name and answer type; the survey is this package's).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    OPEN,
    START,
    Rows,
    corners,
    grid_fault,
    neighbours,
    set_cells,
)
from coordgym.silo_env.pairs.grids.drawings import CANONICAL_FRAME
from coordgym.silo_env.pairs.grids.paths import Moves
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import (
    Board,
    GridPathTask,
    corner_ends_fault,
    make_board,
)
from coordgym.silo_env.pairs.task import Friction, Seat

SYMBOLS = START + GOAL + OPEN
HORIZONTAL, VERTICAL = "horizontal", "vertical"
KINDS = (HORIZONTAL, VERTICAL)
"""Walls on the south side of a cell, known to view 1; on its east side, known to view 2."""
BOTH = "both"

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


@dataclass(frozen=True, slots=True)
class Survey:
    """The walls of one kind, or of both.

    Attributes:
        n: Cells per side.
        walls: Cells with a wall of the kind, if it is one.
        kind: "horizontal", "vertical" or "both".
        horizontal: Cells with a wall on their south side, if both kinds are known.
        vertical: Cells with a wall on their east side, if both kinds are known.
    """

    n: int
    walls: tuple[Cell, ...] | None = None
    kind: str = ""
    horizontal: tuple[Cell, ...] | None = None
    vertical: tuple[Cell, ...] | None = None

    @property
    def known(self) -> dict[str, tuple[Cell, ...]]:
        """The walls by their kind."""
        if self.kind == BOTH:
            return {HORIZONTAL: self.horizontal or (), VERTICAL: self.vertical or ()}
        return {self.kind: self.walls or ()}


class GeoMaze(GridPathTask[GeoMazeInstance, GeoMazeConfig, Survey]):
    """The surveyed courtyard."""

    config_type = GeoMazeConfig
    instance_type = GeoMazeInstance
    view_type = Survey
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
        """Draw independent walls; kept if both kinds exist and the goal is far enough."""
        n = config.n
        instance = _courtyard(n, _walls(n, HORIZONTAL, config.p_wall, rng),
                              _walls(n, VERTICAL, config.p_wall, rng))  # fmt: skip
        if not instance.hw or not instance.vw:
            return None
        far_enough = self.board(instance).distance.get((0, 0), 0) >= config.least_moves
        return instance if far_enough else None

    def fault(self, instance: GeoMazeInstance) -> str | None:
        """Say what is wrong with the courtyard, or that no walk leads to the goal."""
        grid, n = instance.grid, len(instance.grid)
        return (
            grid_fault("grid", grid, SYMBOLS, shape=(n, n))
            or corner_ends_fault(grid, instance.start, instance.goal)
            or _walls_fault("hw", instance.hw, n, HORIZONTAL)
            or _walls_fault("vw", instance.vw, n, VERTICAL)
            or self.walk_fault(instance)
        )

    def walk_fault(self, instance: GeoMazeInstance) -> str | None:
        """Say that no walk leads to the goal, if none does."""
        fault = super().walk_fault(instance)
        return fault and "the walls leave no walk from start to goal"

    def board(self, instance: GeoMazeInstance) -> Board:
        """Return the steps that no wall blocks."""
        n = len(instance.grid)
        return make_board(n, n, instance.start, instance.goal, _moves(instance))

    def cell_note(self, instance: GeoMazeInstance, cell: Cell) -> str:
        """Say that the step onto a cell crosses no wall."""
        return "is the start" if cell == instance.start else "is free, no wall on the way, valid"

    def view(self, instance: GeoMazeInstance, seat: Seat | None) -> Survey:
        """Return the walls of one kind, or of both."""
        n, hw, vw = len(instance.grid), instance.hw, instance.vw
        if seat is None:
            return Survey(n, kind=BOTH, horizontal=hw, vertical=vw)
        return Survey(n, hw if seat == 1 else vw, KINDS[seat - 1])

    def join(self, views: Sequence[Survey]) -> GeoMazeInstance | None:
        """Join the two surveys; None if a kind of walls is missing."""
        n = views[0].n
        walls = {kind: cells for view in views for kind, cells in view.known.items()}
        if n < 2 or any(view.n != n for view in views) or not set(KINDS) <= set(walls):
            return None
        return _courtyard(n, walls[HORIZONTAL], walls[VERTICAL])

    def redraw(
        self, view: Survey, rng: np.random.Generator, like: GeoMazeInstance | None = None
    ) -> GeoMazeInstance | None:
        """Draw the other kind of walls about as densely as the known kind."""
        n, known = view.n, view.walls or ()
        rate = (len(known) + 1) / (n * (n - 1) + 2)

        def draw(rate: float) -> GeoMazeInstance:
            if view.kind == HORIZONTAL:
                return _courtyard(n, known, _walls(n, VERTICAL, rate, rng))
            return _courtyard(n, _walls(n, HORIZONTAL, rate, rng), known)

        return first_accepted(
            lambda: draw(rate),
            lambda drawn: self.walk_fault(drawn) is None,
            DRAWS,
            lambda: draw(0.0),
        )

    def say(self, view: Survey, seat: Seat, friction: Friction) -> str:
        """Put the survey into the words of the seat."""
        survey = _compass_survey if friction == 0 or seat == 1 else _square_survey
        known = view.known
        text = "\n".join(
            survey(view.n, kind, walls, whole=len(known) > 1) for kind, walls in known.items()
        )
        return f"{text}\n{CANONICAL_FRAME}" if friction == 0 else text

    def say_compact(self, view: Survey, seat: Seat, friction: Friction) -> str:
        """List cells with a wall on one side, in the frame of the seat."""
        n, plain = view.n, friction == 0 or seat == 1
        frame = "(row,column) from 0 at NW" if plain else "(x,y) from 1 at bottom left"
        lines = []
        for kind, walls in view.known.items():
            side = (("bottom", "right"), ("south", "east"))[plain][kind == VERTICAL]
            cells = walls if plain else [(column + 1, n - row) for row, column in walls]
            listed = " ".join(f"{a},{b}" for a, b in cells)
            lines.append(f"{n}x{n}, cells {frame}, wall on {side} side of: {listed}")
        return "\n".join(lines)

    def hear(self, text: str) -> Survey | None:
        """Read a survey in compass words."""
        size = re.search(r"a (\d{1,2})x\1 courtyard", text)
        kind = re.search(r"every wall that blocks (north-south|west-east) movement", text)
        if size is None or kind is None:
            return None
        side = "south" if kind[1] == "north-south" else "east"
        found = re.findall(rf"on the {side} side of row (\d{{1,2}}), column (\d{{1,2}})", text)
        walls = tuple((int(row), int(column)) for row, column in found)
        return Survey(int(size[1]), walls, KINDS[side == "east"])


def _places(n: int, kind: str) -> list[Cell]:
    """Return the cells that may have a wall of a kind."""
    rows, columns = (n - 1, n) if kind == HORIZONTAL else (n, n - 1)
    return [(row, column) for row in range(rows) for column in range(columns)]


def _walls(n: int, kind: str, rate: float, rng: np.random.Generator) -> list[Cell]:
    places = _places(n, kind)
    built = rng.random(len(places)) < rate
    return [place for place, wall in zip(places, built, strict=True) if wall]


def _walls_fault(name: str, cells: Sequence[Cell], n: int, kind: str) -> str | None:
    if not set(cells) <= set(neighbours(n, n)):
        return f"{name} must lie inside the grid"
    if not set(cells) <= set(_places(n, kind)):
        return f"{name} must name cells that have a neighbour on that side"
    return None


def _courtyard(n: int, hw: Sequence[Cell], vw: Sequence[Cell]) -> GeoMazeInstance:
    start, goal = corners((OPEN * n,) * n)
    grid = set_cells((OPEN * n,) * n, {start: START, goal: GOAL})
    return GeoMazeInstance(grid, start, goal, tuple(hw), tuple(vw))


def _moves(instance: GeoMazeInstance) -> Moves[Cell]:
    n = len(instance.grid)
    blocked = {frozenset((cell, (cell[0] + 1, cell[1]))) for cell in instance.hw}
    blocked |= {frozenset((cell, (cell[0], cell[1] + 1))) for cell in instance.vw}
    return {
        cell: tuple(other for other in near if frozenset((cell, other)) not in blocked)
        for cell, near in neighbours(n, n).items()
    }


def _compass_survey(n: int, kind: str, walls: Sequence[Cell], *, whole: bool) -> str:
    """Write a survey in compass words, rows and columns from 0."""
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
    """Write a survey in left and right, squares counted from 1 at the bottom left."""
    side, way = ("below", "up-down") if kind == HORIZONTAL else ("to the right of", "left-right")
    only = "" if whole else " (and no other wall)"
    head = (
        f"Your survey sheet: a {n}x{n} courtyard, x counted 1-{n} from the left, y counted 1-{n} "
        "from the bottom. You enter at the top-left square and must reach the bottom-right "
        f"square. You surveyed every wall that blocks {way} movement{only}:"
    )
    return "\n".join([head, *(f"- a wall {side} square x={c + 1}, y={n - r}" for r, c in walls)])

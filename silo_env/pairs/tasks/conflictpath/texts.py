"""How floors with two vehicles are drawn and read: a map with one vehicle, or with both."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from coordgym.silo_env.pairs.grids.cells import GOAL, OPEN, START, WALL, Rows, find, set_cells
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.task import Friction, Seat

Vehicle = Literal["A", "B"]
Route = tuple[Cell, Cell]
"""The start and the goal of a vehicle."""

ENDS = {"A": "Aa", "B": "Bb"}
"""How the whole floor shows the start and goal of each vehicle."""
VEHICLES: tuple[Vehicle, Vehicle] = ("A", "B")

LEGEND = (
    "Legend: @ your start, * your goal, # obstacle you know of, . no obstacle known to you (your "
    "partner knows further obstacles)"
)
WHOLE_LEGEND = (
    "Legend: A start of robot A, a its goal, B start of cart B, b its goal, # obstacle, . free"
)
RULES = (
    "\nEach tick both vehicles move one cell or wait; they may not be in the same cell at the same "
    "tick nor swap cells. Finish as early as possible (both on goal)."
)


@dataclass(frozen=True, slots=True)
class FloorView:
    """What is known of a floor.

    Attributes:
        n: Cells per side.
        robot: Whose route is known.
        route: The route of this vehicle, if it is one.
        routes: The routes of both by vehicle, if both are known.
        walls: The known obstacles.
    """

    n: int
    robot: Literal["A", "B", "both"]
    route: Route | None = None
    routes: Mapping[str, Route] | None = None
    walls: tuple[Cell, ...] = field(kw_only=True)

    @property
    def known(self) -> Mapping[str, Route]:
        """The known routes by vehicle."""
        return self.routes or ({} if self.route is None else {self.robot: self.route})


def say(view: FloorView, seat: Seat, friction: Friction) -> str:
    """Draw the map with the own vehicle, or with both."""
    grid = _drawing(view)
    if view.robot == "both":
        head = "Robot A and cart B are yours. Your map:"
        return drawn_view(head, grid, WHOLE_LEGEND, seat, friction, closing=RULES)
    noun = "Cart" if friction != 0 and view.robot == "B" else "Robot"
    head = (
        f"{noun} {view.robot} is yours. Your partner steers the other vehicle on the same floor. "
        "Your map:"
    )
    return drawn_view(head, grid, LEGEND, seat, friction, closing=RULES)


def say_compact(view: FloorView, seat: Seat, friction: Friction) -> str:
    """Draw the map without blanks."""
    shows = "A->a, B->b" if view.robot == "both" else f"vehicle {view.robot}: @->*"
    return compact_view(shows, _drawing(view), seat, friction)


def hear(text: str) -> FloorView | None:
    """Read the last map of one vehicle."""
    vehicles = re.findall(r"Robot ([AB]) is yours", text)
    grid = read_drawing(text, OPEN + WALL + START + GOAL)
    start = None if grid is None else find(grid, START)
    goal = None if grid is None else find(grid, GOAL)
    if not vehicles or grid is None or start is None or goal is None:
        return None
    walls = tuple(
        (row, column)
        for row, line in enumerate(grid)
        for column, symbol in enumerate(line)
        if symbol == WALL
    )
    return FloorView(len(grid), "A" if vehicles[-1] == "A" else "B", (start, goal), walls=walls)


def _drawing(view: FloorView) -> Rows:
    """Draw @ and * for one vehicle, letters for both."""
    symbols = dict.fromkeys(view.walls, WALL)
    for vehicle, (start, goal) in view.known.items():
        marks = START + GOAL if view.routes is None else ENDS[vehicle]
        symbols |= {start: marks[0], goal: marks[1]}
    return set_cells((OPEN * view.n,) * view.n, symbols)

"""How floors with two vehicles are drawn and read: a map with one vehicle, or with both."""

import re

from coordgym.silo_env.pairs.grids.cells import Rows, find, set_cells
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grids.paths import path_json
from coordgym.silo_env.pairs.grids.schemes import Cell, canonical_cell
from coordgym.silo_env.pairs.task import Facts, Friction, Json, Seat

FREE, OBSTACLE, START, GOAL = ".", "#", "@", "*"
ENDS = {"A": "Aa", "B": "Bb"}
"""How the whole floor shows the start and goal of each vehicle."""
VEHICLES = ("A", "B")
NOUNS = ("Robot", "Cart")

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


def view_text(facts: Facts, seat: Seat, friction: Friction) -> str:
    """The map with the own vehicle, or with both."""
    grid, vehicle = _drawing(facts), str(facts["robot"])
    if vehicle == "both":
        head = "Robot A and cart B are yours. Your map:"
        return drawn_view(head, grid, WHOLE_LEGEND, seat, friction, closing=RULES)
    noun = NOUNS[0] if friction == 0 else NOUNS[VEHICLES.index(vehicle)]
    head = (
        f"{noun} {vehicle} is yours. Your partner steers the other vehicle on the same floor. "
        "Your map:"
    )
    return drawn_view(head, grid, LEGEND, seat, friction, closing=RULES)


def compact_view_text(facts: Facts, seat: Seat, friction: Friction) -> str:
    """The map without blanks."""
    vehicle = str(facts["robot"])
    shows = "A->a, B->b" if vehicle == "both" else f"vehicle {vehicle}: @->*"
    return compact_view(shows, _drawing(facts), seat, friction)


def read_view(text: str) -> Facts | None:
    """Read the last map of one vehicle."""
    vehicles = re.findall(r"Robot ([AB]) is yours", text)
    grid = read_drawing(text, FREE + OBSTACLE + START + GOAL)
    start = None if grid is None else find(grid, START)
    goal = None if grid is None else find(grid, GOAL)
    if not vehicles or grid is None or start is None or goal is None:
        return None
    walls: list[Json] = [
        [row, column]
        for row, line in enumerate(grid)
        for column, symbol in enumerate(line)
        if symbol == OBSTACLE
    ]
    route = path_json((start, goal))
    return {"n": len(grid), "robot": vehicles[-1], "route": route, "walls": walls}


def size_of(facts: Facts) -> int:
    """Cells per side of the floor."""
    return int(str(facts["n"]))


def _cells(value: Json) -> list[Cell]:
    cells = [canonical_cell(entry) for entry in value] if isinstance(value, list) else []
    return [cell for cell in cells if cell is not None]


def walls_of(facts: Facts) -> list[Cell]:
    """The obstacles that a view knows."""
    return _cells(facts.get("walls"))


def routes_of(facts: Facts) -> dict[str, tuple[Cell, Cell]]:
    """The routes that facts tell, by vehicle."""
    told = facts.get("routes")
    listed = told if isinstance(told, dict) else {str(facts.get("robot")): facts.get("route")}
    pairs = {vehicle: _cells(route) for vehicle, route in listed.items()}
    return {vehicle: (cells[0], cells[1]) for vehicle, cells in pairs.items() if len(cells) == 2}


def _drawing(facts: Facts) -> Rows:
    """The map of a view: @ and * for one vehicle, letters for both."""
    n, routes = size_of(facts), routes_of(facts)
    symbols = dict.fromkeys(walls_of(facts), OBSTACLE)
    for vehicle, (start, goal) in routes.items():
        marks = ENDS[vehicle] if len(routes) > 1 else START + GOAL
        symbols |= {start: marks[0], goal: marks[1]}
    return set_cells((FREE * n,) * n, symbols)

"""How blocks of floors are drawn, listed and read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from coordgym.silo_env.pairs.grids.cells import GOAL, OPEN, START, WALL, Rows
from coordgym.silo_env.pairs.grids.drawings import read_drawing, spaced
from coordgym.silo_env.pairs.task import Friction, Seat

SYMBOLS = START + GOAL + OPEN + WALL

LEGEND = "Legend: @ start, * goal, . free, # solid"


@dataclass(frozen=True, slots=True)
class BlockView:
    """The known floors of a block of n floors, by number."""

    n: int
    layers: Mapping[str, Rows]

    @property
    def floors(self) -> dict[int, Rows]:
        """The known floors from the lowest to the highest."""
        return dict(sorted((int(number), floor) for number, floor in self.layers.items()))


def say(view: BlockView, seat: Seat, friction: Friction) -> str:
    """Draw floors for view 1, list solid squares for view 2."""
    n, floors = view.n, view.floors
    if friction != 0 and seat == 2:
        return _squares_text(n, floors)
    drawn = [f"floor {number}:\n{spaced(floor)}" for number, floor in floors.items()]
    hidden = "" if len(floors) == n else "; other floors are not on your plan"
    head = (
        f"Your floors of a {n}x{n}x{n} block (floor 0 is the lowest; answer as "
        "(floor,row,column)); the start is the first cell of the first row of floor 0, the "
        f"goal the last cell of the last row of floor {n - 1}:"
    )
    frame = "\nFloors, rows and columns are counted from 0." if friction == 0 else ""
    return "\n".join([head, *drawn, f"{LEGEND}{hidden}{frame}"])


def say_compact(view: BlockView, seat: Seat, friction: Friction) -> str:
    """Draw floors without blanks; list solid squares for view 2."""
    n, floors = view.n, view.floors
    if friction != 0 and seat == 2:
        squares = [
            f"level {number + 1}: {' '.join(f'{x},{y}' for x, y in _solid_squares(floor))}"
            for number, floor in floors.items()
        ]
        return "\n".join([f"edge {n}, solid squares x,y from 1 at bottom left", *squares])
    drawn = [f"floor {number}\n" + "\n".join(floor) for number, floor in floors.items()]
    return "\n".join([f"edge {n}, (floor,row,column) from 0", *drawn])


def hear(text: str) -> BlockView | None:
    """Read drawn floors."""
    size = re.search(r"of a (\d{1,2})x\1x\1 block", text)
    if size is None:
        return None
    layers: dict[str, Rows] = {}
    for part in re.split(r"\bfloor (?=\d{1,2}:\n)", text)[1:]:
        number, _, drawing = part.partition(":\n")
        grid = read_drawing("\n".join(drawing.split("\n")[: int(size[1])]), SYMBOLS)
        if grid is not None:
            layers[str(int(number))] = grid
    return BlockView(int(size[1]), layers)


def _solid_squares(floor: Rows) -> list[tuple[int, int]]:
    n = len(floor)
    return [
        (column + 1, n - row)
        for row, line in enumerate(floor)
        for column, symbol in enumerate(line)
        if symbol == WALL
    ]


def _squares_text(n: int, floors: Mapping[int, Rows]) -> str:
    """List the solid squares of floors, levels and squares counted from 1."""
    head = (
        f"Your levels of a {n}-level block (level 1 is the lowest, squares x=1..{n} left to right, "
        f"y=1..{n} bottom to top; the start is the top-left square of level 1, the goal the "
        f"bottom-right square of level {n}). Solid squares on the levels you know:"
    )
    lines = []
    for number, floor in floors.items():
        squares = ", ".join(f"({x},{y})" for x, y in _solid_squares(floor)) or "none"
        lines.append(f"level {number + 1}: {squares}")
    return "\n".join([head, *lines])

"""How floors and the times at which their cells are closed are written and read."""

import re
from dataclasses import dataclass

from coordgym.silo_env.pairs.grids.cells import GOAL, OPEN, START, WALL, Rows
from coordgym.silo_env.pairs.grids.drawings import read_drawing, spaced
from coordgym.silo_env.pairs.task import Friction, Seat
from coordgym.silo_env.pairs.tasks.timedpath.timetable import Closure

SYMBOLS = START + GOAL + OPEN + WALL

LEGEND = "Legend: @ start, * goal, . floor, # wall."
PARTNER = " Closures you know (your partner knows others):"


@dataclass(frozen=True, slots=True)
class ClosureView:
    """The floor plan, if it is known, and the known closures.

    Attributes:
        grid: The floor plan.
        n: Cells per side.
        blocks: Closures.
        complete: Whether there are no others.
    """

    grid: Rows | None
    n: int
    blocks: tuple[Closure, ...]
    complete: bool = False


def say(view: ClosureView, seat: Seat, friction: Friction) -> str:
    """Write plan and closures, or closures alone, in the frame of the seat."""
    n, grid, closures = view.n, view.grid, view.blocks
    frame = "(0-based, from the top-left)"
    if grid is None and friction != 0:
        head = (
            f"Your closure list for the {n}x{n} floor (columns x=1..{n} from the left, rows "
            f"y=1..{n} from the bottom; the clock starts at tick 0; every tick you move one "
            "cell or wait; start top-left, goal bottom-right; your partner has the floor plan "
            "and further closures):"
        )
        lines = [
            f"- x={c + 1}, y={n - r}: shuts at tick {first}, open again from tick {last + 1}"
            for r, c, first, last in closures
        ]
        return "\n".join([head, *lines])
    lines = [
        f"- row {r}, column {c} {frame} may not be occupied at ticks {first} to {last} inclusive"
        for r, c, first, last in closures
    ]
    if grid is None:
        head = f"Your closure list for the {n}x{n} floor (your partner has the floor plan):"
        return "\n".join([head, *lines])
    clock = "clock starts at tick 0 on @; every tick you move one cell or wait"
    closing = " All closures:" if view.complete else PARTNER
    return "\n".join([f"Your floor plan ({clock}):", spaced(grid), LEGEND + closing, *lines])


def say_compact(view: ClosureView, seat: Seat, friction: Friction) -> str:
    """Draw the plan without blanks; write closures as four numbers."""
    n, grid, closures = view.n, view.grid, view.blocks
    if grid is None and friction != 0:
        listed = " ".join(f"{c + 1},{n - r},{a},{b + 1}" for r, c, a, b in closures)
        return f"{n}x{n}, closed x,y(from 1, bottom left),from,open again: {listed}"
    listed = " ".join(f"{r},{c},{a},{b}" for r, c, a, b in closures)
    plan = [f"{n}x{n}"] if grid is None else list(grid)
    return "\n".join([*plan, f"closed row,column(from 0),first,last tick: {listed}"])


def hear(text: str) -> ClosureView | None:
    """Read a plan, if there is one, and closures counted from 0."""
    grid = read_drawing(text, SYMBOLS)
    size = re.search(r"closure list for the (\d{1,2})x\1 floor", text)
    if grid is None and size is None:
        return None
    found = re.findall(
        r"row (\d{1,3}), column (\d{1,3}) \(0-based, from the top-left\) may not be occupied "
        r"at ticks (\d{1,3}) to (\d{1,3})",
        text,
    )
    closures = tuple(Closure(*map(int, numbers)) for numbers in found)
    n = len(grid) if grid is not None else int(size[1]) if size else 0
    return ClosureView(grid, n, closures)

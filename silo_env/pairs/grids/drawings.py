"""Drawings of grids in messages: how views are drawn, and how a stated drawing is read."""

import re

from coordgym.silo_env.pairs.grids.cells import HIDDEN, Rows
from coordgym.silo_env.pairs.task import Friction, Seat

CANONICAL_FRAME = (
    "Coordinates are (row, column), both counted from 0, row 0 at the top, column 0 at the left."
)
FLIPPED_FRAME = (
    "Coordinates are (x, y), both counted from 1: x is the column from the left, y the row from "
    "the bottom. The drawing starts with the bottom row, y=1; up means towards larger y."
)
COMPACT_FRAMES = (", cells (row,column) from 0 at top left", "")
COMPACT_FLIPPED = ", bottom row first, cells (x,y) from 1 at bottom left"


def drawn_view(
    head: str,
    grid: Rows,
    legend: str,
    seat: Seat,
    friction: Friction,
    *,
    hidden: str = "hidden from you",
    closing: str = "",
) -> str:
    """Draw heading, grid and legend; at friction 2 the second view is upside down.

    The legend explains "?" as ``hidden`` only where the drawing has it; ``closing`` follows. Frames
    are stated at friction 0, and where the drawing is upside down.
    """
    flipped = is_flipped(seat, friction)
    unseen = f", {HIDDEN} {hidden}" if HIDDEN in "".join(grid) else ""
    drawing = spaced_flipped(grid) if flipped else spaced(grid)
    text = f"{head}\n{drawing}\n{legend}{unseen}{closing}"
    if flipped:
        return f"{text}\n{FLIPPED_FRAME}"
    return f"{text}\n{CANONICAL_FRAME}" if friction == 0 else text


_NAMED = re.compile(rf"{re.escape(HIDDEN)}(?= [a-z])")


def with_mask(text: str, mask: str) -> str:
    """Put another sign, or a blank, for each hidden cell into a text about a drawing."""
    return _NAMED.sub(mask or "blank", text).replace(HIDDEN, mask or " ")


def compact_view(head: str, grid: Rows, seat: Seat, friction: Friction) -> str:
    """Write the same drawing without blanks and legend."""
    if is_flipped(seat, friction):
        return "\n".join([f"{head}{COMPACT_FLIPPED}:", *reversed(grid)])
    frame = COMPACT_FRAMES[0] if friction == 0 else COMPACT_FRAMES[1]
    return "\n".join([f"{head}{frame}:", *grid])


def is_flipped(seat: Seat, friction: Friction) -> bool:
    """Tell whether a view is drawn upside down."""
    return friction == 2 and seat == 2


def spaced(grid: Rows) -> str:
    """Draw a grid with blanks between the cells."""
    return "\n".join(" ".join(line) for line in grid)


def spaced_flipped(grid: Rows) -> str:
    """Draw a grid upside down, its lines and columns labelled from 1 at the bottom left."""
    height, width = len(grid), len(grid[0])
    label = len(str(height))
    lines = [" " * (label + 3) + " ".join(str((x + 1) % 10) for x in range(width)) + "  (x)"]
    lines += [
        f"y={height - row:<{label}} " + " ".join(grid[row]) for row in reversed(range(height))
    ]
    return "\n".join(lines)


_DRAWN_LINE = re.compile(r"\S(?: \S)*")


def read_drawing(text: str, alphabet: str) -> Rows | None:
    """Find the last drawing with blanks between its cells in a text, None if there is none.

    A drawing is a block of at least two lines in a row, of equal length, made only of the
    alphabet's characters.
    """
    symbols = set(alphabet) | {" "}
    drawing: Rows | None = None
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        drawn = _DRAWN_LINE.fullmatch(stripped) is not None and set(stripped) <= symbols
        if drawn and (not block or len(stripped) == len(block[0])):
            block.append(stripped)
            continue
        if len(block) >= 2:
            drawing = tuple(row[::2] for row in block)
        block = [stripped] if drawn else []
    return drawing

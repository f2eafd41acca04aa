"""The sixteen ways in which a pair may write the cells of one grid.

A scheme fixes the number of the first row and column (0 or 1), the corner from which they are
counted and the order of the two axes. An answer is read under every scheme and keeps the most
favourable reading (Davidson et al. 2025, appendix A.5; The Collaboration Tax, section 4.1).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

Cell = tuple[int, int]
"""(row, column), counted from 0 at the top left: the frame of every instance."""

Corner = Literal["top_left", "top_right", "bottom_left", "bottom_right"]
Axes = Literal["row_col", "col_row"]

CORNERS: tuple[Corner, ...] = ("top_left", "top_right", "bottom_left", "bottom_right")
AXES: tuple[Axes, ...] = ("row_col", "col_row")


class Scheme(NamedTuple):
    """One convention for coordinates: first number, corner of the origin, order of the axes."""

    number: int
    origin: int
    corner: Corner
    axes: Axes


SCHEMES: tuple[Scheme, ...] = tuple(
    Scheme(8 * a + 2 * c + origin, origin, corner, axes)
    for a, axes in enumerate(AXES)
    for c, corner in enumerate(CORNERS)
    for origin in (0, 1)
)
"""All schemes; earlier ones win ties."""

CANONICAL: tuple[Scheme, ...] = SCHEMES[:1]
"""Only (row, column) from 0 at the top left: for answers whose convention is fixed."""


class Written(NamedTuple):
    """A coordinate as an agent wrote it; a letter always counts from A = 0."""

    number: int
    is_letter: bool = False


WrittenCell = tuple[Written, Written]

Part = TypeVar("Part")
Entry = TypeVar("Entry")


def axis_names(friction: int) -> str:
    """Name the coordinates of a cell in the form of an answer: only friction 0 fixes them."""
    return "row, column" if friction == 0 else "a, b"


def one_convention(friction: int, which: str = "all of them") -> str:
    """Say what the note of an answer asks of its cells where coordinates are not fixed."""
    return "" if friction == 0 else f", {which} in one coordinate convention"


def encode(cell: Cell, scheme: Scheme, height: int, width: int) -> Cell:
    """Write a canonical cell of a height x width grid in a scheme."""
    row, column = _turn(cell, scheme.corner, height, width)
    row, column = row + scheme.origin, column + scheme.origin
    return (row, column) if scheme.axes == "row_col" else (column, row)


def decode(written: WrittenCell, scheme: Scheme, height: int, width: int) -> Cell:
    """Read a cell written in a scheme; the result may lie outside the grid."""
    (first, letter_first), (second, letter_second) = written
    if not letter_first:
        first -= scheme.origin
    if not letter_second:
        second -= scheme.origin
    cell = (first, second) if scheme.axes == "row_col" else (second, first)
    return _turn(cell, scheme.corner, height, width)


def _turn(cell: Cell, corner: Corner, height: int, width: int) -> Cell:
    """Count a cell from another corner; the same step leads back."""
    row, column = cell
    if corner in ("bottom_left", "bottom_right"):
        row = height - 1 - row
    if corner in ("top_right", "bottom_right"):
        column = width - 1 - column
    return row, column


_WRITTEN_NUMBER = re.compile(r"[+-]?[0-9]{1,6}", re.ASCII)
# Possessive quantifiers (*+): runs of blanks are never tried twice.
_CELL_TEXT = re.compile(
    r"[(\[]?\s*+(?P<first>-?[0-9]{1,6}|[A-Za-z])\s*+(?:[,;:]\s*+)?"
    r"(?P<second>-?[0-9]{1,6}|[A-Za-z])\s*+[)\]]?",
    re.ASCII,
)


def read_coordinate(value: object) -> Written | None:
    """Read one coordinate of an answer: an int, a whole float, digits as text or one letter."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Written(value)
    if isinstance(value, float):
        return Written(int(value)) if value.is_integer() else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _WRITTEN_NUMBER.fullmatch(text):
        return Written(int(text))
    if len(text) == 1 and text.isascii() and text.isalpha():
        return Written(ord(text.upper()) - ord("A"), is_letter=True)
    return None


_PLACE_TEXT = re.compile(r"[(\[]?+([^()\[\],;]{1,20}(?:[,;][^()\[\],;]{1,20}){1,2})[)\]]?+")


def read_parts(entry: object) -> list[object]:
    """Read the coordinates of a place: those of a list, or of a text like "(1, 2, 3)"."""
    if isinstance(entry, str):
        match = _PLACE_TEXT.fullmatch(entry.strip())
        return [] if match is None else [*re.split("[,;]", match[1])]
    return [*entry] if isinstance(entry, list | tuple) else []


def read_cell(entry: object) -> WrittenCell | None:
    """Read a cell of an answer: a pair of coordinates, or a text such as "(1, 2)" or "B3"."""
    if isinstance(entry, str):
        match = _CELL_TEXT.fullmatch(entry.strip())
        if match is None:
            return None
        entry = [match["first"], match["second"]]
    if not isinstance(entry, list | tuple) or len(entry) != 2:
        return None
    first, second = read_coordinate(entry[0]), read_coordinate(entry[1])
    return None if first is None or second is None else (first, second)


def canonical_cell(entry: object) -> Cell | None:
    """Read an entry of an answer as (row, column) from 0 at the top left."""
    written = read_cell(entry)
    return None if written is None else (written[0].number, written[1].number)


class CellReader:
    """Reads the cells of one answer as one scheme means them.

    Args:
        scheme: The scheme.
        written: What parts of the answer hold, by their ``id``: they are read once for all schemes.
    """

    def __init__(self, scheme: Scheme, written: dict[int, list[Any]]) -> None:
        self.scheme = scheme
        self._written = written

    def cells(self, path: object, height: int, width: int) -> list[Cell | None]:
        """Read a list in a grid of this size; None for entries that are no cells."""
        if not isinstance(path, list | tuple):
            return []
        written = self.once(path, _written_cells)
        return [each and decode(each, self.scheme, height, width) for each in written]

    def once(self, part: Part, read: Callable[[Part], list[Entry]]) -> list[Entry]:
        """Read a part of the answer, or the whole, in the same way under all schemes."""
        written = self._written.get(id(part))
        if written is None:
            written = self._written[id(part)] = read(part)
        return written


def _written_cells(path: Iterable[object]) -> list[WrittenCell | None]:
    return [read_cell(entry) for entry in path]


DIRECTIONS: Mapping[str, Cell] = {
    word: step
    for words, step in (
        (("u", "up", "upward", "upwards", "n", "north", "↑"), (-1, 0)),
        (("d", "down", "downward", "downwards", "s", "south", "↓"), (1, 0)),
        (("l", "left", "leftward", "leftwards", "w", "west", "←"), (0, -1)),
        (("r", "right", "rightward", "rightwards", "e", "east", "→"), (0, 1)),
    )
    for word in words
}
"""Direction words in lower case and the step they stand for on the drawing."""


def replay(moves: Iterable[object], start: Cell) -> list[Cell | None]:
    """Follow direction words from the start; None marks the first that is none, and ends it."""
    row, column = start
    cells: list[Cell | None] = []
    for move in moves:
        step = DIRECTIONS.get(move.strip().lower()) if isinstance(move, str) else None
        if step is None:
            cells.append(None)
            break
        row, column = row + step[0], column + step[1]
        cells.append((row, column))
    return cells

"""Cells in prose and in drawings: coordinates, lists of them, and drawn grids.

``tokens`` turns every way of writing a cell into one mark, so that patterns need only one.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from coordgym.silo_env.pairs.dialogue.utterances import tidy
from coordgym.silo_env.pairs.grids.schemes import Written, WrittenCell

CELL = r"\([^()\s]{1,12}\)|⟨[^⟨⟩\s]{1,12}⟩"
"""A cell after ``tokens``."""
_MORE = rf"(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+|\s*;\s*|\s+)(?:{CELL})"
LIST = rf"(?:{CELL})(?:{_MORE}){{0,100}}+"
"""Cells with commas, blanks or "and" between them; bounded, which keeps searches linear."""

_ROW_COLUMN = re.compile(
    r"\brow\s*=?\s*(-?\d{1,3})\s*(?:,|and)?\s*(?:and\s+)?col(?:umn)?\.?\s*=?\s*(-?\d{1,3})",
    re.IGNORECASE,
)
_X_Y = re.compile(r"\bx\s*=\s*(\d{1,3})\s*(?:,|and)\s*y\s*=\s*(\d{1,3})", re.IGNORECASE)
_MARK = re.compile(CELL)


class CellMark(NamedTuple):
    """A cell as it was written."""

    cell: WrittenCell
    level: int | None
    axes_fixed: bool
    absolute: bool


def tokens(text: str) -> str:
    """Return the text with cells in words as marks: row and column ⟨r;c⟩, x and y ⟨x|y⟩."""
    marked = _ROW_COLUMN.sub(r"⟨\1;\2⟩", tidy(text))
    return _X_Y.sub(r"⟨\1|\2⟩", marked)


def cell_marks(text: str) -> list[CellMark]:
    """Return the cells of a text after ``tokens``; x and y count from 1 at the bottom left."""
    marks = []
    for match in _MARK.finditer(text):
        mark = _read(match.group())
        if mark is not None:
            marks.append(mark)
    return marks


def _read(mark: str) -> CellMark | None:
    inner = mark[1:-1]
    in_words = mark[0] == "⟨"
    parts = re.split(r"[;|,]", inner)
    written = [_coordinate(part) for part in parts]
    if None in written or not 2 <= len(written) <= 3 or (in_words and len(written) != 2):
        return None
    numbers = [part for part in written if part is not None]
    level = numbers[0].number if len(numbers) == 3 else None
    first, second = numbers[-2:]
    return CellMark((first, second), level, in_words and ";" in inner, in_words and "|" in inner)


def _coordinate(part: str) -> Written | None:
    if re.fullmatch(r"-?\d{1,3}", part, re.ASCII):
        return Written(int(part))
    if re.fullmatch(r"[A-Za-z]", part, re.ASCII):
        return Written(ord(part.upper()) - ord("A"), is_letter=True)
    return None


class DrawnRow(NamedTuple):
    """One row of a drawing.

    Attributes:
        symbols: A symbol for each cell.
        label: The number in front of the row, "y" for one counted from the bottom; else None.
        number: That number.
    """

    symbols: str
    label: str | None
    number: int


class Drawings(NamedTuple):
    """The drawings of a text, and the text without them."""

    blocks: list[list[DrawnRow]]
    rest: str


_FRAMING = re.compile(r"[\[\],'\"|`]")
"""What may stand between the cells of a row besides blanks."""
_LABEL = re.compile(r"\s*(?:(row)\s*(\d{1,2})\s*[:=|]?|(y)\s*=\s*(\d{1,2})\s*:?)\s*(?=\S)", re.I)


def find_drawings(text: str, symbols: str, words: Mapping[str, str]) -> Drawings:
    """Take the lines that draw rows of a grid out of a text.

    Args:
        text: A message.
        symbols: What a cell may look like, with "?" for hidden ones.
        words: Symbol of each word where rows are words with "|" between them.
    """
    blocks: list[list[DrawnRow]] = []
    block: list[DrawnRow] = []
    rest: list[str] = []
    for line in [*text.splitlines(), ""]:
        row = _drawn_row(line, symbols, words)
        if row is not None and (not block or len(row.symbols) == len(block[0].symbols)):
            block.append(row)
            continue
        _close(block, blocks, rest)
        block = [] if row is None else [row]
        if row is None:
            rest.append(line)
    _close(block, blocks, rest)
    return Drawings(blocks, "\n".join(rest))


def _close(block: list[DrawnRow], blocks: list[list[DrawnRow]], rest: list[str]) -> None:
    """End a block: one line alone is a drawing only if it is labelled."""
    if len(block) >= 2 or (block and block[0].label):
        blocks.append(block)
        rest.append("")


def _drawn_row(line: str, symbols: str, words: Mapping[str, str]) -> DrawnRow | None:
    label, number = None, 0
    match = _LABEL.match(line)
    if match is not None:
        label = "row" if match[1] else "y"
        number = int(match[2] or match[4])
        line = line[match.end() :]
    parts = _FRAMING.sub(" ", line).split()
    if "|" in line and words and not all(part in symbols for part in parts):
        parts = [words.get(part.lower(), "..") for part in parts]
    single = all(len(part) == 1 for part in parts)
    drawn = "".join(parts) if single or len(parts) == 1 else ""
    if len(drawn) < 2 or not set(drawn) <= set(symbols):
        return None
    return DrawnRow(drawn, label, number)


def placed(
    block: list[DrawnRow], height: int, *, upside_down: bool
) -> Iterator[tuple[int, DrawnRow]]:
    """Return the rows of a drawing with their row from the top; only whole or labelled drawings.

    Rows labelled "y" count from 1 at the bottom. Rows labelled "row" are left to the caller,
    who knows from which number they count.

    Args:
        block: The drawing.
        height: Rows of the whole grid.
        upside_down: Whether drawings without labels begin at the bottom.
    """
    if all(row.label is None for row in block):
        if len(block) == height:
            yield from enumerate(reversed(block) if upside_down else block)
        return
    for row in block:
        if row.label == "y" and 1 <= row.number <= height:
            yield height - row.number, row

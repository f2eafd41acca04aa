"""Atoms of the tasks on grids: what stands in each cell, in words and in drawings."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import (
    NOT,
    Atom,
    AtomReader,
    Atoms,
    Claim,
    words_pattern,
)
from coordgym.silo_env.pairs.dialogue.readers.grid_text import (
    CELL,
    LIST,
    CellMark,
    cell_marks,
    find_drawings,
    placed,
    tokens,
)
from coordgym.silo_env.pairs.dialogue.utterances import assertions, without_answers
from coordgym.silo_env.pairs.grids.cells import GOAL, HIDDEN, OPEN, START, WALL
from coordgym.silo_env.pairs.grids.schemes import SCHEMES, Cell, Scheme, Written, decode
from coordgym.silo_env.pairs.shapes.masked_grids import MaskedGridTask
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views

CELL_KIND = "cell"
ARROWS = "^v<>"
PLAIN_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("wall", "blocked", "obstacle", "dyke", "building", "solid", "closed"), WALL),
    **dict.fromkeys(
        ("open", "free", "clear", "path", "passable", "floor", "empty", "street", "ground"), OPEN
    ),
    **dict.fromkeys(("start", "leak"), START),
    "goal": GOAL,
}
"""What cells are called, and the symbol that drawings have for it."""
ARROW_WORDS: Mapping[str, str] = {
    **{f"{way}{word}": arrow
       for arrow, names in zip(ARROWS, (("up", "north"), ("down", "south"), ("left", "west"),
                                        ("right", "east")), strict=True)
       for word in names for way in ("one-way ", "one way ", "")},
}  # fmt: skip

_UPSIDE_DOWN = re.compile(
    r"\b(?:starts with|first line is) the bottom row\b|\bbottom row first\b", re.IGNORECASE
)
_FLIP = str.maketrans("^v", "v^")
"""Arrows on a drawing that begins at the bottom."""
_VERB = (
    r"\s*(?:is|are|=|has|have|shows?|contains?|costs?|:|->|→|[-–])\s*"
    r"(?P<denied>not\s+)?(?:(?:an?|the|all|both|also|cost|of|terrain|tiles?|cells?)\s+){0,4}"
)
_JOIN = (
    r"(?:\s+(?:cells?|tiles?|squares?|ground))?"
    r"\s*(?:(?:is|are)?\s*(?:at|in|on)|:|=|are|is)\s*:?\s*"
)


class GridReader(AtomReader):
    """Atoms ``("cell", row, column, symbol)`` of a rectangular grid.

    Args:
        height: Rows.
        width: Columns.
        words: What agents call cells, and the symbol of each word.
        symbols: The symbols of drawings.
        silent: Symbols that say nothing when drawn.
        drawn_words: Symbols of words in drawings whose cells are words.
    """

    def __init__(
        self,
        height: int,
        width: int,
        *,
        words: Mapping[str, str] = PLAIN_WORDS,
        symbols: str = WALL + OPEN + START + GOAL,
        silent: str = "",
        drawn_words: Mapping[str, str] | None = None,
    ) -> None:
        self.height, self.width = height, width
        self.symbols = symbols
        self.schemes = SCHEMES
        self._words = {word.lower(): symbol for word, symbol in words.items()}
        self._silent = silent + HIDDEN
        self._drawn_words = {**(drawn_words or {}), HIDDEN: HIDDEN}
        known = words_pattern(self._words, group="word", ending="s?")
        signs = "".join(re.escape(symbol) for symbol in symbols)
        mark = rf"['\"]?(?:{known}|(?P<sign>[{signs}])(?![\w(]))"
        self._after = re.compile(rf"(?P<cells>{LIST}){_VERB}{mark}", re.IGNORECASE)
        denial = r"(?P<denied>\b(?:no|not an?)\s+)?"
        self._before = re.compile(rf"{denial}{known}{_JOIN}(?P<cells>{LIST})", re.IGNORECASE)
        self.entity = re.compile(rf"{CELL}|\brow \d|\bcolumn \d|[xy]\s?=\s?\d")

    # --- views ---------------------------------------------------------------------------------

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the visible cells."""
        return frozenset(self.of_grid(cast("list[str]", facts["grid"]), seat))

    def of_grid(self, grid: Sequence[str], seat: Seat, first_column: int = 0) -> list[Atom]:
        """Return the atoms of drawn rows."""
        return [
            (CELL_KIND, row, column + first_column, self.symbol(drawn, seat))
            for row, line in enumerate(grid)
            for column, drawn in enumerate(line)
            if drawn not in self._silent
        ]

    def symbol(self, drawn: str, seat: Seat) -> str:
        """Return what a drawn symbol stands for in the drawing of a seat."""
        return drawn

    def drawn(self, cell: Cell, drawn: str, seat: Seat) -> Claim:
        """Return the claim of a symbol in a drawing of a seat."""
        return Claim((CELL_KIND, *cell, self.symbol(drawn, seat)))

    def first_column(self, width: int, seat: Seat) -> int | None:
        """Return where a drawing of this width begins; None if it is no drawing of this grid."""
        return 0 if width == self.width else None

    # --- texts ---------------------------------------------------------------------------------

    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """Return what drawings show and sentences say of cells."""
        plain = without_answers(text)
        drawings = find_drawings(plain, self.symbols + HIDDEN, self._drawn_words)
        upside_down = bool(_UPSIDE_DOWN.search(text))
        claims: list[Claim] = []
        for block in drawings.blocks:
            start = self.first_column(len(block[0].symbols), seat)
            if start is None:
                continue
            for row, drawn in placed(block, self.height, upside_down=upside_down):
                flipped = upside_down or drawn.label == "y"
                symbols = drawn.symbols.translate(_FLIP) if flipped else drawn.symbols
                claims += [
                    self.drawn((row, start + column), symbol, seat)
                    for column, symbol in enumerate(symbols)
                    if symbol not in self._silent
                ]
            claims += [
                Claim(
                    (CELL_KIND, self.symbol(symbol, seat)),
                    (Written(drawn.number), Written(0)),
                    axes_fixed=True,
                    column=start + column,
                )
                for drawn in block
                if drawn.label == "row"
                for column, symbol in enumerate(drawn.symbols)
                if symbol not in self._silent
            ]
        for sentence in assertions(drawings.rest):
            claims += self.stated(tokens(sentence), seat)
        return claims

    def stated(self, sentence: str, seat: Seat) -> list[Claim]:
        """Return the claims of a sentence after ``tokens``."""
        claims: list[Claim] = []
        for pattern in (self._after, self._before):
            for match in pattern.finditer(sentence):
                found = match.groupdict()
                word = found.get("word")
                symbol = self._words[word.lower()] if word else self._sign(found["sign"], seat)
                denied = bool(found.get("denied"))
                claims += [
                    self.about((CELL_KIND, symbol), mark, denied=denied)
                    for mark in cell_marks(match["cells"])
                ]
        return claims

    def _sign(self, sign: str, seat: Seat) -> str:
        """Return what a drawn symbol in a sentence stands for, whatever its case."""
        return self.symbol(sign if sign in self.symbols else sign.swapcase(), seat)

    def about(self, atom: Atom, mark: CellMark, *, denied: bool = False) -> Claim:
        """Return a claim about a written cell."""
        if mark.absolute:
            column, row = mark.cell
            where = (self.height - row.number, column.number - 1)
            return Claim((atom[0], *where, *atom[1:]), denied=denied)
        return Claim(atom, mark.cell, mark.level, mark.axes_fixed, None, denied)

    # --- frames --------------------------------------------------------------------------------

    def place(self, claim: Claim, scheme: Scheme) -> Atom:
        """Return the atom with its cell read in a scheme."""
        if claim.cell is None:
            return super().place(claim, scheme)
        where = self.located(claim, scheme)
        atom: Atom = (claim.atom[0], *where, *claim.atom[1:])
        return (NOT, *atom) if claim.denied else atom

    def located(self, claim: Claim, scheme: Scheme) -> tuple[int, ...]:
        """Return the canonical place of a claim's cell."""
        if claim.cell is None:
            raise ValueError("only a claim about a written cell has a place to read")
        read = scheme._replace(axes="row_col") if claim.axes_fixed else scheme
        row, column = decode(claim.cell, read, self.height, self.width)
        return (row, column if claim.column is None else claim.column)

    def implied(self, atom: Atom) -> Iterable[Atom]:
        """Yield what follows: ends and one-way cells are open, and a cell is nothing else."""
        if atom[0] != CELL_KIND:
            return
        *where, symbol = atom
        passable = symbol in (OPEN, START, GOAL, *ARROWS) and WALL in self.symbols
        if passable and symbol != OPEN:
            yield (*where, OPEN)
        for other in self.symbols:
            if other != symbol and not (passable and other == OPEN):
                yield (NOT, *where, other)


def as_cell(entry: object) -> Cell:
    """Return a cell of a view's facts."""
    row, column = cast("list[int]", entry)
    return row, column


def size_of(views: Views) -> tuple[int, int]:
    """Return rows and columns of a grid of which both views have the size."""
    grid = cast("list[str]", views[0]["grid"])
    return len(grid), len(grid[0])


def drawn_reader(task: MaskedGridTask[Any, Any], views: Views, friction: Friction) -> GridReader:
    """Make the reader of a task that draws one grid, from its symbols and words."""
    known = {**PLAIN_WORDS, **ARROW_WORDS}
    words = {word: symbol for word, symbol in known.items() if symbol in task.symbols}
    return GridReader(
        *size_of(views),
        words={**words, **task.cell_words},
        symbols=task.symbols,
        drawn_words=task.cell_words,
    )


def walls_reader(task: AnyTask, views: Views, friction: Friction) -> GridReader:
    """Make the reader of a task that draws walls, open cells and ends."""
    return GridReader(*size_of(views))

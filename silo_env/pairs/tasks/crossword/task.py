"""``crossword``: a lattice to be filled with made-up words, one direction in each view.

Rules: k words across in every other row and k words down in every other column of a square of
2 k - 1 cells; the lists are in alphabetical order, and the words must agree where they cross.
Views: view 1 has the words across and counts rows from 1, view 2 those down and counts columns
from 0; at friction 2 it counts from the right and its words are written upwards.
Answer: ``{"grid": ["KAB", "A.U", "SOS"]}``, "." for cells without a letter.
Grade: the share of right letters.
Source: The Collaboration Tax, appendix F (crossword); the words are invented, so that neither
trivia nor habits of language help.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product
from typing import Literal

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.fact_checks import answer_list, integers_fault, length_fault
from coordgym.silo_env.pairs.facts.owners import if_split
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, PairTask, Seat

CONSONANTS, VOWELS = "BDKLMNRST", "AEIOU"
SMALLEST, LARGEST = 2, 4
"""Words per direction."""

Direction = Literal["across", "down"]
ACROSS: Direction = "across"
DOWN: Direction = "down"

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CrosswordConfig:
    """Difficulty of generated lattices.

    Attributes:
        k: Words per direction, 2..4; the lattice has 2 k - 1 rows and columns.
    """

    k: int = 3

    def __post_init__(self) -> None:
        require_int("k", self.k, SMALLEST, LARGEST)


@dataclass(frozen=True, slots=True)
class CrosswordInstance:
    """The words of both directions in alphabetical order; exactly one filling agrees with them."""

    k: int
    across_words: Words
    down_words: Words


@dataclass(frozen=True, slots=True)
class CrosswordView:
    """The words of one direction, or those of both."""

    k: int
    words: Words | None = None
    direction: Direction | None = None
    across_words: Words | None = None
    down_words: Words | None = None
    whole: bool = False

    @property
    def lists(self) -> dict[Direction, Words]:
        """The words of each direction that is shown."""
        shown = (
            (self.direction, self.words), (ACROSS, self.across_words), (DOWN, self.down_words),
        )  # fmt: skip
        return {way: words for way, words in shown if way is not None and words is not None}


class Crossword(PairTask[CrosswordInstance, CrosswordConfig, CrosswordView]):
    """The lattice."""

    answer_fields = ("grid",)
    config_type = CrosswordConfig
    instance_type = CrosswordInstance
    view_type = CrosswordView
    reader = "coordgym.silo_env.pairs.tasks.crossword.reader:LatticeReader"
    rule = (
        "A lattice of words is to be filled: words across in every other row, words down in every "
        "other column. Find the order of the words in which all crossings agree."
    )
    split = "You have the words of one direction, the other agent has those of the other."
    form = '{"grid": ["...", ...]}'
    note = '"grid" lists the rows from top to bottom, "." for cells without a letter.'
    compact_rule = "fill the lattice; crossing words must agree"
    compact_entries = "rows from the top, . = no letter"
    compact_split = "the other agent has the words of the other direction"

    def draw(self, config: CrosswordConfig, rng: np.random.Generator) -> CrosswordInstance | None:
        """Draw consonants where words cross, vowels elsewhere; None if several fillings agree."""
        crossings = rng.choice(list(CONSONANTS), size=(config.k, config.k))
        across = tuple(sorted(_word("".join(line), rng) for line in crossings))
        down = tuple(sorted(_word("".join(line), rng) for line in crossings.T))
        instance = CrosswordInstance(config.k, across, down)
        return instance if _is_legal(instance) else None

    def fault(self, instance: CrosswordInstance) -> str | None:
        """Say what is wrong with the words, or that they don't leave one filling."""
        fault = (
            integers_fault("k", [instance.k], SMALLEST, LARGEST)
            or _words_fault("across_words", instance.across_words, instance.k)
            or _words_fault("down_words", instance.down_words, instance.k)
        )
        if fault is not None or _is_legal(instance):
            return fault
        return "the words must differ and allow exactly one filling"

    def solve(self, instance: CrosswordInstance) -> Answer:
        """Return the filling."""
        return {"grid": [*_rows(next(_fillings(instance)), instance.k)]}

    def score(self, instance: CrosswordInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of right letters; rows may be texts or lists of letters."""
        given = [_read_row(row) for row in answer_list(answer, "grid") or ()]
        truth = _rows(next(_fillings(instance)), instance.k)
        cells = [(r, c) for r, line in enumerate(truth) for c, x in enumerate(line) if x != "."]
        right = sum(
            row < len(given) and given[row][column : column + 1] == truth[row][column]
            for row, column in cells
        )
        return Grade(right / len(cells))

    def view(self, instance: CrosswordInstance, seat: Seat | None) -> CrosswordView:
        """Return the words of one direction."""
        k, across, down = instance.k, instance.across_words, instance.down_words
        if seat is None:
            return CrosswordView(k, across_words=across, down_words=down, whole=True)
        return CrosswordView(k, across, ACROSS) if seat == 1 else CrosswordView(k, down, DOWN)

    def join(self, views: Sequence[CrosswordView]) -> CrosswordInstance | None:
        """Put both directions together; None if one is missing or given in two ways."""
        across = {view.lists[ACROSS] for view in views if ACROSS in view.lists}
        down = {view.lists[DOWN] for view in views if DOWN in view.lists}
        if len(across) != 1 or len(down) != 1 or len({view.k for view in views}) != 1:
            return None
        return CrosswordInstance(views[0].k, across.pop(), down.pop())

    def redraw(
        self, view: CrosswordView, rng: np.random.Generator, like: CrosswordInstance | None = None
    ) -> CrosswordInstance | None:
        """Invent words that cross the given ones in one way only."""
        (direction, words), *others = view.lists.items()
        if others:
            return self.join([view])

        def draw() -> CrosswordInstance:
            order = [words[int(index)] for index in rng.permutation(view.k)]
            crossings = ("".join(word[2 * j] for word in order) for j in range(view.k))
            invented = tuple(sorted(_word(letters, rng) for letters in crossings))
            pair = (words, invented) if direction == ACROSS else (invented, words)
            return CrosswordInstance(view.k, *pair)

        return first_accepted(draw, _is_legal)

    def say(self, view: CrosswordView, seat: Seat, friction: Friction) -> str:
        """Draw the pattern and write the known words."""
        partner = if_split(view, "Your partner has the words of the other direction. ")
        return "\n".join([
            "Grid pattern (_ = letter cell, . = empty):",
            *_pattern(view.k),
            *_said(view, seat, friction),
            f"{partner}Fill the grid; answer row by row, '.' for empty cells.",
        ])  # fmt: skip

    def say_compact(self, view: CrosswordView, seat: Seat, friction: Friction) -> str:
        """Draw the pattern and write the known words in few tokens."""
        turned = seat == 2 and friction == 2
        note = ", written upwards" if turned else ""
        said = [
            f"{direction}{note}: {' '.join(_spelt(words, turned=turned))}"
            for direction, words in view.lists.items()
        ]
        return "\n".join([*_pattern(view.k), *said])

    def hear(self, text: str) -> CrosswordView | None:
        """Read the words of one direction."""
        match = _STATED.search(text)
        if match is None:
            return None
        words = tuple(match[2].split(", "))
        if _words_fault("words", words, len(words)) is not None:
            return None
        return CrosswordView(len(words), words, ACROSS if match[1] == "horizontally" else DOWN)

    def check_steps(self, instance: CrosswordInstance, answer: Answer) -> list[str]:
        """Say the word of every row and column."""
        across, down = next(_fillings(instance))
        rows = [f"row {2 * k + 1}: {word} fits" for k, word in enumerate(across)]
        return [*rows, *(f"column {2 * k + 1}: {word} fits" for k, word in enumerate(down))]

    def free_text_answer(
        self, instance: CrosswordInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the last block of lines that looks like a filled lattice."""
        size = 2 * instance.k - 1
        for message in reversed(messages):
            lines = [_bare_row(line) for line in re.split("[\n,]", message)]
            for begin in range(len(lines) - size, -1, -1):
                block = lines[begin : begin + size]
                if all(_looks_filled(line, size, k) for k, line in enumerate(block)):
                    return {"grid": [*block]}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw random letters in a lattice of default size."""
        letters = rng.choice(list(CONSONANTS + VOWELS), size=(5, 5))
        return {"grid": ["".join(line) for line in letters]}


_STATED = re.compile(
    r"^These made-up words go (horizontally|vertically), one in each of .{1,120}, in an order "
    r"you must find: ([A-Z]+(?:, [A-Z]+)*)\.$",
    re.MULTILINE,
)


def _word(crossing: str, rng: np.random.Generator) -> str:
    """Write the letters of the crossings with random vowels between them."""
    vowels = [VOWELS[int(k)] for k in rng.integers(len(VOWELS), size=len(crossing) - 1)]
    return crossing[0] + "".join(v + c for v, c in zip(vowels, crossing[1:], strict=True))


def _fillings(instance: CrosswordInstance) -> Iterator[tuple[Words, Words]]:
    """Yield the orders of both lists in which all crossings agree."""
    crossing: dict[str, list[str]] = {}
    for word in instance.down_words:
        crossing.setdefault(word[::2], []).append(word)
    for across in permutations(instance.across_words):
        needed = ("".join(letters) for letters in zip(*(word[::2] for word in across), strict=True))
        for down in product(*(crossing.get(letters, []) for letters in needed)):
            if len(set(down)) == instance.k:
                yield across, down


def _is_legal(instance: CrosswordInstance) -> bool:
    words = {*instance.across_words, *instance.down_words}
    return len(words) == 2 * instance.k and len(list(islice(_fillings(instance), 2))) == 1


def _rows(filling: tuple[Words, Words], k: int) -> list[str]:
    """Return the rows of a filled lattice."""
    across, down = filling
    between = (".".join(word[2 * gap + 1] for word in down) for gap in range(k - 1))
    return [row for pair in zip(across, [*between, ""], strict=True) for row in pair if row]


def _pattern(k: int) -> list[str]:
    """Draw the empty lattice."""
    size = 2 * k - 1
    return ["_" * size if row % 2 == 0 else ".".join("_" * k) for row in range(size)]


def _read_row(row: object) -> str:
    """Read a row of an answer in capital letters without blanks."""
    parts = row if isinstance(row, list | tuple) else [row]
    return "".join("".join(part.upper().split()) for part in parts if isinstance(part, str))


_ROW_NUMBER = re.compile(r"\s*+(?:row\b)?\s*+\d[.):]", re.IGNORECASE)


def _bare_row(line: str) -> str:
    """Strip a line of prose of blanks, the number of a row, quotation marks and table lines."""
    text = _ROW_NUMBER.sub("", line, count=1)
    return "".join(text.replace("|", " ").split()).strip("`\"'[]")


def _looks_filled(line: str, size: int, row: int) -> bool:
    """Say whether a line can be this row of a filled lattice."""
    if len(line) != size or not line.isascii():
        return False
    letters = line if row % 2 == 0 else line[::2]
    return letters.isalpha() and letters.isupper() and (row % 2 == 0 or not line[1].isalnum())


def _words_fault(field: str, words: Words, k: int) -> str | None:
    """Say what is wrong with the words of one direction."""
    size = 2 * k - 1
    fault = length_fault(field, words, k, k)
    if fault is None and not all(re.fullmatch(f"[A-Z]{{{size}}}", word) for word in words):
        return f"{field} must be words of {size} letters A..Z"
    return fault


def _spelt(words: Words, *, turned: bool) -> list[str]:
    """Write words as a view does."""
    return sorted(word[::-1] for word in words) if turned else list(words)


def _said(view: CrosswordView, seat: Seat, friction: Friction) -> list[str]:
    """Write a sentence per direction."""
    sentences = []
    for direction, words in view.lists.items():
        turned = seat == 2 and friction == 2
        first = 0 if seat == 2 and friction else 1
        numbers = ", ".join(str(2 * index + first) for index in range(view.k))
        lines, side = ("rows", "top") if direction == ACROSS else ("columns", "left")
        side = "right" if turned else side
        upwards = ", each written upwards from the bottom" if turned else ""
        way = "horizontally" if direction == ACROSS else "vertically"
        sentences.append(
            f"These made-up words go {way}, one in each of {lines} {numbers} ({lines} counted "
            f"from the {side}, starting at {first}){upwards}, in an order you must find: "
            f"{', '.join(_spelt(words, turned=turned))}."
        )
    return sentences

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
from typing import cast

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.fact_checks import answer_list, require_integer
from coordgym.silo_env.pairs.facts.instances import require_list
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import WHOLE, if_split
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat

CONSONANTS, VOWELS = "BDKLMNRST", "AEIOU"
SMALLEST, LARGEST = 2, 4
"""Words per direction."""

ACROSS, DOWN = "across", "down"
DIRECTION: dict[Seat, str] = {1: ACROSS, 2: DOWN}

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


class Crossword(WideTask[CrosswordInstance, CrosswordConfig]):
    """The lattice."""

    answer_fields = ("grid",)
    config_type = CrosswordConfig
    reader = "coordgym.silo_env.pairs.tasks.crossword.reader:LatticeReader"
    rule = (
        "A lattice of words is to be filled: words across in every other row, words down in every "
        "other column. Find the order of the words in which all crossings agree."
    )
    split = "You have the words of one direction, the other agent has those of the other."
    compact_rule = "fill the lattice; crossing words must agree"
    compact_entries = "rows from the top, . = no letter"
    compact_split = "the other agent has the words of the other direction"

    def draw(self, config: CrosswordConfig, rng: np.random.Generator) -> CrosswordInstance | None:
        """Consonants where words cross, vowels elsewhere; kept if only one filling agrees."""
        crossings = rng.choice(list(CONSONANTS), size=(config.k, config.k))
        across = tuple(sorted(_word("".join(line), rng) for line in crossings))
        down = tuple(sorted(_word("".join(line), rng) for line in crossings.T))
        instance = CrosswordInstance(config.k, across, down)
        return instance if _is_legal(instance) else None

    def read_instance(self, given: Mapping[str, object]) -> CrosswordInstance:
        """Check a lattice given as JSON: k, across_words, down_words."""
        k = require_integer("k", given.get("k"), SMALLEST, LARGEST)
        across, down = (
            _read_words(field, given.get(field), k) for field in ("across_words", "down_words")
        )
        instance = CrosswordInstance(k, across, down)
        if not _is_legal(instance):
            raise InstanceError("the words must differ and allow exactly one filling")
        return instance

    def solve(self, instance: CrosswordInstance) -> Answer:
        """The filling."""
        return {"grid": [*_rows(next(_fillings(instance)), instance.k)]}

    def optimal_answers(self, instance: CrosswordInstance, limit: int) -> list[Answer]:
        """The one filling."""
        return [self.solve(instance)][:limit]

    def grade(
        self, instance: CrosswordInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """The share of right letters; rows may be texts or lists of letters."""
        given = [_read_row(row) for row in answer_list(answer, "grid") or ()]
        truth = _rows(next(_fillings(instance)), instance.k)
        cells = [(r, c) for r, line in enumerate(truth) for c, x in enumerate(line) if x != "."]
        right = sum(
            row < len(given) and given[row][column : column + 1] == truth[row][column]
            for row, column in cells
        )
        return Grade(right / len(cells))

    def facts(self, instance: CrosswordInstance, seat: Seat | None) -> Facts:
        """The words of one direction."""
        words: dict[str, list[Json]] = {
            ACROSS: [*instance.across_words],
            DOWN: [*instance.down_words],
        }
        if seat is None:
            both: Facts = {f"{name}_words": listed for name, listed in words.items()}
            return {"k": instance.k, **both, WHOLE: True}
        direction = DIRECTION[seat]
        return {"k": instance.k, "words": words[direction], "direction": direction}

    def merge(self, views: Sequence[Facts]) -> CrosswordInstance | None:
        """Put both directions together; None if one is missing or nothing agrees."""
        words: dict[str, set[Words]] = {ACROSS: set(), DOWN: set()}
        for view in views:
            for direction, listed in _lists(view).items():
                words[direction].add(listed)
        if any(view["k"] != views[0]["k"] for view in views):
            return None
        if any(len(lists) != 1 for lists in words.values()):
            return None
        instance = CrosswordInstance(
            cast("int", views[0]["k"]), words[ACROSS].pop(), words[DOWN].pop()
        )
        return instance if _is_legal(instance) else None

    def complete(
        self, instance: CrosswordInstance, seat: Seat, rng: np.random.Generator
    ) -> CrosswordInstance:
        """Invent other words for the hidden direction; the same ones if none fit."""
        words = instance.across_words if seat == 1 else instance.down_words
        return _invented(instance.k, words, DIRECTION[seat], rng) or instance

    def guess(self, facts: Facts, rng: np.random.Generator) -> CrosswordInstance:
        """Invent words for the direction that is not shown.

        Raises:
            ValueError: No words were found that leave one filling.
        """
        ((direction, words),) = _lists(facts).items()
        instance = _invented(cast("int", facts["k"]), words, direction, rng)
        if instance is None:
            raise ValueError(f"no words were found that cross {', '.join(words)} in one way only")
        return instance

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The pattern and the known words."""
        partner = if_split(facts, "Your partner has the words of the other direction. ")
        return "\n".join([
            "Grid pattern (_ = letter cell, . = empty):",
            *_pattern(cast("int", facts["k"])),
            *_said(facts, seat, friction),
            f"{partner}Fill the grid; answer row by row, '.' for empty cells.",
        ])  # fmt: skip

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The pattern and the known words in few tokens."""
        k, turned = cast("int", facts["k"]), seat == 2 and friction == 2
        lines = [*_pattern(k)]
        for direction, words in _lists(facts).items():
            note = ", written upwards" if turned else ""
            lines.append(f"{direction}{note}: {' '.join(_spelt(words, turned=turned))}")
        return "\n".join(lines)

    def read_view(self, text: str) -> Facts | None:
        """Read the words of one direction."""
        match = _STATED.search(text)
        if match is None:
            return None
        words: list[Json] = [*match[2].split(", ")]
        direction = ACROSS if match[1] == "horizontally" else DOWN
        try:
            _read_words("words", words, len(words))
        except InstanceError:
            return None
        return {"k": len(words), "words": words, "direction": direction}

    def answer_form(self, friction: Friction) -> str:
        """The rows."""
        return '{"grid": ["...", ...]}'

    def answer_note(self, friction: Friction) -> str:
        """How rows are written."""
        return '"grid" lists the rows from top to bottom, "." for cells without a letter.'

    def check_steps(self, instance: CrosswordInstance, answer: Answer) -> list[str]:
        """Every row and column with its word."""
        across, down = next(_fillings(instance))
        rows = [f"row {2 * k + 1}: {word} fits" for k, word in enumerate(across)]
        return [*rows, *(f"column {2 * k + 1}: {word} fits" for k, word in enumerate(down))]

    def free_text_answer(
        self, instance: CrosswordInstance, messages: Sequence[str]
    ) -> Answer | None:
        """The last block of lines that looks like a filled lattice."""
        size = 2 * instance.k - 1
        for message in reversed(messages):
            lines = [_bare_row(line) for line in re.split("[\n,]", message)]
            for begin in range(len(lines) - size, -1, -1):
                block = lines[begin : begin + size]
                if all(_looks_filled(line, size, k) for k, line in enumerate(block)):
                    return {"grid": [*block]}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Random letters in a lattice of default size."""
        letters = rng.choice(list(CONSONANTS + VOWELS), size=(5, 5))
        return {"grid": ["".join(line) for line in letters]}


_STATED = re.compile(
    r"^These made-up words go (horizontally|vertically), one in each of .{1,120}, in an order "
    r"you must find: ([A-Z]+(?:, [A-Z]+)*)\.$",
    re.MULTILINE,
)


def _word(crossing: str, rng: np.random.Generator) -> str:
    """The letters of the crossings with random vowels between them."""
    vowels = [VOWELS[int(k)] for k in rng.integers(len(VOWELS), size=len(crossing) - 1)]
    return crossing[0] + "".join(v + c for v, c in zip(vowels, crossing[1:], strict=True))


def _fillings(instance: CrosswordInstance) -> Iterator[tuple[Words, Words]]:
    """The orders of both lists in which all crossings agree."""
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


def _invented(
    k: int, words: Words, direction: str, rng: np.random.Generator
) -> CrosswordInstance | None:
    """Words that cross the given ones in one way only."""

    def draw() -> CrosswordInstance:
        order = [words[int(index)] for index in rng.permutation(k)]
        others = tuple(sorted(_word("".join(word[2 * j] for word in order), rng) for j in range(k)))
        pair = (words, others) if direction == ACROSS else (others, words)
        return CrosswordInstance(k, *pair)

    return first_accepted(draw, _is_legal)


def _rows(filling: tuple[Words, Words], k: int) -> list[str]:
    """The rows of a filled lattice."""
    across, down = filling
    between = (".".join(word[2 * gap + 1] for word in down) for gap in range(k - 1))
    return [row for pair in zip(across, [*between, ""], strict=True) for row in pair if row]


def _pattern(k: int) -> list[str]:
    """The empty lattice."""
    size = 2 * k - 1
    return ["_" * size if row % 2 == 0 else ".".join("_" * k) for row in range(size)]


def _read_row(row: object) -> str:
    """A row of an answer in capital letters without blanks."""
    parts = row if isinstance(row, list | tuple) else [row]
    return "".join("".join(part.upper().split()) for part in parts if isinstance(part, str))


_ROW_NUMBER = re.compile(r"\s*+(?:row\b)?\s*+\d[.):]", re.IGNORECASE)


def _bare_row(line: str) -> str:
    """A line of prose without blanks, the number of a row, quotation marks and table lines."""
    text = _ROW_NUMBER.sub("", line, count=1)
    return "".join(text.replace("|", " ").split()).strip("`\"'[]")


def _looks_filled(line: str, size: int, row: int) -> bool:
    """Whether a line can be this row of a filled lattice."""
    if len(line) != size or not line.isascii():
        return False
    letters = line if row % 2 == 0 else line[::2]
    return letters.isalpha() and letters.isupper() and (row % 2 == 0 or not line[1].isalnum())


def _lists(facts: Facts) -> dict[str, Words]:
    """The words of each direction that facts show."""
    fields = {str(facts["direction"]): "words"} if "words" in facts else {
        name: f"{name}_words" for name in (ACROSS, DOWN)
    }  # fmt: skip
    return {name: tuple(cast("list[str]", facts[field])) for name, field in fields.items()}


def _read_words(field: str, value: object, k: int) -> Words:
    """Check the words of one direction; raises InstanceError."""
    size = 2 * k - 1
    words = require_list(field, value, k, k)
    if not all(isinstance(word, str) and re.fullmatch(f"[A-Z]{{{size}}}", word) for word in words):
        raise InstanceError(f"{field} must be words of {size} letters A..Z")
    return tuple(str(word) for word in words)


def _spelt(words: Words, *, turned: bool) -> list[str]:
    """The words as a view writes them."""
    return sorted(word[::-1] for word in words) if turned else list(words)


def _said(facts: Facts, seat: Seat, friction: Friction) -> list[str]:
    """A sentence per direction."""
    k, sentences = cast("int", facts["k"]), []
    for direction, words in _lists(facts).items():
        turned = seat == 2 and friction == 2
        first = 0 if seat == 2 and friction else 1
        numbers = ", ".join(str(2 * index + first) for index in range(k))
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

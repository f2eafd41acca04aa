"""``cipherdecode``: a coded text, half of the code table in each view.

Rules: decode a text of made-up words in which every letter stands for another one.
Views: the coded text is in both, the rows of the table are halved. View 1 has rows from plain to
code letters, view 2 from code to plain letters; at friction 2 it writes letters as numbers.
Answer: ``{"text": "..."}``; case and blanks don't matter.
Grade: letters that are right at their place, over the longer of the two texts.
Source: The Collaboration Tax, appendix F (cipherdecode).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import keys_fault, length_fault
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split, unsplit
from coordgym.silo_env.pairs.facts.sentences import Sentence, listed, read_listed
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, PairTask, Seat

VOWELS, CONSONANTS = "AEIOU", "BDFGKLMNPRSTVZ"
LEAST_LETTERS = 4
"""Different letters in a drawn text."""
LONGEST = 200
"""Characters of a text that is given."""

ENCODE, DECODE = Sentence("{0} -> {1}"), Sentence("{0} = {1}")

Table = Mapping[str, str]
"""Code letter by plain letter."""


@dataclass(frozen=True, slots=True)
class CipherDecodeConfig:
    """Difficulty of generated texts.

    Attributes:
        words: Words, 1..8.
        length: Letters per word, 2..12.
        consonants: Consonants that words are made of, 2..14.
    """

    words: int = 2
    length: int = 6
    consonants: int = len(CONSONANTS)

    def __post_init__(self) -> None:
        require_int("words", self.words, 1, 8)
        require_int("length", self.length, 2, 12)
        require_int("consonants", self.consonants, 2, len(CONSONANTS))


@dataclass(frozen=True, slots=True)
class CipherDecodeInstance:
    """A text, its code and the table's split.

    Attributes:
        plain: Words of capital letters with blanks between.
        cipher: The coded text.
        map: Code letter of each plain letter of the text.
        owner: The view, 1 or 2, that shows each row of the table.
    """

    plain: str
    cipher: str
    map: Table
    owner: Mapping[str, Owner]


@dataclass(frozen=True, slots=True)
class CipherDecodeView:
    """The coded text, and the rows of the table that one view or both have."""

    cipher: str
    map: Table
    whole: bool = False


class CipherDecode(PairTask[CipherDecodeInstance, CipherDecodeConfig, CipherDecodeView]):
    """The coded text."""

    answer_fields = ("text",)
    config_type = CipherDecodeConfig
    instance_type = CipherDecodeInstance
    view_type = CipherDecodeView
    reader = "coordgym.silo_env.pairs.tasks.cipherdecode.reader:make_reader"
    rule = (
        "A text of made-up words is coded: every letter is replaced by another one, always by "
        "the same. Recover the plain text."
    )
    split = "You have some rows of the code table, the other agent has the rest."
    form = '{"text": "..."}'
    note = '"text" is the decoded text.'
    compact_rule = "decode the text (substitution, made-up words)"
    compact_split = "the other agent has the other rows of the table"

    def draw(
        self, config: CipherDecodeConfig, rng: np.random.Generator
    ) -> CipherDecodeInstance | None:
        """Draw words of consonants and vowels in turn, under a random code."""
        consonants = choose(CONSONANTS, config.consonants, rng)
        plain = " ".join(_draw_word(consonants, config.length, rng) for _ in range(config.words))
        letters = _letters(plain)
        if len(letters) < LEAST_LETTERS:
            return None
        table = dict(zip(letters, choose(ascii_uppercase, len(letters), rng), strict=True))
        owner = dict(deal([(letter,) for letter in letters], rng))
        return CipherDecodeInstance(plain, _translated(plain, table), table, owner)

    def fault(self, instance: CipherDecodeInstance) -> str | None:
        """Say what is wrong with the text, the table or the owners of its rows."""
        plain, table = instance.plain, instance.map
        if _TEXT.fullmatch(plain) is None:
            return "plain must be words of letters A..Z with single blanks"
        letters = _letters(plain)
        fault = length_fault("map", table, len(letters), len(letters))
        if fault is not None:
            return fault
        if set(table) != set(letters):
            return "map must have the letters of plain as keys"
        codes = set(table.values())
        if len(codes) < len(letters) or not codes <= set(ascii_uppercase):
            return "map must give every letter a code letter A..Z of its own"
        if instance.cipher != _translated(plain, table):
            return "cipher must be plain, coded by map"
        return keys_fault("owner", instance.owner, letters)

    def solve(self, instance: CipherDecodeInstance) -> Answer:
        """Invert the table."""
        code = {code: letter for letter, code in instance.map.items()}
        return {"text": _translated(instance.cipher, code)}

    def score(self, instance: CipherDecodeInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of letters that are right at their place."""
        text = answer.get("text")
        if not isinstance(text, str):
            return self.nothing
        given, truth = "".join(text.upper().split()), instance.plain.replace(" ", "")
        right = sum(a == b for a, b in zip(given, truth, strict=False))
        return Grade(right / max(len(given), len(truth)))

    def view(self, instance: CipherDecodeInstance, seat: Seat | None) -> CipherDecodeView:
        """Return the coded text and the rows of a view."""
        rows = {
            letter: code
            for letter, code in instance.map.items()
            if seat in (None, instance.owner[letter])
        }
        return CipherDecodeView(instance.cipher, rows, seat is None)

    def join(self, views: Sequence[CipherDecodeView]) -> CipherDecodeInstance | None:
        """Join the rows; None if a letter can't be decoded or rows contradict each other."""
        cipher = views[0].cipher
        rows = {row for view in views for row in view.map.items()}
        table = dict(sorted(rows))
        if any(view.cipher != cipher for view in views) or len(table) < len(rows):
            return None
        if sorted(table.values()) != _letters(cipher):
            return None
        return _unsplit(cipher, table)

    def redraw(
        self,
        view: CipherDecodeView,
        rng: np.random.Generator,
        like: CipherDecodeInstance | None = None,
    ) -> CipherDecodeInstance:
        """Draw plain letters for the unknown code letters: vowels for vowels where that is seen."""
        table, cipher = dict(view.map), view.cipher
        vowel_codes = {code for word in cipher.split() for code in word[1::2]}
        for code in _letters(cipher):
            if code in view.map.values():
                continue
            preferred = VOWELS if code in vowel_codes else CONSONANTS
            free = [x for x in preferred if x not in table]
            free = free or [x for x in ascii_uppercase if x not in table]
            table[free[int(rng.integers(len(free)))]] = code
        drawn = _unsplit(cipher, dict(sorted(table.items())))
        if like is None:
            return drawn
        owner_of = {code: like.owner[letter] for letter, code in like.map.items()}
        return replace(drawn, owner={x: owner_of[code] for x, code in drawn.map.items()})

    def say(self, view: CipherDecodeView, seat: Seat, friction: Friction) -> str:
        """Write the coded text and the known rows."""
        kind = "Reading" if seat == 2 and friction else "Code"
        partner = if_split(view, "Your partner has the other rows. ")
        return "\n".join([
            f"Coded text: {view.cipher}",
            f"{kind} table rows you have ({_form(seat, friction)}): {_said(view, seat, friction)}",
            f"{partner}Recover the plain text (made-up words).",
        ])  # fmt: skip

    def say_compact(self, view: CipherDecodeView, seat: Seat, friction: Friction) -> str:
        """Write the coded text and the known rows in few tokens."""
        return f"coded: {view.cipher}\n{_form(seat, friction)}: {_said(view, seat, friction)}"

    def hear(self, text: str) -> CipherDecodeView | None:
        """Read the coded text and the rows."""
        match = _VIEW.search(text)
        rows = None if match is None else read_listed(ENCODE, match[2])
        if match is None or rows is None:
            return None
        table = {str(letter): str(code) for letter, code in rows}
        if not {*table, *table.values()} <= set(ascii_uppercase):
            return None
        return CipherDecodeView(match[1], table)

    def check_steps(self, instance: CipherDecodeInstance, answer: Answer) -> list[str]:
        """Check the code letter of every plain letter."""
        return [f"{letter} -> {code} fits" for letter, code in instance.map.items()]

    def free_text_answer(
        self, instance: CipherDecodeInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the capitals behind "text is", "answer:", ... in the last message that has any."""
        for message in reversed(messages):
            found = _DECODED.findall(message)
            if found:
                return {"text": found[-1]}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw two random words."""
        return {"text": " ".join(_draw_word(CONSONANTS, 6, rng) for _ in range(2))}


_TEXT = re.compile(rf"(?=.{{2,{LONGEST}}}$)[A-Z]+(?: [A-Z]+)*")
_VIEW = re.compile(
    r"^Coded text: ([A-Z ]+)$\s^Code table rows you have \([^()]*\): (.*)$", re.MULTILINE
)
_DECODED = re.compile(
    r"\b(?:(?i:text|answer|decoded|message|solution)\b[ \t*]*(?:is|reads|=|:|→|->)"
    r"|(?i:decodes to|reads)\b)[\s*:\"'`]*"
    r"(?!FINAL ANSWER|ACTI!)([A-Z?]{2,24}(?: [A-Z?]{2,24}){0,15})(?![A-Za-z])"
)


def _draw_word(consonants: Sequence[str], length: int, rng: np.random.Generator) -> str:
    """Draw consonants and vowels in turn."""
    pools = (consonants, VOWELS)
    return "".join(pools[k % 2][int(rng.integers(len(pools[k % 2])))] for k in range(length))


def _letters(text: str) -> list[str]:
    return sorted(set(text) - {" "})


def _translated(text: str, table: Table) -> str:
    return "".join(table.get(letter, letter) for letter in text)


def _unsplit(cipher: str, table: Table) -> CipherDecodeInstance:
    """Return a coded text of which view 1 shows every row."""
    code = {code: letter for letter, code in table.items()}
    owner = dict(zip(table, unsplit(len(table)), strict=True))
    return CipherDecodeInstance(_translated(cipher, code), cipher, table, owner)


def _form(seat: Seat, friction: Friction) -> str:
    """Say how a row is written."""
    if seat == 1 or friction == 0:
        return "plain letter -> code letter"
    form = "code letter = plain letter"
    return form if friction == 1 else f"{form}, both by their numbers in the alphabet, A is 1"


def _said(view: CipherDecodeView, seat: Seat, friction: Friction) -> str:
    """Write the known rows in a line."""
    rows = sorted(view.map.items())
    if seat == 1 or friction == 0:
        return listed(ENCODE, rows)
    decoding = sorted((code, letter) for letter, code in rows)
    if friction == 1:
        return listed(DECODE, decoding)
    number = {letter: k for k, letter in enumerate(ascii_uppercase, 1)}
    return ", ".join(f"{number[code]} = {number[letter]}" for code, letter in decoding)

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
from typing import cast

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.facts.instances import require_dict, require_owner_of
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.facts.sentences import Sentence, listed, read_listed
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import WHOLE, if_split
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat

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
    owner: Mapping[str, int]


class CipherDecode(WideTask[CipherDecodeInstance, CipherDecodeConfig]):
    """The coded text."""

    answer_fields = ("text",)
    config_type = CipherDecodeConfig
    reader = "coordgym.silo_env.pairs.tasks.cipherdecode.reader:make_reader"
    rule = (
        "A text of made-up words is coded: every letter is replaced by another one, always by "
        "the same. Recover the plain text."
    )
    split = "You have some rows of the code table, the other agent has the rest."
    compact_rule = "decode the text (substitution, made-up words)"
    compact_split = "the other agent has the other rows of the table"

    def draw(
        self, config: CipherDecodeConfig, rng: np.random.Generator
    ) -> CipherDecodeInstance | None:
        """Words of consonants and vowels in turn, under a random code."""
        consonants = choose(CONSONANTS, config.consonants, rng)
        plain = " ".join(_draw_word(consonants, config.length, rng) for _ in range(config.words))
        letters = _letters(plain)
        if len(letters) < LEAST_LETTERS:
            return None
        table = dict(zip(letters, choose(ascii_uppercase, len(letters), rng), strict=True))
        owners = [int(owner) for owner in balanced_owners(len(letters), rng)]
        cipher = _translated(plain, table)
        return CipherDecodeInstance(plain, cipher, table, dict(zip(letters, owners, strict=True)))

    def read_instance(self, given: Mapping[str, object]) -> CipherDecodeInstance:
        """Check a coded text given as JSON: plain, cipher, map, owner."""
        plain, cipher = given.get("plain"), given.get("cipher")
        if not isinstance(plain, str) or _TEXT.fullmatch(plain) is None:
            raise InstanceError("plain must be words of letters A..Z with single blanks")
        letters = _letters(plain)
        table = _read_table(given.get("map"), letters)
        if cipher != _translated(plain, table):
            raise InstanceError("cipher must be plain, coded by map")
        owner = require_owner_of("owner", given.get("owner"), letters)
        return CipherDecodeInstance(plain, str(cipher), table, owner)

    def solve(self, instance: CipherDecodeInstance) -> Answer:
        """Invert the table."""
        code = {code: letter for letter, code in instance.map.items()}
        return {"text": _translated(instance.cipher, code)}

    def optimal_answers(self, instance: CipherDecodeInstance, limit: int) -> list[Answer]:
        """The one text."""
        return [self.solve(instance)][:limit]

    def grade(
        self, instance: CipherDecodeInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Letters that are right at their place."""
        text = answer.get("text") if isinstance(answer, Mapping) else None
        if not isinstance(text, str):
            return Grade(0.0)
        given, truth = "".join(text.upper().split()), instance.plain.replace(" ", "")
        right = sum(a == b for a, b in zip(given, truth, strict=False))
        return Grade(right / max(len(given), len(truth)))

    def facts(self, instance: CipherDecodeInstance, seat: Seat | None) -> Facts:
        """The coded text and the rows of a view."""
        rows: dict[str, Json] = {
            letter: code
            for letter, code in instance.map.items()
            if seat in (None, instance.owner[letter])
        }
        facts: Facts = {"cipher": instance.cipher, "map": rows}
        return {**facts, WHOLE: True} if seat is None else facts

    def merge(self, views: Sequence[Facts]) -> CipherDecodeInstance | None:
        """Join the rows; None if a letter can't be decoded or rows contradict each other."""
        cipher = str(views[0]["cipher"])
        rows = {row for view in views for row in _rows(view).items()}
        table = dict(sorted(rows))
        if any(view["cipher"] != cipher for view in views) or len(table) < len(rows):
            return None
        code = {code: letter for letter, code in table.items()}
        if set(code) != set(_letters(cipher)) or len(code) < len(table):
            return None
        return _unsplit(cipher, table)

    def complete(
        self, instance: CipherDecodeInstance, seat: Seat, rng: np.random.Generator
    ) -> CipherDecodeInstance:
        """Let the other code letters stand for other letters."""
        other = self.guess(self.facts(instance, seat), rng)
        letter_of = {code: letter for letter, code in other.map.items()}
        owner = {letter_of[code]: instance.owner[plain] for plain, code in instance.map.items()}
        return replace(other, owner=dict(sorted(owner.items())))

    def guess(self, facts: Facts, rng: np.random.Generator) -> CipherDecodeInstance:
        """Draw plain letters for the unknown code letters: vowels for vowels where that is seen."""
        known, cipher = _rows(facts), str(facts["cipher"])
        unknown = [code for code in _letters(cipher) if code not in known.values()]
        vowel_codes = {code for word in cipher.split() for code in word[1::2]}
        table = dict(known)
        for code in unknown:
            preferred = VOWELS if code in vowel_codes else CONSONANTS
            free = [x for x in preferred if x not in table]
            free = free or [x for x in ascii_uppercase if x not in table]
            table[free[int(rng.integers(len(free)))]] = code
        return _unsplit(cipher, dict(sorted(table.items())))

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The coded text and the known rows."""
        kind = "Reading" if seat == 2 and friction else "Code"
        partner = if_split(facts, "Your partner has the other rows. ")
        return "\n".join([
            f"Coded text: {facts['cipher']}",
            f"{kind} table rows you have ({_form(seat, friction)}): "
            f"{_said(facts, seat, friction)}",
            f"{partner}Recover the plain text (made-up words).",
        ])  # fmt: skip

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The coded text and the known rows in few tokens."""
        rows = _said(facts, seat, friction)
        return f"coded: {facts['cipher']}\n{_form(seat, friction)}: {rows}"

    def read_view(self, text: str) -> Facts | None:
        """Read the coded text and the rows."""
        match = _VIEW.search(text)
        rows = None if match is None else read_listed(ENCODE, match[2])
        if match is None or rows is None:
            return None
        if any(str(part) not in set(ascii_uppercase) for row in rows for part in row):
            return None
        table: dict[str, Json] = {str(letter): str(code) for letter, code in rows}
        return {"cipher": match[1], "map": table}

    def answer_form(self, friction: Friction) -> str:
        """The text."""
        return '{"text": "..."}'

    def answer_note(self, friction: Friction) -> str:
        """What the text is."""
        return '"text" is the decoded text.'

    def check_steps(self, instance: CipherDecodeInstance, answer: Answer) -> list[str]:
        """The code letter of every plain letter."""
        return [f"{letter} -> {code} fits" for letter, code in instance.map.items()]

    def free_text_answer(
        self, instance: CipherDecodeInstance, messages: Sequence[str]
    ) -> Answer | None:
        """The capital letters after "text is", "answer:", "decoded =", ... in the last message."""
        for message in reversed(messages):
            found = _DECODED.findall(message)
            if found:
                return {"text": found[-1]}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Two random words."""
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
    """Consonants and vowels in turn."""
    pools = (consonants, VOWELS)
    return "".join(pools[k % 2][int(rng.integers(len(pools[k % 2])))] for k in range(length))


def _letters(text: str) -> list[str]:
    return sorted(set(text) - {" "})


def _translated(text: str, table: Table) -> str:
    return "".join(table.get(letter, letter) for letter in text)


def _unsplit(cipher: str, table: Table) -> CipherDecodeInstance:
    """A coded text of which view 1 shows every row."""
    code = {code: letter for letter, code in table.items()}
    return CipherDecodeInstance(_translated(cipher, code), cipher, table, dict.fromkeys(table, 1))


def _rows(facts: Facts) -> dict[str, str]:
    return cast("dict[str, str]", facts["map"])


def _read_table(value: object, letters: Sequence[str]) -> dict[str, str]:
    """Check a code table; raises InstanceError."""
    table = require_dict("map", value, len(letters), len(letters))
    codes = [code for code in table.values() if isinstance(code, str) and code in ascii_uppercase]
    if set(table) != set(letters):
        raise InstanceError("map must have the letters of plain as keys")
    if len(set(codes)) != len(letters) or not all(len(code) == 1 for code in codes):
        raise InstanceError("map must give every letter a code letter A..Z of its own")
    return dict(zip(table, codes, strict=True))


def _form(seat: Seat, friction: Friction) -> str:
    """How a row is written."""
    if seat == 1 or friction == 0:
        return "plain letter -> code letter"
    form = "code letter = plain letter"
    return form if friction == 1 else f"{form}, both by their numbers in the alphabet, A is 1"


def _said(facts: Facts, seat: Seat, friction: Friction) -> str:
    """The known rows in a line."""
    rows = sorted(_rows(facts).items())
    if seat == 1 or friction == 0:
        return listed(ENCODE, rows)
    decoding = sorted((code, letter) for letter, code in rows)
    if friction == 1:
        return listed(DECODE, decoding)
    number = {letter: k for k, letter in enumerate(ascii_uppercase, 1)}
    return ", ".join(f"{number[code]} = {number[letter]}" for code, letter in decoding)

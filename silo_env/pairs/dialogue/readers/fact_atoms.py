"""Atoms of tasks whose facts are relations between names: links, values, attributes, clues.

A ``Pattern`` is a wording of a relation: a regular expression with slots. ``{n0}`` is a name and
the first argument of the atom, ``{v1}`` a value word and the second, ``{d1}`` a whole number,
``{k1}`` kilograms that are read as grams, ``{t1}`` a time of day and ``{m1}`` minutes left to
midnight, both read as minutes after midnight; ``{_}`` is a name that the atom leaves out.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from coordgym.silo_env.pairs.dialogue.readers.atoms import (
    Atom,
    AtomReader,
    Atoms,
    Claim,
    words_pattern,
)
from coordgym.silo_env.pairs.dialogue.utterances import assertions, tidy
from coordgym.silo_env.pairs.task import Facts, Seat

_SLOT = re.compile(r"\{([nvdktm])(\d)\}|\{_\}")
_TIME = r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?!\d)(?:\s*[ap]m\b)?"
_WHOLE = r"(?<![\d.])\d{1,7}(?![\d]|\.\d)"
_SLOTS = {
    "d": r"-?(?<!\d)\d{1,7}(?!\d)",
    "k": r"(?<![\d.])\d{1,4}(?:\.\d{1,3})?(?!\d)",
    "t": _TIME,
    "m": _WHOLE,
}
"""What numbers in slots look like."""
_DENIED_BEFORE = re.compile(r"(?:\bno\b|\bnot\b|n't\b|\bwithout\b|\bneither\b)[^,.;]{0,25}$", re.I)
_DENIED_AFTER = re.compile(r"\s*(?:is not|isn't|does not exist|doesn't exist|is missing)\b", re.I)
DENIAL_REACH = 40
"""Characters in front of a relation in which a "no" denies it."""
GRAMS = 1000
"""In a kilogram."""
DAY = 24 * 60
"""Minutes."""

OfView = Callable[[Facts, Seat], Iterable[Atom]]


class Pattern(NamedTuple):
    """One wording of a relation.

    Attributes:
        kind: Kind of the atom.
        wording: A regular expression with slots.
        loose: Whether numbers fit it in texts that speak of something else. Where names are
            written as numbers, such a text states the fact only if its speaker knows it.
    """

    kind: str
    wording: str
    loose: bool = False


def wordings_of(kind: str, wordings: Sequence[str], *, loose: Sequence[str] = ()) -> list[Pattern]:
    """Make patterns of the wordings of one kind of atom."""
    return [
        *(Pattern(kind, wording) for wording in wordings),
        *(Pattern(kind, wording, loose=True) for wording in loose),
    ]


def sentence_wording(template: str, value_at: int | None = None) -> str:
    """Turn the template of a sentence about names and numbers into a wording.

    Args:
        template: As ``Sentence`` has it.
        value_at: The slot that holds a value word.
    """
    wording = ""
    for words, slot, number in re.findall(r"([^{]*)(?:\{(\d)(:d)?\})?", template):
        wording += re.escape(words).replace(r"\ ", " ").replace(", ", r",\s*")
        if slot:
            kind = "d" if number else "v" if int(slot) == value_at else "n"
            wording += f"{{{kind}{slot}}}"
    return wording


class Wording(NamedTuple):
    """A pattern with one way of writing names.

    Attributes:
        kind: Kind of the atom.
        expression: What a text looks like.
        slots: The slots in the order of the atom's arguments.
        names: The names that it is about, as they are written.
        is_plain: Whether these are the names of the instance itself.
        loose: Whether they are numbers, and the pattern is loose.
    """

    kind: str
    expression: re.Pattern[str]
    slots: list[str]
    names: Mapping[str, str]
    is_plain: bool
    loose: bool


class FactReader(AtomReader):
    """Reads atoms by patterns.

    A text that has two readings, because a name or number is written differently in the two
    views, is one claim with two readings.

    Args:
        of_view: The atoms of a view's facts.
        patterns: The wordings.
        names: The names of the instance, each with the name that atoms have for it.
        renamed: What a view writes instead, likewise; names of both kinds don't mix in a fact.
        values: Value words, likewise.
        symmetric: Kinds whose first two arguments can be swapped.
        dropped: Words in front of names that mean nothing, such as "island".
    """

    def __init__(
        self,
        of_view: OfView,
        patterns: Sequence[Pattern],
        names: Mapping[str, str] | Iterable[str],
        *,
        renamed: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
        symmetric: Iterable[str] = (),
        dropped: Sequence[str] = (),
    ) -> None:
        self._of_view = of_view
        self._symmetric = frozenset(symmetric)
        self._names = dict(names) if isinstance(names, Mapping) else {n: n for n in names}
        self._renamed = dict(renamed or {})
        self._values = {word.lower(): value for word, value in (values or {}).items()}
        name = f"(?-i:{words_pattern(self._names)})"
        value = words_pattern(self._values) if self._values else r"(?!)"
        self._wordings = [
            _compiled(pattern, written, value, is_plain=written is self._names)
            for pattern in patterns
            for written in (self._names, self._renamed)
            if written
        ]
        self._dropped = re.compile(rf"\b(?:{'|'.join(dropped)}) ", re.I) if dropped else None
        self.entity = re.compile(rf"{name}|{value}" if self._values else name, re.IGNORECASE)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms of the facts, symmetric ones in one order."""
        return frozenset(self.in_order(atom) for atom in self._of_view(facts, seat))

    def in_order(self, atom: Atom) -> Atom:
        """Return the atom with the arguments of a symmetric relation sorted."""
        if atom[0] not in self._symmetric or not str(atom[1]) > str(atom[2]):
            return atom
        return (atom[0], atom[2], atom[1], *atom[3:])

    def readings(self, atom: Atom) -> Iterable[Atom]:
        """Return what a written fact can mean: itself, or its numbers as either view has them."""
        return (atom,)

    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """Return what the assertions of a text match."""
        claims: list[Claim] = []
        for sentence in assertions(text):
            plain = self._dropped.sub("", sentence) if self._dropped else sentence
            claims += self.stated(tidy(plain), seat)
        return claims

    def stated(self, sentence: str, seat: Seat) -> Iterable[Claim]:
        """Return what one assertion states."""
        matches = [
            (wording, match, atom)
            for wording in self._wordings
            for match in wording.expression.finditer(sentence)
            if (atom := self.matched(wording, match)) is not None
        ]
        is_key = all(self._is_in_key(atom) for wording, _, atom in matches if wording.is_plain)
        found: dict[tuple[str, int, int], Claim] = {}
        for wording, match, atom in matches:
            if _is_denied(sentence, match):
                continue
            claim = self.claim([atom], doubtful=is_key if wording.is_plain else wording.loose)
            place = (str(atom[0]), *match.span())
            found[place] = _joined(found[place], claim) if place in found else claim
        return found.values()

    def claim(self, atoms: Iterable[Atom], *, doubtful: bool = False) -> Claim:
        """Return one claim with all that some written facts can mean."""
        first, *others = dict.fromkeys(
            self.in_order(reading) for atom in atoms for reading in self.readings(atom)
        )
        return Claim(first, others=tuple(others), doubtful=doubtful)

    def matched(self, wording: Wording, match: re.Match[str]) -> Atom | None:
        """Return the atom of a match; None if a slot holds no number that it could hold."""
        parts = [self._part(slot, match[f"p{slot[1]}"], wording.names) for slot in wording.slots]
        known = [part for part in parts if part is not None]
        return (wording.kind, *known) if len(known) == len(parts) else None

    def _is_in_key(self, atom: Atom) -> bool:
        """Tell whether a name and a number may only say which number stands for which name."""
        return len(atom) == 3 and self._renamed.get(str(atom[2])) == atom[1]

    def _part(self, slot: str, text: str, names: Mapping[str, str]) -> str | int | None:
        """Return the argument that a slot holds; None if it is none."""
        match slot[0]:
            case "n":
                return names[text]
            case "v":
                return self._values[text.lower()]
            case "t":
                return minutes(text)
            case "m":
                return DAY - int(text) if int(text) <= DAY else None
            case "k":
                return round(GRAMS * float(text))
        return int(text)


def _compiled(pattern: Pattern, names: Mapping[str, str], value: str, *, is_plain: bool) -> Wording:
    """Return the expression of a wording, and its slots in the order of the atom's arguments."""
    name = f"(?-i:{words_pattern(names)})"
    numeric = all(written.isdigit() for written in names)
    if numeric:  # not a part of a fraction
        name = rf"(?<!\d[.,]){name}(?![.,]\d)"
    inner = {**_SLOTS, "n": name, "v": value}
    slots: list[str] = []

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return f"(?:{name})"
        slots.append(match[1] + match[2])
        return f"(?P<p{match[2]}>{inner[match[1]]})"

    expression = re.compile(_SLOT.sub(fill, pattern.wording), re.IGNORECASE)
    by_place = sorted(slots, key=lambda slot: slot[1])
    return Wording(pattern.kind, expression, by_place, names, is_plain, pattern.loose and numeric)


def _is_denied(sentence: str, match: re.Match[str]) -> bool:
    """Tell whether a "no" before or after a relation denies it."""
    reach = max(0, match.start() - DENIAL_REACH)
    before = _DENIED_BEFORE.search(sentence, reach, match.start())
    return bool(before or _DENIED_AFTER.match(sentence, match.end()))


def _joined(claim: Claim, other: Claim) -> Claim:
    """Return one claim that can be read as either."""
    first, *others = dict.fromkeys((claim.atom, *claim.others, other.atom, *other.others))
    return Claim(first, others=tuple(others), doubtful=claim.doubtful and other.doubtful)


def minutes(text: str) -> int:
    """Return a time such as "08:35" or "8:53 pm" in minutes after midnight."""
    clock = re.match(r"(\d{1,2}):(\d\d)\s*([ap]m)?", text, re.IGNORECASE)
    if clock is None:
        raise ValueError(f"expected a time, got {text!r}")
    hour = int(clock[1])
    if clock[3]:
        hour = hour % 12 + (12 if clock[3].lower() == "pm" else 0)
    return 60 * hour + int(clock[2])

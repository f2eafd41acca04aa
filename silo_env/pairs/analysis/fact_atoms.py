"""Atoms of tasks whose facts are relations between names: links, values, attributes, clues.

A `Pattern` is a wording of a relation: a regular expression with slots. ``{n0}`` is a name and the
first argument of the atom, ``{v1}`` a value word and the second, ``{d1}`` a whole number,
``{k1}`` grams that are read as kilograms, ``{t1}`` a time of day read as minutes; ``{_}`` is a
name that the atom leaves out.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from coordgym.silo_env.pairs.analysis.atoms import Atom, AtomReader, Atoms, Claim, words_pattern
from coordgym.silo_env.pairs.analysis.utterances import assertions
from coordgym.silo_env.pairs.task import Facts, Seat

_SLOT = re.compile(r"\{([nvdkt])(\d)\}|\{_\}")
_TIME = r"(?:[01]?\d|2[0-3]):[0-5]\d(?:\s*[ap]m)?"
_DENIED_BEFORE = re.compile(r"(?:\bno\b|\bnot\b|n't\b|\bwithout\b|\bneither\b)[^,.;]{0,25}$", re.I)
_DENIED_AFTER = re.compile(r"\s*(?:is not|isn't|does not exist|doesn't exist|is missing)\b", re.I)
DENIAL_REACH = 40
"""Characters in front of a relation in which a "no" denies it."""
GRAMS = 1000
"""In a kilogram."""

OfView = Callable[[Facts, Seat], Iterable[Atom]]


class Pattern(NamedTuple):
    """One wording of a relation.

    Attributes:
        kind: Kind of the atom.
        wording: A regular expression with slots.
    """

    kind: str
    wording: str


class FactReader(AtomReader):
    """Reads atoms by patterns.

    Args:
        of_view: The atoms of a view's facts.
        patterns: The wordings.
        names: The names of the instance, each with the name that atoms have for it.
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
        values: Mapping[str, str] | None = None,
        symmetric: Iterable[str] = (),
        dropped: Sequence[str] = (),
    ) -> None:
        self._of_view = of_view
        self._symmetric = frozenset(symmetric)
        self._names = dict(names) if isinstance(names, Mapping) else {n: n for n in names}
        self._values = {word.lower(): value for word, value in (values or {}).items()}
        name = f"(?-i:{words_pattern(self._names)})"
        value = words_pattern(self._values) if self._values else r"(?!)"
        self._patterns = [(p.kind, *_compiled(p.wording, name, value)) for p in patterns]
        self._dropped = re.compile(rf"\b(?:{'|'.join(dropped)}) ", re.I) if dropped else None
        self.entity = re.compile(rf"{name}|{value}" if self._values else name, re.IGNORECASE)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """The atoms of the facts, symmetric ones in one order."""
        return frozenset(self.in_order(atom) for atom in self._of_view(facts, seat))

    def in_order(self, atom: Atom) -> Atom:
        """The atom with the arguments of a symmetric relation sorted."""
        if atom[0] not in self._symmetric or not str(atom[1]) > str(atom[2]):
            return atom
        return (atom[0], atom[2], atom[1], *atom[3:])

    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """What the assertions of a text match."""
        claims: list[Claim] = []
        for sentence in assertions(text):
            plain = self._dropped.sub("", sentence) if self._dropped else sentence
            claims += [Claim(self.in_order(atom)) for atom in self.stated(plain, seat)]
        return claims

    def stated(self, sentence: str, seat: Seat) -> Iterable[Atom]:
        """The atoms that one assertion states."""
        for kind, pattern, slots in self._patterns:
            for match in pattern.finditer(sentence):
                reach = max(0, match.start() - DENIAL_REACH)
                denied = _DENIED_BEFORE.search(
                    sentence, reach, match.start()
                ) or _DENIED_AFTER.match(sentence, match.end())
                parts = [self._part(slot, match[f"p{slot[1]}"]) for slot in slots]
                known = [part for part in parts if part is not None]
                if not denied and len(known) == len(parts):
                    yield (kind, *known)

    def _part(self, slot: str, text: str) -> str | int | None:
        """The argument that a slot holds; None if it is none."""
        if slot[0] == "n":
            return self._names[text]
        if slot[0] == "v":
            return self._values[text.lower()]
        if slot[0] == "t":
            return minutes(text)
        number = int(text)
        if slot[0] == "k":
            return None if number % GRAMS else number // GRAMS
        return number


def _compiled(wording: str, name: str, value: str) -> tuple[re.Pattern[str], list[str]]:
    """The expression of a wording, and its slots in the order of the atom's arguments."""
    inner = {"n": name, "v": value, "d": r"-?(?<!\d)\d{1,7}(?!\d)", "k": r"(?<!\d)\d{1,7}(?!\d)",
             "t": _TIME}  # fmt: skip
    slots: list[str] = []

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return f"(?:{name})"
        slots.append(match[1] + match[2])
        return f"(?P<p{match[2]}>{inner[match[1]]})"

    expression = re.compile(_SLOT.sub(fill, wording), re.IGNORECASE)
    return expression, sorted(slots, key=lambda slot: slot[1])


def minutes(text: str) -> int:
    """A time such as "08:35" or "8:53 pm" in minutes after midnight."""
    clock = re.match(r"(\d{1,2}):(\d\d)\s*([ap]m)?", text, re.IGNORECASE)
    if clock is None:
        raise ValueError(f"expected a time, got {text!r}")
    hour = int(clock[1])
    if clock[3]:
        hour = hour % 12 + (12 if clock[3].lower() == "pm" else 0)
    return 60 * hour + int(clock[2])

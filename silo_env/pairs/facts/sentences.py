"""Facts as sentences: said from a template, and read back from the same template.

A template such as "{0} -> {1}: {2:d} min" has a slot per part of the fact; ``:d`` marks numbers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from coordgym.silo_env.pairs.task import Json

Fact: TypeAlias = tuple[str | int, ...]
"""A relation between names and numbers, such as ("A", "B", 8)."""

NAME = r"[A-Za-z][A-Za-z0-9_]{0,19}"
"""What a name in instances and texts looks like."""
NAMES = rf"{NAME}(?:, {NAME})*"
"""A list of names in a text."""
NUMBER = r"-?\d{1,7}"
NOTHING = "(none)"

_SLOT = re.compile(r"\{(\d)(:d)?\}")


class Sentence:
    """One way of putting a fact into words.

    Args:
        template: The words, with a slot for each part of the fact.

    Attributes:
        template: The same.
    """

    def __init__(self, template: str) -> None:
        self.template = template
        pattern, end = "", 0
        self._numbers: dict[int, bool] = {}
        for slot in _SLOT.finditer(template):
            pattern += re.escape(template[end : slot.start()])
            pattern += rf"(?P<p{slot[1]}>{NUMBER if slot[2] else NAME})"
            self._numbers[int(slot[1])] = slot[2] is not None
            end = slot.end()
        self._pattern = re.compile(pattern + re.escape(template[end:]), re.ASCII)

    def say(self, fact: Sequence[str | int]) -> str:
        """Say the fact in words."""
        return self.template.format(*fact)

    def read(self, text: str) -> Fact | None:
        """Read the fact that a text states; None if it says anything else."""
        match = self._pattern.fullmatch(text.strip())
        if match is None:
            return None
        parts = {
            slot: int(match[f"p{slot}"]) if number else match[f"p{slot}"]
            for slot, number in self._numbers.items()
        }
        return tuple(parts[slot] for slot in sorted(parts))


@dataclass(frozen=True, slots=True)
class Relation:
    """What a field of facts says of names, for whoever reads claims about them.

    Attributes:
        kind: The relation: "parent", "edge", "weighted" (an edge and a number), "value",
            "before", "link" (a label and two ends) or "colour".
        sentences: How the views say it.
        value_at: The part of a fact that is a word of a few, such as a colour.
        synonyms: Other words for these, each with the word that facts have.
        wordings: How else it is said in this task, as a pattern of the readers.
    """

    kind: str
    sentences: Sequence[Sentence]
    value_at: int | None = None
    synonyms: Mapping[str, str] = field(default_factory=dict)
    wordings: Sequence[str] = ()

    @property
    def atom(self) -> str:
        """The kind of its atoms."""
        return "edge" if self.kind == "weighted" else self.kind


def bullets(sentence: Sentence, facts: Iterable[Sequence[str | int]]) -> list[str]:
    """Write one line per fact."""
    return [f"- {sentence.say(fact)}" for fact in facts] or [f"- {NOTHING}"]


def read_bullets(sentence: Sentence, text: str) -> list[Fact]:
    """Read the facts on the lines of a text that start with a dash."""
    said = (line.strip() for line in text.splitlines())
    read = (sentence.read(line[2:]) for line in said if line.startswith("- "))
    return [fact for fact in read if fact is not None]


def listed(sentence: Sentence, facts: Iterable[Sequence[str | int]]) -> str:
    """Write the facts in one line, with commas."""
    return ", ".join(sentence.say(fact) for fact in facts) or NOTHING


def read_listed(sentence: Sentence, text: str) -> list[Fact] | None:
    """Read the facts of a line with commas; None if a part of it is no such fact."""
    if text.strip() == NOTHING:
        return []
    read = [sentence.read(part) for part in text.split(", ")]
    facts = [fact for fact in read if fact is not None]
    return facts if len(facts) == len(read) else None


def numbered(lines: Iterable[str]) -> list[str]:
    """Put numbers from 1 in front of the lines."""
    return [f"{number}. {line}" for number, line in enumerate(lines, 1)]


def read_numbered(text: str) -> list[str]:
    """Read the lines of a text that start with a number and a full stop."""
    return re.findall(r"^ *\d{1,3}\. (.*)$", text, re.MULTILINE)


def as_json(facts: Iterable[Sequence[str | int]]) -> list[Json]:
    """Return facts as JSON lists."""
    return [list(fact) for fact in facts]

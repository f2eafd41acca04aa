"""Sentence patterns that one agent says and the other reads back."""

import re
from typing import NamedTuple

_FIELD = re.compile(r"\{(\w+)(?::([ds]))?\}")
_READABLE = {"": r"[\w-]{1,24}", "d": r"-?\d{1,6}", "s": r".{1,2000}"}
"""What the kinds of fields match: a word, an integer, any text within a line."""


class Phrase:
    """A pattern such as ``"{a} stands before {b}"``: filled in to say it, matched to read it.

    A field ``{a}`` holds one word, ``{k:d}`` an integer, ``{names:s}`` any text; a pattern
    has at most one field of the last kind, so that reading stays linear.

    Args:
        template: The pattern.
    """

    def __init__(self, template: str) -> None:
        self._template = template
        pattern, end = "", 0
        for field in _FIELD.finditer(template):
            kind = _READABLE[field[2] or ""]
            pattern += f"{re.escape(template[end : field.start()])}(?P<{field[1]}>{kind})"
            end = field.end()
        self._pattern = re.compile(pattern + re.escape(template[end:]), re.ASCII)
        self._numbers = frozenset(
            field[1] for field in _FIELD.finditer(template) if field[2] == "d"
        )

    def say(self, **values: str | int) -> str:
        """The sentence with its fields filled in."""
        return self._template.format(**values)

    def read(self, line: str) -> dict[str, str | int] | None:
        """The fields of a line that is this sentence; None if it is not."""
        match = self._pattern.fullmatch(line.strip())
        if match is None:
            return None
        return {
            name: int(value) if name in self._numbers else value
            for name, value in match.groupdict().items()
        }


class Block(NamedTuple):
    """The fields of a heading, and the listed lines below it without their dashes."""

    fields: dict[str, str | int]
    items: list[str]


def bullets(items: list[str]) -> str:
    """Listed lines."""
    return "\n".join(f"- {item}" for item in items)


def read_block(text: str, head: Phrase) -> Block | None:
    """Find the first line that is the heading, and the first list after it."""
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines):
        fields = head.read(line)
        if fields is not None:
            return Block(fields, _first_list(lines[number + 1 :]))
    return None


def read_line(text: str, phrase: Phrase) -> dict[str, str | int] | None:
    """The fields of the first line that is this sentence; None if there is none."""
    return next((found for line in text.splitlines() if (found := phrase.read(line))), None)


def _first_list(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if line.startswith("- "):
            items.append(line[2:].strip())
        elif items:
            break
    return items


def read_pairs(
    text: str, phrase: Phrase, separator: str = ", "
) -> list[dict[str, str | int]] | None:
    """Read parts such as "i1 3 kg, i3 5 kg"; None if one of them is not this phrase."""
    found = [phrase.read(part) for part in text.split(separator)]
    pairs = [fields for fields in found if fields is not None]
    return pairs if len(pairs) == len(found) else None

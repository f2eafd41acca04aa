"""Walks in prose: runs of coordinates or directions, and single moves that both agents agree on.

Each function looks at the last message that holds what it seeks; linear in the text's length.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from coordgym.silo_env.pairs.facts.prose import longest_run
from coordgym.silo_env.pairs.task import Answer, Json

_COORDINATES = re.compile(
    r"\(\s*-?[0-9]{1,3}(?:\s*,\s*-?[0-9]{1,3}){1,2}\s*\)"
    r"|\[\s*-?[0-9]{1,3}(?:\s*,\s*-?[0-9]{1,3}){1,2}\s*\]"
    r"|\(\s*[A-Za-z]\s*,\s*-?[0-9]{1,3}\s*\)|\(\s*-?[0-9]{1,3}\s*,\s*[A-Za-z]\s*\)",
    re.ASCII,
)
_DIRECTION = re.compile(r"\b(?:(?i:up|down|left|right|north|south|east|west)|[UDLRNSEW])\b")
_JOINED_LETTERS = re.compile(r"\b[UDLR]{3,}\b")
_ARROWS = "←↑→↓"
_DIRECTION_ARROWS = re.compile(rf"[{_ARROWS}](?:[ ,]{{0,3}}[{_ARROWS}])+")


def read_tuple(text: str) -> list[Json]:
    """Read the numbers and letters of a coordinate tuple in prose."""
    parts = [part.strip() for part in text.strip("()[] ").split(",")]
    return [part if part.isalpha() else int(part) for part in parts]


def free_text_walk(messages: Sequence[str]) -> Answer | None:
    """Read the longest run of two or more coordinates, else of words, arrows or letters.

    Only the last message that holds either counts.
    """
    for message in reversed(messages):
        cells = longest_run(message, _COORDINATES)
        if len(cells) >= 2:
            return {"path": [read_tuple(cell) for cell in cells]}
        words = longest_run(message, _DIRECTION)
        if len(words) >= 2:
            return {"moves": list(words)}
        arrows = _DIRECTION_ARROWS.findall(message)
        if arrows:
            return {"moves": [sign for sign in max(arrows, key=len) if sign in _ARROWS]}
        letters = _JOINED_LETTERS.findall(message)
        if letters:
            return {"moves": [*max(letters, key=len)]}
    return None


def coordinate_run(text: str) -> list[Json]:
    """Read the longest run of coordinates in a text."""
    return [read_tuple(cell) for cell in longest_run(text, _COORDINATES)]


def free_text_cells(messages: Sequence[str]) -> list[Json] | None:
    """Read the longest run of two or more coordinates in the last message that has one."""
    for message in reversed(messages):
        cells = coordinate_run(message)
        if len(cells) >= 2:
            return cells
    return None


_PROPOSED = re.compile(
    r"\b(?:move|go|step)(?:s|es|ing)?\b(?:(?!\b(?:move|go|step)).){0,60}?"
    rf"(?P<cell>{_COORDINATES.pattern})",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
_AGREEMENT = re.compile(
    r"\b(?:agree|agreed|yes|ok|okay|fine|sure|confirmed|correct|exactly|great"
    r"|sounds good|let'?s do)\b",
    re.IGNORECASE,
)
_DISAGREEMENT = re.compile(
    r"\b(?:disagree|don'?t agree|do not agree|no,|wrong|incorrect)", re.IGNORECASE
)


def agreed_moves(messages: Sequence[str]) -> Answer | None:
    """Read the path of single moves that one agent proposed and the other then took up.

    A move is the last coordinate after "move", "go" or "step" in a message. It counts once the
    partner's next message names the same coordinate or agrees. The start is left implicit, so
    that the chain is readable under every coordinate scheme.
    """
    path: list[Json] = []
    for message, reply in pairwise(messages):
        proposals = [match["cell"] for match in _PROPOSED.finditer(message)]
        if not proposals:
            continue
        move = read_tuple(proposals[-1])
        repeated = any(read_tuple(cell) == move for cell in _COORDINATES.findall(reply))
        agreed = _AGREEMENT.search(reply) and not _DISAGREEMENT.search(reply)
        if (repeated or agreed) and (not path or path[-1] != move):
            path.append(move)
    return {"path": path} if path else None

"""Finding the answer of a dialogue: the final answer object, else what the prose says.

Pure functions on message texts; bounded, linear in the length of the dialogue.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from coordgym.parsing import ParseError, loads_json
from coordgym.silo_env.pairs.task import Answer, ConfigT, InstanceT, Json, PairTask

END_WORD = "ACTI!"
ActiMode = Literal["literal", "strict"]

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|'[^'\n]{0,3}ACTI![^'\n]{0,3}'", re.DOTALL
)
_LINE_END = re.compile(r"ACTI![ \t*_]*$", re.MULTILINE)


def ends_dialogue(message: str, mode: ActiMode) -> bool:
    """Whether a message ends the dialogue.

    Literal: the word anywhere in the message. Strict: at the end of a line, outside quotation
    marks and backticks.
    """
    if mode == "literal":
        return END_WORD in message
    if END_WORD not in message:
        return False
    lines = map(_without_open_quotes, message.split("\n"))
    return bool(_LINE_END.search(_QUOTED.sub(" ", "\n".join(lines))))


def _without_open_quotes(line: str) -> str:
    """A line without quotation marks that nothing closes; each would be sought to the end."""
    closed = line.rfind("”") + 1
    return line[:closed] + line[closed:].replace("“", " ")


class Candidate(NamedTuple):
    """An answer of the dialogue, and how it was found."""

    answer: Answer
    source: Literal["json", "free_text"]


_MARKER = re.compile(r"final\s+answer[\s*_`]*:", re.IGNORECASE)


def final_answer(message: str, answer_fields: Sequence[str]) -> Answer | None:
    """The last readable ``FINAL ANSWER: {...}`` of a message with one of the task's fields."""
    stop = len(message)
    for marker in reversed(list(_MARKER.finditer(message))):
        text = balanced_object(message[marker.end() : stop])
        stop = marker.start()
        if text is None:
            continue
        try:
            value = loads_json(text)
        except ParseError:
            continue
        if isinstance(value, dict) and any(field in value for field in answer_fields):
            return value
    return None


def balanced_object(text: str) -> str | None:
    """The first brace-balanced text; braces inside JSON strings don't count."""
    begin = text.find("{")
    if begin < 0:
        return None
    depth, in_string, escaped = 0, False, False
    for index in range(begin, len(text)):
        char = text[index]
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return text[begin : index + 1]
    return None


_COORDINATES = re.compile(
    r"\(\s*-?\d{1,3}(?:\s*,\s*-?\d{1,3}){1,2}\s*\)"
    r"|\[\s*-?\d{1,3}(?:\s*,\s*-?\d{1,3}){1,2}\s*\]"
    r"|\(\s*[A-Za-z]\s*,\s*-?\d{1,3}\s*\)|\(\s*-?\d{1,3}\s*,\s*[A-Za-z]\s*\)",
    re.ASCII,
)
_BETWEEN = re.compile(r"(?:[\s,]|->|=>|→|⇒|\bthen\b)*", re.IGNORECASE)
_DIRECTION = re.compile(r"\b(?:(?i:up|down|left|right|north|south|east|west)|[UDLRNSEW])\b")


def longest_run(message: str, element: re.Pattern[str]) -> list[str]:
    """The longest run of elements with only blanks, commas, arrows or "then" between them.

    Of equally long runs, the last.
    """
    best: list[str] = []
    run: list[str] = []
    end = 0
    for match in element.finditer(message):
        if run and _BETWEEN.fullmatch(message, end, match.start()) is None:
            run = []
        run.append(match.group())
        end = match.end()
        if len(run) >= len(best):
            best = run
    return best


def read_tuple(text: str) -> list[Json]:
    """The numbers and letters of a coordinate tuple in prose."""
    parts = [part.strip() for part in text.strip("()[] ").split(",")]
    return [part if part.isalpha() else int(part) for part in parts]


def free_text_walk(messages: Sequence[str]) -> Answer | None:
    """The longest run of two or more coordinates, else of direction words.

    Only the last message that holds either counts.
    """
    for message in reversed(messages):
        cells = longest_run(message, _COORDINATES)
        if len(cells) >= 2:
            return {"path": [read_tuple(cell) for cell in cells]}
        words = longest_run(message, _DIRECTION)
        if len(words) >= 2:
            return {"moves": list(words)}
    return None


def coordinate_run(text: str) -> list[Json]:
    """The longest run of coordinates in a text."""
    return [read_tuple(cell) for cell in longest_run(text, _COORDINATES)]


def free_text_cells(messages: Sequence[str]) -> list[Json] | None:
    """The longest run of two or more coordinates in the last message that has one."""
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
    """The path of single moves that one agent proposed and the other then took up.

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


def find_candidate(
    task: PairTask[InstanceT, ConfigT],
    instance: InstanceT,
    messages: Sequence[str],
    *,
    free_text: bool,
) -> Candidate | None:
    """The answer that a dialogue has reached: the last final answer object, else prose."""
    for message in reversed(messages):
        answer = final_answer(message, task.answer_fields)
        if answer is not None:
            return Candidate(answer, "json")
    prose = task.free_text_answer(instance, messages) if free_text else None
    return None if prose is None else Candidate(prose, "free_text")

"""Finding the answer of a dialogue: the final answer object, else what the prose says.

Pure functions on message texts; bounded, linear in the length of the dialogue.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from coordgym.parsing import find_objects
from coordgym.silo_env.pairs.dialogue.answer_objects import read_object, tidy, with_fields
from coordgym.silo_env.pairs.dialogue.markup import plain
from coordgym.silo_env.pairs.dialogue.quotations import own_words, without_forms
from coordgym.silo_env.pairs.options import ActiMode
from coordgym.silo_env.pairs.task import Answer, InstanceT, PairTask
from coordgym.silo_env.pairs.texts import END_WORD

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|'[^'\n]{0,3}ACTI![^'\n]{0,3}'", re.DOTALL
)
_LINE_END = re.compile(r"ACTI![ \t\r*_]*$", re.MULTILINE)


def ends_dialogue(message: str, mode: ActiMode) -> bool:
    """Tell whether a message ends the dialogue.

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
    """Drop quotation marks that nothing closes; each would be sought to the end of the line."""
    closed = line.rfind("”") + 1
    return line[:closed] + line[closed:].replace("“", " ")


class Candidate(NamedTuple):
    """An answer of the dialogue, and how it was found."""

    answer: Answer
    source: Literal["json", "free_text"]


ANSWER_MARKER = re.compile(
    r"final\s+answer[\s*_`]*+(?:\([^()\n]{0,40}+\)[\s*_`]*+)?"
    # Without a colon only what leads to the object itself: a heading's end, a fence, a dash.
    r"(?:[:：]|(?:(?:is|=|[-–—])[\s*_`]*+)?(?:json\s*+)?(?=\{))",
    re.IGNORECASE,
)
"""What stands before the object of a final answer, such as "FINAL ANSWER:" or a heading."""
_LIST = re.compile(
    r"[\s*_`]*+(?:json\s*+)?(?:[\"']?([A-Za-z]{1,20})[\"']?[ \t]*+[:=][ \t]*+)?"
    r"(\[[^\n]*\])[ \t*_`.]*+(?:$|ACTI!)",
    re.MULTILINE,
)
"""A list alone on the line of an answer, under the name of its field, or of the only one."""
_OBJECT_START = re.compile(r"\{(?!\s*+\{)")
"""A brace that may open an object; none that only encloses one, such as that of a LaTeX box."""


def final_answer(message: str, answer_fields: Sequence[str]) -> Answer | None:
    """Find the last readable ``FINAL ANSWER: {...}`` with one of the task's fields.

    The object is JSON, or a Python literal of the same shape, in any case of its keys.

    Args:
        message: The message.
        answer_fields: An answer has at least one of these keys.
    """
    return _marked(message, answer_fields)[0]


def unread_answer(message: str, answer_fields: Sequence[str]) -> bool:
    """Tell whether a message states final answers, of which none can be read."""
    answer, stated = _marked(message, answer_fields)
    return stated and answer is None and unmarked_answer(message, answer_fields) is None


def _marked(message: str, answer_fields: Sequence[str]) -> tuple[Answer | None, bool]:
    """Return the last readable answer behind a marker, and whether any is stated."""
    stop, stated = len(message), False
    for marker in reversed(list(ANSWER_MARKER.finditer(message))):
        text = message[marker.end() : stop]
        stop = marker.start()
        found = balanced_object(text) if (alone := _LIST.match(text)) is None else alone[2]
        if alone is not None:
            field = alone[1] or (answer_fields[0] if len(answer_fields) == 1 else None)
            found = None if field is None else f'{{"{field}": {found}}}'
        if found is None:
            continue
        stated = True
        answer = read_object(found, answer_fields)
        if answer is not None:
            return answer, True
    return None, stated


def unmarked_answer(message: str, answer_fields: Sequence[str]) -> Answer | None:
    """Find the last JSON object with one of the task's fields, without any marker."""
    found = find_objects(message, lambda value: with_fields(value, answer_fields) is not None)
    return with_fields(found[-1].value, answer_fields) if found else None


def balanced_object(text: str) -> str | None:
    """Find the first brace-balanced text; braces inside JSON strings don't count."""
    start = _OBJECT_START.search(text)
    if start is None:
        return None
    begin = start.start()
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


def find_candidate(
    task: PairTask[InstanceT, Any, Any],
    instance: InstanceT,
    messages: Sequence[str],
    *,
    free_text: bool,
) -> Candidate | None:
    """Find the answer that a dialogue has reached.

    The last final answer object of either agent, else, with ``free_text``, the last unmarked
    object, else what the prose says. Repeating the form of an answer or the prompt is no answer.
    """
    messages = [without_forms(task, message) for message in messages]
    for message in reversed(messages):
        answer = final_answer(message, task.answer_fields)
        if answer is not None:
            return Candidate(tidy(task, instance, answer), "json")
    if not free_text:
        return None
    for message in reversed(messages):
        answer = unmarked_answer(message, task.answer_fields)
        if answer is not None:
            return Candidate(tidy(task, instance, answer), "free_text")
    said = own_words(task, instance, [plain(message) for message in messages])
    prose = task.free_text_answer(instance, said)
    return None if prose is None else Candidate(prose, "free_text")

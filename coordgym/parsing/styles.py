"""Calls as several lines: tags around arguments, and an action with its input below.

Models write calls in the style of their training data. Read are the tags of Qwen's coding models
(``<function=f><parameter=x>1</parameter></function>``) and of Claude (``<invoke name="f">``),
Mistral's ``[TOOL_CALLS]f[ARGS]{"x": 1}``, and ReAct's ``Action: f`` with ``Action Input: …``.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from coordgym.parsing.values import ParseError, loads_json, parse_literal


class Block(NamedTuple):
    """A call of several lines: its place, name and arguments, or why it is unusable."""

    start: int
    end: int
    name: str
    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = {}
    error: str | None = None


_OPENING: Final = re.compile(
    r'<(?:function=(?P<function>\w{1,64})|invoke name="(?P<invoke>\w{1,64})")>'
)
_PARAMETER: Final = re.compile(
    r'\s*+<parameter(?:=(?P<plain>\w{1,64})| name="(?P<quoted>\w{1,64})")>'
)
_PARAMETER_END: Final = "</parameter>"
_TOOL_CALL: Final = re.compile(
    r"\[TOOL_CALLS\]\s*+(?P<name>[A-Za-z_]\w{0,63})(?:\[CALL_ID\]\w{1,64})?(?:\[ARGS\])?\s*+(?=\{)"
)
_ACTION: Final = re.compile(
    r"^[ \t]*+(?:\*\*)?Action(?: [0-9]{1,3})?:(?:\*\*)?[ \t]*+"
    r"`?(?P<name>[A-Za-z_]\w{0,63})`?[ \t]*+\r?$",
    re.MULTILINE,
)
_INPUT: Final = re.compile(
    r"\s*+(?:\*\*)?Action Input(?: [0-9]{1,3})?:(?:\*\*)?\s*+(?:```(?:json)?\s*+)?"
)


def blocks(text: str, known: Collection[str], most: int) -> Iterator[Block]:
    """Find up to ``most`` calls of known functions in each style; takes linear time."""
    for finder in (_tagged, _mistral, _react):
        for count, block in enumerate(finder(text, known)):
            if count > most:
                break
            yield block


def _tagged(text: str, known: Collection[str]) -> Iterator[Block]:
    end = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < end:
            continue
        name, closing = opening["function"], "</function>"
        if name is None:
            name, closing = opening["invoke"], "</invoke>"
        close = text.find(closing, opening.end())
        if close < 0:
            if name in known:
                message = f"the call of {name} has no {closing}"
                yield Block(opening.start(), opening.end(), name, error=message)
            return
        end = close + len(closing)
        if name in known:
            yield _with_parameters(opening.start(), end, name, text[opening.end() : close])


def _with_parameters(start: int, end: int, name: str, body: str) -> Block:
    """Read the parameters between the tags of a call; a JSON object stands for all of them."""
    if body.lstrip().startswith("{"):
        return _with_object(start, end, name, body)
    named: dict[str, Any] = {}
    place = 0
    while (opening := _PARAMETER.match(body, place)) is not None:
        close = body.find(_PARAMETER_END, opening.end())
        if close < 0:
            break
        key = opening["plain"] or opening["quoted"]
        if key in named:
            return Block(start, end, name, error=f"{name} got the argument {key} twice")
        value = body[opening.end() : close]
        named[key] = value.removeprefix("\n").removesuffix("\n")
        place = close + len(_PARAMETER_END)
    if body[place:].strip():
        message = f"the arguments of {name} can't be read: use <parameter=…>…</parameter>"
        return Block(start, end, name, error=message)
    return Block(start, end, name, named=named)


def _with_object(start: int, end: int, name: str, source: str) -> Block:
    try:
        value = loads_json(source)
        if isinstance(value, dict):
            return Block(start, end, name, named=value)
        reason = "it is no JSON object"
    except ParseError as error:
        reason = str(error)
    message = f"the arguments of {name} can't be read: {reason}"
    return Block(start, end, name, error=message)


def _places(
    pattern: re.Pattern[str], text: str, known: Collection[str]
) -> list[tuple[re.Match[str], int]]:
    """Find the heads of calls, and where the next one or the end of the text is."""
    found = [match for match in pattern.finditer(text) if match["name"] in known]
    ends = [*(match.start() for match in found[1:]), len(text)]
    return list(zip(found, ends, strict=False))


def _mistral(text: str, known: Collection[str]) -> Iterator[Block]:
    """Read arguments up to the next call or the end of the text."""
    for match, end in _places(_TOOL_CALL, text, known):
        source = text[match.end() : end].removesuffix("</s>")
        yield _with_object(match.start(), end, match["name"], source)


def _react(text: str, known: Collection[str]) -> Iterator[Block]:
    """Read an action and its input: an object of arguments, or the only one; else one line."""
    for match, limit in _places(_ACTION, text, known):
        name = match["name"]
        told = _INPUT.match(text, match.end(), limit)
        if told is None:
            yield Block(match.start(), match.end(), name)
            continue
        end = text.find("\nObservation", told.end(), limit)
        rest = text[told.end() : limit if end < 0 else end]
        line = rest.partition("\n")[0]
        rest = line if _is_value(line) else rest
        yield _with_input(match.start(), told.end() + len(rest), name, rest)


def _is_value(line: str) -> bool:
    try:
        parse_literal(line)
    except ParseError:
        return False
    return True


def _with_input(start: int, end: int, name: str, rest: str) -> Block:
    source = rest.strip().removesuffix("```").strip()
    if source in ("", "None", "none", "null", "{}", "N/A"):
        return Block(start, end, name)
    try:
        value = parse_literal(source)
    except ParseError:
        message = f"the input of {name} can't be read: write an object of its arguments"
        return Block(start, end, name, error=message)
    if isinstance(value, dict):
        return Block(start, end, name, named=value)
    return Block(start, end, name, positional=(value,))

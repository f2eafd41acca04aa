"""Calls as several lines: tags around arguments, and an action with its input below.

Models write calls in the style of their training data. Read are the tags of Qwen's coding models
(``<function=f><parameter=x>1</parameter></function>``), of Claude (``<invoke name="f">``, which
newer DeepSeek models write with ``｜DSML｜`` in every tag) and of GLM (``<tool_call>f<arg_key>x
</arg_key><arg_value>1</arg_value></tool_call>``), Mistral's ``[TOOL_CALLS]f[ARGS]{"x": 1}``, the
tokens of DeepSeek (``<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"x": 1}<｜tool▁call▁end｜>``) and Kimi,
and ReAct's ``Action: f`` with ``Action Input: …``.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from coordgym.parsing.marks import NAME, WORD
from coordgym.parsing.values import ParseError, loads_json, parse_literal


class Block(NamedTuple):
    """A call of several lines: its place, name and arguments, or why it is unusable."""

    start: int
    end: int
    name: str
    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = {}
    error: str | None = None


_PREFIX: Final = "(?:｜DSML｜|antml:)?"
_OPENING: Final = re.compile(
    rf"<(?P<tag>function|{_PREFIX}invoke|tool_call)(?:"
    rf"(?<=function)=(?P<function>[{WORD}]{{1,64}})>"
    rf'|(?<=invoke) name="(?P<invoke>[{WORD}]{{1,64}})">'
    rf"|(?<=tool_call)>\s*+(?:functions\.)?(?P<tool>{NAME})"
    r"\s*+(?=<arg_key>|</tool_call>|\{))"
)
_PARAMETER: Final = re.compile(
    rf"\s*+<(?P<tag>{_PREFIX}parameter)"
    rf'(?:=(?P<plain>[{WORD}]{{1,64}})| name="(?P<quoted>[{WORD}]{{1,64}})")'
    r'(?: string="(?:true|false)")?>'
    rf"|\s*+<arg_key>\s*+(?P<key>[{WORD}]{{1,64}})\s*+</arg_key>\s*+<arg_value>"
)
_TOOL_CALL: Final = re.compile(
    rf"\[TOOL_CALLS\]\s*+(?P<name>{NAME})(?:\[CALL_ID\][{WORD}]{{1,64}})?"
    r"(?:\[ARGS\])?\s*+(?=\{)"
)
_BEGIN: Final = "<[｜|]tool[▁_]call[▁_]begin[｜|]>"
_SEPARATOR: Final = "<[｜|](?:tool[▁_]sep|tool_call_argument_begin)[｜|]>"
_TOKENS: Final = re.compile(
    rf"{_BEGIN}\s*+(?:function\s*+{_SEPARATOR}\s*+(?=[{WORD}]))?(?:functions\.)?"
    rf"(?P<name>{NAME})(?::[0-9]{{1,4}})?\s*+(?:{_SEPARATOR}\s*+)?(?:```(?:json)?)?"
)
_TOKENS_END: Final = re.compile("<[｜|]tool[▁_]call[▁_]end[｜|]>")
_ACTION: Final = re.compile(
    r"^[ \t]*+(?:\*\*)?Action(?: [0-9]{1,3})?:(?:\*\*)?[ \t]*+"
    rf"`?(?P<name>{NAME})`?[ \t]*+\r?$",
    re.MULTILINE,
)
_INPUT: Final = re.compile(
    r"\s*+(?:\*\*)?Action Input(?: [0-9]{1,3})?:(?:\*\*)?\s*+(?:```(?:json)?\s*+)?"
)


def blocks(text: str, known: Collection[str], most: int) -> Iterator[Block]:
    """Find up to ``most`` calls of known functions in each style; takes linear time."""
    for finder in (_tagged, _mistral, _tokens, _react):
        for count, block in enumerate(finder(text, known)):
            if count > most:
                break
            yield block


def _tagged(text: str, known: Collection[str]) -> Iterator[Block]:
    end = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < end:
            continue
        name = opening["function"] or opening["invoke"] or opening["tool"]
        is_call = name in known or opening["tool"] is not None
        closing = f"</{opening['tag']}>"
        close = text.find(closing, opening.end())
        if close < 0:
            if is_call:
                message = f"the call of {name} has no {closing}"
                yield Block(opening.start(), opening.end(), name, error=message)
            return
        end = close + len(closing)
        if is_call:
            yield _with_parameters(opening.start(), end, name, text[opening.end() : close])


def _with_parameters(start: int, end: int, name: str, body: str) -> Block:
    """Read the parameters between the tags of a call; a JSON object stands for all of them."""
    if body.lstrip().startswith("{"):
        return _with_object(start, end, name, body)
    named: dict[str, Any] = {}
    place = 0
    while (opening := _PARAMETER.match(body, place)) is not None:
        closing = f"</{opening['tag'] or 'arg_value'}>"
        close = body.find(closing, opening.end())
        if close < 0:
            break
        key = opening["plain"] or opening["quoted"] or opening["key"]
        if key in named:
            return Block(start, end, name, error=f"{name} got the argument {key} twice")
        value = body[opening.end() : close]
        named[key] = value.removeprefix("\n").removesuffix("\n")
        place = close + len(closing)
    if body[place:].strip():
        message = f"the arguments of {name} can't be read: put each between the tags of its own"
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
    pattern: re.Pattern[str], text: str, known: Collection[str] | None
) -> list[tuple[re.Match[str], int]]:
    """Find the heads of calls, and where the next one or the end of the text is.

    Without known names those of all functions count.
    """
    heads = pattern.finditer(text)
    found = [match for match in heads if known is None or match["name"] in known]
    ends = [*(match.start() for match in found[1:]), len(text)]
    return list(zip(found, ends, strict=False))


def _mistral(text: str, known: Collection[str]) -> Iterator[Block]:
    """Read arguments up to the next call or the end of the text."""
    for match, end in _places(_TOOL_CALL, text, known):
        source = text[match.end() : end].removesuffix("</s>")
        yield _with_object(match.start(), end, match["name"], source)


def _tokens(text: str, _: Collection[str]) -> Iterator[Block]:
    """Read calls between special tokens, whatever their names: no prose holds such tokens."""
    for match, limit in _places(_TOKENS, text, None):
        close = _TOKENS_END.search(text, match.end(), limit)
        source = text[match.end() : limit if close is None else close.start()]
        source = source.rstrip().removesuffix("```").strip()
        end = limit if close is None else close.end()
        yield _with_object(match.start(), end, match["name"], source or "{}")


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

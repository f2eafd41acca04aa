"""Function calls in text: lines ``name(args)``, JSON tool calls, and other styles of models."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from coordgym.parsing.marks import BULLET, NAME, OPENING, closing_of
from coordgym.parsing.styles import Block, blocks
from coordgym.parsing.values import (
    MAX_CHARS,
    MAX_DEPTH,
    STRING,
    ParseError,
    find_objects,
    from_node,
    loads_json,
    parse_expression,
    too_deep,
)

MAX_JSON_STARTS = 800
"""Bound on the number of ``{`` from which a JSON call is sought."""
MAX_BROKEN_CALLS = 5
"""After so many calls that nothing closes, the rest of a text is not read."""


class Call(NamedTuple):
    """One function call found in a text.

    Attributes:
        name: The function's name.
        arguments: Arguments by parameter name; empty if ``error`` is set.
        error: Why the call is unusable, or None.
    """

    name: str
    arguments: dict[str, Any]
    error: str | None = None


class ParsedCalls(NamedTuple):
    """The calls of a text in their order, and what else went wrong."""

    calls: tuple[Call, ...]
    errors: tuple[str, ...]


LABEL = r"(?:(?:\*\*)?(?:Action|Call|Tool call)(?: [0-9]{1,3})?(?::\*\*|\*\*:|:)[ \t]*+)?"
"""What may stand before a call on its line, as in ReAct's transcripts."""
MODULE = r"(?:(?:functions|tools|default_api)\.)?"
"""Modules that models name before functions."""
_TAGS = "tool_calls?|tool_code|function_call|action"
TAG = rf"(?:<(?:{_TAGS}|\|(?:tool_call|tool_call_start|python_tag)\|)>[ \t]*+)?"
"""A tag of tool calls that may stand before a call on its line."""
TAG_END = rf"(?:(?:</(?:{_TAGS})>|<\|(?:/tool_call|tool_call_end)\|>)[ \t]*+)?"
"""A tag that may stand behind it."""

# Possessive quantifiers (*+) keep every pattern linear: runs of blanks are never tried twice.
_CALL_HEAD = re.compile(
    rf"[ \t]*+(?:{BULLET} |>>> ?)?[ \t]*+{TAG}{LABEL}(?P<opening>{OPENING}){MODULE}"
    rf"(?P<name>{NAME})\("
)
_LIST_HEAD = re.compile(rf"[ \t]*+{TAG}\[\s*+(?={MODULE}{NAME}\()")
_LISTED = re.compile(rf"{MODULE}(?P<name>{NAME})\(")
_LIST_COMMA = re.compile(r"\s*+,\s*+")
_LIST_END = re.compile(rf"\s*+\][ \t`.;]*+{TAG_END}(?=\r?\n|\s*+\Z)")
_SIMPLE_CALL = re.compile(
    rf"""[ \t]*+({NAME})\(
        [ \t]*+(-?(?:0|[1-9][0-9]{{0,17}}+)|"[^"\\\n]*+"|'[^'\\\n]*+')?  # one integer or string
        [ \t]*+(,)?                                                  # and/or
        [ \t]*+("[^"\\\n]*+"|'[^'\\\n]*+')?                          # one string, no escapes
        [ \t]*+\)[ \t]*+""",
    re.VERBOSE,
)
_CALL_TAIL = re.compile(rf"[`.,]*+[ \t]*+{TAG_END}(?:(;)[ \t]*+|(?:\#.*+)?\s*+\Z)")
_BRACKET_OR_STRING = re.compile(
    STRING + r"""| ["'()\[\]{}]""",
    re.VERBOSE | re.DOTALL,
)
_JSON_CALL_HINT = re.compile(r'"(?:name|action|tool|tool_name|function|function_name)"\s*+:')
_NAMING_KEYS = ("action", "tool", "tool_name", "function", "function_name")
_INPUT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_SILENT_KEYS = frozenset(
    {"thought", "thoughts", "reasoning", "reason", "explanation", "id", "type"}
)
"""Keys beside the arguments that say nothing of them."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A call and where it stands, so that both notations keep the order of the text."""

    start: int
    end: int
    call: Call

    def holds(self, other: "_Found") -> bool:
        """Tell whether another call begins inside this one."""
        return self.start <= other.start < self.end


class _Functions(NamedTuple):
    """The functions that a text may call: parameters by name, and defaults by parameter."""

    parameters: Mapping[str, Sequence[str]]
    defaults: Mapping[str, Any]


def _unknown(name: str, functions: _Functions) -> Call:
    known = ", ".join(functions.parameters)
    return Call(name[:64], {}, f"there is no function of this name; use {known}")


def _bind(
    name: str, functions: _Functions, positional: Sequence[Any], named: Mapping[str, Any]
) -> Call:
    """Match arguments with the parameters of a function; surplus and doubles are errors."""
    parameters = functions.parameters[name]
    wanted = f"{name}({', '.join(parameters)})"
    if len(positional) > len(parameters):
        return Call(name, {}, f"{name} got {len(positional)} arguments; use {wanted}")
    arguments = dict(zip(parameters, positional, strict=False))
    for key, value in named.items():
        if key not in parameters:
            return Call(name, {}, f"{name} got an unknown argument; use {wanted}")
        if key in arguments:
            return Call(name, {}, f"{name} got the argument {key} twice")
        arguments[key] = value
    for parameter in parameters:
        if parameter not in arguments:
            if parameter not in functions.defaults:
                return Call(name, {}, f"{name} lacks the argument {parameter}; use {wanted}")
            arguments[parameter] = functions.defaults[parameter]
    return Call(name, arguments)


def _close_of(text: str, start: int) -> int:
    """Return the index after the ``)`` that closes a call whose arguments begin at ``start``.

    Brackets inside strings don't count. Returns -1 if nothing closes it.
    """
    depth = 1
    for token in _BRACKET_OR_STRING.finditer(text, start):
        mark = token.group()
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
            if depth == 0:
                return token.end() if mark == ")" else -1
        elif len(mark) == 1:
            return -1  # a quote without its other half
    return -1


def _json_arguments(source: str) -> list[Any] | None:
    """Read the arguments of ``name(...)`` as JSON values, several times faster than literals.

    Only where both notations mean the same, which backslashes and lone surrogates might not.
    """
    if "\\" in source or not source.isascii():
        return None
    try:
        values = loads_json(f"[{source[source.index('(') + 1 : -1]}]")
    except ParseError:
        return None
    return values if isinstance(values, list) else None


def _line_call(source: str, name: str, functions: _Functions) -> Call:
    """Parse ``name(...)`` with literal arguments."""
    if too_deep(source, MAX_DEPTH):
        return Call(name, {}, f"the arguments of {name} are nested too deep")
    values = _json_arguments(source)
    if values is not None:
        return _bind(name, functions, values, {})
    try:
        node = parse_expression(source)
        if not isinstance(node, ast.Call):
            raise ParseError("it is not a call")
        if any(keyword.arg is None for keyword in node.keywords):
            raise ParseError("it unpacks a dictionary")
        positional = [from_node(argument, MAX_DEPTH) for argument in node.args]
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg in named:
                return Call(name, {}, f"{name} got the argument {keyword.arg} twice")
            named[str(keyword.arg)] = from_node(keyword.value, MAX_DEPTH)
    except ParseError as error:
        usage = f"{name}({', '.join(functions.parameters[name])})"
        return Call(name, {}, f"the arguments of {usage} can't be read: {error}")
    return _bind(name, functions, positional, named)


def _simple_call(text: str, index: int, end_of_line: int, functions: _Functions) -> Call | None:
    """Read the common forms by one regular expression, many times faster than a parser."""
    match = _SIMPLE_CALL.match(text, index, end_of_line)
    if match is None or match.end() != end_of_line or match.group(1) not in functions.parameters:
        return None
    name, first, comma, string = match.groups()
    if (comma is not None) != (first is not None and string is not None):
        return None
    values = [
        value[1:-1] if value[0] in "\"'" else int(value)
        for value in (first, string)
        if value is not None
    ]
    return _bind(name, functions, values, {})


def _end_of_line(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _ends_a_call(rest_of_line: str, closing: str) -> bool:
    rest_of_line = rest_of_line.rstrip("`;. \t\r").removesuffix(closing.rstrip("`"))
    return rest_of_line.rstrip("`;. \t\r").endswith(")")


def _after_marks(text: str, index: int, closing: str) -> int:
    """Return the index behind the marks that close a line, a full stop before them included.

    Returns -1 if other text stands there, be it a comma, which would make it part of a list.
    """
    if closing in ("", "`"):
        return index  # a single backtick need not be closed
    index += text.startswith(".", index)
    end = index + len(closing)
    return end if text.startswith(closing, index) and not text.startswith(",", end) else -1


def _calls_in_lines(text: str, functions: _Functions, most: int) -> tuple[list[_Found], bool]:
    """Find calls that start a line (or follow a call and ``;``); arguments may span lines.

    Returns:
        The calls, and whether reading stopped early because too many were never closed.
    """
    found: list[_Found] = []
    index = broken = 0
    while index < len(text) and len(found) <= most:
        line_end = _end_of_line(text, index)
        call = _simple_call(text, index, line_end, functions)
        if call is not None:
            found.append(_Found(index, line_end, call))
            index = line_end + 1
            continue
        if (listed := _calls_in_list(text, index, functions, most)) is not None:
            found += listed
            index = _end_of_line(text, listed[-1].end) + 1
            broken += listed[-1].call.error is not None
            if broken == MAX_BROKEN_CALLS:
                return found, True
            continue
        head = _CALL_HEAD.match(text, index, line_end)
        if head is None:
            index = line_end + 1
            continue
        name, closing = head.group("name"), closing_of(head.group("opening"))
        if name not in functions.parameters:
            if _ends_a_call(text[head.end() : line_end], closing):
                found.append(_Found(index, line_end, _unknown(name, functions)))
            index = line_end + 1
            continue
        close = _close_of(text, head.end())
        if close < 0:
            message = f"the call of {name} has no closing parenthesis or quote"
            found.append(_Found(index, line_end, Call(name, {}, message)))
            broken += 1
            if broken == MAX_BROKEN_CALLS:
                return found, True
            index = line_end + 1
            continue
        marked = _after_marks(text, close, closing)
        tail = _CALL_TAIL.match(text, marked, _end_of_line(text, close)) if marked >= 0 else None
        if tail is None:
            message = f"text follows the call of {name}: put every call alone on its line"
            found.append(_Found(index, close, Call(name, {}, message)))
            index = _end_of_line(text, close) + 1
            continue
        call = _line_call(text[head.start("name") : close], name, functions)
        found.append(_Found(index, close, call))
        index = tail.end() if tail.group(1) else tail.end() + 1
    return found, False


def _calls_in_list(text: str, start: int, functions: _Functions, most: int) -> list[_Found] | None:
    """Read ``[f(x=1), g()]``; None if the line begins no such list.

    A list that does not end as one makes no calls but an error.
    """
    head = _LIST_HEAD.match(text, start)
    first = None if head is None else _LISTED.match(text, head.end())
    if first is None or first["name"] not in functions.parameters:
        return None
    found: list[_Found] = []
    place = first.start()
    while (listed := _LISTED.match(text, place)) is not None and len(found) <= most:
        name = listed["name"]
        close = _close_of(text, listed.end())
        if close < 0:
            break
        if name in functions.parameters:
            call = _line_call(text[listed.start("name") : close], name, functions)
        else:
            call = _unknown(name, functions)
        found.append(_Found(place, close, call))
        if _LIST_END.match(text, close):
            return found
        comma = _LIST_COMMA.match(text, close)
        if comma is None:
            break
        place = comma.end()
    end = _end_of_line(text, start)
    message = "a list of calls does not end with ] behind the last call, alone on its line"
    return [_Found(start, end, Call(first["name"], {}, message))]


def _is_known(name: object, functions: _Functions) -> bool:
    return isinstance(name, str) and name in functions.parameters


def _action_call(value: Mapping[str, Any], functions: _Functions) -> Call | None:
    """Read ``{"action": "f", …}`` and its kin; None if the object names no known function."""
    keys = [key for key in (*_NAMING_KEYS, "name") if _is_known(value.get(key), functions)]
    if len(keys) != 1:
        return None
    name = value[keys[0]]
    inputs = [key for key in _INPUT_KEYS if key in value]
    rest = {k: v for k, v in value.items() if k != keys[0] and k not in _SILENT_KEYS}
    if not inputs:
        return None if keys[0] == "name" and not rest else _bind(name, functions, (), rest)
    if len(inputs) > 1:
        return Call(name, {}, f"the arguments of {name} stand there twice")
    return _with_arguments(name, value[inputs[0]], functions)


def _json_call(value: Mapping[str, Any], functions: _Functions) -> Call | None:
    """Read a tool call object; None if the object isn't one."""
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = value.get("name")
    if not isinstance(name, str) or not ("arguments" in value or "parameters" in value):
        return _action_call(value, functions)
    if name not in functions.parameters:
        return _unknown(name, functions)
    return _with_arguments(name, value.get("arguments", value.get("parameters")), functions)


def _with_arguments(name: str, arguments: object, functions: _Functions) -> Call:
    """Bind the arguments of a JSON tool call: an object, its text, or nothing."""
    if isinstance(arguments, str):
        try:
            arguments = loads_json(arguments)
        except ParseError as error:
            return Call(name, {}, f"the arguments of {name} can't be read: {error}")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return Call(name, {}, f"the arguments of {name} must be a JSON object")
    return _bind(name, functions, (), arguments)


def _calls_in_json(text: str, functions: _Functions) -> list[_Found]:
    """Find tool calls written as JSON objects (bare, in fences, in tags, or in lists)."""
    calls: list[Call] = []

    def accept(value: dict[str, Any]) -> bool:
        call = _json_call(value, functions)
        if call is not None:
            calls.append(call)
        return call is not None

    objects = find_objects(text, accept, max_starts=MAX_JSON_STARTS)
    return [_Found(item.start, item.end, call) for item, call in zip(objects, calls, strict=True)]


def _block_call(block: Block, functions: _Functions) -> Call:
    if block.name not in functions.parameters:
        return _unknown(block.name, functions)
    if block.error is not None:
        return Call(block.name, {}, block.error)
    return _bind(block.name, functions, block.positional, block.named)


def _outermost(found: list[_Found]) -> list[_Found]:
    """Return calls by their places, without those that are part of the text of another one.

    What looks like a call on a line of its own can be a string inside an object, and the other
    way round.
    """
    kept: list[_Found] = []
    for item in sorted(found, key=lambda item: (item.start, -item.end)):
        if not kept or not kept[-1].holds(item):
            kept.append(item)
    return kept


def parse_calls(
    text: str,
    allowed: Mapping[str, Sequence[str]],
    *,
    defaults: Mapping[str, Any] | None = None,
    max_calls: int = 100,
    max_chars: int = MAX_CHARS,
) -> ParsedCalls:
    """Find the function calls of a text, in their order.

    A call is a line ``name(arguments)`` with literal arguments, positional or named, or a
    JSON object ``{"name": …, "arguments": {…}}``, bare, in fences or in ``<tool_call>``
    tags. Other styles of models mean the same: ``Action: f(1)``, ``Action: f`` with ``Action
    Input: {…}`` below, ``[f(x=1), g()]``, ``functions.f(1)``, ``{"action": "f", …}``, the tags
    ``<function=f>``, ``<invoke name="f">`` and ``<tool_call>f`` with parameters, and
    ``[TOOL_CALLS]f{…}`` and its kin of special tokens.

    A bullet before a line, and bold, backticks or quotation marks around it, change nothing.
    Strings are passed on to the letter. Calls inside a longer sentence don't count; a name that
    is not in ``allowed`` is an error where it stands as a call.

    Args:
        text: What the model wrote.
        allowed: Parameter names by function name.
        defaults: Values of the parameters that may be left out, in whatever function.
        max_calls: More calls than this are left out, with an error.
        max_chars: A longer text is not read at all, with an error.
    """
    if len(text) > max_chars:
        return ParsedCalls((), (f"the text is longer than {max_chars} characters",))
    functions = _Functions(allowed, defaults or {})
    found, stopped = _calls_in_lines(text, functions, max_calls)
    found += [
        _Found(block.start, block.end, _block_call(block, functions))
        for block in blocks(text, functions.parameters, max_calls)
    ]
    if _JSON_CALL_HINT.search(text):
        found += _calls_in_json(text, functions)
    calls = tuple(item.call for item in _outermost(found))
    errors = []
    if stopped:
        errors.append(f"{MAX_BROKEN_CALLS} calls were never closed: the rest was not read")
    if len(calls) > max_calls:
        errors.append(f"more than {max_calls} calls: only the first {max_calls} were carried out")
    return ParsedCalls(calls[:max_calls], tuple(errors))

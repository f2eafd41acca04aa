"""Values in text: JSON, literals, objects in prose, tagged lines.

All functions are pure, never evaluate code, take time linear in the bounded length, and
never raise on any string except for the ``ParseError`` that two of them document.
Ambiguity is an error: nothing is guessed from prose.
"""

import ast
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from coordgym.parsing.marks import LETTERS

MAX_CHARS = 100_000
"""Default bound on the length of a parsed text, in code points."""
MAX_DEPTH = 64
"""Default bound on the nesting of a parsed value."""
MAX_STARTS = 200
"""Default bound on the number of ``{`` from which an object is sought in prose."""
WORK_PER_CHAR = 4
"""How often a search for objects may decode each character of a text, on average."""
MAX_UNCOUNTED_WORK = 4_000
"""What a failed try costs whose end is unknown, in characters."""
LONE_SURROGATE = "it holds a surrogate escape without its other half"
MAX_DIGITS = 4_000
"""Longest integer literal; Python itself refuses more than 4,300 digits."""
_INTEGER_BOUND = 10**MAX_DIGITS

Value = None | bool | int | float | str | list[Any] | dict[str, Any]


class ParseError(ValueError):
    """A text is not a value of the expected form; the message says why in plain words."""


def valid_text(text: str, max_chars: int) -> str | None:
    """Say why ``text`` is unusable (too long, lone surrogates), or None if it is fine."""
    if len(text) > max_chars:
        return f"the text has {len(text)} characters; at most {max_chars} are allowed"
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return "the text is not valid Unicode (it holds lone surrogates)"
    return None


def too_deep(text: str, limit: int) -> bool:
    """Tell whether brackets outside strings are nested more than ``limit`` levels deep."""
    if sum(map(text.count, "[{(")) <= limit:
        return False
    depth = 0
    quote = ""
    escaped = False
    for char in text:
        if quote:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char in "[{(":
            depth += 1
            if depth > limit:
                return True
        elif char in "]})":
            depth -= 1
    return False


# --- JSON and literals -------------------------------------------------------------------


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is not a number that JSON allows")


def _finite_float(literal: str) -> float:
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        raise ParseError("a number is too large")
    return value


def _bounded_int(literal: str) -> int:
    if len(literal) > MAX_DIGITS:
        raise ParseError(f"an integer has more than {MAX_DIGITS} digits")
    return int(literal)


_DECODER, _LENIENT_DECODER = (
    json.JSONDecoder(
        parse_constant=_refuse_constant,
        parse_float=_finite_float,
        parse_int=_bounded_int,
        strict=strict,
    )
    for strict in (True, False)
)


def _refuse_lone_surrogates(value: object, source: str) -> None:
    """Refuse strings that no encoding can hold; only escapes of surrogates make them."""
    if "\\ud" not in source and "\\uD" not in source:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ParseError(LONE_SURROGATE) from error


def _check_size(text: str, max_chars: int) -> None:
    if len(text) > max_chars:
        raise ParseError(f"the value has {len(text)} characters; at most {max_chars} are allowed")


def _depth_of(value: object, limit: int) -> int:
    """Return the nesting depth of a parsed value, at most ``limit`` + 1."""
    depth = 0
    level: list[object] = [value]
    while depth <= limit:
        deeper: list[object] = []
        for item in level:
            if isinstance(item, dict):
                deeper.extend(item.values())
            elif isinstance(item, list):
                deeper.extend(item)
        if not any(isinstance(item, dict | list) for item in level):
            break
        depth += 1
        level = deeper
    return depth


def loads_json(text: str, *, max_chars: int = MAX_CHARS, max_depth: int = MAX_DEPTH) -> Value:
    """Parse JSON strictly: no NaN, no Infinity, no numbers beyond a float's range.

    Raises:
        ParseError: If the text is too long, too deep or not JSON.
    """
    _check_size(text, max_chars)
    try:
        value: Value = _DECODER.decode(text.strip())
        _refuse_lone_surrogates(value, text)
    except ParseError:
        raise
    except (ValueError, RecursionError) as error:
        raise ParseError("it is not valid JSON") from error
    brackets = text.count("[") + text.count("{")  # seldom more than the levels that are allowed
    if brackets > max_depth and _depth_of(value, max_depth) > max_depth:
        raise ParseError(f"it is nested more than {max_depth} levels deep")
    return value


_JSON_NAMES = {"true": True, "false": False, "null": None}


def _whole_characters(text: str) -> str:
    """Join surrogate pairs, which Python keeps apart where JSON joins them."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise ParseError(LONE_SURROGATE) from error


def from_node(node: ast.expr, depth: int) -> Any:
    """Turn the syntax tree of a literal into a value; tuples become lists."""
    if depth < 0:
        raise ParseError("it is nested too deep")
    match node:
        case ast.Constant(value=str() as value):
            return _whole_characters(value)
        case ast.Constant(value=None | bool() as value):
            return value
        case ast.Constant(value=int() as value):
            # Hexadecimal literals have no bound in Python, but numbers that are told must.
            if value >= _INTEGER_BOUND:
                raise ParseError(f"an integer has more than {MAX_DIGITS} digits")
            return value
        case ast.Name(id=name) if name in _JSON_NAMES:
            return _JSON_NAMES[name]
        case ast.Constant(value=float() as value) if abs(value) < float("inf"):
            return value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=value)) if (
            isinstance(value, int | float) and not isinstance(value, bool)
        ):
            number = from_node(node.operand, depth)
            return -number if isinstance(sign, ast.USub) else number
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [from_node(item, depth - 1) for item in items]
        case ast.Dict(keys=keys, values=values):
            result: dict[str, Any] = {}
            for key, item in zip(keys, values, strict=True):
                if key is None:
                    raise ParseError("it unpacks a dictionary")
                name = from_node(key, depth - 1)
                if isinstance(name, list | dict):
                    raise ParseError("a key of a dictionary is not text or a number")
                result[name if isinstance(name, str) else str(name)] = from_node(item, depth - 1)
            return result
    raise ParseError("it is not a plain value (text, number, true/false, null, list, dictionary)")


def parse_expression(text: str) -> ast.expr:
    """Parse a Python expression whose strings hold to the letter what stands between quotes."""
    try:
        return ast.parse(_LITERAL.sub(_to_the_letter, text), mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ParseError("it is not a valid literal") from error


STRING = r"""
    "{3}(?:[^\\]|\\.)*?"{3} | '{3}(?:[^\\]|\\.)*?'{3}
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
"""
"""A string literal of Python without its prefix, as a verbose pattern in which a dot is any."""

# A quote without its other half takes all the rest: nothing is searched twice.
_LITERAL = re.compile(
    f"([A-Za-z]{{0,2}})({STRING})|[\"'].*|(?P<letter>[{LETTERS}])", re.VERBOSE | re.DOTALL
)
_ESCAPE = re.compile(
    r"\\(?:[\\'\"abfnrtv\n]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:10|0[0-9a-fA-F])[0-9a-fA-F]{4}|(.|$))"
)


def _to_the_letter(literal: re.Match[str]) -> str:
    """Write a string literal so that Python keeps what it would change or refuse.

    These are backslashes of raw strings and of unknown escapes, carriage returns and NUL. Letters
    outside of strings become one that every Python knows.
    """
    if literal["letter"] is not None:
        return "é"
    prefix, quoted = literal[1], literal[2]
    if quoted is None or not any(char in quoted for char in "\\\r\0"):
        return literal.group()
    marks = quoted[:3] if len(quoted) >= 6 and quoted[:3] == quoted[0] * 3 else quoted[0]
    inside = quoted[len(marks) : -len(marks)]
    if prefix in ("r", "R"):
        prefix = ""
        inside = inside.replace("\\", "\\\\").replace(marks[0], "\\" + marks[0])
    else:
        inside = _ESCAPE.sub(_kept_escape, inside)
    return prefix + marks + inside.replace("\r", "\\r").replace("\0", "\\x00") + marks


def _kept_escape(escape: re.Match[str]) -> str:
    """Double the backslash that starts no known escape: Python would warn or fail."""
    found = escape.group()
    # "\777" is more than a byte: Python warns, so it stays text.
    beyond = found[1:].isdigit() and int(found[1:], 8) > 0o377
    return "\\" + found if beyond or escape.group(1) is not None else found


def parse_literal(text: str, *, max_chars: int = MAX_CHARS, max_depth: int = MAX_DEPTH) -> Value:
    """Parse JSON, else a Python literal (tuples become lists, keys become text).

    Raises:
        ParseError: If the text is neither, too long, too deep, or holds sets, bytes,
            complex numbers, NaN or infinity.
    """
    _check_size(text, max_chars)
    stripped = text.strip()
    try:
        return loads_json(stripped, max_chars=max_chars, max_depth=max_depth)
    except ParseError as error:
        if not isinstance(error.__cause__, ValueError):
            raise
    if too_deep(stripped, max_depth):
        raise ParseError(f"it is nested more than {max_depth} levels deep")
    value: Value = from_node(parse_expression(stripped), max_depth)
    return value


class FoundObject(NamedTuple):
    """A JSON object in a text, and where it stands."""

    start: int
    end: int
    value: dict[str, Any]


def find_objects(
    text: str,
    accept: Callable[[dict[str, Any]], bool],
    *,
    max_starts: int = MAX_STARTS,
    max_depth: int = MAX_DEPTH,
    control_characters: bool = False,
    lone_surrogates: bool = False,
) -> tuple[FoundObject, ...]:
    """Find the JSON objects in prose that ``accept`` takes, in text order.

    Objects inside an accepted one are not looked at; those inside others are. Only the last
    ``max_starts`` braces are tried, because answers stand at the end, and all tries together
    decode a few times the text's length at most: nothing takes quadratic time.

    Args:
        text: Any text; its length is bounded by the caller.
        accept: Tells whether an object is one of those sought.
        max_starts: How many ``{`` are tried.
        max_depth: Objects that are nested deeper are not accepted.
        control_characters: Whether strings may hold raw line breaks and tabs.
        lone_surrogates: Whether escapes may stand for what no text can hold; whoever allows
            that refuses such strings one by one.
    """
    decoder = _LENIENT_DECODER if control_characters else _DECODER
    starts = [match.start() for match in re.finditer(r"\{", text)][-max_starts:]
    budget = WORK_PER_CHAR * len(text) + MAX_UNCOUNTED_WORK
    found: list[FoundObject] = []
    end = 0
    for start in starts:
        if start < end:
            continue
        if budget < 0:
            break
        try:
            value, stop = decoder.raw_decode(text, start)
            budget -= stop - start
            if not lone_surrogates:
                _refuse_lone_surrogates(value, text)
        except json.JSONDecodeError as error:
            budget -= error.pos - start
            continue
        except (ValueError, RecursionError):
            budget -= MAX_UNCOUNTED_WORK
            continue
        if _depth_of(value, max_depth) <= max_depth and accept(value):
            found.append(FoundObject(start, stop, value))
            end = stop
    return tuple(found)


def json_objects(
    text: str,
    *,
    max_chars: int = MAX_CHARS,
    max_starts: int = MAX_STARTS,
    max_depth: int = MAX_DEPTH,
) -> tuple[dict[str, Any], ...]:
    """Find the JSON objects in prose, in text order; objects inside objects don't count.

    The bounds are those of ``find_objects``; a text longer than ``max_chars`` has none.
    """
    if len(text) > max_chars:
        return ()
    found = find_objects(text, lambda _: True, max_starts=max_starts, max_depth=max_depth)
    return tuple(item.value for item in found)


# --- tagged lines ------------------------------------------------------------------------


def tagged_lines(
    text: str, tags: Sequence[str], *, max_chars: int = MAX_CHARS
) -> tuple[tuple[str, str], ...]:
    """Find lines ``TAG: rest`` in their order; tags match in any case at a line's start.

    Returns:
        Pairs of the tag as given in ``tags`` and the rest of the line, stripped.
    """
    if len(text) > max_chars:
        return ()
    by_upper = {tag.upper(): tag for tag in tags}
    found = []
    for line in text.split("\n"):
        head, colon, rest = line.partition(":")
        tag = by_upper.get(head.strip().upper()) if colon else None
        if tag is not None:
            found.append((tag, rest.strip()))
    return tuple(found)

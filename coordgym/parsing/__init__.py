"""Strict, bounded parsers for text that a model wrote.

All functions are pure, never evaluate code, take time linear in the bounded length, and
never raise on any string except for the ``ParseError`` that some of them document.
Ambiguity is an error: nothing is guessed from prose.
"""

from coordgym.parsing.calls import Call, ParsedCalls, parse_calls
from coordgym.parsing.values import (
    MAX_CHARS,
    MAX_DEPTH,
    FoundObject,
    ParseError,
    Value,
    find_objects,
    json_objects,
    loads_json,
    parse_literal,
    tagged_lines,
    valid_text,
)

__all__ = [
    "MAX_CHARS",
    "MAX_DEPTH",
    "Call",
    "FoundObject",
    "ParseError",
    "ParsedCalls",
    "Value",
    "find_objects",
    "json_objects",
    "loads_json",
    "parse_calls",
    "parse_literal",
    "tagged_lines",
    "valid_text",
]

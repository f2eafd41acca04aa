"""Calls made through tool handles, written as the action text that means the same."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from coordgym.errors import ActionError


class UnwritableCallError(ValueError):
    """A model's arguments hold a number that JSON does not allow, or are nested without end."""


def call_as_text(
    name: str, arguments: Mapping[str, Any], allowed: Mapping[str, Sequence[str]]
) -> str:
    """Write one call as text that the parser of actions reads back as the same call.

    Calls of known functions with all arguments or none become lines ``name(arguments)``; anything
    else becomes a JSON tool call, so that it fails in the text for the same reason.

    Raises:
        ActionError: if the name is no text or the arguments hold Python objects of other types.
        UnwritableCallError: if a value of an allowed type has no JSON form (NaN, endless nesting).
    """
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        raise ActionError(
            "call() takes a function's name and a dict of arguments, got "
            f"{type(name).__name__} and {type(arguments).__name__}"
        )
    try:
        if tuple(arguments) and set(arguments) == set(allowed.get(name, ())):
            values = [_as_json(arguments[parameter]) for parameter in allowed[name]]
            return f"{name}({', '.join(values)})"
        if not arguments and name in allowed:
            return f"{name}()"
        return _as_json({"name": name, "arguments": dict(arguments)})
    except TypeError as error:
        raise ActionError(f"the arguments of call() must have a JSON form: {error}") from error
    except (ValueError, RecursionError) as error:
        raise UnwritableCallError from error


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

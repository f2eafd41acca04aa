"""Tool handles: calls that are made inside a round and count as the round's action text.

A policy may make its calls one by one and see each result at once. A turn is one action all the
same: its text is the calls in their order and then what is given to ``step``, and everything
that holds for an action text (its bounds, its errors, its record) holds for that whole.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from coordgym.errors import ActionError
from coordgym.parsing import valid_text
from coordgym.parsing.reasoning import escape_marks
from coordgym.silo_env.compute.channels.turns import Turn
from coordgym.silo_env.compute.game import Game

UNREADABLE_CALL = "Error: the arguments can't be read; use plain texts, numbers and lists"


class ToolHandles:
    """The calls that agents make inside one round of a game; each round gets new handles.

    What counts in the end is the text of the round, which begins with the calls made here: a
    turn means the same, however its calls were made.

    Args:
        game: The game that is played; the calls read it and change nothing.
        max_action_chars: Longest text of a turn.
    """

    def __init__(self, game: Game, max_action_chars: int) -> None:
        self._game = game
        self._max_action_chars = max_action_chars
        self._turns: dict[int, Turn] = {}
        self._called: dict[int, list[str]] = {}

    def call(self, agent: int, name: str, arguments: Mapping[str, Any]) -> str:
        """Make one call and return its result, or a line that begins with "Error:".

        Raises:
            ActionError: If the arguments have no JSON form.
        """
        try:
            text = call_as_text(name, arguments, self._game.parameters)
        except UnwritableCallError:
            return UNREADABLE_CALL
        problem = valid_text(text, self._max_action_chars)
        if problem is not None:
            return f"Error: {problem}"
        if len(self.before(agent, text)) > self._max_action_chars:
            return (
                f"Error: the calls of one round may have {self._max_action_chars} characters "
                "together; this one was not made"
            )
        turn = self._turns.get(agent) or self._game.new_turn(agent)
        result = self._game.call(turn, text)
        if result is None:
            return UNREADABLE_CALL
        self._turns[agent] = turn
        self._called.setdefault(agent, []).append(text)
        return result

    def called(self, agent: int) -> str:
        """Return the agent's calls as action text, a line each."""
        return "\n".join(self._called.get(agent, ()))

    def before(self, agent: int, text: str) -> str:
        """Return the agent's calls and then ``text``, as one action text."""
        called = self.called(agent)
        return f"{called}\n{text}" if called and text else called or text


class UnwritableCallError(ValueError):
    """A model's arguments hold a number that JSON does not allow, or are nested without end."""


def call_as_text(
    name: str, arguments: Mapping[str, Any], allowed: Mapping[str, Sequence[str]]
) -> str:
    """Write one call as text that the parser of actions reads back as the same call.

    Calls of known functions with all arguments or none become lines ``name(arguments)``; anything
    else becomes a JSON tool call, so that it fails in the text for the same reason. No argument
    looks like reasoning, which the environment would take out of a replayed text.

    Args:
        name: What the caller gave as the function's name.
        arguments: What the caller gave as its arguments.
        allowed: Parameter names by function name.

    Raises:
        ActionError: If the name is no text or the arguments hold Python objects of other types.
        UnwritableCallError: If a value of an allowed type has no JSON form (NaN, endless nesting).
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
    return escape_marks(json.dumps(value, ensure_ascii=False, allow_nan=False))

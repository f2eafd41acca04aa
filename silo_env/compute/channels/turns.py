"""One agent's turn in one round: the functions it may call and what its calls have gathered.

A turn takes effect only when the round ends. Until then everything that the calls did is kept in
the turn, so that agents act on the same frozen snapshot and an action can be tried out without
consequences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MAX_ERROR_LINES = 20
"""Most error lines of one turn that the agent is shown; the rest is counted."""
MAX_ERROR_SUMMARY_CHARS = 200


class Parameter(NamedTuple):
    """A parameter of a function; ``kind`` is a JSON Schema type, "" for any value.

    A parameter with a ``default`` may be left out.
    """

    name: str
    kind: str
    description: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A function that agents may call."""

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()

    @property
    def signature(self) -> str:
        """``name(parameter, …)``."""
        return f"{self.name}({', '.join(parameter.name for parameter in self.parameters)})"

    def schema(self) -> dict[str, Any]:
        """Return the function in the form that chat models take as a tool."""
        properties = {
            parameter.name: {
                **({"type": parameter.kind} if parameter.kind else {}),
                "description": parameter.description,
            }
            for parameter in self.parameters
        }
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": properties,
                    "required": [p.name for p in self.parameters if p.default is None],
                    "additionalProperties": False,
                },
            },
        }


WAIT = Function("wait", "End your turn; you act again in the next round.")
SUBMIT = Function(
    "submit_result",
    "Submit your final answer and leave; you can't change it afterwards.",
    (Parameter("answer", "", "Your answer, as the task asks for it."),),
)


class CallError(Exception):
    """A call can't be carried out; the message tells the agent why, without its own words."""


class Send(NamedTuple):
    """A queued message; ``recipient`` None is a broadcast, ``knowledge`` a bit set of shards."""

    recipient: int | None
    content: str
    knowledge: int


class Write(NamedTuple):
    """A queued change of a file; ``content`` None deletes it."""

    path: str
    content: str | None
    knowledge: int


class Result(NamedTuple):
    """What a call returned: its heading, the text, and the facts as data.

    ``is_quote`` tells that the text is what an agent wrote.
    """

    heading: str
    text: str
    facts: dict[str, Any]
    is_quote: bool = False


@dataclass(slots=True)
class Turn:
    """What one agent's calls in the present round have done so far.

    Attributes:
        agent: Index of the agent.
        known: Bit set of the shards that the agent knew at the round's start.
        gained: Bit set of the shards behind what it has read in this turn.
        calls: Number of calls so far.
        ended_by: Name of the call that ended the turn, or "".
        skipped: Number of calls after that one.
        submitted: Whether an answer was submitted, which is ``answer``; it was written ``written``.
        sends: Queued messages.
        writes: Queued changes of files.
        reads: Authors of the versions that were read and last written by others.
        received: Ids of the messages handed over by a call, the last one being the new cursor.
        handed_chars: Characters handed over by calls.
        results: What the calls returned, for the next observation.
        errors: One line per failed call.
    """

    agent: int
    known: int
    gained: int = 0
    calls: int = 0
    ended_by: str = ""
    skipped: int = 0
    submitted: bool = False
    answer: Any = None
    written: Any = None
    sends: list[Send] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    handed_chars: int = 0
    results: list[Result] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def knowledge(self) -> int:
        """Bit set of all shards behind what the agent knows now."""
        return self.known | self.gained

    def fail(self, name: str, reason: str) -> str:
        """Note that the latest call failed; return the line."""
        line = f"call {self.calls} ({name}): {reason}"
        self.errors.append(line)
        return line

    def error_summary(self) -> str | None:
        """Return all errors in one short line, None without errors."""
        if not self.errors:
            return None
        more = len(self.errors) - 1
        tail = f" (and {more} more, listed below)" if more else ""
        return self.errors[0][: MAX_ERROR_SUMMARY_CHARS - len(tail)] + tail


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one agent may do and get in one round.

    Attributes:
        max_calls: Calls per round.
        max_message_chars: Characters of one message or file.
        max_inbox_chars: Characters that one agent is handed in one round.
    """

    max_calls: int
    max_message_chars: int
    max_inbox_chars: int


def parameter_names(functions: Sequence[Function]) -> Mapping[str, tuple[str, ...]]:
    """Return parameter names by function name, as the parser of calls wants them."""
    return {f.name: tuple(parameter.name for parameter in f.parameters) for f in functions}


def parameter_defaults(functions: Sequence[Function]) -> Mapping[str, str]:
    """Return values of the parameters that may be left out, as the parser of calls wants them."""
    return {p.name: p.default for f in functions for p in f.parameters if p.default is not None}

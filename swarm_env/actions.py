"""Reading an agent's answer: ``ACTION: <NAME>`` and ``MSG: <text>`` on lines of their own.

Strict (default): the last ACTION line counts and must hold exactly one known name, in any case;
nothing is guessed from prose. MSG alone is a STAY. Compat, as published: the first ACTION line
counts, and the first known name that its rest contains. In both, nothing usable is a STAY with
an error, and a usable message is still spoken.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from coordgym.parsing import tagged_lines

MAX_MESSAGE_CHARS: Final = 120
"""Characters of a message that are spoken; the rest is replaced by ``CUT_MARK``."""
CUT_MARK: Final = "..."
STAY: Final = "STAY"


class Parsed(NamedTuple):
    """What an answer says.

    Attributes:
        action: A known name; STAY if there is none.
        message: What is spoken, cut to length; empty for none.
        commands: Actions for other agents by number (central commander only).
        error: What could not be used, in plain words, or None.
        given: Whether the answer names a valid action of its own.
    """

    action: str
    message: str
    commands: dict[int, str]
    error: str | None
    given: bool


def parse_answer(
    text: str,
    names: Sequence[str],
    *,
    max_chars: int,
    compat: bool = False,
    commanded: Collection[int] = (),
) -> Parsed:
    """Reads an answer.

    Args:
        text: Any string.
        names: The known action names, upper case.
        max_chars: A longer text is not read.
        compat: Read as the published code does.
        commanded: Numbers of the agents that ``AGENT <number>: <NAME>`` lines may command.
    """
    tags = ["ACTION", "MSG", *(f"AGENT {number}" for number in commanded)]
    lines = tagged_lines(text, tags, max_chars=max_chars)
    action: str | None = None
    message = ""
    errors: list[str] = []
    commands: dict[int, str] = {}
    action_lines = [rest for tag, rest in lines if tag == "ACTION"]
    if action_lines:
        action = _first_contained(action_lines[0], names) if compat else action_lines[-1].upper()
        if action not in names:
            action = None
            errors.append(f"the ACTION line must hold one of {', '.join(names)}")
    for tag, rest in lines:
        if tag == "MSG":
            message = rest
        elif tag.startswith("AGENT "):
            if rest.upper() in names:
                commands[int(tag[6:])] = rest.upper()
            else:
                errors.append(f"the {tag} line must hold one of {', '.join(names)}")
    if not lines:
        errors.append("found no line 'ACTION: <NAME>' or 'MSG: <text>'; you stayed")
    return Parsed(
        action=action or STAY,
        message=_spoken(message),
        commands=commands,
        error=errors[0] if errors else None,
        given=action is not None,
    )


def _first_contained(rest: str, names: Sequence[str]) -> str | None:
    """The known name that stands first in a text, in any case."""
    upper = rest.upper()
    found = [(at, name) for name in names if (at := upper.find(name)) >= 0]
    return min(found)[1] if found else None


def _spoken(message: str) -> str:
    """The message as others hear it: one printable line of bounded length."""
    if not message.isprintable():
        message = "".join(c if c.isprintable() else " " for c in message)
    if len(message) > MAX_MESSAGE_CHARS:
        return message[:MAX_MESSAGE_CHARS] + CUT_MARK
    return message

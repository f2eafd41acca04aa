"""Reading an agent's answer: ``ACTION: <NAME>`` and ``MSG: <text>`` on lines of their own.

Strict (default): the last ACTION line counts and must choose one known name, in any case, with
decorations around it and a remark behind it; where two names may be meant, or none stands at the
beginning, it is refused, and nothing is guessed from prose. MSG alone is a STAY. A bullet before
such a line, bold, backticks or quotation marks around it or its parts change nothing; where there
is no such line, an object such as ``{"action": "UP", "message": "…"}`` is read. Compat, as
published: the first ACTION line counts, and the first known name that its rest contains. In both,
nothing usable is a STAY with an error, and a usable message is still spoken. Lines
``AGENT <number>: <NAME>`` command others.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from coordgym.parsing import find_objects, tagged_lines
from coordgym.parsing.choices import read_choice
from coordgym.parsing.marks import BULLET, CLOSING, OPENING, closing_of
from coordgym.parsing.printable import printable
from coordgym.swarm_env.grid.cells import STAY

MAX_MESSAGE_CHARS: Final = 120
"""Characters of a message that are spoken; the rest is replaced by ``CUT_MARK``."""
CUT_MARK: Final = "..."

_COMMAND: Final = re.compile(r"^[ \t]*AGENT[ \t]+([0-9]{1,9})[ \t]*:(.*)$", re.I | re.M)
# Most lines begin with a letter and are bare; whether all of them are is seen fast.
_UNUSUAL_LINE: Final = re.compile(r"\n[ \t]*+[^A-Za-z\s]")
_DECORATED: Final = re.compile(
    rf"""^[ \t]*+(?:{BULLET}[ \t]++)? (?P<opening>{OPENING})
        (?P<tag>ACTION|MSG|AGENT[ \t]++[0-9]{{1,9}}) (?P<inner>{CLOSING}) [ \t]*+:(?P<rest>.*)$""",
    re.I | re.M | re.X,
)
_INLINE_MESSAGE: Final = re.compile(r"(?:^|[ \t]|[|;,])[|;,]?[ \t]{0,9}MSG[ \t]{0,9}:[ \t]{0,9}")


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
    commanded: Collection[int] | None = None,
) -> Parsed:
    """Read an answer.

    Args:
        text: Any string.
        names: The known action names, upper case.
        max_chars: A longer text is not read.
        compat: Read as the published code does.
        commanded: Numbers of the agents that ``AGENT <number>: <NAME>`` lines may command; None
            for an agent that commands nobody, to which such lines are prose.
    """
    if not compat and len(text) <= max_chars and _UNUSUAL_LINE.search("\n" + text):
        text = _DECORATED.sub(_bare_line, text)
    lines = tagged_lines(text, ("ACTION", "MSG"), max_chars=max_chars)
    if not compat:
        lines = tuple(_apart(lines)) or _object_lines(text, max_chars)
    orders = []
    if commanded is not None and len(text) <= max_chars:
        orders = _COMMAND.findall(text)
    action: str | None = None
    errors: list[str] = []
    commands: dict[int, str] = {}
    action_lines = [rest for tag, rest in lines if tag == "ACTION"]
    if action_lines:
        if compat:
            action = _first_contained(action_lines[0], names)
        else:
            action = _name(action_lines[-1], names)
        if action is None:
            errors.append(f"the ACTION line must hold one of {', '.join(names)}")
    for digits, rest in orders:
        number, rest = int(digits), rest.strip()
        name = rest.upper() if compat else _name(rest, names)
        if number not in (commanded or ()):
            errors.append(f"there is no agent {number} on the map that you can command")
        elif name is None or name not in names:
            errors.append(f"the AGENT {number} line must hold one of {', '.join(names)}")
        else:
            commands[number] = name
    if not (lines or orders):
        errors.append("found no line 'ACTION: <NAME>' or 'MSG: <text>'; you stayed")
    messages = [rest for tag, rest in lines if tag == "MSG"]
    return Parsed(
        action=action or STAY,
        message=_spoken(messages[-1] if messages else ""),
        commands=commands,
        error=errors[0] if errors else None,
        given=action is not None,
    )


def _bare_line(line: re.Match[str]) -> str:
    """Return a line as it reads without its bullet and the marks around it.

    Marks that nothing closes are put to the rest, where whoever reads a name takes them off.
    """
    opening, tag, inner, rest = line.group("opening", "tag", "inner", "rest")
    closing = closing_of(opening)
    if inner:
        return f"{tag}:{rest}" if inner == closing else line.group()
    if opening:
        stripped = rest.rstrip()
        if rest.startswith(closing):
            rest = rest[len(closing) :]
        elif stripped.endswith(closing):
            rest = stripped[: -len(closing)]
        else:
            rest = opening + rest.lstrip()
    return f"{tag}:{rest}"


def _name(rest: str, names: Sequence[str]) -> str | None:
    """Return the one name that the rest of a line chooses, if it is that clear."""
    upper = rest.upper()
    return upper if upper in names else read_choice(rest, names).option


def _apart(lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield lines of which an action and a message behind it on the same line are two."""
    for tag, rest in lines:
        if tag == "ACTION" and (inline := _INLINE_MESSAGE.search(rest)) is not None:
            yield tag, rest[: inline.start()]
            yield "MSG", rest[inline.end() :]
        else:
            yield tag, rest


def _object_lines(text: str, max_chars: int) -> tuple[tuple[str, str], ...]:
    """Return what a JSON object with an action says, as lines; the last such object counts."""
    if "{" not in text or len(text) > max_chars:
        return ()

    def is_answer(entries: dict[str, Any]) -> bool:
        return any(key.lower() == "action" for key in entries)

    found = find_objects(text, is_answer, control_characters=True)
    entries = {key.lower(): value for key, value in found[-1].value.items()} if found else {}
    tags = (("ACTION", "action"), ("MSG", "message"), ("MSG", "msg"))
    said = [(tag, entries[key]) for tag, key in tags if isinstance(entries.get(key), str)]
    return tuple((tag, " ".join(value.split("\n"))) for tag, value in said)


def _first_contained(rest: str, names: Sequence[str]) -> str | None:
    """Return the known name that stands first in a text, in any case."""
    upper = rest.upper()
    found = [(at, name) for name in names if (at := upper.find(name)) >= 0]
    return min(found)[1] if found else None


def _spoken(message: str) -> str:
    """Return the message as others hear it: one printable line of bounded length."""
    message = printable(message, " ")
    if len(message) > MAX_MESSAGE_CHARS:
        return message[:MAX_MESSAGE_CHARS] + CUT_MARK
    return message

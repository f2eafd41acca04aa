"""How logs of events and the queries about them are written and read."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from coordgym.silo_env.pairs.facts.sentences import numbered, read_numbered
from coordgym.silo_env.pairs.task import Friction, Seat

DAY = 24 * 60
"""Minutes."""

FIRST, GAP, NTH, BETWEEN = "first", "gap", "nth", "between"
QUESTIONS = {
    FIRST: "Which happened first: {} or {}?",
    GAP: "How many minutes lie between {} and {}?",
    NTH: "Which event was number {} overall (1 = earliest)?",
    BETWEEN: "How many events lie strictly between {} and {}?",
}

Query: TypeAlias = tuple[str | int, ...]
"""A kind, then two events or a number."""

RESERVED = {"or", "and", "at"}
"""Words that stand between names in texts."""
MOST_NAME_CHARS = 40
_NAME = r"[A-Za-z]+(?: [A-Za-z]+){0,3}"
_ENTRY = re.compile(rf"^- (\d\d):(\d\d) ({_NAME})$", re.MULTILINE | re.ASCII)
_LOG = re.compile(
    rf"^Log of your recorder \(.{{1,100}}; both recorded '({_NAME})', the same event\):$"
    r"((?:\s^- .*$)*)",
    re.MULTILINE,
)
_QUESTIONS = {
    kind: re.compile(
        re.escape(question).replace(r"\{\}", r"(\d\d?)" if kind == NTH else f"({_NAME})"), re.ASCII
    )
    for kind, question in QUESTIONS.items()
}


@dataclass(frozen=True, slots=True)
class LogView:
    """A log on its own clock or both on clock 1, the event that both have, and the queries."""

    events: tuple[tuple[str, int], ...]
    sync: str
    queries: tuple[Query, ...]
    whole: bool = False


def say(view: LogView, seat: Seat, friction: Friction) -> str:
    """Write a log and the queries."""
    return "\n".join([
        _head(view, seat, friction),
        *(f"- {line}" for line in _said(view, seat, friction)),
        "Queries about all events of both logs (the shared one counts once):",
        *numbered(_ask(query) for query in view.queries),
    ])  # fmt: skip


def say_compact(view: LogView, seat: Seat, friction: Friction) -> str:
    """Write a log and the queries in few tokens."""
    queries = [" / ".join(map(str, query)) for query in view.queries]
    return "\n".join(
        [f"log, shared: {view.sync}", *_said(view, seat, friction), *numbered(queries)]
    )


def hear(text: str) -> LogView | None:
    """Read a log in 24-hour times and the queries."""
    match = _LOG.search(text)
    queries = [query for line in read_numbered(text) if (query := _heard(line)) is not None]
    if match is None or not queries:
        return None
    log = {name: 60 * int(hour) + int(minute) for hour, minute, name in _ENTRY.findall(match[2])}
    if match[1] not in log:
        return None
    return LogView(tuple(log.items()), match[1], tuple(queries))


def is_event_name(name: str) -> bool:
    """Say whether texts can hold this name of an event: one to four words, none reserved."""
    known = re.fullmatch(_NAME, name) is not None and not RESERVED & set(name.split())
    return known and len(name) <= MOST_NAME_CHARS


def _ask(query: Query) -> str:
    """Put a query into words."""
    return QUESTIONS[str(query[0])].format(*query[1:])


def _heard(line: str) -> Query | None:
    """Read a query of a text; None if the line is none."""
    for kind, pattern in _QUESTIONS.items():
        match = pattern.fullmatch(line.strip())
        if match is not None:
            return (kind, *((int(x) if kind == NTH else x) for x in match.groups()))
    return None


def _head(view: LogView, seat: Seat, friction: Friction) -> str:
    """Say whose log it is, and what both logs have in common."""
    if view.whole:
        return f"Log of both recorders on one clock (both recorded '{view.sync}'):"
    whose = f"recorder {seat}" if friction else "your recorder"
    return (
        f"Log of {whose} (its own clock; the two recorders' clocks differ by a fixed amount; both "
        f"recorded '{view.sync}', the same event):"
    )


def _said(view: LogView, seat: Seat, friction: Friction) -> list[str]:
    """Write a line per event."""
    log = view.events
    if friction == 0:
        return [f"{clock(minute)} {name}" for name, minute in log]
    if seat == 1:
        return [f"{clock(minute)} {name}" for name, minute in sorted(log, key=lambda e: e[1])]
    if friction == 2:
        return [f"{name}, {DAY - minute} minutes before midnight" for name, minute in sorted(log)]
    return [f"{name} at {_twelve(minute)}" for name, minute in sorted(log)]


def clock(minute: int) -> str:
    """Write a time of day such as 08:35."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _twelve(minute: int) -> str:
    """Write a time with am or pm."""
    hour = minute // 60
    return f"{(hour - 1) % 12 + 1}:{minute % 60:02d} {'am' if hour < 12 else 'pm'}"

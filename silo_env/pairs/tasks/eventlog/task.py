"""``eventlog``: the logs of two recorders whose clocks differ, one log in each view.

Rules: one event is in both logs; the clocks differ by a fixed amount that nobody knows. Answer
queries about the merged log: which of two events came first, minutes between two, the n-th event
overall, how many lie strictly between two.
Views: each has one log on its own clock; the queries are in both. View 1 writes 24-hour times in
their order, view 2 am and pm in alphabetical order; at friction 2 it counts minutes to midnight.
Answer: ``{"answers": ["alarm rang", 12, ...]}`` in the order of the queries.
Grade: the share of queries answered rightly.
Source: The Collaboration Tax, appendix F (eventlog).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.pairs.facts.answers import grade_queries, numbered_answers
from coordgym.silo_env.pairs.facts.fact_checks import first_fault, integers_fault, length_fault
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import deal
from coordgym.silo_env.pairs.facts.prose import any_of, only_integer
from coordgym.silo_env.pairs.task import Answer, Grade, Json, PairTask, Seat
from coordgym.silo_env.pairs.tasks.eventlog import texts
from coordgym.silo_env.pairs.tasks.eventlog.texts import (
    BETWEEN,
    DAY,
    FIRST,
    GAP,
    NTH,
    QUESTIONS,
    LogView,
    Query,
    clock,
    is_event_name,
)

SHARED = "mail sent"
"""The event of generated instances that both recorders saw."""
NAMES = (
    "alarm rang", "badge read", "crate moved", "door opened", "fan stopped", "gate locked",
    "horn blown", "key returned", "lamp lit", "pump started", "report filed", "siren tested",
    "tank filled", "valve shut", "window cleaned",
)  # fmt: skip
START, END = 8 * 60, 11 * 60
"""Generated events happen between these minutes on clock 1."""
OFFSETS = (-47, -25, -13, 17, 33, 52)
"""Minutes by which clock 2 is ahead of clock 1."""
MOST_EVENTS, MOST_QUERIES = 16, 10

Event: TypeAlias = tuple[str, int, Literal[0, 1, 2]]
"""Name, minute on clock 1, and the view that shows it: 1, 2, or 0 for both."""


@dataclass(frozen=True, slots=True)
class EventLogConfig:
    """Difficulty of generated logs.

    Attributes:
        n: Events, 4..16, the shared one included.
        q: Queries, 1..8.
        offsets: Minutes by which clock 2 may be ahead, each -180..180 and not 0.
    """

    n: int = 8
    q: int = 4
    offsets: Sequence[int] = OFFSETS

    def __post_init__(self) -> None:
        require_int("n", self.n, 4, MOST_EVENTS)
        require_int("q", self.q, 1, 8)
        if not isinstance(self.offsets, list | tuple) or not self.offsets:
            raise ConfigError(f"offsets must be a list of minutes, got {self.offsets!r:.100}")
        if 0 in [require_int("offsets", offset, -180, 180) for offset in self.offsets]:
            raise ConfigError("offsets must not hold 0: the clocks would agree")


@dataclass(frozen=True, slots=True)
class EventLogInstance:
    """The merged log, clock 2's lead over clock 1, and the queries; the shared event is first."""

    events: tuple[Event, ...]
    offset: int
    queries: tuple[Query, ...]


class EventLog(PairTask[EventLogInstance, EventLogConfig, LogView]):
    """The two logs."""

    answer_fields = ("answers",)
    counts = True
    config_type = EventLogConfig
    instance_type = EventLogInstance
    view_type = LogView
    reader = "coordgym.silo_env.pairs.tasks.eventlog.reader:LogReader"
    rule = (
        "Two recorders logged events, each with a clock of its own; the clocks differ by a fixed "
        "amount, and one event is in both logs. Answer the queries about all events together."
    )
    split = "You have the log of one recorder, the other agent has the other log."
    compact_rule = (
        "merge two logs (clocks differ by a constant) and answer: first / a / b: which; gap: "
        "minutes between; nth: event number n of all; between: how many events strictly between"
    )
    compact_split = "the other agent has the other log"
    form = '{"answers": ["event", 12, ...]}'
    note = (
        '"answers" has one entry per query, in their order: the name of an event where it '
        "asks which, a number where it asks how many."
    )
    say = staticmethod(texts.say)
    say_compact = staticmethod(texts.say_compact)
    hear = staticmethod(texts.hear)

    def draw(self, config: EventLogConfig, rng: np.random.Generator) -> EventLogInstance | None:
        """Draw minutes, and queries of all kinds about an event of each view."""
        names = choose(NAMES, config.n - 1, rng)
        first, *minutes = map(int, START + rng.choice(END - START, size=config.n, replace=False))
        private = deal(list(zip(names, minutes, strict=True)), rng)
        events: tuple[Event, ...] = ((SHARED, first, 0), *private)
        kinds = [kind for _ in range(2) for kind in choose(tuple(QUESTIONS), 4, rng)]
        queries = tuple(_draw_query(kind, events, rng) for kind in kinds[: config.q])
        if len(set(queries)) < config.q:
            return None
        return EventLogInstance(events, choose(config.offsets, 1, rng)[0], queries)

    def fault(self, instance: EventLogInstance) -> str | None:
        """Say what is wrong with the logs, the lead or the queries."""
        events, queries = instance.events, instance.queries
        fault = first_fault(
            chain(
                [length_fault("events", events, 3, MOST_EVENTS)],
                (_event_fault(event, first=k == 0) for k, event in enumerate(events)),
                [integers_fault("offset", [instance.offset], 1 - DAY, DAY - 1)],
                [length_fault("queries", queries, 1, MOST_QUERIES)],
                map(_form_fault, queries),
            )
        )
        return fault or _union_fault(events, instance.offset, queries)

    def solve(self, instance: EventLogInstance) -> Answer:
        """Sort the events."""
        return {"answers": _expected(instance)}

    def score(self, instance: EventLogInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of right entries."""
        return grade_queries(_expected(instance), answer)

    def view(self, instance: EventLogInstance, seat: Seat | None) -> LogView:
        """Return one log on its own clock; both logs on clock 1 in the order of time."""
        lead = instance.offset if seat == 2 else 0
        shown = _sorted(instance) if seat is None else instance.events
        log = tuple(
            (name, minute + lead)
            for name, minute, owner in shown
            if seat is None or owner != 3 - seat
        )
        return LogView(log, instance.events[0][0], instance.queries, seat is None)

    def join(self, views: Sequence[LogView]) -> EventLogInstance | None:
        """Put two logs that share one event on the first one's clock, or take the whole."""
        sync, queries = views[0].sync, views[0].queries
        logs = [dict(view.events) for view in views]
        if any(view.sync != sync or view.queries != queries for view in views):
            return None
        if any(sync not in log for log in logs):
            return None
        whole = [log for log, view in zip(logs, views, strict=True) if view.whole]
        if whole:
            fits = all(set(log) <= set(whole[0]) for log in logs)
            return _unsplit(whole[0], sync, 0, queries) if fits else None
        if len(logs) != 2 or set(logs[0]) & set(logs[1]) != {sync}:
            return None
        lead = logs[1][sync] - logs[0][sync]
        events = {**logs[0], **{name: minute - lead for name, minute in logs[1].items()}}
        return _unsplit(events, sync, lead, queries)

    def redraw(
        self, view: LogView, rng: np.random.Generator, like: EventLogInstance | None = None
    ) -> EventLogInstance | None:
        """Draw the minutes of hidden events, and without ``like`` their names and the lead."""
        if like is None:
            return _invented(view, rng)
        seat = self.seat_of(like, view)
        minutes = [minute for _, minute, _ in like.events]
        span = range(min(START, *minutes), max(END, *minutes) + 1)
        known = {minute for _, minute, owner in like.events if owner in (0, seat)}
        hidden = iter(_draw_minutes(span, known, len(minutes) - len(known), rng))
        events = tuple(
            (name, minute if owner in (0, seat) else next(hidden), owner)
            for name, minute, owner in like.events
        )
        return None if _leaves_the_day(events, like.offset) else replace(like, events=events)

    def check_steps(self, instance: EventLogInstance, answer: Answer) -> list[str]:
        """List the events in their order, on clock 1."""
        return [
            f"number {number}: {name} at {clock(minute)} fits"
            for number, (name, minute, _) in enumerate(_sorted(instance), 1)
        ]

    def free_text_answer(
        self, instance: EventLogInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read numbered lines: the event that they name, else a number."""
        event = re.compile(any_of(name for name, _, _ in instance.events))

        def read(line: str) -> Json:
            named = event.findall(line)
            return str(named[-1]) if named else only_integer(line)

        return numbered_answers(messages, len(instance.queries), read)

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw events and numbers."""
        names = choose(NAMES, 4, rng)
        return {"answers": [n if rng.random() < 0.5 else int(rng.integers(60)) for n in names]}


def _draw_query(kind: str, events: Sequence[Event], rng: np.random.Generator) -> Query:
    """Draw a query about a private event of each view, or about a place in the order."""
    if kind == NTH:
        return kind, int(rng.integers(2, len(events)))
    pair = [choose([name for name, _, owner in events if owner == view], 1, rng)[0]
            for view in (1, 2)]  # fmt: skip
    return (kind, *choose(pair, 2, rng))


def _draw_minutes(span: range, taken: set[int], count: int, rng: np.random.Generator) -> list[int]:
    """Draw different minutes that are not taken."""
    return choose([minute for minute in span if minute not in taken], count, rng)


def _invented(view: LogView, rng: np.random.Generator) -> EventLogInstance:
    """Draw the lead of the own clock and as many other events, those of the queries first."""
    log = dict(view.events)
    asked = dict.fromkeys(
        str(name) for query in view.queries if query[0] != NTH for name in query[1:]
    )
    others = [name for name in asked if name not in log]
    spare = [name for name in NAMES if name not in log and name not in others]
    highest = max((int(query[1]) for query in view.queries if query[0] == NTH), default=0)
    count = max(len(others), len(log) - 1, highest - len(log))
    others += choose(spare, count - len(others), rng)
    low, high = min(log.values()), max(log.values())
    leads = [lead for lead in (0, *OFFSETS) if START + lead <= low and high <= END + lead]
    lead = choose(leads or [0], 1, rng)[0]
    span = range(max(0, min(START + lead, low)), min(DAY, max(END + lead, high) + 1))
    minutes = _draw_minutes(span, set(log.values()), len(others), rng)
    hidden = dict(zip(others, minutes, strict=False))
    return _unsplit({**log, **hidden}, view.sync, 0, view.queries)


def _sorted(instance: EventLogInstance) -> list[Event]:
    return sorted(instance.events, key=lambda event: event[1])


def _expected(instance: EventLogInstance) -> list[Json]:
    order = [name for name, _, _ in _sorted(instance)]
    minute = {name: at for name, at, _ in instance.events}
    expected: list[Json] = []
    for kind, a, *rest in instance.queries:
        if kind == NTH:
            expected.append(order[int(a) - 1])
            continue
        early, late = sorted((str(a), str(rest[0])), key=lambda name: minute[name])
        between = order.index(late) - order.index(early) - 1
        found: dict[str | int, Json] = {
            FIRST: early, GAP: minute[late] - minute[early], BETWEEN: between,
        }  # fmt: skip
        expected.append(found[kind])
    return expected


def _unsplit(
    events: Mapping[str, int], sync: str, offset: int, queries: tuple[Query, ...]
) -> EventLogInstance:
    """Return logs of which view 1 shows everything."""
    others = sorted(events.items())
    private: list[Event] = [(name, minute, 1) for name, minute in others if name != sync]
    return EventLogInstance(((sync, events[sync], 0), *private), offset, queries)


def _leaves_the_day(events: Sequence[Event], offset: int) -> bool:
    """Say whether an event of the second log is on another day on clock 2."""
    return not all(0 <= minute + offset < DAY for _, minute, owner in events if owner != 1)


def _event_fault(event: Event, *, first: bool) -> str | None:
    """Say what is wrong with an event; the first one is in both logs."""
    name, minute, owner = event
    if not is_event_name(name):
        return "events must have names of one to four words"
    low, high = (0, 0) if first else (1, 2)
    fault = integers_fault("the owner of the first event must be 0; owners", [owner], low, high)
    return fault or integers_fault("the minutes of events", [minute], 0, DAY - 1)


def _form_fault(query: Query) -> str | None:
    """Say what is wrong with the form of a query."""
    kind, *about = query or ("",)
    if kind not in QUESTIONS:
        return f"the kind of a query must be one of {', '.join(QUESTIONS)}"
    parts = [type(part) for part in about]
    if parts == ([int] if kind == NTH else [str, str]):
        return None
    return "a query must be [nth, place] or [first|gap|between, event, event]"


def _union_fault(events: Sequence[Event], offset: int, queries: Sequence[Query]) -> str | None:
    """Say what in well-formed logs and queries does not fit together."""
    names = {name for name, _, _ in events}
    if min(len(names), len({minute for _, minute, _ in events})) < len(events):
        return "events must have different names and minutes"
    for kind, *about in queries:
        if kind == NTH and not 1 <= int(about[0]) <= len(names):
            return f"an nth query must ask for a place 1..{len(names)}"
        if kind != NTH and (not names >= set(about) or about[0] == about[1]):
            return "queries must speak of two different known events"
    if _leaves_the_day(events, offset):
        return "events must lie within one day on clock 2, too"
    return None

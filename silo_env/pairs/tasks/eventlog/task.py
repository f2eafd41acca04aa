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
from typing import TypeAlias

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.pairs.facts.answers import grade_queries, numbered_answers
from coordgym.silo_env.pairs.facts.fact_checks import require_integer
from coordgym.silo_env.pairs.facts.instances import require_list, require_word
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.facts.prose import any_of, only_integer
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import WHOLE
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.eventlog import texts as log_texts
from coordgym.silo_env.pairs.tasks.eventlog.texts import (
    BETWEEN,
    DAY,
    FIRST,
    GAP,
    NTH,
    QUESTIONS,
    Query,
    clock,
    is_event_name,
    log_of,
    queries_of,
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


Event: TypeAlias = tuple[str, int, int]
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


class EventLog(WideTask[EventLogInstance, EventLogConfig]):
    """The two logs."""

    answer_fields = ("answers",)
    config_type = EventLogConfig
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

    def draw(self, config: EventLogConfig, rng: np.random.Generator) -> EventLogInstance | None:
        """Random minutes; queries of all kinds about an event of each view."""
        names = [SHARED, *choose(NAMES, config.n - 1, rng)]
        minutes = START + rng.choice(END - START, size=config.n, replace=False)
        owners = [0, *map(int, balanced_owners(config.n - 1, rng))]
        events = tuple(zip(names, map(int, minutes), owners, strict=True))
        kinds = [kind for _ in range(2) for kind in choose(tuple(QUESTIONS), 4, rng)]
        queries = tuple(_draw_query(kind, events, rng) for kind in kinds[: config.q])
        if len(set(queries)) < config.q:
            return None
        return EventLogInstance(events, choose(config.offsets, 1, rng)[0], queries)

    def read_instance(self, given: Mapping[str, object]) -> EventLogInstance:
        """Check logs given as JSON: events, offset, queries."""
        entries = require_list("events", given.get("events"), 3, MOST_EVENTS)
        events = tuple(_read_event(entry, index) for index, entry in enumerate(entries))
        offset = require_integer("offset", given.get("offset"), 1 - DAY, DAY - 1)
        listed = require_list("queries", given.get("queries"), 1, MOST_QUERIES)
        queries = tuple(_read_query(query) for query in listed)
        instance = EventLogInstance(events, offset, queries)
        fault = _fault(instance)
        if fault is not None:
            raise InstanceError(fault)
        if any(not 0 <= minute + offset < DAY for _, minute, owner in events if owner != 1):
            raise InstanceError("events must lie within one day on clock 2, too")
        return instance

    def solve(self, instance: EventLogInstance) -> Answer:
        """Sort the events."""
        return {"answers": _expected(instance)}

    def optimal_answers(self, instance: EventLogInstance, limit: int) -> list[Answer]:
        """The one answer."""
        return [self.solve(instance)][:limit]

    def grade(
        self, instance: EventLogInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """The share of right entries."""
        return grade_queries(_expected(instance), answer)

    def facts(self, instance: EventLogInstance, seat: Seat | None) -> Facts:
        """One log on its own clock; both logs on clock 1 in the order of time."""
        lead = instance.offset if seat == 2 else 0
        shown = _sorted(instance) if seat is None else instance.events
        log: list[Json] = [
            [name, minute + lead]
            for name, minute, owner in shown
            if seat is None or owner != 3 - seat
        ]
        facts: Facts = {
            "events": [*log],
            "sync": instance.events[0][0],
            "queries": [list(query) for query in instance.queries],
        }
        return {**facts, WHOLE: True} if seat is None else facts

    def merge(self, views: Sequence[Facts]) -> EventLogInstance | None:
        """Put two logs that share one event on the first one's clock, or take the whole."""
        sync, queries = str(views[0]["sync"]), queries_of(views[0])
        if any(view["sync"] != sync or queries_of(view) != queries for view in views):
            return None
        logs = [log_of(view) for view in views]
        whole = [log_of(view) for view in views if view.get(WHOLE)]
        if whole:
            fits, lead, events = all(set(log) <= set(whole[0]) for log in logs), 0, whole[0]
        elif len(logs) == 2:
            first, second = logs
            fits, lead = set(first) & set(second) == {sync}, second[sync] - first[sync]
            events = {**first, **{name: minute - lead for name, minute in second.items()}}
        else:
            return None
        instance = _unsplit(events, sync, lead, queries)
        return instance if fits and _fault(instance) is None else None

    def complete(
        self, instance: EventLogInstance, seat: Seat, rng: np.random.Generator
    ) -> EventLogInstance:
        """Redraw the minutes of the events that the view hides."""
        minutes = [minute for _, minute, _ in instance.events]
        span = range(min(START, *minutes), max(END, *minutes) + 1)
        known = {minute for _, minute, owner in instance.events if owner in (0, seat)}
        hidden = iter(_draw_minutes(span, known, len(minutes) - len(known), rng))
        events = tuple(
            (name, minute if owner in (0, seat) else next(hidden), owner)
            for name, minute, owner in instance.events
        )
        other = replace(instance, events=events)
        leads = [minute + instance.offset for _, minute, owner in events if owner == 2]
        return other if all(0 <= minute < DAY for minute in leads) else instance

    def guess(self, facts: Facts, rng: np.random.Generator) -> EventLogInstance:
        """Draw the lead of the own clock and as many other events, those of the queries first."""
        log, sync, queries = log_of(facts), str(facts["sync"]), queries_of(facts)
        asked = dict.fromkeys(
            str(name) for query in queries if query[0] != NTH for name in query[1:]
        )
        others = [name for name in asked if name not in log]
        spare = [name for name in NAMES if name not in log and name not in others]
        highest = max((int(query[1]) for query in queries if query[0] == NTH), default=0)
        count = max(len(others), len(log) - 1, highest - len(log))
        others += choose(spare, count - len(others), rng)
        low, high = min(log.values()), max(log.values())
        leads = [lead for lead in (0, *OFFSETS) if START + lead <= low and high <= END + lead]
        lead = choose(leads or [0], 1, rng)[0]
        span = range(max(0, min(START + lead, low)), min(DAY, max(END + lead, high) + 1))
        minutes = _draw_minutes(span, set(log.values()), len(others), rng)
        hidden = dict(zip(others, minutes, strict=False))
        return _unsplit({**log, **hidden}, sync, 0, queries)

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The log and the queries."""
        return log_texts.view_text(facts, seat, friction)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The log and the queries in few tokens."""
        return log_texts.compact_view_text(facts, seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read a log in 24-hour times and the queries."""
        return log_texts.read_view(text)

    def answer_form(self, friction: Friction) -> str:
        """An event or a number per query."""
        return '{"answers": ["event", 12, ...]}'

    def answer_note(self, friction: Friction) -> str:
        """The order of the entries."""
        return (
            '"answers" has one entry per query, in their order: the name of an event where it '
            "asks which, a number where it asks how many."
        )

    def check_steps(self, instance: EventLogInstance, answer: Answer) -> list[str]:
        """The events in their order, on clock 1."""
        return [
            f"number {number}: {name} at {clock(minute)} fits"
            for number, (name, minute, _) in enumerate(_sorted(instance), 1)
        ]

    def free_text_answer(
        self, instance: EventLogInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Numbered lines: the event that they name, else a number."""
        event = re.compile(any_of(name for name, _, _ in instance.events))

        def read(line: str) -> Json:
            named = event.findall(line)
            return str(named[-1]) if named else only_integer(line)

        return numbered_answers(messages, len(instance.queries), read)

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Events and numbers at random."""
        names = choose(NAMES, 4, rng)
        return {"answers": [n if rng.random() < 0.5 else int(rng.integers(60)) for n in names]}


def _draw_query(kind: str, events: Sequence[Event], rng: np.random.Generator) -> Query:
    """A query about a private event of each view, or about a place in the order."""
    if kind == NTH:
        return kind, int(rng.integers(2, len(events)))
    pair = [choose([name for name, _, owner in events if owner == view], 1, rng)[0]
            for view in (1, 2)]  # fmt: skip
    return (kind, *choose(pair, 2, rng))


def _draw_minutes(span: range, taken: set[int], count: int, rng: np.random.Generator) -> list[int]:
    """Different minutes that are not taken."""
    return choose([minute for minute in span if minute not in taken], count, rng)


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
    """Logs of which view 1 shows everything."""
    private = [(name, minute, 1) for name, minute in sorted(events.items()) if name != sync]
    return EventLogInstance(((sync, events[sync], 0), *private), offset, queries)


def _fault(instance: EventLogInstance) -> str | None:
    """What is wrong with logs and queries; None if nothing is."""
    names = {name for name, _, _ in instance.events}
    minutes = {minute for _, minute, _ in instance.events}
    if len(names) < len(instance.events) or len(minutes) < len(instance.events):
        return "events must have different names and minutes"
    for kind, *about in instance.queries:
        if kind == NTH and not 1 <= int(about[0]) <= len(names):
            return f"an nth query must ask for a place 1..{len(names)}"
        if kind != NTH and (not names >= set(about) or about[0] == about[1]):
            return "queries must speak of two different known events"
    return None


def _read_event(entry: object, index: int) -> Event:
    """Check an event of an instance; raises InstanceError."""
    name, minute, owner = require_list("an event", entry, 3, 3)
    if not isinstance(name, str) or not is_event_name(name):
        raise InstanceError("events must have names of one to four words")
    low, high = (0, 0) if index == 0 else (1, 2)
    view = require_integer("the owner of the first event must be 0; owners", owner, low, high)
    return name, require_integer("the minutes of events", minute, 0, DAY - 1), view


def _read_query(entry: object) -> Query:
    """Check the form of a query of an instance; raises InstanceError."""
    kind, *about = require_list("a query", entry, 2, 3)
    word = require_word("the kind of a query", kind, tuple(QUESTIONS))
    if word == NTH and len(about) == 1:
        return word, require_integer("the place of a query", about[0], 1, MOST_EVENTS)
    if word == NTH or len(about) != 2 or not all(isinstance(name, str) for name in about):
        raise InstanceError("a query must be [nth, place] or [first|gap|between, event, event]")
    return word, str(about[0]), str(about[1])

"""``schedule``: events for people in several time zones, half of the calendars in each view.

Rules: put every event into a one-hour slot in which all its people are free for the whole hour;
events may share a slot, and dates don't matter.
Views: the events are in both, each view has the time zones and free hours of its own people in
their local time. View 1 writes 24-hour times, view 2 am and pm; at friction 2 it writes minutes
after local midnight.
Answer: ``{"slots": {"E1": 4, ...}}``.
Grade: the share of events in a slot that suits all their people.
Source: The Collaboration Tax, appendix F (schedule).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice, product
from operator import and_
from typing import cast

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.pairs.facts.answers import assigned
from coordgym.silo_env.pairs.facts.fact_checks import answer_integer, require_integer, require_names
from coordgym.silo_env.pairs.facts.instances import require_dict, require_list
from coordgym.silo_env.pairs.facts.names import PEOPLE, choose
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.facts.sentences import NAME, NAMES
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.schedule.calendars import (
    MOST_SLOTS,
    SET_BITS,
    Window,
    bits_of,
    calendars,
    twelve_hour,
)

ZONES = (-5, -3, 0, 1, 2, 3, 5, 8)
"""Hours ahead of UTC of generated people."""
FIRST_HOUR = 9
"""When slot 1 starts, in UTC."""
MOST_EVENTS, MOST_PEOPLE = 8, 8
MOST_FEASIBLE = 2
"""Slots that suit everybody, at most, for a generated event."""
THIRD_PERSON_RATE = 0.3

DRAWS = 500
"""Sets of calendars that are drawn at once."""


@dataclass(frozen=True, slots=True)
class ScheduleConfig:
    """Difficulty of generated possible.

    Attributes:
        m: Events, 2..8.
        people: An even number of people, 4..8.
        slots: Slots, 5..12.
        window: Longest time that somebody is free, 2..6 hours.
    """

    m: int = 5
    people: int = 4
    slots: int = 8
    window: int = 4

    def __post_init__(self) -> None:
        require_int("m", self.m, 2, MOST_EVENTS)
        require_int("people", self.people, 4, MOST_PEOPLE)
        require_int("slots", self.slots, 5, MOST_SLOTS)
        require_int("window", self.window, 2, 6)
        if self.people % 2:
            raise ConfigError(f"people must be even, got {self.people}")


@dataclass(frozen=True, slots=True)
class Person:
    """A calendar.

    Attributes:
        tz: Hours ahead of UTC.
        windows: Free slots from 1 on.
        owner: The view, 1 or 2, that shows it.
    """

    tz: int
    windows: tuple[Window, ...]
    owner: int


@dataclass(frozen=True, slots=True)
class ScheduleInstance:
    """The number of slots, the calendars, and who has to come to which event."""

    slots: int
    people: Mapping[str, Person]
    events: Mapping[str, tuple[str, ...]]


class Schedule(WideTask[ScheduleInstance, ScheduleConfig]):
    """The calendar."""

    answer_fields = ("slots",)
    config_type = ScheduleConfig
    reader = "coordgym.silo_env.pairs.tasks.schedule.reader:CalendarReader"
    rule = (
        "Events of one hour are to be put into slots. People live in different time zones and are "
        "free at some hours of their local time; the date does not matter. Give every event a "
        "slot in which all the people whom it needs are free."
    )
    split = "You know when some of the people are free, the other agent knows it of the others."
    compact_rule = "give every event a slot in which all its people are free (dates ignored)"
    compact_split = "the other agent knows the other people's hours"

    def draw(self, config: ScheduleConfig, rng: np.random.Generator) -> ScheduleInstance | None:
        """Random calendars and events with people of both views; kept if slots are scarce."""
        names = choose(PEOPLE, config.people, rng)
        groups = [_draw_group(names, rng) for _ in range(config.m)]
        people = {name: Person(0, (), index % 2 + 1) for index, name in enumerate(names)}
        events = {f"E{k}": group for k, group in enumerate(groups, 1)}
        return _redrawn(ScheduleInstance(config.slots, people, events), names, config.window, rng)

    def read_instance(self, given: Mapping[str, object]) -> ScheduleInstance:
        """Check a calendar given as JSON: slots, people, events."""
        slots = require_integer("slots", given.get("slots"), 1, MOST_SLOTS)
        people = {
            name: _read_person(name, entry, slots)
            for name, entry in require_dict("people", given.get("people"), 1, MOST_PEOPLE).items()
        }
        events = {
            name: require_names(f"event {name}", group)
            for name, group in require_dict("events", given.get("events"), 1, MOST_EVENTS).items()
        }
        instance = ScheduleInstance(slots, people, events)
        if not {name for group in events.values() for name in group} <= set(people):
            raise InstanceError("events must need known people")
        if not all(_feasible(instance).values()):
            raise InstanceError("every event must have a slot in which all its people are free")
        return instance

    def solve(self, instance: ScheduleInstance) -> Answer:
        """The earliest slot of each event."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: ScheduleInstance, limit: int) -> list[Answer]:
        """All choices of slots that suit everybody."""
        feasible = _feasible(instance)
        choices = islice(product(*feasible.values()), limit)
        return [{"slots": dict(zip(feasible, chosen, strict=True))} for chosen in choices]

    def grade(
        self, instance: ScheduleInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """The share of events in a slot that suits everybody."""
        feasible = _feasible(instance)
        given = assigned(answer, "slots", feasible).items()
        right = sum(answer_integer(value) in feasible[event] for event, value in given)
        return Grade(right / len(feasible))

    def facts(self, instance: ScheduleInstance, seat: Seat | None) -> Facts:
        """The events, and the calendars of a view."""
        people: dict[str, Json] = {
            name: {"tz": person.tz, "windows": [list(window) for window in person.windows]}
            for name, person in instance.people.items()
            if seat in (None, person.owner)
        }
        events: dict[str, Json] = {name: [*group] for name, group in instance.events.items()}
        return {"slots": instance.slots, "events": events, "people": people}

    def merge(self, views: Sequence[Facts]) -> ScheduleInstance | None:
        """Put the calendars together; None if some are missing or contradict each other."""
        first, people = views[0], dict[str, Person]()
        for view in views:
            if any(view[key] != first[key] for key in ("slots", "events")):
                return None
            for name, person in _people(view).items():
                if people.setdefault(name, person) != person:
                    return None
        instance = ScheduleInstance(cast("int", first["slots"]), people, _events(first))
        if not _needed(first) <= set(people) or not all(_feasible(instance).values()):
            return None
        return instance

    def complete(
        self, instance: ScheduleInstance, seat: Seat, rng: np.random.Generator
    ) -> ScheduleInstance:
        """Redraw the calendars that the view hides; the same ones if none suit."""
        hidden = [name for name, person in instance.people.items() if person.owner != seat]
        return _redrawn(instance, hidden, ScheduleConfig().window, rng) or instance

    def guess(self, facts: Facts, rng: np.random.Generator) -> ScheduleInstance:
        """Draw calendars for the people whose hours are not shown; always free if none suit."""
        known, slots = _people(facts), cast("int", facts["slots"])
        hidden = sorted(_needed(facts) - set(known))
        free = {name: Person(0, ((1, slots),), 1) for name in hidden}
        instance = ScheduleInstance(slots, {**known, **free}, _events(facts))
        return _redrawn(instance, hidden, ScheduleConfig().window, rng) or instance

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The slots, events and known possible."""
        events = "; ".join(f"{name}: {', '.join(who)}" for name, who in _events(facts).items())
        others = _needed(facts) - set(_people(facts))
        partner = "Your partner knows the other people's hours. " if others else ""
        return "\n".join([
            f"One-hour slots: slot s runs from {FIRST_HOUR}:00 UTC + (s-1) h to {FIRST_HOUR}:00 "
            f"UTC + s h, for s = 1..{facts['slots']}.",
            f"Events and required people: {events}",
            "Availability you know:",
            *(f"- {line}" for line in _said(facts, seat, friction)),
            f"{partner}Give every event one slot in which all its people are free for the whole "
            "hour (events may share a slot).",
        ])  # fmt: skip

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The slots, events and known calendars in few tokens."""
        events = "; ".join(f"{name}: {', '.join(who)}" for name, who in _events(facts).items())
        head = f"slots 1..{facts['slots']}, slot 1 = {FIRST_HOUR}:00-{FIRST_HOUR + 1}:00 UTC"
        return "\n".join([head, events, *_said(facts, seat, friction)])

    def read_view(self, text: str) -> Facts | None:
        """Read the slots, events and possible."""
        match = _VIEW.search(text)
        if match is None:
            return None
        slots = int(match[1])
        events: dict[str, Json] = {}
        for entry in match[2].split("; "):
            name, _, who = entry.partition(": ")
            events[name] = [*who.split(", ")]
        people: dict[str, Json] = {}
        for name, tz, hours in _CALENDAR.findall(match[3]):
            windows = [[_slot(a, int(tz)), _slot(b, int(tz)) - 1] for a, b in _HOURS.findall(hours)]
            if not all(1 <= first <= last <= slots for first, last in windows):
                return None
            people[name] = {"tz": int(tz), "windows": [[*window] for window in windows]}
        return {"slots": slots, "events": events, "people": people}

    def answer_form(self, friction: Friction) -> str:
        """A slot for each event."""
        return '{"slots": {"E1": 1, ...}}'

    def answer_note(self, friction: Friction) -> str:
        """How slots are written."""
        return '"slots" gives the number of the slot of every event.'

    def check_steps(self, instance: ScheduleInstance, answer: Answer) -> list[str]:
        """Who is free at each event."""
        given = assigned(answer, "slots", instance.events).items()
        return [
            f"{event} in slot {value}: {', '.join(instance.events[event])} are free"
            for event, value in given
        ]

    def free_text_answer(
        self, instance: ScheduleInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Pairs such as "E1 -> 4" or "E1: slot 4" in the last message that has any."""
        numbers = [str(slot) for slot in range(1, instance.slots + 1)]
        values = [*numbers, *(f"slot {number}" for number in numbers)]
        pairs = assignments(messages, instance.events, values)
        if pairs is None:
            return None
        return {"slots": {event: int(value.split()[-1]) for event, value in pairs.items()}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """A random slot for five events."""
        return {"slots": {f"E{k}": int(rng.integers(1, 9)) for k in range(1, 6)}}


_VIEW = re.compile(
    rf"^One-hour slots: .{{1,100}}, for s = 1\.\.(\d\d?)\.$\s"
    rf"^Events and required people: ({NAME}: {NAMES}(?:; {NAME}: {NAMES})*)$\s"
    r"^Availability you know:$((?:\s^- .*$)*)",
    re.MULTILINE,
)
_CALENDAR = re.compile(rf"^- ({NAME}) \(UTC([+-]\d\d?)\): free (.*) local time$", re.MULTILINE)
_HOURS = re.compile(r"(\d\d?):00-(\d\d?):00")


def _draw_group(names: Sequence[str], rng: np.random.Generator) -> tuple[str, ...]:
    """Somebody of either view and, now and then, a third person; in alphabetical order."""
    group = [choose(names[view::2], 1, rng)[0] for view in (0, 1)]
    others = [name for name in names if name not in group]
    if others and rng.random() < THIRD_PERSON_RATE:
        group.append(choose(others, 1, rng)[0])
    return tuple(sorted(group))


def _feasible(instance: ScheduleInstance) -> dict[str, list[int]]:
    """The slots of each event in which all its people are free."""
    free = {name: bits_of(person.windows) for name, person in instance.people.items()}
    suits = {
        event: reduce(and_, (free.get(name, -1) for name in group))
        for event, group in instance.events.items()
    }
    every = range(1, instance.slots + 1)
    return {event: [s for s in every if bits >> (s - 1) & 1] for event, bits in suits.items()}


def _redrawn(
    instance: ScheduleInstance, hidden: Sequence[str], longest: int, rng: np.random.Generator
) -> ScheduleInstance | None:
    """Other calendars for some people, with which every event has a slot, but few of them.

    Returns:
        The first of many draws that is so; None if none is.
    """
    possible = calendars(instance.slots, longest)
    size = (DRAWS, len(hidden))
    drawn = rng.choice(len(possible.windows), size=size, p=possible.chances)
    free: dict[str, NDArray[np.int_] | int] = {
        name: bits_of(person.windows) for name, person in instance.people.items()
    }
    free |= {name: possible.bits[drawn[:, k]] for k, name in enumerate(hidden)}
    suits = [reduce(and_, (free[name] for name in group)) for group in instance.events.values()]
    counts = [SET_BITS[np.broadcast_to(bits, DRAWS)] for bits in suits]
    scarce = np.flatnonzero(np.all([(c > 0) & (c <= MOST_FEASIBLE) for c in counts], axis=0))
    if not len(scarce):
        return None
    people = dict(instance.people)
    for name, index in zip(hidden, drawn[scarce[0]], strict=True):
        zone = ZONES[int(rng.integers(len(ZONES)))]
        people[name] = Person(zone, possible.windows[index], people[name].owner)
    return replace(instance, people=people)


def _events(facts: Facts) -> dict[str, tuple[str, ...]]:
    events = cast("dict[str, list[str]]", facts["events"])
    return {name: tuple(group) for name, group in events.items()}


def _needed(facts: Facts) -> set[str]:
    """The people whom events need."""
    return {name for group in _events(facts).values() for name in group}


def _people(facts: Facts) -> dict[str, Person]:
    """The calendars of a view, as those of view 1."""
    shown = cast("dict[str, dict[str, Json]]", facts["people"])
    return {name: _read_person(name, {**entry, "owner": 1}, MOST_SLOTS)
            for name, entry in shown.items()}  # fmt: skip


def _read_person(name: str, entry: object, slots: int) -> Person:
    """Check a calendar; raises InstanceError."""
    if not isinstance(entry, Mapping) or set(entry) != {"tz", "windows", "owner"}:
        raise InstanceError("people must be objects with the keys tz, windows, owner")
    windows: list[Window] = []
    for window in require_list(f"windows of {name}", entry["windows"], 0, slots):
        first, last = require_list(f"a window of {name}", window, 2, 2)
        begin = require_integer(f"windows of {name}", first, 1, slots)
        windows.append((begin, require_integer(f"windows of {name}", last, begin, slots)))
    zone = require_integer(f"tz of {name}", entry["tz"], -12, 14)
    return Person(zone, tuple(windows), require_integer("owner", entry["owner"], 1, 2))


def _slot(hour: str, zone: int) -> int:
    """The slot that starts at a local hour."""
    return (int(hour) - zone - FIRST_HOUR) % 24 + 1


def _said(facts: Facts, seat: Seat, friction: Friction) -> list[str]:
    """A line per calendar, in local time."""
    lines = []
    for name, person in _people(facts).items():
        start = FIRST_HOUR - 1 + person.tz
        hours = [((start + first) % 24, (start + last + 1) % 24) for first, last in person.windows]
        zone = f"UTC{person.tz:+d}"
        if seat == 1 or friction == 0:
            spans = [f"{a}:00-{b}:00" for a, b in hours]
            lines.append(f"{name} ({zone}): free {' and '.join(spans) or 'never'} local time")
            continue
        if friction == 1:
            spans, unit = [f"{twelve_hour(a)}-{twelve_hour(b)}" for a, b in hours], "local time"
        else:
            spans, unit = [f"{60 * a}-{60 * b}" for a, b in hours], "minutes after local midnight"
        said = " and ".join(spans) or "never"
        lines.append(f"{name}'s clock shows {zone}; available {said} {unit}")
    return lines

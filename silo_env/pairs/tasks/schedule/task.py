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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, islice, product
from operator import and_

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.pairs.facts.answers import assigned
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_integer,
    first_fault,
    integers_fault,
    length_fault,
    name_fault,
    names_fault,
)
from coordgym.silo_env.pairs.facts.names import PEOPLE, choose
from coordgym.silo_env.pairs.facts.owners import Owner
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.task import SEATS, Answer, Grade, PairTask, Seat
from coordgym.silo_env.pairs.tasks.schedule import texts
from coordgym.silo_env.pairs.tasks.schedule.calendars import (
    MOST_SLOTS,
    SET_BITS,
    Calendar,
    bits_of,
    calendars,
)
from coordgym.silo_env.pairs.tasks.schedule.texts import ScheduleView

ZONES = (-5, -3, 0, 1, 2, 3, 5, 8)
"""Hours ahead of UTC of generated people."""
MOST_EVENTS, MOST_PEOPLE = 8, 8
MOST_FEASIBLE = 2
"""Slots that suit everybody, at most, for a generated event."""
THIRD_PERSON_RATE = 0.3

DRAWS = 500
"""Sets of calendars that are drawn at once."""


@dataclass(frozen=True, slots=True)
class ScheduleConfig:
    """Difficulty of generated calendars.

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
class Person(Calendar):
    """A calendar and the view, 1 or 2, that shows it."""

    owner: Owner


@dataclass(frozen=True, slots=True)
class ScheduleInstance:
    """The number of slots, the calendars, and who has to come to which event."""

    slots: int
    people: Mapping[str, Person]
    events: Mapping[str, tuple[str, ...]]


class Schedule(PairTask[ScheduleInstance, ScheduleConfig, ScheduleView]):
    """The calendars."""

    answer_fields = ("slots",)
    counts = True
    config_type = ScheduleConfig
    instance_type = ScheduleInstance
    view_type = ScheduleView
    reader = "coordgym.silo_env.pairs.tasks.schedule.reader:CalendarReader"
    rule = (
        "Events of one hour are to be put into slots. People live in different time zones and are "
        "free at some hours of their local time; the date does not matter. Give every event a "
        "slot in which all the people whom it needs are free."
    )
    split = "You know when some of the people are free, the other agent knows it of the others."
    form = '{"slots": {"E1": 1, ...}}'
    note = '"slots" gives the number of the slot of every event.'
    compact_rule = "give every event a slot in which all its people are free (dates ignored)"
    compact_split = "the other agent knows the other people's hours"
    say = staticmethod(texts.say)
    say_compact = staticmethod(texts.say_compact)
    hear = staticmethod(texts.hear)

    def draw(self, config: ScheduleConfig, rng: np.random.Generator) -> ScheduleInstance | None:
        """Draw calendars, and events for people of both views; None if slots are not scarce."""
        names = choose(PEOPLE, config.people, rng)
        groups = [_draw_group(names, rng) for _ in range(config.m)]
        people = {name: Person(0, (), SEATS[index % 2]) for index, name in enumerate(names)}
        events = {f"E{k}": group for k, group in enumerate(groups, 1)}
        return _redrawn(ScheduleInstance(config.slots, people, events), names, config.window, rng)

    def fault(self, instance: ScheduleInstance) -> str | None:
        """Say what is wrong with the calendars or events, or that an event has no slot."""
        slots, people, events = instance.slots, instance.people, instance.events
        fault = first_fault(
            chain(
                [integers_fault("slots", [slots], 1, MOST_SLOTS)],
                [length_fault("people", people, 1, MOST_PEOPLE)],
                (name_fault("people", name) for name in people),
                (_calendar_fault(name, person, slots) for name, person in people.items()),
                [length_fault("events", events, 1, MOST_EVENTS)],
                (name_fault("events", name) for name in events),
                (names_fault(f"event {name}", group) for name, group in events.items()),
            )
        )
        if fault is not None:
            return fault
        if not set().union(*events.values()) <= set(people):
            return "events must need known people"
        if not all(_feasible(instance).values()):
            return "every event must have a slot in which all its people are free"
        return None

    def optimal_answers(self, instance: ScheduleInstance, limit: int) -> list[Answer]:
        """Return choices of slots that suit everybody, the earliest slots first."""
        feasible = _feasible(instance)
        choices = islice(product(*feasible.values()), limit)
        return [{"slots": dict(zip(feasible, chosen, strict=True))} for chosen in choices]

    def score(self, instance: ScheduleInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of events in a slot that suits everybody."""
        feasible = _feasible(instance)
        given = assigned(answer, "slots", feasible).items()
        right = sum(answer_integer(value) in feasible[event] for event, value in given)
        return Grade(right / len(feasible))

    def view(self, instance: ScheduleInstance, seat: Seat | None) -> ScheduleView:
        """Return the events, and the calendars of a view."""
        people = {
            name: Calendar(person.tz, person.windows)
            for name, person in instance.people.items()
            if seat in (None, person.owner)
        }
        return ScheduleView(instance.slots, instance.events, people)

    def join(self, views: Sequence[ScheduleView]) -> ScheduleInstance | None:
        """Put the calendars together; None if views contradict each other."""
        first, people = views[0], dict[str, Calendar]()
        for view in views:
            if (view.slots, view.events) != (first.slots, first.events):
                return None
            for name, calendar in view.people.items():
                if people.setdefault(name, calendar) != calendar:
                    return None
        return ScheduleInstance(first.slots, _unsplit(people), first.events)

    def redraw(
        self, view: ScheduleView, rng: np.random.Generator, like: ScheduleInstance | None = None
    ) -> ScheduleInstance | None:
        """Draw the calendars that are not shown; always free without ``like`` if none suit."""
        longest = ScheduleConfig().window
        if like is not None:
            hidden = [name for name in like.people if name not in view.people]
            return _redrawn(like, hidden, longest, rng)
        free = dict.fromkeys(view.hidden, Calendar(0, ((1, view.slots),)))
        instance = ScheduleInstance(view.slots, _unsplit({**view.people, **free}), view.events)
        return _redrawn(instance, view.hidden, longest, rng) or instance

    def check_steps(self, instance: ScheduleInstance, answer: Answer) -> list[str]:
        """Say who is free at each event."""
        given = assigned(answer, "slots", instance.events).items()
        return [
            f"{event} in slot {value}: {', '.join(instance.events[event])} are free"
            for event, value in given
        ]

    def free_text_answer(
        self, instance: ScheduleInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read pairs such as "E1 -> 4" or "E1: slot 4" in the last message that has any."""
        numbers = [str(slot) for slot in range(1, instance.slots + 1)]
        values = [*numbers, *(f"slot {number}" for number in numbers)]
        pairs = assignments(messages, instance.events, values)
        if pairs is None:
            return None
        return {"slots": {event: int(value.split()[-1]) for event, value in pairs.items()}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a slot for five events."""
        return {"slots": {f"E{k}": int(rng.integers(1, 9)) for k in range(1, 6)}}


def _draw_group(names: Sequence[str], rng: np.random.Generator) -> tuple[str, ...]:
    """Draw somebody of either view and, now and then, a third person; in alphabetical order."""
    group = [choose(names[view::2], 1, rng)[0] for view in (0, 1)]
    others = [name for name in names if name not in group]
    if others and rng.random() < THIRD_PERSON_RATE:
        group.append(choose(others, 1, rng)[0])
    return tuple(sorted(group))


def _feasible(instance: ScheduleInstance) -> dict[str, list[int]]:
    """Return the slots of each event in which all its people are free."""
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
    """Draw other calendars for some people, with which every event has a slot, but few of them.

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


def _unsplit(people: Mapping[str, Calendar]) -> dict[str, Person]:
    """Return calendars that view 1 shows."""
    return {name: Person(each.tz, each.windows, 1) for name, each in people.items()}


def _calendar_fault(name: str, calendar: Calendar, slots: int) -> str | None:
    """Say what is wrong with somebody's free times or time zone."""
    field = f"windows of {name}"
    starts = (integers_fault(field, [first], 1, slots) for first, _ in calendar.windows)
    ends = (integers_fault(field, [last], first, slots) for first, last in calendar.windows)
    return (
        length_fault(field, calendar.windows, 0, slots)
        or first_fault(chain(starts, ends))
        or integers_fault(f"tz of {name}", [calendar.tz], -12, 14)
    )

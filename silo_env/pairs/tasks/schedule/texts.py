"""How events and calendars are written and read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from coordgym.silo_env.pairs.facts.owners import if_split
from coordgym.silo_env.pairs.facts.sentences import NAME, NAMES
from coordgym.silo_env.pairs.task import Friction, Seat
from coordgym.silo_env.pairs.tasks.schedule.calendars import Calendar

FIRST_HOUR = 9
"""When slot 1 starts, in UTC."""

_VIEW = re.compile(
    rf"^One-hour slots: .{{1,100}}, for s = 1\.\.(\d\d?)\.$\s"
    rf"^Events and required people: ({NAME}: {NAMES}(?:; {NAME}: {NAMES})*)$\s"
    r"^Availability you know:$((?:\s^- .*$)*)",
    re.MULTILINE,
)
_CALENDAR = re.compile(rf"^- ({NAME}) \(UTC([+-]\d\d?)\): free (.*) local time$", re.MULTILINE)
_HOURS = re.compile(r"(\d\d?):00-(\d\d?):00")


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """The number of slots, who has to come to which event, and the calendars that are shown."""

    slots: int
    events: Mapping[str, tuple[str, ...]]
    people: Mapping[str, Calendar]

    @property
    def hidden(self) -> list[str]:
        """Who has to come but has no calendar here, in alphabetical order."""
        return sorted(set().union(*self.events.values()) - set(self.people))

    @property
    def whole(self) -> bool:
        """Whether no calendar is hidden that matters."""
        return not self.hidden


def say(view: ScheduleView, seat: Seat, friction: Friction) -> str:
    """Write the slots, events and known calendars."""
    partner = if_split(view, "Your partner knows the other people's hours. ")
    return "\n".join([
        f"One-hour slots: slot s runs from {FIRST_HOUR}:00 UTC + (s-1) h to {FIRST_HOUR}:00 "
        f"UTC + s h, for s = 1..{view.slots}.",
        f"Events and required people: {_listed(view)}",
        "Availability you know:",
        *(f"- {line}" for line in _said(view, seat, friction)),
        f"{partner}Give every event one slot in which all its people are free for the whole "
        "hour (events may share a slot).",
    ])  # fmt: skip


def say_compact(view: ScheduleView, seat: Seat, friction: Friction) -> str:
    """Write the slots, events and known calendars in few tokens."""
    head = f"slots 1..{view.slots}, slot 1 = {FIRST_HOUR}:00-{FIRST_HOUR + 1}:00 UTC"
    return "\n".join([head, _listed(view), *_said(view, seat, friction)])


def hear(text: str) -> ScheduleView | None:
    """Read the slots, events and calendars."""
    match = _VIEW.search(text)
    if match is None:
        return None
    slots, entries = int(match[1]), (entry.split(": ") for entry in match[2].split("; "))
    events = {name: tuple(who.split(", ")) for name, who in entries}
    people = {
        name: Calendar(int(tz), tuple(
            (_slot(a, int(tz)), _slot(b, int(tz)) - 1) for a, b in _HOURS.findall(hours)
        ))
        for name, tz, hours in _CALENDAR.findall(match[3])
    }  # fmt: skip
    windows = (window for calendar in people.values() for window in calendar.windows)
    if not all(1 <= first <= last <= slots for first, last in windows):
        return None
    return ScheduleView(slots, events, people)


def _slot(hour: str, zone: int) -> int:
    """Return the slot that starts at a local hour."""
    return (int(hour) - zone - FIRST_HOUR) % 24 + 1


def _listed(view: ScheduleView) -> str:
    """Say which people each event needs."""
    return "; ".join(f"{name}: {', '.join(group)}" for name, group in view.events.items())


def _said(view: ScheduleView, seat: Seat, friction: Friction) -> list[str]:
    """Write a line per calendar, in local time."""
    lines = []
    for name, person in view.people.items():
        start = FIRST_HOUR - 1 + person.tz
        hours = [((start + first) % 24, (start + last + 1) % 24) for first, last in person.windows]
        zone = f"UTC{person.tz:+d}"
        if seat == 1 or friction == 0:
            spans = [f"{a}:00-{b}:00" for a, b in hours]
            lines.append(f"{name} ({zone}): free {' and '.join(spans) or 'never'} local time")
            continue
        if friction == 1:
            spans, unit = [f"{_twelve_hour(a)}-{_twelve_hour(b)}" for a, b in hours], "local time"
        else:
            spans, unit = [f"{60 * a}-{60 * b}" for a, b in hours], "minutes after local midnight"
        said = " and ".join(spans) or "never"
        lines.append(f"{name}'s clock shows {zone}; available {said} {unit}")
    return lines


def _twelve_hour(hour: int) -> str:
    """Write an hour with am or pm."""
    return f"{(hour - 1) % 12 + 1} {'am' if hour < 12 else 'pm'}"

"""What a view of the constraints shows, and how it is written and read."""

import re
from dataclasses import dataclass

from coordgym.silo_env.pairs.facts.owners import if_split
from coordgym.silo_env.pairs.facts.sentences import NAMES, Sentence
from coordgym.silo_env.pairs.shapes.clues import Clue
from coordgym.silo_env.pairs.task import Friction, Seat

MOST_MEETINGS, MOST_SLOTS = 8, 4
FIRST_HOUR = 9
"""When slot 1 starts; slots last an hour."""
AHEAD = 2
"""Hours by which the clock of view 2 runs ahead at friction 2."""

CONFLICT, NOT = "conflict", "not"
SENTENCES = {
    CONFLICT: Sentence("{0} and {1} share a participant (different slots)"),
    NOT: Sentence("{0} cannot be in slot {1:d}"),
}

_VIEW = re.compile(
    rf"^Meetings ({NAMES}); slots 1-([2-{MOST_SLOTS}])\. Constraints you know:$((?:\s^- .*$)*)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class MeetingMatrixView:
    """The meetings, the number of slots, and the constraints of one view or both."""

    meetings: tuple[str, ...]
    slots: int
    constraints: tuple[Clue, ...]
    whole: bool = False


def say(view: MeetingMatrixView, seat: Seat, friction: Friction) -> str:
    """Write the meetings, slots and known constraints."""
    partner = if_split(view, "Your partner knows further constraints of both kinds. ")
    return "\n".join([
        f"Meetings {', '.join(view.meetings)}; {_slot_names(view.slots, seat, friction)}. "
        "Constraints you know:",
        *_said(view, seat, friction),
        f"{partner}Give every meeting a slot so that all constraints hold.",
    ])  # fmt: skip


def say_compact(view: MeetingMatrixView, seat: Seat, friction: Friction) -> str:
    """Write the meetings, slots and known constraints in few tokens."""
    head = f"{' '.join(view.meetings)}; {_slot_names(view.slots, seat, friction)}"
    if seat == 2 and friction:
        return "\n".join([head, *_said(view, seat, friction)])
    signs = {CONFLICT: "!=", NOT: "not"}
    short = [f"{a} {signs[str(kind)]} {b}" for kind, a, b in view.constraints]
    return f"{head}\n{'; '.join(short)}"


def hear(text: str) -> MeetingMatrixView | None:
    """Read the meetings, slots and listed constraints."""
    match = _VIEW.search(text)
    if match is None:
        return None
    lines = [line[2:] for line in match[3].strip().splitlines()]
    heard = [
        (kind, *about)
        for line in lines
        for kind, sentence in SENTENCES.items()
        if (about := sentence.read(line)) is not None
    ]
    meetings = tuple(match[1].split(", "))
    if len(heard) < len(lines) or len(meetings) > MOST_MEETINGS:
        return None
    return MeetingMatrixView(meetings, int(match[2]), tuple(heard))


def _times(slots: int, friction: Friction) -> list[str]:
    first = FIRST_HOUR + (AHEAD if friction == 2 else 0)
    return [f"{first + k}:00" for k in range(slots)]


def _slot_names(slots: int, seat: Seat, friction: Friction) -> str:
    if seat == 1 or friction == 0:
        return f"slots 1-{slots}"
    ahead = f"; your clock runs {AHEAD} h ahead of your partner's" if friction == 2 else ""
    times = ", ".join(_times(slots, friction))
    return f"start times {times} (= slots 1, 2, ... in this order{ahead})"


def _said(view: MeetingMatrixView, seat: Seat, friction: Friction) -> list[str]:
    """Write the known constraints as a list, or as a matrix and a list."""
    if seat == 1 or friction == 0:
        return [f"- {SENTENCES[str(kind)].say(about)}" for kind, *about in view.constraints]
    times = _times(view.slots, friction)
    excluded = [f"- {a} is impossible at {times[int(slot) - 1]}"
                for kind, a, slot in view.constraints if kind == NOT]  # fmt: skip
    return ["clash matrix (x = clash):", *_matrix(view), *(excluded or [""])]


def _matrix(view: MeetingMatrixView) -> list[str]:
    """Mark which meetings clash, in a row and a column for each."""
    clashes = {frozenset(c[1:]) for c in view.constraints if c[0] == CONFLICT}
    width = max(map(len, view.meetings))
    lines = [" " * (width + 2) + "".join(f" {meeting:<{width}}" for meeting in view.meetings)]
    for a in view.meetings:
        marks = ("x" if frozenset((a, b)) in clashes else "." for b in view.meetings)
        lines.append(f"{a:<{width + 2}}" + "".join(f" {mark:<{width}}" for mark in marks))
    return lines

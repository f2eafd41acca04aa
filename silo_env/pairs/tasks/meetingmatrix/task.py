"""``meetingmatrix``: meetings and slots, half of the constraints in each view.

Rules: give every meeting a slot; meetings that clash need different slots, and some slots are
impossible for some meetings.
Views: the constraints are halved at random. View 1 lists clashes and slot numbers, view 2 draws
a clash matrix and names start times; at friction 2 its clock runs ahead.
Answer: ``{"slots": {"M1": 2, ...}}``.
Grade: the share of constraints that hold; one about a meeting without a slot does not.
Source: The Collaboration Tax, appendix F (meetingmatrix).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product
from typing import cast

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.facts.answers import assigned
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.fact_checks import answer_integer, require_integer, require_names
from coordgym.silo_env.pairs.facts.instances import require_list, require_owners
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.facts.sentences import NAMES, Sentence, bullets
from coordgym.silo_env.pairs.shapes.clues import (
    Clue,
    ClueTable,
    Truth,
    make_table,
    named,
    rows_of,
)
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import WHOLE, if_split
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat

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


@dataclass(frozen=True, slots=True)
class MeetingMatrixConfig:
    """Difficulty of generated timetables.

    Attributes:
        m: Meetings, 3..8.
        s: Slots, 2..4.
        conflicts: Clashes, 1..28.
        forbidden: Impossible slots, 0..24.
    """

    m: int = 6
    s: int = 3
    conflicts: int = 9
    forbidden: int = 3

    def __post_init__(self) -> None:
        require_int("m", self.m, 3, MOST_MEETINGS)
        require_int("s", self.s, 2, MOST_SLOTS)
        require_int("conflicts", self.conflicts, 1, self.m * (self.m - 1) // 2)
        require_int("forbidden", self.forbidden, 0, self.m * (self.s - 1))


@dataclass(frozen=True, slots=True)
class MeetingMatrixInstance:
    """A timetable and its split.

    Attributes:
        meetings: Their names.
        slots: Number of slots.
        constraints: ("conflict", a, b) or ("not", meeting, slot); every meeting is in one.
        owner: For each constraint the view that shows it, 1 or 2.
    """

    meetings: tuple[str, ...]
    slots: int
    constraints: tuple[Clue, ...]
    owner: tuple[int, ...]


@lru_cache(maxsize=16)
def _timetables(m: int, s: int) -> NDArray[np.int_]:
    """All timetables: a row with the slot of each meeting, in lexicographic order."""
    return np.array(list(product(range(1, s + 1), repeat=m)))


@lru_cache(maxsize=16)
def _table(m: int, s: int) -> ClueTable:
    """All constraints on m meetings and s slots."""
    slot = _timetables(m, s)

    def holds(clue: Clue) -> Truth:
        kind, a, b = clue
        other = slot[:, int(b)] if kind == CONFLICT else int(b)
        truth: Truth = slot[:, int(a)] != other
        return truth

    meetings = [str(meeting) for meeting in range(m)]
    clues: list[Clue] = [(CONFLICT, a, b) for a, b in combinations(meetings, 2)]
    clues += [(NOT, a, k) for a in meetings for k in range(1, s + 1)]
    return make_table(clues, holds, symmetric=(CONFLICT,))


class MeetingMatrix(WideTask[MeetingMatrixInstance, MeetingMatrixConfig]):
    """The timetable."""

    answer_fields = ("slots",)
    config_type = MeetingMatrixConfig
    reader = "coordgym.silo_env.pairs.tasks.meetingmatrix.reader:MeetingReader"
    rule = (
        "Meetings are to be put into slots. Meetings with a common participant need different "
        "slots, and some meetings can't be in some slots. Give every meeting a slot so that all "
        "constraints hold; meetings that don't clash may share a slot."
    )
    split = "You know half of the constraints, the other agent knows the other half."
    compact_rule = "give every meeting a slot; clashing meetings need different ones"
    compact_split = "the other agent knows the other half of the constraints"

    def draw(
        self, config: MeetingMatrixConfig, rng: np.random.Generator
    ) -> MeetingMatrixInstance | None:
        """Constraints of a random timetable; kept if every meeting is in one."""
        meetings = tuple(f"M{k}" for k in range(1, config.m + 1))
        column = int(rng.integers(config.s**config.m))
        counts = {CONFLICT: config.conflicts, NOT: config.forbidden}
        constraints = _drawn(meetings, config.s, column, (), counts, rng)
        if constraints is None or not _covers(meetings, constraints):
            return None
        owner = tuple(int(view) for view in balanced_owners(len(constraints), rng))
        return MeetingMatrixInstance(meetings, config.s, constraints, owner)

    def read_instance(self, given: Mapping[str, object]) -> MeetingMatrixInstance:
        """Check a timetable given as JSON: meetings, slots, constraints, owner."""
        listed = require_list("meetings", given.get("meetings"), 2, MOST_MEETINGS)
        meetings = require_names("meetings", listed)
        slots = require_integer("slots", given.get("slots"), 2, MOST_SLOTS)
        entries = require_list("constraints", given.get("constraints"), 1, 60)
        constraints = tuple(_read_clue(entry) for entry in entries)
        owner = require_owners("owner", given.get("owner"), len(constraints))
        rows = rows_of(_table(len(meetings), slots), meetings, constraints)
        if rows is None:
            raise InstanceError("constraints must be [conflict, a, b] or [not, meeting, slot]")
        if len(set(rows)) < len(rows):
            raise InstanceError("constraints must not state anything twice")
        instance = MeetingMatrixInstance(meetings, slots, constraints, owner)
        if not _covers(meetings, constraints) or not self.optimal_answers(instance, 1):
            raise InstanceError("constraints must mention every meeting and have a solution")
        return instance

    def solve(self, instance: MeetingMatrixInstance) -> Answer:
        """The first timetable in which all constraints hold."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: MeetingMatrixInstance, limit: int) -> list[Answer]:
        """Timetables in which all constraints hold, in lexicographic order."""
        columns = _allowed(instance.meetings, instance.slots, instance.constraints)[:limit]
        timetables = _timetables(len(instance.meetings), instance.slots)[columns].tolist()
        return [{"slots": dict(zip(instance.meetings, row, strict=True))} for row in timetables]

    def grade(
        self, instance: MeetingMatrixInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """The share of constraints that hold."""
        slot = _slots(instance, answer)
        holding = sum(
            a in slot and (slot[a] != b if kind == NOT else b in slot and slot[a] != slot[b])
            for kind, a, b in instance.constraints
        )
        return Grade(holding / len(instance.constraints))

    def facts(self, instance: MeetingMatrixInstance, seat: Seat | None) -> Facts:
        """The constraints of a view; those of both in alphabetical order."""
        if seat is None:
            shown = sorted(instance.constraints)
        else:
            dealt = zip(instance.constraints, instance.owner, strict=True)
            shown = [constraint for constraint, owner in dealt if owner == seat]
        facts: Facts = {
            "meetings": [*instance.meetings],
            "slots": instance.slots,
            "constraints": [list(constraint) for constraint in shown],
        }
        return {**facts, WHOLE: True} if seat is None else facts

    def merge(self, views: Sequence[Facts]) -> MeetingMatrixInstance | None:
        """Put two views that share no constraint together, or take the whole."""
        known = [set(_constraints(view)) for view in views]
        union = tuple(sorted(set().union(*known)))
        whole = [set(_constraints(view)) for view in views if view.get(WHOLE)]
        if whole and whole[0] != set(union):
            return None
        if not whole and (len(views) < 2 or len(union) < sum(map(len, known))):
            return None
        same = all(view[key] == views[0][key] for view in views for key in ("meetings", "slots"))
        meetings, slots = _meetings(views[0]), cast("int", views[0]["slots"])
        fits = same and rows_of(_table(len(meetings), slots), meetings, union) is not None
        if not fits or not _covers(meetings, union) or not len(_allowed(meetings, slots, union)):
            return None
        return MeetingMatrixInstance(meetings, slots, union, (1,) * len(union))

    def complete(
        self, instance: MeetingMatrixInstance, seat: Seat, rng: np.random.Generator
    ) -> MeetingMatrixInstance:
        """Redraw the hidden constraints, as many of each kind."""
        dealt = list(zip(instance.constraints, instance.owner, strict=True))
        known = [constraint for constraint, owner in dealt if owner == seat]
        hidden = [str(constraint[0]) for constraint, owner in dealt if owner != seat]
        counts = {kind: hidden.count(kind) for kind in SENTENCES}
        columns = _allowed(instance.meetings, instance.slots, known)
        drawn = first_accepted(
            lambda: _drawn(
                instance.meetings, instance.slots, int(rng.choice(columns)), known, counts, rng
            ),
            lambda found: found is not None and _covers(instance.meetings, (*known, *found)),
            tries=200,
        )
        if drawn is None:
            return instance
        supply = {kind: iter([c for c in drawn if c[0] == kind]) for kind in SENTENCES}
        constraints = tuple(
            constraint if owner == seat else next(supply[str(constraint[0])])
            for constraint, owner in dealt
        )
        return replace(instance, constraints=constraints)

    def guess(self, facts: Facts, rng: np.random.Generator) -> MeetingMatrixInstance:
        """Invent about as many constraints as are known, and some on meetings without any."""
        meetings, slots, known = _meetings(facts), cast("int", facts["slots"]), _constraints(facts)
        column = int(rng.choice(_allowed(meetings, slots, known)))
        forbidden = int(rng.binomial(len(known), 0.25))
        counts = {CONFLICT: len(known) - forbidden, NOT: forbidden}
        drawn = _drawn(meetings, slots, column, known, counts, rng) or ()
        constraints = [*known, *drawn]
        for meeting, slot in zip(meetings, _timetables(len(meetings), slots)[column], strict=True):
            if not _covers((meeting,), constraints):
                constraints.append((NOT, meeting, 1 if slot > 1 else 2))
        return MeetingMatrixInstance(meetings, slots, tuple(constraints), (1,) * len(constraints))

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The meetings, slots and known constraints."""
        meetings, slots = _meetings(facts), cast("int", facts["slots"])
        partner = if_split(facts, "Your partner knows further constraints of both kinds. ")
        return "\n".join([
            f"Meetings {', '.join(meetings)}; {_slot_names(slots, seat, friction)}. "
            "Constraints you know:",
            *_said(facts, seat, friction),
            f"{partner}Give every meeting a slot so that all constraints hold.",
        ])  # fmt: skip

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The meetings, slots and known constraints in few tokens."""
        slots = _slot_names(cast("int", facts["slots"]), seat, friction)
        head = f"{' '.join(_meetings(facts))}; {slots}"
        if seat == 2 and friction:
            return "\n".join([head, *_said(facts, seat, friction)])
        short = [f"{a} {'!=' if kind == CONFLICT else 'not'} {b}"
                 for kind, a, b in _constraints(facts)]  # fmt: skip
        return f"{head}\n{'; '.join(short)}"

    def read_view(self, text: str) -> Facts | None:
        """Read the meetings, slots and listed constraints."""
        match = _VIEW.search(text)
        if match is None:
            return None
        lines = [line[2:] for line in match[3].strip().splitlines()]
        heard = [
            [kind, *about]
            for line in lines
            for kind, sentence in SENTENCES.items()
            if (about := sentence.read(line)) is not None
        ]
        meetings = match[1].split(", ")
        if len(heard) < len(lines) or len(meetings) > MOST_MEETINGS:
            return None
        constraints: list[Json] = [[*constraint] for constraint in heard]
        return {"meetings": [*meetings], "slots": int(match[2]), "constraints": constraints}

    def answer_form(self, friction: Friction) -> str:
        """A slot for each meeting."""
        return '{"slots": {"M1": 1, ...}}'

    def answer_note(self, friction: Friction) -> str:
        """How slots are written."""
        return '"slots" gives the number of the slot of every meeting.'

    def check_steps(self, instance: MeetingMatrixInstance, answer: Answer) -> list[str]:
        """Every constraint with the slots that meet it."""
        slot = _slots(instance, answer)
        return [
            f"{a} in slot {slot.get(str(a))}, {b if kind == CONFLICT else 'slot'} "
            f"{'in slot ' + str(slot.get(str(b))) if kind == CONFLICT else f'{b} excluded'}, holds"
            for kind, a, b in instance.constraints
        ]

    def free_text_answer(
        self, instance: MeetingMatrixInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Pairs such as "M1 -> 2" or "M1: slot 2" in the last message that has any."""
        numbers = [str(slot) for slot in range(1, instance.slots + 1)]
        values = [*numbers, *(f"slot {number}" for number in numbers)]
        pairs = assignments(messages, instance.meetings, values)
        return None if pairs is None else {"slots": {m: int(v[-1]) for m, v in pairs.items()}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Random slots for some meetings."""
        chosen = [k for k in range(1, 7) if rng.random() < 0.5]
        return {"slots": {f"M{k}": int(rng.integers(1, 4)) for k in chosen}}


_VIEW = re.compile(
    rf"^Meetings ({NAMES}); slots 1-([2-{MOST_SLOTS}])\. Constraints you know:$((?:\s^- .*$)*)",
    re.MULTILINE,
)


def _allowed(meetings: Sequence[str], slots: int, constraints: Sequence[Clue]) -> NDArray[np.int_]:
    """The timetables in which constraints hold."""
    table = _table(len(meetings), slots)
    rows = rows_of(table, meetings, constraints) or []
    return np.flatnonzero(table.truth[rows].all(axis=0))


def _drawn(
    meetings: Sequence[str],
    slots: int,
    column: int,
    known: Sequence[Clue],
    counts: Mapping[str, int],
    rng: np.random.Generator,
) -> tuple[Clue, ...] | None:
    """Draw further constraints that hold in a timetable; None if there are not enough."""
    table = _table(len(meetings), slots)
    rows = rows_of(table, meetings, known) or []
    others = rng.permutation(np.setdiff1d(np.flatnonzero(table.truth[:, column]), rows))
    drawn: list[Clue] = []
    for kind, count in counts.items():
        found = [table.clues[row] for row in others if table.clues[row][0] == kind][:count]
        if len(found) < count:
            return None
        drawn += [named(clue, meetings) for clue in found]
    return tuple(drawn)


def _covers(meetings: Sequence[str], constraints: Sequence[Clue]) -> bool:
    """Whether every meeting is in a constraint."""
    return set(meetings) <= {part for constraint in constraints for part in constraint[1:]}


def _slots(instance: MeetingMatrixInstance, answer: object) -> dict[str | int, int]:
    """The meetings that an answer puts into a slot that exists."""
    given = assigned(answer, "slots", instance.meetings).items()
    numbers = ((meeting, answer_integer(value)) for meeting, value in given)
    return {m: slot for m, slot in numbers if slot is not None and 1 <= slot <= instance.slots}


def _meetings(facts: Facts) -> tuple[str, ...]:
    return tuple(cast("list[str]", facts["meetings"]))


def _constraints(facts: Facts) -> list[Clue]:
    return [tuple(constraint) for constraint in cast("list[list[str | int]]", facts["constraints"])]


def _times(slots: int, friction: Friction) -> list[str]:
    first = FIRST_HOUR + (AHEAD if friction == 2 else 0)
    return [f"{first + k}:00" for k in range(slots)]


def _slot_names(slots: int, seat: Seat, friction: Friction) -> str:
    if seat == 1 or friction == 0:
        return f"slots 1-{slots}"
    ahead = f"; your clock runs {AHEAD} h ahead of your partner's" if friction == 2 else ""
    times = ", ".join(_times(slots, friction))
    return f"start times {times} (= slots 1, 2, ... in this order{ahead})"


def _said(facts: Facts, seat: Seat, friction: Friction) -> list[str]:
    """The known constraints as a list, or as a matrix and a list."""
    constraints = _constraints(facts)
    if seat == 1 or friction == 0:
        return [line for c in constraints for line in bullets(SENTENCES[str(c[0])], [c[1:]])]
    times = _times(cast("int", facts["slots"]), friction)
    excluded = [f"- {a} is impossible at {times[int(slot) - 1]}"
                for kind, a, slot in constraints if kind == NOT]  # fmt: skip
    return ["clash matrix (x = clash):", *_matrix(facts), *(excluded or [""])]


def _matrix(facts: Facts) -> list[str]:
    """Which meetings clash, a row and a column for each."""
    meetings = _meetings(facts)
    clashes = {frozenset(c[1:]) for c in _constraints(facts) if c[0] == CONFLICT}
    width = max(map(len, meetings))
    lines = [" " * (width + 2) + "".join(f" {meeting:<{width}}" for meeting in meetings)]
    for a in meetings:
        marks = ("x" if frozenset((a, b)) in clashes else "." for b in meetings)
        lines.append(f"{a:<{width + 2}}" + "".join(f" {mark:<{width}}" for mark in marks))
    return lines


def _read_clue(entry: object) -> Clue:
    """Check the form of a clue in JSON.

    Raises:
        InstanceError: It is no short list of strings and integers.
    """
    if not isinstance(entry, list | tuple) or not 2 <= len(entry) <= 4:
        raise InstanceError("a clue must be a list of 2..4 entries")
    if any(isinstance(part, bool) or not isinstance(part, str | int) for part in entry):
        raise InstanceError("a clue must hold strings and integers")
    return tuple(entry)

"""``meetingmatrix``: meetings and slots, half of the constraints in each view.

Rules: give every meeting a slot; meetings that clash need different slots, and some slots are
impossible for some meetings.
Views: the constraints are halved at random. View 1 lists clashes and slot numbers, view 2 draws
a clash matrix and names start times; at friction 2 its clock runs ahead.
Answer: ``{"slots": {"M1": 2, ...}}``.
Grade: the share of constraints that hold; one about a meeting without a slot does not.
Source: The Collaboration Tax, appendix F (meetingmatrix).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.answers import assigned
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_integer,
    integers_fault,
    length_fault,
    names_fault,
)
from coordgym.silo_env.pairs.facts.owners import Owner, deal, unsplit
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.shapes.clues import (
    Clue,
    ClueTable,
    Truth,
    make_table,
    named,
    rows_of,
)
from coordgym.silo_env.pairs.task import Answer, Grade, PairTask, Seat
from coordgym.silo_env.pairs.tasks.meetingmatrix import texts
from coordgym.silo_env.pairs.tasks.meetingmatrix.texts import (
    CONFLICT,
    MOST_MEETINGS,
    MOST_SLOTS,
    NOT,
    MeetingMatrixView,
)

MOST_CONSTRAINTS = 60


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
    owner: tuple[Owner, ...]


@lru_cache(maxsize=16)
def _timetables(m: int, s: int) -> NDArray[np.int_]:
    """Return all timetables: a row with the slot of each meeting, in lexicographic order."""
    return np.array(list(product(range(1, s + 1), repeat=m)))


@lru_cache(maxsize=16)
def _table(m: int, s: int) -> ClueTable:
    """Tabulate all constraints on m meetings and s slots."""
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


class MeetingMatrix(PairTask[MeetingMatrixInstance, MeetingMatrixConfig, MeetingMatrixView]):
    """The timetable."""

    answer_fields = ("slots",)
    counts = True
    config_type = MeetingMatrixConfig
    instance_type = MeetingMatrixInstance
    view_type = MeetingMatrixView
    reader = "coordgym.silo_env.pairs.tasks.meetingmatrix.reader:MeetingReader"
    rule = (
        "Meetings are to be put into slots. Meetings with a common participant need different "
        "slots, and some meetings can't be in some slots. Give every meeting a slot so that all "
        "constraints hold; meetings that don't clash may share a slot."
    )
    split = "You know half of the constraints, the other agent knows the other half."
    form = '{"slots": {"M1": 1, ...}}'
    note = '"slots" gives the number of the slot of every meeting.'
    compact_rule = "give every meeting a slot; clashing meetings need different ones"
    compact_split = "the other agent knows the other half of the constraints"

    def draw(
        self, config: MeetingMatrixConfig, rng: np.random.Generator
    ) -> MeetingMatrixInstance | None:
        """Draw constraints of a random timetable; None unless every meeting is in one."""
        meetings = tuple(f"M{k}" for k in range(1, config.m + 1))
        column = int(rng.integers(config.s**config.m))
        counts = {CONFLICT: config.conflicts, NOT: config.forbidden}
        constraints = _drawn(MeetingMatrixView(meetings, config.s, ()), column, counts, rng)
        if constraints is None or not _covers(meetings, constraints):
            return None
        owners = [owner for _, owner in deal([(clue,) for clue in constraints], rng)]
        return MeetingMatrixInstance(meetings, config.s, constraints, tuple(owners))

    def fault(self, instance: MeetingMatrixInstance) -> str | None:
        """Say what is wrong with the constraints, or that no timetable meets them."""
        meetings, slots, constraints = instance.meetings, instance.slots, instance.constraints
        fault = (
            length_fault("meetings", meetings, 2, MOST_MEETINGS)
            or names_fault("meetings", meetings)
            or integers_fault("slots", [slots], 2, MOST_SLOTS)
            or length_fault("constraints", constraints, 1, MOST_CONSTRAINTS)
            or length_fault("owner", instance.owner, len(constraints), len(constraints))
        )
        if fault is not None:
            return fault
        rows = rows_of(_table(len(meetings), slots), meetings, constraints)
        if rows is None:
            return "constraints must be [conflict, a, b] or [not, meeting, slot]"
        if len(set(rows)) < len(rows):
            return "constraints must not state anything twice"
        if _covers(meetings, constraints) and len(_allowed(meetings, slots, constraints)):
            return None
        return "constraints must mention every meeting and have a solution"

    def optimal_answers(self, instance: MeetingMatrixInstance, limit: int) -> list[Answer]:
        """Return timetables in which all constraints hold, in lexicographic order."""
        columns = _allowed(instance.meetings, instance.slots, instance.constraints)[:limit]
        timetables = _timetables(len(instance.meetings), instance.slots)[columns].tolist()
        return [{"slots": dict(zip(instance.meetings, row, strict=True))} for row in timetables]

    def score(self, instance: MeetingMatrixInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of constraints that hold."""
        slot = _slots(instance, answer)
        holding = sum(
            a in slot and (slot[a] != b if kind == NOT else b in slot and slot[a] != slot[b])
            for kind, a, b in instance.constraints
        )
        return Grade(holding / len(instance.constraints))

    def view(self, instance: MeetingMatrixInstance, seat: Seat | None) -> MeetingMatrixView:
        """Return the constraints of a view; those of both in alphabetical order."""
        if seat is None:
            shown = sorted(instance.constraints)
        else:
            dealt = zip(instance.constraints, instance.owner, strict=True)
            shown = [constraint for constraint, owner in dealt if owner == seat]
        return MeetingMatrixView(instance.meetings, instance.slots, tuple(shown), seat is None)

    def join(self, views: Sequence[MeetingMatrixView]) -> MeetingMatrixInstance | None:
        """Put two views that share no constraint together, or take the whole."""
        first, known = views[0], [set(view.constraints) for view in views]
        union = set[Clue]().union(*known)
        if any((view.meetings, view.slots) != (first.meetings, first.slots) for view in views):
            return None
        whole = [set(view.constraints) for view in views if view.whole]
        if whole and whole[0] != union:
            return None
        if not whole and (len(views) < 2 or len(union) < sum(map(len, known))):
            return None
        return _unsplit(first, sorted(union))

    def redraw(
        self,
        view: MeetingMatrixView,
        rng: np.random.Generator,
        like: MeetingMatrixInstance | None = None,
    ) -> MeetingMatrixInstance | None:
        """Invent as many constraints of each kind as ``like`` hides, or as many as are known."""
        columns = _allowed(view.meetings, view.slots, view.constraints)
        if like is None:
            return _invented(view, int(rng.choice(columns)), rng)
        seat = self.seat_of(like, view)
        dealt = list(zip(like.constraints, like.owner, strict=True))
        hidden = [constraint[0] for constraint, owner in dealt if owner != seat]
        counts = {kind: hidden.count(kind) for kind in (CONFLICT, NOT)}
        drawn = first_accepted(
            lambda: _drawn(view, int(rng.choice(columns)), counts, rng),
            lambda found: _covers(view.meetings, (*view.constraints, *found)),
            tries=200,
        )
        if drawn is None:
            return None
        supply = {kind: iter([c for c in drawn if c[0] == kind]) for kind in (CONFLICT, NOT)}
        constraints = tuple(
            constraint if owner == seat else next(supply[str(constraint[0])])
            for constraint, owner in dealt
        )
        return replace(like, constraints=constraints)

    say = staticmethod(texts.say)
    say_compact = staticmethod(texts.say_compact)
    hear = staticmethod(texts.hear)

    def check_steps(self, instance: MeetingMatrixInstance, answer: Answer) -> list[str]:
        """Check every constraint with the slots that meet it."""
        slot = _slots(instance, answer)
        return [
            f"{a} in slot {slot.get(str(a))}, {b if kind == CONFLICT else 'slot'} "
            f"{'in slot ' + str(slot.get(str(b))) if kind == CONFLICT else f'{b} excluded'}, holds"
            for kind, a, b in instance.constraints
        ]

    def free_text_answer(
        self, instance: MeetingMatrixInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read pairs such as "M1 -> 2" or "M1: slot 2" in the last message that has any."""
        numbers = [str(slot) for slot in range(1, instance.slots + 1)]
        values = [*numbers, *(f"slot {number}" for number in numbers)]
        pairs = assignments(messages, instance.meetings, values)
        return None if pairs is None else {"slots": {m: int(v[-1]) for m, v in pairs.items()}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw slots for some meetings."""
        chosen = [k for k in range(1, 7) if rng.random() < 0.5]
        return {"slots": {f"M{k}": int(rng.integers(1, 4)) for k in chosen}}


def _allowed(meetings: Sequence[str], slots: int, constraints: Sequence[Clue]) -> NDArray[np.int_]:
    """Return the timetables in which constraints hold."""
    table = _table(len(meetings), slots)
    rows = rows_of(table, meetings, constraints) or []
    return np.flatnonzero(table.truth[rows].all(axis=0))


def _drawn(
    view: MeetingMatrixView, column: int, counts: Mapping[str, int], rng: np.random.Generator
) -> tuple[Clue, ...] | None:
    """Draw further constraints that hold in a timetable; None if there are not enough."""
    table = _table(len(view.meetings), view.slots)
    rows = rows_of(table, view.meetings, view.constraints) or []
    others = rng.permutation(np.setdiff1d(np.flatnonzero(table.truth[:, column]), rows))
    drawn: list[Clue] = []
    for kind, count in counts.items():
        found = [table.clues[row] for row in others if table.clues[row][0] == kind][:count]
        if len(found) < count:
            return None
        drawn += [named(clue, view.meetings) for clue in found]
    return tuple(drawn)


def _invented(
    view: MeetingMatrixView, column: int, rng: np.random.Generator
) -> MeetingMatrixInstance:
    """Draw about as many constraints of a timetable as are known, and some on other meetings."""
    meetings, known = view.meetings, view.constraints
    forbidden = int(rng.binomial(len(known), 0.25))
    counts = {CONFLICT: len(known) - forbidden, NOT: forbidden}
    constraints = [*known, *(_drawn(view, column, counts, rng) or ())]
    for meeting, slot in zip(meetings, _timetables(len(meetings), view.slots)[column], strict=True):
        if not _covers((meeting,), constraints):
            constraints.append((NOT, meeting, 1 if slot > 1 else 2))
    return _unsplit(view, constraints)


def _unsplit(view: MeetingMatrixView, constraints: Sequence[Clue]) -> MeetingMatrixInstance:
    """Return a timetable of which view 1 shows every constraint."""
    owner = unsplit(len(constraints))
    return MeetingMatrixInstance(view.meetings, view.slots, tuple(constraints), owner)


def _covers(meetings: Sequence[str], constraints: Sequence[Clue]) -> bool:
    """Say whether every meeting is in a constraint."""
    return set(meetings) <= {part for constraint in constraints for part in constraint[1:]}


def _slots(instance: MeetingMatrixInstance, answer: Mapping[str, object]) -> dict[str | int, int]:
    """Return the meetings that an answer puts into a slot that exists."""
    given = assigned(answer, "slots", instance.meetings).items()
    numbers = ((meeting, answer_integer(value)) for meeting, value in given)
    return {m: slot for m, slot in numbers if slot is not None and 1 <= slot <= instance.slots}

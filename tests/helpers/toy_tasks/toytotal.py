"""A pair task for tests: the total of numbers of which each agent holds some."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, PairTask, Seat

Numbers = tuple[int, ...]
LARGEST = 9


@dataclass(frozen=True, slots=True)
class ToyTotalConfig:
    """How many numbers each agent holds, 1..9."""

    count: int = 3

    def __post_init__(self) -> None:
        require_int("count", self.count, 1, 9)


@dataclass(frozen=True, slots=True)
class ToyTotalInstance:
    """The numbers of each agent."""

    first: Numbers
    second: Numbers


@dataclass(frozen=True, slots=True)
class ToyTotalView:
    """The numbers that a view shows; None: hidden."""

    first: Numbers | None = None
    second: Numbers | None = None


class ToyTotal(PairTask[ToyTotalInstance, ToyTotalConfig, ToyTotalView]):
    """The total."""

    config_type = ToyTotalConfig
    instance_type = ToyTotalInstance
    view_type = ToyTotalView
    answer_fields = ("total",)
    rule = "Add up all numbers."
    split = "You know some of the numbers, the other agent knows the rest."
    form = '{"total": number}'
    note = '"total" is the sum of all numbers.'
    compact_rule = "add up all numbers"
    compact_split = "the other agent knows the other numbers"

    def draw(self, config: ToyTotalConfig, rng: np.random.Generator) -> ToyTotalInstance | None:
        """Draw the numbers of both agents."""
        return ToyTotalInstance(_drawn(config.count, rng), _drawn(config.count, rng))

    def fault(self, instance: ToyTotalInstance) -> str | None:
        """Require numbers of one digit, at least one for each agent."""
        for name, numbers in (("first", instance.first), ("second", instance.second)):
            if not numbers or not all(0 <= number <= LARGEST for number in numbers):
                return f"{name} must hold numbers 0..{LARGEST}, at least one"
        return None

    def solve(self, instance: ToyTotalInstance) -> Answer:
        """Return the total."""
        return {"total": sum(instance.first) + sum(instance.second)}

    def score(self, instance: ToyTotalInstance, answer: Mapping[str, object]) -> Grade:
        """Give full credit for the total and none for anything else."""
        given = answer.get("total")
        return Grade(float(type(given) is int and given == self.solve(instance)["total"]))

    def check_steps(self, instance: ToyTotalInstance, answer: Answer) -> list[str]:
        """Add up the numbers of each agent."""
        return [f"{sum(instance.first)} + {sum(instance.second)} = {answer['total']}"]

    def free_text_answer(
        self, instance: ToyTotalInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read "the total is 7" from prose."""
        found = [match for text in messages for match in re.findall(r"total is (\d{1,4})", text)]
        return {"total": int(found[-1])} if found else None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a total."""
        return {"total": int(rng.integers(100))}

    def view(self, instance: ToyTotalInstance, seat: Seat | None) -> ToyTotalView:
        """Return the numbers of a seat."""
        return ToyTotalView(
            None if seat == 2 else instance.first, None if seat == 1 else instance.second
        )

    def join(self, views: Sequence[ToyTotalView]) -> ToyTotalInstance | None:
        """Put the numbers of both agents together."""
        first = {view.first for view in views} - {None}
        second = {view.second for view in views} - {None}
        if len(first) != 1 or len(second) != 1:
            return None
        return ToyTotalInstance(first.pop() or (), second.pop() or ())

    def redraw(
        self, view: ToyTotalView, rng: np.random.Generator, like: ToyTotalInstance | None = None
    ) -> ToyTotalInstance | None:
        """Draw the hidden numbers."""
        known = view.first or view.second or ()
        count = len(known) if like is None else len(like.second if view.first else like.first)
        first, second = view.first or _drawn(count, rng), view.second or _drawn(count, rng)
        return ToyTotalInstance(first, second)

    def say(self, view: ToyTotalView, seat: Seat, friction: Friction) -> str:
        """List the numbers; at friction 2 the second seat begins with the last."""
        lines = ((name, getattr(view, name)) for name in ("first", "second"))
        turn = -1 if friction == 2 and seat == 2 else 1
        return "\n".join(f"The {name} numbers: {_listed(n[::turn])}." for name, n in lines if n)

    def say_compact(self, view: ToyTotalView, seat: Seat, friction: Friction) -> str:
        """List the numbers in few tokens."""
        return f"numbers {_listed((view.first or ()) + (view.second or ()))}"

    def hear(self, text: str) -> ToyTotalView | None:
        """Read the lists of numbers."""
        read: dict[str, Numbers] = {}
        for name, listed in re.findall(r"The (first|second) numbers: (-?\d(?:, -?\d)*)\.", text):
            read[name] = tuple(int(number) for number in listed.split(", "))
        return ToyTotalView(**read) if read else None


def _drawn(count: int, rng: np.random.Generator) -> Numbers:
    return tuple(rng.integers(LARGEST, size=count, endpoint=True).tolist())


def _listed(numbers: Numbers) -> str:
    return ", ".join(map(str, numbers))

"""``order``: a queue of people whose order follows from clues, half of them in each view.

Rules: find the one queue that agrees with all clues: who stands before whom, immediately before,
with how many people between, in which place or not in which place.
Views: the clues alternate. View 1 counts places from the front and says "before", view 2 counts
from the back and says "behind"; at friction 2 its count starts with zero.
Answer: ``{"order": [name, ...]}``, front first.
Grade: one minus the normalised Kendall distance; a missing name costs all its pairs.
Source: The Collaboration Tax, appendix F (order).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.answers import order_score
from coordgym.silo_env.pairs.facts.sentences import NAMES, Sentence
from coordgym.silo_env.pairs.shapes.clues import Clue, ClueTable, Truth, make_table
from coordgym.silo_env.pairs.shapes.people_clues import PeopleClueTask, PeopleInstance, draw_people
from coordgym.silo_env.pairs.task import Friction, Seat

SMALLEST, LARGEST = 3, 8
"""People in the queue."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

RATES = {"at": 0.15, "notat": 0.25, "before": 0.8, "imm": 0.6, "gap": 0.8}
"""How often a true clue of each kind is considered."""

ONE_BETWEEN = Sentence("exactly {2:d} person stands between {0} and {1}")


@dataclass(frozen=True, slots=True)
class OrderConfig:
    """Difficulty of generated queues.

    Attributes:
        n: People, 3..8.
        clues_each: Clues per view, 1..20.
        gap_rate: How often a true "so many people between" is considered, 0..1.
        notat_rate: How often a true "not in this place" is considered, 0..1.
    """

    n: int = 6
    clues_each: int = 4
    gap_rate: float = RATES["gap"]
    notat_rate: float = RATES["notat"]

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_int("clues_each", self.clues_each, 1, 20)
        require_probability("gap_rate", self.gap_rate)
        require_probability("notat_rate", self.notat_rate)


@lru_cache(maxsize=8)
def _queues(n: int) -> list[tuple[int, ...]]:
    return list(permutations(range(n)))


@lru_cache(maxsize=8)
def _table(n: int) -> ClueTable:
    """Tabulate all clues about n people; an arrangement is a permutation, front first."""
    place: NDArray[np.int_] = np.argsort(np.array(_queues(n)), axis=1) + 1

    def holds(clue: Clue) -> Truth:
        kind, *about = clue
        first = place[:, int(about[0])]
        truth: Truth
        if kind in ("at", "notat"):
            truth = (first == int(about[1])) == (kind == "at")
            return truth
        ahead = place[:, int(about[1])] - first
        if kind == "before":
            truth = ahead > 0
        elif kind == "imm":
            truth = ahead == 1
        else:
            truth = np.abs(ahead) == int(about[2]) + 1
        return truth

    people = [str(person) for person in range(n)]
    clues: list[Clue] = []
    clues += [(kind, a, k) for kind in ("at", "notat") for a in people for k in range(1, n + 1)]
    clues += [(kind, a, b) for kind in ("before", "imm") for a, b in permutations(people, 2)]
    clues += [("gap", a, b, k) for a, b in combinations(people, 2) for k in range(1, n - 1)]
    return make_table(clues, holds, symmetric=("gap",))


class Order(PeopleClueTask[OrderConfig]):
    """The queue."""

    answer_fields = ("order",)
    config_type = OrderConfig
    rates = RATES
    fewest, most = SMALLEST, LARGEST
    sentences = (
        ("before", Sentence("{0} stands before {1}")),
        ("imm", Sentence("{0} stands immediately before {1}")),
        ("gap", Sentence("exactly {2:d} people stand between {0} and {1}")),
        ("gap", ONE_BETWEEN),
        ("at", Sentence("{0} is in place {1:d} from the front")),
        ("notat", Sentence("{0} is not in place {1:d} from the front")),
    )
    frame = " (places are counted from the back, where the last person is in place 0)"
    head = re.compile(rf"^(\d) people queue: ({NAMES})\. Your clues:$", re.MULTILINE)
    question = "Give the whole queue, front first."
    rule = "People stand in a queue. Find the one order of the queue that agrees with all clues."
    compact_entries = "front first"
    note = '"order" lists everybody from the front of the queue to its back.'
    compact_rule = "queue: find the only order that fits all clues"

    def draw(self, config: OrderConfig, rng: np.random.Generator) -> PeopleInstance | None:
        """Draw some people in a random order."""
        rates = {**RATES, "gap": config.gap_rate, "notat": config.notat_rate}
        return self.draw_clues(draw_people(config.n, rng), config.clues_each, rates, rng)

    def arrangements(self, size: int) -> Sequence[Sequence[int]]:
        """Return all queues of so many people."""
        return _queues(size)

    def nearness(self, listed: object, truth: Sequence[str]) -> float:
        """Return the share of pairs of people in the right order."""
        return order_score(listed, truth)

    def table(self, names: Sequence[str]) -> ClueTable:
        """Return the clues about so many people."""
        return _table(len(names))

    def say_clue(self, clue: Clue) -> str:
        """Put a clue from the front, with one person in the singular."""
        if clue[0] == "gap" and clue[3] == 1:
            return ONE_BETWEEN.say(clue[1:])
        return super().say_clue(clue)

    def say_turned(self, clue: Clue, size: int, friction: Friction) -> str:
        """Put a clue from the back."""
        kind, a, b, *_ = clue
        if kind == "gap":
            return self.say_clue(clue)
        if isinstance(b, str):
            return f"{b} stands {'right ' if kind == 'imm' else ''}behind {a}"
        behind = size - b
        place = f"{ORDINALS[behind]} from the back" if friction == 1 else f"in place {behind}"
        return f"{a} is {'not ' if kind == 'notat' else ''}{place}"

    def heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Say who queues."""
        head = f"{len(names)} people queue: {', '.join(names)}. Your clues"
        return f"{self.framed(head, seat, friction)}:"

    def compact_heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Say who queues."""
        return self.framed(f"queue of {', '.join(names)}", seat, friction)

"""``seating``: people round a table whose order follows from clues, half of them in each view.

Rules: find the one circle that agrees with all clues: who are neighbours or not, who comes
directly or so many seats clockwise of whom, how far two people sit apart.
Views: the clues alternate. View 1 goes clockwise, view 2 anticlockwise; at friction 2 it speaks
of left and right as the people see them.
Answer: ``{"circle": [name, ...]}``, clockwise from anybody.
Grade: one minus the distance of the best rotation; the mirror image is not free.
Source: The Collaboration Tax, appendix F (seating).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.answers import circle_score
from coordgym.silo_env.pairs.facts.sentences import NAMES, Sentence
from coordgym.silo_env.pairs.shapes.clues import Clue, ClueTable, Truth, make_table
from coordgym.silo_env.pairs.shapes.people_clues import PeopleClueTask, PeopleInstance, draw_people
from coordgym.silo_env.pairs.task import Friction, Seat

SMALLEST, LARGEST = 4, 8
"""People round the table."""

RATES = {"next": 0.6, "notnext": 0.6, "cw": 0.3, "apart": 0.6, "cwk": 0.4}
"""How often a true clue of each kind is considered."""
DIRECTED = ("cw", "cwk")
"""The kinds that tell a circle from its mirror image."""


@dataclass(frozen=True, slots=True)
class SeatingConfig:
    """Difficulty of generated tables.

    Attributes:
        n: People, 4..8.
        clues_each: Clues per view, 1..20.
        directed: The rates of clues with a direction are multiplied with this, 0..1.
    """

    n: int = 6
    clues_each: int = 4
    directed: float = 1.0

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_int("clues_each", self.clues_each, 1, 20)
        require_probability("directed", self.directed)


@lru_cache(maxsize=8)
def _circles(n: int) -> list[tuple[int, ...]]:
    """List all circles clockwise, the first person first."""
    return [(0, *others) for others in permutations(range(1, n))]


@lru_cache(maxsize=8)
def _table(n: int) -> ClueTable:
    """Tabulate all clues about n people; an arrangement is a circle."""
    seat: NDArray[np.int_] = np.argsort(np.array(_circles(n)), axis=1)

    def holds(clue: Clue) -> Truth:
        kind, a, b, *distance = clue
        turn = (seat[:, int(b)] - seat[:, int(a)]) % n
        apart = np.minimum(turn, n - turn)
        truth: Truth
        if kind in DIRECTED:
            truth = turn == (int(distance[0]) if distance else 1)
        elif kind == "apart":
            truth = apart == int(distance[0])
        else:
            truth = (apart == 1) == (kind == "next")
        return truth

    people = [str(person) for person in range(n)]
    couples = list(combinations(people, 2))
    clues: list[Clue] = [(kind, a, b) for kind in ("next", "notnext") for a, b in couples]
    clues += [("apart", a, b, k) for a, b in couples for k in range(2, n // 2 + 1)]
    clues += [("cw", a, b) for a, b in permutations(people, 2)]
    clues += [("cwk", a, b, k) for a, b in permutations(people, 2) for k in range(2, n - 1)]
    return make_table(clues, holds, symmetric=("next", "notnext", "apart"))


class Seating(PeopleClueTask[SeatingConfig]):
    """The round table."""

    answer_fields = ("circle",)
    config_type = SeatingConfig
    rates = RATES
    fewest, most = SMALLEST, LARGEST
    sentences = (
        ("next", Sentence("{0} and {1} are neighbours")),
        ("notnext", Sentence("{0} and {1} are not neighbours")),
        ("cw", Sentence("going clockwise, {1} comes directly after {0}")),
        ("cwk", Sentence("{1} is {2:d} seats clockwise of {0}")),
        ("apart", Sentence("{0} and {1} sit {2:d} seats apart (shorter way round)")),
    )
    frame = (
        " (everybody faces the middle of the table, so that the next seat clockwise is to a "
        "person's left; 1 to the right means the next seat)"
    )
    head = re.compile(
        rf"^(\d) people sit evenly round a table: ({NAMES})\. Your clues:$", re.MULTILINE
    )
    question = "Give everyone in clockwise order, starting anywhere."
    rule = (
        "People sit round a table. Find the one circle that agrees with all clues; how the table "
        "is turned does not matter, but clockwise and anticlockwise are different."
    )
    note = '"circle" lists everybody clockwise as seen from above, starting with anyone.'
    compact_rule = "round table: find the only clockwise order that fits all clues"

    def draw(self, config: SeatingConfig, rng: np.random.Generator) -> PeopleInstance | None:
        """Draw some people in a random circle."""
        rates = {
            kind: rate * (config.directed if kind in DIRECTED else 1)
            for kind, rate in RATES.items()
        }
        return self.draw_clues(draw_people(config.n, rng), config.clues_each, rates, rng)

    def arrangements(self, size: int) -> Sequence[Sequence[int]]:
        """Return all circles of so many people."""
        return _circles(size)

    def nearness(self, listed: object, truth: Sequence[str]) -> float:
        """Say how near everybody sits to the true place, in the best rotation."""
        return circle_score(listed, truth)

    def table(self, names: Sequence[str]) -> ClueTable:
        """Return the clues about so many people."""
        return _table(len(names))

    def say_turned(self, clue: Clue, size: int, friction: Friction) -> str:
        """Put a clue anticlockwise, or as the people at the table see it."""
        kind, a, b, *distance = clue
        if kind not in DIRECTED:
            return self.say_clue(clue)
        if friction == 2:
            return f"{a} sits {distance[0] if distance else 1} to the right of {b}"
        if kind == "cw":
            return f"going anticlockwise, {a} comes directly after {b}"
        return f"{a} is {distance[0]} seats anticlockwise of {b}"

    def heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Say who sits at the table."""
        head = f"{len(names)} people sit evenly round a table: {', '.join(names)}. Your clues"
        return f"{self.framed(head, seat, friction)}:"

    def compact_heading(self, names: Sequence[str], seat: Seat, friction: Friction) -> str:
        """Say who sits at the table."""
        return self.framed(f"table of {', '.join(names)}", seat, friction)

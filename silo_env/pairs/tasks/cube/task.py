"""``cube``: a walk through a block of free and solid cells, its floors dealt alternately.

Rules: from the first cell of floor 0 to the last cell of the top floor of an n x n x n block in as
few steps as possible, along the six axis directions, never through solid cells.
Views: view 1 knows the even floors and draws them, 0-based; view 2 knows the odd ones and lists
their solid squares, levels and (x, y) counted from 1 at the bottom left. Both say so.
Answer: ``{"path": [[floor, row, column], ...]}``.
Grade: the path score of ``paths.py``, best of the sixteen schemes inside a floor; the floor comes
first, shares the scheme's first number, and floors always count upwards.
Source: The Collaboration Tax, table 8.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import InstanceError, require_int, require_probability
from coordgym.silo_env.pairs.facts.instances import require_views
from coordgym.silo_env.pairs.grids.cells import (
    Rows,
    hidden_wall_rate,
    random_walls,
    require_rows,
    set_cells,
)
from coordgym.silo_env.pairs.grids.paths import (
    count_shortest_paths,
    distances_to,
    reachable,
    shortest_paths,
    walk,
)
from coordgym.silo_env.pairs.grids.schemes import (
    CANONICAL,
    SCHEMES,
    Scheme,
    Written,
    axis_names,
    decode,
    one_convention,
    read_parts,
)
from coordgym.silo_env.pairs.grids.schemes import read_coordinate as read_mark
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_cells
from coordgym.silo_env.pairs.shapes.grid_walks import require_walk_limits
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.cube import texts as block_texts
from coordgym.silo_env.pairs.tasks.cube.texts import GOAL, SOLID, START, SYMBOLS, edge_of, floors_of

Place = tuple[int, int, int]
"""(floor, row, column), counted from 0, row 0 at the back, column 0 at the left."""

SMALLEST, LARGEST = 3, 6
"""Cells per edge."""
DRAWS = 2000
"""Draws of hidden floors before they are taken to be free."""


@dataclass(frozen=True, slots=True)
class CubeConfig:
    """Difficulty of generated blocks.

    Attributes:
        n: Cells per edge, 3..6.
        p_wall: Chance of a cell to be solid, 0..1.
        min_length: Fewest moves of the shortest walk; None: 3 (n - 1), that of a free block.
        max_optimal: Most shortest walks, at least 1.
    """

    n: int = 4
    p_wall: float = 0.42
    min_length: int | None = None
    max_optimal: int = 8

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        require_walk_limits(self.min_length, self.max_optimal, self.n**3)

    @property
    def least_moves(self) -> int:
        """Fewest moves of the shortest walk."""
        return 3 * (self.n - 1) if self.min_length is None else self.min_length


@dataclass(frozen=True, slots=True)
class CubeInstance:
    """A block and its split.

    Attributes:
        layers: The floors from the lowest, each as rows over "@*.#".
        start: The first cell of the lowest floor.
        goal: The last cell of the highest floor.
        layer_owner: For each floor 1 or 2, the view that knows it.
    """

    layers: tuple[Rows, ...]
    start: Place
    goal: Place
    layer_owner: tuple[int, ...]


class Cube(WideTask[CubeInstance, CubeConfig]):
    """The walk through a block."""

    answer_fields = ("path",)
    uses_schemes = True
    takes_moves = True
    config_type = CubeConfig
    reader = "coordgym.silo_env.pairs.tasks.cube.reader:BlockReader"
    rule = (
        "A cubic block is made of free and solid cells, floor above floor. Find a walk from the "
        "start to the goal that takes as few steps as possible. A step goes to one of the four "
        "next cells of the same floor or straight up or down to the next floor; solid cells "
        "can't be entered."
    )
    split = "You know every other floor; the other agent knows the floors between."
    compact_rule = (
        "block: fewest steps (6 directions) from first cell of lowest floor to last cell of top "
        "floor, # = solid"
    )
    compact_split = "the other agent knows the other floors"

    def draw(self, config: CubeConfig, rng: np.random.Generator) -> CubeInstance | None:
        """Independent cells; kept if the goal is far enough and few walks are optimal."""
        n = config.n
        layers = tuple(random_walls(n, n, config.p_wall, rng) for _ in range(n))
        instance = _block(_with_ends(layers))
        moves = _moves(instance.layers)
        distance = distances_to(instance.goal, moves)
        if distance.get(instance.start, 0) < config.least_moves:
            return None
        few = count_shortest_paths(instance.start, moves, distance) <= config.max_optimal
        return instance if few else None

    def read_instance(self, given: Mapping[str, object]) -> CubeInstance:
        """Check a block given as JSON: layers, start, goal, layer_owner."""
        layers = given.get("layers")
        if not isinstance(layers, list | tuple) or not 2 <= len(layers) <= 20:
            raise InstanceError("layers must list 2..20 floors")
        n = len(layers)
        floors = tuple(require_rows("layers", floor, SYMBOLS, shape=(n, n)) for floor in layers)
        owners = require_views("layer_owner", given.get("layer_owner"), n, "floor")
        instance = replace(_block(floors), layer_owner=owners)
        ends = (given.get("start"), given.get("goal"))
        if ends != (list(instance.start), list(instance.goal)):
            raise InstanceError("start and goal must be the first and the last cell of the block")
        drawn = "".join("".join(floor) for floor in floors)
        if drawn.count(START) != 1 or drawn.count(GOAL) != 1 or _with_ends(floors) != floors:
            raise InstanceError("layers must hold @ in the first cell and * in the last one")
        if instance.goal not in reachable(instance.start, _moves(floors)):
            raise InstanceError("the block has no walk from start to goal")
        return instance

    def solve(self, instance: CubeInstance) -> Answer:
        """The lexicographically smallest shortest path."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: CubeInstance, limit: int) -> list[Answer]:
        """Shortest paths in lexicographic order."""
        moves = _moves(instance.layers)
        distance = distances_to(instance.goal, moves)
        paths = shortest_paths(instance.start, moves, distance, limit)
        return [{"path": [list(place) for place in path]} for path in paths]

    def grade(
        self, instance: CubeInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Path score, the best of the schemes inside a floor."""
        path = answer.get("path") if isinstance(answer, Mapping) else None
        nothing = Grade(0.0, 0.0, 0.0)
        if not isinstance(path, list | tuple) or not path:
            return nothing
        written = _written_prefix(path)
        moves = _moves(instance.layers)
        distance = distances_to(instance.goal, moves)
        n, best = len(instance.layers), nothing
        for scheme in SCHEMES if search_schemes else CANONICAL:
            places = (_decode(marks, scheme, n) for marks in written)
            result = walk(places, instance.start, instance.goal, moves, distance)
            if result.score > best.score or best is nothing:
                best = Grade(result.score, result.literal, result.weighted, scheme.number)
        return best

    def facts(self, instance: CubeInstance, seat: Seat | None) -> Facts:
        """The floors of a view by number."""
        known: dict[str, Json] = {
            str(number): list(floor)
            for number, (floor, view) in enumerate(
                zip(instance.layers, instance.layer_owner, strict=True)
            )
            if seat in (None, view)
        }
        return {"n": len(instance.layers), "layers": known}

    def merge(self, views: Sequence[Facts]) -> CubeInstance | None:
        """Stack the floors; None if one is missing."""
        known: dict[int, Rows] = {}
        for view in views:
            known |= floors_of(view)
        n = max((edge_of(view) for view in views), default=0)
        if any(edge_of(view) != n for view in views) or sorted(known) != list(range(n)):
            return None
        layers = tuple(known[number] for number in range(n))
        if any(len(floor) != n or len(floor[0]) != n for floor in layers):
            return None
        # A list of solid squares does not say where the ends are: every task text does.
        instance = _block(_with_ends(layers))
        return instance if instance.goal in reachable(instance.start, _moves(layers)) else None

    def complete(
        self, instance: CubeInstance, seat: Seat, rng: np.random.Generator
    ) -> CubeInstance:
        """Redraw the other floors, from what the view shows."""
        other = self.guess(self.facts(instance, seat), rng)
        return replace(other, layer_owner=instance.layer_owner)

    def guess(self, facts: Facts, rng: np.random.Generator) -> CubeInstance:
        """Make cells of unknown floors solid about as often as those of known floors."""
        n, known = edge_of(facts), floors_of(facts)
        rate = hidden_wall_rate("".join("".join(floor) for floor in known.values()))
        for attempt in range(DRAWS + 1):
            chance = rate if attempt < DRAWS else 0.0
            layers = tuple(
                known[number] if number in known else random_walls(n, n, chance, rng)
                for number in range(n)
            )
            instance = _block(_with_ends(layers))
            if instance.goal in reachable(instance.start, _moves(instance.layers)):
                return instance
        raise ValueError("the known floors leave no walk from start to goal")

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Drawn floors for view 1, solid squares for view 2."""
        return block_texts.view_text(facts, seat, friction)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Floors without blanks; for view 2 its solid squares."""
        return block_texts.compact_view_text(facts, seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read drawn floors."""
        return block_texts.read_view(text)

    def answer_form(self, friction: Friction) -> str:
        """Cells in walking order, the floor first."""
        return f'{{"path": [[floor, {axis_names(friction)}], ...]}}'

    def answer_note(self, friction: Friction) -> str:
        """Only friction 0 fixes the convention inside a floor."""
        convention = one_convention(friction)
        return f'"path" lists the cells of the walk from start to goal, floor first{convention}.'

    def check_steps(self, instance: CubeInstance, answer: Answer) -> list[str]:
        """What the block has at each cell of a canonical path."""
        path = answer.get("path")
        marks = _written_prefix(path) if isinstance(path, list) else []
        places = [(first.number, a.number, b.number) for first, a, b in marks]
        free = _moves(instance.layers)
        return [f"({f},{r},{c}) is free" for f, r, c in places if (f, r, c) in free]

    def free_text_answer(self, instance: CubeInstance, messages: Sequence[str]) -> Answer | None:
        """The last run of coordinates, else the moves agreed one by one."""
        cells = free_text_cells(messages)
        return agreed_moves(messages) if cells is None else {"path": cells}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Random steps towards the goal of a block of default size."""
        place = [0, 0, 0]
        path: list[Json] = [[0, 0, 0]]
        for axis in rng.integers(3, size=6):
            place = [value + int(index == int(axis)) for index, value in enumerate(place)]
            path.append(list(place))
        return {"path": path}


def _block(layers: tuple[Rows, ...]) -> CubeInstance:
    """A block from its floors; even floors belong to view 1."""
    last = len(layers) - 1
    owners = tuple(1 + number % 2 for number in range(len(layers)))
    return CubeInstance(layers, (0, 0, 0), (last, last, last), owners)


def _with_ends(layers: tuple[Rows, ...]) -> tuple[Rows, ...]:
    """The floors with @ in the first and * in the last cell."""
    last = len(layers) - 1
    low = set_cells(layers[0], {(0, 0): START})
    high = set_cells(layers[-1], {(last, last): GOAL})
    return (low, *layers[1:-1], high)


def _moves(layers: tuple[Rows, ...]) -> dict[Place, tuple[Place, ...]]:
    """Steps along the six directions between cells that are not solid."""
    free = {
        (floor, row, column)
        for floor, rows in enumerate(layers)
        for row, line in enumerate(rows)
        for column, symbol in enumerate(line)
        if symbol != SOLID
    }
    return {
        (f, r, c): tuple(
            place
            for place in (
                (f - 1, r, c), (f, r - 1, c), (f, r, c - 1),
                (f, r, c + 1), (f, r + 1, c), (f + 1, r, c),
            )
            if place in free
        )
        for f, r, c in sorted(free)
    }  # fmt: skip


def _written_prefix(path: Sequence[object]) -> list[tuple[Written, Written, Written]]:
    """The entries before the first that is no triple of coordinates."""
    written = []
    for entry in path:
        marks = [read_mark(part) for part in read_parts(entry)]
        if len(marks) != 3 or marks[0] is None or marks[1] is None or marks[2] is None:
            break
        written.append((marks[0], marks[1], marks[2]))
    return written


def _decode(marks: tuple[Written, Written, Written], scheme: Scheme, n: int) -> Place:
    floor = marks[0].number - (0 if marks[0].is_letter else scheme.origin)
    row, column = decode((marks[1], marks[2]), scheme, n, n)
    return floor, row, column

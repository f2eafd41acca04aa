"""``cube``: a walk through a block of free and solid cells, its floors dealt alternately.

Rules: from the first cell of floor 0 to the last cell of the top floor of an n x n x n block in as
few steps as possible, along the six axis directions, never through solid cells.
Views: view 1 knows the even floors and draws them, 0-based; view 2 knows the odd ones and lists
their solid squares, levels and (x, y) counted from 1 at the bottom left. Both say so.
Answer: ``{"path": [[floor, row, column], ...]}``.
Grade: the score of ``grids/paths.py``, best of the sixteen schemes inside a floor; the floor comes
first, shares the scheme's first number, and floors always count upwards.
Source: The Collaboration Tax, table 8.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.owners import Owner
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    START,
    WALL,
    Rows,
    grid_fault,
    hidden_wall_rate,
    random_walls,
    set_cells,
)
from coordgym.silo_env.pairs.grids.paths import (
    Moves,
    count_shortest_paths,
    distances_to,
    path_json,
    shortest_paths,
    walk,
)
from coordgym.silo_env.pairs.grids.schemes import (
    CellReader,
    Scheme,
    Written,
    decode,
    read_coordinate,
    read_parts,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_cells
from coordgym.silo_env.pairs.shapes.grid_task import GridTask
from coordgym.silo_env.pairs.shapes.grid_walks import require_walk_limits
from coordgym.silo_env.pairs.task import SEATS, Answer, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.cube import texts
from coordgym.silo_env.pairs.tasks.cube.texts import SYMBOLS, BlockView

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
    layer_owner: tuple[Owner, ...]


class Cube(GridTask[CubeInstance, CubeConfig, BlockView]):
    """The walk through a block."""

    answer_fields = ("path",)
    takes_moves = True
    config_type = CubeConfig
    instance_type = CubeInstance
    view_type = BlockView
    nothing = Grade(0.0, 0.0, 0.0)
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
    form = '{"path": [[floor, row, column], ...]}'
    note = '"path" lists the cells of the walk from start to goal, floor first{convention}.'
    say = staticmethod(texts.say)
    say_compact = staticmethod(texts.say_compact)
    hear = staticmethod(texts.hear)

    def draw(self, config: CubeConfig, rng: np.random.Generator) -> CubeInstance | None:
        """Draw independent cells; keep them if the goal is far enough and few walks are optimal."""
        n = config.n
        block = _block([random_walls(n, n, config.p_wall, rng) for _ in range(n)])
        moves, distance = _steps(block.layers)
        if distance.get(block.start, 0) < config.least_moves:
            return None
        few = count_shortest_paths(block.start, moves, distance) <= config.max_optimal
        return block if few else None

    def fault(self, instance: CubeInstance) -> str | None:
        """Say what is wrong with the block."""
        layers, n = instance.layers, len(instance.layers)
        if not 2 <= n <= 20:
            return "layers must list 2..20 floors"
        faults = (grid_fault("layers", floor, SYMBOLS, shape=(n, n)) for floor in layers)
        fault = next(filter(None, faults), None)
        if fault is not None:
            return fault
        if len(instance.layer_owner) != n:
            return "layer_owner must name a view for each floor"
        if (instance.start, instance.goal) != ((0, 0, 0), (n - 1, n - 1, n - 1)):
            return "start and goal must be the first and the last cell of the block"
        drawn = "".join("".join(floor) for floor in layers)
        if drawn.count(START) != 1 or drawn.count(GOAL) != 1 or _block(layers).layers != layers:
            return "layers must hold @ in the first cell and * in the last one"
        return None if _has_walk(instance) else "the block has no walk from start to goal"

    def optimal_answers(self, instance: CubeInstance, limit: int) -> list[Answer]:
        """Return shortest paths in lexicographic order."""
        paths = shortest_paths(instance.start, *_steps(instance.layers), limit)
        return [{"path": path_json(path)} for path in paths]

    def score_in(
        self, instance: CubeInstance, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Return the path score; the scheme counts inside a floor."""
        path, n = answer.get("path"), len(instance.layers)
        if not isinstance(path, list | tuple) or not path:
            return None
        places = (_decode(marks, reader.scheme, n) for marks in reader.once(path, _written_places))
        result = walk(places, instance.start, instance.goal, *_steps(instance.layers))
        return Grade(result.score, result.literal, result.weighted)

    def view(self, instance: CubeInstance, seat: Seat | None) -> BlockView:
        """Return the floors of a view by number."""
        floors = enumerate(zip(instance.layers, instance.layer_owner, strict=True))
        known = {str(number): floor for number, (floor, view) in floors if seat in (None, view)}
        return BlockView(len(instance.layers), known)

    def join(self, views: Sequence[BlockView]) -> CubeInstance | None:
        """Stack the floors; None if one is missing."""
        known = {number: floor for view in views for number, floor in view.floors.items()}
        if not known or any(view.n != len(known) for view in views):
            return None
        # A list of solid squares does not say where the ends are: every task text does.
        in_order = sorted(known) == list(range(len(known)))
        return _block([known[number] for number in sorted(known)]) if in_order else None

    def redraw(
        self, view: BlockView, rng: np.random.Generator, like: CubeInstance | None = None
    ) -> CubeInstance | None:
        """Make cells of unknown floors solid about as often as those of known floors."""
        n, known = view.n, view.floors
        rate = hidden_wall_rate("".join("".join(floor) for floor in known.values()))

        def draw(chance: float) -> CubeInstance:
            return _block(
                [
                    known[number] if number in known else random_walls(n, n, chance, rng)
                    for number in range(n)
                ]
            )

        block = first_accepted(lambda: draw(rate), _has_walk, DRAWS, lambda: draw(0.0))
        if block is None or like is None:
            return block
        return replace(block, layer_owner=like.layer_owner)

    def check_steps(self, instance: CubeInstance, answer: Answer) -> list[str]:
        """Say which cells of a canonical path are free."""
        path = answer.get("path")
        marks = _written_places(path) if isinstance(path, list) else []
        places = [(first.number, a.number, b.number) for first, a, b in marks]
        free, _ = _steps(instance.layers)
        return [f"({f},{r},{c}) is free" for f, r, c in places if (f, r, c) in free]

    def free_text_answer(self, instance: CubeInstance, messages: Sequence[str]) -> Answer | None:
        """Read the last run of coordinates, else the moves agreed one by one."""
        cells = free_text_cells(messages)
        return agreed_moves(messages) if cells is None else {"path": cells}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw random steps towards the goal of a block of default size."""
        place = [0, 0, 0]
        path: list[Json] = [[0, 0, 0]]
        for axis in rng.integers(3, size=6):
            place = [value + int(index == int(axis)) for index, value in enumerate(place)]
            path.append(list(place))
        return {"path": path}


def _block(floors: Sequence[Rows]) -> CubeInstance:
    """Return a block with @ in its first and * in its last cell; even floors belong to view 1."""
    last = len(floors) - 1
    low = set_cells(floors[0], {(0, 0): START})
    high = set_cells(floors[-1], {(last, last): GOAL})
    owners = tuple(SEATS[number % 2] for number in range(len(floors)))
    return CubeInstance((low, *floors[1:-1], high), (0, 0, 0), (last, last, last), owners)


def _has_walk(block: CubeInstance) -> bool:
    return block.start in _steps(block.layers)[1]


@lru_cache(maxsize=16)
def _steps(layers: tuple[Rows, ...]) -> tuple[Moves[Place], Mapping[Place, int]]:
    """Return the steps between free cells, along the six directions, and the distances to the goal.

    The latest blocks are kept, since many walks are graded on one.
    """
    free = {
        (floor, row, column)
        for floor, rows in enumerate(layers)
        for row, line in enumerate(rows)
        for column, symbol in enumerate(line)
        if symbol != WALL
    }
    moves: Moves[Place] = {
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
    last = len(layers) - 1
    return moves, distances_to((last, last, last), moves)


def _written_places(path: Sequence[object]) -> list[tuple[Written, Written, Written]]:
    """Read the entries before the first that is no triple of coordinates."""
    written = []
    for entry in path:
        marks = [read_coordinate(part) for part in read_parts(entry)]
        if len(marks) != 3 or marks[0] is None or marks[1] is None or marks[2] is None:
            break
        written.append((marks[0], marks[1], marks[2]))
    return written


def _decode(marks: tuple[Written, Written, Written], scheme: Scheme, n: int) -> Place:
    floor = marks[0].number - (0 if marks[0].is_letter else scheme.origin)
    row, column = decode((marks[1], marks[2]), scheme, n, n)
    return floor, row, column

"""``timedpath``: cross a floor whose cells are closed at times that two agents know in part.

Rules: one step up, down, left or right, or a wait, per tick, from @ at tick 0; walls can't be
entered, and a closed cell may not be occupied at the ticks of its closure. Arrive at * as early
as possible.
Views: view 1 has the floor plan and half of the closures, counted from 0 and with both ends of
the closed time; view 2 has the other closures only, in (x, y) from 1 at the bottom left, with
the tick at which a cell opens again.
Answer: ``{"path": [[tick, row, column], ...]}``, or cells alone, one per tick.
Grade: the score of ``grids/paths.py`` over ticks, best of the sixteen schemes for the cells; the
first entry is the start, ticks count from 0 or 1 by one, a repeated cell is a wait.
Source: The Collaboration Tax, table 8.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import Owner, balanced_owners, unsplit
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    OPEN,
    START,
    Rows,
    cells_fault,
    corners,
    grid_fault,
    open_moves,
    random_walls,
    set_cells,
)
from coordgym.silo_env.pairs.grids.schemes import (
    SCHEMES,
    Cell,
    CellReader,
    WrittenCell,
    decode,
    encode,
    read_cell,
    read_coordinate,
    read_parts,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_cells
from coordgym.silo_env.pairs.shapes.grid_task import GridTask
from coordgym.silo_env.pairs.shapes.grid_walks import corner_ends_fault, require_walk_limits
from coordgym.silo_env.pairs.task import SEATS, Answer, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.timedpath import texts
from coordgym.silo_env.pairs.tasks.timedpath.texts import SYMBOLS, ClosureView
from coordgym.silo_env.pairs.tasks.timedpath.timetable import (
    Closure,
    Timetable,
    earliest_arrival,
    timetable,
)

SMALLEST, LARGEST = 3, 8
"""Cells per side."""
MAX_TICK = 200
"""Latest tick of a closure that may be given from outside."""
DRAWS = 2000
"""Draws of hidden facts before they are taken to be none."""
TYPICAL_WALL_RATE = 0.2


@dataclass(frozen=True, slots=True)
class TimedPathConfig:
    """Difficulty of generated floors.

    Attributes:
        n: Cells per side, 3..8.
        p_wall: Chance of a cell to be a wall, 0..1.
        n_closures: Closures, 2 or more, on different cells.
        min_length: Earliest arrival, at least; None: 2 n, later than on an open floor.
        max_optimal: Most walks that arrive at the earliest tick, at least 1.
    """

    n: int = 5
    p_wall: float = TYPICAL_WALL_RATE
    n_closures: int = 8
    min_length: int | None = None
    max_optimal: int = 30

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        require_int("n_closures", self.n_closures, 2, self.n**2 - 1)
        require_walk_limits(self.min_length, self.max_optimal, self.n * self.n)

    @property
    def least_ticks(self) -> int:
        """Earliest arrival, at least."""
        return 2 * self.n if self.min_length is None else self.min_length


@dataclass(frozen=True, slots=True)
class TimedPathInstance:
    """A floor, its closures and their split.

    Attributes:
        grid: Rows over "@*.#".
        start: The top-left cell, occupied at tick 0.
        goal: The bottom-right cell.
        blocks: Closures, sorted.
        block_owner: For each closure 1 or 2, the view that knows it.
    """

    grid: Rows
    start: Cell
    goal: Cell
    blocks: tuple[Closure, ...]
    block_owner: tuple[Owner, ...]


class TimedPath(GridTask[TimedPathInstance, TimedPathConfig, ClosureView]):
    """The walk against the clock."""

    answer_fields = ("path",)
    takes_moves = True
    nothing = Grade(0.0, 0.0, 0.0)
    config_type = TimedPathConfig
    instance_type = TimedPathInstance
    view_type = ClosureView
    convention = "all cells"
    reader = "coordgym.silo_env.pairs.tasks.timedpath.reader:ClosureReader"
    rule = (
        "A floor is a square grid of cells. You start in the top-left cell at tick 0 and want to "
        "be in the bottom-right cell as early as possible. At every tick you step to the next "
        "cell up, down, left or right, or wait. Walls can't be entered, and some cells are closed "
        "at certain ticks: then you may not be in them."
    )
    split = (
        "You know some of the closures; the other agent knows the others. Only one of you has the "
        "floor plan."
    )
    compact_rule = (
        "timed floor: earliest arrival top left (tick 0) to bottom right, per tick step (4 "
        "directions) or wait, never on # or in a closed cell"
    )
    compact_entries = "from tick 0 at the start, wait = same cell again"
    compact_split = "the other agent knows more closures; one of you has the plan"
    form = '{"path": [[tick, row, column], ...]}'
    note = (
        '"path" lists where you are at every tick from 0 on, the start included; a wait repeats '
        "the cell{convention}."
    )
    say = staticmethod(texts.say)
    say_compact = staticmethod(texts.say_compact)
    hear = staticmethod(texts.hear)

    def draw(self, config: TimedPathConfig, rng: np.random.Generator) -> TimedPathInstance | None:
        """Draw walls, and closures about when a straight walk passes; keep those that bite."""
        n = config.n
        grid = _with_ends(random_walls(n, n, config.p_wall, rng))
        closures = _closures(grid, config.n_closures, (), rng)
        if len(closures) < config.n_closures:
            return None
        owners = tuple(SEATS[int(view) - 1] for view in balanced_owners(len(closures), rng))
        instance = TimedPathInstance(grid, *corners(grid), closures, owners)
        earliest = _earliest(instance)
        if earliest is None or earliest < config.least_ticks:
            return None
        many = len(self.optimal_answers(instance, config.max_optimal + 1)) > config.max_optimal
        return None if many else instance

    def fault(self, instance: TimedPathInstance) -> str | None:
        """Say what is wrong with the floor, or that the goal can't be reached."""
        grid, n = instance.grid, len(instance.grid)
        fault = grid_fault("grid", grid, SYMBOLS, shape=(n, n))
        fault = fault or corner_ends_fault(grid, instance.start, instance.goal)
        for row, column, first, last in instance.blocks if fault is None else ():
            fault = fault or cells_fault(grid, blocks=(row, column))
            if fault is None and not 0 <= first <= last <= MAX_TICK:
                fault = f"ticks of a closure must be 0 <= first <= last <= {MAX_TICK}"
        if fault is None and len(instance.block_owner) != len(instance.blocks):
            return "block_owner must name a view for each closure"
        if fault is None and not _can_arrive(instance):
            return "the goal can't be reached in time"
        return fault

    def optimal_answers(self, instance: TimedPathInstance, limit: int) -> list[Answer]:
        """Return walks that arrive at the earliest tick, in lexicographic order."""
        table = _table(instance)
        answers: list[Answer] = []
        stack = [[instance.start]]
        while stack and len(answers) < limit:
            path = stack.pop()
            tick, left = len(path) - 1, table.remaining(path[-1], len(path) - 1)
            if left == 0:
                answers.append({"path": [[t, *cell] for t, cell in enumerate(path)]})
            elif left is not None:
                ahead = [
                    near
                    for near in table.next_cells(path[-1])
                    if table.remaining(near, tick + 1) == left - 1
                ]
                stack.extend([*path, near] for near in reversed(ahead))
        return answers

    def score_in(
        self, instance: TimedPathInstance, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Return the path score over ticks of a walk that begins at the start."""
        path, n, scheme = answer.get("path"), len(instance.grid), reader.scheme
        written = reader.once(path, _written_cells) if isinstance(path, list | tuple) else []
        if not written or decode(written[0], scheme, n, n) != instance.start:
            return None
        result = _table(instance).walk([decode(cell, scheme, n, n) for cell in written])
        return Grade(result.score, result.literal, result.weighted)

    def view(self, instance: TimedPathInstance, seat: Seat | None) -> ClosureView:
        """Return plan and closures for view 1, closures alone for view 2."""
        grid, blocks = instance.grid, instance.blocks
        if seat is None:
            return ClosureView(grid, len(grid), blocks, complete=True)
        owned = zip(blocks, instance.block_owner, strict=True)
        known = tuple(closure for closure, owner in owned if owner == seat)
        return ClosureView(grid if seat == 1 else None, len(grid), known)

    def join(self, views: Sequence[ClosureView]) -> TimedPathInstance | None:
        """Join plan and closures; None if a list of closures or the plan is missing."""
        grids = {view.grid for view in views if view.grid is not None}
        grid = grids.pop() if len(grids) == 1 else None
        if not grid or (len(views) < 2 and not any(view.complete for view in views)):
            return None
        return _floor(grid, sorted({each for view in views for each in view.blocks}))

    def redraw(
        self,
        view: ClosureView,
        rng: np.random.Generator,
        like: TimedPathInstance | None = None,
    ) -> TimedPathInstance | None:
        """Draw hidden closures, and a plan where there is none, until the goal can be reached."""
        n, known = view.n, view.blocks
        count = len(known) if like is None else len(like.blocks) - len(known)
        kept_free = {(closure.row, closure.column): OPEN for closure in known}

        def draw(wall_rate: float, hidden: int) -> TimedPathInstance:
            grid = view.grid
            if grid is None:
                grid = _with_ends(set_cells(random_walls(n, n, wall_rate, rng), kept_free))
            return _floor(grid, sorted([*known, *_closures(grid, hidden, known, rng)]))

        floor = first_accepted(
            lambda: draw(TYPICAL_WALL_RATE, count), _can_arrive, DRAWS, lambda: draw(0.0, 0)
        )
        if floor is None or like is None:
            return floor
        seat = self.seat_of(like, view)
        owners = tuple(seat if each in known else SEATS[2 - seat] for each in floor.blocks)
        return replace(floor, block_owner=owners)

    def check_steps(self, instance: TimedPathInstance, answer: Answer) -> list[str]:
        """Say that the cell of every tick is open then."""
        path, table = answer.get("path"), _table(instance)
        written = _written_cells(path) if isinstance(path, list) else []
        cells = [(first.number, second.number) for first, second in written]
        return [
            f"tick {tick}: ({cell[0]},{cell[1]}) is open"
            for tick, cell in enumerate(cells)
            if table.remaining(cell, tick) is not None
        ]

    def free_text_answer(
        self, instance: TimedPathInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the last run of coordinates, else the start and the moves agreed one by one."""
        cells = free_text_cells(messages)
        if cells is not None:
            return {"path": cells}
        moves = agreed_moves(messages)
        return None if moves is None else {"path": _from_start(moves["path"], len(instance.grid))}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw random steps right, down and waits."""
        cell = [0, 0]
        path: list[Json] = [[0, 0, 0]]
        for tick, way in enumerate(rng.integers(3, size=8), 1):
            cell = [cell[0] + int(way == 0), cell[1] + int(way == 1)]
            path.append([tick, *cell])
        return {"path": path}


def _table(instance: TimedPathInstance) -> Timetable:
    return timetable(instance.grid, instance.goal, instance.blocks)


def _earliest(instance: TimedPathInstance) -> int | None:
    return earliest_arrival(instance.grid, instance.start, instance.goal, instance.blocks)


def _can_arrive(instance: TimedPathInstance) -> bool:
    return _earliest(instance) is not None


def _written_cells(path: Sequence[object]) -> list[WrittenCell]:
    """Return the cells before the first entry of another width or with a wrong tick."""
    cells: list[WrittenCell] = []
    width = shift = 0
    for index, entry in enumerate(path):
        parts = read_parts(entry)
        width = width or len(parts)
        cell = read_cell(parts[-2:])
        if cell is None or len(parts) != width or width not in (2, 3):
            break
        if width == 3:
            tick = read_coordinate(parts[0])
            if tick is None or tick.is_letter:
                break
            shift = tick.number if index == 0 else shift
            if shift not in (0, 1) or tick.number != index + shift:
                break
        cells.append(cell)
    return cells


def _from_start(moves: Json, n: int) -> Json:
    """Put the start before moves, written in the first scheme in which the moves leave it."""
    if not isinstance(moves, list) or not isinstance(moves[0], list):
        return moves
    *tick, first, second = moves[0]
    cell = read_cell([first, second])
    for scheme in SCHEMES:
        row, column = (n, n) if cell is None else decode(cell, scheme, n, n)
        if abs(row) + abs(column) <= 1:
            before: list[Json] = [number - 1 for number in tick if isinstance(number, int)]
            return [[*before, *encode((0, 0), scheme, n, n)], *moves]
    return moves


def _with_ends(grid: Rows) -> Rows:
    start, goal = corners(grid)
    return set_cells(grid, {start: START, goal: GOAL})


def _floor(grid: Rows, closures: Sequence[Closure]) -> TimedPathInstance:
    """Return a floor that nobody has to share."""
    return TimedPathInstance(grid, *corners(grid), tuple(closures), unsplit(len(closures)))


def _closures(
    grid: Rows, count: int, taken: Sequence[Closure], rng: np.random.Generator
) -> tuple[Closure, ...]:
    """Draw up to ``count`` closures on different floor cells but the start, sorted.

    They begin about when a straight walk passes the cell and last one to four ticks.
    """
    used = {(closure.row, closure.column) for closure in taken}
    free = [cell for cell in open_moves(grid) if cell != (0, 0) and cell not in used]
    chosen = choose(free, count, rng)
    starts, spans = rng.integers(-1, 3, size=len(chosen)), rng.integers(4, size=len(chosen))
    closures = []
    for (row, column), late, span in zip(chosen, starts, spans, strict=True):
        first = max(1, row + column + int(late))
        closures.append(Closure(row, column, first, first + int(span)))
    return tuple(sorted(closures))

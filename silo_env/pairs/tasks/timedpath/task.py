"""``timedpath``: cross a floor whose cells are closed at times that two agents know in part.

Rules: one step up, down, left or right, or a wait, per tick, from @ at tick 0; walls can't be
entered, and a closed cell may not be occupied at the ticks of its closure. Arrive at * as early
as possible.
Views: view 1 has the floor plan and half of the closures, counted from 0 and with both ends of
the closed time; view 2 has the other closures only, in (x, y) from 1 at the bottom left, with
the tick at which a cell opens again.
Answer: ``{"path": [[tick, row, column], ...]}``, or cells alone, one per tick.
Grade: the path score of ``paths.py`` over ticks, best of the sixteen schemes for the cells; the
first entry is the start, ticks count from 0 or 1 by one, a repeated cell is a wait.
Source: The Collaboration Tax, table 8.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import InstanceError, require_int, require_probability
from coordgym.silo_env.pairs.facts.instances import require_views
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    START,
    Rows,
    open_moves,
    random_walls,
    require_cell,
    require_square,
    set_cells,
)
from coordgym.silo_env.pairs.grids.schemes import (
    CANONICAL,
    SCHEMES,
    Cell,
    WrittenCell,
    axis_names,
    decode,
    encode,
    one_convention,
    read_cell,
    read_coordinate,
    read_parts,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_cells
from coordgym.silo_env.pairs.shapes.grid_walks import read_corner_ends, require_walk_limits
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.timedpath import texts as closure_texts
from coordgym.silo_env.pairs.tasks.timedpath.texts import FLOOR, SYMBOLS, known_closures, plan_of
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
    block_owner: tuple[int, ...]


class TimedPath(WideTask[TimedPathInstance, TimedPathConfig]):
    """The walk against the clock."""

    answer_fields = ("path",)
    uses_schemes = True
    takes_moves = True
    config_type = TimedPathConfig
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

    def draw(self, config: TimedPathConfig, rng: np.random.Generator) -> TimedPathInstance | None:
        """Independent walls, closures about when a straight walk passes; kept if they bite."""
        n = config.n
        grid = _with_ends(random_walls(n, n, config.p_wall, rng))
        closures = _closures(grid, config.n_closures, (), rng)
        if len(closures) < config.n_closures:
            return None
        owners = tuple(int(view) for view in balanced_owners(len(closures), rng))
        instance = TimedPathInstance(grid, (0, 0), (n - 1, n - 1), closures, owners)
        earliest = _earliest(instance)
        if earliest is None or earliest < config.least_ticks:
            return None
        many = len(self.optimal_answers(instance, config.max_optimal + 1)) > config.max_optimal
        return None if many else instance

    def read_instance(self, given: Mapping[str, object]) -> TimedPathInstance:
        """Check a floor given as JSON: grid, start, goal, blocks, block_owner."""
        grid = require_square("grid", given.get("grid"), SYMBOLS)
        start, goal = read_corner_ends(given, grid)
        blocks = given.get("blocks")
        if not isinstance(blocks, list | tuple):
            raise InstanceError("blocks must be a list of [row, column, first tick, last tick]")
        closures = tuple(_read_closure(block, grid) for block in blocks)
        owners = require_views("block_owner", given.get("block_owner"), len(closures), "closure")
        instance = TimedPathInstance(grid, start, goal, closures, owners)
        if _earliest(instance) is None:
            raise InstanceError("the goal can't be reached in time")
        return instance

    def solve(self, instance: TimedPathInstance) -> Answer:
        """The lexicographically smallest earliest walk."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: TimedPathInstance, limit: int) -> list[Answer]:
        """Walks that arrive at the earliest tick, in lexicographic order."""
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

    def grade(
        self, instance: TimedPathInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Path score over ticks, the best of the schemes for the cells."""
        path = answer.get("path") if isinstance(answer, Mapping) else None
        nothing = Grade(0.0, 0.0, 0.0)
        written = _written_cells(path) if isinstance(path, list | tuple) else []
        if not written:
            return nothing
        table, n, best = _table(instance), len(instance.grid), nothing
        for scheme in SCHEMES if search_schemes else CANONICAL:
            if decode(written[0], scheme, n, n) != instance.start:
                continue
            cells = [decode(cell, scheme, n, n) for cell in written]
            result = table.walk(cells)
            if result.score > best.score or best is nothing:
                best = Grade(result.score, result.literal, result.weighted, scheme.number)
        return best

    def facts(self, instance: TimedPathInstance, seat: Seat | None) -> Facts:
        """Plan and closures for view 1, closures alone for view 2."""
        known: list[Json] = [
            list(closure)
            for closure, view in zip(instance.blocks, instance.block_owner, strict=True)
            if seat in (None, view)
        ]
        grid: Json = None if seat == 2 else list(instance.grid)
        facts: Facts = {"grid": grid, "n": len(instance.grid), "blocks": known}
        return facts | {"complete": True} if seat is None else facts

    def merge(self, views: Sequence[Facts]) -> TimedPathInstance | None:
        """Join plan and closures; None if a list of closures or the plan is missing."""
        if len(views) < 2 and not any(view.get("complete") for view in views):
            return None
        grids = [grid for view in views if (grid := plan_of(view)) is not None]
        if not grids or any(grid != grids[0] for grid in grids):
            return None
        closures = tuple(sorted({closure for view in views for closure in known_closures(view)}))
        instance = _floor(grids[0], closures)
        solvable = _earliest(instance) is not None
        return instance if solvable else None

    def complete(
        self, instance: TimedPathInstance, seat: Seat, rng: np.random.Generator
    ) -> TimedPathInstance:
        """Redraw the other view's closures, as many as there are, and for view 2 the plan."""
        facts = self.facts(instance, seat)
        other = _redraw(facts, len(instance.blocks) - len(known_closures(facts)), rng)
        known = set(known_closures(facts))
        owners = tuple(seat if closure in known else 3 - seat for closure in other.blocks)
        return replace(other, block_owner=owners)

    def guess(self, facts: Facts, rng: np.random.Generator) -> TimedPathInstance:
        """Draw as many more closures as are known, and a plan if there is none."""
        return _redraw(facts, len(known_closures(facts)), rng)

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Plan and closures, or closures alone, in the frame of the seat."""
        return closure_texts.view_text(facts, friction)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The plan without blanks; closures as four numbers."""
        return closure_texts.compact_view_text(facts, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read a plan, if there is one, and closures counted from 0."""
        return closure_texts.read_view(text)

    def answer_form(self, friction: Friction) -> str:
        """Ticks and cells."""
        return f'{{"path": [[tick, {axis_names(friction)}], ...]}}'

    def answer_note(self, friction: Friction) -> str:
        """Only friction 0 fixes the convention of cells."""
        convention = one_convention(friction, "all cells")
        return (
            '"path" lists where you are at every tick from 0 on, the start included; a wait '
            f"repeats the cell{convention}."
        )

    def check_steps(self, instance: TimedPathInstance, answer: Answer) -> list[str]:
        """That the cell of every tick is open then."""
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
        """The last run of coordinates, else the start and the moves agreed one by one."""
        cells = free_text_cells(messages)
        if cells is not None:
            return {"path": cells}
        moves = agreed_moves(messages)
        return None if moves is None else {"path": _from_start(moves["path"], len(instance.grid))}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Random steps right, down and waits."""
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


def _written_cells(path: Sequence[object]) -> list[WrittenCell]:
    """The cells up to the first entry of another width or with another tick than the next."""
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
    """Moves with the start in front, written in the first scheme in which the moves leave it."""
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
    return set_cells(grid, {(0, 0): START, (len(grid) - 1, len(grid) - 1): GOAL})


def _floor(grid: Rows, closures: Sequence[Closure]) -> TimedPathInstance:
    """A floor that nobody has to share."""
    goal = (len(grid) - 1, len(grid) - 1)
    owners = (1,) * len(closures)
    return TimedPathInstance(grid, (0, 0), goal, tuple(closures), owners)


def _closures(
    grid: Rows, count: int, taken: Sequence[Closure], rng: np.random.Generator
) -> tuple[Closure, ...]:
    """Up to ``count`` closures on different floor cells but the start, sorted.

    They begin about when a straight walk passes the cell and last one to four ticks.
    """
    used = {(closure.row, closure.column) for closure in taken}
    free = [cell for cell in open_moves(grid) if cell != (0, 0) and cell not in used]
    chosen = [free[int(index)] for index in rng.permutation(len(free))[:count]]
    starts, spans = rng.integers(-1, 3, size=len(chosen)), rng.integers(4, size=len(chosen))
    closures = []
    for (row, column), late, span in zip(chosen, starts, spans, strict=True):
        first = max(1, row + column + int(late))
        closures.append(Closure(row, column, first, first + int(span)))
    return tuple(sorted(closures))


def _redraw(facts: Facts, n_hidden: int, rng: np.random.Generator) -> TimedPathInstance:
    """Add hidden closures, and a plan where there is none, until the goal can be reached."""
    n, plan, known = int(str(facts["n"])), plan_of(facts), known_closures(facts)
    kept_free = {(closure.row, closure.column): FLOOR for closure in known}
    for attempt in range(DRAWS + 1):
        grid = plan
        if grid is None:
            walls = random_walls(n, n, TYPICAL_WALL_RATE if attempt < DRAWS else 0.0, rng)
            grid = _with_ends(set_cells(walls, kept_free))
        hidden = _closures(grid, n_hidden if attempt < DRAWS else 0, known, rng)
        instance = _floor(grid, sorted([*known, *hidden]))
        if _earliest(instance) is not None:
            return instance
    raise ValueError("the known closures leave no way to the goal")


def _read_closure(block: object, grid: Rows) -> Closure:
    """Check a closure given from outside."""
    numbers = list(block) if isinstance(block, list | tuple) else []
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in numbers)
    if len(numbers) != 4 or not whole:
        raise InstanceError("a closure is [row, column, first tick, last tick], four integers")
    require_cell("blocks", numbers[:2], grid)
    if not 0 <= numbers[2] <= numbers[3] <= MAX_TICK:
        raise InstanceError(f"ticks of a closure must be 0 <= first <= last <= {MAX_TICK}")
    return Closure(*numbers)

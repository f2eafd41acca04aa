"""What the walking tasks share: a board of legal moves, path answers, free-text walks."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.grids.cells import (
    GOAL,
    START,
    Rows,
    cells_fault,
    corners,
    find,
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
    DIRECTIONS,
    Cell,
    CellReader,
    canonical_cell,
    replay,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_walk
from coordgym.silo_env.pairs.shapes.grid_task import GridTask
from coordgym.silo_env.pairs.task import Answer, ConfigT, Grade, InstanceT, ViewT

ONE_SIGN = {word for word in DIRECTIONS if len(word) == 1}
"""Letters and arrows that stand for directions."""
MAX_RANDOM_MOVES = 12
MOST_OPTIMAL = 399
"""Largest limit on the number of shortest walks."""


class Board(NamedTuple):
    """A walking problem: the size of the grid, the ends and the legal moves."""

    height: int
    width: int
    start: Cell
    goal: Cell
    moves: Moves[Cell]
    distance: Mapping[Cell, int]
    """Moves to the goal, for the cells from which it can be reached."""


def make_board(height: int, width: int, start: Cell, goal: Cell, moves: Moves[Cell]) -> Board:
    """Complete a walking problem with the distances to its goal."""
    return Board(height, width, start, goal, moves, distances_to(goal, moves))


def require_walk_limits(min_length: int | None, max_optimal: int, longest: int) -> None:
    """Check a config's limits on the length and the number of shortest walks.

    Args:
        min_length: Fewest moves of the shortest walk, 1..longest; None: the task's own choice.
        max_optimal: Most shortest walks, 1..399.
        longest: The number of cells.

    Raises:
        ConfigError: A limit is out of range.
    """
    require_int("max_optimal", max_optimal, 1, MOST_OPTIMAL)
    if min_length is not None:
        require_int("min_length", min_length, 1, longest)


class WalkLimits:
    """What configs of square grids share that limit their shortest walks.

    The frozen dataclass that derives from it has the fields, in an order of its own:

    Attributes:
        n: Cells per side.
        min_length: Fewest moves of the shortest walk; None: 2 (n - 1), that of an empty grid.
        max_optimal: Most shortest walks, 1..399.
    """

    __slots__ = ()
    n: int
    min_length: int | None
    max_optimal: int

    @property
    def least_moves(self) -> int:
        """Fewest moves of the shortest walk."""
        return 2 * (self.n - 1) if self.min_length is None else self.min_length

    def require_limits(self) -> None:
        """Check the limits.

        Raises:
            ConfigError: One is out of range.
        """
        require_walk_limits(self.min_length, self.max_optimal, self.n * self.n)

    def allow(self, board: Board) -> bool:
        """Tell whether the shortest walks of a board are long enough and few enough."""
        if board.distance.get(board.start, 0) < self.least_moves:
            return False
        return count_shortest_paths(board.start, board.moves, board.distance) <= self.max_optimal


class GridPathTask(GridTask[InstanceT, ConfigT, ViewT]):
    """A task whose answer is a fewest-moves walk over the cells of a grid.

    Attributes:
        walk_noun: What the task calls a walk.
    """

    walk_noun: ClassVar[str] = "walk"
    answer_fields: ClassVar[tuple[str, ...]] = ("path", "moves")
    takes_moves = True
    nothing = Grade(0.0, 0.0, 0.0)
    form = '{"path": [[row, column], ...]} or {"moves": ["U", "D", "L", "R", ...]}'
    note = (
        '"path" lists the cells of the walk from start to goal{convention}; "moves" lists its '
        "directions: up, down, left, right."
    )

    @abstractmethod
    def board(self, instance: InstanceT) -> Board:
        """Return the walking problem of an instance."""

    @abstractmethod
    def cell_note(self, instance: InstanceT, cell: Cell) -> str:
        """Say what makes a cell of a route fine, such as "is open"."""

    def walk_fault(self, instance: InstanceT) -> str | None:
        """Say that no walk leads to the goal, if none does."""
        board = self.board(instance)
        if board.start in board.distance:
            return None
        return f"grid has no {self.walk_noun} from start to goal"

    def optimal_answers(self, instance: InstanceT, limit: int) -> list[Answer]:
        """Return shortest paths in lexicographic order."""
        board = self.board(instance)
        paths = shortest_paths(board.start, board.moves, board.distance, limit)
        return [{"path": path_json(path)} for path in paths]

    def grade(self, instance: InstanceT, answer: object, *, search_schemes: bool = True) -> Grade:
        """Grade a path under the schemes, or moves, which are followed on the drawing."""
        moves = _direction_words(answer) if isinstance(answer, Mapping) else None
        if moves is None:
            return super().grade(instance, answer, search_schemes=search_schemes)
        board = _board(self, instance)
        return _walked(board, replay(moves, board.start))

    def score_in(
        self, instance: InstanceT, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Return the path score."""
        path, board = answer.get("path"), _board(self, instance)
        if not isinstance(path, list | tuple) or not path:
            return None
        return _walked(board, reader.cells(path, board.height, board.width))

    def check_steps(self, instance: InstanceT, answer: Answer) -> list[str]:
        """Return one statement per cell of a canonical path."""
        path = answer.get("path")
        cells = [canonical_cell(entry) for entry in path] if isinstance(path, list) else []
        return [f"({cell[0]},{cell[1]}) {self.cell_note(instance, cell)}" for cell in cells if cell]

    def free_text_answer(self, instance: InstanceT, messages: Sequence[str]) -> Answer | None:
        """Read the last run of coordinates or direction words, else the moves agreed one by one."""
        return free_text_walk(messages) or agreed_moves(messages)

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a short walk in random directions."""
        count = int(rng.integers(1, MAX_RANDOM_MOVES + 1))
        return {"moves": ["UDLR"[int(way)] for way in rng.integers(4, size=count)]}


@lru_cache(maxsize=16)
def _board(task: GridPathTask[Any, Any, Any], instance: Any) -> Board:
    """Return the board on which an answer is read under all schemes, and others after it."""
    return task.board(instance)


def drawn_ends_fault(grid: Rows, start: Cell, goal: Cell) -> str | None:
    """Say why a drawing does not show @ and * once each, at the ends of the walk."""
    drawn = "".join(grid)
    if drawn.count(START) != 1 or drawn.count(GOAL) != 1:
        return "grid must hold @ and * once each"
    if find(grid, START) != start or find(grid, GOAL) != goal:
        return "start and goal must be the cells of @ and * in the grid"
    return None


def corner_ends_fault(grid: Rows, start: Cell, goal: Cell) -> str | None:
    """Say why the ends of a walk are not those corners where a drawing shows its only @ and *."""
    drawn, ends = "".join(grid), (find(grid, START), find(grid, GOAL))
    fault = cells_fault(grid, start=start, goal=goal)
    once = drawn.count(START) == drawn.count(GOAL) == 1
    if fault is None and not (once and (start, goal) == ends == corners(grid)):
        return "grid must hold @ at the top left and * at the bottom right"
    return fault


def _direction_words(answer: Mapping[str, object]) -> list[object] | None:
    """Return the moves of an answer, even in the place of the path; None if there are none."""
    for field in ("path", "moves"):
        value = answer.get(field)
        if isinstance(value, str):
            words = value.replace(",", " ").split()
            # "RRD" and "→→↓" are letters and arrows without blanks.
            value = [*words[0]] if len(words) == 1 and set(words[0].lower()) <= ONE_SIGN else words
        if not isinstance(value, list | tuple) or not value:
            continue
        first = value[0]
        if field == "moves" or (isinstance(first, str) and first.strip().lower() in DIRECTIONS):
            return list(value)
        return None
    return None


def _walked(board: Board, cells: Iterable[Cell | None]) -> Grade:
    result = walk(cells, board.start, board.goal, board.moves, board.distance)
    return Grade(result.score, result.literal, result.weighted)

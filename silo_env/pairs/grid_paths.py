"""What the walking tasks share: a board of legal moves, path answers, free-text walks."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from coordgym.silo_env.pairs.extraction import agreed_moves, free_text_walk
from coordgym.silo_env.pairs.paths import Moves, Walk, distances_to, shortest_paths, walk
from coordgym.silo_env.pairs.schemes import (
    CANONICAL,
    DIRECTIONS,
    SCHEMES,
    Cell,
    WrittenCell,
    decode,
    read_cell,
    replay,
)
from coordgym.silo_env.pairs.task import (
    Answer,
    ConfigT,
    Friction,
    Grade,
    InstanceT,
    Json,
    PairTask,
)

MAX_RANDOM_MOVES = 12


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


class GridPathTask(PairTask[InstanceT, ConfigT]):
    """A task whose answer is a fewest-moves walk over the cells of a grid."""

    answer_fields: ClassVar[tuple[str, ...]] = ("path", "moves")
    uses_schemes: ClassVar[bool] = True
    takes_moves: ClassVar[bool] = True

    @abstractmethod
    def board(self, instance: InstanceT) -> Board:
        """The walking problem of an instance."""

    @abstractmethod
    def cell_note(self, instance: InstanceT, cell: Cell) -> str:
        """What makes a cell of a route fine, such as "is open"."""

    def solve(self, instance: InstanceT) -> Answer:
        """The lexicographically smallest shortest path."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: InstanceT, limit: int) -> list[Answer]:
        """Shortest paths in lexicographic order."""
        board = self.board(instance)
        paths = shortest_paths(board.start, board.moves, board.distance, limit)
        return [{"path": path_json(path)} for path in paths]

    def grade(self, instance: InstanceT, answer: object, *, search_schemes: bool = True) -> Grade:
        """Path score, the best of the coordinate schemes; moves are followed on the drawing."""
        return grade_walk(self.board(instance), answer, search_schemes=search_schemes)

    def answer_form(self, friction: Friction) -> str:
        """Cells in walking order, or direction letters."""
        cell = "[row, column]" if friction == 0 else "[a, b]"
        return f'{{"path": [{cell}, ...]}} or {{"moves": ["U", "D", "L", "R", ...]}}'

    def answer_note(self, friction: Friction) -> str:
        """Only friction 0 fixes the convention."""
        convention = "" if friction == 0 else ", all of them in one coordinate convention"
        return (
            f'"path" lists the cells of the walk from start to goal{convention}; "moves" lists its '
            "directions: up, down, left, right."
        )

    def check_steps(self, instance: InstanceT, answer: Answer) -> list[str]:
        """One statement per cell of a canonical path."""
        path = answer.get("path")
        cells = [canonical_cell(entry) for entry in path] if isinstance(path, list) else []
        return [f"({cell[0]},{cell[1]}) {self.cell_note(instance, cell)}" for cell in cells if cell]

    def free_text_answer(self, instance: InstanceT, messages: Sequence[str]) -> Answer | None:
        """The last run of coordinates or direction words, else the moves agreed one by one."""
        return free_text_walk(messages) or agreed_moves(messages)

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """A short walk in random directions."""
        count = int(rng.integers(1, MAX_RANDOM_MOVES + 1))
        return {"moves": ["UDLR"[int(way)] for way in rng.integers(4, size=count)]}


def path_json(cells: Iterable[Sequence[int]]) -> list[Json]:
    """Cells as JSON lists."""
    return [list(cell) for cell in cells]


def canonical_cell(entry: object) -> Cell | None:
    """An entry of an answer read as (row, column) from 0 at the top left."""
    written = read_cell(entry)
    return None if written is None else (written[0].number, written[1].number)


def grade_walk(board: Board, answer: object, *, search_schemes: bool) -> Grade:
    """Grade ``{"path": [...]}`` under the schemes, or ``{"moves": [...]}`` on the drawing."""
    if not isinstance(answer, Mapping):
        return Grade(0.0, 0.0, 0.0)
    moves = _direction_words(answer)
    if moves is not None:
        return _grade(_walk(board, replay(moves, board.start)), None)
    path = answer.get("path")
    if not isinstance(path, list | tuple) or not path:
        return Grade(0.0, 0.0, 0.0)
    written = _readable_prefix(path)
    best: Grade | None = None
    for scheme in SCHEMES if search_schemes else CANONICAL:
        cells = (decode(cell, scheme, board.height, board.width) for cell in written)
        grade = _grade(_walk(board, cells), scheme.number)
        if best is None or grade.score > best.score:
            best = grade
        if best.exact:
            break
    return best or Grade(0.0, 0.0, 0.0)


def _direction_words(answer: Mapping[str, object]) -> list[object] | None:
    """The moves of an answer, also if they stand in the place of the path; None if none do."""
    for field in ("path", "moves"):
        value = answer.get(field)
        if isinstance(value, str):
            value = value.replace(",", " ").split()
        if not isinstance(value, list | tuple) or not value:
            continue
        first = value[0]
        if field == "moves" or (isinstance(first, str) and first.strip().lower() in DIRECTIONS):
            return list(value)
        return None
    return None


def _readable_prefix(path: Sequence[object]) -> list[WrittenCell]:
    """The cells before the first entry that is none; the walk ends there."""
    written: list[WrittenCell] = []
    for entry in path:
        cell = read_cell(entry)
        if cell is None:
            break
        written.append(cell)
    return written


def _walk(board: Board, cells: Iterable[Cell | None]) -> Walk:
    return walk(cells, board.start, board.goal, board.moves, board.distance)


def _grade(result: Walk, scheme: int | None) -> Grade:
    return Grade(result.score, result.literal, result.weighted, scheme)

"""``numberlink``: join the ends of wires of which each agent sees one end.

Rules: k wires have two terminals each on an n x n board with blocked cells. Join the terminals of
every wire by a path of neighbouring cells; paths share no cell and enter neither a blocked cell
nor a terminal of another wire. Cells may stay empty.
Views: of every wire one terminal is in view 1 and one in view 2; blocked cells alternate. View 1
labels wires with digits, view 2 with letters; at friction 2 view 2 is upside down and labelled.
Answer: ``{"paths": {"1": [[row, column], ...], ...}}``.
Grade: size of the largest set of valid wires that share no cell, over k; best of the sixteen
schemes. Wires may be listed from either end; unknown labels are ignored.
Source: The Collaboration Tax, table 8 (an exploratory task there).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.facts.instances import require_views
from coordgym.silo_env.pairs.grids.cells import neighbours
from coordgym.silo_env.pairs.grids.schemes import (
    CANONICAL,
    SCHEMES,
    Cell,
    WrittenCell,
    axis_names,
    decode,
    one_convention,
    read_cell,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import coordinate_run
from coordgym.silo_env.pairs.shapes.grid_walks import path_json
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, PairTask, Seat
from coordgym.silo_env.pairs.tasks.numberlink import texts as board_texts
from coordgym.silo_env.pairs.tasks.numberlink.texts import (
    DIGITS,
    LETTERS,
    cells_of,
    ends_of,
    size_of,
)
from coordgym.silo_env.pairs.tasks.numberlink.wires import (
    grow_path,
    joins,
    joint_paths,
    largest_disjoint,
)

SMALLEST, LARGEST = 4, 8
"""Cells per side."""
MOST_WIRES = len(DIGITS)
LEAST_BLOCKED = 2
DRAWS = 1000
"""Draws of hidden facts before blocked cells are left out."""


@dataclass(frozen=True, slots=True)
class NumberLinkConfig:
    """Difficulty of generated boards.

    Attributes:
        n: Cells per side, 4..8.
        k: Wires, 2..5.
        min_cells: Fewest cells of the paths that the board is grown from, 3 or more.
    """

    n: int = 5
    k: int = 3
    min_cells: int = 3

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_int("k", self.k, 2, MOST_WIRES)
        require_int("min_cells", self.min_cells, 3, self.n**2 // self.k)


@dataclass(frozen=True, slots=True)
class NumberLinkInstance:
    """A board and its split.

    Attributes:
        n: Cells per side.
        pairs: The terminals of each wire by its label "1", "2", ...
        blocked: Blocked cells.
        end_owner: For each wire the view that sees its first and its second terminal.
        block_owner: For each blocked cell 1 or 2, the view that knows it.
    """

    n: int
    pairs: dict[str, tuple[Cell, Cell]]
    blocked: tuple[Cell, ...]
    end_owner: dict[str, tuple[int, int]]
    block_owner: tuple[int, ...]


class NumberLink(PairTask[NumberLinkInstance, NumberLinkConfig]):
    """The wires."""

    name = "numberlink"
    title = "NumberLink"
    category = "spatial"
    answer_fields = ("paths",)
    uses_schemes = True
    hides_endpoints = True
    config_type = NumberLinkConfig
    rule = (
        "A square board has wires with two terminals each. Draw for every wire a path of cells, "
        "each next to the one before (up, down, left or right), from one terminal to the other. "
        "No cell may be used twice, and not every cell has to be used."
    )
    split = (
        "Of every wire you see one terminal and the other agent sees the other; each of you knows "
        "some of the blocked cells."
    )
    compact_rule = (
        "wires: join the two terminals of each wire by 4-connected paths that share no cell; # "
        "blocked; cells may stay empty"
    )
    compact_entries = "wires by number, paths with both terminals"
    compact_split = "the other agent sees the other terminals and more #"

    def draw(self, config: NumberLinkConfig, rng: np.random.Generator) -> NumberLinkInstance | None:
        """Grow disjoint paths, keep their ends, block half of the cells that they leave."""
        n = config.n
        used: set[Cell] = set()
        pairs: dict[str, tuple[Cell, Cell]] = {}
        for label in DIGITS[: config.k]:
            path = grow_path(n, used, config.min_cells, rng)
            if path is None:
                return None
            used |= set(path)
            pairs[label] = path[0], path[-1]
        unused = [cell for cell in neighbours(n, n) if cell not in used]
        count = min(len(unused), max(LEAST_BLOCKED, len(unused) // 2))
        blocked = sorted(unused[int(index)] for index in rng.permutation(len(unused))[:count])
        sides = {label: (1, 2) if rng.random() < 0.5 else (2, 1) for label in pairs}
        owners = tuple(1 + index % 2 for index in range(len(blocked)))
        instance = NumberLinkInstance(n, pairs, tuple(blocked), sides, owners)
        # The grown paths prove it solvable, but on large boards the bounded search may miss that.
        return instance if next(_solutions(instance), None) is not None else None

    def read_instance(self, given: Mapping[str, object]) -> NumberLinkInstance:
        """Check a board given as JSON: n, pairs, blocked, end_owner, block_owner."""
        n, pairs, sides = given.get("n"), given.get("pairs"), given.get("end_owner")
        if isinstance(n, bool) or not isinstance(n, int) or not 2 <= n <= LARGEST:
            raise InstanceError(f"n must be 2..{LARGEST}")
        if not isinstance(pairs, Mapping) or not 1 <= len(pairs) <= MOST_WIRES:
            raise InstanceError(f"pairs must hold 1..{MOST_WIRES} wires")
        if list(pairs) != list(DIGITS[: len(pairs)]):
            raise InstanceError("pairs must be labelled '1', '2', ... in order")
        wires = {label: _read_pair(label, ends, n) for label, ends in pairs.items()}
        blocked = tuple(_read_board_cell("blocked", cell, n) for cell in _list(given, "blocked"))
        taken = [cell for ends in wires.values() for cell in ends] + list(blocked)
        if len(set(taken)) < len(taken):
            raise InstanceError("terminals and blocked cells must be different cells")
        owners = require_views(
            "block_owner", given.get("block_owner"), len(blocked), "blocked cell"
        )
        ends = _read_sides(sides, list(wires))
        instance = NumberLinkInstance(n, wires, blocked, ends, owners)
        if next(_solutions(instance), None) is None:
            raise InstanceError("the wires can't all be joined")
        return instance

    def solve(self, instance: NumberLinkInstance) -> Answer:
        """The first joint solution in the order of the search."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: NumberLinkInstance, limit: int) -> list[Answer]:
        """Joint solutions, each wire from its first terminal."""
        answers: list[Answer] = []
        for wires in _solutions(instance):
            paths: dict[str, Json] = {
                label: path_json(path) for label, path in zip(instance.pairs, wires, strict=True)
            }
            answers.append({"paths": paths})
            if len(answers) >= limit:
                break
        return answers

    def grade(
        self, instance: NumberLinkInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Largest compatible set of valid wires over all wires, best of the schemes."""
        paths = answer.get("paths") if isinstance(answer, Mapping) else None
        best = Grade(0.0)
        if not isinstance(paths, Mapping):
            return best
        written = {
            label: cells
            for label in instance.pairs
            if (cells := _written_wire(paths.get(label), instance.n))
        }
        for scheme in SCHEMES if search_schemes else CANONICAL:
            valid = []
            for label, cells in written.items():
                path = [decode(cell, scheme, instance.n, instance.n) for cell in cells]
                if _is_valid(instance, label, path):
                    valid.append(frozenset(path))
            score = largest_disjoint(valid) / len(instance.pairs)
            if score > best.score:
                best = Grade(score, scheme=scheme.number)
        return best

    def facts(self, instance: NumberLinkInstance, seat: Seat | None) -> Facts:
        """The visible terminals of each wire and the known blocked cells."""
        ends: dict[str, Json] = {
            label: [
                list(cell)
                for cell, view in zip(pair, instance.end_owner[label], strict=True)
                if seat in (None, view)
            ]
            for label, pair in instance.pairs.items()
        }
        blocked: list[Json] = [
            list(cell)
            for cell, view in zip(instance.blocked, instance.block_owner, strict=True)
            if seat in (None, view)
        ]
        if seat is None:
            ends = {label: path_json(sorted(pair)) for label, pair in instance.pairs.items()}
            blocked = path_json(sorted(instance.blocked))
        return {"n": instance.n, "ends": ends, "blocked": blocked}

    def merge(self, views: Sequence[Facts]) -> NumberLinkInstance | None:
        """Join terminals and blocked cells; None if a wire lacks a terminal."""
        ends: dict[str, set[Cell]] = {}
        for view in views:
            for label, cells in ends_of(view).items():
                ends.setdefault(label, set()).update(cells)
        if not ends or any(len(cells) != 2 for cells in ends.values()):
            return None
        blocked = sorted({cell for view in views for cell in cells_of(view.get("blocked"))})
        pairs = {label: _two(sorted(cells)) for label, cells in sorted(ends.items())}
        instance = _board(size_of(views[0]), pairs, blocked)
        return instance if next(_solutions(instance), None) is not None else None

    def complete(
        self, instance: NumberLinkInstance, seat: Seat, rng: np.random.Generator
    ) -> NumberLinkInstance:
        """Redraw the other terminals and as many blocked cells as the other view has."""
        facts = self.facts(instance, seat)
        known = cells_of(facts.get("blocked"))
        other = _redraw(facts, len(instance.blocked) - len(known), rng)
        owners = tuple(seat if cell in known else 3 - seat for cell in other.blocked)
        sides: dict[str, tuple[int, int]] = dict.fromkeys(other.pairs, (seat, 3 - seat))
        return replace(other, end_owner=sides, block_owner=owners)

    def guess(self, facts: Facts, rng: np.random.Generator) -> NumberLinkInstance:
        """Draw the other terminals and as many more blocked cells as are known."""
        return _redraw(facts, len(cells_of(facts.get("blocked"))), rng)

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The board with digits or letters."""
        return board_texts.view_text(facts, seat, friction)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The board without blanks."""
        return board_texts.compact_view_text(facts, seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read the last board with digits."""
        return board_texts.read_view(text)

    def answer_form(self, friction: Friction) -> str:
        """One list of cells per wire."""
        cell = f"[{axis_names(friction)}]"
        return f'{{"paths": {{"1": [{cell}, ...], "2": [{cell}, ...], ...}}}}'

    def answer_note(self, friction: Friction) -> str:
        """Only friction 0 fixes the convention."""
        convention = one_convention(friction, "all cells")
        return f"Wires are named by their numbers; paths include both terminals{convention}."

    def check_steps(self, instance: NumberLinkInstance, answer: Answer) -> list[str]:
        """The ends and the cells of every wire."""
        paths = answer.get("paths")
        return [
            f"wire {label}: ({row},{column}) is free for it, valid"
            for label, path in (paths if isinstance(paths, dict) else {}).items()
            for row, column in cells_of(path)
        ]

    def free_text_answer(
        self, instance: NumberLinkInstance, messages: Sequence[str]
    ) -> Answer | None:
        """The last message with runs of coordinates after "wire 1:" and so on."""
        for message in reversed(messages):
            # A label stands after "wire", or alone at the beginning of a line.
            _, *parts = _WIRE.split(message)
            paths: dict[str, Json] = {}
            for named, alone, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
                run = coordinate_run(text)
                if len(run) >= 2:
                    label = (named or alone).upper().translate(_AS_DIGIT)
                    paths[label] = run
            if paths:
                return {"paths": paths}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Random steps for each wire of a board of default size."""
        config = NumberLinkConfig()
        paths: dict[str, Json] = {}
        for label in DIGITS[: config.k]:
            cells = rng.integers(config.n, size=(4, 2))
            paths[label] = [[int(row), int(column)] for row, column in cells]
        return {"paths": paths}


_WIRE = re.compile(
    r"\b(?:wire|path)[ \t]*+#?([1-5A-E])\b|^[ \t|\"'-]*+([1-5A-E])[\"']?+[ \t]*+[:.|)]",
    re.IGNORECASE | re.MULTILINE,
)
_AS_DIGIT = str.maketrans(LETTERS, DIGITS)


def _solutions(instance: NumberLinkInstance) -> Iterator[list[list[Cell]]]:
    return joint_paths(instance.n, list(instance.pairs.values()), instance.blocked)


def _is_valid(instance: NumberLinkInstance, label: str, path: Sequence[Cell]) -> bool:
    """Whether a path joins a wire's terminals, apart from the other paths."""
    foreign = [cell for other, ends in instance.pairs.items() if other != label for cell in ends]
    closed = {*foreign, *instance.blocked}
    return joins(instance.n, path, instance.pairs[label], closed)


def _board(
    n: int, pairs: dict[str, tuple[Cell, Cell]], blocked: Sequence[Cell]
) -> NumberLinkInstance:
    """A board that nobody has to share."""
    sides = dict.fromkeys(pairs, (1, 2))
    return NumberLinkInstance(n, pairs, tuple(blocked), sides, (1,) * len(blocked))


def _redraw(facts: Facts, n_hidden: int, rng: np.random.Generator) -> NumberLinkInstance:
    """Draw second terminals and ``n_hidden`` more blocked cells until the wires can be joined."""
    n, known = size_of(facts), cells_of(facts.get("blocked"))
    seen = {label: cells[0] for label, cells in ends_of(facts).items()}
    taken = {*known, *seen.values()}
    free = [cell for cell in neighbours(n, n) if cell not in taken]
    for attempt in range(DRAWS + 1):
        cells = [free[int(index)] for index in rng.permutation(len(free))]
        pairs = {label: (cell, cells.pop()) for label, cell in seen.items()}
        hidden = cells[: n_hidden if attempt < DRAWS else 0]
        instance = _board(n, pairs, sorted([*known, *hidden]))
        if next(_solutions(instance), None) is not None:
            return instance
    raise ValueError("the known cells leave no way to join the wires")


def _written_wire(value: object, n: int) -> list[WrittenCell]:
    """The cells of a wire; empty if one of them is malformed or there are too many."""
    if not isinstance(value, list | tuple) or len(value) > n * n:
        return []
    cells = [read_cell(entry) for entry in value]
    return [] if None in cells else [cell for cell in cells if cell is not None]


def _two(cells: Sequence[Cell]) -> tuple[Cell, Cell]:
    first, second = cells
    return first, second


def _list(given: Mapping[str, object], name: str) -> list[Any]:
    value = given.get(name)
    if not isinstance(value, list | tuple):
        raise InstanceError(f"{name} must be a list")
    return list(value)


def _read_board_cell(name: str, value: object, n: int) -> Cell:
    numbers = list(value) if isinstance(value, list | tuple) else []
    if len(numbers) != 2 or any(type(part) is not int or not 0 <= part < n for part in numbers):
        raise InstanceError(f"{name} must hold [row, column] inside the board")
    return numbers[0], numbers[1]


def _read_pair(label: str, value: object, n: int) -> tuple[Cell, Cell]:
    ends = list(value) if isinstance(value, list | tuple) else []
    if len(ends) != 2:
        raise InstanceError(f"wire {label} must have two terminals")
    return _read_board_cell("pairs", ends[0], n), _read_board_cell("pairs", ends[1], n)


def _read_sides(value: object, labels: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Check which view sees which terminal."""
    sides = dict(value) if isinstance(value, Mapping) else {}
    if set(sides) != set(labels) or not all(
        isinstance(views, list | tuple) and list(views) in ([1, 2], [2, 1])
        for views in sides.values()
    ):
        raise InstanceError("end_owner must hold [1, 2] or [2, 1] for each wire")
    return {label: (int(sides[label][0]), int(sides[label][1])) for label in labels}

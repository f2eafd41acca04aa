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

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import Owner, unsplit
from coordgym.silo_env.pairs.grids.cells import neighbours
from coordgym.silo_env.pairs.grids.paths import path_json
from coordgym.silo_env.pairs.grids.schemes import Cell, CellReader, canonical_cell
from coordgym.silo_env.pairs.grids.walks_in_prose import coordinate_run
from coordgym.silo_env.pairs.shapes.grid_task import GridTask
from coordgym.silo_env.pairs.task import SEATS, Answer, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.numberlink import texts
from coordgym.silo_env.pairs.tasks.numberlink.texts import DIGITS, LETTERS, WireView
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
SIDES: tuple[tuple[Owner, Owner], tuple[Owner, Owner]] = ((1, 2), (2, 1))
"""The views of a wire's first and second terminal."""
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
    end_owner: dict[str, tuple[Owner, Owner]]
    block_owner: tuple[Owner, ...]


class NumberLink(GridTask[NumberLinkInstance, NumberLinkConfig, WireView]):
    """The wires."""

    answer_fields = ("paths",)
    hides_endpoints = True
    config_type = NumberLinkConfig
    reader = "coordgym.silo_env.pairs.tasks.numberlink.reader:WireReader"
    instance_type = NumberLinkInstance
    view_type = WireView
    convention = "all cells"
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
    form = '{"paths": {"1": [[row, column], ...], "2": [[row, column], ...], ...}}'
    note = "Wires are named by their numbers; paths include both terminals{convention}."
    say = staticmethod(texts.say)
    say_compact = staticmethod(texts.say_compact)
    hear = staticmethod(texts.hear)

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
        sides = {label: SIDES[0] if rng.random() < 0.5 else SIDES[1] for label in pairs}
        owners = tuple(SEATS[index % 2] for index in range(len(blocked)))
        instance = NumberLinkInstance(n, pairs, tuple(blocked), sides, owners)
        # The grown paths prove it solvable, but on large boards the bounded search may miss that.
        return instance if _can_be_joined(instance) else None

    def fault(self, instance: NumberLinkInstance) -> str | None:
        """Say what is wrong with the board, or that the wires can't be joined."""
        n, pairs, sides = instance.n, instance.pairs, instance.end_owner
        if not 2 <= n <= LARGEST:
            return f"n must be 2..{LARGEST}"
        if list(pairs) != list(DIGITS[: len(pairs)]) or not pairs:
            return f"pairs must hold 1..{MOST_WIRES} wires, labelled '1', '2', ... in order"
        taken = [*(cell for ends in pairs.values() for cell in ends), *instance.blocked]
        if not set(taken) <= set(neighbours(n, n)):
            return "pairs and blocked must hold cells inside the board"
        if len(set(taken)) < len(taken):
            return "terminals and blocked cells must be different cells"
        if len(instance.block_owner) != len(instance.blocked):
            return "block_owner must name a view for each blocked cell"
        if set(sides) != set(pairs) or not set(sides.values()) <= set(SIDES):
            return "end_owner must hold [1, 2] or [2, 1] for each wire"
        return None if _can_be_joined(instance) else "the wires can't all be joined"

    def optimal_answers(self, instance: NumberLinkInstance, limit: int) -> list[Answer]:
        """Return joint solutions, each wire from its first terminal."""
        answers: list[Answer] = []
        for wires in _solutions(instance):
            paths: dict[str, Json] = {
                label: path_json(path) for label, path in zip(instance.pairs, wires, strict=True)
            }
            answers.append({"paths": paths})
            if len(answers) >= limit:
                break
        return answers

    def score_in(
        self, instance: NumberLinkInstance, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Return the largest compatible set of valid wires over all wires."""
        n, paths = instance.n, answer.get("paths")
        if not isinstance(paths, Mapping):
            return None
        drawn = {label: reader.cells(paths.get(label), n, n) for label in instance.pairs}
        valid = [
            frozenset(filter(None, path))
            for label, path in drawn.items()
            if _is_valid(instance, label, path)
        ]
        return Grade(largest_disjoint(valid) / len(instance.pairs)) if valid else None

    def view(self, instance: NumberLinkInstance, seat: Seat | None) -> WireView:
        """Return the visible terminals of each wire and the known blocked cells."""
        if seat is None:
            ends = {label: tuple(sorted(pair)) for label, pair in instance.pairs.items()}
            return WireView(instance.n, ends, tuple(sorted(instance.blocked)))
        ends = {
            label: tuple(
                cell
                for cell, owner in zip(pair, instance.end_owner[label], strict=True)
                if owner == seat
            )
            for label, pair in instance.pairs.items()
        }
        blocked = zip(instance.blocked, instance.block_owner, strict=True)
        return WireView(instance.n, ends, tuple(cell for cell, owner in blocked if owner == seat))

    def join(self, views: Sequence[WireView]) -> NumberLinkInstance | None:
        """Join terminals and blocked cells; None if a wire lacks a terminal."""
        ends: dict[str, set[Cell]] = {}
        for view in views:
            for label, cells in view.ends.items():
                ends.setdefault(label, set()).update(cells)
        if any(len(cells) != 2 for cells in ends.values()):
            return None
        pairs = {label: _two(sorted(cells)) for label, cells in sorted(ends.items())}
        return _board(views[0].n, pairs, sorted({cell for view in views for cell in view.blocked}))

    def redraw(
        self,
        view: WireView,
        rng: np.random.Generator,
        like: NumberLinkInstance | None = None,
    ) -> NumberLinkInstance | None:
        """Draw the other terminals and more blocked cells until the wires can be joined."""
        known = view.blocked
        count = len(known) if like is None else len(like.blocked) - len(known)
        seen = {label: cells[0] for label, cells in view.ends.items()}
        taken = {*known, *seen.values()}
        free = [cell for cell in neighbours(view.n, view.n) if cell not in taken]

        def draw(hidden: int) -> NumberLinkInstance:
            cells = choose(free, len(free), rng)
            pairs = {label: (cell, cells.pop()) for label, cell in seen.items()}
            return _board(view.n, pairs, sorted([*known, *cells[:hidden]]))

        board = first_accepted(lambda: draw(count), _can_be_joined, DRAWS, lambda: draw(0))
        if board is None or like is None:
            return board
        seat = self.seat_of(like, view)
        owners = tuple(seat if cell in known else SEATS[2 - seat] for cell in board.blocked)
        sides = dict.fromkeys(board.pairs, SIDES[seat - 1])
        return replace(board, end_owner=sides, block_owner=owners)

    def check_steps(self, instance: NumberLinkInstance, answer: Answer) -> list[str]:
        """Say the ends and the cells of every wire."""
        paths = answer.get("paths")
        return [
            f"wire {label}: ({row},{column}) is free for it, valid"
            for label, path in (paths if isinstance(paths, dict) else {}).items()
            if isinstance(path, list)
            for row, column in filter(None, map(canonical_cell, path))
        ]

    def free_text_answer(
        self, instance: NumberLinkInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the last message with runs of coordinates after "wire 1:" and so on."""
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
        """Draw random steps for each wire of a board of default size."""
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


def _can_be_joined(instance: NumberLinkInstance) -> bool:
    return next(_solutions(instance), None) is not None


def _is_valid(instance: NumberLinkInstance, label: str, path: Sequence[Cell | None]) -> bool:
    """Tell whether a path joins a wire's terminals, apart from the other paths."""
    n, pairs = instance.n, instance.pairs
    if len(path) > n * n or not joins(n, path, pairs[label], instance.blocked):
        return False
    return not any(cell in path for other in pairs if other != label for cell in pairs[other])


def _board(
    n: int, pairs: dict[str, tuple[Cell, Cell]], blocked: Sequence[Cell]
) -> NumberLinkInstance:
    """Return a board that nobody has to share."""
    sides = dict.fromkeys(pairs, SIDES[0])
    return NumberLinkInstance(n, pairs, tuple(blocked), sides, unsplit(len(blocked)))


def _two(cells: Sequence[Cell]) -> tuple[Cell, Cell]:
    first, second = cells
    return first, second

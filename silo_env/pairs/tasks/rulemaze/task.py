"""``rulemaze``: coloured tiles, of which each agent sees half, and forbidden colour steps.

Rules: from the top-left to the bottom-right tile in as few steps up, down, left or right as
possible. For some ordered pairs of colours XY no step leads from an X tile onto a Y tile; steps
between tiles of one colour are always free.
Views: tiles but the two ends are halved, forbidden pairs alternate. The views name the colours
with different words and phrase a rule from its source or from its target.
Answer: ``{"path": [[row, column], ...]}`` or ``{"moves": [...]}``.
Grade: the score of ``grids/paths.py``, best of the sixteen schemes; a forbidden step or a step to a
tile from which the goal can't be reached is invalid.
Source: The Collaboration Tax, table 8.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import Owner, unsplit
from coordgym.silo_env.pairs.grids.cells import (
    HIDDEN,
    Rows,
    corners,
    fill,
    mask,
    neighbours,
    overlay,
    shared_by_both,
    shared_fault,
    split_cells,
    split_fault,
)
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grids.paths import Moves, reachable
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import Board, GridPathTask, WalkLimits, make_board
from coordgym.silo_env.pairs.task import SEATS, Friction, Seat

PLAIN = {"B": "blue", "G": "green", "R": "red", "Y": "yellow"}
FANCY = {"B": "azure", "G": "emerald", "R": "crimson", "Y": "golden"}
"""The words of view 1 and view 2 for the colours."""
COLOURS = "".join(PLAIN)

SMALLEST, LARGEST = 3, 12
"""Tiles per side."""
TYPICAL_RULES = 5
"""Forbidden pairs of a default instance, which a guess assumes."""

RULES_HEAD = "Rules you know (your partner knows others; all other steps are free):"
WHOLE_RULES_HEAD = "Rules (all other steps are free):"


@dataclass(frozen=True, slots=True)
class RuleMazeConfig(WalkLimits):
    """Difficulty of generated floors.

    Attributes:
        n: Tiles per side, 3..12.
        colours: Two to four of the letters "RGBY".
        n_rules: Forbidden ordered pairs of colours, 2 or more.
        min_length: Fewest moves of the shortest walk; None: 2 (n - 1), that of a free floor.
        max_optimal: Most shortest walks, at least 1.
    """

    n: int = 6
    colours: str = "RGBY"
    n_rules: int = TYPICAL_RULES
    min_length: int | None = None
    max_optimal: int = 6

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        known = isinstance(self.colours, str) and set(self.colours) <= set(COLOURS)
        if not known or not 2 <= len(set(self.colours)) == len(self.colours):
            raise ConfigError(
                f"colours must be 2..4 of the letters RGBY, got {self.colours!r:.100}"
            )
        require_int("n_rules", self.n_rules, 2, len(self.colours) * (len(self.colours) - 1))
        self.require_limits()


@dataclass(frozen=True, slots=True)
class RuleMazeInstance:
    """A floor, its rules and its split.

    Attributes:
        grid: Rows over the colour letters.
        start: The first tile of the walk.
        goal: The last tile of the walk.
        forbidden: Ordered colour pairs such as "BG": no step from blue onto green.
        rule_owner: For each pair 1 or 2, the view that knows it.
        owner: For each tile "1" or "2", the view that shows it, or "b" for both.
    """

    grid: Rows
    start: Cell
    goal: Cell
    forbidden: tuple[str, ...]
    rule_owner: tuple[Owner, ...]
    owner: Rows


@dataclass(frozen=True, slots=True)
class TileView:
    """Tiles, "?" for hidden ones, the known forbidden pairs, and both ends of the walk."""

    grid: Rows
    forbidden: tuple[str, ...]
    start: Cell
    goal: Cell

    @property
    def whole(self) -> bool:
        """Whether it hides no tile."""
        return HIDDEN not in "".join(self.grid)


class RuleMaze(GridPathTask[RuleMazeInstance, RuleMazeConfig, TileView]):
    """The floor of coloured tiles."""

    masks = True
    config_type = RuleMazeConfig
    instance_type = RuleMazeInstance
    view_type = TileView
    reader = "coordgym.silo_env.pairs.tasks.rulemaze.reader:TileReader"
    rule = (
        "A square floor is made of coloured tiles. Find a walk from the top-left to the "
        "bottom-right tile that takes as few steps as possible. A step goes to the next tile up, "
        "down, left or right. For some pairs of colours a step from the first colour onto the "
        "second is forbidden; the opposite step may still be free, and steps between tiles of "
        "one colour always are."
    )
    split = (
        "Your map hides about half of the tiles, and you know some of the rules; the other agent "
        "sees exactly the tiles that you don't, and knows the other rules."
    )
    compact_rule = (
        "tiles: fewest steps (4 directions) from top left to bottom right; rule XY = no step from "
        "X onto Y"
    )
    compact_split = "the other agent sees your ? tiles and knows more rules"

    def draw(self, config: RuleMazeConfig, rng: np.random.Generator) -> RuleMazeInstance | None:
        """Draw tiles and distinct rules; kept if the goal is far enough, optima few."""
        n, colours = config.n, config.colours
        tiles = rng.integers(len(colours), size=(n, n))
        grid = tuple("".join(colours[int(tile)] for tile in line) for line in tiles)
        pairs = _pairs(colours)
        chosen = rng.choice(len(pairs), size=config.n_rules, replace=False)
        forbidden = tuple(pairs[int(index)] for index in chosen)
        start, goal = (0, 0), (n - 1, n - 1)
        board = make_board(n, n, start, goal, tile_moves(grid, forbidden))
        if not config.allow(board):
            return None
        rule_owner = tuple(SEATS[index % 2] for index in range(len(forbidden)))
        owner = split_cells(n, n, (start, goal), rng)
        return RuleMazeInstance(grid, start, goal, forbidden, rule_owner, owner)

    def fault(self, instance: RuleMazeInstance) -> str | None:
        """Say what is wrong with the floor, or that no walk leads to the goal."""
        grid, start, goal = instance.grid, instance.start, instance.goal
        forbidden = instance.forbidden
        fault = split_fault(grid, instance.owner, COLOURS, start=start, goal=goal)
        if fault is not None:
            return fault
        if len({*forbidden} & {*_pairs(COLOURS)}) < len(forbidden):
            return "forbidden must list different pairs of colours such as 'BG'"
        if len(instance.rule_owner) != len(forbidden):
            return "rule_owner must name a view for each forbidden pair"
        if (start, goal) != corners(grid):
            return "start and goal must be the first and the last tile"
        fault = shared_fault(instance.owner, start=start, goal=goal)
        return fault or self.walk_fault(instance)

    def board(self, instance: RuleMazeInstance) -> Board:
        """Return the steps that no rule forbids."""
        grid = instance.grid
        moves = tile_moves(grid, instance.forbidden)
        return make_board(len(grid), len(grid[0]), instance.start, instance.goal, moves)

    def cell_note(self, instance: RuleMazeInstance, cell: Cell) -> str:
        """Say the colour of a tile of a walk."""
        return f"is {PLAIN[instance.grid[cell[0]][cell[1]]]}, the step onto it is allowed"

    def view(self, instance: RuleMazeInstance, seat: Seat | None) -> TileView:
        """Return visible tiles, known rules, and both ends."""
        grid, rules, ends = instance.grid, instance.forbidden, (instance.start, instance.goal)
        if seat is None:
            return TileView(grid, tuple(sorted(rules)), *ends)
        owned = zip(rules, instance.rule_owner, strict=True)
        known = tuple(pair for pair, owner in owned if owner == seat)
        return TileView(mask(grid, instance.owner, seat), known, *ends)

    def join(self, views: Sequence[TileView]) -> RuleMazeInstance | None:
        """Lay the maps over each other and join the rules; None if a tile stays hidden."""
        grid = overlay([view.grid for view in views])
        if not grid or HIDDEN in "".join(grid):
            return None
        return _floor(grid, tuple(sorted({pair for view in views for pair in view.forbidden})))

    def redraw(
        self, view: TileView, rng: np.random.Generator, like: RuleMazeInstance | None = None
    ) -> RuleMazeInstance | None:
        """Draw hidden tiles and more rules until the goal can be reached."""
        known, hidden = view.forbidden, "".join(view.grid).count(HIDDEN)
        colours = COLOURS if like is None else "".join(sorted(set("".join(like.grid))))
        total = TYPICAL_RULES if like is None else len(like.forbidden)
        count = max(0, total - len(known))
        unknown = [pair for pair in _pairs(colours) if pair not in known]
        if len(unknown) < count:
            unknown = [pair for pair in _pairs(COLOURS) if pair not in known]

        def draw() -> RuleMazeInstance:
            rules = (*known, *choose(unknown, count, rng))
            tiles = rng.integers(len(colours), size=hidden)
            return _floor(fill(view.grid, [colours[int(tile)] for tile in tiles]), rules)

        def free() -> RuleMazeInstance:
            return _floor(fill(view.grid, view.grid[0][0] * hidden), known)

        floor = first_accepted(draw, _has_walk, last=free if like is None else None)
        if floor is None or like is None:
            return floor
        seat, redrawn = self.seat_of(like, view), list(floor.forbidden[len(known) :])
        rules = tuple(
            pair if owner == seat else redrawn.pop()
            for pair, owner in zip(like.forbidden, like.rule_owner, strict=True)
        )
        return replace(like, grid=floor.grid, forbidden=rules)

    def say(self, view: TileView, seat: Seat, friction: Friction) -> str:
        """Draw the map and say colours and rules in the words of the seat."""
        words = PLAIN if friction == 0 or seat == 1 else FANCY
        shown = sorted(set("".join(view.grid)) - {HIDDEN} | set("".join(view.forbidden)))
        legend = "Legend: " + ", ".join(f"{letter} {words[letter]}" for letter in shown)
        rules = [_rule_line(pair, words, from_source=words is PLAIN) for pair in view.forbidden]
        closing = "\n".join(["", WHOLE_RULES_HEAD if view.whole else RULES_HEAD, *rules])
        head = "Your tile map (start = top-left tile, goal = bottom-right tile):"
        if friction == 2 and seat == 2:
            head = "Your tile map (start = tile x=1 of the top row, goal = last tile of row y=1):"
        return drawn_view(head, view.grid, legend, seat, friction, closing=closing)

    def say_compact(self, view: TileView, seat: Seat, friction: Friction) -> str:
        """Draw the map without blanks, and list the rules as pairs."""
        rules = " ".join(view.forbidden)
        return f"{compact_view('tiles', view.grid, seat, friction)}\nrules: {rules}"

    def hear(self, text: str) -> TileView | None:
        """Read the last drawing of a text and all rules that it states from their source."""
        grid = read_drawing(text, COLOURS + HIDDEN)
        if grid is None:
            return None
        letters = {word: letter for letter, word in PLAIN.items()}
        stated = re.findall(r"step from a (\w+) tile onto a (\w+) tile", text)
        rules = (letters[a] + letters[b] for a, b in stated if a in letters and b in letters)
        return TileView(grid, tuple(rules), *corners(grid))


def tile_moves(grid: Rows, forbidden: Sequence[str]) -> Moves[Cell]:
    """Return the steps that no rule forbids."""
    banned = set(forbidden)
    return {
        (row, column): tuple(
            cell for cell in near if grid[row][column] + grid[cell[0]][cell[1]] not in banned
        )
        for (row, column), near in neighbours(len(grid), len(grid[0])).items()
    }


def _pairs(colours: str) -> list[str]:
    return [a + b for a in colours for b in colours if a != b]


def _floor(grid: Rows, forbidden: tuple[str, ...]) -> RuleMazeInstance:
    """Return a floor that nobody has to share, from corner to corner."""
    owners = unsplit(len(forbidden))
    return RuleMazeInstance(grid, *corners(grid), forbidden, owners, shared_by_both(grid))


def _has_walk(instance: RuleMazeInstance) -> bool:
    moves = tile_moves(instance.grid, instance.forbidden)
    return instance.goal in reachable(instance.start, moves)


def _rule_line(pair: str, words: Mapping[str, str], *, from_source: bool) -> str:
    first, second = words[pair[0]], words[pair[1]]
    if from_source:
        return f"- You may not step from a {first} tile onto a {second} tile."
    return f"- {second.capitalize()} tiles cannot be entered from {first} ones."

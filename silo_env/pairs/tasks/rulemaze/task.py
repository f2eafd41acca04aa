"""``rulemaze``: coloured tiles, of which each agent sees half, and forbidden colour steps.

Rules: from the top-left to the bottom-right tile in as few steps up, down, left or right as
possible. For some ordered pairs of colours XY no step leads from an X tile onto a Y tile; steps
between tiles of one colour are always free.
Views: tiles but the two ends are halved, forbidden pairs alternate. The views name the colours
with different words and phrase a rule from its source or from its target.
Answer: ``{"path": [[row, column], ...]}`` or ``{"moves": [...]}``.
Grade: the path score of ``paths.py``, best of the sixteen schemes; a forbidden step and a step to a
tile from which the goal can't be reached are invalid.
Source: The Collaboration Tax, table 8.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.pairs.facts.instances import require_views
from coordgym.silo_env.pairs.grids.cells import (
    HIDDEN,
    Rows,
    facts_rows,
    fill,
    mask,
    neighbours,
    overlay,
    read_ends,
    read_split_grid,
    refill,
    require_shared,
    shared_by_both,
    split_cells,
)
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grids.paths import Moves, reachable
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import Board, GridPathTask, WalkLimits, make_board
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Facts, Friction, Json, Seat

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
    rule_owner: tuple[int, ...]
    owner: Rows


class RuleMaze(
    WideTask[RuleMazeInstance, RuleMazeConfig], GridPathTask[RuleMazeInstance, RuleMazeConfig, Any]
):
    """The floor of coloured tiles."""

    masks = True
    config_type = RuleMazeConfig
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
        """Independent tiles, distinct rules; kept if the goal is far enough, optima few."""
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
        rule_owner = tuple(1 + index % 2 for index in range(len(forbidden)))
        owner = split_cells(n, n, (start, goal), rng)
        return RuleMazeInstance(grid, start, goal, forbidden, rule_owner, owner)

    def read_instance(self, given: Mapping[str, object]) -> RuleMazeInstance:
        """Check a floor given as JSON: grid, start, goal, forbidden, rule_owner, owner."""
        grid, owner = read_split_grid(given, COLOURS)
        start, goal = read_ends(given, grid)
        forbidden = given.get("forbidden")
        listed = list(forbidden) if isinstance(forbidden, list | tuple) else [None]
        pairs = [pair for pair in listed if isinstance(pair, str) and pair in _pairs(COLOURS)]
        if len(set(pairs)) < len(listed):
            raise InstanceError("forbidden must list different pairs of colours such as 'BG'")
        rule_owner = require_views(
            "rule_owner", given.get("rule_owner"), len(pairs), "forbidden pair"
        )
        if start != (0, 0) or goal != (len(grid) - 1, len(grid[0]) - 1):
            raise InstanceError("start and goal must be the first and the last tile")
        require_shared(owner, start=start, goal=goal)
        return self.solvable(RuleMazeInstance(grid, start, goal, tuple(pairs), rule_owner, owner))

    def board(self, instance: RuleMazeInstance) -> Board:
        """Steps that no rule forbids."""
        grid = instance.grid
        moves = tile_moves(grid, instance.forbidden)
        return make_board(len(grid), len(grid[0]), instance.start, instance.goal, moves)

    def cell_note(self, instance: RuleMazeInstance, cell: Cell) -> str:
        """The colour of a tile of a walk."""
        return f"is {PLAIN[instance.grid[cell[0]][cell[1]]]}, the step onto it is allowed"

    def facts(self, instance: RuleMazeInstance, seat: Seat | None) -> Facts:
        """Visible tiles, known rules, and both ends."""
        grid = instance.grid if seat is None else mask(instance.grid, instance.owner, seat)
        rules: list[Json] = [
            pair
            for pair, view in zip(instance.forbidden, instance.rule_owner, strict=True)
            if seat in (None, view)
        ]
        if seat is None:
            rules.sort(key=str)
        return {
            "grid": list(grid),
            "forbidden": rules,
            "start": list(instance.start),
            "goal": list(instance.goal),
        }

    def merge(self, views: Sequence[Facts]) -> RuleMazeInstance | None:
        """Lay the maps over each other and join the rules; None if a tile stays hidden."""
        grid = overlay([facts_rows(view) for view in views])
        if grid is None or any(HIDDEN in line for line in grid):
            return None
        forbidden = tuple(sorted({pair for view in views for pair in _known_rules(view)}))
        start, goal = (0, 0), (len(grid) - 1, len(grid[0]) - 1)
        if goal not in reachable(start, tile_moves(grid, forbidden)):
            return None
        owners = (1,) * len(forbidden)
        return RuleMazeInstance(grid, start, goal, forbidden, owners, shared_by_both(grid))

    def complete(
        self, instance: RuleMazeInstance, seat: Seat, rng: np.random.Generator
    ) -> RuleMazeInstance:
        """Redraw hidden tiles and as many hidden rules as there are."""
        facts = self.facts(instance, seat)
        hidden = len(instance.forbidden) - len(_known_rules(facts))
        colours = "".join(sorted(set("".join(instance.grid))))
        other = self._redraw(facts, colours, hidden, rng)
        if other is None:
            return instance
        known = set(_known_rules(facts))
        redrawn = [pair for pair in other.forbidden if pair not in known]
        forbidden = tuple(
            pair if view == seat else redrawn.pop()
            for pair, view in zip(instance.forbidden, instance.rule_owner, strict=True)
        )
        return replace(instance, grid=other.grid, forbidden=forbidden)

    def guess(self, facts: Facts, rng: np.random.Generator) -> RuleMazeInstance:
        """Draw hidden tiles from all colours, and rules up to the usual number."""
        hidden = max(0, TYPICAL_RULES - len(_known_rules(facts)))
        other = self._redraw(facts, COLOURS, hidden, rng)
        if other is not None:
            return other
        grid = facts_rows(facts)
        corner = grid[0][0]
        free = fill(grid, corner * "".join(grid).count(HIDDEN))
        return _floor(free, tuple(_known_rules(facts)))

    def _redraw(
        self, facts: Facts, colours: str, n_rules: int, rng: np.random.Generator
    ) -> RuleMazeInstance | None:
        """Tiles and ``n_rules`` more rules at random until the goal can be reached."""
        view, known = facts_rows(facts), _known_rules(facts)
        hidden = "".join(view).count(HIDDEN)
        unknown = [pair for pair in _pairs(colours) if pair not in known]
        n_rules = min(n_rules, len(unknown))
        goal = (len(view) - 1, len(view[0]) - 1)
        rules: tuple[str, ...] = tuple(known)

        def symbols() -> list[str]:
            nonlocal rules
            chosen = rng.permutation(len(unknown))[:n_rules]
            rules = (*known, *(unknown[int(index)] for index in chosen))
            return [colours[int(tile)] for tile in rng.integers(len(colours), size=hidden)]

        grid = refill(
            view, symbols, lambda filled: goal in reachable((0, 0), tile_moves(filled, rules))
        )
        return None if grid is None else _floor(grid, rules)

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Map, colour legend and rules in the words of the seat."""
        grid, rules = facts_rows(facts), _known_rules(facts)
        words = PLAIN if friction == 0 or seat == 1 else FANCY
        shown = sorted(set("".join(grid)) - {HIDDEN} | set("".join(rules)))
        legend = "Legend: " + ", ".join(f"{letter} {words[letter]}" for letter in shown)
        whole = HIDDEN not in "".join(grid)
        lines = [_rule_line(pair, words, from_source=words is PLAIN) for pair in rules]
        closing = "\n".join(["", WHOLE_RULES_HEAD if whole else RULES_HEAD, *lines])
        head = "Your tile map (start = top-left tile, goal = bottom-right tile):"
        if friction == 2 and seat == 2:
            head = "Your tile map (start = tile x=1 of the top row, goal = last tile of row y=1):"
        return drawn_view(head, grid, legend, seat, friction, closing=closing)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The map without blanks, and the rules as pairs."""
        rules = " ".join(_known_rules(facts))
        return f"{compact_view('tiles', facts_rows(facts), seat, friction)}\nrules: {rules}"

    def read_view(self, text: str) -> Facts | None:
        """Read the last drawing of a text and all rules that it states from their source."""
        grid = read_drawing(text, COLOURS + HIDDEN)
        if grid is None:
            return None
        letters = {word: letter for letter, word in PLAIN.items()}
        stated = re.findall(r"step from a (\w+) tile onto a (\w+) tile", text)
        rules: list[Json] = [
            letters[a] + letters[b] for a, b in stated if a in letters and b in letters
        ]
        goal: list[Json] = [len(grid) - 1, len(grid[0]) - 1]
        return {"grid": list(grid), "forbidden": rules, "start": [0, 0], "goal": goal}


def tile_moves(grid: Rows, forbidden: Sequence[str]) -> Moves[Cell]:
    """The steps that no rule forbids."""
    banned = set(forbidden)
    return {
        (row, column): tuple(
            cell for cell in near if grid[row][column] + grid[cell[0]][cell[1]] not in banned
        )
        for (row, column), near in neighbours(len(grid), len(grid[0])).items()
    }


def _pairs(colours: str) -> list[str]:
    return [a + b for a in colours for b in colours if a != b]


def _known_rules(facts: Facts) -> list[str]:
    rules = facts.get("forbidden")
    return [str(pair) for pair in rules] if isinstance(rules, list) else []


def _floor(grid: Rows, forbidden: tuple[str, ...]) -> RuleMazeInstance:
    """A floor that nobody has to share, from corner to corner."""
    goal = (len(grid) - 1, len(grid[0]) - 1)
    owners = (1,) * len(forbidden)
    return RuleMazeInstance(grid, (0, 0), goal, forbidden, owners, shared_by_both(grid))


def _rule_line(pair: str, words: Mapping[str, str], *, from_source: bool) -> str:
    first, second = words[pair[0]], words[pair[1]]
    if from_source:
        return f"- You may not step from a {first} tile onto a {second} tile."
    return f"- {second.capitalize()} tiles cannot be entered from {first} ones."

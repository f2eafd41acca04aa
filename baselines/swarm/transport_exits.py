"""Finding out where the exit of a transport map is and how far its box has been pushed.

The exit is at one of a few places that follow from the size of the map. The box can leave in one
way only, so that an exit and a number of steps tell where all its cells are. An agent keeps the
exits that agree with all that it has seen, and of the one exit left the steps that agree with
what it sees now.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from coordgym.swarm_env.grid.cells import VECTORS, Cell
from coordgym.swarm_env.tasks.transport import Exit, corner_exits, square_exits

_NEWS: Final = re.compile(r"exit (\d{1,6}) steps (\d)\Z")
_COPY: Final = re.compile(r"\be([0-9]{1,6})s([0-9])\b")
_LEFT: Final = re.compile(r"exits((?: [0-9]{1,6}){2,60})\Z")
_COPIES: Final = 20  # of short news, for a channel that corrupts characters
_MAX_LEFT: Final = 24  # exits named in a message, which has room for 120 characters


class Way(NamedTuple):
    """An exit, the steps by which the box leaves it, and its cells after each number of steps.

    Attributes:
        exit: The exit.
        steps: Direction of each step.
        boxes: Cells of the box after 0, 1, … steps; nothing on the map after the last.
        border: Cells of the map's edge that are no walls.
    """

    exit: Exit
    steps: tuple[str, ...]
    boxes: tuple[frozenset[Cell], ...]
    border: frozenset[Cell]

    def agrees(self, done: int, seen: Mapping[Cell, str]) -> bool:
        """Tell whether a view may show this exit with the box ``done`` steps further."""
        box, gap = self.boxes[done], self.border
        height, width = self.exit.height, self.exit.width
        for cell, content in seen.items():
            row, column = cell
            if not (0 <= row < height and 0 <= column < width):
                continue
            if (content == "B") != (cell in box):
                return False
            at_edge = row in (0, height - 1) or column in (0, width - 1)
            if at_edge and (content == "W") == (cell in gap):
                return False
        return True


@lru_cache(maxsize=64)
def ways(height: int, width: int, box: str) -> tuple[Way, ...]:
    """List all places of the exit on a map of this size; a pure function."""
    exits = corner_exits(height, width) if box == "corner" else square_exits(height, width)
    found = []
    for plan in exits:
        outward = [plan.outward] * (4 if box == "corner" else 2)
        steps = (plan.sideways, *outward) if box == "corner" else tuple(outward)
        cells = frozenset(plan.box_cells())
        boxes = [cells]
        for name in steps:
            i, j = VECTORS[name]
            cells = frozenset((row + i, column + j) for row, column in cells)
            boxes.append(cells)
        found.append(Way(plan, steps, tuple(boxes), frozenset(plan.gap_cells())))
    return tuple(found)


class ExitFinder:
    """What one agent knows about the exit.

    Attributes:
        ways: All places of the exit on this map.
        possible: Numbers of the ways that agree with all views so far.
        done: Steps that the box has made at least.

    Args:
        height: Rows of the map.
        width: Columns of the map.
        box: The kind of box.
    """

    def __init__(self, height: int, width: int, box: str) -> None:
        self.ways = ways(height, width, box)
        self.possible = list(range(len(self.ways)))
        self.done = 0

    @property
    def way(self) -> Way | None:
        """The exit, if only one is possible."""
        return self.ways[self.possible[0]] if len(self.possible) == 1 else None

    def look(self, seen: Mapping[Cell, str]) -> None:
        """Take in a view."""
        agreeing = {}
        for number in self.possible:
            way = self.ways[number]
            fitting = [done for done in range(self.done, len(way.boxes)) if way.agrees(done, seen)]
            if fitting:
                agreeing[number] = fitting[0]
        if agreeing:
            self.possible = list(agreeing)
            if len(agreeing) == 1:
                self.done = min(agreeing.values())

    def hear(self, text: str) -> None:
        """Take in a message of another agent."""
        match = _NEWS.match(text)
        if match is not None:
            self._believe(int(match[1]), int(match[2]))
            return
        match = _LEFT.match(text)
        if match is not None:
            told = set(map(int, match[1].split()))
            self.possible = [number for number in self.possible if number in told] or self.possible
            return
        copies = Counter(_COPY.findall(text))
        if copies:
            (number, done), count = copies.most_common(1)[0]
            if 2 * count > copies.total():
                self._believe(int(number), int(done))

    def _believe(self, number: int, done: int) -> None:
        if number in self.possible and done < len(self.ways[number].boxes):
            self.possible = [number]
            self.done = max(self.done, done)

    def news(self) -> str:
        """Return what to tell others: the exit and the steps of the box; nothing if unknown."""
        return f"exit {self.possible[0]} steps {self.done}" if self.way is not None else ""

    def copied_news(self) -> str:
        """Return the same news many times over, so that some of them get through noise."""
        if self.way is None:
            return ""
        return " ".join([f"e{self.possible[0]}s{self.done}"] * _COPIES)

    def left(self) -> str:
        """Return which exits are possible, if some have been ruled out and they are few."""
        if not 1 < len(self.possible) <= min(_MAX_LEFT, len(self.ways) - 1):
            return ""
        return "exits " + " ".join(map(str, self.possible))

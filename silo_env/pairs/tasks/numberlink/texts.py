"""How boards with wires are drawn and read: digits or letters for terminals."""

from collections.abc import Mapping
from dataclasses import dataclass

from coordgym.silo_env.pairs.grids.cells import OPEN, WALL, Rows, set_cells
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.task import Friction, Seat

DIGITS, LETTERS = "12345", "ABCDE"

TASK_TEXT = (
    " = one terminal of that wire{names}, # blocked, . nothing known to you (your partner sees "
    "each wire's other terminal and further blocked cells). Join the two terminals of every wire "
    "by paths that do not cross, touch another wire's cell or a blocked cell."
)
DIGIT_LEGEND = "Legend: digit" + TASK_TEXT.format(names=" (1, 2, 3 ...)")
LETTER_LEGEND = "Legend: letter" + TASK_TEXT.format(names=" (A is wire 1, B is wire 2, ...)")
WHOLE_LEGEND = (
    "Legend: digit = both terminals of that wire, # blocked, . free. Join the two terminals of "
    "every wire by paths that do not cross, touch another wire's cell or a blocked cell."
)


@dataclass(frozen=True, slots=True)
class WireView:
    """A board: its size, the known terminals of each wire, and the known blocked cells."""

    n: int
    ends: Mapping[str, tuple[Cell, ...]]
    blocked: tuple[Cell, ...]


def say(view: WireView, seat: Seat, friction: Friction) -> str:
    """Draw the board with digits or letters."""
    letters = friction != 0 and seat == 2
    legend = LETTER_LEGEND if letters else DIGIT_LEGEND
    if any(len(cells) == 2 for cells in view.ends.values()):
        legend = WHOLE_LEGEND
    return drawn_view("Your board:", _drawing(view, letters=letters), legend, seat, friction)


def say_compact(view: WireView, seat: Seat, friction: Friction) -> str:
    """Draw the board without blanks."""
    letters = friction != 0 and seat == 2
    head = "board, A = wire 1" if letters else "board"
    return compact_view(head, _drawing(view, letters=letters), seat, friction)


def hear(text: str) -> WireView | None:
    """Read the last board with digits."""
    grid = read_drawing(text, OPEN + WALL + DIGITS)
    if grid is None:
        return None
    ends: dict[str, tuple[Cell, ...]] = {}
    blocked: list[Cell] = []
    for row, line in enumerate(grid):
        for column, symbol in enumerate(line):
            if symbol == WALL:
                blocked.append((row, column))
            elif symbol in DIGITS:
                ends[symbol] = (*ends.get(symbol, ()), (row, column))
    return WireView(len(grid), dict(sorted(ends.items())), tuple(blocked))


def _drawing(view: WireView, *, letters: bool) -> Rows:
    names = LETTERS if letters else DIGITS
    symbols = dict.fromkeys(view.blocked, WALL)
    for label, cells in view.ends.items():
        symbols |= dict.fromkeys(cells, names[DIGITS.index(label)])
    return set_cells((OPEN * view.n,) * view.n, symbols)

"""How boards with wires are drawn and read: digits or letters for terminals."""

from coordgym.silo_env.pairs.grids.cells import Rows, set_cells
from coordgym.silo_env.pairs.grids.drawings import compact_view, drawn_view, read_drawing
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.shapes.grid_walks import canonical_cell
from coordgym.silo_env.pairs.task import Facts, Friction, Json, Seat

FREE, BLOCKED = ".", "#"
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


def view_text(facts: Facts, seat: Seat, friction: Friction) -> str:
    """The board with digits or letters."""
    letters = friction != 0 and seat == 2
    legend = LETTER_LEGEND if letters else DIGIT_LEGEND
    if any(len(cells) == 2 for cells in ends_of(facts).values()):
        legend = WHOLE_LEGEND
    return drawn_view("Your board:", _drawing(facts, letters=letters), legend, seat, friction)


def compact_view_text(facts: Facts, seat: Seat, friction: Friction) -> str:
    """The board without blanks."""
    letters = friction != 0 and seat == 2
    head = "board, A = wire 1" if letters else "board"
    return compact_view(head, _drawing(facts, letters=letters), seat, friction)


def read_view(text: str) -> Facts | None:
    """Read the last board with digits."""
    grid = read_drawing(text, FREE + BLOCKED + DIGITS)
    if grid is None:
        return None
    ends: dict[str, Json] = {}
    blocked: list[Json] = []
    for row, line in enumerate(grid):
        for column, symbol in enumerate(line):
            if symbol == BLOCKED:
                blocked.append([row, column])
            elif symbol in DIGITS:
                found = ends.setdefault(symbol, [])
                if isinstance(found, list):
                    found.append([row, column])
    return {"n": len(grid), "ends": dict(sorted(ends.items())), "blocked": blocked}


def size_of(facts: Facts) -> int:
    """Cells per side of the board."""
    return int(str(facts["n"]))


def cells_of(value: Json) -> list[Cell]:
    """Cells in JSON as pairs."""
    cells = [canonical_cell(entry) for entry in value] if isinstance(value, list) else []
    return [cell for cell in cells if cell is not None]


def ends_of(facts: Facts) -> dict[str, list[Cell]]:
    """The terminals that a view shows, by the label of the wire."""
    ends = facts.get("ends")
    return {
        label: cells_of(cells) for label, cells in (ends if isinstance(ends, dict) else {}).items()
    }


def _drawing(facts: Facts, *, letters: bool) -> Rows:
    n, names = size_of(facts), LETTERS if letters else DIGITS
    symbols = dict.fromkeys(cells_of(facts.get("blocked")), BLOCKED)
    for label, cells in ends_of(facts).items():
        symbols |= dict.fromkeys(cells, names[DIGITS.index(label)])
    return set_cells((FREE * n,) * n, symbols)

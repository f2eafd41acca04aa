"""What agents claim of wires and blocked cells."""

from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Atoms
from coordgym.silo_env.pairs.dialogue.readers.grid_atoms import (
    CELL_KIND,
    PLAIN_WORDS,
    GridReader,
    as_cell,
)
from coordgym.silo_env.pairs.grids.cells import OPEN, WALL
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


class WireReader(GridReader):
    """Terminals of wires and blocked cells; empty cells say nothing."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        n = cast("int", views[0]["n"])
        labels = list(cast("dict[str, object]", views[0]["ends"]))
        self._number = {**{label: label for label in labels},
                        **{chr(ord("A") + int(label) - 1): label for label in labels}}  # fmt: skip
        words = {
            **{word: WALL for word, symbol in PLAIN_WORDS.items() if symbol == WALL},
            **{
                f"{what}{name}": label
                for name, label in self._number.items()
                for what in ("terminal of wire ", "terminal ", "end of wire ")
            },
        }
        symbols = WALL + OPEN + "".join(self._number)
        super().__init__(n, n, words=words, symbols=symbols, silent=OPEN)

    def symbol(self, drawn: str, seat: Seat) -> str:
        """Return what a drawn symbol stands for in the drawing of a seat."""
        return self._number.get(drawn, drawn)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""
        blocked = cast("list[object]", facts["blocked"])
        ends = cast("dict[str, list[object]]", facts["ends"])
        atoms: list[Atom] = [(CELL_KIND, *as_cell(cell), WALL) for cell in blocked]
        atoms += [(CELL_KIND, *as_cell(c), label) for label, cells in ends.items() for c in cells]
        return frozenset(atoms)

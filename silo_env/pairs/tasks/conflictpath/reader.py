"""What agents claim of obstacles and vehicles."""

from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom, Atoms, Claim
from coordgym.silo_env.pairs.dialogue.readers.grid_atoms import (
    CELL_KIND,
    PLAIN_WORDS,
    GridReader,
    as_cell,
)
from coordgym.silo_env.pairs.grids.cells import GOAL, OPEN, START, WALL
from coordgym.silo_env.pairs.grids.schemes import Cell
from coordgym.silo_env.pairs.task import SEATS, AnyTask, Facts, Friction, Seat, Views


class VehicleReader(GridReader):
    """Obstacles and the ends of two vehicles; empty cells say nothing."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        n = cast("int", views[0]["n"])
        words = {
            **{word: WALL for word, symbol in PLAIN_WORDS.items() if symbol == WALL},
            **{
                f"{vehicle}{name}{owner} {end}": f"{name}{symbol}"
                for name in "AB"
                for end, symbol in (("start", START), ("goal", GOAL))
                for vehicle in ("robot ", "cart ", "vehicle ", "")
                for owner in ("'s", "")
            },
        }
        symbols = WALL + OPEN + START + GOAL + "AaBb"
        super().__init__(n, n, words=words, symbols=symbols, silent=OPEN)

    def symbol(self, drawn: str, seat: Seat) -> str:
        """Return what a drawn symbol stands for in the drawing of a seat."""
        if drawn in (START, GOAL):
            return f"{'AB'[seat - 1]}{drawn}"
        if drawn.isalpha():
            return f"{drawn.upper()}{START if drawn.isupper() else GOAL}"
        return drawn

    def drawn(self, cell: Cell, drawn: str, seat: Seat) -> Claim:
        """Return the end of the own vehicle, or of the partner's where its map is repeated."""
        ends = (self.symbol(drawn, each) for each in (seat, SEATS[2 - seat]))
        first, *others = dict.fromkeys((CELL_KIND, *cell, end) for end in ends)
        return Claim(first, others=tuple(others))

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""
        walls = cast("list[object]", facts["walls"])
        start, goal = (as_cell(cell) for cell in cast("list[object]", facts["route"]))
        robot = str(facts["robot"])
        ends: list[Atom] = [(CELL_KIND, *start, robot + START), (CELL_KIND, *goal, robot + GOAL)]
        obstacles: list[Atom] = [(CELL_KIND, *as_cell(cell), WALL) for cell in walls]
        return frozenset([*ends, *obstacles])

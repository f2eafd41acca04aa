"""What agents claim of a plan that is torn in two."""

from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atoms
from coordgym.silo_env.pairs.dialogue.readers.grid_atoms import (
    GridReader,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


class BlueprintReader(GridReader):
    """A plan whose sheets are drawn one by one: the left one by agent_0."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        left, right = (cast("list[str]", view["grid"]) for view in views)
        self._cut = len(left[0])
        super().__init__(len(left), self._cut + len(right[0]))

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""
        shift = 0 if facts["part"] == "left" else self._cut
        return frozenset(self.of_grid(cast("list[str]", facts["grid"]), seat, shift))

    def first_column(self, width: int, seat: Seat) -> int | None:
        """Return where a drawing of this width begins: one of a sheet, or of the whole plan."""
        if width == self.width:
            return 0
        sheets = {1: (self._cut, 0), 2: (self.width - self._cut, self._cut)}
        for drawn, shift in (sheets[seat], sheets[2 if seat == 1 else 1]):
            if width == drawn:
                return shift
        return None

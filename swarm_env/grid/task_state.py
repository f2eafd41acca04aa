"""What a task keeps in a world besides agents and objects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from coordgym.swarm_env.grid.cells import Cell


@dataclass(slots=True)
class Piece:
    """A body of one cell that a task puts on the map; the world keeps it up to date.

    Attributes:
        name: Its id among what moves, unique within the world and no number.
        letter: What it looks like.
        row: Row of its cell, which may lie outside the map.
        column: Column of its cell.
        static: Whether it withstands every push.
    """

    name: str
    letter: str
    row: int
    column: int
    static: bool

    @property
    def cell(self) -> Cell:
        """Row and column."""
        return self.row, self.column


class TaskState:
    """A task's own part of a world's state: none.

    A task that has such a part names a subclass as its ``state``: a dataclass of what changes
    over an episode, which reads and writes its own fields of the state.
    """

    __slots__ = ()

    fields: ClassVar[tuple[str, ...]] = ()
    """Names of the fields that it reads and writes."""

    @classmethod
    def read(cls, given: Mapping[str, Any], n_agents: int) -> Self:
        """Read the own fields of a state.

        Raises:
            InstanceError: If one is wrong.
        """
        return cls()

    def to_dict(self) -> dict[str, Any]:
        """Return the own fields as fresh JSON-able data, without those that are not set."""
        return {}

    def pieces(self) -> Sequence[Piece]:
        """Return what it puts on the map."""
        return ()

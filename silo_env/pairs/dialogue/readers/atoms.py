"""Atoms: the smallest facts of a view, as tuples, and what a text claims of them.

A task is covered by an ``AtomReader``: ``of_view`` turns the facts of a view into atoms, ``claims``
finds the atoms that a text asserts. Claims about cells are written in some coordinate scheme;
``place`` reads them in one. Everything is in the canonical frame of the instance afterwards.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from coordgym.loading import load
from coordgym.silo_env.pairs.grids.schemes import CANONICAL, Scheme, WrittenCell
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views

Atom: TypeAlias = tuple[str | int, ...]
"""A kind, then what it speaks of: ``("cell", 1, 2, "#")``, ``("edge", "A", "C")``."""
Atoms: TypeAlias = frozenset[Atom]
NOT = "not"
"""Kind of a denied atom: ``("not", *atom)``."""


class Claim(NamedTuple):
    """One asserted fact as it was written.

    Attributes:
        atom: The atom; for a claim about a cell, without its place: ``("cell", "#")``.
        cell: The cell as written; None if the atom is complete.
        level: The number written in front of a cell of a block; None in the plane.
        axes_fixed: Whether the cell was written as row and column in words.
        column: Its column from the left, where a labelled row of a drawing shows it.
        denied: Whether the text says that it is not so.
        others: What the text states if it is read in another way that both agents may use.
        doubtful: Whether the text may state nothing at all, so that it counts only if it is known.
    """

    atom: Atom
    cell: WrittenCell | None = None
    level: int | None = None
    axes_fixed: bool = False
    column: int | None = None
    denied: bool = False
    others: tuple[Atom, ...] = ()
    doubtful: bool = False


class AtomReader(ABC):
    """The atoms of one instance.

    Attributes:
        entity: What the coordinates and names of the instance look like in a text.
        schemes: Coordinate schemes that a dialogue may use.
    """

    entity: re.Pattern[str]
    schemes: Sequence[Scheme] = CANONICAL

    @abstractmethod
    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return the atoms that a view shows."""

    @abstractmethod
    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """Return what a text of the agent in this seat asserts."""

    def place(self, claim: Claim, scheme: Scheme) -> Atom:
        """Return the atom of a claim, its cell read in a scheme."""
        return (NOT, *claim.atom) if claim.denied else claim.atom

    def heard(self, claims: Iterable[Claim], scheme: Scheme, known: Atoms) -> Atoms:
        """Return what claims assert, each in the reading most favourable to its speaker.

        Args:
            claims: The claims of a text.
            scheme: How it writes cells.
            known: What its speaker can know.
        """
        found: list[Atom] = []
        for claim in claims:
            readings = (self.place(claim, scheme), *claim.others)
            grounded = [atom for atom in readings if atom in known]
            if grounded or not claim.doubtful:
                found.append((grounded or readings)[0])
        return frozenset(found)

    def implied(self, atom: Atom) -> Iterable[Atom]:
        """Return what follows from an atom in one step, in other words or another unit."""
        return ()

    def closure(self, atoms: Iterable[Atom]) -> Atoms:
        """Return the atoms and what each of them implies."""
        listed = list(atoms)
        return frozenset([*listed, *(more for atom in listed for more in self.implied(atom))])


def make_reader(task: AnyTask, views: Views, friction: Friction) -> AtomReader:
    """Make the reader of an instance, of the kind that its task names.

    Args:
        task: The task.
        views: The facts of view 1 and view 2.
        friction: How differently the views were written: at 2, numbers may be names.
    """
    made: AtomReader = load(task.reader)(task, views, friction)
    return made


def words_pattern(words: Iterable[str], *, group: str = "", ending: str = "") -> str:
    """Return a pattern for one of the words, not inside another word.

    Args:
        words: The words.
        group: Name of the group that holds the word.
        ending: A pattern for what may follow within the same word, such as a plural.
    """
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    head = f"?P<{group}>" if group else "?:"
    return rf"(?<!\w)({head}{'|'.join(re.escape(word) for word in longest_first)}){ending}(?!\w)"

"""A reader for tasks without one of their own: atoms straight from the facts of a view.

It understands what the task's own ``read_view`` understands, which is a view stated in the words
of friction 0; facts in other words are not seen. A field that both views share is no atom.
"""

import re
from collections.abc import Iterable, Iterator

from coordgym.silo_env.pairs.dialogue.readers.atoms import (
    Atom,
    AtomReader,
    Atoms,
    Claim,
    words_pattern,
)
from coordgym.silo_env.pairs.dialogue.utterances import (
    split_at_header,
    without_answers,
)
from coordgym.silo_env.pairs.grids.cells import HIDDEN
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Json, Seat, Views


class GenericReader(AtomReader):
    """Atoms ``(field, ...)`` of any task.

    Args:
        task: The task.
        views: The facts of view 1 and view 2.
        friction: How differently the views were written, which changes nothing here.
    """

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        self._task = task
        fields = {**views[0], **views[1]}  # a view leaves out what it knows nothing of
        self._fields = [name for name in fields if views[0].get(name) != views[1].get(name)]
        names = sorted(set(_strings([*views[0].values(), *views[1].values()])))
        known = words_pattern(names) if names else r"(?!)"
        self.entity = re.compile(rf"{known}|\(-?\d+(?:,-?\d+)+\)")

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        """Return every entry of the fields in which the views differ."""
        return frozenset(
            atom
            for field in self._fields
            if field in facts
            for atom in _atoms((field,), facts[field])
        )

    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """Return the facts of a view that a text states, also below a heading for both views."""
        found: set[Atom] = set()
        for part in split_at_header(without_answers(text)):
            facts = self._task.read_view(part)
            if facts is not None:
                found |= self.of_view(facts, seat)
        return [Claim(atom) for atom in sorted(found, key=repr)]


def _atoms(head: tuple[str | int, ...], value: Json) -> Iterator[Atom]:
    """Unfold a field: objects by key, lists of lists by entry, drawn rows by cell."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _atoms((*head, key), item)
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        rows = [str(item) for item in value]
        if head == ("grid",) or any(HIDDEN in row for row in rows):
            for r, row in enumerate(rows):
                yield from ((*head, r, c, mark) for c, mark in enumerate(row) if mark != HIDDEN)
        else:
            yield from ((*head, row) for row in rows)
    elif isinstance(value, list):
        for item in value:
            yield (*head, *_flat(item))
    elif value is not None:
        yield (*head, *_flat(value))


def _flat(value: Json) -> Iterator[str | int]:
    """Return the names and numbers of an entry, in order."""
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _flat(item)
    elif isinstance(value, str | int):
        yield value
    else:
        yield str(value)


def _strings(values: Iterable[Json]) -> Iterator[str]:
    """Return the names in facts; one-letter names too, drawn rows not."""
    for value in values:
        if isinstance(value, dict):
            yield from value
            yield from _strings(value.values())
        elif isinstance(value, list):
            yield from _strings(value)
        elif isinstance(value, str) and value.isalnum():
            yield value

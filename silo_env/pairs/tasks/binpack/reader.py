"""What agents claim of weights and limits."""

from collections.abc import Iterable
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    GRAMS,
    FactReader,
    wordings_of,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.binpack.task import TARE


class LoadReader(FactReader):
    """Weights of items and limits of crates, in grams; one scale may show too much."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        self._items = frozenset(cast("dict[str, int]", views[0]["items"]))
        self._tare = TARE if friction == 2 else 0
        verb = (
            r"\s*(?::|=|\(|weighs|holds|is|has|takes|limit|limit is|capacity|capacity is)?"
            r"\s*(?:up to )?"
        )
        load = rf"(?<!\+ ){{n0}}{verb}"  # a sum says nothing of its last term
        wordings = (rf"{load}{{k1}}\s?kg\b", rf"{load}{{d1}}\s?g(?:rams)?\b")
        names = [n for field in ("items", "bins") for n in cast("dict[str, int]", views[0][field])]
        super().__init__(self._atoms, wordings_of("load", wordings), names)

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        for field in ("items", "bins"):
            for name, load in cast("dict[str, int | None]", facts[field]).items():
                if load is not None:
                    yield ("load", name, GRAMS * load)

    def readings(self, atom: Atom) -> Iterable[Atom]:
        """Return the load, and for an item what is left of it without the error of the scale."""
        kind, name, grams = atom
        yield atom
        if name in self._items:
            yield (kind, name, int(grams) - self._tare)

"""What agents claim of a code table."""

from collections.abc import Iterable
from string import ascii_uppercase
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
    wordings_of,
)
from coordgym.silo_env.pairs.dialogue.readers.relations import ARROW
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


def make_reader(task: AnyTask, views: Views, friction: Friction) -> FactReader:
    """Read rows of the code table: plain letter, code letter."""

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("map", *row) for row in cast("dict[str, str]", facts["map"]).items()]

    wordings = (
        rf"{{n0}}{ARROW}{{n1}}",
        r"{n1}\s*=\s*{n0}",
        r"{n0} (?:maps to|becomes|is written as|is coded as) {n1}",
        r"{n1} (?:stands for|means|decodes to) {n0}",
    )
    numbers = {str(number): letter for number, letter in enumerate(ascii_uppercase, 1)}
    return FactReader(
        of_view,
        wordings_of("map", wordings),
        ascii_uppercase,
        renamed=numbers if friction == 2 else None,
    )

"""What tasks share whose answers name cells of a grid."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from coordgym.silo_env.pairs.grids.schemes import (
    CANONICAL,
    SCHEMES,
    CellReader,
    axis_names,
    one_convention,
)
from coordgym.silo_env.pairs.task import ConfigT, Friction, Grade, InstanceT, PairTask, ViewT

CANONICAL_AXES = axis_names(0)


class GridTask(PairTask[InstanceT, ConfigT, ViewT]):
    """A task whose answers are read under all coordinate schemes.

    Its ``form`` calls the coordinates of a cell "row, column"; other frictions give them other
    names. Its ``note`` has "{convention}" where a sentence asks for one convention.

    Attributes:
        convention: What has to keep to one coordinate convention.
    """

    uses_schemes = True
    convention: ClassVar[str] = "all of them"

    @abstractmethod
    def score_in(
        self, instance: InstanceT, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Grade an answer whose cells are read in a scheme; None if it comes to nothing there."""

    def score(self, instance: InstanceT, answer: Mapping[str, object]) -> Grade:
        """Grade an answer under all schemes."""
        return self.grade(instance, answer)

    def grade(self, instance: InstanceT, answer: object, *, search_schemes: bool = True) -> Grade:
        """Grade anything, the best of the schemes; earlier ones win ties."""
        best: Grade | None = None
        written: dict[int, list[Any]] = {}
        if isinstance(answer, Mapping):
            for scheme in SCHEMES if search_schemes else CANONICAL:
                grade = self.score_in(instance, answer, CellReader(scheme, written))
                if grade is not None and (best is None or grade.score > best.score):
                    best = replace(grade, scheme=scheme.number)
                    if best.exact:
                        break
        return best or self.nothing

    def answer_form(self, friction: Friction) -> str:
        """Return the form; only friction 0 fixes the coordinates."""
        return self.form.replace(CANONICAL_AXES, axis_names(friction))

    def answer_note(self, friction: Friction) -> str:
        """Return the note; only friction 0 fixes the convention."""
        return self.note.replace("{convention}", one_convention(friction, self.convention))

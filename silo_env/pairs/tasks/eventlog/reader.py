"""What agents claim of the times of events."""

from collections.abc import Iterable
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
    Pattern,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views


class LogReader(FactReader):
    """Events with minutes on the first clock; a text may give the time on either clock."""

    def __init__(self, task: AnyTask, views: Views, friction: Friction) -> None:
        logs = [_log(view) for view in views]
        sync = str(views[0]["sync"])
        self._offset = logs[1][sync] - logs[0][sync]
        patterns = [
            Pattern("event", r"{t1} {n0}"),
            Pattern("event", r"{n0}(?: (?:happened|was|is|occurred))?(?: at|:| =) {t1}"),
            Pattern("event", r"{n0}(?:,|:| at| was| is| happened)? {m1} minutes before midnight"),
        ]
        super().__init__(self._atoms, patterns, [name for log in logs for name in log])

    def _atoms(self, facts: Facts, seat: Seat) -> Iterable[Atom]:
        late = self._offset if seat == 2 else 0
        return [("event", name, at - late) for name, at in _log(facts).items()]

    def readings(self, atom: Atom) -> Iterable[Atom]:
        """Return the time as one of the first clock, and as one of the second."""
        kind, name, at = atom
        yield atom
        yield (kind, name, int(at) - self._offset)


def _log(facts: Facts) -> dict[str, int]:
    """Return the minute of each event on a view's own clock."""
    return dict(cast("list[tuple[str, int]]", facts["events"]))

"""Tasks that read, deal and word their facts by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coordgym.silo_env.pairs.task import ConfigT, Friction, Grade, InstanceT, PairTask, Seat


class WideTask(PairTask[InstanceT, ConfigT, Any]):
    """A task that overrides the methods that others ask for, instead of those of a task."""

    def fault(self, instance: InstanceT) -> str | None:
        """Leave checks to ``read_instance``."""
        raise NotImplementedError

    def score(self, instance: InstanceT, answer: Mapping[str, object]) -> Grade:
        """Leave scores to ``grade``."""
        raise NotImplementedError

    def view(self, instance: InstanceT, seat: Seat | None) -> Any:
        """Leave views to ``facts``."""
        raise NotImplementedError

    def join(self, views: Sequence[Any]) -> InstanceT | None:
        """Leave unions to ``merge``."""
        raise NotImplementedError

    def redraw(
        self, view: Any, rng: np.random.Generator, like: InstanceT | None = None
    ) -> InstanceT | None:
        """Leave draws to ``complete`` and ``guess``."""
        raise NotImplementedError

    def say(self, view: Any, seat: Seat, friction: Friction) -> str:
        """Leave words to ``view_text``."""
        raise NotImplementedError

    def say_compact(self, view: Any, seat: Seat, friction: Friction) -> str:
        """Leave words to ``compact_view_text``."""
        raise NotImplementedError

    def hear(self, text: str) -> Any:
        """Leave reading to ``read_view``."""
        raise NotImplementedError

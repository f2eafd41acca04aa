"""Which reader finds the atoms of which task.

Every task of the paper's suite has one of its own; a further task is read by ``GenericReader``.
"""

from collections.abc import Callable

from coordgym.silo_env.pairs.readers.atoms import AtomReader
from coordgym.silo_env.pairs.readers.constraints import CONSTRAINT_READERS
from coordgym.silo_env.pairs.readers.generic import GenericReader
from coordgym.silo_env.pairs.readers.relations import FACT_READERS
from coordgym.silo_env.pairs.readers.spatial import SPATIAL_READERS
from coordgym.silo_env.pairs.task import Friction, Views

Maker = Callable[[Views, Friction], AtomReader]


def _at_any_friction(make: Callable[[Views], AtomReader]) -> Maker:
    """A maker of readers that understand all frictions alike."""
    return lambda views, friction: make(views)


READERS: dict[str, Maker] = {
    **{task: _at_any_friction(make) for task, make in SPATIAL_READERS.items()},
    **FACT_READERS,
    **CONSTRAINT_READERS,
}


def make_reader(task: str, views: Views, friction: Friction) -> AtomReader:
    """The reader of an instance.

    Args:
        task: Name of the task.
        views: The facts of view 1 and view 2.
        friction: How differently the views were written: at 2, numbers may be names.
    """
    make = READERS.get(task)
    return GenericReader(task, views) if make is None else make(views, friction)

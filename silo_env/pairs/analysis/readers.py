"""Which reader finds the atoms of which task.

Every task of the paper's suite has one of its own; a further task is read by `GenericReader`.
"""

from collections.abc import Callable

from coordgym.silo_env.pairs.analysis.atoms import AtomReader
from coordgym.silo_env.pairs.analysis.constraint_readers import CONSTRAINT_READERS
from coordgym.silo_env.pairs.analysis.fact_readers import FACT_READERS
from coordgym.silo_env.pairs.analysis.generic_reader import GenericReader
from coordgym.silo_env.pairs.analysis.spatial_readers import SPATIAL_READERS
from coordgym.silo_env.pairs.task import Facts

READERS: dict[str, Callable[[tuple[Facts, Facts]], AtomReader]] = {
    **SPATIAL_READERS,
    **FACT_READERS,
    **CONSTRAINT_READERS,
}


def make_reader(task: str, views: tuple[Facts, Facts]) -> AtomReader:
    """The reader of an instance.

    Args:
        task: Name of the task.
        views: The facts of view 1 and view 2.
    """
    make = READERS.get(task)
    return GenericReader(task, views) if make is None else make(views)

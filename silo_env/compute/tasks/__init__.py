"""The computation tasks, one class in one file each; the table names them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from coordgym.errors import ConfigError, suggest
from coordgym.loading import load
from coordgym.silo_env.compute.table import TASK_CLASSES
from coordgym.silo_env.compute.task import Task


def _load(module: str, name: str) -> Task[Any, Any]:
    task: Task[Any, Any] = load(f"{__name__}.{module}:{name}")()
    return task


TASKS: Mapping[str, Task[Any, Any]] = MappingProxyType(
    {paper_id: _load(*entry) for paper_id, entry in TASK_CLASSES.items()}
)
"""Task objects by the paper's ids (``"I-01"``)."""


def find_task(name: object) -> Task[Any, Any]:
    """Return the task with this paper id or slug.

    Raises:
        ConfigError: if there is none, with the nearest name.
    """
    for task in TASKS.values():
        if isinstance(name, str) and name in (task.id, task.slug):
            return task
    known = [word for task in TASKS.values() for word in (task.id, task.slug)]
    near = suggest(name[:100], known) if isinstance(name, str) else ""
    raise ConfigError(
        f"task must be a paper id or slug such as {known[:2]}, got {name!r:.100}{near}"
    )

"""The computation tasks, one class in one file each; the table names them."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from coordgym.errors import ConfigError, suggest
from coordgym.loading import load
from coordgym.silo_env.compute import table
from coordgym.silo_env.compute.task import Task


class _LazyTasks(Mapping[str, Task[Any, Any]]):
    """The tasks of the table, each loaded when it is first asked for."""

    def __getitem__(self, paper_id: str) -> Task[Any, Any]:
        return _load(table.TASK_CLASSES[paper_id])

    def __iter__(self) -> Iterator[str]:
        return iter(table.TASK_CLASSES)

    def __len__(self) -> int:
        return len(table.TASK_CLASSES)


@cache
def _load(place: str) -> Task[Any, Any]:
    task: Task[Any, Any] = load(place)()
    return task


TASKS: Mapping[str, Task[Any, Any]] = _LazyTasks()
"""Task objects by the paper's ids (``"I-01"``)."""


def find_task(name: object) -> Task[Any, Any]:
    """Return the task with this paper id or slug.

    Raises:
        ConfigError: If there is none, with the nearest name.
    """
    for entry in table.TASKS:
        if isinstance(name, str) and name in (entry.paper_id, entry.slug):
            return TASKS[entry.paper_id]
    known = [word for entry in table.TASKS for word in (entry.paper_id, entry.slug)]
    near = suggest(name[:100], known) if isinstance(name, str) else ""
    raise ConfigError(
        f"task must be a paper id or slug such as {known[:2]}, got {name!r:.100}{near}"
    )

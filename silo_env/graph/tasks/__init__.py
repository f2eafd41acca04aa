"""The coordination tasks of AgentsNet (arXiv 2507.08616), one class in one file each."""

from coordgym.loading import load
from coordgym.silo_env.graph import table
from coordgym.silo_env.graph.task import GraphTask

TASKS: dict[str, GraphTask] = {
    entry.name: load(f"{__name__}.{entry.name}:{entry.title}")() for entry in table.TASKS
}
"""The tasks by name."""


def names_with_inputs() -> str:
    """Return the names of the tasks whose agents may have private inputs, for errors."""
    return " or ".join(name for name, task in TASKS.items() if task.input_values)

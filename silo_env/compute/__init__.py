"""Computation tasks after Silo-Bench: data split over agents, answers that need all of it.

``parallel_env`` and ``env`` make environments, ``TASKS`` maps the paper's ids to task objects,
``verify`` judges an outcome, ``load_benchmark`` reads the published cases.
"""

from typing import TYPE_CHECKING

from coordgym.contract.forms import parallel_form, turn_form
from coordgym.loading import lazy_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from coordgym.silo_env.compute.answers.grading import Grade
    from coordgym.silo_env.compute.environment import SiloEnv
    from coordgym.silo_env.compute.instance import Verdict, verify
    from coordgym.silo_env.compute.published import BenchmarkCase, load_benchmark
    from coordgym.silo_env.compute.task import Instance, Task
    from coordgym.silo_env.compute.tasks import TASKS

# Loaded on first use: the table of environments is read on ``import coordgym``.
_HOMES = {
    "BenchmarkCase": "published",
    "load_benchmark": "published",
    "SiloEnv": "environment",
    "Grade": "grading",
    "Instance": "task",
    "Task": "task",
    "TASKS": "tasks",
    "Verdict": "instance",
    "verify": "instance",
}

__all__ = [
    "TASKS",
    "BenchmarkCase",
    "Grade",
    "Instance",
    "SiloEnv",
    "Task",
    "Verdict",
    "env",
    "load_benchmark",
    "parallel_env",
    "verify",
]

parallel_env: "Callable[..., SiloEnv]" = parallel_form(__name__, "environment:SiloEnv")
env = turn_form(parallel_env)
__getattr__ = lazy_names(__name__, _HOMES)

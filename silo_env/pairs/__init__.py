"""Split-view pairs: two agents, each with one half of an instance, talk their way to an answer.

``parallel_env`` and ``env`` make environments; ``grade``, ``solve``, ``views``, ``verify`` and
``is_union_necessary`` are pure functions of an instance in JSON.

After The Collaboration Tax (Sun et al. 2026) and Davidson et al. (2025).
"""

from typing import TYPE_CHECKING

from coordgym.contract.forms import parallel_form, turn_form
from coordgym.loading import lazy_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from coordgym.silo_env.pairs.environment import PairEnv
    from coordgym.silo_env.pairs.instance import grade, is_union_necessary, solve, verify, views
    from coordgym.silo_env.pairs.options import PairOptions
    from coordgym.silo_env.pairs.table import TASKS
    from coordgym.silo_env.pairs.task import Grade

# Loaded on first use: the table of environments is read on ``import coordgym``.
_HOMES = {
    "PairEnv": "environment",
    "grade": "instance",
    "is_union_necessary": "instance",
    "solve": "instance",
    "verify": "instance",
    "views": "instance",
    "PairOptions": "options",
    "TASKS": "table",
    "Grade": "task",
}

__all__ = [
    "TASKS",
    "Grade",
    "PairEnv",
    "PairOptions",
    "env",
    "grade",
    "is_union_necessary",
    "parallel_env",
    "solve",
    "verify",
    "views",
]

parallel_env: "Callable[..., PairEnv]" = parallel_form(__name__, "environment:PairEnv")
env = turn_form(parallel_env)
__getattr__ = lazy_names(__name__, _HOMES)

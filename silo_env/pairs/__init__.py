"""Split-view pairs: two agents, each with one half of an instance, talk their way to an answer.

After The Collaboration Tax (Sun et al. 2026) and Davidson et al. (2025).
"""

from typing import TYPE_CHECKING

from coordgym.contract.forms import parallel_form, turn_form
from coordgym.silo_env.pairs.instance import grade, is_union_necessary, solve, verify, views
from coordgym.silo_env.pairs.task import Grade

if TYPE_CHECKING:
    from collections.abc import Callable

    from coordgym.silo_env.pairs.environment import PairEnv

__all__ = [
    "Grade",
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

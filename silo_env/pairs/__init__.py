"""Split-view pairs: two agents, each with one half of an instance, talk their way to an answer.

After The Collaboration Tax (Sun et al. 2026) and Davidson et al. (2025).
"""

from typing import TYPE_CHECKING, Any

from coordgym.silo_env.pairs.instance import grade, is_union_necessary, solve, verify, views
from coordgym.silo_env.pairs.task import Grade

if TYPE_CHECKING:
    from pettingzoo import AECEnv

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


def parallel_env(**kwargs: Any) -> "PairEnv":
    """Make the environment in parallel form; arguments as ``PairEnv``."""
    from coordgym.silo_env.pairs.environment import PairEnv

    return PairEnv(**kwargs)


def env(**kwargs: Any) -> "AECEnv[str, str, str | None]":
    """Make the environment in PettingZoo's turn-based (AEC) form; arguments as ``PairEnv``."""
    from pettingzoo.utils.conversions import parallel_to_aec

    made: Any = parallel_env(**kwargs)
    return parallel_to_aec(made)

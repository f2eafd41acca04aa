"""Graph coordination: a network of agents that know only their neighbours.

They pass messages in synchronous rounds, then each answers, and the whole network must
satisfy the task (AgentsNet, arXiv 2507.08616).
"""

from typing import TYPE_CHECKING, Any

from coordgym.silo_env.graph.instance import verify
from coordgym.silo_env.graph.scoring import score
from coordgym.silo_env.graph.tasks import TASKS, Score

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from coordgym.silo_env.graph.environment import GraphEnv

__all__ = ["TASKS", "Score", "env", "parallel_env", "score", "verify"]


def parallel_env(task: str = "coloring", **kwargs: Any) -> "GraphEnv":
    """Make a graph environment; the keyword arguments are those of ``GraphEnv``."""
    from coordgym.silo_env.graph.environment import GraphEnv

    return GraphEnv(task=task, **kwargs)


def env(task: str = "coloring", **kwargs: Any) -> "AECEnv[str, Any, Any]":
    """Make the same environment in PettingZoo's turn-by-turn form."""
    from pettingzoo.utils.conversions import parallel_to_aec

    parallel: Any = parallel_env(task, **kwargs)
    turns: AECEnv[str, Any, Any] = parallel_to_aec(parallel)
    return turns

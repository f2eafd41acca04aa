"""Graph coordination: a network of agents that know only their neighbours.

They pass messages in synchronous rounds, then each answers, and the whole network must
satisfy the task (AgentsNet, arXiv 2507.08616).
"""

from typing import TYPE_CHECKING

from coordgym.contract.forms import parallel_form, turn_form
from coordgym.silo_env.graph.instance import verify
from coordgym.silo_env.graph.scoring import score
from coordgym.silo_env.graph.task import Score
from coordgym.silo_env.graph.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from coordgym.silo_env.graph.environment import GraphEnv

__all__ = ["TASKS", "Score", "env", "parallel_env", "score", "verify"]

parallel_env: "Callable[..., GraphEnv]" = parallel_form(__name__, "environment:GraphEnv")
env = turn_form(parallel_env)

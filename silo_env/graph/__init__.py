"""Graph coordination: a network of agents that know only their neighbours.

They pass messages in synchronous rounds, then each answers, and the whole network must
satisfy the task (AgentsNet, arXiv 2507.08616).

``parallel_env`` and ``env`` make environments, ``TASKS`` maps names to task objects, ``score``
and ``verify`` judge answers, ``parse_messages`` and ``parse_answer`` read what agents write,
``read_run`` and ``write_run`` know the published form of results.
"""

from typing import TYPE_CHECKING

from coordgym.contract.forms import parallel_form, turn_form
from coordgym.loading import lazy_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from coordgym.silo_env.graph.environment import GraphEnv
    from coordgym.silo_env.graph.instance import verify
    from coordgym.silo_env.graph.parsing import parse_answer, parse_messages
    from coordgym.silo_env.graph.published import read_run, write_run
    from coordgym.silo_env.graph.scoring import score
    from coordgym.silo_env.graph.task import GraphTask, Score
    from coordgym.silo_env.graph.tasks import TASKS

# Loaded on first use: the table of environments is read on ``import coordgym``.
_HOMES = {
    "GraphEnv": "environment",
    "GraphTask": "task",
    "Score": "task",
    "TASKS": "tasks",
    "parse_answer": "parsing",
    "parse_messages": "parsing",
    "read_run": "published",
    "score": "scoring",
    "verify": "instance",
    "write_run": "published",
}

__all__ = [
    "TASKS",
    "GraphEnv",
    "GraphTask",
    "Score",
    "env",
    "parallel_env",
    "parse_answer",
    "parse_messages",
    "read_run",
    "score",
    "verify",
    "write_run",
]

parallel_env: "Callable[..., GraphEnv]" = parallel_form(__name__, "environment:GraphEnv")
env = turn_form(parallel_env)
__getattr__ = lazy_names(__name__, _HOMES)

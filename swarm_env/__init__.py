"""Grid swarm: agents that move on a map with force physics, each of which sees only its cells.

After SwarmBench (Ruan et al. 2025). ``parallel_env`` and ``env`` make environments, ``World`` is
the map without one, ``load_task`` makes the rules of a task, ``verify`` judges an episode,
``parse_answer`` reads what agents write, ``episode_metrics`` and ``metrics_by_round`` tell how
they behaved, ``save_film`` and ``write_logs`` keep recorded episodes.
"""

if __name__ != "coordgym.swarm_env":
    raise ImportError("import coordgym.swarm_env, not swarm_env")

from typing import TYPE_CHECKING

from coordgym.contract.forms import parallel_form, turn_form
from coordgym.loading import lazy_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from coordgym.swarm_env.environment import SwarmEnv
    from coordgym.swarm_env.grid.world import World
    from coordgym.swarm_env.instance import Verdict, verify
    from coordgym.swarm_env.metrics import episode_metrics, metrics_by_round
    from coordgym.swarm_env.parsing import parse_answer
    from coordgym.swarm_env.records.film import save_film
    from coordgym.swarm_env.records.published import write_logs
    from coordgym.swarm_env.task import Task, load_task

# Loaded on first use: the table of environments is read on ``import coordgym``.
_HOMES = {
    "SwarmEnv": "environment",
    "Task": "task",
    "Verdict": "instance",
    "World": "grid.world",
    "episode_metrics": "metrics",
    "load_task": "task",
    "metrics_by_round": "metrics",
    "parse_answer": "parsing",
    "save_film": "records.film",
    "verify": "instance",
    "write_logs": "records.published",
}

__all__ = [
    "SwarmEnv",
    "Task",
    "Verdict",
    "World",
    "env",
    "episode_metrics",
    "load_task",
    "metrics_by_round",
    "parallel_env",
    "parse_answer",
    "save_film",
    "verify",
    "write_logs",
]

parallel_env: "Callable[..., SwarmEnv]" = parallel_form(__name__, "environment:SwarmEnv")
env = turn_form(parallel_env)
__getattr__ = lazy_names(__name__, _HOMES)

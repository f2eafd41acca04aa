"""The five coordination tasks of AgentsNet (arXiv 2507.08616), by name."""

from coordgym.silo_env.graph.task import Answers, GraphTask, Score
from coordgym.silo_env.graph.tasks.coloring import Coloring
from coordgym.silo_env.graph.tasks.consensus import Consensus
from coordgym.silo_env.graph.tasks.leader_election import LeaderElection
from coordgym.silo_env.graph.tasks.matching import Matching
from coordgym.silo_env.graph.tasks.vertex_cover import VertexCover

TASKS: dict[str, GraphTask] = {
    task.name: task
    for task in (Coloring(), LeaderElection(), Consensus(), Matching(), VertexCover())
}


def names_with_inputs() -> str:
    """Return the names of the tasks whose agents may have private inputs, for errors."""
    return " or ".join(name for name, task in TASKS.items() if task.input_values)


__all__ = ["TASKS", "Answers", "GraphTask", "Score", "names_with_inputs"]

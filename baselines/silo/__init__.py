"""Rule-based policies for the computation tasks: every agent acts on its own view alone."""

from coordgym.baselines.silo.brains import AllGather, Local, Optimal
from coordgym.policy import PerAgent, per_agent

__all__ = ["all_gather", "local", "optimal"]


def all_gather() -> PerAgent:
    """Everybody tells everybody its private data; everybody solves the whole."""
    return per_agent(AllGather, "silo:all-gather")


def optimal() -> PerAgent:
    """The fewest messages that the task needs: partial results to one agent and back."""
    return per_agent(Optimal, "silo:optimal")


def local() -> PerAgent:
    """No communication: everybody answers from its own shard alone."""
    return per_agent(Local, "silo:local")

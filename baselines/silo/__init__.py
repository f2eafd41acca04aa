"""Rule-based policies for the computation tasks: every agent acts on its own view alone."""

from coordgym.baselines.silo.brains import AllGather, Local
from coordgym.baselines.silo.chains import best_brain
from coordgym.policy import PerAgent, per_agent

__all__ = ["all_gather", "local", "optimal"]


def all_gather() -> PerAgent:
    """Everybody tells everybody its private data; everybody solves the whole."""
    return per_agent(AllGather, "silo:all-gather")


def optimal() -> PerAgent:
    """The fewest messages that the task needs.

    Partial results go to one agent and the answer back, or along the agents from each to the
    next.
    """
    return per_agent(best_brain, "silo:optimal")


def local() -> PerAgent:
    """No communication: everybody answers from its own shard alone."""
    return per_agent(Local, "silo:local")

"""The task ``graph``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.graph.task import Graph

__all__ = ["Graph"]

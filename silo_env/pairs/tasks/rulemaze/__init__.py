"""The task ``rulemaze``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.rulemaze.task import RuleMaze

__all__ = ["RuleMaze"]

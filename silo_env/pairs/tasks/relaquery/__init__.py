"""The task ``relaquery``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.relaquery.task import RelaQuery

__all__ = ["RelaQuery"]

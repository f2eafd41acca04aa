"""The task ``schedule``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.schedule.task import Schedule

__all__ = ["Schedule"]

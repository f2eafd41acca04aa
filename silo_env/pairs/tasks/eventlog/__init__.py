"""The task ``eventlog``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.eventlog.task import EventLog

__all__ = ["EventLog"]

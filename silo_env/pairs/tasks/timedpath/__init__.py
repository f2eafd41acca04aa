"""The task ``timedpath``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.timedpath.task import TimedPath

__all__ = ["TimedPath"]

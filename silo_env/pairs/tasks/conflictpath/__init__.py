"""The task ``conflictpath``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.conflictpath.task import ConflictPath

__all__ = ["ConflictPath"]

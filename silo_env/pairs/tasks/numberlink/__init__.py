"""The task ``numberlink``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.numberlink.task import NumberLink

__all__ = ["NumberLink"]

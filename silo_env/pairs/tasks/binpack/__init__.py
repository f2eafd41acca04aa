"""The task ``binpack``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.binpack.task import BinPack

__all__ = ["BinPack"]

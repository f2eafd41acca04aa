"""The task ``cube``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.cube.task import Cube

__all__ = ["Cube"]

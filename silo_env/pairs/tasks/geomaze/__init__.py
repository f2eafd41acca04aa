"""The task ``geomaze``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.geomaze.task import GeoMaze

__all__ = ["GeoMaze"]

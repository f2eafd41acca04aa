"""The task ``blueprintmaze``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.blueprintmaze.task import BlueprintMaze

__all__ = ["BlueprintMaze"]

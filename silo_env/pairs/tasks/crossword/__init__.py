"""The task ``crossword``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.crossword.task import Crossword

__all__ = ["Crossword"]

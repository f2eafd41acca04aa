"""What an answer of a dialogue earns above the floor of its instance.

The floor is the best that ``FLOOR_DRAWS`` answers from one view alone reach: solutions of
instances that have the view and whose hidden half is guessed, half of them by each seat.
"""

from typing import Any

import numpy as np

from coordgym.contract.rewards import FLOOR_DRAWS, Credit, Reward, above_floor
from coordgym.silo_env.pairs.task import SEATS, Grade, InstanceT, PairTask

ALIASES = {"score": Reward("partial", "team"), "exact": Reward("success", "team")}
"""Other names of common rewards."""
GAMEABLE: dict[str, Credit] = {"gameable_score": "team"}
"""The published grade, which walks to and fro and guesses from one view earn too."""
GUESS_STREAM = 2
"""Tells the guesses at the floor from those of ``coordgym.silo_env.pairs.union``."""


def instance_floor(
    task: PairTask[InstanceT, Any, Any], instance: InstanceT, *, search_schemes: bool
) -> float:
    """Return the floor of an instance, in [0, 1]: a function of the instance alone.

    Args:
        task: The task.
        instance: The true instance.
        search_schemes: Whether cells of an answer are read under all schemes.
    """
    best = 0.0
    for seat in SEATS:
        rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(seat, GUESS_STREAM)))
        for _ in range(FLOOR_DRAWS // len(SEATS)):
            guess = task.solve(task.complete(instance, seat, rng))
            grade = task.grade(instance, guess, search_schemes=search_schemes)
            best = max(best, progress(grade))
    return best


def progress(grade: Grade) -> float:
    """Return a score that steps earn only where they lead on.

    The score of a walk also counts legal steps that lead nowhere (a quarter of it); here it is at
    most the share of the optimal distance that the walk has overcome.
    """
    return grade.score if grade.weighted is None else min(grade.score, grade.weighted)


def earned(reward: str, grade: Grade, floor: float) -> float:
    """Return what a grade earns.

    Args:
        reward: "success", "partial", "shaped" or "gameable_score".
        grade: The verdict on the answer.
        floor: That of the instance; not looked at by "success" and "gameable_score".
    """
    if reward == "gameable_score":
        return grade.score
    if reward == "success" or grade.exact:
        return float(grade.exact)
    return above_floor(progress(grade), floor)

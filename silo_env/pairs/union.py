"""Union-necessity: no answer that one view can be sure of is optimal.

For each view, hidden facts are redrawn many times. An answer that the view determines would be
optimal in the true instance and in every redrawn one, so it would survive; the instance passes
when no optimal answer survives for either view (The Collaboration Tax, section 3).
"""

from math import fsum
from typing import Any

import numpy as np

from coordgym.silo_env.pairs.task import SEATS, Answer, InstanceT, PairTask, Seat

MAX_ANSWERS = 400
"""Optimal answers that are followed; an instance with more of them does not pass."""
MAX_COMPLETIONS = 200
"""Redrawn instances per view."""
FLOOR_GUESSES = 20
"""Redrawn instances whose solutions tell what a view is worth alone."""


def surviving_answers(
    task: PairTask[InstanceT, Any, Any], instance: InstanceT, seat: Seat
) -> list[Answer]:
    """Return optimal answers that stay optimal in every redrawn instance with the same view.

    The draws are fixed by the seat, so the verdict is a function of the instance.
    """
    answers = task.optimal_answers(instance, MAX_ANSWERS)
    if len(answers) == MAX_ANSWERS and not task.hides_endpoints:
        return answers
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(seat,)))
    for _ in range(MAX_COMPLETIONS):
        if not answers:
            break
        other = task.complete(instance, seat, rng)
        answers = [answer for answer in answers if task.grade(other, answer).exact]
    return answers


def union_necessary(task: PairTask[InstanceT, Any, Any], instance: InstanceT) -> bool:
    """Tell whether neither view determines an optimal answer."""
    return not any(surviving_answers(task, instance, seat) for seat in SEATS)


def one_view_floor(task: PairTask[InstanceT, Any, Any], instance: InstanceT, seat: Seat) -> float:
    """Return the mean score of solutions to instances with the same view, guessed by one seat."""
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(seat, 1)))
    guesses = (task.solve(task.complete(instance, seat, rng)) for _ in range(FLOOR_GUESSES))
    return fsum(task.grade(instance, guess).score for guess in guesses) / FLOOR_GUESSES

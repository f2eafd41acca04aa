"""Union-necessity: no answer that one view can be sure of is optimal.

For each view, hidden facts are redrawn many times. An answer that the view determines would be
optimal in the true instance and in every redrawn one, so it would survive; the instance passes
when no optimal answer survives for either view (The Collaboration Tax, section 3).
"""

from typing import Any

import numpy as np

from coordgym.errors import ConfigError
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.task import SEATS, Answer, ConfigT, InstanceT, PairTask, Seat

MAX_ANSWERS = 400
"""Optimal answers that are followed; an instance with more of them does not pass."""
MAX_COMPLETIONS = 200
"""Redrawn instances per view."""
FLOOR_GUESSES = 20
"""Redrawn instances whose solutions tell what a view is worth alone."""
MAX_DRAWS = 20_000
"""Draws after which a configuration counts as impossible."""
MAX_ABOVE_FLOOR = 500
"""Instances above a largest floor after which that floor counts as impossible."""


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
    return sum(task.grade(instance, guess).score for guess in guesses) / FLOOR_GUESSES


def generate(
    task: PairTask[InstanceT, ConfigT, Any],
    config: ConfigT,
    rng: np.random.Generator,
    max_floor: float | None = None,
) -> InstanceT:
    """Draw instances until one needs both views.

    Args:
        task: The task.
        config: Parameters of its generator.
        rng: Source of the draws.
        max_floor: Largest ``one_view_floor`` of either view, 0..1; None: any.

    Raises:
        ConfigError: The configuration yields none in MAX_DRAWS draws, or ``max_floor`` lets none of
            MAX_ABOVE_FLOOR instances pass.
    """
    above: list[float] = []

    def will_do(instance: InstanceT) -> bool:
        if not union_necessary(task, instance):
            return False
        if max_floor is None:
            return True
        floors = (one_view_floor(task, instance, seat) for seat in SEATS)
        too_high = next((floor for floor in floors if floor > max_floor), None)
        if too_high is None:
            return True
        above.append(too_high)
        if len(above) == MAX_ABOVE_FLOOR:
            raise ConfigError(
                f"max_floor is {max_floor}, but in each of {len(above)} {task.name} instances "
                f"one view alone was worth {min(above):.2f} or more; choose a larger one"
            )
        return False

    instance = first_accepted(lambda: task.draw(config, rng), will_do, MAX_DRAWS)
    if instance is None:
        floor = "" if max_floor is None else f" and max_floor {max_floor}"
        raise ConfigError(
            f"no {task.name} instance in {MAX_DRAWS} draws with {config}{floor}; "
            "choose easier parameters"
        )
    return instance

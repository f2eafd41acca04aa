"""What answers are worth that are given without others' data: the floor of an instance.

The floor of a seat is the most partial credit that any of these answers earns on its instance:
the right answers of other instances of the same generator, what these have most often (a number's
median, a list's or dictionary's most frequent value at each place), and what the seat's own data
alone say.
"""

import functools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coordgym.contract.rewards import FLOOR_DRAWS, above_floor
from coordgym.contract.seeding import stream_rng
from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.grading import Grade
from coordgym.silo_env.compute.instance import expected_answers
from coordgym.silo_env.compute.task import Instance, Task
from coordgym.silo_env.compute.tasks import find_task

ALMOST_RIGHT = 1 - 1e-9
"""What a wrong answer is worth at most."""
GUESS_SEED = 0
"""Seed of the guesses: their stream is no episode's."""


def seat_floors(
    task: Task[Any, Any],
    data: Instance[Any, Any],
    params: Mapping[str, Any] | None,
    *,
    oracle: bool,
) -> list[float]:
    """Return the floor of each seat of an instance, in [0, 1].

    Args:
        task: The task.
        data: The instance.
        params: Parameters of the generator that guesses come from.
        oracle: Whether one agent holds all data: then there is nothing that it does not see.
    """
    if oracle:
        return [0.0]
    guesses = _guesses(task.id, len(data.shards), json.dumps(dict(params or {}), sort_keys=True))
    expected = expected_answers(task, data, oracle=False)
    blind = [0.0] * len(expected)
    for seat, right in enumerate(expected):
        if seat and not task.is_segmented(data.extra):  # all give the same answer
            blind[seat] = blind[0]
        else:
            answers = _blind(guesses, seat, right)
            blind[seat] = max(task.grade(answer, right).partial for answer in answers)
    local = (task.grade(_local(task, data, i), right).partial for i, right in enumerate(expected))
    return [max(pair) for pair in zip(blind, local, strict=True)]


def above_own_floor(grade: Grade, floor: float) -> float:
    """Return what an answer earns above its seat's floor, in [0, 1]; 1 for a right one alone.

    A number within 1 % has full partial credit though it is wrong, so that it may earn nearly 1,
    but nothing where guesses come as near.
    """
    return 1.0 if grade.correct else above_floor(min(grade.partial, ALMOST_RIGHT), floor)


@functools.lru_cache(maxsize=64)
def _guesses(task_id: str, n_agents: int, params: str) -> tuple[tuple[Any, ...], ...]:
    """Return the answers of other instances, by seat; the same whatever episode asks."""
    task = find_task(task_id)
    drawn = []
    for number in range(FLOOR_DRAWS):
        rng = stream_rng(GUESS_SEED, f"silo/{task_id}/guesses", number)
        instance = task.generate(rng, n_agents, **json.loads(params))
        drawn.append(tuple(expected_answers(task, instance, oracle=False)))
    return tuple(drawn)


def _blind(guesses: Sequence[Sequence[Any]], seat: int, right: Any) -> Iterator[Any]:
    """Yield answers without data; the right one tells their length only."""
    answers = [guess[seat] for guess in guesses if seat < len(guess)]
    yield from answers
    yield from _usual(answers, right)


def _usual(answers: Sequence[Any], right: Any) -> Iterator[Any]:
    """Yield what the answers have most often, place by place, and one value at all places."""
    if isinstance(right, list):
        lists = [answer for answer in answers if isinstance(answer, list)]
        places = [[row[i] for row in lists if i < len(row)] for i in range(len(right))]
        yield [_most_frequent(values) for values in places]
        everywhere = _most_frequent([value for row in lists for value in row])
        yield [everywhere] * len(right)
    elif isinstance(right, dict):
        tables = [answer for answer in answers if isinstance(answer, dict)]
        yield {
            key: _most_frequent([table[key] for table in tables if key in table]) for key in right
        }
        everywhere = _most_frequent([value for table in tables for value in table.values()])
        yield dict.fromkeys(right, everywhere)
    else:
        yield _most_frequent(answers)
        numbers = sorted(a for a in answers if isinstance(a, int | float))
        yield numbers[len(numbers) // 2] if numbers else None


def _most_frequent(values: Sequence[Any]) -> Any:
    """Return the most frequent value, the first of several; None of none."""
    if not values:
        return None
    spelled = Counter(map(repr, values))
    most = max(spelled.values())
    return next(value for value in values if spelled[repr(value)] == most)


def _local(task: Task[Any, Any], data: Instance[Any, Any], seat: int) -> Any:
    """Return what a seat would answer that takes its own shard for everything."""
    own = [data.shards[seat]]
    try:
        task.check(own, data.extra)
        answer = task.solve(own, data.extra)
    except InstanceError:
        return None
    return answer[0] if task.is_segmented(data.extra) else answer

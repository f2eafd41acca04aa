"""Grid swarm: is ``swarm:strong`` the strongest baseline at other sizes, too?

The cells are those of the published study's sweeps (SwarmBench, figure 8 and tables S.4, S.5 and
S.6), the small maps on which language models were compared with it, and some drawn by chance.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import nan
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np

import coordgym
from coordgym.data.statistics import Estimate, Scores, difference, sample_mean
from coordgym.errors import ConfigError
from measurements.play import play
from measurements.table import MeasuredTable

SEEDS = range(20)
TRIAL = 5
"""Seeds after which a policy that did worse than ``swarm:strong`` on each is played no further."""
STRONG: Final = "swarm:strong"
OTHERS = ("random", "swarm:reactive", "swarm:heuristic", "swarm:communicating")
DRAWN = 4
"""Cells drawn for each task."""

PLAIN, SQUARE = "", "square box"
_EXTRAS: Final[dict[str, dict[str, Any]]] = {
    PLAIN: {},
    SQUARE: {"box": "square"},
    "noise and delay": {"noise": 0.2, "delay": (0, 4)},
    "centralized": {"centralized": True},
}
"""Arguments of the environment by what a cell has besides its numbers."""


class SweepCell(NamedTuple):
    """The settings of a cell.

    Attributes:
        n_agents: Agents.
        height: Rows of the map.
        width: Columns of the map.
        view_size: Side of a view.
        rounds: Limit on rounds.
        more: What else there is.
    """

    n_agents: int = 10
    height: int = 10
    width: int = 10
    view_size: int = 5
    rounds: int = 100
    more: str = PLAIN


class SweepFigures(NamedTuple):
    """What the policies score in a cell, and how far the strong one is ahead.

    Attributes:
        episodes: Seeds of the strong one.
        strong: Its mean score.
        low: Lower end of the 95 % interval of that mean.
        high: Upper end.
        bound: 1 if it reached the most that can be scored in each episode; the others are not
            played then, and their figures are NaN.
        random: Mean score of the policy of this name, over the seeds that it played.
        reactive: Likewise.
        heuristic: Likewise.
        communicating: Likewise.
        ahead: Strong minus the best other one, paired by seeds.
        ahead_low: Lower end of the 95 % interval of that difference.
        ahead_high: Upper end; no other one is significantly better where this is not below 0.
        compared: Seeds of the difference.
    """

    episodes: int
    strong: float
    low: float
    high: float
    bound: int
    random: float
    reactive: float
    heuristic: float
    communicating: float
    ahead: float
    ahead_low: float
    ahead_high: float
    compared: int


def measure(env_id: str, *numbers: int | str) -> SweepFigures:
    """Measure all policies in a cell."""
    cell = SweepCell(*numbers)  # type: ignore[arg-type]
    metrics = _play(env_id, cell, STRONG, len(SEEDS))
    strong = _scores(metrics)
    mean = sample_mean(list(strong.values()), list(strong))
    task = env_id.rpartition("Swarm")[2].removesuffix("-v0").lower()
    bound = all(_is_best_possible(task, cell, each) for each in metrics)
    means, ahead, compared = dict.fromkeys(OTHERS, nan), Estimate(nan), 0
    if not bound:
        others = {name: _others(env_id, cell, name, strong) for name in OTHERS}
        means = {name: fmean(found.values()) for name, found in others.items()}
        # Those that were played on all seeds come before those that were plainly worse.
        best = others[max(OTHERS, key=lambda name: (len(others[name]), means[name]))]
        ahead = difference({seed: strong[seed] for seed in best}, best).estimate
        compared = len(best)
    return SweepFigures(
        episodes=len(metrics),
        strong=mean.mean,
        low=mean.low,
        high=mean.high,
        bound=int(bound),
        random=means["random"],
        reactive=means["swarm:reactive"],
        heuristic=means["swarm:heuristic"],
        communicating=means["swarm:communicating"],
        ahead=ahead.value,
        ahead_low=ahead.low,
        ahead_high=ahead.high,
        compared=compared,
    )


def _play(env_id: str, cell: SweepCell, policy: str, seeds: int) -> list[dict[str, Any]]:
    # Baselines read views, not texts: short texts don't change what they do.
    return play(
        env_id,
        policy,
        SEEDS[:seeds],
        text="compact",
        repeat_instructions=False,
        **_arguments(cell),
    )


def _arguments(cell: SweepCell) -> dict[str, Any]:
    numbers = cell._asdict()
    more, rounds = _EXTRAS[numbers.pop("more")], numbers.pop("rounds")
    return {**numbers, "max_cycles": rounds, **more}


def _scores(metrics: list[dict[str, Any]]) -> Scores:
    return {seed: float(each["score"]) for seed, each in zip(SEEDS, metrics, strict=False)}


def _others(env_id: str, cell: SweepCell, policy: str, strong: Scores) -> Scores:
    """Return the scores of another policy, of fewer seeds if it is plainly worse."""
    trial = _scores(_play(env_id, cell, policy, TRIAL))
    if all(score < strong[seed] for seed, score in trial.items()):
        return trial
    return _scores(_play(env_id, cell, policy, len(SEEDS)))


def _is_best_possible(task: str, cell: SweepCell, metrics: dict[str, Any]) -> bool:
    """Tell whether no policy can score more: a point a round, or the whole distance made good."""
    if task == "synchronization":
        return bool(metrics["score"] == cell.rounds)
    return task == "flocking" and bool(metrics["success"])


def published_cells(task: str) -> list[SweepCell]:
    """List the cells of the published sweeps of a task, and small maps."""
    box = SQUARE if task == "transport" else PLAIN
    sweep = [
        SweepCell(n_agents=n_agents, view_size=view_size, more=box)
        for n_agents, view_size in product((8, 12, 16), (3, 5, 7))
    ]
    larger = [
        SweepCell(n_agents=n_agents, height=side, width=side)
        for side, n_agents in product((15, 20), (20, 30))
    ]
    cells = [SweepCell(), *sweep, *larger]
    cells += [SweepCell(more=more) for more in ("noise and delay", "centralized")]
    small = {"pursuit": (7, 12), "foraging": (7, 14), "synchronization": (6, 8)}
    if task in small:
        side, rounds = small[task]
        cells.append(SweepCell(n_agents=4, height=side, width=side, rounds=rounds))
    if task == "transport":
        cells += [SweepCell(more=box), *(SweepCell(n_agents=number) for number in (8, 12, 16))]
    return cells


@lru_cache
def drawn_cells(task: str) -> tuple[SweepCell, ...]:
    """Draw cells of a task that its rules allow; always the same ones."""
    place = [entry.kwargs["task"] for entry in coordgym.list_envs(family="swarm")].index(task)
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(place,)))
    return tuple(cell for cell, _ in zip(_allowed(task, rng), range(DRAWN), strict=False))


def _allowed(task: str, rng: np.random.Generator) -> Iterator[SweepCell]:
    while True:
        n_agents, height, width, view = (int(rng.integers(*ends)) for ends in _ENDS)
        square = task == "transport" and rng.random() < 0.5
        more = SQUARE if square else PLAIN
        cell = SweepCell(n_agents, height, width, 2 * view + 1, more=more)
        try:
            coordgym.make(_env_id(task), **_arguments(cell)).close()
        except ConfigError:
            continue
        yield cell


_ENDS: Final = ((4, 25), (6, 19), (6, 19), (1, 4))
"""Least and largest number + 1 of agents, rows, columns, and cells seen to each side."""


def _env_id(task: str) -> str:
    return f"coordgym/Swarm{task.capitalize()}-v0"


def _settings() -> list[tuple[str | int, ...]]:
    tasks = [entry.kwargs["task"] for entry in coordgym.list_envs(family="swarm")]
    return [
        (_env_id(task), *cell)
        for task in tasks
        for cell in dict.fromkeys([*published_cells(task), *drawn_cells(task)])
    ]


SWEEP = MeasuredTable("swarm-sweep", ("env", *SweepCell._fields), _settings, measure, SweepFigures)

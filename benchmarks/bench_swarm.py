"""Speed of the swarm family: one figure per line, with the machine's load.

Run with ``python benchmarks/bench_swarm.py``. Times are CPU seconds of this process, so that other
programs disturb them less; each figure is the median of several episodes.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np

from coordgym.swarm_env.environment import SwarmEnv
from coordgym.swarm_env.grid.world import MOVES, World

EPISODES, ROUNDS = 7, 100
SIZES = ((10, 10), (30, 20))
"""Agents and side of the square map."""
AIMS = {
    "pursuit": (1.0, 4.0),
    "synchronization": (1.0, 4.0),
    "foraging": (1.0, 4.0),
    "transport": (1.0, 4.0),
    "flocking": (2.0, 8.0),
}
"""Per task the aim in ms a round, for each of the sizes."""
CROWD, FIELD, CROWD_AIM = 1000, 100, 20.0
THOUGHT = "The prey is near, so I close in from this side and leave the other to my neighbours."


class TimedEnv(SwarmEnv):
    """A swarm environment that notes where its time goes."""

    spent: dict[str, float]

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        start = time.process_time()
        yield
        self.spent[part] += time.process_time() - start

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        self.spent = defaultdict(float)
        instance = super()._start(given)
        self._time_call(self.world, "push", "physics")
        self._time_call(self.task, "update", "task")
        self._time_call(self._observer, "take_in", "text")
        return instance

    def _time_call(self, owner: Any, name: str, part: str) -> None:
        plain: Callable[..., Any] = getattr(type(owner), name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            with self._timed(part):
                return plain(owner, *args, **kwargs)

        setattr(owner, name, timed)

    def _parse(self, agent: str, text: str) -> Any:
        with self._timed("parsing"):
            return super()._parse(agent, text)

    def _observe(self, agent: str) -> Any:
        with self._timed("text"):
            return super()._observe(agent)


def answers(env: SwarmEnv, rounds: int) -> list[dict[str, str]]:
    """Write what agents answer: a sentence, an action, every third time a message."""
    rng = np.random.default_rng(0)
    names = env.task.actions
    return [
        {
            agent: f"{THOUGHT}\nACTION: {names[int(rng.integers(len(names)))]}"
            + ("\nMSG: prey seen at row 5, column 6" if rng.random() < 1 / 3 else "")
            for agent in env.possible_agents
        }
        for _ in range(rounds)
    ]


def episode_ms(env: SwarmEnv, texts: list[dict[str, str]], seed: int) -> float:
    """Measure the CPU milliseconds a round, without the metrics at the end."""
    env.reset(seed=seed)
    start = time.process_time()
    for actions in texts[:-1]:
        env.step(actions)
    return (time.process_time() - start) / (len(texts) - 1) * 1e3


def report(name: str, value: float, aim: float | None = None) -> None:
    """Print one figure."""
    wanted = f" (aim {aim:g})" if aim is not None else ""
    print(f"{name}: {value:.3f} ms{wanted}; load {os.getloadavg()[0]:.1f}", flush=True)


def bench_rounds(task: str, n_agents: int, side: int, aim: float) -> None:
    """Time a whole round of a task in both texts."""
    for text in ("full", "compact"):
        env = SwarmEnv(task=task, n_agents=n_agents, height=side, width=side, text=text)
        texts = answers(env, ROUNDS)
        typical = median(episode_ms(env, texts, seed) for seed in range(EPISODES))
        report(f"{task} N={n_agents} {side}x{side} {text}, a round", typical, aim)


def bench_parts(task: str, n_agents: int, side: int) -> None:
    """Tell where the time of a round in full text goes."""
    timed = TimedEnv(task=task, n_agents=n_agents, height=side, width=side)
    texts = answers(timed, ROUNDS)
    parts: dict[str, list[float]] = defaultdict(list)
    for seed in range(EPISODES):
        episode_ms(timed, texts, seed)
        for part, spent in timed.spent.items():
            parts[part].append(spent / ROUNDS * 1e3)
    for part in ("physics", "task", "text", "parsing"):
        report(f"{task} N={n_agents} {side}x{side} full, {part} of a round", median(parts[part]))


def bench_physics() -> None:
    """Time the four passes with a thousand agents on a field with border walls."""
    rng = np.random.default_rng(0)
    inner = [(i, j) for i in range(1, FIELD - 1) for j in range(1, FIELD - 1)]
    cells = [inner[int(at)] for at in rng.choice(len(inner), CROWD, replace=False)]
    wall = ["W" * FIELD, *["W" + "." * (FIELD - 2) + "W"] * (FIELD - 2), "W" * FIELD]
    world = World.from_dict(
        {
            "height": FIELD,
            "width": FIELD,
            "agents": {str(n): {"pos": list(cell)} for n, cell in enumerate(cells)},
            "objects": [{"pos": [0, 0], "shape": wall, "static": True}],
        }
    )
    times = []
    for _ in range(30):
        actions = {n: MOVES[int(rng.integers(4))] for n in range(CROWD)}
        start = time.process_time()
        world.push(actions)
        times.append((time.process_time() - start) * 1e3)
    report(f"physics alone N={CROWD} {FIELD}x{FIELD}, a round", median(times), CROWD_AIM)


if __name__ == "__main__":
    for task, aims in AIMS.items():
        for (n_agents, side), aim in zip(SIZES, aims, strict=True):
            bench_rounds(task, n_agents, side, aim)
            bench_parts(task, n_agents, side)
    bench_physics()

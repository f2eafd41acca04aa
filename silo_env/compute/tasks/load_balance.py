"""III-29 Load balance: loads after handing out tasks, the longest first.

Shard: a list of tasks ``{"id": …, "duration": …}``. Extra: ``n_servers`` and ``decimals`` of the
variance. All tasks are taken by descending duration (of equal ones the lowest id first), and each
goes to the server with the least load so far (of several the lowest number). Answer: a dictionary
with the population ``variance`` of the loads, right within 0.01, and ``max_load`` and ``min_load``,
exact; partial credit is the share of right entries. Ids must differ.
Source: Silo-Bench, level III (shuffle).
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import NUMBER, DictOf
from coordgym.silo_env.compute.task import (
    MAX_AGENTS,
    Extra,
    Instance,
    Task,
    configure,
    cut,
    require_parameter,
)
from coordgym.silo_env.compute.tasks.decimals import require_decimals
from coordgym.silo_env.compute.tasks.exact import rounded
from coordgym.silo_env.compute.tasks.items import Items

HEAVY_EVERY = 10
HEAVY = (50, 100)
LIGHT = (1, 10)
"""Ranges of durations, both ends included."""
VARIANCE_DECIMALS = 2
MAX_DURATION = 10**9

Job = dict[str, int]


@dataclass(frozen=True, slots=True)
class LoadBalanceConfig(Items):
    """``items`` tasks per agent."""

    items: int = 20


class LoadBalance(Task[list[Job], dict[str, float]]):
    """Spread of the loads of a greedy assignment."""

    id = "III-29"
    slug = "load-balance"
    title = "Load balance"
    answer_type = DictOf(NUMBER, ("variance", "max_load", "min_load"))
    tolerance = 0.01
    partial = Partial.KEYS
    config = LoadBalanceConfig
    hint = (
        "This is a global reorganization: in which order tasks are handed out depends on the "
        "durations of all of them, and the longest may be held by few agents."
    )
    holds = "{items} tasks on average; agent 0 has all heavy ones"
    form = (
        "a dictionary with variance, max_load and min_load, "
        'for example {{"variance": 0.25, "max_load": 31, "min_load": 30}}'
    )
    question_in_brief = (
        "longest-processing-time assignment of all agents' tasks to {n_servers} "
        "servers: by duration descending (tie: lowest id), each to the least loaded (tie: "
        "lowest number); answer: dict of the final loads' variance (population, "
        "{decimals} decimals), max_load, min_load"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[Job], dict[str, float]]:
        """Draw tasks, every tenth a heavy one for agent 0; the others share the light ones."""
        total = configure(LoadBalanceConfig, params).items * n_agents
        heavy = rng.integers(*HEAVY, size=total, endpoint=True).tolist()
        light = rng.integers(*LIGHT, size=total, endpoint=True).tolist()
        heavy_ids = range(0, total, HEAVY_EVERY)
        light_ids = [number for number in range(total) if number % HEAVY_EVERY]
        shards = [
            [{"id": number, "duration": heavy[number]} for number in heavy_ids],
            *cut([{"id": number, "duration": light[number]} for number in light_ids], n_agents - 1),
        ]
        return self.instance(shards, self.published_extra("", n_agents))

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of tasks with different ids, a number of servers, and decimals."""
        for agent, shard in enumerate(shards):
            if not isinstance(shard, list) or not all(map(_is_job, shard)):
                raise InstanceError(
                    f"shards[{agent}] must be a list of tasks {{'id': integer, 'duration': "
                    f"0..{MAX_DURATION}}}, got {shard!r:.80}"
                )
        seen: set[int] = set()
        for job in chain.from_iterable(shards):
            if job["id"] in seen:
                raise InstanceError(f"the task id {job['id']} occurs twice")
            seen.add(job["id"])
        require_parameter(extra, "n_servers", 1, MAX_AGENTS)
        require_decimals(extra)

    def solve(self, shards: Sequence[list[Job]], extra: Extra) -> dict[str, float]:
        """Hand out the tasks one by one."""
        jobs = sorted(chain.from_iterable(shards), key=lambda job: (-job["duration"], job["id"]))
        servers = [(0, number) for number in range(extra["n_servers"])]
        for job in jobs:
            load, number = servers[0]
            heapq.heapreplace(servers, (load + job["duration"], number))
        loads = [load for load, _ in servers]
        count = len(loads)
        spread = count * sum(load * load for load in loads) - sum(loads) ** 2
        return {
            "variance": rounded(spread, count * count, extra["decimals"]),
            "max_load": max(loads),
            "min_load": min(loads),
        }

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return one server per agent, and the decimals of the published answers."""
        return {"decimals": VARIANCE_DECIMALS, "n_servers": n_agents}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        servers = extra["n_servers"]
        return (
            'Every agent holds a list of tasks, each with an "id" and a "duration"; all ids '
            f"differ. The tasks of all agents are handed out to {servers} servers, numbered 0 to "
            f"{servers - 1}, whose loads begin at 0. The tasks are taken in descending order of "
            "their durations, of equal durations the lowest id first. Each task is given to the "
            "server with the least load at that time, of several such servers to that with the "
            "lowest number, and its duration is added to the server's load. Every agent must "
            "submit the population variance of the final loads (the mean squared deviation from "
            f"their mean), rounded to {extra['decimals']} decimals, the greatest and the least "
            "final load."
        )


def _is_job(job: Any) -> bool:
    if not isinstance(job, dict) or job.keys() != {"id", "duration"}:
        return False
    return all(type(x) is int for x in job.values()) and 0 <= job["duration"] <= MAX_DURATION

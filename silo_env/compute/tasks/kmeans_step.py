"""III-25 K-means step: the centroids after one round of assigning and averaging.

Shard: a list of points ``[x, y]``. Extra: ``initial_centroids``, known to all, their number ``k``,
and ``decimals`` of the answer. Each point belongs to the nearest centroid (of several the one with
the lowest index); each centroid moves to the mean of its points, or stays if it has none. Answer:
the list of new centroids in the order of the initial ones, right within 0.01; partial credit is the
longest common subsequence, divided by the longer length.
Source: Silo-Bench, level III (shuffle); inputs have two decimals instead of sixteen digits.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import NUMBER, ListOf
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut
from coordgym.silo_env.compute.tasks.decimals import (
    ANSWER_DECIMALS,
    MAX_DECIMALS,
    UPPER,
    require_decimals,
)
from coordgym.silo_env.compute.tasks.exact import rounded, scaled
from coordgym.silo_env.compute.tasks.items import MAX_ITEMS

MAX_CENTROIDS = 100
MAX_COORDINATE = 1e9
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_POINT = re.compile(rf"[\[(]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]")
_BETWEEN = r"[^\[\]()\d]{0,20}(?:\d+[^\[\]()\w]{1,3})?"  # such as ", C1: "
_POINTS = re.compile(rf"{_POINT.pattern}(?:{_BETWEEN}{_POINT.pattern})*")

Point = list[float]


@dataclass(frozen=True, slots=True)
class KmeansStepConfig:
    """``items`` points per agent and ``k`` centroids in [0, 100)², with ``decimals`` decimals."""

    items: int = 20
    k: int = 3
    decimals: int = 2

    def __post_init__(self) -> None:
        require_int("items", self.items, 1, MAX_ITEMS)
        require_int("k", self.k, 1, MAX_CENTROIDS)
        require_int("decimals", self.decimals, 0, MAX_DECIMALS)

    def draw(self, rng: np.random.Generator, count: int) -> list[Point]:
        """Draw points uniformly."""
        scale = 10**self.decimals
        drawn = rng.integers(UPPER * scale, size=(count, 2)).tolist()
        return [[x / scale, y / scale] for x, y in drawn]


class KmeansStep(Task[list[Point], list[Point]]):
    """The centroids after one Lloyd step, to two decimals."""

    id = "III-25"
    slug = "kmeans-step"
    title = "K-means step"
    answer_type = ListOf(ListOf(NUMBER))
    tolerance = 0.01
    partial = Partial.SUBSEQUENCE
    config = KmeansStepConfig
    hint = (
        "This is a global reorganization: the points of one cluster are held by many agents. "
        "Means of single lists can't be averaged, but sums and counts of points add up."
    )
    holds = "{items} points in the plane"
    question_in_brief = (
        "one k-means step on all agents' points [x, y] from centroids "
        "{initial_centroids}: nearest centroid (tie: lowest index), then means; an "
        "empty one stays; answer: list of new centroids [x, y], {decimals} decimals"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[Point], list[Point]]:
        """Draw the points of all agents and the centroids uniformly."""
        config = configure(KmeansStepConfig, params)
        shards = cut(config.draw(rng, config.items * n_agents), n_agents)
        return self.instance(shards, _extra(config.draw(rng, config.k)))

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of points, centroids, and the decimals of the answer."""
        for agent, shard in enumerate(shards):
            _require_points(f"shards[{agent}]", shard)
        centroids = extra.get("initial_centroids")
        _require_points("extra['initial_centroids']", centroids)
        if not isinstance(centroids, list | tuple) or not 1 <= len(centroids) <= MAX_CENTROIDS:
            raise InstanceError(f"extra['initial_centroids'] must hold 1..{MAX_CENTROIDS} points")
        if extra.get("k", len(centroids)) != len(centroids):
            raise InstanceError(
                f"extra['k'] is {extra['k']!r:.80}, but there are {len(centroids)} centroids"
            )
        require_decimals(extra)

    def solve(self, shards: Sequence[list[Point]], extra: Extra) -> list[Point]:
        """Do the step with exact squared distances and sums, so that ties are what they seem."""
        centroids, decimals = extra["initial_centroids"], extra["decimals"]
        both = scaled([*centroids, *chain.from_iterable(shards)], 2)
        places, points = both.integers[: len(centroids)], both.integers[len(centroids) :]
        away = points[:, None, :] - places[None, :, :]
        nearest = np.argmin((away * away).sum(axis=2), axis=1)  # the first of several
        answer = []
        for index, place in enumerate(places):
            members = points[nearest == index]
            total, count = (members.sum(axis=0), len(members)) if len(members) else (place, 1)
            answer.append([rounded(part, count * 10**both.digits, decimals) for part in total])
        return answer

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Read the centroids from the description, where they stand behind that word."""
        begin = description.lower().find("centroid")
        found = _POINTS.search(description, max(begin, 0))
        if begin < 0 or found is None:
            raise InstanceError(
                f"the description must tell the centroids as pairs, got {description!r:.200}"
            )
        return _extra([[float(x), float(y)] for x, y in _POINT.findall(found[0])])

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        return (
            "Every agent holds a list of points in the plane, each as [x, y]. Do one step of "
            f"k-means on all points of all agents with these {len(extra['initial_centroids'])} "
            f"centroids, with the indices 0, 1, …: {extra['initial_centroids']}. First, each point "
            "is assigned to the centroid at the least Euclidean distance, of several equally near "
            "ones to that with the lowest index. Then each centroid moves to the mean of all "
            "points assigned to it; a centroid without points stays where it is. Every agent must "
            f"submit all new centroids in the order of their indices, rounded to "
            f"{extra['decimals']} decimals."
        )

    def answer_form(self, extra: Extra) -> str:
        """Name the form: a list of points."""
        return (
            f"a list of {len(extra['initial_centroids'])} points [x, y] with {extra['decimals']} "
            "decimals, for example [[12.34, 5.6], …]"
        )


def _extra(centroids: list[Point]) -> dict[str, Any]:
    return {"k": len(centroids), "decimals": ANSWER_DECIMALS, "initial_centroids": centroids}


def _require_points(name: str, points: Any) -> None:
    if not isinstance(points, list | tuple) or not all(map(_is_point, points)):
        raise InstanceError(
            f"{name} must be a list of points [x, y] with finite coordinates up to "
            f"{MAX_COORDINATE:g} in size, got {points!r:.80}"
        )


def _is_point(point: Any) -> bool:
    if not isinstance(point, list | tuple) or len(point) != 2:
        return False
    return all(type(c) in (int, float) and isfinite(c) and abs(c) <= MAX_COORDINATE for c in point)

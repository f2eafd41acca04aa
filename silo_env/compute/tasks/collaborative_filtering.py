"""III-27 Collaborative filtering: the best fitting pairs of users and items.

Shard: ``{"users": {id: vector}, "items": {id: vector}}`` with ids as texts of integers. Extra:
``k`` and ``decimals`` of the scores. Answer: the k pairs with the highest scores, as
``[user, item, score]`` from the highest on, where a score is the dot product of the vectors; equal
scores come by user and then by item. Scores are right within 1e-4; partial credit is the longest
common subsequence, divided by the longer length. Defined where all vectors have one length and
there are k pairs; a vector may be held by several agents. Generated instances have no tie at the
cut.
Source: Silo-Bench, level III (shuffle); inputs have two decimals instead of sixteen digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import NUMBER, ListOf
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, deal, require_parameter
from coordgym.silo_env.compute.tasks.decimals import MAX_DECIMALS, require_decimals
from coordgym.silo_env.compute.tasks.exact import rounded, scaled

KINDS = ("users", "items")
PUBLISHED_K = 3
ANSWER_DECIMALS = 4
MAX_PER_AGENT = 100
MAX_FACTORS = 100
MAX_FACTOR = 1e6
MAX_DRAWS = 1_000
"""Instances in which only ties can be drawn, such as one factor with one decimal, are given up."""

Vectors = dict[str, list[float]]
Shard = dict[str, Vectors]
Row = list[float]


@dataclass(frozen=True, slots=True)
class CollaborativeFilteringConfig:
    """Users and items per agent, ``factors`` numbers in [0, 1) each, and the ``k`` best pairs."""

    users: int = 3
    items: int = 3
    factors: int = 5
    decimals: int = 2
    k: int = PUBLISHED_K

    def __post_init__(self) -> None:
        require_int("users", self.users, 1, MAX_PER_AGENT)
        require_int("items", self.items, 1, MAX_PER_AGENT)
        require_int("factors", self.factors, 1, MAX_FACTORS)
        require_int("decimals", self.decimals, 1, MAX_DECIMALS)
        require_int("k", self.k, 1, MAX_PER_AGENT)


class Best(NamedTuple):
    """The best rows of an instance, and whether the next pair has the last one's score."""

    rows: list[Row]
    tied: bool


class CollaborativeFiltering(Task[Shard, list[Row]]):
    """The pairs with the highest scores."""

    id = "III-27"
    slug = "collaborative-filtering"
    title = "Collaborative filtering"
    answer_type = ListOf(ListOf(NUMBER))
    tolerance = 1e-4
    partial = Partial.SUBSEQUENCE
    copyable = True
    config = CollaborativeFilteringConfig
    hint = (
        "This is a global reorganization: the users and the items of the best pairs may be held "
        "by different agents, so each user must meet each item somewhere."
    )
    holds = "6 of {users} N users and {items} N items, {factors} factors each"
    question = (
        "Every agent holds some of the vectors of users and items, by their ids. The score of "
        "a user and an item is the dot product of their vectors. Find the "
        "{k} pairs with the highest scores among all pairs of a user and an item of "
        "all agents, the highest first; of equal exact scores the one with the lower user id "
        "comes first, and for the same user that with the lower item id. Every agent must "
        "submit these pairs with their scores, rounded to {decimals} decimals."
    )
    form = (
        "a list of {k} rows [user id, item id, score] with {decimals} "
        "decimals, for example [[4, 0, 1.2345], …]"
    )
    question_in_brief = (
        "{k} user-item pairs with the highest dot products over all agents' vectors, "
        "descending (ties: user id, then item id); answer: list of [user, item, score], "
        "{decimals} decimals"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[Shard, list[Row]]:
        """Draw all vectors, again while there is a tie at the cut; pool and deal them."""
        config = configure(CollaborativeFilteringConfig, params)
        counts = {"users": config.users * n_agents, "items": config.items * n_agents}
        if config.k > counts["users"] * counts["items"]:
            raise ConfigError(f"k must be at most the number of pairs, got {config.k}")
        extra = {"k": config.k, "decimals": ANSWER_DECIMALS}
        scale = 10**config.decimals
        pool = [(kind, str(number)) for kind in KINDS for number in range(counts[kind])]
        for _ in range(MAX_DRAWS):
            drawn = rng.integers(scale, size=(len(pool), config.factors)).tolist()
            vectors = [[number / scale for number in vector] for vector in drawn]
            dealt = deal(rng, list(zip(pool, vectors, strict=True)), n_agents)
            shards = [
                {
                    wanted: {name: v for (kind, name), v in part if kind == wanted}
                    for wanted in KINDS
                }
                for part in dealt
            ]
            best = _best(shards, extra)
            if not best.tied:
                return Instance(shards, extra, best.rows)
        raise ConfigError(
            f"no instance without a tie at the cut was found in {MAX_DRAWS} draws; "
            f"use more decimals or factors than {config.decimals} and {config.factors}"
        )

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check vectors of one length, the same wherever they are held, and at least k pairs."""
        for agent, shard in enumerate(shards):
            _check_shard(agent, shard)
        users, items = (_gathered(shards, kind) for kind in KINDS)
        lengths = {len(vector) for vector in [*users.values(), *items.values()]}
        if len(lengths) > 1:
            raise InstanceError(f"all vectors must have one length, got {sorted(lengths)}")
        require_parameter(extra, "k", 1, len(users) * len(items), "number of pairs")
        require_decimals(extra)

    def solve(self, shards: Sequence[Shard], extra: Extra) -> list[Row]:
        """Return the best of all pairs; scores are compared exactly."""
        return _best(shards, extra).rows

    def with_copies(self, shard: Shard, before: Shard, overlap: int) -> Shard:
        """Copy the last vectors of the shard before it, its users first."""
        entries = [(kind, name) for kind in KINDS for name in before[kind]]
        copied: Shard = {kind: {} for kind in KINDS}
        for kind, name in entries[-overlap:]:
            copied[kind][name] = before[kind][name]
        return {kind: copied[kind] | shard[kind] for kind in KINDS}

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the three pairs and four decimals that the published cases ask for."""
        return {"k": PUBLISHED_K, "decimals": ANSWER_DECIMALS}


def _gathered(shards: Sequence[Mapping[str, Vectors]], kind: str) -> dict[int, list[float]]:
    """Return all vectors of a kind by ascending id.

    Raises:
        InstanceError: If an id has different vectors.
    """
    found: dict[int, list[float]] = {}
    for shard in shards:
        for name, vector in shard[kind].items():
            if found.setdefault(int(name), vector) != vector:
                raise InstanceError(f"{kind} {name} has two different vectors")
    return dict(sorted(found.items()))


def _best(shards: Sequence[Shard], extra: Extra) -> Best:
    users, items = (_gathered(shards, kind) for kind in KINDS)
    width = len(next(iter(users.values())))
    left, right = scaled(list(users.values()), width), scaled(list(items.values()), width)
    scores = (left.integers @ right.integers.T).ravel()  # in the order of user and item
    k, denominator = extra["k"], 10 ** (left.digits + right.digits)
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    near = np.flatnonzero(scores >= least).tolist()
    near.sort(key=lambda place: (-scores[place], place))
    user_ids, item_ids = list(users), list(items)
    rows: list[Row] = [
        [
            user_ids[place // len(items)],
            item_ids[place % len(items)],
            rounded(scores[place], denominator, extra["decimals"]),
        ]
        for place in near[:k]
    ]
    return Best(rows, tied=len(near) > k)


def _check_shard(agent: int, shard: Any) -> None:
    name = f"shards[{agent}]"
    if not isinstance(shard, dict) or shard.keys() != set(KINDS):
        raise InstanceError(f"{name} must be a dict with users and items, got {shard!r:.80}")
    for kind in KINDS:
        vectors = shard[kind]
        if not isinstance(vectors, dict) or not all(map(_is_vector, vectors.values())):
            raise InstanceError(
                f"{name}[{kind!r}] must be a dict of vectors of 1..{MAX_FACTORS} numbers up to "
                f"{MAX_FACTOR:g} in size, got {vectors!r:.80}"
            )
        for key in vectors:
            if not (isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 19):
                raise InstanceError(f"{name}[{kind!r}]: ids must be integers, got {key!r:.80}")


def _is_vector(vector: Any) -> bool:
    if not isinstance(vector, list) or not 1 <= len(vector) <= MAX_FACTORS:
        return False
    return all(type(x) in (int, float) and isfinite(x) and abs(x) <= MAX_FACTOR for x in vector)

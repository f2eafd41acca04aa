"""Playing episodes for measurements."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import coordgym
from coordgym import make_policy, rollout


def play(env_id: str, policy: str, seeds: Iterable[int], **kwargs: Any) -> list[dict[str, Any]]:
    """Play one episode per seed and return their metrics."""
    env = coordgym.make(env_id, **kwargs)
    chosen = make_policy(policy)
    metrics = [rollout(env, chosen, seed).metrics for seed in seeds]
    env.close()
    return metrics


def mean(metrics: Iterable[dict[str, Any]], name: str) -> float:
    """Return the mean of one figure."""
    return fmean(float(each[name]) for each in metrics)


def count_and_means(metrics: Sequence[dict[str, Any]], *names: str) -> list[Any]:
    """Return the number of episodes, then the mean of each figure, as rows begin with them."""
    return [len(metrics), *(mean(metrics, name) for name in names)]


def env_ids(family: str) -> list[str]:
    """Return the ids of a family's environments."""
    return [entry.id for entry in coordgym.list_envs(family=family)]

"""Playing episodes for measurements."""

from collections.abc import Iterable
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
    """The mean of one figure."""
    return fmean(float(each[name]) for each in metrics)

"""Split-view pairs: the floor that one view reaches, and what sharing everything reaches."""

from itertools import product
from typing import Any, NamedTuple

import coordgym
from coordgym import make_policy, rollout
from measurements.play import count_and_means, env_ids, mean, play
from measurements.table import MeasuredTable

INSTANCES = range(100)
GUESSES = range(5)
"""Guesses at the hidden half of each instance."""
SHARE_SEEDS = range(20)
FRICTIONS = (0, 1, 2)


class FloorFigures(NamedTuple):
    """What guessing the hidden half reaches, by the view that is known.

    Attributes:
        instances: Number of instances.
        guesses: Guesses per instance and view.
        view1: Mean score of an agent that sees view 1 only.
        view2: Likewise with view 2.
        exact1: Share of optimal answers with view 1.
        exact2: Likewise with view 2.
        random: Mean score of the random policy in both seats, one episode per instance.
    """

    instances: int
    guesses: int
    view1: float
    view2: float
    exact1: float
    exact2: float
    random: float


class ShareFigures(NamedTuple):
    """What ``pairs:share-and-solve`` reaches; means over episodes.

    Attributes:
        episodes: Number of seeds.
        score: Mean score.
        exact: Share of optimal answers.
        messages: Messages sent.
    """

    episodes: int
    score: float
    exact: float
    messages: float


def measure_floor(env_id: str) -> FloorFigures:
    """Measure ``pairs:one-view`` on both views, and ``random``."""
    pair = coordgym.make(env_id)
    alone = [coordgym.make(env_id, mode=f"solo_view{k}", critic=False) for k in (1, 2)]
    one_view, random = make_policy("pairs:one-view"), make_policy("random")
    by_view: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    random_metrics = []
    for seed in INSTANCES:
        random_metrics.append(rollout(pair, random, seed).metrics)
        # The instance is drawn once: drawing takes longer than guessing.
        options = {"instance": pair.unwrapped.instance}
        for env, metrics in zip(alone, by_view, strict=True):
            for guess in GUESSES:
                policy_seed = len(GUESSES) * seed + guess
                episode = rollout(env, one_view, seed, options=options, policy_seed=policy_seed)
                metrics.append(episode.metrics)
    first, second = by_view
    return FloorFigures(
        instances=len(INSTANCES),
        guesses=len(GUESSES),
        view1=mean(first, "score"),
        view2=mean(second, "score"),
        exact1=mean(first, "exact"),
        exact2=mean(second, "exact"),
        random=mean(random_metrics, "score"),
    )


def measure_share(env_id: str, friction: int) -> ShareFigures:
    """Measure ``pairs:share-and-solve`` at a level of friction."""
    metrics = play(env_id, "pairs:share-and-solve", SHARE_SEEDS, friction=friction)
    return ShareFigures(*count_and_means(metrics, "score", "exact", "messages"))


TABLES = (
    MeasuredTable(
        "pairs-floors",
        ("env",),
        lambda: [(env_id,) for env_id in env_ids("pairs")],
        measure_floor,
        FloorFigures,
    ),
    MeasuredTable(
        "pairs-share",
        ("env", "friction"),
        lambda: list(product(env_ids("pairs"), FRICTIONS)),
        measure_share,
        ShareFigures,
    ),
)

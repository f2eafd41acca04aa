"""Grid swarm: all baselines under both rule sets, at the published sizes."""

from statistics import stdev
from typing import NamedTuple

import coordgym
from measurements.play import mean, play
from measurements.table import Table

SEEDS = range(20)
RULES = {"default": None, "swarmbench": "swarmbench"}
"""The argument ``compat`` by the name of the rule set."""
POLICIES = (
    "random",
    "swarm:reactive",
    "swarm:heuristic",
    "swarm:communicating",
    "swarm:strong",
)


class SwarmFigures(NamedTuple):
    """Over 20 seeds at 10×10, N = 10, T = 100, k = 5 (the defaults).

    Attributes:
        episodes: Number of seeds.
        score: Mean score.
        deviation: Sample standard deviation of the score.
        lowest: Smallest score.
        highest: Largest score.
        success: Share of episodes that count as a success.
        rounds: Mean number of rounds.
    """

    episodes: int
    score: float
    deviation: float
    lowest: float
    highest: float
    success: float
    rounds: float


def measure(env_id: str, rules: str, policy: str) -> SwarmFigures:
    """Measure a policy under a rule set."""
    metrics = play(env_id, policy, SEEDS, compat=RULES[rules])
    scores = [float(each["score"]) for each in metrics]
    return SwarmFigures(
        len(scores),
        mean(metrics, "score"),
        stdev(scores),
        min(scores),
        max(scores),
        mean(metrics, "success"),
        mean(metrics, "rounds"),
    )


TABLES = (
    Table(
        "swarm",
        ("env", "rules", "policy"),
        lambda: [
            (entry.id, rules, policy)
            for entry in coordgym.list_envs(family="swarm")
            for rules in RULES
            for policy in POLICIES
        ],
        measure,
        SwarmFigures,
    ),
)

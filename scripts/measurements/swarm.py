"""Grid swarm: all baselines under both rule sets at the published size, and flocking in a crowd."""

from statistics import stdev
from typing import Any, NamedTuple

import coordgym
from measurements.play import mean, play
from measurements.swarm_sweep import SWEEP
from measurements.table import MeasuredTable

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

CROWDS = (10, 16, 24)
"""Numbers of agents on 10×10 cells: with more of them flocking tells the rules apart."""


class SwarmFigures(NamedTuple):
    """Over 20 seeds at 10×10, T = 100, k = 5 (the defaults).

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
    return _figures(play(env_id, policy, SEEDS, compat=RULES[rules]))


def measure_crowd(env_id: str, n_agents: int, policy: str) -> SwarmFigures:
    """Measure a policy with a number of agents."""
    return _figures(play(env_id, policy, SEEDS, n_agents=n_agents))


def _figures(metrics: list[dict[str, Any]]) -> SwarmFigures:
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
    MeasuredTable(
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
    MeasuredTable(
        "swarm-crowd",
        ("env", "n_agents", "policy"),
        lambda: [
            ("coordgym/SwarmFlocking-v0", n_agents, policy)
            for n_agents in CROWDS
            for policy in POLICIES
        ],
        measure_crowd,
        SwarmFigures,
    ),
    SWEEP,
)

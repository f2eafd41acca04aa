"""Silo computation: what agents reach without talking, and what the full baselines reach."""

import json
from collections import Counter
from itertools import product
from typing import NamedTuple

import coordgym
from coordgym import make_policy, rollout
from measurements.play import count_and_means, env_ids, mean, play
from measurements.table import MeasuredTable

LOCAL_SEEDS = range(200)
SIZES = (2, 5, 10)
FULL_SEEDS = range(5)
PROTOCOLS = ("p2p", "broadcast", "shared_files")
POLICIES = ("silo:all-gather", "silo:optimal")


class LocalFigures(NamedTuple):
    """What answers from the own data alone are worth.

    Attributes:
        episodes: Number of seeds.
        agents_right: Mean share of agents whose answer was right (S).
        all_right: Share of episodes in which every agent's was (success).
        prior: Share of the most frequent right answer, over seeds and, in segmented tasks,
            agents: what a constant answer reaches at best.
    """

    episodes: int
    agents_right: float
    all_right: float
    prior: float


class FullFigures(NamedTuple):
    """What a policy that talks reaches; means over episodes.

    Attributes:
        episodes: Number of seeds.
        all_right: Share of episodes in which every agent was right.
        messages: Transfers: delivered messages, recipients of broadcasts, reads of others' files.
        redundancy: Messages over the fewest that solve the task one to one.
        rounds: Rounds until the last agent had submitted.
    """

    episodes: int
    all_right: float
    messages: float
    redundancy: float
    rounds: float


def measure_local(env_id: str, n_agents: int) -> LocalFigures:
    """Measure ``silo:local`` and the prior of the answers."""
    env = coordgym.make(env_id, n_agents=n_agents)
    policy = make_policy("silo:local")
    answers: Counter[str] = Counter()
    metrics = []
    for seed in LOCAL_SEEDS:
        metrics.append(rollout(env, policy, seed).metrics)
        answer = env.unwrapped.instance["answer"]
        segmented = env.unwrapped.task.is_segmented(env.unwrapped.instance["extra"])
        answers.update(json.dumps(each) for each in (answer if segmented else [answer]))
    env.close()
    prior = max(answers.values()) / answers.total()
    return LocalFigures(len(metrics), mean(metrics, "S"), mean(metrics, "success"), prior)


def measure_full(env_id: str, protocol: str, n_agents: int, policy: str) -> FullFigures:
    """Measure a policy that shares what is needed."""
    metrics = play(env_id, policy, FULL_SEEDS, protocol=protocol, n_agents=n_agents)
    return FullFigures(*count_and_means(metrics, "success", "messages", "redundancy", "rounds"))


TABLES = (
    MeasuredTable(
        "silo-local",
        ("env", "n_agents"),
        lambda: list(product(env_ids("silo"), SIZES)),
        measure_local,
        LocalFigures,
    ),
    MeasuredTable(
        "silo-full",
        ("env", "protocol", "n_agents", "policy"),
        lambda: list(product(env_ids("silo"), PROTOCOLS, SIZES, POLICIES)),
        measure_full,
        FullFigures,
    ),
)

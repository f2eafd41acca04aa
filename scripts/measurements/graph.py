"""Graph coordination: success by size and topology, and on the two benchmark sets."""

from itertools import product
from typing import NamedTuple

from coordgym.silo_env.graph.networks.suites import LARGE_SUITE, SMALL_SUITE
from coordgym.silo_env.graph.networks.topologies import TOPOLOGIES
from measurements.play import count_and_means, env_ids, play
from measurements.table import MeasuredTable

SIZES = (4, 8, 16, 32, 64, 100)
POLICIES = ("graph:flood", "graph:small", "graph:greedy", "random")
SEEDS = range(20)
RANDOM_SEEDS = range(200)
"""Random answers on small networks are right now and then: how often takes more episodes."""
SMALL = 16
SUITES = {27: SMALL_SUITE, 81: LARGE_SUITE}
"""The benchmark sets by their number of networks."""
MEANS = ("success", "score", "messages", "characters")


class GraphFigures(NamedTuple):
    """Means over networks.

    Attributes:
        networks: Number of networks, one episode each.
        success: Share of episodes whose answers satisfy the task.
        score: Graded score.
        messages: Messages sent.
        characters: Characters in all messages.
    """

    networks: int
    success: float
    score: float
    messages: float
    characters: float


def measure_size(env_id: str, topology: str, n_agents: int, policy: str) -> GraphFigures:
    """Measure a policy on networks of one kind."""
    seeds = RANDOM_SEEDS if policy == "random" and n_agents <= SMALL else SEEDS
    metrics = play(env_id, policy, seeds, topology=topology, n_agents=n_agents)
    return GraphFigures(*count_and_means(metrics, *MEANS))


def measure_suite(networks: int, env_id: str, policy: str) -> GraphFigures:
    """Measure a policy on a benchmark set."""
    metrics = []
    for topology, n_agents, seed in SUITES[networks]:
        metrics += play(env_id, policy, [seed], topology=topology, n_agents=n_agents)
    return GraphFigures(*count_and_means(metrics, *MEANS))


TABLES = (
    MeasuredTable(
        "graph-sizes",
        ("env", "topology", "n_agents", "policy"),
        lambda: list(product(env_ids("graph"), TOPOLOGIES, SIZES, POLICIES)),
        measure_size,
        GraphFigures,
    ),
    MeasuredTable(
        "graph-suites",
        ("networks_in_set", "env", "policy"),
        lambda: [
            (n, env_id, policy)
            for n in SUITES
            for env_id in env_ids("graph")
            for policy in POLICIES
        ],
        measure_suite,
        GraphFigures,
    ),
)

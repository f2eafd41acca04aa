"""The networks of the benchmark: which topology, size and seed."""

from typing import NamedTuple

from coordgym.silo_env.graph.networks.topologies import TOPOLOGIES

SAMPLES = 3
"""Networks per topology and size."""


class SuiteNetwork(NamedTuple):
    """One network: ``make(id, topology=…, n_agents=…)`` reset with ``seed``."""

    topology: str
    n_agents: int
    seed: int


def _suite(sizes: tuple[int, ...]) -> tuple[SuiteNetwork, ...]:
    return tuple(
        SuiteNetwork(topology, n_agents, seed)
        for n_agents in sizes
        for topology in TOPOLOGIES
        for seed in range(SAMPLES)
    )


SMALL_SUITE = _suite((4, 8, 16))
"""27 networks of 4, 8 and 16 agents."""
LARGE_SUITE = _suite(tuple(range(20, 101, 10)))
"""81 networks of 20, 30, … 100 agents."""

"""What a seed means: tasks draw independently of each other, and alike where that is meant."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import coordgym
from coordgym.contract.seeding import stream_rng
from coordgym.silo_env.compute.environment import SiloEnv
from coordgym.silo_env.graph.environment import GraphEnv
from coordgym.silo_env.pairs.environment import PairEnv
from coordgym.swarm_env.environment import SwarmEnv

SEEDS = range(24)
NUMBERS = 48
"""How many numbers of an instance are compared, spread over all of it."""
ALIKE = 0.2
"""A mean correlation of copies is near 1, of independent instances below 0.1."""
FAMILIES = ("silo", "graph", "pairs", "swarm")


def numbers_in(value: Any) -> Iterator[float]:
    """Yield the numbers of an instance in order; texts by their letters."""
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, str):
        yield from map(float, map(ord, value[:8]))
    elif isinstance(value, bool | int | float):
        yield float(value)


def profile(instance: dict[str, Any]) -> list[float]:
    """Return equally many numbers of any instance, from its beginning."""
    hidden = ("task", "n_agents", "oracle", "answer", "solution", "topology", "settings")
    kept = {key: value for key, value in instance.items() if key not in hidden}
    found = list(numbers_in(kept))
    return (found * NUMBERS)[:NUMBERS]


def profiles(env: Any) -> NDArray[np.float64]:
    """Return the numbers of instances, one row a seed, as centred ranks over the seeds."""
    rows = []
    for seed in SEEDS:
        env.reset(seed=seed)
        rows.append(profile(env.unwrapped.instance))
    values = np.array(rows)
    apart: NDArray[np.float64] = np.sign(values[:, None, :] - values[None, :, :]).sum(axis=1)
    return apart  # ranks, of which equal numbers share the middle; 0 for what no seed changes


def likeness(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return how strongly the numbers of two tasks move together from seed to seed."""
    sizes = np.sqrt((one**2).sum() * (other**2).sum())
    return float(abs((one * other).sum()) / sizes) if sizes else 0.0


def drawn(family: str) -> dict[str, NDArray[np.float64]]:
    return {
        entry.id: profiles(coordgym.make(entry.id)) for entry in coordgym.list_envs(family=family)
    }


@pytest.mark.parametrize("family", ["silo", "pairs", "swarm"])
def test_tasks_draw_independent_instances_from_equal_seeds(family: str) -> None:
    found = drawn(family)
    for (name, one), (other, two) in combinations(found.items(), 2):
        assert likeness(one, two) < ALIKE, (name, other)


def test_the_measure_sees_a_copy() -> None:
    class Copy(SiloEnv):
        def _seed_name(self) -> str:
            return "silo/I-05"

    original = profiles(SiloEnv(task="I-05"))
    assert likeness(original, profiles(Copy(task="I-09"))) > 0.9
    assert likeness(original, profiles(SiloEnv(task="I-09"))) < ALIKE


def test_networks_are_those_of_all_graph_tasks() -> None:
    for seed in range(3):
        worlds = []
        for entry in coordgym.list_envs(family="graph"):
            env = coordgym.make(entry.id, n_agents=12)
            env.reset(seed=seed)
            worlds.append({key: env.unwrapped.instance[key] for key in ("names", "edges")})
        assert all(world == worlds[0] for world in worlds)


@pytest.mark.parametrize(
    ("made", "direct"),
    [
        (coordgym.make("SiloGlobalMax-v0"), SiloEnv(task="I-01")),
        (coordgym.make("GraphColoring-v0"), GraphEnv(task="coloring")),
        (coordgym.make("PairMaze-v0"), PairEnv(task="maze")),
        (coordgym.make("SwarmPursuit-v0"), SwarmEnv(task="pursuit")),
    ],
)
def test_the_class_made_directly_draws_what_make_draws(made: Any, direct: Any) -> None:
    for seed in (0, 7):
        made.reset(seed=seed)
        direct.reset(seed=seed)
        assert made.unwrapped.instance == direct.instance


@pytest.mark.parametrize(
    ("env_id", "variants"),
    [
        ("SiloGlobalMax-v0", [{"protocol": p} for p in ("p2p", "broadcast", "shared_files")]),
        ("PairMaze-v0", [{"mode": "solo_full"}, {"friction": 2}, {"clauses": "all"}, {}]),
        ("GraphConsensus-v0", [{"rounds": 3}, {"loss": 0.2}, {"text": "compact"}, {}]),
        ("SwarmPursuit-v0", [{"max_cycles": 7}, {"text": "compact"}, {}]),
    ],
)
def test_arguments_that_are_none_of_the_instance_leave_it(
    env_id: str, variants: list[dict[str, Any]]
) -> None:
    worlds = []
    for kwargs in variants:
        env = coordgym.make(env_id, **kwargs)
        env.reset(seed=5)
        instance = dict(env.unwrapped.instance)
        instance.pop("rounds", None)
        worlds.append({k: v for k, v in instance.items() if k not in ("target", "max_cycles")})
    assert all(world == worlds[0] for world in worlds)


def test_the_twin_with_all_data_has_the_same_data() -> None:
    env, twin = SiloEnv(task="I-05", n_agents=6), SiloEnv(task="I-05", n_agents=6, oracle=True)
    for each in (env, twin):
        each.reset(seed=3)
    assert env.instance["shards"] == twin.instance["shards"]


def test_streams_are_the_same_on_every_machine() -> None:
    assert stream_rng(7, "silo/I-05", 0).integers(10**6, size=3).tolist() == [22612, 112987, 714544]


def test_names_and_keys_do_not_run_together() -> None:
    drawn = {
        int(stream_rng(seed, name, *key).integers(2**60))
        for seed in (0, 1)
        for name in ("a", "ab", "b/a", "")
        for key in ((), (0,), (0, 0), (1,), (0, 1))
    }
    assert len(drawn) == 2 * 4 * 5

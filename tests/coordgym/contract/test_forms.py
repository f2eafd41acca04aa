"""The functions ``parallel_env`` and ``env`` that every family has."""

import importlib
import inspect
import pickle

import pytest
from pettingzoo import AECEnv

FAMILIES = [
    ("coordgym.silo_env.compute", "SiloEnv"),
    ("coordgym.silo_env.graph", "GraphEnv"),
    ("coordgym.silo_env.pairs", "PairEnv"),
    ("coordgym.swarm_env", "SwarmEnv"),
]


@pytest.mark.parametrize(("package", "name"), FAMILIES)
def test_both_forms_make_the_environment_of_the_family(package, name):
    family = importlib.import_module(package)
    parallel, turns = family.parallel_env(max_cycles=7), family.env(max_cycles=7)
    assert type(parallel).__name__ == name
    assert isinstance(turns, AECEnv)
    for made in (parallel, turns.unwrapped):
        assert type(made) is type(parallel)
        assert made.max_cycles == 7


@pytest.mark.parametrize(("package", "name"), FAMILIES)
@pytest.mark.parametrize("form", ["parallel_env", "env"])
def test_the_forms_look_as_if_written_in_their_package(package, name, form):
    function = getattr(importlib.import_module(package), form)
    assert (function.__module__, function.__qualname__) == (package, form)
    assert pickle.loads(pickle.dumps(function)) is function
    told = inspect.getdoc(function) or ""
    assert told.startswith("Make the environment")
    assert name in told or "parallel_env" in told


def test_the_task_of_a_graph_may_be_given_by_position():
    graph = importlib.import_module("coordgym.silo_env.graph")
    env = graph.parallel_env("matching")
    env.reset(seed=1)
    assert env.world.task.name == "matching"

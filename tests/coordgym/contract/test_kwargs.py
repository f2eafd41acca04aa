"""Keyword arguments of all families: numbers of numpy's, and values of no sensible kind."""

import inspect
import json
from typing import Any

import numpy as np
import pytest

import coordgym
from coordgym.errors import CoordgymError, InstanceError
from coordgym.registry import env_kwargs

INTS: dict[str, dict[str, Any]] = {
    "SiloGlobalMax-v0": {
        "n_agents": 3, "overlap": 1, "max_calls": 9, "max_message_chars": 500,
        "max_inbox_chars": 9_000, "params": {"items": 5},
    },
    "GraphColoring-v0": {
        "n_agents": 4, "rounds": 2, "retries": 2, "max_message_chars": 300, "byzantine": 1,
        "loss": 0, "history": 2,
    },
    "PairMaze-v0": {
        "friction": 1, "max_exchanges": 3, "max_message_chars": 300,
        "config": {"n": 5, "max_optimal": 9, "min_length": 8},
    },
    "SwarmPursuit-v0": {
        "n_agents": 4, "height": 9, "width": 9, "view_size": 3, "memory": 2, "delay": [0, 1],
        "format_bonus": 1, "target": 2, "noise": 0,
    },
    "SwarmFlocking-v0": {"n_agents": 6, "distance_scale": 2},
}  # fmt: skip
COMMON = {"max_cycles": 4, "max_action_chars": 2_000}


def of_numpy(value: Any) -> Any:
    """The same value with numpy's numbers in place of Python's."""
    if isinstance(value, dict):
        return {key: of_numpy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [of_numpy(item) for item in value]
    return np.int64(value)


def played(env_id: str, kwargs: dict[str, Any]) -> str:
    """Everything that the first two steps of an episode tell, as JSON."""
    env = coordgym.make(env_id, **kwargs)
    told: list[Any] = [*env.reset(seed=1), env.unwrapped.instance, env.state()]
    for _ in range(2):
        told += env.step(dict.fromkeys(env.agents, "{}"))
    return json.dumps(told)


@pytest.mark.parametrize(("env_id", "kwargs"), INTS.items())
def test_integers_of_numpy_do_as_well_as_pythons(env_id, kwargs):
    kwargs = {**COMMON, **kwargs}
    assert played(env_id, of_numpy(kwargs)) == played(env_id, kwargs)


@pytest.mark.parametrize("family", ["silo", "graph", "pairs", "swarm"])
def test_every_integer_argument_is_among_those_tested(family):
    ids = [env_id for env_id in INTS if coordgym.registry.get_entry(env_id).family == family]
    tested = {name for env_id in ids for name in INTS[env_id]} | set(COMMON) | {"history"}
    parameters = env_kwargs(ids[0]).values()
    ints = {p.name for p in parameters if "int" in inspect.formatannotation(p.annotation).split()}
    ints |= {p.name for p in parameters if p.annotation is int}
    assert ints <= tested


@pytest.mark.parametrize("value", [5, "x", [1], True, 0, "", [], {1: 2}, {"nonsense": 1}])
@pytest.mark.parametrize(
    ("env_id", "name"), [("PairMaze-v0", "config"), ("SiloGlobalMax-v0", "params")]
)
def test_parameters_of_a_task_are_a_mapping_or_none(env_id, name, value):
    with pytest.raises(CoordgymError, match=name if not isinstance(value, dict) else "nonsense|1"):
        coordgym.make(env_id, **{name: value})
    coordgym.make(env_id, **{name: None})
    coordgym.make(env_id, **{name: {}})


@pytest.mark.parametrize("value", [True, False, -0.1, 1.1, float("nan"), "0.5", None, 10**400])
@pytest.mark.parametrize(
    ("env_id", "name"),
    [
        ("SiloGlobalMax-v0", "message_loss"),
        ("GraphColoring-v0", "loss"),
        ("SwarmPursuit-v0", "noise"),
    ],
)
def test_probabilities_are_numbers_from_zero_to_one(env_id, name, value):
    with pytest.raises(CoordgymError, match=f"{name} must be a probability"):
        coordgym.make(env_id, **{name: value})
    for good in (0, 1, np.float32(0.5)):
        coordgym.make(env_id, **{name: good})


@pytest.mark.parametrize("env_id", INTS)
def test_keys_of_an_instance_that_are_no_texts_are_refused(env_id):
    env = coordgym.make(env_id)
    for instance in ({1: 2}, {None: 1}, {"x" * 5_000: 1}):
        with pytest.raises(InstanceError) as caught:
            env.reset(options={"instance": instance})
        assert len(str(caught.value)) < 600

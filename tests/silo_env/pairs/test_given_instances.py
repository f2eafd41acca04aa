"""Instances that are given: the environment's own come back; what would be ignored is refused."""

import json

import pytest

from coordgym.errors import InstanceError
from coordgym.silo_env.pairs import grade, parallel_env, solve, verify
from coordgym.silo_env.pairs.table import TASK_CLASSES


def own_instance(name):
    env = parallel_env(task=name)
    env.reset(seed=3)
    return env, env.instance


def objects_within(value, path=()):
    """The places of all objects in JSON data."""
    if isinstance(value, dict):
        yield path
        for key, entry in value.items():
            yield from objects_within(entry, (*path, key))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from objects_within(entry, (*path, number))


def refused(env, instance, match) -> None:
    with pytest.raises(InstanceError, match=match):
        env.reset(seed=4, options={"instance": instance})
    with pytest.raises(InstanceError, match=match):
        verify(instance, None)


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_an_environments_own_instance_can_be_given_back(name) -> None:
    env, instance = own_instance(name)
    for given in (instance, json.loads(json.dumps(instance))):
        env.reset(seed=4, options={"instance": given})
        assert env.instance == instance
        assert verify(given, given["answer"]).exact
    bare = {key: value for key, value in instance.items() if key not in ("task", "answer")}
    env.reset(seed=4, options={"instance": bare})
    assert env.instance == instance
    assert solve(name, bare) == instance["answer"]


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_unknown_keys_are_refused(name) -> None:
    env, instance = own_instance(name)
    for path in objects_within({k: v for k, v in instance.items() if k != "answer"}):
        given = json.loads(json.dumps(instance))
        place = given
        for key in path:
            place = place[key]
        place["extra1"] = 1
        with pytest.raises(InstanceError):
            env.reset(seed=4, options={"instance": given})
    refused(env, {**instance, "max_exchanges": 7}, "unknown key 'max_exchanges'")
    nearly = next(key for key in instance if key not in ("task", "answer")) + "s"
    refused(env, {**instance, f"{nearly}x": []}, f"unknown key '{nearly}x'")


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_other_answers_are_refused(name) -> None:
    env, instance = own_instance(name)
    forged = {field: [] for field in instance["answer"]}
    for answer in (forged, {**instance["answer"], "more": 1}, {}, None, "U", 1.0):
        given = {**instance, "answer": answer}
        refused(env, given, "answer is not its solution")
        with pytest.raises(InstanceError):
            grade(name, given, instance["answer"])

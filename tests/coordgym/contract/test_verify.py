"""Each family's ``verify`` takes and gives the same kinds of things, and refuses the rest."""

import importlib
from typing import Any

import numpy as np
import pytest

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.errors import ConfigError, InstanceError, ResetNeededError
from coordgym.policies.named import make_policy

FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "silo": ("coordgym.silo_env.compute", "SiloGlobalMax-v0", {"n_agents": 3}),
    "graph": ("coordgym.silo_env.graph", "GraphColoring-v0", {"n_agents": 4}),
    "pairs": ("coordgym.silo_env.pairs", "PairTimedPath-v0", {}),
    "swarm": ("coordgym.swarm_env", "SwarmPursuit-v0", {"n_agents": 4, "max_cycles": 20}),
}


def verify(family: str, instance: Any, outcome: Any) -> Any:
    """The verdict of the family's own function."""
    return importlib.import_module(FAMILIES[family][0]).verify(instance, outcome)


@pytest.fixture(params=FAMILIES)
def played(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any], Any, dict[str, Any]]:
    """A family, and the instance, the outcome and the metrics of an episode of it."""
    family = request.param
    _, env_id, kwargs = FAMILIES[family]
    env = coordgym.make(env_id, **kwargs)
    episode = rollout(env, make_policy("oracle"), 3)
    inner = env.unwrapped
    return family, inner.instance, inner.outcome(), episode.metrics


def test_a_verdict_has_the_metrics_success_and_score(played):
    family, instance, outcome, metrics = played
    verdict = verify(family, instance, outcome)
    assert verdict.success is metrics["success"]
    assert isinstance(verdict.score, float)
    assert verdict.score == metrics["score"]


@pytest.mark.parametrize("name", ["oracle", "random"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_outcome_of_whatever_is_played_is_judged_like_the_episode(family, name):
    _, env_id, kwargs = FAMILIES[family]
    env = coordgym.make(env_id, **kwargs)
    with pytest.raises(ResetNeededError):
        env.unwrapped.outcome()
    for seed in range(3):
        episode = rollout(env, make_policy(name), seed)
        outcome = env.unwrapped.outcome()
        assert outcome is None or outcome is not env.unwrapped.outcome()  # a copy
        verdict = verify(family, env.unwrapped.instance, outcome)
        assert verdict.success is episode.metrics["success"]
        assert verdict.score == episode.metrics["score"]


@pytest.mark.parametrize("instance", [None, 5, "x", [], [1], {1, 2}, object(), {}, {"task": []}])
def test_what_is_no_instance_is_refused(played, instance):
    family, _, outcome, _ = played
    with pytest.raises((InstanceError, ConfigError)):
        verify(family, instance, outcome)


@pytest.mark.parametrize("outcome", [5, "x", {1, 2}, object(), b"x", 2.5, [5], ["x"], [[]]])
def test_what_is_no_outcome_is_refused(played, outcome):
    family, instance, _, _ = played
    with pytest.raises(ConfigError, match="outcome"):
        verify(family, instance, outcome)


@pytest.mark.parametrize(
    "value", [np.array([1, 2]), np.int64(1), object(), {1}, float("nan"), b"x"]
)
def test_no_field_of_an_instance_holds_what_json_can_not(played, value):
    family, instance, outcome, _ = played
    env = coordgym.make(FAMILIES[family][1], **FAMILIES[family][2])
    for name in instance:
        broken = {**instance, name: value}
        with pytest.raises(InstanceError):
            verify(family, broken, outcome)
        with pytest.raises(InstanceError):
            env.reset(options={"instance": broken})


@pytest.mark.parametrize("value", ["y" * 5_000, ["z" * 5_000], 10**300, {"k" * 5_000: 1}])
def test_wrong_values_are_not_echoed_at_length(played, value):
    family, instance, outcome, _ = played
    env = coordgym.make(FAMILIES[family][1], **FAMILIES[family][2])
    messages = []
    for name in instance:
        for call in (
            lambda broken: verify(family, broken, outcome),
            lambda broken: env.reset(options={"instance": broken}),
        ):
            try:
                call({**instance, name: value})
            except (InstanceError, ConfigError) as error:
                messages.append(str(error))
    assert messages
    assert max(map(len, messages)) < 700

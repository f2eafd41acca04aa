"""Wrong use of an environment: it raises at once, says what was wrong and changes nothing."""

import pickle
import threading

import numpy as np
import pytest
from countdown import CountdownEnv, play

import coordgym
from coordgym.errors import (
    ActionError,
    ConfigError,
    InstanceError,
    ResetNeededError,
    SeedError,
)


@pytest.mark.parametrize("seed", [-1, True, 1.0, "1", [5]])
def test_bad_seeds_are_refused(seed) -> None:
    with pytest.raises(SeedError, match="int ≥ 0"):
        CountdownEnv(n_agents=1).reset(seed)


@pytest.mark.parametrize(("text", "reason"), [("9" * 11, "at most 10"), ("\ud800", "surrogates")])
def test_unusable_texts_are_not_applied(text: str, reason: str) -> None:
    env = CountdownEnv(n_agents=1, max_action_chars=10)
    env.reset(seed=0)
    _, _, _, _, infos = env.step({"agent_0": text})
    assert reason in infos["agent_0"]["error"]
    assert reason in str(env.check_action("agent_0", text))
    assert env.total == 0


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ({"agent_0": "1"}, "no action for agent_1"),
        ({"agent_0": "1", "agent_1": 2}, "must be a str, got int"),
        ({"agent_0": "1", "agent_1": "2", "agent_7": "3"}, "no agent 'agent_7'"),
        (["1", "2"], "must be a dict"),
    ],
)
def test_wrong_use_of_step_raises_and_changes_nothing(actions, reason: str) -> None:
    env = CountdownEnv(n_agents=2)
    env.reset(seed=0)
    env.step({"agent_0": "nonsense", "agent_1": "1"})
    before = pickle.dumps(env.get_state())
    with pytest.raises(ActionError, match=reason):
        env.step(actions)
    assert pickle.dumps(env.get_state()) == before


@pytest.mark.parametrize(
    "options", [{"instanc": {}}, {"instances": {}}, {"instance": [1]}, {"instance": {"begin": 1}}]
)
def test_bad_instances_are_refused(options) -> None:
    with pytest.raises(InstanceError):
        CountdownEnv(n_agents=1).reset(seed=0, options=options)


@pytest.mark.parametrize(
    "instance",
    [
        {"start": float("nan")},
        {"start": {1, 2}},
        {"start": np.int64(3)},
        {"start": np.zeros(2)},
        {"start": threading.Lock()},
        {("a", 1): 2},
    ],
)
def test_instances_that_are_no_json_are_refused(instance) -> None:
    with pytest.raises(InstanceError, match="JSON"):
        CountdownEnv(n_agents=1).reset(seed=0, options={"instance": instance})


@pytest.mark.parametrize("options", [5, [1], "abc", ("a",)])
def test_options_must_be_a_dict(options) -> None:
    with pytest.raises(InstanceError, match="options must be a dict"):
        CountdownEnv(n_agents=1).reset(seed=0, options=options)


LONG = {"text": "x" * 10_000, "list": ["x" * 10_000], "dict": {"x" * 10_000: 1}, "int": -(10**5000)}


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_values_that_are_refused_are_not_shown_at_length(value) -> None:
    env = CountdownEnv(n_agents=1)
    env.reset(seed=0)
    uses = [lambda: env.reset(seed=value), lambda: env.check_action(value, "1")]
    if not isinstance(value, dict | list):
        uses += [lambda: env.step({value: "1"}), lambda: env.action_space(value)]
    if not isinstance(value, dict):
        uses.append(lambda: env.reset(options=value))
    for use in uses:
        with pytest.raises((ActionError, SeedError, InstanceError)) as caught:
            use()
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [0, -1, "5", 2.5, True, float("nan"), []])
def test_a_limit_that_is_assigned_is_checked(value) -> None:
    env = CountdownEnv(n_agents=1)
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="max_cycles must be"):
        env.max_cycles = value
    assert env.limit == 6


@pytest.mark.parametrize(
    "kwargs",
    [
        {"n_agents": 0},
        {"n_agents": True},
        {"n_agents": 2.0},
        {"n_agents": -(10**5000)},
        {"n_agents": 1, "max_cycles": 0},
        {"n_agents": 1, "render_mode": "rgb"},
        {"n_agents": 1, "text": "short"},
        {"n_agents": 1, "history": -1},
        {"n_agents": 1, "max_action_chars": 0},
        {"n_agents": 1, "repeat_instructions": 1},
    ],
)
def test_bad_arguments_are_refused(kwargs) -> None:
    with pytest.raises(ConfigError, match=next(reversed(kwargs))):
        CountdownEnv(**kwargs)


def test_nothing_works_before_reset() -> None:
    env = CountdownEnv(n_agents=1)
    uses = (
        env.metrics,
        env.state,
        lambda: env.step({}),
        lambda: env.check_action("agent_0", "1"),
    )
    for use in uses:
        with pytest.raises(ResetNeededError, match="reset"):
            use()


class OtherCountdown(CountdownEnv):
    """The same rules under another name."""


def started(env, seed: int = 0):
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("state", [{}, "abc", None, 5, [], [("total", 3)], {"total": 3}])
def test_what_is_no_snapshot_is_refused_and_changes_nothing(state) -> None:
    env = started(CountdownEnv(n_agents=2))
    play(env, "3")
    before = pickle.dumps(env.get_state())
    with pytest.raises(ConfigError, match=r"state must be what get_state\(\) returned, got"):
        env.set_state(state)
    assert pickle.dumps(env.get_state()) == before


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (lambda: OtherCountdown(n_agents=2), "OtherCountdown', expected class 'countdown.Countd"),
        (lambda: CountdownEnv(n_agents=3), "with n_agents 3, expected n_agents 2"),
        (lambda: coordgym.make("SwarmForaging-v0", n_agents=2), "expected class"),
    ],
)
def test_snapshots_of_other_environments_are_refused_and_change_nothing(other, expected) -> None:
    env = started(CountdownEnv(n_agents=2))
    play(env, "3")
    before = pickle.dumps(env.get_state())
    with pytest.raises(ConfigError, match=expected):
        env.set_state(started(other()).get_state())
    assert pickle.dumps(env.get_state()) == before


def test_snapshots_of_other_tasks_of_a_family_are_refused() -> None:
    env = started(coordgym.make("SiloGlobalMax-v0", n_agents=3))
    other = started(coordgym.make("SiloDistributedVote-v0", n_agents=3))
    with pytest.raises(ConfigError, match="expected id 'coordgym/SiloGlobalMax-v0'"):
        env.set_state(other.get_state())
    same = started(coordgym.make("SiloGlobalMax-v0", n_agents=3), seed=9)
    env.set_state(same.get_state())
    assert env.instance == same.instance

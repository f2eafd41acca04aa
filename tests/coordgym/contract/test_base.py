"""The environment contract, tested on a small family: a countdown that agents share."""

import copy
import pickle
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pytest
from countdown import CountdownEnv, play

from coordgym.contract.seeding import stream_rng
from coordgym.contract.spec import Spec
from coordgym.episodes.seat import SeatEnv
from coordgym.errors import ActionError, ResetNeededError


def test_first_observation_holds_instructions_later_ones_what_is_new() -> None:
    env = CountdownEnv(n_agents=2)
    observations, infos = env.reset(seed=5)
    start = env.instance["start"]
    assert observations["agent_1"] == f"You are agent_1; start at {start}.\n\ntotal 0, noise 0"
    assert infos["agent_1"] == {
        "round": 0,
        "max_cycles": 6,
        "active": True,
        "valid": None,
        "error": None,
        "view": {"start": start, "total_0": 0},
        "instructions": f"You are agent_1; start at {start}.",
    }
    observations, rewards, terminated, truncated, infos = env.step({"agent_0": "3", "agent_1": "4"})
    assert observations["agent_0"].startswith("total 7")
    assert infos["agent_0"]["view"] == {"total_1": 7}
    assert infos["agent_0"]["valid"] is True
    assert set(infos["agent_0"]) == {"round", "max_cycles", "active", "valid", "error", "view"}
    assert rewards == {"agent_0": 0.0, "agent_1": 0.0}
    assert not any(terminated.values())
    assert not any(truncated.values())


def test_same_seed_same_episode_and_unseeded_resets_continue_the_stream() -> None:
    first, second = CountdownEnv(n_agents=3), CountdownEnv(n_agents=3)
    for seed in (4, None, None):
        assert first.reset(seed) == second.reset(seed)
        assert play(first, "1", "x", "2") == play(second, "1", "x", "2")
        assert first.seed_value == second.seed_value


def test_an_unseeded_environment_records_its_seed() -> None:
    first, second = CountdownEnv(n_agents=1), CountdownEnv(n_agents=1)
    observations = first.reset()
    assert second.reset(first.seed_value) == observations


def test_environments_that_nobody_seeds_differ() -> None:
    seeds = set()
    for _ in range(3):
        env = CountdownEnv(n_agents=1)
        env.reset()
        seeds.add(env.seed_value)
    assert len(seeds) == 3


def test_generators_are_told_apart_by_every_number_of_their_stream() -> None:
    env = CountdownEnv(n_agents=1)
    env.reset(seed=5)
    keys = [(0,), (1,), (2,), (2, 0), (2, 1), (2, 1, 3), (3, 1)]
    drawn = [int(env.rng(*key).integers(10**12)) for key in keys]
    name = env._seed_name()
    assert drawn == [int(stream_rng(5, name, *key).integers(10**12)) for key in keys]
    assert len(set(drawn)) == len(keys)
    assert int(env.np_random.integers(10**12)) == drawn[1]
    env.reset(seed=np.int64(5))
    assert env.seed_value == 5
    assert type(env.seed_value) is int
    assert int(env.rng(2, 1).integers(10**12)) == drawn[4]


class DrawTotal:
    """Draws nothing but the total at the time."""

    def __init__(self, total: int) -> None:
        self.total = total

    def __call__(self, rng: np.random.Generator) -> str:
        return str(self.total)


def test_samples_follow_the_episode_after_resets_and_snapshots() -> None:
    class Sampling(CountdownEnv):
        def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
            instance = super()._start(given)
            self.total = instance["start"]
            return instance

        def _sampler(self, agent: str):
            return DrawTotal(self.total)

    env = Sampling(n_agents=1)
    env.reset(seed=0, options={"instance": {"start": 7}})
    space = env.action_space("agent_0")
    assert space.sample() == "7"
    snapshot = env.get_state()
    env.reset(seed=0, options={"instance": {"start": 8}})
    assert space.sample() == "8"
    env.set_state(snapshot)
    assert space.sample() == "7"


def test_finished_agents_leave_and_can_not_act() -> None:
    env = CountdownEnv(n_agents=2)
    env.reset(seed=0)
    _, rewards, terminated, truncated, _ = env.step({"agent_0": "done", "agent_1": "1"})
    assert rewards == {"agent_0": 1.0, "agent_1": 0.0}
    assert terminated == {"agent_0": True, "agent_1": False}
    assert not any(truncated.values())
    assert env.agents == ["agent_1"]
    with pytest.raises(ActionError, match="agent_0 has left"):
        env.step({"agent_0": "1", "agent_1": "1"})


@pytest.mark.parametrize(
    ("last", "terminates"),
    [({"agent_0": "done", "agent_1": "done"}, True), ({"agent_0": "done", "agent_1": "1"}, False)],
)
def test_the_last_step_never_mixes_endings(last: dict[str, str], terminates: bool) -> None:
    env = CountdownEnv(n_agents=2, max_cycles=2)
    env.reset(seed=0)
    play(env, "1")
    observations, rewards, terminated, truncated, infos = env.step(last)
    assert set(terminated.values()) == {terminates}
    assert set(truncated.values()) == {not terminates}
    assert rewards["agent_0"] == 1.0
    assert env.agents == []
    assert infos["agent_1"]["metrics"] == env.metrics()
    assert infos["agent_0"]["active"] is False
    assert set(observations) == {"agent_0", "agent_1"}
    with pytest.raises(ResetNeededError, match="over"):
        env.step({})


class MemorableCountdownEnv(CountdownEnv):
    """Goes on naming those that have finished in earlier steps."""

    def _seed_name(self) -> str:
        return CountdownEnv(n_agents=1)._seed_name()

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        self.ever_done: list[str] = []
        return super()._start(given)

    def _finished(self) -> Collection[str]:
        self.ever_done += self.done
        return self.ever_done


@pytest.mark.parametrize("max_cycles", [2, 9])
def test_a_family_may_name_those_that_have_left_as_finished(max_cycles: int) -> None:
    texts = [["done", "1", "1"], ["done", "1"], ["done"]]
    told = []
    for kind in (CountdownEnv, MemorableCountdownEnv):
        env = kind(n_agents=3, max_cycles=max_cycles)
        env.reset(seed=0)
        steps = []
        while env.agents:
            steps.append(env.step(dict(zip(env.agents, texts[env.steps], strict=True))))
        told.append(steps)
    assert told[0] == told[1]
    assert len(told[0]) == min(max_cycles, 3)
    assert all("metrics" in info for info in told[1][-1][-1].values())


@pytest.mark.parametrize("text", ["1", "done"])
def test_who_has_left_is_not_active_whoever_the_family_names(text: str) -> None:
    env = CountdownEnv(n_agents=2, turns=True, max_cycles=3)
    env.reset(seed=0)
    *_, infos = env.step({"agent_0": text, "agent_1": "1"})  # then it is agent_0's turn
    assert infos["agent_0"]["active"] is (text == "1")
    while env.agents:
        asked = [agent for agent in env.agents if infos[agent]["active"]]
        *_, infos = env.step(dict.fromkeys(asked, "1"))
    assert env.round == 3
    assert not any(info["active"] for info in infos.values())


def test_figures_that_are_not_defined_are_none_in_infos() -> None:
    class Undefined(CountdownEnv):
        def _metrics(self) -> dict[str, Any]:
            return {**super()._metrics(), "rate": float("nan")}

    env = Undefined(n_agents=2, max_cycles=1)
    env.reset(seed=0)
    *_, infos = env.step({"agent_0": "1", "agent_1": "1"})
    for info in infos.values():
        assert info["metrics"]["rate"] is None
    assert infos["agent_0"]["metrics"] is not infos["agent_1"]["metrics"]
    assert np.isnan(env.metrics()["rate"])
    seat = SeatEnv(Undefined, n_agents=1, max_cycles=1)
    seat.reset(seed=0)
    assert seat.step("1")[-1]["metrics"]["rate"] is None


def test_max_cycles_may_be_assigned_and_stays_what_was_given() -> None:
    env = CountdownEnv(n_agents=1)
    assert env.max_cycles is None
    _, infos = env.reset(seed=0)
    assert infos["agent_0"]["max_cycles"] == 6
    env.max_cycles = 2
    play(env, "1", "1")
    assert env.agents == []


def test_actions_reach_the_family_in_the_order_of_the_agents() -> None:
    class Ordered(CountdownEnv):
        def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
            self.order = list(actions)
            return super()._apply(actions)

    env = Ordered(n_agents=3)
    env.reset(seed=0)
    env.step(dict.fromkeys(reversed(env.agents), "1"))
    assert env.order == env.agents


def test_the_state_is_readable_in_every_script() -> None:
    class Foreign(CountdownEnv):
        def _state(self) -> dict[str, Any]:
            return {"name": "Grüße 日本語"}

    env = Foreign(n_agents=1)
    env.reset(seed=0)
    assert env.state() == '{"name": "Grüße 日本語"}'


def test_actions_of_inactive_agents_are_ignored() -> None:
    env = CountdownEnv(n_agents=2, turns=True)
    env.reset(seed=0)
    play(env, "1")
    *_, infos = env.step({"agent_0": "1", "agent_1": "done"})
    assert infos["agent_1"]["valid"] is None
    assert env.agents == ["agent_0", "agent_1"]


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_identically(copier) -> None:
    env = CountdownEnv(n_agents=2, max_cycles=9)
    env.reset(seed=3)
    play(env, "1", "2")
    twin = copier(env)
    assert play(env, "3", "x", "4") == play(twin, "3", "x", "4")


def test_a_snapshot_is_not_changed_by_later_steps_and_keeps_the_spaces() -> None:
    env = CountdownEnv(n_agents=2, max_cycles=9)
    env.reset(seed=3)
    space = env.action_space("agent_0")
    play(env, "1")
    snapshot = env.get_state()
    expected = play(env, "2", "x", "5")
    for _ in range(2):
        env.set_state(snapshot)
        assert play(env, "2", "x", "5") == expected
    assert env.action_space("agent_0") is space


def test_a_snapshot_leaves_how_an_environment_was_made_and_draws() -> None:
    env = CountdownEnv(n_agents=1)
    env.spec = Spec("test/Countdown-v0", {"n_agents": 1})
    env.reset(seed=3)
    other = CountdownEnv(n_agents=1, render_mode="ansi")
    other.set_state(env.get_state())
    assert other.render() == "total 0"
    assert other.spec is None


def test_instances_can_be_given_and_are_copied() -> None:
    env = CountdownEnv(n_agents=1)
    given = {"start": 7}
    observations, _ = env.reset(seed=0, options={"instance": given, "unrelated": 1})
    assert "start at 7" in observations["agent_0"]
    given["start"] = 8
    assert env.instance == {"start": 7}


def test_rendering(capsys) -> None:
    for mode, expected in (("ansi", "total 0"), ("human", None)):
        env = CountdownEnv(n_agents=1, render_mode=mode)
        env.reset(seed=0)
        assert env.render() == expected
    assert capsys.readouterr().out == "total 0\n"


def test_check_action_changes_nothing() -> None:
    env = CountdownEnv(n_agents=2, turns=True)
    env.reset(seed=0)
    before = env.get_state()["total"]
    assert env.check_action("agent_0", "nonsense") == "say a number or done"
    assert env.check_action("agent_0", "4") is None
    with pytest.raises(ActionError):
        env.check_action("agent_9", "4")
    assert env.total == before
    play(env, "1")
    assert env.check_action("agent_1", "nonsense") is None

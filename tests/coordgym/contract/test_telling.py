"""What agents are told: errors, what they missed, instructions and earlier rounds again."""

from collections.abc import Collection, Mapping
from typing import Any

import pytest
from countdown import CountdownEnv, play

from coordgym.contract.base import Observed


def test_errors_reach_only_the_agent_that_made_them() -> None:
    env = CountdownEnv(n_agents=2)
    env.reset(seed=0)
    observations, _, _, _, infos = env.step({"agent_0": "nonsense", "agent_1": "4"})
    assert observations["agent_0"].startswith("Your last action was not valid: say a number")
    assert infos["agent_0"]["valid"] is False
    assert "nonsense" not in infos["agent_0"]["error"]
    assert observations["agent_1"].startswith("total 4")
    assert infos["agent_1"]["error"] is None
    assert env.metrics()["invalid_actions"] == 1


def test_an_empty_error_is_none() -> None:
    class Forgiving(CountdownEnv):
        def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
            return dict.fromkeys(actions, "")

    env = Forgiving(n_agents=1)
    env.reset(seed=0)
    *_, infos = env.step({"agent_0": "anything"})
    assert (infos["agent_0"]["valid"], infos["agent_0"]["error"]) == (True, None)
    assert env.metrics()["invalid_actions"] == 0


def test_what_is_told_while_inactive_is_repeated_at_the_next_turn() -> None:
    env = CountdownEnv(n_agents=2, turns=True)
    env.reset(seed=0)
    *_, infos = env.step({"agent_0": "1", "agent_1": "2"})
    assert infos["agent_0"]["active"] is True
    assert infos["agent_1"]["active"] is False
    observations, *_, infos = env.step({"agent_0": "5"})
    assert infos["agent_1"]["active"] is True
    assert infos["agent_1"]["view"] == {"total_1": 3, "total_2": 8}
    assert [part.split(",")[0] for part in observations["agent_1"].split("\n\n")] == [
        "total 3",
        "total 8",
    ]
    assert "total 3" not in observations["agent_0"]
    env.step({"agent_0": "1", "agent_1": "1"})
    observations, *_, infos = env.step({"agent_0": "1"})
    assert infos["agent_1"]["view"] == {"total_3": 10, "total_4": 11}
    assert "total 3" not in observations["agent_1"]


def test_the_latest_of_what_was_missed_counts() -> None:
    class Overwriting(CountdownEnv):
        def _observe(self, agent: str) -> Observed:
            return Observed(f"total {self.total}", {"total": self.total, "start": "later"})

    env = Overwriting(n_agents=2, turns=True)
    _, infos = env.reset(seed=0)
    assert infos["agent_0"]["view"] == {"start": "later", "total": 0}
    env.step({"agent_0": "1", "agent_1": "2"})
    *_, infos = env.step({"agent_0": "5"})
    assert infos["agent_1"]["view"] == {"total": 8, "start": "later"}


class SilentCountdownEnv(CountdownEnv):
    """Tells inactive agents nothing."""

    def _observe(self, agent: str) -> Observed:
        if self.turns and self.round % 2 and agent != "agent_0":
            return Observed("", {})
        return super()._observe(agent)


def test_an_error_is_told_again_at_the_next_turn_if_the_agent_had_to_wait() -> None:
    env = SilentCountdownEnv(n_agents=2, turns=True)
    env.reset(seed=0)
    observations, *_ = env.step({"agent_0": "1", "agent_1": "nonsense"})
    assert observations["agent_1"].startswith("Your last action was not valid")
    assert "wait" in observations["agent_1"]
    observations, *_, infos = env.step({"agent_0": "5"})
    assert infos["agent_1"]["active"] is True
    error, news = observations["agent_1"].split("\n\n")
    assert error == "Your last action was not valid: say a number or done"
    assert news.startswith("total 6")


class LateCountdownEnv(CountdownEnv):
    """The last agent waits in the first round."""

    def _active(self) -> Collection[str]:
        return self.agents if self.round else self.agents[:-1]


def test_who_waits_at_the_start_is_told_everything_at_its_first_turn() -> None:
    env = LateCountdownEnv(n_agents=2)
    first, infos = env.reset(seed=0)
    assert infos["agent_1"]["active"] is False
    observations, *_, infos = env.step({"agent_0": "3"})
    assert observations["agent_1"].startswith(f"{first['agent_1']}\n\ntotal 3")
    start = env.instance["start"]
    assert infos["agent_1"]["view"] == {"start": start, "total_0": 0, "total_1": 3}


def test_a_new_episode_knows_nothing_of_the_last_one() -> None:
    def first_turns(env: CountdownEnv) -> list[Any]:
        return [env.reset(seed=0), env.step({"agent_0": "3"}), env.step(dict.fromkeys(two, "x"))]

    two = ["agent_0", "agent_1"]
    env = LateCountdownEnv(n_agents=2, repeat_instructions=True)
    expected = first_turns(env)
    env.reset(seed=1)  # agent_1 is told something that it never reads
    assert first_turns(env) == expected
    assert env.metrics()["invalid_actions"] == 2


def test_repeated_instructions_make_observations_stand_alone() -> None:
    env = CountdownEnv(n_agents=1, max_cycles=9, repeat_instructions=True, history=2)
    env.reset(seed=0)
    observations, *_, infos = play(env, "1", "x", "3", "4")[-1]
    text = observations["agent_0"]
    assert text.startswith("You are agent_0")
    assert "[2 earlier rounds are left out here]" in text
    assert text.count("You answered:") == 2
    assert text.index("You answered: 3") < text.index("You answered: 4") < text.rindex("total 8")
    assert infos["agent_0"]["view"]["start"] == env.instance["start"]


def test_retold_rounds_stay_within_the_space() -> None:
    env = CountdownEnv(n_agents=1, max_cycles=12, repeat_instructions=True)
    env.reset(seed=0)
    for _ in range(11):
        observations, *_ = env.step({"agent_0": "x" * 100_000})
        assert observations["agent_0"] in env.observation_space("agent_0")
    assert "earlier rounds are left out" in observations["agent_0"]


class ChatteringCountdownEnv(CountdownEnv):
    """Lets nobody but agent_0 act, and tells the others something in every round."""

    def _active(self) -> Collection[str]:
        return ["agent_0"]


def test_who_is_told_too_much_while_it_waits_is_named() -> None:
    env = ChatteringCountdownEnv(n_agents=2, max_cycles=20)
    env.reset(seed=0)
    for _ in range(7):  # with the reset they are eight
        env.step({"agent_0": "1"})
    with pytest.raises(RuntimeError, match="inactive agent_1 was told more than 8 times"):
        env.step({"agent_0": "1"})

"""One episode is played and recorded as it was."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pettingzoo import ParallelEnv
from relay_runs import RELAY, Spy, played
from toy_relay import Relay, Sayer

from coordgym.episodes.episode import Episode
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import attempt, rollout
from coordgym.errors import (
    ConfigError,
    CoordgymError,
    SeedError,
    UnknownEnvError,
    UnknownPolicyError,
)
from coordgym.making import make_env
from coordgym.policies.named import RandomPolicy
from coordgym.policies.policy_map import PolicyMap


def test_only_active_agents_are_asked_and_all_turns_are_recorded() -> None:
    spy = Spy()
    episode = played(spy, turns=3)
    assert spy.asked == [["agent_0"], ["agent_1"], ["agent_0"]]
    assert [turn.agent for turn in episode.turns] == ["agent_0", "agent_1", "agent_0"]
    assert [turn.step for turn in episode.turns] == [0, 1, 2]
    assert [turn.round for turn in episode.turns] == [0, 1, 2]
    assert episode.turns[1].observation == f"The digit is {(episode.instance or {})['digit'] + 1}."
    assert all(turn.valid and turn.error is None for turn in episode.turns)
    assert (episode.env_id, episode.kwargs, episode.seed) == (RELAY, {"turns": 3}, 3)
    assert episode.metrics["success"] is True
    assert episode.notes == {"dropped": 0}
    assert episode.versions["python"]
    assert episode.timing.seconds >= episode.timing.env_seconds > 0


def test_rewards_while_inactive_go_to_the_last_turn_and_the_return() -> None:
    episode = played(turns=3)  # rewards of the steps: 0.1, 0.2, 0.3 for both agents
    assert [turn.reward for turn in episode.turns] == pytest.approx([0.1 + 0.2, 0.2 + 0.3, 0.3])
    assert episode.returns == pytest.approx({"agent_0": 0.6, "agent_1": 0.6})
    assert [turn.terminated for turn in episode.turns] == [False, True, True]
    assert not any(turn.truncated for turn in episode.turns)


def test_invalid_actions_and_truncation_are_recorded() -> None:
    episode = played(RandomPolicy(), turns=100)
    assert len(episode.turns) == 20
    assert [turn.truncated for turn in episode.turns[-2:]] == [True, True]
    wrong = [turn for turn in episode.turns if not turn.valid]
    assert wrong
    assert all(turn.error == "that was not the digit" for turn in wrong)
    assert episode.metrics["invalid_actions"] == len(wrong)


def test_token_counts_fill_the_open_cost() -> None:
    episode = played(Sayer(tokens=5), turns=3)
    assert episode.metrics["C"] == 3 * 5 / 20  # the relay's limit is 20 rounds
    assert episode.totals() == (21, 15, 1.5)
    assert math.isnan(played(Sayer(), turns=3).metrics["C"])


def test_policies_are_named_by_agent() -> None:
    episode = played(PolicyMap({"agent_0": Sayer(), "*": RandomPolicy()}))
    assert episode.policies == {"agent_0": "sayer", "agent_1": "random"}


def test_calls_made_in_a_turn_are_part_of_its_action(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Relay, "whole_action", lambda _, agent, text: f"look({agent!r})\n{text}")
    actions = [turn.action for turn in played(turns=2).turns]
    assert [action.split("\n")[0] for action in actions] == ["look('agent_0')", "look('agent_1')"]
    assert all(action.split("\n")[1].startswith("say ") for action in actions)


def test_attempt_keeps_the_turns_until_an_error() -> None:
    episode = attempt(make_env(RELAY, {"flaw": "raises"}), Sayer(), 0)
    assert episode.failure is not None
    assert (episode.failure.type, episode.failure.message) == ("RuntimeError", "the relay broke")
    assert "toy_relay" in episode.failure.traceback
    assert len(episode.turns) == 2
    assert episode.metrics == {}
    assert replay(episode).agrees
    with pytest.raises(RuntimeError, match="the relay broke"):
        rollout(make_env(RELAY, {"flaw": "raises"}), Sayer(), 0)


def test_an_error_before_the_first_turn_is_a_record_too() -> None:
    class Unprepared(Sayer):
        def reset(self, agents: Sequence[str], infos: Mapping[str, Any], seed: int) -> None:
            raise SystemExit("no model")

    episode = attempt(make_env(RELAY, {}), Unprepared(), 0)
    assert episode.failure is not None
    assert episode.failure.type == "SystemExit"
    assert episode.turns == ()


class Greeters(ParallelEnv[str, str, str]):
    """Some other text environment: no active flag, no metrics, an agent that comes later."""

    metadata = {"name": "greeters_v0"}

    def __init__(self) -> None:
        self.possible_agents = ["a_0", "b_0"]
        self.agents: list[str] = []

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents = ["a_0"]
        return {"a_0": f"hello {seed}"}, {"a_0": {}}

    def step(self, actions: dict[str, str]) -> Any:
        told = ["a_0", "b_0"]
        over = len(actions) == 2
        self.agents = [] if over else told
        ended = dict.fromkeys(told, over)
        return (
            dict.fromkeys(told, "next"),
            dict.fromkeys(told, 1.0),
            ended,
            dict.fromkeys(told, False),
            {agent: {} for agent in told},
        )


class Greeter(Sayer):
    def act(self, observations: Mapping[str, str], infos: Mapping[str, Any]) -> Any:
        return dict.fromkeys(observations, "hi")


def test_other_text_environments_can_be_rolled_out() -> None:
    episode = rollout(Greeters(), Greeter(), 4)
    assert [(turn.step, turn.agent) for turn in episode.turns] == [
        (0, "a_0"),
        (1, "a_0"),
        (1, "b_0"),
    ]
    assert episode.returns == {"a_0": 2.0, "b_0": 2.0}
    assert (episode.env_id, episode.metrics) == ("greeters_v0", {})
    assert replay(Episode.from_line(episode.to_line()), Greeters()).agrees


def test_environment_and_policy_may_be_given_by_name() -> None:
    episode = rollout(RELAY, "import:toy_relay:Sayer", 3)
    assert (episode.env_id, episode.policy) == (RELAY, "sayer")
    assert repr(episode.without_timing()) == repr(played().without_timing())
    assert rollout("PairMaze-v0", "random", 0).env_id == "coordgym/PairMaze-v0"


def test_a_policy_made_from_a_name_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(Sayer, "close", lambda self: closed.append(self.name), raising=False)
    played()
    assert closed == []
    rollout(RELAY, "import:toy_relay:Sayer", 3)
    assert closed == ["sayer"]


def test_a_drawn_seed_is_recorded() -> None:
    episode = rollout(make_env(RELAY, {}), Sayer(), None)
    other = rollout(make_env(RELAY, {}), Sayer(), None, policy_seed=4)
    assert episode.seed != other.seed
    assert (episode.policy_seed, other.policy_seed) == (episode.seed, 4)
    assert replay(Episode.from_line(episode.to_line())).agrees
    with pytest.raises(SeedError, match="greeters_v0 does not tell which seed it draws"):
        rollout(Greeters(), Greeter(), None)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"policy": None}, ConfigError, "a policy is a name for make_policy or an object"),
        ({"policy": Sayer}, ConfigError, "a policy is a name for make_policy or an object"),
        ({"policy": "rondom"}, UnknownPolicyError, "did you mean 'random'"),
        ({"env": None}, ConfigError, "env must be a parallel environment"),
        ({"env": Relay}, ConfigError, "env must be a parallel environment"),
        ({"env": "PairMazes-v0"}, UnknownEnvError, "did you mean 'PairMaze-v0'"),
        ({"options": 5}, ConfigError, "options must be a dict or None, got 5"),
        *(
            ({"repeat": value}, ConfigError, f"repeat must be an int ≥ 0, got {value!r}")
            for value in (-1, "x", None, 1.5, True)
        ),
        *(
            ({name: value}, SeedError, f"{name} must be an int ≥ 0, got {value!r}")
            for name in ("seed", "policy_seed")
            for value in (-1, "x", 1.5, True)
        ),
    ],
)
def test_wrong_arguments_are_named(
    change: dict[str, Any], error: type[CoordgymError], words: str
) -> None:
    arguments = {"env": make_env(RELAY, {}), "policy": Sayer(), "seed": 0, **change}
    with pytest.raises(error) as caught:
        rollout(**arguments)
    assert words in str(caught.value)


def test_a_policy_can_spoil_its_own_infos_only() -> None:
    class Spoiler(Sayer):
        def act(self, observations: Mapping[str, str], infos: Mapping[str, Any]) -> Any:
            answers = super().act(observations, infos)
            for info in infos.values():
                dict.clear(info)  # type: ignore[arg-type]
            return answers

    assert played(Spoiler(), turns=3).turns == played(Sayer(), turns=3).turns

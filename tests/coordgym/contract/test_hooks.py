"""What an environment is that writes only the hooks that it must: every default is right."""

import json
import pickle
import sys
from collections.abc import Mapping
from typing import Any

import cloudpickle
import guessing
import numpy as np
import pytest
from guessing import GuessingEnv

import coordgym
from coordgym.conformance import check
from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.contract.hooks import FamilyHooks
from coordgym.contract.spaces import DEFAULT_SAMPLES
from coordgym.errors import ConfigError

REQUIRED = {
    "_apply",
    "_finished",
    "_instructions",
    "_metrics",
    "_observe",
    "_rewards",
    "_start",
}

# Other processes can't import these modules: send their classes along.
for module in (guessing, sys.modules[__name__]):
    cloudpickle.register_pickle_by_value(module)


def test_seven_hooks_are_required_and_who_forgets_one_is_told_which() -> None:
    assert FamilyHooks.__abstractmethods__ == REQUIRED
    written = {name for name in vars(GuessingEnv) if not name.startswith("__")}
    assert written & set(vars(FamilyHooks)) == {*REQUIRED, "_abc_impl", "sample_actions"}

    class Forgetful(TextParallelEnv):
        _start = GuessingEnv._start
        _apply = GuessingEnv._apply
        _rewards = GuessingEnv._rewards
        _finished = GuessingEnv._finished
        _observe = GuessingEnv._observe
        _instructions = GuessingEnv._instructions

    with pytest.raises(TypeError, match="_metrics"):
        Forgetful(n_agents=2)  # type: ignore[abstract]


def test_an_environment_of_the_required_hooks_passes_the_whole_suite() -> None:
    report = check(GuessingEnv)
    assert report.ok, str(report)
    skipped = {result.name for result in report if result.skipped}
    assert skipped == {"inactive", "baselines"}, str(report)


def test_the_limit_is_a_hundred_steps() -> None:
    env = GuessingEnv()
    _, infos = env.reset(seed=0)
    assert (env.limit, infos["agent_0"]["max_cycles"]) == (100, 100)
    assert GuessingEnv(max_cycles=3).limit == 3


def test_samples_are_the_actions_that_the_class_names() -> None:
    env = GuessingEnv()
    space = env.action_space("agent_0")
    assert {space.sample() for _ in range(50)} == set(GuessingEnv.sample_actions)
    rng = np.random.default_rng(0)
    assert {env.random_action("agent_1", rng) for _ in range(50)} == set(env.sample_actions)
    assert pickle.loads(pickle.dumps(space.sampler)) == space.sampler


def test_samples_fit_into_the_space() -> None:
    for most, expected in ((22, {"say I am thinking."}), (3, {""})):
        space = GuessingEnv(max_action_chars=most).action_space("agent_0")
        samples = {space.sample() for _ in range(30)}
        assert samples == expected
        assert all(sample in space for sample in samples)


def test_who_names_no_samples_says_small_things() -> None:
    class Unnamed(GuessingEnv):
        sample_actions = TextParallelEnv.sample_actions

    space = Unnamed().action_space("agent_0")
    assert {space.sample() for _ in range(50)} == set(DEFAULT_SAMPLES)


class NotesOthers(GuessingEnv):
    """Draws randomness in each step and notes whose texts it got."""

    asked: tuple[str, ...] = ()

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        self.np_random.random()
        self.asked = tuple(actions)
        return super()._apply(actions)

    def _active(self) -> list[str]:
        return self.agents[:2]


def test_an_action_is_tried_on_a_copy() -> None:
    env, twin = NotesOthers(), NotesOthers()
    for each in (env, twin):
        each.reset(seed=3)
        each.step(dict.fromkeys(each.agents, "say hello"))
    assert env.check_action("agent_0", "= x") == "write say and a text, or = and a number"
    assert env.check_action("agent_0", f"= {env.instance['answer']}") is None
    assert env.check_action("agent_2", "= x") is None  # it does not act now
    assert pickle.dumps(env.get_state()) == pickle.dumps(twin.get_state())
    texts = {"agent_0": "= x", "agent_1": "say hello"}
    assert env.step(texts) == twin.step(texts)
    assert env.asked == ("agent_0", "agent_1")


def test_a_trial_hands_the_rules_a_text_of_every_agent_that_acts() -> None:
    seen: list[dict[str, str | None]] = []

    class Watched(NotesOthers):
        def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
            seen.append(actions)
            return super()._apply(actions)

    env = Watched()
    env.reset(seed=3)
    env.check_action("agent_1", "say hello")
    assert seen == [{"agent_0": None, "agent_1": "say hello"}]


def test_samples_that_are_no_legal_actions_are_told_as_that() -> None:
    class Unnamed(GuessingEnv):
        sample_actions = DEFAULT_SAMPLES

    detail = check(Unnamed, checks="spaces")["spaces"].detail
    assert "write say and a text, or = and a number; samples of an action space must be" in detail
    assert "sample_actions" in detail


def test_there_are_no_facts_but_those_observed() -> None:
    _, infos = GuessingEnv().reset(seed=0)
    assert infos["agent_0"]["view"] == {"heard": {}}


@pytest.mark.parametrize("repeat", [False, True])
def test_the_state_is_what_all_know_together(repeat: bool) -> None:
    env = GuessingEnv(repeat_instructions=repeat)
    _, infos = env.reset(seed=0)
    told = json.loads(env.state())
    assert told == {
        "round": 0,
        "agents": {
            agent: {"instructions": infos[agent]["instructions"], "news": "Silence."}
            for agent in env.agents
        },
    }
    env.step({"agent_0": "say mine is 1", "agent_1": "= 5", "agent_2": "nonsense"})
    state = json.loads(env.state())
    assert state["round"] == 1
    assert {agent: facts["news"] for agent, facts in state["agents"].items()} == {
        "agent_0": "Silence.",
        "agent_1": "agent_0 says: mine is 1",
        "agent_2": "agent_0 says: mine is 1",
    }
    env.step({"agent_0": "say a", "agent_2": "say b"})
    state = json.loads(env.state())
    assert state["agents"]["agent_1"]["news"] == "agent_0 says: mine is 1"  # it has left
    assert state["agents"]["agent_0"]["news"] == "agent_2 says: b"
    assert str(env.instance["answer"]) not in env.state()
    twin = GuessingEnv(repeat_instructions=repeat)
    twin.set_state(env.get_state())
    assert twin.state() == env.state()


def test_the_drawing_is_what_was_new_for_everybody_last() -> None:
    env = GuessingEnv(n_agents=2, render_mode="ansi")
    env.reset(seed=0)
    env.step({"agent_0": "say mine is 1", "agent_1": "say hello"})
    assert env.render() == (
        "round 1\n--- agent_0\nagent_1 says: hello\n--- agent_1\nagent_0 says: mine is 1"
    )
    env = GuessingEnv(render_mode="human")
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="has no picture"):
        env._render_rgb()


class Loud(GuessingEnv):
    """Tells ``size`` control characters, which are long in JSON, and waits for nobody."""

    size = 0

    def _observe(self, agent: str) -> Observed:
        return Observed("\x01" * self.size, {})


def test_the_longest_texts_stay_within_the_spaces() -> None:
    env = GuessingEnv(max_action_chars=2_000)
    env.reset(seed=0)
    observations, *_ = env.step(dict.fromkeys(env.agents, "say " + "\x01" * 1_996))
    assert all(env.observation_space(agent).contains(observations[agent]) for agent in env.agents)
    loud = Loud(max_cycles=9)
    loud.size = loud._max_observation_chars() - 100  # the rest is for the instructions
    observations, _ = loud.reset(seed=0)
    assert all(loud.observation_space(agent).contains(observations[agent]) for agent in loud.agents)
    assert loud.state_space.contains(loud.state())


@pytest.mark.parametrize("repeat", [False, True])
def test_longer_observations_are_refused(repeat: bool) -> None:
    env = Loud(max_action_chars=10, repeat_instructions=repeat)
    env.reset(seed=0)
    env.size = env.observation_space("agent_0").max_length + 1
    with pytest.raises(RuntimeError, match=r"step 1: the observation of agent_0 has .* at most"):
        env.step(dict.fromkeys(env.agents, "-"))
    env.size = env._max_observation_chars()
    observations, *_ = env.step(dict.fromkeys(env.agents, "-"))
    assert env.observation_space("agent_0").contains(observations["agent_0"])


def test_longer_states_are_refused() -> None:
    class Talkative(GuessingEnv):
        def _state(self) -> dict[str, Any]:
            return {"noise": "x" * self._max_state_chars()}

    env = Talkative()
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match=r"the state has .* at most .* fit"):
        env.state()


def test_random_play_needs_nothing_more() -> None:
    episode = coordgym.rollout(GuessingEnv(max_cycles=4), coordgym.make_policy("random"), seed=1)
    assert episode.metrics["rounds"] == 4
    assert episode.metrics["messages"] == 12
    assert episode.metrics["invalid_actions"] == 0

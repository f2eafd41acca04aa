"""The seat environment: turns, sums of rewards, ends, partners, and Gymnasium's rules."""

import copy
import json
import pickle
from collections.abc import Collection, Mapping
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import coordgym
from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.episodes.rollout import rollout
from coordgym.episodes.seat import SeatEnv, View
from coordgym.errors import (
    ActionError,
    ConfigError,
    InstanceError,
    ResetNeededError,
    SeedError,
    UnknownEnvError,
    UnknownKwargError,
    UnknownPolicyError,
)
from coordgym.policies.named import RandomPolicy, make_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.policies.protocol import Completion


class ClockEnv(TextParallelEnv):
    """Agents act one after another; each round pays every agent 1; "leave" ends an agent's part.

    "close" ends the episode for all. The number of the episode is private to nobody.
    """

    family = "clock"
    metadata = {**TextParallelEnv.metadata, "name": "clock_v0"}
    sample_actions = tuple(f"hello {number}" for number in range(100))

    def __init__(self, *, n_agents: int = 3, **kwargs: Any) -> None:
        super().__init__(n_agents=n_agents, **kwargs)

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        if given is not None and set(given) != {"number"}:
            raise InstanceError("an instance is {'number': int}")
        self.log: list[str] = []
        self.gone: list[str] = []
        self.closed = False
        return given or {"number": int(self.instance_rng().integers(1000))}

    def _active(self) -> Collection[str]:
        return [self.agents[self.round % len(self.agents)]]

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        self.gone = []
        for agent, text in actions.items():
            if text is None:
                return {agent: "no text"}
            self.log.append(f"{agent}: {text}")
            self.closed |= text == "close"
            if text == "leave":
                self.gone.append(agent)
        return {}

    def _rewards(self) -> Mapping[str, float]:
        return dict.fromkeys(self.agents, 1.0)

    def _finished(self) -> Collection[str]:
        return self.agents if self.closed else self.gone

    def _observe(self, agent: str) -> Observed:
        last = self.log[-1] if self.log else "nobody has spoken"
        facts = {"last": last, "size": self.round if self.n_agents % 2 else None}
        return Observed(last, facts)

    def _instructions(self, agent: str) -> str:
        return f"You are {agent} in episode {self.instance['number']}."

    def _static_view(self, agent: str) -> dict[str, Any]:
        return {"number": self.instance["number"]}

    def _metrics(self) -> dict[str, Any]:
        return {
            "success": self.closed,
            "score": float(self.round),
            "messages": len(self.log),
            "odd": None if self.round % 2 else 0.5,
        }

    def _default_max_cycles(self) -> int:
        return 9

    def _max_observation_chars(self) -> int:
        return 2 * self.max_action_chars + 200  # the same for teams of all sizes

    def _render_text(self) -> str:
        return "\n".join(self.log)


class Script:
    """A policy that says given texts in order, then "go on", and remembers what it was given."""

    name = "script"

    def __init__(self, *texts: str | Completion) -> None:
        self.texts = texts
        self.seen: list[dict[str, str]] = []
        self.seeds: list[int] = []
        self.agents: list[list[str]] = []

    def bind(self, env: Any) -> None:
        self.bound = env

    def reset(self, agents: Any, infos: Mapping[str, Any], seed: int) -> None:
        assert list(infos) == list(agents)
        self.agents.append(list(agents))
        self.seeds.append(seed)
        self.left = list(self.texts)

    def act(self, observations: Mapping[str, str], infos: Mapping[str, Any]) -> dict[str, Any]:
        assert list(infos) == list(observations)
        self.seen.append(dict(observations))
        return {agent: self.left.pop(0) if self.left else "go on" for agent in observations}


def clock(*texts: str | Completion, seat: str = "agent_0", **kwargs: Any) -> SeatEnv:
    return SeatEnv(ClockEnv, seat=seat, partners=Script(*texts), **kwargs)


def test_plays_on_until_its_turn_and_adds_up_rewards() -> None:
    env = clock(seat="agent_1", max_cycles=7)
    text, info = env.reset(seed=3)
    assert "You are agent_1" in text
    assert "agent_0: go on" in text
    assert info["active"] is True
    assert info["round"] == 1
    assert info["instructions"].startswith("You are agent_1")
    # The reward of the step before its first turn comes with the three of this turn.
    text, reward, terminated, truncated, info = env.step("mine")
    assert (reward, terminated, truncated) == (4.0, False, False)
    assert "agent_2: go on" in text
    assert "agent_0: go on" in text
    assert "metrics" not in info
    *_, reward, terminated, truncated, info = env.step("mine")
    assert (reward, terminated, truncated) == (3.0, False, True)
    assert info["metrics"]["rounds"] == 7
    assert env.env.unwrapped.log[1] == "agent_1: mine"


def test_partners_play_to_the_end_after_the_seat_has_left() -> None:
    env = clock("go on", "go on", "go on", "close")
    env.reset(seed=3)
    text, reward, terminated, truncated, info = env.step("leave")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert text.startswith("agent_0: leave")
    assert info["metrics"]["success"] is True
    assert info["metrics"]["messages"] == 5
    assert not env.env.agents


def test_end_before_the_first_turn_is_told_by_reset_and_paid_by_step() -> None:
    env = clock("go on", "close", seat="agent_2")
    text, info = env.reset(seed=3)
    assert text.endswith("agent_1: close")
    assert info["active"] is False
    assert "metrics" not in info
    assert "instructions" in info
    again, reward, terminated, truncated, info = env.step("too late")
    assert again == text
    assert (reward, terminated, truncated) == (2.0, True, False)
    assert info["metrics"]["success"] is True
    assert not any("too late" in line for line in env.env.unwrapped.log)
    with pytest.raises(ResetNeededError):
        env.step("even later")
    for _ in range(2):  # what an abandoned episode has paid is gone
        env.reset(seed=3)
    assert env.step("too late")[1] == 2.0


def test_partners_are_bound_seeded_and_asked_only_in_their_turn() -> None:
    env = clock(Completion("from a model"), seat="agent_0")
    env.reset(seed=11)
    env.step("mine")
    script = env.partners
    assert script.bound is env.env
    assert script.agents == [["agent_1", "agent_2"]]
    assert script.seeds == [11]
    assert [list(asked) for asked in script.seen] == [["agent_1"], ["agent_2"]]
    assert env.env.unwrapped.log[1] == "agent_1: from a model"
    env.reset()
    assert script.seeds[1] == env.env.unwrapped.seed_value != 11
    assert env.np_random_seed == script.seeds[1]
    assert env.np_random.random() == np.random.default_rng(script.seeds[1]).random()


def test_lone_agent_needs_no_partners() -> None:
    env = clock(n_agents=1, max_cycles=2)
    env.reset(seed=0)
    env.step("alone")
    assert env.step("alone")[3] is True
    assert env.partners.agents == []


def test_wrong_use_raises_and_changes_nothing() -> None:
    env = clock()
    with pytest.raises(ResetNeededError, match="reset"):
        env.step("early")
    env.reset(seed=1)
    with pytest.raises(ActionError, match="must be a str, got int"):
        env.step(3)  # type: ignore[arg-type]
    assert env.env.unwrapped.log == []
    assert env.partners.seen == []
    with pytest.raises(SeedError, match="True"):
        env.reset(seed=True)
    with pytest.raises(InstanceError):
        env.reset(seed=1, options={"instance": {"nonsense": 1}})
    env.reset(options={"instance": {"number": 42}})
    assert env.env.unwrapped.instance == {"number": 42}


def test_bad_arguments_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"agent_0, agent_1, agent_2, got 'agent_9'"):
        SeatEnv(ClockEnv, seat="agent_9", partners="random")
    with pytest.raises(ConfigError, match="TextParallelEnv"):
        SeatEnv(lambda: gymnasium.make("CartPole-v1"), partners="random")
    for made in (5, None, "CartPole-v1", []):
        with pytest.raises(ConfigError, match="TextParallelEnv"):
            SeatEnv(lambda made=made: made, partners="random")
    with pytest.raises(UnknownPolicyError, match="random"):
        SeatEnv(ClockEnv, partners="rndom")
    with pytest.raises(UnknownEnvError):
        SeatEnv("coordgym/Nothing-v0")
    with pytest.raises(UnknownKwargError, match="n_agents"):
        SeatEnv("coordgym/SiloGlobalMax-v0", n_agent=3)


def test_silent_partner_is_named() -> None:
    class Silent(Script):
        def act(self, observations: Any, infos: Any) -> dict[str, Any]:
            return {}

    env = SeatEnv(ClockEnv, partners=Silent())
    env.reset(seed=1)
    with pytest.raises(ActionError, match="agent_1"):
        env.step("hello")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"agent_1": "hi", "agent_2": "me too"}, r"'script' answered for \['agent_1', 'agent_2'\]"),
        ({"agent_1": "hi", "agent_9": "me too"}, r"asked were \['agent_1'\]"),
        (None, "must answer with a dict, got None"),
        ("hi", "must answer with a dict"),
        ({"agent_1": 5}, "'script', agent_1: answered with a int"),
        ({"agent_1": None}, "'script', agent_1: answered with a NoneType"),
        ({"agent_1": Completion(5)}, "the text must be a str"),  # type: ignore[arg-type]
    ],
)
def test_partners_answer_for_exactly_those_asked(answers: Any, reason: str) -> None:
    class Wrong(Script):
        def act(self, observations: Any, infos: Any) -> Any:
            return answers

    env = SeatEnv(ClockEnv, partners=Wrong())
    env.reset(seed=1)
    with pytest.raises(ActionError, match=reason):
        env.step("hello")


def test_a_family_without_an_oracle_needs_other_partners_at_once() -> None:
    with pytest.raises(UnknownPolicyError, match=r"family 'clock'.* partners="):
        SeatEnv(ClockEnv)
    SeatEnv(ClockEnv, n_agents=1).reset(seed=0)  # nobody to play


def test_env_that_plays_on_beyond_its_limit_is_stopped() -> None:
    class Endless(ClockEnv):
        def _ended(self, alive: list[str]) -> tuple[frozenset[str], bool]:
            return frozenset(self.gone), False

    env = SeatEnv(Endless, partners=Script())
    env.reset(seed=1)
    with pytest.raises(RuntimeError, match="limit of 9 steps"):
        env.step("leave")


def test_views_are_not_merged_by_vectors_and_become_plain_dicts() -> None:
    env_fns = [lambda n=n: SeatEnv(ClockEnv, partners=Script(), n_agents=n) for n in (3, 2)]
    vector = SyncVectorEnv(env_fns)
    _, infos = vector.reset(seed=[1, 2])
    assert [view["size"] for view in infos["view"]] == [0, None]
    for _ in range(20):
        *_, truncated, infos = vector.step(("x", "x"))
        if any(truncated):
            break
    assert isinstance(infos["metrics"][0], View)
    view = clock().reset(seed=1)[1]["view"]
    assert json.loads(json.dumps(dict(view)))["last"] == "nobody has spoken"


def test_gymnasiums_checker_accepts_it() -> None:
    check_env(clock(), skip_render_check=True)
    check_env(SeatEnv("coordgym/SiloGlobalMax-v0", n_agents=3, partners="random"))


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_episode_continue_alike(clone: Any) -> None:
    def make() -> SeatEnv:
        return SeatEnv("coordgym/SiloGlobalMax-v0", n_agents=4, max_cycles=6, partners="random")

    env = make()
    env.reset(seed=5)
    env.step("")
    twin = clone(env)
    for _ in range(5):
        told, other = env.step(""), twin.step("")
        assert told == other
        if told[2] or told[3]:
            break
    assert env.reset() == twin.reset()


def test_same_seed_same_episode_whatever_was_before() -> None:
    def episode(env: SeatEnv) -> list[Any]:
        told: list[Any] = [env.reset(seed=9)]
        while not (len(told) > 1 and (told[-1][2] or told[-1][3])):
            told.append(env.step("hello"))
        return told

    def make() -> SeatEnv:
        return SeatEnv("coordgym/SiloGlobalMax-v0", n_agents=4, max_cycles=6, partners="random")

    used = make()
    used.reset(seed=1)
    used.step("x")
    assert episode(make()) == episode(used) == episode(used)


def test_registered_in_gymnasium_with_oracle_partners() -> None:
    env = gymnasium.make("coordgym/SiloGlobalMax-Seat-v0", n_agents=4)
    assert isinstance(env, SeatEnv)  # no wrapper hides it or complains of text
    assert env.unwrapped.partners.name == "oracle"
    text, info = env.reset(seed=2)
    assert env.observation_space.contains(text)
    assert info["max_cycles"] >= 1
    named = gymnasium.make(
        "coordgym/SiloGlobalMax-Seat-v0", n_agents=4, seat="agent_3", partners="random"
    )
    named.reset(seed=2)
    assert named.unwrapped.env.unwrapped.instance == env.unwrapped.env.unwrapped.instance


def test_oracle_in_the_seat_and_around_it_succeeds_as_in_a_rollout() -> None:
    """The seat is one agent of the same episode: played by the oracle, all succeed."""
    env = SeatEnv("coordgym/SiloGlobalMax-v0", n_agents=4, partners="oracle")
    text, info = env.reset(seed=6)
    mine = make_policy("oracle")
    mine.bind(env.env)
    mine.reset(["agent_0"], {"agent_0": info}, 6)
    total, over = 0.0, False
    while not over:
        action = mine.act({"agent_0": text}, {"agent_0": info})["agent_0"]
        text, reward, terminated, truncated, info = env.step(
            action.text if isinstance(action, Completion) else action
        )
        total, over = total + reward, terminated or truncated
    assert info["metrics"]["success"] is True
    parallel = coordgym.make("coordgym/SiloGlobalMax-v0", n_agents=4)
    episode = rollout(parallel, make_policy("oracle"), 6)
    assert info["metrics"]["rounds"] == episode.metrics["rounds"]
    assert total == episode.returns["agent_0"]


def test_vectors_of_processes_give_long_foreign_texts_intact() -> None:
    vector = AsyncVectorEnv([clock, clock], shared_memory=False)
    single = clock()
    try:
        texts, _ = vector.reset(seed=[4, 4])
        text, _ = single.reset(seed=4)
        for action in ("é" * 4000, "日本語 🙂" * 500):
            assert list(texts) == [text, text]
            texts, *_ = vector.step((action, action))
            text, *_ = single.step(action)
        assert list(texts) == [text, text]
    finally:
        vector.close()


def test_render_and_check_action_are_those_of_the_inner_environment() -> None:
    env = clock(render_mode="ansi")
    env.reset(seed=1)
    env.step("hello")
    assert "agent_0: hello" in env.render()
    assert env.render_mode == "ansi"
    assert env.check_action("fine") is None
    assert env.check_action("\ud800") is not None


def test_different_partners_may_play_different_agents() -> None:
    partners = PolicyMap({"agent_1": Script("one"), "*": RandomPolicy()})
    env = SeatEnv(ClockEnv, partners=partners)
    env.reset(seed=1)
    env.step("hi")
    log = env.env.unwrapped.log
    assert log[1] == "agent_1: one"
    assert log[2].startswith("agent_2: hello")


@pytest.mark.parametrize("partners", [5, None, object()])
def test_partners_that_are_no_policy_are_refused_at_once(partners):
    with pytest.raises(ConfigError, match="a policy is"):
        SeatEnv("PairMaze-v0", partners=partners)


@pytest.mark.parametrize("env_id", [None, 5, ["PairMaze-v0"]])
def test_what_makes_no_environment_is_refused_at_once(env_id):
    with pytest.raises(ConfigError, match="makes its own environment"):
        SeatEnv(env_id)

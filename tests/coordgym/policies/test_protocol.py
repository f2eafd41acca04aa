"""Policies in which each agent has a brain and a generator of its own."""

import numpy as np
import pytest

import coordgym
from coordgym.errors import ConfigError
from coordgym.policies.protocol import POLICY_STREAM, agent_rng, per_agent

INFOS = {f"agent_{i}": {"active": True, "view": {"own": i}} for i in range(3)}
OBSERVATIONS = {agent: f"hello {agent}" for agent in INFOS}


class Counter:
    """Answers with its own number, what it saw and how often it was asked."""

    def __init__(self, agent: str, info: dict, rng: np.random.Generator) -> None:
        self.number = info["view"]["own"]
        self.luck = int(rng.integers(10**9))
        self.asked = 0

    def act(self, observation: str, info: dict) -> str:
        self.asked += 1
        return f"{self.number}|{observation}|{self.asked}|{self.luck}"


def test_each_agent_has_its_own_brain_and_generator() -> None:
    policy = per_agent(Counter, "counter")
    policy.reset(list(INFOS), INFOS, seed=1)
    first = policy.act(OBSERVATIONS, INFOS)
    second = policy.act({"agent_1": "again"}, INFOS)
    assert first["agent_0"].startswith("0|hello agent_0|1|")
    assert second["agent_1"].startswith("1|again|2|")
    assert len({answer.rpartition("|")[2] for answer in first.values()}) == 3
    policy.reset(list(INFOS), INFOS, seed=1)
    assert policy.act(OBSERVATIONS, INFOS) == first
    policy.reset(list(INFOS), INFOS, seed=2)
    assert policy.act(OBSERVATIONS, INFOS) != first


def test_no_agent_draws_the_numbers_of_its_environment() -> None:
    """Else a seat that guesses at hidden facts would guess them right."""
    env = coordgym.make("PairMaze-v0")
    env.reset(seed=1)
    streams = {int(env.unwrapped.rng(stream).integers(10**9)) for stream in range(100)}
    policy = per_agent(Counter, "counter")
    policy.reset(list(INFOS), INFOS, seed=1)
    luck = {int(answer.rpartition("|")[2]) for answer in policy.act(OBSERVATIONS, INFOS).values()}
    assert not luck & streams


def test_agents_of_every_name_draw_their_own_numbers() -> None:
    names = ["agent_1", "agent_11", "adversary_1", "prey_1", "1", "agent", "agent_01", "Agent_1"]
    drawn = {int(agent_rng(name, 7).integers(10**12)) for name in names}
    assert len(drawn) == len(names)
    key = (POLICY_STREAM, 11)
    known = np.random.default_rng(np.random.SeedSequence(7, spawn_key=key)).integers(10**12)
    assert known == agent_rng("agent_11", 7).integers(10**12)


def test_a_policy_of_one_family_refuses_environments_of_others() -> None:
    policy = per_agent(Counter, "counter", family="graph")
    policy.bind(coordgym.make("GraphColoring-v0", n_agents=4))
    with pytest.raises(ConfigError, match="'counter' plays the family 'graph', not 'swarm'"):
        policy.bind(coordgym.make("SwarmPursuit-v0"))

"""What holds for every rule-based policy: it is copied with its episode and keeps to its family."""

import pickle

import pytest

import coordgym
from coordgym.baselines.table import POLICIES
from coordgym.episodes.seat import SeatEnv
from coordgym.errors import ConfigError
from coordgym.policies.named import make_policy
from coordgym.policies.protocol import bind_policy

ENVS = {
    "silo": [
        ("SiloGlobalMax-v0", {"n_agents": 4}),
        ("SiloPrefixSum-v0", {"n_agents": 4}),
        ("SiloLifeGame1d-v0", {"n_agents": 4}),
        ("SiloDiffArray-v0", {"n_agents": 4, "protocol": "shared_files"}),
    ],
    "graph": [
        (f"Graph{task}-v0", {"n_agents": 6})
        for task in ("Coloring", "LeaderElection", "Consensus", "Matching", "VertexCover")
    ],
    "pairs": [("PairMaze-v0", {}), ("PairSchedule-v0", {}), ("PairTreeSum-v0", {})],
    "swarm": [
        (f"Swarm{task}-v0", {"n_agents": 6, "max_cycles": 8})
        for task in ("Pursuit", "Synchronization", "Foraging", "Transport", "Flocking")
    ],
}
"""Some of each family: every kind of brain that a policy chooses by task is among them."""
CASES = [(policy, *case) for policy in POLICIES for case in ENVS[policy.partition(":")[0]]]


@pytest.mark.parametrize(("name", "env_id", "kwargs"), CASES)
def test_a_policy_is_pickled_before_and_in_mid_episode(name, env_id, kwargs):
    env = coordgym.make(env_id, **kwargs)
    policy = pickle.loads(pickle.dumps(make_policy(name)))
    assert policy.name == name
    bind_policy(policy, env)
    observations, infos = env.reset(seed=5)
    policy.reset(list(env.agents), infos, 5)
    for step in range(40):
        if not env.agents:
            break
        active = [agent for agent in env.agents if infos[agent]["active"]]
        asked = {agent: observations[agent] for agent in active}
        told = {agent: infos[agent] for agent in active}
        twin = pickle.loads(pickle.dumps(policy))
        actions = policy.act(asked, told)
        assert twin.act(asked, told) == actions
        policy = twin if step % 2 else policy
        observations, *_, infos = env.step(dict(actions))
    assert step >= 1 or name in ("silo:local", "pairs:one-view")


@pytest.mark.parametrize("family", ENVS)
def test_a_seat_with_its_default_partners_is_pickled_in_mid_episode(family):
    for env_id, kwargs in ENVS[family]:
        seat = SeatEnv(env_id, **kwargs)
        seat.reset(seed=3)
        twin = pickle.loads(pickle.dumps(seat))
        for _ in range(60):
            told, again = seat.step("?"), twin.step("?")
            assert told == again
            twin = pickle.loads(pickle.dumps(twin))
            if told[2] or told[3]:
                break


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_refuses_other_families(name):
    family = name.partition(":")[0]
    policy = make_policy(name)
    assert policy.family == family
    for other, cases in ENVS.items():
        env = coordgym.make(cases[0][0], **cases[0][1])
        if other == family:
            bind_policy(policy, env)
            continue
        with pytest.raises(ConfigError, match=f"{name}.*{family}.*{other}"):
            bind_policy(policy, env)

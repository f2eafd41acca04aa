"""Policies by name: the random one, the listed ones, and what is wrong with a name."""

import pytest
from pettingzoo.test.example_envs import generated_agents_parallel_v0

import coordgym
from coordgym.errors import ConfigError, UnknownKwargError, UnknownPolicyError
from coordgym.policies.named import RandomPolicy, list_policies, make_policy
from coordgym.policies.policy_map import PolicyMap

INFOS = {f"agent_{i}": {"active": True, "view": {"own": i}} for i in range(3)}
OBSERVATIONS = {agent: f"hello {agent}" for agent in INFOS}


def test_outside_of_text_environments_samples_are_a_function_of_the_seed() -> None:
    env = generated_agents_parallel_v0.parallel_env()
    policy, drawn = RandomPolicy(), []
    for seed in (1, 1, 2):
        observations, infos = env.reset(seed=0)
        policy.bind(env)
        policy.reset(env.agents, infos, seed)
        drawn.append([policy.act(observations, infos) for _ in range(9)])
    assert drawn[0] == drawn[1] != drawn[2]


def test_random_agents_differ_whoever_plays_the_others() -> None:
    apart = PolicyMap({agent: RandomPolicy() for agent in ("agent_0", "agent_1", "*")})
    together = RandomPolicy()
    drawn = []
    for policy in (apart, together):
        env = coordgym.make("SwarmPursuit-v0", n_agents=3, max_cycles=9)
        episode = coordgym.rollout(env, policy, seed=3)
        drawn.append([(turn.agent, turn.action) for turn in episode.turns])
    assert drawn[0] == drawn[1]
    by_agent = {agent: [a for who, a in drawn[0] if who == agent] for agent in env.possible_agents}
    assert len({tuple(actions) for actions in by_agent.values()}) == 3


def test_the_random_policy_is_a_function_of_its_seed() -> None:
    env = coordgym.make("SwarmPursuit-v0")
    observations, infos = env.reset(seed=0)
    policy = RandomPolicy()
    with pytest.raises(ConfigError, match="bind"):
        policy.reset(env.agents, infos, 1)
    policy.bind(env)
    drawn = []
    for seed in (1, 1, 2):
        policy.reset(env.agents, infos, seed)
        drawn.append(policy.act(observations, infos))
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(env.check_action(agent, text) is None for agent, text in drawn[0].items())


@pytest.mark.parametrize("spec", list_policies())
def test_every_listed_policy_can_be_made(spec: str) -> None:
    assert make_policy(spec).name


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        ("silo:allgather", "silo:all-gather"),
        ("orakle", "oracle"),
        ("Random", "random"),
        ("ORACLE", "oracle"),
    ],
)
def test_unknown_policies_name_the_nearest(spec: str, near: str) -> None:
    with pytest.raises(UnknownPolicyError, match=f"did you mean '{near}'"):
        make_policy(spec)


def test_unknown_arguments_of_policies_are_refused() -> None:
    with pytest.raises(UnknownKwargError, match="random"):
        make_policy("random", temperature=1)

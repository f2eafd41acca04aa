"""What is told about an episode is a copy: changing it changes no episode."""

import copy
from typing import Any

import pytest

import coordgym
from coordgym.policies.named import make_policy
from coordgym.policies.protocol import bind_policy

IDS = {
    "SiloGlobalMax-v0": {"n_agents": 3},
    "SiloMatrixMultiply-v0": {"n_agents": 3},
    "GraphConsensus-v0": {"n_agents": 4, "inputs": True, "byzantine": 1},
    "PairMaze-v0": {},
    "PairTreeSum-v0": {},
    "SwarmTransport-v0": {"n_agents": 6, "max_cycles": 12},
    "SwarmFlocking-v0": {"n_agents": 6, "max_cycles": 12},
}


def spoil(value: Any) -> None:
    """Empty everything that can be changed in place, from the inside out."""
    if isinstance(value, dict | list):
        for item in list(value.values() if isinstance(value, dict) else value):
            spoil(item)
        value.clear()


def play(env: Any, given: dict[str, Any] | None, *, spoils: bool) -> list[Any]:
    """Everything that an episode of the strongest baseline tells."""
    policy = make_policy("oracle")
    bind_policy(policy, env)
    options = None if given is None else {"instance": given}
    observations, infos = env.reset(seed=4, options=options)
    policy.reset(list(env.agents), copy.deepcopy(infos), 4)
    told: list[Any] = [(dict(observations), copy.deepcopy(infos), env.state())]
    while env.agents:
        active = [agent for agent in env.agents if infos[agent]["active"]]
        asked = {agent: observations[agent] for agent in active}
        actions = policy.act(asked, {agent: copy.deepcopy(infos[agent]) for agent in active})
        if spoils:
            spoil(env.unwrapped.instance)
            spoil(infos)
            if given is not None:
                spoil(given)
        observations, rewards, *_, infos = env.step(dict(actions))
        told.append((dict(observations), rewards, copy.deepcopy(infos), env.state()))
    return [*told, env.unwrapped.metrics()]


@pytest.mark.parametrize(("env_id", "kwargs"), IDS.items())
def test_changing_what_is_told_changes_no_episode(env_id, kwargs):
    env = coordgym.make(env_id, **kwargs)
    plain = play(env, None, spoils=False)
    given = copy.deepcopy(env.unwrapped.instance)
    assert play(coordgym.make(env_id, **kwargs), None, spoils=True) == plain
    assert play(coordgym.make(env_id, **kwargs), copy.deepcopy(given), spoils=True) == play(
        env, given, spoils=False
    )

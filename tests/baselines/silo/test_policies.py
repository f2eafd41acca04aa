"""Baselines of the computation family: always right, in the fewest messages, on own views only."""

import json

import pytest

import coordgym
from coordgym.baselines.silo.all_gather import AllGather
from coordgym.baselines.silo.policies import SiloPolicy
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import rollout
from coordgym.policies.named import make_policy
from coordgym.policies.protocol import bind_policy
from coordgym.silo_env.compute import TASKS, table

PROTOCOLS = ("p2p", "broadcast", "shared_files")
SIZES = (2, 5, 10, 20, 50, 100)


def play(policy, seed=7, task="I-01", **kwargs):
    env = coordgym.make(task, **kwargs)
    return rollout(env, make_policy(policy), seed), env.unwrapped


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "n_agents", [n if n < 50 else pytest.param(n, marks=pytest.mark.slow) for n in SIZES]
)
def test_strong_baselines_are_always_right(task, policy, protocol, n_agents):
    for seed in range(7, 10 if n_agents <= 10 else 8):
        episode, _ = play(policy, seed, task, protocol=protocol, n_agents=n_agents)
        metrics = episode.metrics
        assert metrics["S"] == metrics["P"] == 1.0
        assert metrics["success"] is True
        assert metrics["invalid_actions"] == 0
        for mode in ("premature", "consensus_failure", "computation_error", "unsubmitted"):
            assert metrics[mode] is False
        if policy == "silo:optimal" and protocol == "p2p":
            assert metrics["messages"] == TASKS[task].minimum_messages(n_agents)
            assert metrics["redundancy"] == 1.0
        if policy == "silo:all-gather":
            assert metrics["D"] == 1.0


@pytest.mark.parametrize("reward", ["correct", "partial", "team"])
@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_earns_the_full_reward_of_every_task(task, reward):
    for kwargs in ({}, {"oracle": True}):
        episode, env = play("oracle", 3, task, n_agents=4, reward=reward, **kwargs)
        assert episode.returns == dict.fromkeys(env.possible_agents, 1.0)


@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal"])
@pytest.mark.parametrize("topology", ["ring", "star", "chain", "tree"])
@pytest.mark.parametrize("protocol", ["p2p", "broadcast"])
def test_sparse_topologies_are_flooded(policy, topology, protocol):
    episode, _ = play(policy, protocol=protocol, n_agents=9, topology=topology)
    assert episode.metrics["S"] == 1.0
    assert episode.metrics["invalid_actions"] == 0


@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "limits",
    [
        {"delivery": "pull"},
        {"text": "compact"},
        {"reward": "team"},
        {"repeat_instructions": True},
        {"max_calls": 3},
        {"max_message_chars": 60},
        {"max_action_chars": 400},
        {"max_message_chars": 300, "max_inbox_chars": 600},
        {"overlap": 4},
    ],
    ids=str,
)
def test_baselines_keep_to_the_limits(policy, protocol, limits):
    episode, _ = play(policy, protocol=protocol, n_agents=5, **limits)
    assert episode.metrics["S"] == 1.0
    assert episode.metrics["unsubmitted"] is False


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal", "silo:local"])
def test_alone_every_baseline_is_right(policy, task):
    episode, _ = play(policy, task=task, oracle=True, n_agents=6)
    assert episode.metrics["S"] == 1.0


CARRIES = ("II-11", "II-20")


@pytest.mark.parametrize("task", CARRIES)
@pytest.mark.parametrize(
    ("setting", "rounds"),
    [
        ({}, 8),
        ({"max_cycles": 8}, 8),
        ({"max_cycles": 7}, 3),
        ({"delivery": "pull"}, 15),
        ({"protocol": "shared_files"}, 15),
        ({"protocol": "shared_files", "max_cycles": 14}, 5),
    ],
    ids=str,
)
def test_a_carry_goes_along_the_agents_if_there_is_time(task, setting, rounds):
    episode, env = play("silo:optimal", task=task, n_agents=8, **setting)
    assert episode.metrics["S"] == 1.0
    assert episode.metrics["rounds"] == rounds
    if rounds > 7:
        assert episode.metrics["messages"] == 7
        assert all(env.traffic()[i][i + 1] == 1 for i in range(7))


@pytest.mark.parametrize("protocol", ["p2p", "shared_files"])
@pytest.mark.parametrize("params", [{}, {"items": 5}, {"items": 1, "steps": 12}, {"steps": 0}])
def test_life_needs_one_letter_to_either_side(protocol, params):
    episode, env = play(
        "silo:optimal", task="II-14", protocol=protocol, n_agents=9, params=params, max_cycles=20
    )
    assert episode.metrics["S"] == episode.metrics["redundancy"] == 1.0
    assert episode.metrics["premature"] is False
    for sender, row in enumerate(env.traffic()):
        assert {i for i, count in enumerate(row) if count} <= {sender - 1, sender + 1}


BEYOND_AGGREGATION = [
    entry.paper_id for entry in table.TASKS if entry.level is not table.AGGREGATION
]


@pytest.mark.parametrize("task", BEYOND_AGGREGATION)
@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal"])
@pytest.mark.parametrize(
    "setting",
    [
        {"topology": "ring"},
        {"topology": "star", "protocol": "broadcast"},
        {"delivery": "pull", "text": "compact"},
        {"max_calls": 3, "protocol": "shared_files"},
        {"max_message_chars": 60, "max_inbox_chars": 400},
        {"reward": "team", "repeat_instructions": True},
    ],
    ids=str,
)
def test_other_tasks_are_solved_under_all_options(task, policy, setting):
    episode, _ = play(policy, task=task, n_agents=6, **setting)
    assert episode.metrics["S"] == 1.0
    assert episode.metrics["premature"] is False
    assert episode.metrics["invalid_actions"] == 0


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal"])
def test_losses_and_damage_cost_answers_but_break_nothing(policy, task):
    for seed in range(3):
        episode, env = play(
            policy, seed, task, n_agents=6, message_loss=0.1, corruption=0.5, max_cycles=12
        )
        assert env.faults()
        assert 0.0 <= episode.metrics["S"] <= episode.metrics["P"] <= 1.0


def test_local_answers_at_once_and_is_right_by_luck_only():
    episode, env = play("silo:local", n_agents=20)
    assert episode.metrics["messages"] == 0
    assert episode.metrics["rounds"] == 1
    assert episode.metrics["premature"] is True
    holders = sum(env.instance["answer"] in shard for shard in env.instance["shards"])
    assert episode.metrics["S"] == holders / 20


def test_a_lost_message_costs_the_agents_that_lack_it():
    episode, env = play("silo:all-gather", n_agents=10, message_loss=0.2, max_cycles=10)
    assert env.faults()
    assert episode.metrics["unsubmitted"] is False
    assert episode.metrics["premature"] is True


def test_random_play_is_below_the_oracle_and_replays():
    random, _ = play("random", n_agents=5, max_cycles=30)
    oracle, _ = play("oracle", n_agents=5)
    assert random.metrics["S"] < oracle.metrics["S"] == 1.0
    assert random.metrics["invalid_actions"] == 0
    for episode in (random, oracle):
        result = replay(episode)
        assert result.agrees, result.difference


def test_brains_see_only_their_own_view():
    env = coordgym.make("I-01", n_agents=4)
    policy = make_policy("silo:all-gather")
    observations, infos = env.reset(seed=3)
    policy.reset(env.agents, infos, 3)
    together = policy.act(observations, infos)
    for agent in env.agents:
        alone = make_policy("silo:all-gather")
        alone.reset([agent], {agent: infos[agent]}, 3)
        assert alone.act({agent: observations[agent]}, {agent: infos[agent]}) == {
            agent: together[agent]
        }


class Broken(AllGather):
    """A brain with a mistake of its own."""

    def _act(self, info):
        raise LookupError("a mistake")


def test_mistakes_of_a_mind_are_seen_where_nothing_can_be_damaged():
    for kwargs in ({}, {"topology": "ring"}):
        with pytest.raises(LookupError, match="a mistake"):
            rollout(coordgym.make("I-01", **kwargs), SiloPolicy(Broken, "broken"), 1)


@pytest.mark.parametrize("kwargs", [{"corruption": 0.1}, {"message_loss": 0.1}])
def test_damaged_messages_cost_an_answer_at_most(kwargs):
    episode = rollout(coordgym.make("I-01", n_agents=3, **kwargs), SiloPolicy(Broken, "broken"), 1)
    assert episode.metrics["S"] == 0.0
    assert all(turn.action.endswith("submit_result(null)") for turn in episode.turns)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal"])
def test_made_up_letters_of_another_player_are_survived(task, policy):
    """A seat that imitates the letters of its partners must not break them."""
    env = coordgym.make(task, n_agents=3, max_cycles=6)
    kinds = ("share", "answer", "carry", "cells")
    letters = [
        f"send_message({target}, {json.dumps(f'{kind} {about} 1/1 {content}')})"
        for target in (0, 1)
        for kind in kinds
        for about in (0, 1, 2, 9)
        for content in ("[[]]", '{"a": null}', '"no"')
    ]
    action = "\n".join(letters)
    partners = make_policy(policy)
    bind_policy(partners, env)
    observations, infos = env.reset(seed=2)
    mine = [agent for agent in env.agents if agent != "agent_2"]
    partners.reset(mine, {agent: infos[agent] for agent in mine}, 2)
    while env.agents:
        active = [agent for agent in env.agents if agent != "agent_2"]
        told = {agent: infos[agent] for agent in active}
        actions = dict(partners.act({agent: observations[agent] for agent in active}, told))
        if "agent_2" in env.agents:
            actions["agent_2"] = action
        observations, *_, infos = env.step(actions)
    assert all("metrics" in info for info in infos.values())

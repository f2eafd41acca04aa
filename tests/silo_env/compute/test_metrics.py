"""Figures of an episode by hand, the defaults that are documented, and faults by seed."""

import math

import pytest

from coordgym.silo_env.compute import parallel_env
from coordgym.silo_env.compute.metrics import (
    STRATEGY_WORDS,
    VERIFICATION_WORDS,
    leading_agent,
)


def start(n_agents, seed=1, **kwargs):
    env = parallel_env(n_agents=n_agents, **kwargs)
    _, infos = env.reset(seed=seed)
    return env, infos


def play(env, actions):
    return env.step({agent: actions.get(agent, "wait()") for agent in env.agents})


def to_everybody(sender, n_agents, content):
    return "\n".join(f'send_message({i}, "{content}")' for i in range(n_agents) if i != sender)


@pytest.mark.parametrize(("n_agents", "max_calls"), [(2, 32), (24, 32), (25, 33), (100, 108)])
def test_documented_defaults(n_agents, max_calls):
    env, infos = start(n_agents)
    view = infos["agent_0"]["view"]
    assert env.limit == 100
    assert view["max_calls"] == max_calls
    assert view["max_message_chars"] == 8_000
    assert view["max_inbox_chars"] == 400_000


def test_traffic_is_counted_per_agent_and_per_pair():
    env, _ = start(4)
    play(env, {"agent_0": to_everybody(0, 4, "x"), "agent_1": 'send_message(0, "y")'})
    metrics = env.metrics()
    assert metrics["messages"] == metrics["sends"] == 4
    assert metrics["messages_per_agent"] == 1.0
    assert metrics["D"] == 4 / 12
    assert metrics["redundancy"] == 4 / 6
    assert math.isnan(metrics["C"])


def test_the_communication_cost_is_tokens_over_the_limit_on_rounds():
    env, _ = start(4, max_cycles=8)
    assert env.usage_metrics(12) == {"C": 1.5}


def test_two_agents_and_broadcasts_have_no_leader():
    env, _ = start(2)
    play(env, {"agent_0": 'send_message(1, "x")'})
    assert env.metrics()["leader"] is None
    # In a star, the centre hears all others; what one broadcasts is still no choice of whom.
    env, _ = start(4, protocol="broadcast", topology="star")
    play(env, {f"agent_{i}": 'broadcast_message("x")' for i in (1, 2, 3)})
    assert env.traffic()[1] == [1, 0, 0, 0]
    assert env.metrics()["leader"] is None
    env, _ = start(4)
    play(env, {f"agent_{i}": 'send_message(0, "x")' for i in (1, 2, 3)})
    assert env.metrics()["leader"] == "agent_0"


def test_a_leader_receives_more_than_one_and_a_half_times_the_mean():
    assert leading_agent([[0, 1, 1, 1], [2, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]]) is None
    assert leading_agent([[0, 1, 1, 0], [2, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]) == 0
    assert leading_agent([[0, 0, 0], [0, 0, 0], [0, 0, 0]]) is None


@pytest.mark.parametrize(
    ("figure", "word"),
    [
        *(("verification", word) for word in VERIFICATION_WORDS),
        *(("strategy_discussion", word) for word in STRATEGY_WORDS),
    ],
)
def test_each_word_of_the_lists_is_found_in_any_message(figure, word):
    said = {}
    for protocol, call in (("p2p", "send_message(1, "), ("shared_files", 'write_file("f", ')):
        env, _ = start(3, protocol=protocol)
        play(env, {"agent_0": f'{call}"nothing to say")', "agent_2": f'{call}"Now {word} it")'})
        play(env, {"agent_1": f'{call}"all is well")'})
        said[protocol] = env.metrics()[figure]
    assert said == {"p2p": True, "shared_files": True}


def test_the_lists_of_words_are_those_of_the_documentation():
    told = "verify, double-check, cross-check, confirm, recheck, check again"
    assert ", ".join(VERIFICATION_WORDS) == told
    told = "strategy, plan, approach, coordinate, coordinator, leader, aggregate, protocol, step 1"
    assert ", ".join(STRATEGY_WORDS) == told


@pytest.mark.parametrize("protocol", ["p2p", "broadcast"])
def test_faults_follow_the_seed(protocol):
    def faults(seed):
        env, _ = start(4, seed, protocol=protocol, message_loss=0.3, corruption=0.3)
        for _ in range(4):
            texts = {
                f"agent_{i}": to_everybody(i, 4, "hello")
                if protocol == "p2p"
                else 'broadcast_message("hello")'
                for i in range(4)
            }
            play(env, texts)
        return env.faults()

    assert faults(1) == faults(1)
    assert faults(1) != faults(2)

"""Faults: what strikes one agent's messages doesn't depend on what others send."""

import json

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from coordgym.silo_env.compute import parallel_env
from coordgym.silo_env.compute.channels.faults import FaultRates, RoundOfFaults

SENDER, TARGET, AGENTS, ROUNDS = 2, 3, 4, 3

calls = st.tuples(
    st.sampled_from([0, 1, 3]), st.sampled_from([0, 1, 2]), st.text("ab1", max_size=3)
)
rounds = st.lists(st.lists(calls, max_size=4), min_size=ROUNDS, max_size=ROUNDS)


def call(protocol, agent, target, content):
    if protocol == "broadcast":
        return f"broadcast_message({json.dumps(content)})"
    if protocol == "shared_files":
        return f'write_file("{target}", {json.dumps(content)})'
    return f"send_message({target}, {json.dumps(content)})" if agent != target else "wait()"


def faults_of_sender(protocol, seed, said):
    """Return the faults of what the sender sends to its target, two texts in every round."""
    env = parallel_env(n_agents=AGENTS, protocol=protocol, message_loss=0.4, corruption=0.4)
    env.reset(seed=seed)
    for others in said:
        lines = {agent: [] for agent in env.agents}
        for agent, target, content in others:
            lines[f"agent_{agent}"].append(call(protocol, agent, target, content))
        lines[f"agent_{SENDER}"] = [call(protocol, SENDER, t, "no 12") for t in (0, TARGET)]
        env.step({agent: "\n".join(each) or "wait()" for agent, each in lines.items()})
    ours = [fault for fault in env.faults() if fault.author == SENDER]
    return [
        (fault.round, fault.kind, fault.delivered)
        for fault in ours
        if fault.recipient == TARGET or fault.path == str(TARGET)
    ]


@pytest.mark.parametrize("protocol", ["p2p", "broadcast", "shared_files"])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 5), said=rounds)
@example(seed=3, said=[[(3, 0, "overwritten")]] * ROUNDS)
def test_nobody_decides_what_happens_to_messages_of_others(protocol, seed, said):
    assert faults_of_sender(protocol, seed, said) == faults_of_sender(protocol, seed, [[]] * ROUNDS)


def test_faults_differ_between_seeds_rounds_recipients_and_repetitions():
    assert len({str(faults_of_sender("p2p", seed, [[]] * ROUNDS)) for seed in range(20)}) > 10
    env = parallel_env(n_agents=8, message_loss=0.5)
    env.reset(seed=0)
    for _ in range(8):
        sends = [f'send_message({target}, "x")' for target in range(1, 8)] * 2
        env.step({a: "\n".join(sends) if a == "agent_0" else "wait()" for a in env.agents})
    lost = [(fault.round, fault.recipient) for fault in env.faults()]
    assert len({tuple(n for r, n in lost if r == number) for number in range(1, 9)}) > 6
    assert len({tuple(r for r, n in lost if n == target) for target in range(1, 8)}) > 5
    assert {lost.count(each) for each in lost} == {1, 2}


def test_without_rates_nothing_is_drawn():
    def refused(*key):
        raise AssertionError(f"drawn: {key}")

    faults = RoundOfFaults(FaultRates(), refused, round_number=1, n_agents=2)
    assert faults.fate(0, 1, "hello") is None

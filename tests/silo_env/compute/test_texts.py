"""Texts, in prose and compact, and views tell the same facts."""

import json
import re

import pytest

from coordgym.silo_env.compute import TASKS, parallel_env
from coordgym.silo_env.compute.channels.turns import MAX_ERROR_LINES

PROTOCOLS = ("p2p", "broadcast", "shared_files")
TEXTS = ("full", "compact")


def start(n_agents=3, **kwargs):
    env = parallel_env(n_agents=n_agents, **kwargs)
    env.reset(seed=1)
    return env


def play(env, **actions):
    return env.step({agent: actions.get(agent, "wait()") for agent in env.agents})


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("reward", ["correct", "team"])
def test_calls_after_an_answer_are_reported_as_skipped(text, reward):
    env = start(text=text, reward=reward)
    action = 'send_message(9, "a")\nshout("b")\nsubmit_result(1)\nsend_message(1, "c")\nwait()'
    observations, *_, infos = play(env, agent_0=action)
    assert "2 calls after submit_result() were skipped." in observations["agent_0"]
    view = infos["agent_0"]["view"]
    assert view["skipped_calls"] == 2
    assert len(view["errors"]) == 2
    assert all(error in observations["agent_0"] for error in view["errors"])
    assert infos["agent_1"]["view"]["messages"] == []


@pytest.mark.parametrize("text", TEXTS)
def test_errors_beyond_those_that_are_listed_are_counted(text):
    env = start(text=text)
    observations, *_, infos = play(env, agent_0='send_message(9, "a")\n' * (MAX_ERROR_LINES + 4))
    view = infos["agent_0"]["view"]
    assert (len(view["errors"]), view["further_errors"]) == (MAX_ERROR_LINES, 4)
    assert "and 4 more" in observations["agent_0"]
    *_, infos = play(env)
    assert infos["agent_0"]["view"]["further_errors"] == 0


@pytest.mark.parametrize("text", TEXTS)
def test_a_list_of_files_tells_whether_there_are_more(text):
    env = start(protocol="shared_files", text=text, max_message_chars=20, max_inbox_chars=300)
    notes = [f'write_file("file {i}.txt", "x")' for i in range(6)]
    *_, infos = play(env, agent_0="\n".join(notes))
    assert infos["agent_1"]["view"]["more_waiting"] is True
    observations, *_, infos = play(env, agent_1="list_files()", agent_2='list_files("file 5")')
    (listed,) = infos["agent_1"]["view"]["results"]
    assert 0 < len(listed["files"]) < 6
    assert listed["more"] is True
    assert "longer prefix" in observations["agent_1"]
    (listed,) = infos["agent_2"]["view"]["results"]
    assert ([file["path"] for file in listed["files"]], listed["more"]) == (["file 5.txt"], False)
    assert "longer prefix" not in observations["agent_2"]


@pytest.mark.parametrize("protocol", ["p2p", "broadcast"])
def test_every_result_in_the_text_is_one_in_the_view(protocol):
    env = start(protocol=protocol)
    observations, *_, infos = play(env, agent_0="receive_messages()\nreceive_messages()")
    assert observations["agent_0"].count("receive_messages():") == 2
    results = infos["agent_0"]["view"]["results"]
    assert results == [{"function": "receive_messages", "messages": [], "more": False}] * 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("task", TASKS)
def test_both_texts_tell_the_data_and_every_limit(task, protocol):
    kwargs = {"task": task, "protocol": protocol, "n_agents": 4, "max_cycles": 77}
    kwargs |= {"max_calls": 55, "max_message_chars": 1234}
    told = {}
    for text in TEXTS:
        env = parallel_env(**kwargs, text=text)
        _, infos = env.reset(seed=1)
        told[text] = infos["agent_2"]["instructions"]
        shard = json.dumps(env.instance["shards"][2], ensure_ascii=False)
        names = [tool["function"]["name"] for tool in env.tools("agent_2")]
        for fact in (shard, env.task.hint, "No single agent", "77", "55", "1234", "once", *names):
            assert fact in told[text]
        assert re.search(r"agent 2(/4| of 4 agents)", told[text])
        assert "at the same time" in told[text]
    assert len(told["compact"]) < len(told["full"])


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("protocol", ["p2p", "broadcast"])
def test_agents_are_told_that_messages_have_to_be_asked_for(protocol, text):
    told = {}
    for delivery in ("push", "pull"):
        env = parallel_env(n_agents=3, protocol=protocol, delivery=delivery, text=text)
        told[delivery] = env.reset(seed=1)[1]["agent_0"]["instructions"]
    assert "only receive_messages()" in told["pull"].replace("only to agents that call", "only")
    assert told["pull"] != told["push"]

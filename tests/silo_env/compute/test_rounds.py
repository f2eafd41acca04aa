"""Rounds: what is visible when, and to whom."""

import json
import sqlite3

import pytest

from coordgym.silo_env.compute import parallel_env
from coordgym.silo_env.compute.channels.store import Fault

WAIT = "wait()"


def start(n_agents=3, seed=1, **kwargs):
    env = parallel_env(n_agents=n_agents, **kwargs)
    env.reset(seed=seed)
    return env


def play(env, **actions):
    """One step; agents that are not named wait."""
    active = [agent for agent in env.agents if agent in env._active_now]
    return env.step({agent: actions.get(agent, WAIT) for agent in active})


def inbox(step, agent):
    return [(m["sender"], m["content"]) for m in step[4][agent]["view"]["messages"]]


def test_a_message_is_seen_in_the_next_round_and_only_then():
    env = start()
    step = play(env, agent_0='send_message(1, "hello")\nwait()')
    assert inbox(step, "agent_1") == [(0, "hello")]
    assert "From agent 0: hello" in step[0]["agent_1"]
    assert inbox(step, "agent_2") == []
    assert "hello" not in step[0]["agent_2"]
    step = play(env)
    assert inbox(step, "agent_1") == []
    assert "hello" not in step[0]["agent_1"]


def test_a_message_is_not_seen_in_the_round_in_which_it_is_sent():
    env = start(delivery="pull")
    env.call("agent_0", "send_message", {"target_id": 1, "content": "hello"})
    assert "hello" not in env.call("agent_1", "receive_messages", {})
    play(env)
    assert env.call("agent_1", "receive_messages", {}) == "From agent 0: hello"
    assert "hello" not in env.call("agent_1", "receive_messages", {})


def test_pull_shows_nothing_to_agents_that_do_not_ask():
    env = start(delivery="pull")
    play(env, agent_0='send_message(1, "hello")\nsend_message(2, "hello")\nwait()')
    step = play(env, agent_1="receive_messages()\nwait()")
    (result,) = step[4]["agent_1"]["view"]["results"]
    assert [m["content"] for m in result["messages"]] == ["hello"]
    assert "hello" in step[0]["agent_1"]
    assert "hello" not in step[0]["agent_2"]
    step = play(env, agent_2="receive_messages()\nwait()")
    assert "hello" in step[0]["agent_2"]


def test_messages_come_in_the_order_of_senders_and_sequence():
    env = start()
    step = play(
        env,
        agent_2='send_message(0, "c")\nsend_message(0, "d")',
        agent_1='send_message(0, "a")\nsend_message(0, "b")',
    )
    assert inbox(step, "agent_0") == [(1, "a"), (1, "b"), (2, "c"), (2, "d")]


def test_the_state_holds_shards_and_all_that_was_said_in_its_order():
    env = start(n_agents=2)
    play(env, agent_1='send_message(0, "b")', agent_0='send_message(1, "a")\nwait()')
    play(env, agent_0='send_message(1, "c")', agent_1="submit_result(5)")
    state = json.loads(env.state())
    names = ("round", "sender", "recipient", "content")
    rows = [(1, 0, 1, "a"), (1, 1, 0, "b"), (2, 0, 1, "c")]
    assert state["contents"] == [dict(zip(names, row, strict=True)) for row in rows]
    assert state["shards"] == env.instance["shards"]
    assert (state["round"], state["submitted"]) == (2, [False, True])
    env = start(n_agents=2, protocol="shared_files")
    play(env, agent_1='write_file("b", "1")\nwrite_file("a", "2")')
    assert [file["path"] for file in json.loads(env.state())["contents"]] == ["a", "b"]


def test_broadcasts_reach_all_others_and_not_the_sender():
    env = start(protocol="broadcast")
    step = play(env, agent_1='broadcast_message("hello")')
    assert inbox(step, "agent_0") == inbox(step, "agent_2") == [(1, "hello")]
    assert inbox(step, "agent_1") == []
    assert env.metrics()["messages"] == 2
    assert env.metrics()["sends"] == 1


def test_content_passes_byte_for_byte():
    content = "tab\t quote\" and ' back\\slash\nnew line ünï ☃ 𝄞 \x00 end "
    env = start()
    env.call("agent_0", "send_message", {"target_id": 1, "content": content})
    step = play(env)
    assert inbox(step, "agent_1") == [(0, content)]


def test_agents_that_submitted_get_nothing_and_messages_to_them_succeed():
    env = start()
    step = play(env, agent_1="submit_result(5)")
    assert step[2] == {"agent_0": False, "agent_1": True, "agent_2": False}
    assert env.agents == ["agent_0", "agent_2"]
    step = play(env, agent_0='send_message(1, "too late")\nwait()')
    assert step[4]["agent_0"]["valid"] is True
    assert set(step[0]) == {"agent_0", "agent_2"}


def test_a_message_sent_together_with_the_answer_arrives():
    env = start()
    step = play(env, agent_1='send_message(0, "bye")\nsubmit_result(5)')
    assert inbox(step, "agent_0") == [(1, "bye")]


def test_the_last_writer_of_a_round_wins():
    env = start(protocol="shared_files")
    step = play(env, agent_2='write_file("x", "two")', agent_0='write_file("x", "zero")\nwait()')
    (note,) = step[4]["agent_1"]["view"]["files"]
    assert (note["path"], note["author"], note["round"], note["size"]) == ("x", 2, 1, 3)
    assert '"x" (agent 2, 3 characters, round 1)' in step[0]["agent_1"]
    assert env.call("agent_1", "read_file", {"path": "x"}) == "two"


def test_a_deletion_competes_like_a_write():
    env = start(protocol="shared_files")
    play(env, agent_0='write_file("x", "1")')
    play(env, agent_1='delete_file("x")', agent_2='write_file("x", "2")')
    assert env.call("agent_0", "read_file", {"path": "x"}) == "2"
    step = play(env, agent_1='write_file("x", "3")', agent_2='delete_file("x")')
    assert env.call("agent_0", "read_file", {"path": "x"}).startswith("Error: ")
    assert step[4]["agent_0"]["view"]["files"][0]["deleted"] is True


def test_own_writes_are_visible_to_own_later_reads_only():
    env = start(protocol="shared_files")
    assert env.call("agent_0", "read_file", {"path": "x"}).startswith("Error: ")
    env.call("agent_0", "write_file", {"path": "x", "content": "1"})
    assert env.call("agent_0", "read_file", {"path": "x"}) == "1"
    assert '"x" (agent 0' in env.call("agent_0", "list_files", {"prefix": ""})
    assert env.call("agent_1", "read_file", {"path": "x"}).startswith("Error: ")
    assert env.call("agent_1", "list_files", {}) == "No files."
    env.call("agent_0", "delete_file", {"path": "x"})
    assert env.call("agent_0", "read_file", {"path": "x"}).startswith("Error: ")


def test_a_read_shows_the_version_of_the_rounds_beginning():
    env = start(protocol="shared_files")
    play(env, agent_0='write_file("x", "old")')
    step = play(env, agent_0='write_file("x", "new")', agent_1='read_file("x")')
    assert step[4]["agent_1"]["view"]["results"] == [
        {"function": "read_file", "path": "x", "content": "old"}
    ]
    assert env.call("agent_1", "read_file", {"path": "x"}) == "new"


def test_every_read_of_anothers_version_is_a_transfer():
    env = start(protocol="shared_files")
    play(env, agent_0='write_file("x", "1")\nread_file("x")')
    assert env.metrics()["messages"] == 0
    play(env, agent_0='read_file("x")', agent_1='read_file("x")', agent_2='read_file("x")')
    assert env.metrics()["messages"] == 2
    assert env.traffic() == [[0, 1, 1], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("end", ["wait()", "submit_result(1)"])
def test_calls_after_the_end_of_a_turn_are_skipped_and_reported(end):
    env = start(reward="team")
    step = play(env, agent_0=f'{end}\nsend_message(1, "x")\nsend_message(2, "x")')
    assert inbox(step, "agent_1") == []
    if end == "wait()":
        assert step[4]["agent_0"]["view"]["skipped_calls"] == 2
        assert "2 calls after wait() were skipped" in step[0]["agent_0"]


def test_what_does_not_fit_waits_for_the_next_round():
    env = start(n_agents=4, max_message_chars=500, max_inbox_chars=1000)
    text = "x" * 500
    step = play(env, **{f"agent_{i}": f'send_message(0, "{text}")' for i in (1, 2, 3)})
    assert [sender for sender, _ in inbox(step, "agent_0")] == [1]
    assert step[4]["agent_0"]["view"]["more_waiting"] is True
    assert "Further messages wait" in step[0]["agent_0"]
    assert [sender for sender, _ in inbox(play(env), "agent_0")] == [2]
    step = play(env)
    assert inbox(step, "agent_0") == [(3, text)]
    assert step[4]["agent_0"]["view"]["more_waiting"] is False
    assert inbox(play(env), "agent_0") == []


def test_asking_twice_in_a_round_brings_no_more_than_a_round_allows():
    env = start(n_agents=4, delivery="pull", max_message_chars=500, max_inbox_chars=1000)
    text = "x" * 500
    play(env, **{f"agent_{i}": f'send_message(0, "{text}")' for i in (1, 2, 3)})
    for sender in (1, 2, 3):
        step = play(env, agent_0="receive_messages()\nreceive_messages()\nwait()")
        first, second = step[4]["agent_0"]["view"]["results"]
        assert [message["sender"] for message in first["messages"]] == [sender]
        assert second["messages"] == []
        assert first["more"] is second["more"] is (sender < 3)


def test_what_was_read_counts_in_the_same_round_as_what_changed():
    env = start(protocol="shared_files", max_message_chars=500, max_inbox_chars=800)
    play(env, agent_0=f'write_file("long", "{"x" * 500}")')
    notes = "\n".join(f'write_file("note {i}", "y")' for i in range(4))
    step = play(env, agent_0=notes, agent_1='read_file("long")')
    assert len(step[4]["agent_2"]["view"]["files"]) == 4
    assert step[4]["agent_2"]["view"]["more_waiting"] is False
    told = step[4]["agent_1"]["view"]
    assert told["results"][0]["content"] == "x" * 500
    assert len(told["files"]) == (800 - 500 - 84) // 86
    assert told["more_waiting"] is True
    play(env, agent_1='read_file("long")\nread_file("long")')
    step = play(env, agent_1='read_file("long")\nread_file("long")')
    assert "handed all that one round allows" in step[4]["agent_1"]["error"]


def test_exactly_once_under_loss_with_100_agents():
    env = start(n_agents=100, message_loss=0.3)
    sent = {}
    got = {}
    for r in range(3):
        actions = {}
        for i in range(100):
            targets = [(i + 1 + r + 7 * k) % 100 for k in range(20)]
            lines = [f'send_message({t}, "m {r} {i} {k}")' for k, t in enumerate(targets) if t != i]
            actions[f"agent_{i}"] = "\n".join(lines)
            sent.update({f"m {r} {i} {k}": t for k, t in enumerate(targets) if t != i})
        step = play(env, **actions)
        for agent in env.agents:
            order = []
            for message in step[4][agent]["view"]["messages"]:
                assert message["content"] not in got
                got[message["content"]] = int(agent.removeprefix("agent_"))
                order.append(tuple(map(int, message["content"].split()[1:3])))
            assert order == sorted(order)
    lost = {fault.sent: fault.recipient for fault in env.faults()}
    assert all(fault.kind == "loss" and fault.delivered is None for fault in env.faults())
    assert got.keys() | lost.keys() == sent.keys()
    assert got.keys() & lost.keys() == set()
    assert {**got, **lost} == sent
    assert 0.25 < len(lost) / len(sent) < 0.35
    assert env.metrics()["messages"] == len(got)


def test_corruption_changes_one_character_and_is_logged():
    env = start(protocol="broadcast", corruption=1.0)
    step = play(env, agent_0='broadcast_message("the maximum is 917")')
    for agent in ("agent_1", "agent_2"):
        ((_, content),) = inbox(step, agent)
        (fault,) = [f for f in env.faults() if f"agent_{f.recipient}" == agent]
        assert fault.delivered == content
        assert fault.sent == "the maximum is 917"
        assert sum(a != b for a, b in zip(content, fault.sent, strict=True)) == 1
        assert content.startswith("the maximum is ")


@pytest.mark.parametrize("content", ["the maximum is 917", "no digit", "7", "a", "☃"])
def test_faults_strike_as_often_as_told_and_always_change_one_character(content):
    env = start(n_agents=33, message_loss=0.5, corruption=0.5)
    actions = {}
    for i in range(33):
        calls = (f'send_message({j}, "{content}")' for j in range(33) if j != i)
        actions[f"agent_{i}"] = "\n".join(calls)
    play(env, **actions)
    lost = [fault for fault in env.faults() if fault.kind == "loss"]
    damaged = [fault for fault in env.faults() if fault.kind == "corruption"]
    arrived = 33 * 32 - len(lost)
    assert env.metrics()["messages"] == arrived
    assert 0.4 < len(lost) / (33 * 32) < 0.6
    assert 0.4 < len(damaged) / arrived < 0.6
    for fault in damaged:
        assert sum(a != b for a, b in zip(fault.delivered, content, strict=True)) == 1
    assert len({fault.delivered for fault in damaged}) > 5


def test_an_empty_message_can_be_lost_but_not_damaged():
    env = start(corruption=1.0)
    step = play(env, agent_0='send_message(1, "")')
    assert inbox(step, "agent_1") == [(0, "")]
    assert env.faults() == []


def test_lost_writes_are_not_stored():
    env = start(protocol="shared_files", message_loss=1.0)
    step = play(env, agent_1='write_file("x", "1")')
    assert step[4]["agent_0"]["view"]["files"] == []
    (fault,) = env.faults()
    assert fault == Fault(1, "loss", None, "x", author=1, recipient=None, sent="1", delivered=None)


def test_a_lost_write_leaves_the_version_before_it_and_a_damaged_one_replaces_it():
    for seed in range(20):
        env = start(seed=seed, protocol="shared_files", message_loss=0.5, corruption=0.5)
        stored = None
        for number in range(4):
            play(env, agent_1=f'write_file("x", "version {number}")')
            here = [fault for fault in env.faults() if fault.round == number + 1]
            assert len(here) <= 1
            if not here:
                stored = f"version {number}"
            elif here[0].kind == "corruption":
                assert here[0].delivered != here[0].sent == f"version {number}"
                stored = here[0].delivered
            read = env.call("agent_0", "read_file", {"path": "x"})
            assert read.startswith("Error: ") if stored is None else read == stored


def test_the_topology_masks_recipients_and_audience():
    env = start(n_agents=4, topology="chain")
    step = play(env, agent_0='send_message(3, "x")\nsend_message(1, "y")')
    assert inbox(step, "agent_3") == []
    assert inbox(step, "agent_1") == [(0, "y")]
    assert "no link" in step[4]["agent_0"]["error"]
    env = start(n_agents=4, topology="star", protocol="broadcast")
    step = play(env, agent_1='broadcast_message("x")', agent_0='broadcast_message("y")')
    assert inbox(step, "agent_0") == [(1, "x")]
    assert inbox(step, "agent_2") == [(0, "y")]
    assert env.metrics()["messages"] == 1 + 3


def test_the_database_in_a_file_matches_what_was_sent(tmp_path):
    path = tmp_path / "episode.db"
    env = start(db_path=str(path))
    step = play(env, agent_0='send_message(1, "first")', agent_2='send_message(0, "second")')
    seen = {agent: inbox(step, agent) for agent in env.agents}
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT round, sender, sequence, recipient, content, read FROM messages ORDER BY id"
        ).fetchall()
    assert rows == [(1, 0, 0, 1, "first", 1), (1, 2, 0, 0, "second", 1)]
    assert seen == {"agent_0": [(2, "second")], "agent_1": [(0, "first")], "agent_2": []}
    env.reset(seed=2)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (0,)


def test_a_file_of_someone_else_is_not_overwritten(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE precious (x)")
    env = parallel_env(n_agents=2, db_path=path)
    with pytest.raises(ValueError, match="another program"):
        env.reset(seed=1)
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(ValueError, match="db_path"):
        parallel_env(n_agents=2, db_path=tmp_path / "text").reset(seed=1)

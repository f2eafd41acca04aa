"""The episode's database: what a file of it holds, exactly-once delivery at size, memory."""

import json
import shutil
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from coordgym.silo_env.compute import parallel_env


def start(n_agents, **kwargs):
    env = parallel_env(n_agents=n_agents, **kwargs)
    env.reset(seed=1)
    return env


def play(env, actions):
    return env.step({agent: actions.get(agent, "wait()") for agent in env.agents})


def rows_of(path, query):
    """Read with another program where there is one, else with another connection."""
    shell = shutil.which("sqlite3")
    if shell is None:
        with sqlite3.connect(path) as connection:
            return [list(row) for row in connection.execute(query)]
    told = subprocess.run(
        [shell, "-json", str(path), query], capture_output=True, text=True, check=True
    )
    return [list(row.values()) for row in json.loads(told.stdout or "[]")]


# --- files ---------------------------------------------------------------------------------------


def test_all_messages_of_an_episode_are_in_its_file(tmp_path):
    path = tmp_path / "episode.db"
    env = start(5, protocol="broadcast", message_loss=0.4, corruption=0.4, db_path=path)
    heard = {}
    for round_number in range(1, 4):
        *_, infos = play(env, {a: f'broadcast_message("{a} {round_number}")' for a in env.agents})
        for agent in env.agents:
            for message in infos[agent]["view"]["messages"]:
                place = (int(agent[-1]), message["round"], message["sender"])
                assert heard.setdefault(place, message["content"]) is message["content"]
    faults = env.faults()
    *_, terminations, _, _ = play(env, dict.fromkeys(env.agents, "submit_result(1)"))
    assert all(terminations.values())
    env.close()
    rows = rows_of(
        path, "SELECT round, sender, sequence, recipient, content, read FROM messages ORDER BY id"
    )
    assert [row[:5] for row in rows] == [
        [r, s, 0, None, f"agent_{s} {r}"] for r in (1, 2, 3) for s in range(5)
    ]
    logged = rows_of(path, "SELECT round, kind, author, recipient, sent, delivered FROM faults")
    assert logged == [[f.round, f.kind, f.author, f.recipient, f.sent, f.delivered] for f in faults]
    assert {f.kind for f in faults} == {"loss", "corruption"}
    arrived = {(f.recipient, f.round, f.author): f.delivered for f in faults}
    for round_number, sender, _, _, content, read in rows:
        places = [(a, round_number, sender) for a in range(5) if a != sender]
        expected = {place: arrived.get(place, content) for place in places}
        expected = {place: text for place, text in expected.items() if text is not None}
        assert expected == {place: heard[place] for place in places if place in heard}
        assert read == len(expected)


def test_messages_are_marked_as_read_by_those_that_ask_for_them(tmp_path):
    path = tmp_path / "episode.db"
    env = start(3, protocol="broadcast", delivery="pull", db_path=path)
    play(env, {"agent_0": 'broadcast_message("x")', "agent_1": 'broadcast_message("y")'})
    play(env, {"agent_1": "receive_messages()", "agent_2": "receive_messages()"})
    play(env, {"agent_2": "receive_messages()"})
    assert rows_of(path, "SELECT content, read FROM messages") == [["x", 2], ["y", 1]]


@pytest.mark.parametrize("reward", ["correct", "team"])
def test_what_comes_for_an_agent_that_has_submitted_stays_unread(tmp_path, reward):
    path = tmp_path / "episode.db"
    env = start(3, reward=reward, db_path=path)
    speak = 'send_message(1, "{0}")\nsend_message(2, "{0}")'
    for word in ("same round", "later"):
        actions = {"agent_0": speak.format(word), "agent_1": "submit_result(1)"}
        actions["agent_2"] = "wait()"
        env.step({agent: actions[agent] for agent in env.agents if agent in env._active()})
    rows = rows_of(path, "SELECT content, recipient, read FROM messages ORDER BY id")
    assert rows == [[w, to, int(to == 2)] for w in ("same round", "later") for to in (1, 2)]


def test_the_files_of_an_episode_are_in_its_file(tmp_path):
    path = tmp_path / "episode.db"
    env = start(3, protocol="shared_files", db_path=path)
    play(env, {"agent_0": 'write_file("x", "1")', "agent_1": 'write_file("y", "2")'})
    play(env, {"agent_2": 'write_file("x", "3")', "agent_1": 'delete_file("y")'})
    play(env, {"agent_0": 'read_file("x")'})
    rows = rows_of(path, "SELECT path, content, author, created_round, modified_round FROM files")
    assert rows == [["x", "3", 2, 1, 2]]


# --- exactly once at size ------------------------------------------------------------------------


@pytest.mark.parametrize("delivery", ["push", "pull"])
def test_broadcasts_come_exactly_once_under_loss_with_100_agents(delivery):
    """With pull, half of the agents ask only in the end, and then get all that waited."""
    env = start(100, protocol="broadcast", delivery=delivery, message_loss=0.3)
    got = {agent: [] for agent in env.agents}
    for r in range(1, 5):
        ask = "" if delivery == "push" else "receive_messages()\n"
        actions = {}
        for i, agent in enumerate(env.agents):
            say = f'broadcast_message("{r} {i}")\n' if r < 3 else ""
            actions[agent] = (ask if i % 2 or r == 4 else "") + say + "wait()"
        *_, infos = play(env, actions)
        for agent in env.agents:
            view = infos[agent]["view"]
            messages = list(view["messages"])
            for result in view["results"]:
                messages += result.get("messages", ())
            got[agent] += [tuple(map(int, message["content"].split())) for message in messages]
    lost = {(f.recipient, *map(int, f.sent.split())) for f in env.faults()}
    for i, agent in enumerate(env.agents):
        sent = [(r, s) for r in (1, 2) for s in range(100) if s != i]
        assert got[agent] == [place for place in sent if (i, *place) not in lost]
    assert 0.25 < len(lost) / (2 * 100 * 99) < 0.35


@pytest.mark.parametrize("protocol", ["p2p", "broadcast"])
def test_agents_that_stay_after_their_answer_are_told_nothing(protocol):
    env = start(3, protocol=protocol, reward="team")
    observations, *_ = play(env, {"agent_1": "submit_result(1)"})
    assert "submitted" in observations["agent_1"]
    for _ in range(2):
        texts = {
            "p2p": 'send_message(1, "news")\nsend_message(2, "news")',
            "broadcast": 'broadcast_message("news")',
        }
        observations, *_, infos = env.step({"agent_0": texts[protocol], "agent_2": "wait()"})
        assert "news" in observations["agent_2"]
        assert "Round" not in observations["agent_1"]
        assert "news" not in json.dumps(infos["agent_1"])
        assert infos["agent_1"]["active"] is False


# --- memory --------------------------------------------------------------------------------------

LONG_EPISODE = """
    import re
    from pathlib import Path

    from coordgym.silo_env.compute import parallel_env

    env = parallel_env(n_agents=100, max_cycles=100)
    _, infos = env.reset(seed=1)
    texts = {}
    for i, agent in enumerate(env.agents):
        shard = infos[agent]["view"]["shard"]
        others = (j for j in range(100) if j != i)
        texts[agent] = "\\n".join(f'send_message({j}, "{shard}")' for j in others)
    rounds = 0
    while env.agents:
        env.step(dict(texts))
        rounds += 1
    # The peak of this program; ru_maxrss may be that of the program that started it.
    peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
    print(rounds, env.metrics()["messages"], peak.group(1))
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_a_million_messages_fit_in_300_megabytes():
    """100 agents send their data to all others in each of 100 rounds."""
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LONG_EPISODE)],
        capture_output=True,
        text=True,
        check=True,
    )
    rounds, messages, kilobytes = map(int, told.stdout.split())
    assert (rounds, messages) == (100, 990_000)
    assert kilobytes < 300 * 1024

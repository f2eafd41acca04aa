"""Rounds of messages, repair steps, answers, what they earn and what is counted."""

import json

import networkx
import pytest
from path_of_four import AGENT, CLASH, GOOD, PATH, answer, finish, path_env, step

from coordgym.silo_env.graph import parallel_env


def test_messages_arrive_in_the_next_round_and_only_at_neighbours() -> None:
    env = path_env()
    observations, _, _, _, infos = step(env, Bao='{"Ada": "to A", "Cleo": "to C"}')
    assert infos[AGENT["Ada"]]["view"]["messages"] == {"Bao": "to A"}
    assert infos[AGENT["Cleo"]]["view"]["messages"] == {"Bao": "to C"}
    assert infos[AGENT["Cleo"]]["view"]["silent"] == ["Dov"]
    assert infos[AGENT["Dov"]]["view"]["messages"] == {}
    assert '- Bao: "to A"' in observations[AGENT["Ada"]]
    assert "to C" not in observations[AGENT["Ada"]]
    assert "to" not in infos[AGENT["Dov"]]["view"]["messages"]
    _, _, _, _, infos = step(env)
    assert infos[AGENT["Ada"]]["view"]["messages"] == {}


def test_nobody_is_called_silent_before_a_round_is_over() -> None:
    for text in ("full", "compact"):
        env = parallel_env(graph=PATH, rounds=1, text=text)
        observations, infos = env.reset(seed=0)
        assert all(info["view"]["silent"] == [] for info in infos.values())
        assert "Nothing came from" not in str(observations)
        assert "silent" not in str(observations)
        _, _, _, _, infos = step(env)
        assert infos[AGENT["Bao"]]["view"]["silent"] == ["Ada", "Cleo"]


def test_an_episode_takes_rounds_plus_one_steps() -> None:
    env = path_env(rounds=3)
    views = []
    for _ in range(3):
        _, rewards, ended, cut, infos = step(env)
        views.append(infos["agent_0"]["view"])
        assert not any(ended.values())
        assert not any(cut.values())
        assert set(rewards.values()) == {0.0}
    assert [view["phase"] for view in views] == ["message", "message", "answer"]
    assert [view["rounds_left"] for view in views] == [2, 1, 0]
    _, rewards, ended, cut, infos = finish(env, *GOOD)
    assert set(rewards.values()) == {1.0}
    assert all(ended.values())
    assert not any(cut.values())
    assert infos["agent_0"]["metrics"]["success"] is True
    assert env.metrics()["rounds"] == 4


def test_the_last_send_is_announced() -> None:
    for text in ("full", "compact"):
        env = path_env(text=text)
        observations, *_ = step(env)
        assert "last" in observations["agent_0"]
        observations, *_ = step(env)
        assert "last" not in observations["agent_0"]


def test_rewards() -> None:
    for reward, expected in (("success", 0.0), ("score", 2 / 3)):
        env = path_env(reward=reward)
        step(env)
        step(env)
        _, rewards, *_ = finish(env, *CLASH)
        assert rewards == pytest.approx(dict.fromkeys(AGENT.values(), expected))
        metrics = env.metrics()
        assert metrics["success"] is False
        assert metrics["score"] == metrics["coverage"] == pytest.approx(2 / 3)
        assert metrics["conflicts"] == 1


def test_metrics_count_messages() -> None:
    env = path_env()
    step(env, Bao='{"Ada": "four", "Cleo": "six"}', Ada='{"Bao": ""}')
    step(env, Bao='{"Ada": "x", "Dov": "no neighbour"}')
    metrics = env.metrics()
    assert (metrics["messages"], metrics["characters"]) == (4, 8)
    assert metrics["silent_agents"] == 2
    assert metrics["invalid_actions"] == 1
    assert metrics["parse_failures"] == 0


# --- repair steps ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["full", "compact"])
def test_a_repair_step_asks_only_those_who_failed(text: str) -> None:
    env = path_env(text=text)
    observations, _, _, _, infos = step(env, Ada="junk", Bao='{"Ada": "waiting", "Cleo": "too"}')
    active = [agent for agent in env.agents if infos[agent]["active"]]
    assert active == [AGENT["Ada"]]
    assert "parsed" in observations[AGENT["Ada"]]
    assert "parsed" in (infos[AGENT["Ada"]]["error"] or "")
    assert infos[AGENT["Ada"]]["view"] == {"phase": "message", "repair": True, "tries_left": 1}
    # Nobody gets mail before the round is complete.
    assert all("waiting" not in observation for observation in observations.values())
    assert {info["round"] for info in infos.values()} == {0}
    observations, _, _, _, infos = env.step({AGENT["Ada"]: '{"Bao": "repaired"}'})
    assert {info["round"] for info in infos.values()} == {1}
    assert infos[AGENT["Bao"]]["view"]["messages"] == {"Ada": "repaired"}
    assert infos[AGENT["Ada"]]["view"]["messages"] == {"Bao": "waiting"}
    assert all(infos[agent]["active"] for agent in env.agents)
    assert env.metrics()["parse_failures"] == 1
    assert env.metrics()["failed_messages"] == 0


def test_the_state_holds_what_waits_for_a_repair() -> None:
    env = path_env()
    step(env, Ada="junk", Bao='{"Ada": "waiting"}')
    state = json.loads(env.state())
    assert (state["waiting"][1], state["repairing"]) == ({"Ada": "waiting"}, ["agent_0"])
    assert state["inboxes"] == [{}] * 4
    env.step({AGENT["Ada"]: "{}"})
    state = json.loads(env.state())
    assert (state["waiting"], state["repairing"]) == ([{}] * 4, [])
    assert state["inboxes"][0] == {"Bao": "waiting"}
    step(env)
    step(env, Bao="junk", Cleo=answer("Group 2"), Ada=answer("Group 1"), Dov=answer("Group 3"))
    assert json.loads(env.state())["given_answers"] == ["Group 1", None, "Group 2", "Group 3"]


def test_after_the_last_try_an_agent_stays_silent() -> None:
    env = path_env(retries=2)
    step(env, Ada="junk")
    for tries_left in (2, 1):
        assert env.round == 0
        _, _, _, _, infos = env.step({AGENT["Ada"]: "junk"})
        if tries_left == 2:
            assert infos[AGENT["Ada"]]["view"]["tries_left"] == 1
    assert env.round == 1
    assert infos[AGENT["Bao"]]["view"]["silent"] == ["Ada", "Cleo"]
    metrics = env.metrics()
    assert (metrics["parse_failures"], metrics["failed_messages"]) == (3, 1)


def test_without_retries_there_are_no_repair_steps() -> None:
    env = path_env(retries=0)
    step(env, Ada="junk")
    assert env.round == 1
    step(env)
    _, _, ended, _, _ = step(env, default="junk")
    assert all(ended.values())
    assert env.metrics()["failed_answers"] == 4


def test_an_answer_may_be_repaired() -> None:
    env = path_env()
    step(env)
    step(env)
    good = {name: answer(option) for name, option in zip(AGENT, GOOD, strict=True)}
    _, _, ended, _, infos = step(env, **{**good, "Dov": answer("Group 12")})
    assert not any(ended.values())
    assert infos[AGENT["Dov"]]["view"] == {"phase": "answer", "repair": True, "tries_left": 1}
    _, rewards, ended, _, _ = env.step({AGENT["Dov"]: good["Dov"]})
    assert all(ended.values())
    assert set(rewards.values()) == {1.0}


def test_an_answer_that_fails_twice_fails_the_network() -> None:
    env = path_env()
    step(env)
    step(env)
    good = {name: answer(option) for name, option in zip(AGENT, GOOD, strict=True)}
    step(env, **{**good, "Dov": "junk"})
    _, rewards, ended, _, infos = env.step({AGENT["Dov"]: "junk"})
    assert all(ended.values())
    assert set(rewards.values()) == {0.0}
    assert env.answers["Dov"] is None
    assert infos[AGENT["Dov"]]["view"]["answer"] is None
    assert env.metrics()["failed_answers"] == 1


def test_unusable_texts_are_repaired_like_unparsable_ones() -> None:
    env = path_env(max_action_chars=50)
    _, _, _, _, infos = step(env, Ada="x" * 51, Bao="\ud800")
    assert [agent for agent in env.agents if infos[agent]["active"]] == ["agent_0", "agent_1"]
    env.step({"agent_0": "{}", "agent_1": "{}"})
    assert env.round == 1


def test_what_was_not_sent_is_told_even_after_a_repair_step() -> None:
    env = path_env()
    step(env, Ada="junk", Bao='{"Ada": "hi", "Zed": "who?"}')
    observations, _, _, _, infos = env.step({AGENT["Ada"]: "{}"})
    assert infos[AGENT["Bao"]]["view"]["dropped"] == [["Zed", "not the name of a neighbour"]]
    assert '"Zed" (not the name of a neighbour)' in observations[AGENT["Bao"]]
    observations, _, _, _, infos = step(env)  # once, not for ever
    assert "dropped" not in infos[AGENT["Bao"]]["view"]
    assert "Zed" not in observations[AGENT["Bao"]]


def test_too_long_messages_are_not_sent() -> None:
    env = path_env(max_message_chars=3)
    _, _, _, _, infos = step(env, Bao='{"Ada": "four", "Cleo": "six"}')
    assert infos[AGENT["Ada"]]["view"]["silent"] == ["Bao"]
    assert infos[AGENT["Cleo"]]["view"]["messages"] == {"Bao": "six"}
    assert infos[AGENT["Bao"]]["valid"] is False


def test_isolated_agents_never_repair_messages() -> None:
    graph = networkx.Graph([("Ada", "Bao")])
    graph.add_node("Cleo")
    env = parallel_env(graph=graph, rounds=1)
    env.reset(seed=0)
    env.step({"agent_0": "{}", "agent_1": "{}", "agent_2": "nobody is there"})
    assert env.round == 1


def test_the_longest_episode_fits_the_default_limit() -> None:
    env = path_env(retries=2)
    steps = 0
    while env.agents:
        _, _, ended, cut, _ = step(env, default="junk")
        steps += 1
    assert steps == env.limit == (2 + 1) * (1 + 2)
    assert all(ended.values())
    assert not any(cut.values())


def test_the_limit_truncates_with_missing_answers() -> None:
    env = path_env(max_cycles=2, reward="score", task="vertex_cover")
    step(env)
    _, rewards, ended, cut, _ = step(env)
    assert all(cut.values())
    assert not any(ended.values())
    assert set(rewards.values()) == {env.metrics()["score"]} == {0.0}


def test_the_limit_pays_what_was_reached_until_then() -> None:
    for reward, expected in (("score", 0.5), ("success", 0.0)):
        env = path_env(task="matching", max_cycles=3, reward=reward)
        step(env)
        step(env)
        pair = {"Ada": answer("Bao"), "Bao": answer("Ada")}
        _, rewards, ended, cut, _ = step(env, default="junk", **pair)
        assert all(cut.values())
        assert not any(ended.values())
        assert rewards == dict.fromkeys(AGENT.values(), expected)

"""Rounds of messages, repairs, answers, what they earn and what is counted."""

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
    for reward, expected in (("success", 0.0), ("gameable_score", 2 / 3)):
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


# --- repairs within a turn ---------------------------------------------------------------


@pytest.mark.parametrize("text", ["full", "compact"])
def test_who_could_not_be_read_is_asked_again_within_its_turn(text: str) -> None:
    env = path_env(text=text)
    ada = AGENT["Ada"]
    told = env.ask_again(ada, "junk")
    assert told is not None
    observation, info = told
    assert "parsed" in observation
    assert "parsed" in info["error"]
    assert info["view"] == {"phase": "message", "repair": True, "tries_left": 1}
    assert (info["round"], info["active"], info["valid"]) == (0, True, False)
    assert env.ask_again(ada, "junk") is None  # that was the last try
    assert env.ask_again(ada, '{"Bao": "repaired"}') is None
    _, _, _, _, infos = step(env, Ada='{"Bao": "repaired"}', Bao='{"Ada": "waiting"}')
    assert {info["round"] for info in infos.values()} == {1}
    assert infos[AGENT["Bao"]]["view"]["messages"] == {"Ada": "repaired"}
    assert infos[ada]["view"]["messages"] == {"Bao": "waiting"}
    assert infos[ada]["valid"] is True
    metrics = env.metrics()
    assert (metrics["parse_failures"], metrics["failed_messages"]) == (1, 0)
    assert metrics["invalid_actions"] == 1


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("tries", [0, 1, 3])
def test_what_others_see_does_not_depend_on_whether_a_text_could_be_read(
    text: str, tries: int
) -> None:
    """A text that can't be read is silence to neighbours and nothing to anybody else."""
    quiet, loud = (path_env(retries=3, text=text, repeat_instructions=True) for _ in "ab")
    ada = AGENT["Ada"]
    for said in ("{}", "{}", answer("Group 1")):
        for _ in range(tries):
            assert loud.ask_again(ada, "junk") is not None
        first, _, *ends, infos = step(quiet, Ada=said, default="{}")
        second, _, *other_ends, other_infos = step(loud, Ada="junk", default="{}")
        for agent in AGENT.values():
            for shown in (infos[agent], other_infos[agent]):
                shown.pop("metrics", None)  # of the whole episode, when it is over
            if agent != ada:
                assert first[agent] == second[agent]
                assert infos[agent] == other_infos[agent]
        assert ends == other_ends


def test_the_state_tells_nothing_of_tries() -> None:
    env = path_env()
    state = env.state()
    env.ask_again("agent_0", "junk")
    assert env.state() == state


def test_after_the_last_try_an_agent_stays_silent() -> None:
    env = path_env(retries=2)
    for tries_left in (2, 1):
        told = env.ask_again("agent_0", "junk")
        assert told is not None
        assert told[1]["view"]["tries_left"] == tries_left
    assert env.ask_again("agent_0", "junk") is None
    assert env.round == 0
    _, _, _, _, infos = step(env, Ada="junk")
    assert infos[AGENT["Bao"]]["view"]["silent"] == ["Ada", "Cleo"]
    metrics = env.metrics()
    assert (metrics["parse_failures"], metrics["failed_messages"]) == (3, 1)
    assert env.ask_again("agent_0", "junk") is not None  # the next round has its own tries


def test_step_asks_nobody_again() -> None:
    env = path_env(retries=10)
    step(env, Ada="junk")
    assert env.round == 1
    step(env)
    _, _, ended, _, _ = step(env, default="junk")
    assert all(ended.values())
    assert env.metrics()["failed_answers"] == 4


def test_without_retries_nobody_is_asked_again() -> None:
    env = path_env(retries=0)
    assert env.ask_again("agent_0", "junk") is None
    assert env.metrics()["parse_failures"] == 0


def test_an_answer_may_be_repaired() -> None:
    env = path_env()
    step(env)
    step(env)
    dov = AGENT["Dov"]
    told = env.ask_again(dov, answer("Group 12"))
    assert told is not None
    assert told[1]["view"] == {"phase": "answer", "repair": True, "tries_left": 1}
    assert env.ask_again(dov, answer("Group 3")) is None
    _, rewards, ended, _, _ = finish(env, *GOOD)
    assert all(ended.values())
    assert set(rewards.values()) == {1.0}


def test_an_answer_that_fails_twice_fails_the_network() -> None:
    env = path_env()
    step(env)
    step(env)
    env.ask_again(AGENT["Dov"], "junk")
    good = {name: answer(option) for name, option in zip(AGENT, GOOD, strict=True)}
    _, rewards, ended, _, infos = step(env, **{**good, "Dov": "junk"})
    assert all(ended.values())
    assert set(rewards.values()) == {0.0}
    assert env.answers["Dov"] is None
    assert infos[AGENT["Dov"]]["view"]["answer"] is None
    assert env.metrics()["failed_answers"] == 1


def test_unusable_texts_are_repaired_like_unparsable_ones() -> None:
    env = path_env(max_action_chars=50)
    for agent, text in (("agent_0", "x" * 51), ("agent_1", "\ud800")):
        told = env.ask_again(agent, text)
        assert told is not None
        assert told[1]["error"]
        assert told[1]["view"]["repair"] is True


def test_what_was_not_sent_is_told_once_and_not_asked_for_again() -> None:
    env = path_env()
    text = '{"Ada": "hi", "Zed": "who?"}'
    assert env.ask_again(AGENT["Bao"], text) is None
    observations, _, _, _, infos = step(env, Bao=text)
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
    assert env.ask_again("agent_2", "nobody is there") is None
    env.step({"agent_0": "{}", "agent_1": "{}", "agent_2": "nobody is there"})
    assert env.metrics()["parse_failures"] == 0


def test_the_longest_episode_fits_the_default_limit() -> None:
    env = path_env(retries=2)
    steps = 0
    while env.agents:
        for agent in env.agents:
            assert [env.ask_again(agent, "junk") is None for _ in range(3)] == [False, False, True]
        _, _, ended, cut, _ = step(env, default="junk")
        steps += 1
    assert steps == env.limit == 2 + 1
    assert all(ended.values())
    assert not any(cut.values())


def test_the_limit_truncates_with_missing_answers() -> None:
    env = path_env(max_cycles=2, reward="gameable_score", task="vertex_cover")
    step(env)
    _, rewards, ended, cut, _ = step(env)
    assert all(cut.values())
    assert not any(ended.values())
    assert set(rewards.values()) == {env.metrics()["score"]} == {0.0}


def test_the_limit_pays_what_was_reached_until_then() -> None:
    for reward, expected in (("gameable_score", 0.5), ("success", 0.0)):
        env = path_env(task="matching", max_cycles=3, reward=reward)
        step(env)
        step(env)
        pair = {"Ada": answer("Bao"), "Bao": answer("Ada")}
        _, rewards, ended, cut, _ = step(env, default="junk", **pair)
        assert all(ended.values())
        assert not any(cut.values())
        assert rewards == dict.fromkeys(AGENT.values(), expected)

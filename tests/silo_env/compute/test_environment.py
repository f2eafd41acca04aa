"""The computation environment: errors, handles, rewards, figures, snapshots, options."""

import copy
import json
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test

import coordgym
from coordgym.errors import ActionError
from coordgym.silo_env.compute import parallel_env, verify

PROTOCOLS = ("p2p", "broadcast", "shared_files")
SHARDS = [[3, 1], [17, -4], [5]]
INSTANCE = {"instance": {"shards": SHARDS}}


def start(n_agents=3, options=INSTANCE, **kwargs):
    env = parallel_env(n_agents=n_agents, **kwargs)
    env.reset(seed=1, options=options)
    return env


def step(env, **actions):
    active = [agent for agent in env.agents if agent in env._active_now]
    return env.step({agent: actions.get(agent, "wait()") for agent in active})


# --- errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('send_message(7, "x")', "0 to 2"),
        ('send_message(0, "x")', "your own id"),
        ('send_message(true, "x")', "0 to 2"),
        ("send_message(1, 5)", "must be a text"),
        ("send_message(1)", "lacks the argument content"),
        ('send_message(1, "x", 3)', "3 arguments"),
        ('{"name": "shout", "arguments": {}}', "no function of this name"),
        ("I would rather talk about the weather.", "no call was found"),
        ("", "no call was found"),
        ('send_message(1, "\\ud800")', "surrogate"),
    ],
)
def test_a_bad_call_is_explained_and_hurts_nobody_else(text, reason):
    env = start()
    _, _, _, _, infos = step(env, agent_0=text, agent_1='send_message(2, "fine")')
    assert infos["agent_0"]["valid"] is False
    assert reason in infos["agent_0"]["error"]
    assert infos["agent_1"]["valid"] is True
    assert infos["agent_2"]["view"]["messages"][0]["content"] == "fine"
    assert env.metrics()["invalid_actions"] == 1


def test_the_good_calls_of_a_turn_are_carried_out():
    env = start()
    text = 'send_message(9, "a")\nsend_message(1, "b")\nsend_message(0, "c")\nwait()'
    observations, _, _, _, infos = step(env, agent_0=text)
    assert [m["content"] for m in infos["agent_1"]["view"]["messages"]] == ["b"]
    assert len(infos["agent_0"]["view"]["errors"]) == 2
    assert "call 1 (send_message)" in observations["agent_0"]
    assert "call 3 (send_message)" in observations["agent_0"]


def test_over_long_messages_are_refused_and_never_cut():
    env = start(max_message_chars=10)
    _, _, _, _, infos = step(env, agent_0='send_message(1, "12345678901")')
    assert infos["agent_1"]["view"]["messages"] == []
    assert "at most 10" in infos["agent_0"]["error"]


def test_surplus_calls_are_not_made():
    env = start(max_calls=2)
    text = "\n".join(f'send_message(1, "{i}")' for i in range(5))
    _, _, _, _, infos = step(env, agent_0=text)
    assert [m["content"] for m in infos["agent_1"]["view"]["messages"]] == ["0", "1"]
    assert infos["agent_0"]["valid"] is False


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_text_is_survived_and_observations_stay_in_their_space(protocol, data):
    names = [f["function"]["name"] for f in start(protocol=protocol).tools("agent_0")]
    names.remove("submit_result")
    lines = st.one_of(
        st.text(max_size=40),
        st.builds("{}({})".format, st.sampled_from(names), st.text(max_size=20)),
        st.builds('{}("{}", "{}")'.format, st.sampled_from(names), st.text(max_size=4), st.text()),
        st.builds('{{"name": "{}", "arguments": {{}}}}'.format, st.sampled_from(names)),
    )
    env = start(protocol=protocol, max_cycles=3)
    while env.agents:
        texts = {agent: "\n".join(data.draw(st.lists(lines, max_size=5))) for agent in env.agents}
        told = {agent: env.check_action(agent, text) for agent, text in texts.items()}
        observations, _, terminations, truncations, infos = env.step(texts)
        for agent, observation in observations.items():
            assert env.observation_space(agent).contains(observation)
            assert infos[agent]["error"] == told[agent]
            json.dumps(infos[agent]["view"])
    assert all(truncations.values())
    assert not any(terminations.values())


# --- tool handles ----------------------------------------------------------------------------

CALLS = {
    "p2p": [
        ("send_message", {"target_id": 1, "content": 'a "quoted"\nline'}),
        ("send_message", {"target_id": 9, "content": "x"}),
        ("send_message", {"content": "x"}),
        ("receive_messages", {}),
        ("unknown", {"a": 1}),
        ("wait", {}),
        ("send_message", {"target_id": 2, "content": "skipped"}),
    ],
    "broadcast": [
        ("list_agents", {}),
        ("broadcast_message", {"content": "hello"}),
        ("receive_messages", {"surplus": 1}),
    ],
    "shared_files": [
        ("write_file", {"path": "a/b.txt", "content": "\u2603 {1}"}),
        ("read_file", {"path": "a/b.txt"}),
        ("list_files", {"prefix": "a"}),
        ("read_file", {"path": "missing"}),
        ("delete_file", {"path": "a/b.txt"}),
        ("write_file", {"path": "", "content": "x"}),
    ],
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("delivery", ["push", "pull"])
def test_handles_and_text_mean_the_same(protocol, delivery):
    by_handle = start(protocol=protocol, delivery=delivery)
    by_text = start(protocol=protocol, delivery=delivery)
    for _ in range(2):
        for name, arguments in CALLS[protocol]:
            assert isinstance(by_handle.call("agent_0", name, arguments), str)
        text = by_handle.called_text("agent_0")
        first, second = step(by_handle, agent_0=""), step(by_text, agent_0=text)
        assert first == second
        assert by_handle.called_text("agent_0") == ""
    assert by_handle.metrics().items() >= {"success": False}.items()
    assert repr(by_handle.metrics()) == repr(by_text.metrics())


def test_an_empty_step_after_calls_is_valid():
    env = start()
    env.call("agent_0", "send_message", {"target_id": 1, "content": "x"})
    _, _, _, _, infos = step(env, agent_0="")
    assert infos["agent_0"]["valid"] is True


def test_an_answer_by_handle_counts():
    env = start()
    assert env.call("agent_0", "submit_result", {"answer": 17}) == "Your answer was submitted."
    _, rewards, terminations, _, _ = step(env, agent_0="")
    assert rewards["agent_0"] == 1.0
    assert terminations["agent_0"] is True


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("submit_result", {"answer": float("nan")}),
        ("submit_result", {"answer": 10**5000}),
        ("submit_result", {"answer": json.loads("[" * 900 + "]" * 900)}),
        ("send_message", {"target_id": 1, "content": "\ud800"}),
        ("send_message", {"target_id": 1, "content": "x" * 200_000}),
        ("", {}),
        ("wait\n\nwait", {"name": "wait", "arguments": {}}),
    ],
    ids=range(7),
)
def test_a_models_bad_arguments_are_answered_and_leave_the_round_as_it_was(name, arguments):
    env, twin = start(), start()
    assert env.call("agent_0", name, arguments).startswith("Error: ")
    text = env.called_text("agent_0")
    assert step(env, agent_0="wait()") == step(twin, agent_0=f"{text}\nwait()")


def test_wrong_use_of_handles_raises():
    env = start()
    with pytest.raises(ActionError, match="turn"):
        env.call("agent_9", "wait", {})
    for nobody in ("zz", 5, "agent_9", None):
        with pytest.raises(ActionError, match="agent"):
            env.called_text(nobody)
        with pytest.raises(ActionError, match="agent"):
            env.tools(nobody)
    with pytest.raises(ActionError, match="JSON form"):
        env.call("agent_0", "submit_result", {"answer": {1, 2}})
    step(env, agent_0="submit_result(1)")
    with pytest.raises(ActionError, match="turn"):
        env.call("agent_0", "wait", {})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tools_are_schemas_of_all_functions(protocol):
    env = start(protocol=protocol)
    tools = {tool["function"]["name"]: tool["function"] for tool in env.tools("agent_0")}
    assert {"wait", "submit_result"} < set(tools)
    for name, tool in tools.items():
        assert name in env.reset(seed=1)[1]["agent_0"]["instructions"]
        optional = {"prefix"} if name == "list_files" else set()
        required = set(tool["parameters"]["required"])
        assert set(tool["parameters"]["properties"]) - required == optional


# --- rewards, end and figures ----------------------------------------------------------------


def test_correct_and_partial_rewards_come_at_submission():
    # Who holds the maximum comes near it alone, so that "partial" pays it nothing for that.
    for reward, near in (("correct", 0.0), ("partial", 0.0), ("gameable_partial", 1.0)):
        env = start(n_agents=2, reward=reward, options={"instance": {"shards": [[400], [3]]}})
        _, rewards, _, _, _ = step(env, agent_0="submit_result(401)")
        assert rewards == {"agent_0": near, "agent_1": 0.0}
        _, rewards, terminations, _, infos = step(env, agent_1="submit_result(400)")
        assert rewards == {"agent_1": 1.0}
        assert terminations == {"agent_1": True}
        assert infos["agent_1"]["metrics"]["S"] == 0.5
        assert env.metrics()["P"] == 1.0


def test_team_reward_keeps_agents_until_the_end():
    env = start(reward="gameable_team")
    _observations, rewards, terminations, _, infos = step(env, agent_0="submit_result(17)")
    assert env.agents == ["agent_0", "agent_1", "agent_2"]
    assert infos["agent_0"]["active"] is False
    assert set(rewards.values()) == {0.0}
    _, rewards, terminations, truncations, infos = env.step(
        {"agent_1": "submit_result(17)", "agent_2": "submit_result(0)"}
    )
    assert rewards == pytest.approx(dict.fromkeys(env.possible_agents, 2 / 3))
    assert all(terminations.values())
    assert not any(truncations.values())


def test_the_limit_truncates_and_unsubmitted_is_wrong():
    env = start(max_cycles=2, reward="gameable_team")
    step(env, agent_0="submit_result(17)")
    _, rewards, terminations, truncations, _ = step(env)
    assert all(truncations.values())
    assert not any(terminations.values())
    assert rewards == pytest.approx(dict.fromkeys(env.possible_agents, 1 / 3))
    metrics = env.metrics()
    assert metrics["unsubmitted"] is True
    assert math.isnan(metrics["rounds_to_completion"])
    assert metrics["S"] == pytest.approx(1 / 3)


def test_failure_modes_follow_what_agents_knew():
    env = start()
    step(env, agent_1="\n".join(f'send_message({i}, "17, confirm")' for i in (0, 2)))
    step(env, agent_0="submit_result(17)")  # right, but without having heard agent 2
    step(env, agent_2='send_message(1, "5")\nwait()')
    step(env, agent_1='send_message(2, "our plan")\nwait()')
    step(env, agent_1="submit_result(17)", agent_2="submit_result(16)")
    metrics = env.metrics()
    assert metrics["premature"] is True
    assert metrics["consensus_failure"] is True
    assert metrics["computation_error"] is False  # agent 2 never learnt what agent 0 holds
    assert metrics["unsubmitted"] is False
    assert metrics["verification"] is True
    assert metrics["strategy_discussion"] is True
    assert metrics["rounds_to_completion"] == 5.0


def test_knowledge_travels_through_others():
    env = start()
    step(env, agent_0='send_message(1, "3")')
    step(env, agent_1='send_message(2, "3 and 17")')
    step(env, agent_2="submit_result(18)")
    assert env.metrics()["premature"] is False
    assert env.metrics()["computation_error"] is True


@pytest.mark.parametrize(
    ("kwargs", "first", "second", "third"),
    [
        (
            {"delivery": "pull"},
            'send_message(1, "3")',
            'receive_messages()\nsend_message(2, "3 and 17")',
            "receive_messages()\nsubmit_result(17)",
        ),
        (
            {"protocol": "broadcast", "delivery": "pull", "topology": "chain"},
            'broadcast_message("3")',
            'receive_messages()\nbroadcast_message("3 and 17")',
            "receive_messages()\nsubmit_result(17)",
        ),
        (
            {"protocol": "shared_files"},
            'write_file("a", "3")',
            'read_file("a")\nwrite_file("b", "3 and 17")',
            'read_file("b")\nsubmit_result(17)',
        ),
    ],
)
def test_what_is_read_in_a_turn_is_behind_what_is_said_later_in_it(kwargs, first, second, third):
    env = start(**kwargs)
    step(env, agent_0=first)
    step(env, agent_1=second)
    step(env, agent_2=third)
    assert env.metrics()["premature"] is False
    # The other way round, nothing was known when it was said.
    env = start(**kwargs)
    step(env, agent_0=first)
    step(env, agent_1="\n".join(reversed(second.split("\n"))))
    step(env, agent_2=third)
    assert env.metrics()["premature"] is True


def test_a_computation_error_needs_all_data():
    env = start(n_agents=2, options={"instance": {"shards": [[1], [2]]}}, protocol="shared_files")
    step(env, agent_0='write_file("x", "1")', agent_1='write_file("y", "2")')
    step(env, agent_0='read_file("y")', agent_1='read_file("x")')
    step(env, agent_0="submit_result(2)", agent_1="submit_result(3)")
    metrics = env.metrics()
    assert (metrics["premature"], metrics["computation_error"]) == (False, True)
    assert metrics["D"] == 1.0
    assert metrics["redundancy"] == 1.0


def test_the_leader_receives_most():
    env = start(n_agents=4, options=None)
    step(env, **{f"agent_{i}": 'send_message(0, "x")' for i in (1, 2, 3)})
    assert env.metrics()["leader"] == "agent_0"
    assert env.traffic()[1] == [1, 0, 0, 0]
    step(env, agent_0="\n".join(f'send_message({i}, "x")' for i in (1, 2, 3)))
    assert env.metrics()["leader"] == "agent_0"  # 3 of a mean of 1.5 is more than 1.5 times it
    step(env, agent_0="\n".join(f'send_message({i}, "x")' for i in (1, 2, 3)))
    assert env.metrics()["leader"] is None


def test_published_success_reads_json_only():
    env = start(n_agents=2, options={"instance": {"shards": [[1], [2]]}})
    step(env, agent_0="submit_result(2)", agent_1='submit_result("2")')
    assert env.metrics()["success_as_published"] is True
    env = start(n_agents=2, options={"instance": {"shards": [[1], [2]]}})
    step(env, agent_0="submit_result(2)", agent_1='submit_result(" +2")')
    assert env.metrics()["success_as_published"] is False


def test_verify_agrees_with_the_episode():
    env = start()
    step(env, agent_0="submit_result(17)", agent_1="submit_result(4)")
    verdict = verify(json.loads(json.dumps(env.instance)), env.outcome())
    metrics = env.metrics()
    assert (verdict.success, verdict.score, verdict.partial) == (
        metrics["success"],
        metrics["S"],
        metrics["P"],
    )


# --- snapshots and conformance ---------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), None]
)
def test_copies_in_mid_episode_continue_alike(protocol, copied, tmp_path):
    kwargs = {"protocol": protocol, "message_loss": 0.2, "corruption": 0.2, "n_agents": 4}
    env = start(**kwargs, options=None, db_path=str(tmp_path / "x.db"))
    for _ in range(2):
        step(env, **{agent: env.action_space(agent).sample() for agent in env.agents})
    actions = [{agent: env.action_space(agent).sample() for agent in env.agents} for _ in range(4)]
    if copied is None:
        twin = start(**kwargs, options=None)
        twin.set_state(env.get_state())
    else:
        twin = copied(env)
    for texts in actions:
        assert env.step(dict(texts)) == twin.step(dict(texts))
    assert env.faults() == twin.faults()
    assert env.state() == twin.state()
    assert repr(env.metrics()) == repr(twin.metrics())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pettingzoo_accepts_the_environment(protocol):
    env = coordgym.make("SiloGlobalMax-v0", n_agents=3, protocol=protocol)
    parallel_api_test(env, num_cycles=20)
    api_test(coordgym.silo_env.compute.env(n_agents=3, protocol=protocol), num_cycles=30)


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_state_and_observations_fit_their_spaces_and_hide_the_answer(text, protocol):
    env = parallel_env(n_agents=3, protocol=protocol, text=text)
    observations, infos = env.reset(
        seed=3, options={"instance": {"shards": [[1, 2], [3], [987654321]]}}
    )
    assert env.state_space.contains(env.state())
    assert "987654321" in observations["agent_2"]
    for agent in ("agent_0", "agent_1"):
        assert "987654321" not in observations[agent] + json.dumps(infos[agent])
    assert "answer" not in json.loads(env.state())
    picture = parallel_env(n_agents=3, render_mode="rgb_array")
    picture.reset(seed=1)
    assert picture.render().shape == (480, 480, 3)

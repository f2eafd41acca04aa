"""Episodes that are played through tool handles are recorded as text and replay."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coordgym
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import rollout
from coordgym.silo_env.compute import parallel_env

PROTOCOLS = ("p2p", "broadcast", "shared_files")


class Caller:
    """Shares its data by handles and submits the largest number that it got to know."""

    name = "caller"

    def __init__(self, closing: str = "", padding: int = 0) -> None:
        self._closing = closing
        self._padding = padding

    def bind(self, env):
        self._env = env.unwrapped

    def reset(self, agents, infos, seed):
        self._views = {agent: infos[agent]["view"] for agent in agents}

    def act(self, observations, infos):
        for agent in observations:
            if infos[agent]["round"] == 0:
                self._share(agent, self._views[agent])
            else:
                self._submit(agent, self._views[agent], infos[agent]["view"])
        return dict.fromkeys(observations, self._closing)

    def _share(self, agent, own):
        call = self._env.call
        best = " " * self._padding + str(max(own["shard"]))
        others = [i for i in range(own["n_agents"]) if i != own["agent_id"]]
        if own["protocol"] == "p2p":
            for i in others:
                call(agent, "send_message", {"target_id": i, "content": best})
            call(agent, "send_message", {"target_id": 99, "content": best})  # an error
        elif own["protocol"] == "broadcast":
            call(agent, "broadcast_message", {"content": best})
        else:
            call(agent, "write_file", {"path": f"{agent}.txt", "content": best})
        call(agent, "wait", {})

    def _submit(self, agent, own, view):
        heard = [int(message["content"]) for message in view["messages"]]
        if own["protocol"] == "shared_files":
            read = (self._env.call(agent, "read_file", {"path": f["path"]}) for f in view["files"])
            heard = [int(text) for text in read if not text.startswith("Error")]
        self._env.call(agent, "submit_result", {"answer": max([*heard, *own["shard"]])})


@pytest.mark.parametrize("closing", ["", "That was my turn.", "wait()"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_calls_by_handle_are_the_turns_text(protocol, closing):
    episode = rollout(coordgym.make("I-01", n_agents=4, protocol=protocol), Caller(closing), 3)
    assert episode.metrics["S"] == 1.0
    shared, submitted = episode.turns[0], episode.turns[-1]
    assert {
        "p2p": "send_message(",
        "broadcast": "broadcast_message(",
        "shared_files": "write_file(",
    }[protocol] in shared.action
    assert "submit_result(" in submitted.action
    assert submitted.action.endswith(closing)
    result = replay(episode)
    assert result.agrees, result.difference


def test_more_text_by_handles_than_an_action_may_have_is_refused_and_replays():
    env = coordgym.make("I-01", n_agents=12, max_action_chars=20_000)
    episode = rollout(env, Caller(padding=4_000), 3)
    assert all(len(turn.action) <= 20_000 for turn in episode.turns)
    assert 0.0 < episode.metrics["messages"] < 12 * 11
    result = replay(episode)
    assert result.agrees, result.difference


# --- any calls and any text behind them are one action -------------------------------------------

SPEAK = ("send_message", {"target_id": 1, "content": "hello"})
ASK = ("receive_messages", {})
WAIT = ("wait", {})
LETTERS = st.text("ab(){}[]'\"\\\n wait,:\ud800", max_size=30)
NAMES = st.sampled_from(
    ["send_message", "receive_messages", "write_file", "read_file", "list_files", "wait", "foo"]
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["target_id", "content", "path", "prefix", "name"]),
    st.integers(-1, 3) | LETTERS | st.none() | st.booleans(),
    max_size=3,
)
CALLS = st.lists(st.sampled_from([SPEAK, ASK, WAIT]) | st.tuples(NAMES, ARGUMENTS), max_size=5)
CLOSINGS = LETTERS | st.sampled_from(
    [
        *("", "wait()", "receive_messages()", "receive_messages()\n" * 4, "done " * 60),
        *("wait(\n" * 7, "{" * 900, 'send_message(2, "more")\nwait()', "submit_result(3)"),
        '{"name": "receive_messages", "arguments": {}}',
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(PROTOCOLS),
    CALLS,
    CLOSINGS,
    st.sampled_from([{}, {"max_calls": 3}, {"max_action_chars": 120}]),
    st.booleans(),
)
def test_a_turn_means_the_same_by_handles_and_as_text(protocol, calls, closing, limits, repeated):
    env = parallel_env(n_agents=3, protocol=protocol, repeat_instructions=repeated, **limits)
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    for name, arguments in calls:
        env.call("agent_0", name, arguments)
    before = env.called_text("agent_0")
    text = f"{before}\n{closing}" if before and closing else before or closing
    told = env.check_action("agent_0", closing)
    assert told == twin.check_action("agent_0", text)
    others = {"agent_1": "wait()", "agent_2": "wait()"}
    one = env.step({"agent_0": closing, **others})
    assert one == twin.step({"agent_0": text, **others})
    assert one[4]["agent_0"]["error"] == told
    assert repr(env.metrics()) == repr(twin.metrics())
    assert env.state() == twin.state()


class Script:
    """Makes the same calls in each turn and closes it with the same text."""

    name = "script"

    def __init__(self, calls, closing):
        self._calls = calls
        self._closing = closing

    def bind(self, env):
        self._env = env.unwrapped

    def reset(self, agents, infos, seed):
        pass

    def act(self, observations, infos):
        for agent in observations:
            for name, arguments in self._calls:
                self._env.call(agent, name, arguments)
        return dict.fromkeys(observations, self._closing)


@pytest.mark.parametrize(
    ("calls", "closing", "kwargs", "error"),
    [
        ([ASK] * 33, "", {}, "more than 32 calls"),
        ([ASK] * 30, "receive_messages()\n" * 5, {}, "more than 32 calls"),
        ([WAIT, *[ASK] * 40], "", {}, "more than 32 calls"),
        ([ASK], "wait(\n" * 9, {}, "no closing parenthesis"),
        ([SPEAK], "x" * 100, {"max_action_chars": 120}, "at most 120"),
        ([SPEAK], "x" * 121, {"max_action_chars": 120}, "at most 120"),
        ([SPEAK], "\ud800", {}, "not valid Unicode"),
        ([SPEAK], "Thinking aloud.", {"repeat_instructions": True}, None),
    ],
    ids=range(8),
)
def test_turns_that_break_a_limit_by_handles_replay(calls, closing, kwargs, error):
    env = coordgym.make("I-01", n_agents=3, max_cycles=2, **kwargs)
    episode = rollout(env, Script(calls, closing), 3)
    told = episode.turns[2].error
    assert told is None if error is None else error in told
    result = replay(episode)
    assert result.agrees, result.difference


def test_calls_whose_closing_text_leaves_no_room_are_not_carried_out():
    env = parallel_env(n_agents=2, max_action_chars=120)
    env.reset(seed=1)
    env.call("agent_0", *SPEAK)
    env.call("agent_0", "submit_result", {"answer": 1})
    others = {"agent_1": "wait()"}
    assert env.check_action("agent_0", "x" * 30) is None
    assert "at most 120" in env.check_action("agent_0", "x" * 100)
    observations, *_, infos = env.step({"agent_0": "x" * 100, **others})
    assert "at most 120 are allowed" in observations["agent_0"]
    assert infos["agent_1"]["view"]["messages"] == []
    assert env.agents == ["agent_0", "agent_1"]
    env.call("agent_0", *SPEAK)  # the next round begins anew
    *_, infos = env.step({"agent_0": "", **others})
    assert [m["content"] for m in infos["agent_1"]["view"]["messages"]] == ["hello"]


class Thinker:
    """Says by handle what looks like the end of a thought, and thinks before its closing text."""

    name = "thinker"

    def __init__(self, closing, content):
        self._closing, self._content = closing, content

    def bind(self, env):
        self._env = env.unwrapped

    def reset(self, agents, infos, seed):
        pass

    def act(self, observations, infos):
        for agent in observations:
            target = (int(agent[6:]) + 1) % 3
            self._env.call(agent, "send_message", {"target_id": target, "content": self._content})
        return dict.fromkeys(observations, self._closing)


@pytest.mark.parametrize("content", ["hello", "a</think>b", "[THINK]", "<|channel|>final"])
@pytest.mark.parametrize(
    ("closing", "thought"),
    [
        ("wait()", ""),
        ("<think>submit_result(1)</think>\nwait()", "<think>submit_result(1)</think>\n"),
        ("submit_result(1)</think>", "submit_result(1)</think>"),
        ("a</think>wait()<think>submit_result(1)</think>", "a</think>"),
    ],
)
def test_thoughts_around_calls_by_handle_replay(closing, thought, content):
    episode = rollout(coordgym.make("I-01", n_agents=3, max_cycles=2), Thinker(closing, content), 3)
    assert all(turn.valid for turn in episode.turns)
    first = episode.turns[0]
    assert first.action.startswith(f"{thought}send_message(1, ")
    assert first.reasoning >= len(thought)
    assert episode.metrics["messages"] == 6
    assert episode.metrics["S"] == 0.0
    result = replay(episode)
    assert result.agrees, result.difference


def test_an_unended_thought_undoes_the_calls_before_it_and_replays():
    episode = rollout(
        coordgym.make("I-01", n_agents=3, max_cycles=2), Thinker("<think>hm", "hello"), 3
    )
    assert not any(turn.valid for turn in episode.turns)
    assert episode.metrics["messages"] == 0
    result = replay(episode)
    assert result.agrees, result.difference

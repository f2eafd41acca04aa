"""Episodes that are played through tool handles are recorded as text and replay."""

import pytest

import coordgym
from coordgym.rollouts import replay, rollout

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

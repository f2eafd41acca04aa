"""Endpoints whose models think: in the reply itself, in a field or a part of their own."""

import json
from typing import Any

import pytest

pytest.importorskip("openai")
pytest.importorskip("tenacity")

import coordgym
from coordgym.agents.backend import ChatRequest, SamplingParams
from coordgym.agents.endpoint import OpenAIBackend
from coordgym.contract.replies import UNFINISHED
from coordgym.episodes.episode import Episode
from coordgym.errors import ModelError
from coordgym.policies.protocol import Completion

REQUEST = ChatRequest(({"role": "user", "content": "hello"},))
SILO = (
    "<think>\nFirst idea:\nsubmit_result(1)\nNo, I must ask the others first.\n</think>\n"
    'send_message(1, "my max is 800")'
)
VARIANTS = {
    "tags": SILO,
    "opened by the template": SILO.replace("<think>\n", ""),
    "thinking": SILO.replace("think>", "thinking>"),
    "Magistral": SILO.replace("<think>", "[THINK]").replace("</think>", "[/THINK]"),
    "gpt-oss": SILO.replace("<think>", "<|channel|>analysis<|message|>").replace(
        "</think>", "<|end|><|start|>assistant<|channel|>final<|message|>"
    ),
    "cut": "<think>\nFirst idea:\nsubmit_result(1)\nNo, that would be",
}


def body(**message: Any) -> str:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return f"body:{json.dumps({'model': 'fake-1', 'choices': [choice]})}"


def pieces(*deltas: dict[str, Any]) -> str:
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return f"body:{json.dumps([*chunks, end])}"


def asked(server: Any, behaviour: str, **kwargs: Any) -> Completion:
    server.script.append(behaviour)
    backend = OpenAIBackend("m", server.url, max_attempts=1, timeout=5, **kwargs)
    try:
        (completion,) = backend.generate([REQUEST], SamplingParams())
    finally:
        backend.close()
    return completion


def played(server: Any, env_id: str, text: str, partners: str = "random", **kwargs: Any) -> Episode:
    """Play an episode in which the endpoint says one text for agent_0."""
    server.script.extend([body(content=text)] * 20)
    policy = coordgym.make_policy(f"llm:openai:m@{server.url}")
    try:
        players = coordgym.PolicyMap({"agent_0": policy, "*": partners})
        return coordgym.rollout(coordgym.make(env_id, **kwargs), players, 3)
    finally:
        policy.close()  # type: ignore[attr-defined]


def of(episode: Episode, agent: str) -> list[Any]:
    return [turn for turn in episode.turns if turn.agent == agent]


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_thought_of_is_not_submitted(fake_server: Any, name: str) -> None:
    text = VARIANTS[name]
    episode = played(fake_server, "SiloGlobalMax-v0", text, n_agents=3, max_cycles=2)
    first, second = of(episode, "agent_0")
    assert first.action == text
    assert first.valid is (name != "cut")
    assert first.error == (UNFINISHED if name == "cut" else None)
    assert not second.terminated  # it has not submitted
    assert "First idea" not in str(fake_server.requests[1]["messages"])
    if name != "cut":
        assert "my max is 800" in of(episode, "agent_1")[1].observation


def test_what_is_thought_of_is_not_spoken(fake_server: Any) -> None:
    text = "<think>\nACTION: UP\nMSG: secret plan\n</think>\nACTION: DOWN"
    episode = played(fake_server, "SwarmPursuit-v0", text, max_cycles=2)
    assert of(episode, "agent_0")[0].valid
    assert not any("secret plan" in turn.observation for turn in episode.turns)


def test_what_is_thought_of_ends_no_dialogue(fake_server: Any) -> None:
    thought = 'At the end I will write ACTI! and FINAL ANSWER: {"moves": ["U"]}'
    text = f"<think>\n{thought}\n</think>\nPlease state your view first."
    episode = played(fake_server, "PairMaze-v0", text, "oracle", max_exchanges=3)
    assert episode.metrics["ended_by"] != "agent_0"
    assert not any("At the end" in turn.observation for turn in episode.turns)
    assert any("Please state" in turn.observation for turn in of(episode, "agent_1"))
    sent = [request["messages"] for request in fake_server.requests]
    assert "At the end" not in str(sent)


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "hm, "}]}
APART: dict[str, dict[str, Any]] = {
    "reasoning_content": {"reasoning_content": "hm, UP?", "content": "UP"},
    "reasoning": {"reasoning": "hm, UP?", "content": "UP"},
    "both": {"reasoning": "hm, UP?", "reasoning_content": "hm, UP?", "content": "UP"},
    "parts": {
        "content": [
            THINKING,
            {"type": "reasoning", "text": "UP?"},
            {"type": "text", "text": "U"},
            "P",
            {"type": "image_url"},
        ]
    },
}


@pytest.mark.parametrize("name", APART)
def test_reasoning_apart_from_the_text_is_taken(fake_server: Any, name: str) -> None:
    completion = asked(fake_server, body(**APART[name]))
    assert (completion.text, completion.reasoning) == ("UP", "hm, UP?")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_streamed_reasoning_is_taken(fake_server: Any, field: str) -> None:
    deltas = ({field: "hm, "}, {field: "UP?", "content": ""}, {"content": "U"}, {"content": "P"})
    completion = asked(fake_server, pieces(*deltas), stream=True)
    assert (completion.text, completion.reasoning) == ("UP", "hm, UP?")
    parts = ({"content": [THINKING]}, {"content": [{"type": "text", "text": "UP"}]})
    completion = asked(fake_server, pieces(*parts), stream=True)
    assert (completion.text, completion.reasoning) == ("UP", "hm, ")


@pytest.mark.parametrize(
    "message",
    [
        {"content": "UP"},
        {"content": "UP", "reasoning": None, "reasoning_content": ""},
        {"content": "UP", "reasoning": 7},
        {"content": [{"type": "text", "text": "UP"}, {"type": "thinking", "thinking": 7}]},
        {"content": [{"type": "text", "text": "UP"}, {"type": "thinking", "thinking": [7]}]},
    ],
)
def test_replies_without_reasoning_have_none(fake_server: Any, message: dict[str, Any]) -> None:
    completion = asked(fake_server, body(**message))
    assert (completion.text, completion.reasoning) == ("UP", None)


@pytest.mark.parametrize("content", [7, [7], [{"text": "UP"}], {"text": "UP"}])
def test_contents_of_another_form_are_no_reply(fake_server: Any, content: object) -> None:
    with pytest.raises(ModelError, match="the reply"):
        asked(fake_server, body(content=content))


def test_reasoning_apart_is_recorded(fake_server: Any) -> None:
    fake_server.script.append(body(content="UP", reasoning="hm, UP?"))
    policy = coordgym.make_policy(f"llm:openai:m@{fake_server.url}")
    env = coordgym.make("SwarmPursuit-v0", n_agents=1, max_cycles=1)
    episode = Episode.from_line(coordgym.rollout(env, policy, 3).to_line())
    policy.close()  # type: ignore[attr-defined]
    (turn,) = episode.turns
    assert (turn.action, turn.reasoning) == ("UP", 0)
    assert turn.usage is not None
    assert turn.usage.reasoning == "hm, UP?"

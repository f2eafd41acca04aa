"""A backend that is asked outside of episodes."""

from pathlib import Path
from typing import Any

import pytest

from coordgym.agents.asking import DEFAULT_MAX_NEW_TOKENS, BackendAsk, make_ask
from coordgym.agents.backend import SamplingParams
from coordgym.errors import ConfigError, ModelError, UnknownPolicyError
from coordgym.policies.protocol import Completion

pytest.importorskip("openai")


def test_chats_seeds_and_temperature_reach_the_endpoint(fake_server: Any) -> None:
    ask = make_ask(f"llm:openai:m@{fake_server.url}")
    chats = [("one",), ("one", "two", "three")]
    replies = ask(chats, temperature=0.2, seeds=[3, 4])
    ask.close()
    texts = [reply.text for reply in replies if isinstance(reply, Completion)]
    assert texts == ["echo one", "echo three"]
    assert ask.model == "m"
    first, second = sorted(fake_server.requests, key=lambda request: request["seed"])
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert (first["seed"], first["temperature"]) == (3, 0.2)
    assert first["max_tokens"] == DEFAULT_MAX_NEW_TOKENS


def test_settings_tell_what_replies_depend_on(fake_server: Any) -> None:
    spec = f"llm:openai:m@{fake_server.url}"
    settings = [
        make_ask(spec, **kwargs).settings
        for kwargs in (
            {},
            {"max_new_tokens": 5},
            {"stop": ["END"]},
            {"request_options": {"top_p": 0.5}},
        )
    ]
    assert len(set(settings)) == 4
    assert make_ask(spec, max_concurrent=2, timeout=9, api_key="k").settings == settings[0]
    backend = make_ask(spec).backend
    cold, warm = (BackendAsk(backend, SamplingParams(temperature=t)) for t in (0.0, 1.0))
    assert cold.settings == warm.settings


def test_settings_tell_the_variables_of_a_chat_template(tiny_folder: Path) -> None:
    spec = f"llm:hf:{tiny_folder}"
    plain, thinking = (
        make_ask(spec, device="cpu", max_new_tokens=8, template_kwargs=variables)
        for variables in ({}, {"enable_thinking": True})
    )
    assert plain.settings != thinking.settings


def test_a_failure_takes_its_own_place_and_loses_no_other_reply(fake_server: Any) -> None:
    fake_server.script.extend(["status:400", "ok", "status:401"])
    ask = make_ask(f"llm:openai:m@{fake_server.url}", max_concurrent=1)
    found = ask([(str(k),) for k in range(5)], temperature=0.0, seeds=range(5))
    ask.close()
    assert len(fake_server.requests) == 5
    for place, reply in enumerate(found):
        if place in (0, 2):
            assert isinstance(reply, ModelError)
            assert ("400", "", "401")[place] in str(reply)
        else:
            assert isinstance(reply, Completion)
            assert reply.text == f"echo {place}"


def test_a_local_model_is_asked_as_a_whole(tiny_folder: Path) -> None:
    ask = make_ask(f"llm:hf:{tiny_folder}", device="cpu", max_new_tokens=4)
    replies = ask([("one",), ("two",)], temperature=0.0, seeds=[0, 1])
    assert all(isinstance(reply, Completion) for reply in replies)


def test_mistakes_are_named(fake_server: Any) -> None:
    with pytest.raises(ConfigError, match="temperature"):
        make_ask(f"llm:openai:m@{fake_server.url}", temperature=1.0)
    with pytest.raises(UnknownPolicyError, match="llm:embedded"):
        make_ask("oracle")

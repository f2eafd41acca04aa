"""OpenAI-compatible endpoints: good replies, and everything that goes wrong with them."""

import asyncio
import socket
import threading
from typing import Any

import pytest

pytest.importorskip("openai")
pytest.importorskip("tenacity")

from coordgym.agents import endpoint
from coordgym.agents.backend import ChatRequest, SamplingParams
from coordgym.agents.endpoint import OpenAIBackend
from coordgym.agents.factory import make_llm_policy
from coordgym.errors import ConfigError, ModelError


def chat(text: str, seed: int = 0) -> ChatRequest:
    return ChatRequest(({"role": "user", "content": text},), seed)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = endpoint.tenacity.wait_random_exponential(multiplier=0.001, max=0.01)
    monkeypatch.setattr(endpoint, "_growing_wait", wait)


@pytest.fixture
def backend(fake_server: Any) -> Any:
    made = OpenAIBackend("m", fake_server.url, api_key="key-1", max_attempts=3, timeout=5)
    yield made
    made.close()


def test_replies_come_in_order_with_usage(backend: OpenAIBackend, fake_server: Any) -> None:
    requests = [chat(f"message {i}", seed=i) for i in range(8)]
    params = SamplingParams(max_new_tokens=9, temperature=0.5, stop=("END",))
    completions = backend.generate(requests, params)
    assert [c.text for c in completions] == [f"echo message {i}" for i in range(8)]
    first = completions[0]
    assert (first.prompt_tokens, first.completion_tokens) == (11, 3)
    assert (first.finish_reason, first.model) == ("stop", "fake-1")
    assert first.latency is not None
    sent = sorted(fake_server.requests, key=lambda request: request["seed"])
    assert sent[3]["seed"] == 3
    assert (sent[0]["max_tokens"], sent[0]["temperature"], sent[0]["stop"]) == (9, 0.5, ["END"])
    assert "logprobs" not in sent[0]
    assert fake_server.headers[0]["authorization"] == "Bearer key-1"


def test_logprobs_and_token_ids_are_taken(backend: OpenAIBackend, fake_server: Any) -> None:
    fake_server.script.extend(["logprobs", "token_ids"])
    (first,) = backend.generate([chat("a")], SamplingParams(logprobs=True))
    assert first.logprobs == (-0.5, -1.5)
    assert fake_server.requests[0]["logprobs"] is True
    (second,) = backend.generate([chat("a")], SamplingParams())
    assert second.completion_token_ids == (7, 8, 9)
    assert second.prompt_token_ids == (1, 2)


@pytest.mark.parametrize(
    "failure",
    [
        "retry_after:0",
        "status:408",
        "status:409",
        "status:500",
        "status:503",
        "cut",
        "invalid_json",
        "no_json",
        "no_choices",
    ],
)
def test_passing_failures_are_tried_again(
    failure: str, backend: OpenAIBackend, fake_server: Any
) -> None:
    fake_server.script.extend([failure, failure])
    (completion,) = backend.generate([chat("a")], SamplingParams())
    assert completion.text == "echo a"
    assert len(fake_server.requests) == 3


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        ("retry_after:0", "HTTP 429"),
        ("status:500", "HTTP 500"),
        ("cut", "broke off"),
        ("invalid_json", "JSON"),
        ("no_json", "no chat completion"),
        ("no_choices", "no choices"),
    ],
)
def test_lasting_failures_become_model_errors(
    failure: str, words: str, backend: OpenAIBackend, fake_server: Any
) -> None:
    fake_server.script.extend([failure] * 3)
    with pytest.raises(ModelError, match=words) as caught:
        backend.generate([chat("a")], SamplingParams())
    assert "after 3 attempts" in str(caught.value)
    assert fake_server.url in str(caught.value)
    assert len(fake_server.requests) == 3


@pytest.mark.parametrize(("status", "words"), [(401, "API key"), (404, "HTTP 404"), (400, "400")])
def test_hopeless_failures_are_not_tried_again(
    status: int, words: str, backend: OpenAIBackend, fake_server: Any
) -> None:
    fake_server.script.append(f"status:{status}")
    with pytest.raises(ModelError, match=words) as caught:
        backend.generate([chat("a")], SamplingParams())
    assert len(fake_server.requests) == 1
    assert "key-1" not in str(caught.value)


def test_retry_after_is_waited_for(backend: OpenAIBackend, fake_server: Any) -> None:
    fake_server.script.append("retry_after:0.3")
    backend.generate([chat("a")], SamplingParams())
    first, second = fake_server.times
    assert second - first >= 0.3


def test_too_long_retry_after_is_given_up(backend: OpenAIBackend, fake_server: Any) -> None:
    fake_server.script.append("retry_after:86400")
    with pytest.raises(ModelError, match="429"):
        backend.generate([chat("a")], SamplingParams())


def test_time_out_is_named(fake_server: Any) -> None:
    backend = OpenAIBackend("m", fake_server.url, timeout=0.2, max_attempts=2)
    fake_server.script.extend(["slow:1", "slow:1"])
    with pytest.raises(ModelError, match=r"no answer within 0\.2 s"):
        backend.generate([chat("a")], SamplingParams())
    assert len(fake_server.requests) == 2
    backend.close()


@pytest.mark.parametrize("kind", ["filtered", "filtered_400"])
def test_filtered_reply_is_an_empty_completion(
    kind: str, backend: OpenAIBackend, fake_server: Any
) -> None:
    fake_server.script.append(kind)
    (completion,) = backend.generate([chat("a")], SamplingParams())
    assert (completion.text, completion.finish_reason) == ("", "content_filter")


def test_reply_without_content_keeps_its_reason(backend: OpenAIBackend, fake_server: Any) -> None:
    fake_server.script.append("no_content")
    (completion,) = backend.generate([chat("a")], SamplingParams())
    assert (completion.text, completion.finish_reason) == ("", "length")


def test_one_lasting_failure_fails_the_batch(backend: OpenAIBackend, fake_server: Any) -> None:
    fake_server.script.extend(["ok", "status:404"])
    with pytest.raises(ModelError, match="404"):
        backend.generate([chat("a"), chat("b"), chat("c")], SamplingParams())
    # The backend goes on working.
    assert backend.generate([chat("d")], SamplingParams())[0].text == "echo d"


def test_streamed_replies(fake_server: Any) -> None:
    backend = OpenAIBackend("m", fake_server.url, stream=True, max_attempts=2)
    (completion,) = backend.generate([chat("b c")], SamplingParams())
    assert completion.text == "echo b c"
    assert completion.logprobs == (0.0, -1.0, -2.0)
    assert (completion.prompt_tokens, completion.completion_tokens) == (11, 3)
    assert completion.finish_reason == "stop"
    fake_server.script.append("cut")
    assert backend.generate([chat("b")], SamplingParams())[0].text == "echo b"
    fake_server.script.extend(["cut", "cut"])
    with pytest.raises(ModelError, match="without a finish_reason"):
        backend.generate([chat("b")], SamplingParams())
    backend.close()


def test_concurrency_has_a_limit(fake_server: Any) -> None:
    backend = OpenAIBackend("m", fake_server.url, max_concurrent=2)
    fake_server.script.extend(["slow:0.05"] * 6)
    backend.generate([chat("a")] * 6, SamplingParams())
    assert fake_server.most_under_way == 2
    backend.close()


def test_waiting_for_a_slot_is_no_time_of_the_attempt(fake_server: Any) -> None:
    backend = OpenAIBackend("m", fake_server.url, max_concurrent=1, timeout=3, max_attempts=1)
    fake_server.script.extend(["slow:0.7"] * 5)
    assert len(backend.generate([chat("a")] * 5, SamplingParams())) == 5
    backend.close()


def test_after_a_lasting_failure_nothing_more_is_sent(fake_server: Any) -> None:
    backend = OpenAIBackend("m", fake_server.url, max_concurrent=1)
    fake_server.script.append("status:404")
    with pytest.raises(ModelError, match="404"):
        backend.generate([chat("a"), chat("b"), chat("c")], SamplingParams())
    backend.generate([chat("d")], SamplingParams())
    sent = [request["messages"][0]["content"] for request in fake_server.requests]
    assert sent[0] == "a"
    assert sent[-1] == "d"
    assert "c" not in sent  # "b" may have taken the slot of "a"
    backend.close()


def test_works_inside_a_running_loop_and_from_threads(backend: OpenAIBackend) -> None:
    async def inside() -> str:
        return backend.generate([chat("a")], SamplingParams())[0].text

    assert asyncio.run(inside()) == "echo a"
    texts: list[str] = []
    threads = [
        threading.Thread(
            target=lambda i=i: texts.append(
                backend.generate([chat(str(i))], SamplingParams())[0].text
            )
        )
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == [f"echo {i}" for i in range(4)]


def test_a_forked_process_opens_a_client_of_its_own(
    backend: OpenAIBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend.generate([chat("a")], SamplingParams())
    parents = backend._line
    with monkeypatch.context() as patch:
        patch.setattr(endpoint.os, "getpid", lambda: -1)
        assert backend.generate([chat("b")], SamplingParams())[0].text == "echo b"
        assert backend._line is not parents
        backend.close()
    assert parents is not None
    assert parents.loop.alive
    parents.loop.stop()


def test_closed_backend_opens_again(backend: OpenAIBackend) -> None:
    backend.generate([chat("a")], SamplingParams())
    backend.close()
    assert backend.generate([chat("b")], SamplingParams())[0].text == "echo b"


def test_request_options_add_and_remove_fields(fake_server: Any) -> None:
    backend = OpenAIBackend(
        "m", fake_server.url, request_options={"temperature": None, "top_p": 0.5}
    )
    backend.generate([chat("a")], SamplingParams())
    assert "temperature" not in fake_server.requests[0]
    assert fake_server.requests[0]["top_p"] == 0.5
    backend.close()


def test_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, fake_server: Any) -> None:
    monkeypatch.setenv("MY_KEY", "key-2")
    backend = OpenAIBackend("m", fake_server.url, key_variable="MY_KEY")
    backend.generate([chat("a")], SamplingParams())
    assert fake_server.headers[0]["authorization"] == "Bearer key-2"
    assert "key-2" not in repr(backend)
    backend.close()


@pytest.mark.parametrize("key", ["sk-1\n", "sk 1", "sk-é", "\x00", " ", 5])
def test_keys_that_fit_no_header_are_refused_and_not_shown(
    key: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="api_key must be") as caught:
        OpenAIBackend("m", "http://h", api_key=key)
    assert "sk" not in str(caught.value)
    if isinstance(key, str) and "\x00" not in key:
        monkeypatch.setenv("MY_KEY", key)
        with pytest.raises(ConfigError, match=r"\$MY_KEY must be"):
            OpenAIBackend("m", "http://h", key_variable="MY_KEY")


def test_unknown_request_options_are_refused() -> None:
    for options in ({"top_k": 20}, {"temprature": 1}, {"stream": True}, {"messages": []}, ["n"]):
        with pytest.raises(ConfigError, match="request_options"):
            OpenAIBackend("m", "http://h", request_options=options)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="did you mean 'temperature'"):
        OpenAIBackend("m", "http://h", request_options={"temprature": 1})


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), True, "9"])
def test_timeouts_are_numbers_above_zero(timeout: Any) -> None:
    with pytest.raises(ConfigError, match="timeout"):
        OpenAIBackend("m", "http://h", timeout=timeout)


def test_models_without_system_role_get_the_instructions_from_the_user(fake_server: Any) -> None:
    backend = OpenAIBackend("m", fake_server.url, system_role=False)
    messages = (
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "Go."},
    )
    backend.generate([ChatRequest(messages), chat("alone")], SamplingParams())  # type: ignore[arg-type]
    sent = sorted((request["messages"] for request in fake_server.requests), key=len)
    assert sent[0] == [{"role": "user", "content": "alone"}]
    assert sent[1] == [{"role": "user", "content": "Rules.\n\nHi."}, *messages[2:]]
    backend.close()


def test_threads_that_ask_first_share_one_client(fake_server: Any) -> None:
    before = set(threading.enumerate())
    backend = OpenAIBackend("m", fake_server.url)
    start = threading.Barrier(8)
    texts: list[str] = []

    def ask(i: int) -> None:
        start.wait()
        texts.append(backend.generate([chat(str(i))], SamplingParams())[0].text)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == [f"echo {i}" for i in range(8)]
    new = set(threading.enumerate()) - before
    loops = [thread for thread in new if thread.name == "coordgym-event-loop"]
    assert len(loops) == 1, "each thread that came first has opened a client of its own"
    backend.close()
    assert not loops[0].is_alive()


def test_wrong_use_raises_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        OpenAIBackend("m")
    with pytest.raises(ConfigError, match="http://"):
        OpenAIBackend("m", "localhost:8000")
    with pytest.raises(ConfigError, match="max_attempts"):
        OpenAIBackend("m", "http://localhost", max_attempts=0)
    with pytest.raises(ConfigError, match="choices"):
        OpenAIBackend("m", "http://localhost").generate([], SamplingParams(choices=("A",)))


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://h:99999/v1",
        "http://h:0/v1",
        "http://h:x/v1",
        "http://",
        "http://:80/v1",
        "ftp://h/v1",
        "notaurl",
        "http://a b/v1",
        "http://a..b/v1",
        "http://h/\x01",
        "https:h/v1",
    ],
)
def test_what_is_no_url_of_a_server_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        OpenAIBackend("m", url, api_key="k")
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ConfigError, match=r"\$OPENAI_BASE_URL"):
        OpenAIBackend("m", api_key="k")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_where_nothing_listens_is_given_up_soon(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_growing_wait", None)  # that of other failures
    with socket.socket() as taken:  # bound, but nothing listens
        taken.bind(("127.0.0.1", 0))
        backend = OpenAIBackend("m", f"http://{host}:{taken.getsockname()[1]}/v1")
        with pytest.raises(ModelError, match="after 3 attempts: the connection was refused"):
            backend.generate([chat("a")], SamplingParams())
        backend.close()
    assert endpoint.REFUSED_WAIT * (endpoint.REFUSED_ATTEMPTS - 1) <= 2


def test_facts_of_the_wrong_type_are_left_out(backend: OpenAIBackend, fake_server: Any) -> None:
    fake_server.script.extend(["strange_facts", "strange_text", "strange_text"])
    (completion,) = backend.generate([chat("a")], SamplingParams())
    assert completion.text == "echo a"
    assert (completion.prompt_tokens, completion.completion_tokens) == (None, None)
    assert (completion.finish_reason, completion.model) == (None, "m")
    assert completion.completion_token_ids is completion.logprobs is None
    (completion,) = backend.generate([chat("b")], SamplingParams())
    assert completion.text == "echo b"
    assert len(fake_server.requests) == 4


def test_policy_survives_lone_surrogates(fake_server: Any) -> None:
    policy = make_llm_policy(f"llm:openai:org/m:7b@{fake_server.url}", api_key="k")
    fake_server.script.append("surrogate")
    policy.reset(["agent_0"], {"agent_0": {"instructions": "Rules."}}, seed=0)
    first = policy.act({"agent_0": "Rules.\n\nRound 0."}, {"agent_0": {}})["agent_0"]
    assert first.text == "half \ud800 pair"
    policy.act({"agent_0": "Round 1."}, {"agent_0": {}})
    sent = fake_server.requests[1]
    assert sent["model"] == "org/m:7b"
    assert [message["content"] for message in sent["messages"]] == [
        "Rules.",
        "Round 0.",
        "half ? pair",
        "Round 1.",
    ]
    policy.close()

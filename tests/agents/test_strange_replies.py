"""Endpoints that talk nonsense: whatever they send is a completion or a ``ModelError``."""

import copy
import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("openai")
pytest.importorskip("tenacity")

from coordgym.agents import endpoint
from coordgym.agents.backend import ChatRequest, SamplingParams
from coordgym.agents.endpoint import OpenAIBackend
from coordgym.errors import ModelError
from coordgym.policies.protocol import Completion

REQUEST = ChatRequest(({"role": "user", "content": "hello"},))
TOKENS = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]}
GOOD: dict[str, Any] = {
    "id": "x",
    "model": "fake-1",
    "prompt_token_ids": [1, 2],
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "hi"},
            "finish_reason": "stop",
            "logprobs": TOKENS,
            "token_ids": [7, 8],
        }
    ],
    "usage": {"prompt_tokens": 2, "completion_tokens": 2},
}
PIECES: list[dict[str, Any]] = [
    {
        "model": "fake-1",
        "prompt_token_ids": [1, 2],
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}],
    },
    {
        "choices": [
            {
                "index": 0,
                "delta": {"content": "h"},
                "logprobs": {"content": [{"token": "h", "logprob": -0.5}]},
                "token_ids": [7],
            }
        ]
    },
    {
        "choices": [
            {
                "index": 0,
                "delta": {"content": "i"},
                "logprobs": {"content": [{"token": "i", "logprob": -1}]},
                "token_ids": [8],
            }
        ]
    },
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 2}},
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
SEVERAL = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where every value stands inside of a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy with another value at a path."""
    if not path:
        return new
    value = copy.deepcopy(value)
    place = value
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return value


def asked(server: Any, body: Any, *, stream: bool = False) -> Completion:
    backend = OpenAIBackend("m", server.url, max_attempts=1, timeout=5, stream=stream)
    server.script.append(f"body:{json.dumps(body)}")
    try:
        return backend.generate([REQUEST], SamplingParams(logprobs=True))[0]
    finally:
        backend.close()


def require_sound(completion: Completion) -> None:
    """Check that everything in a completion is of its type, and that lengths agree."""
    assert isinstance(completion.text, str)
    assert isinstance(completion.model, str)
    assert isinstance(completion.finish_reason, str | None)
    for count in (completion.prompt_tokens, completion.completion_tokens):
        assert count is None or (type(count) is int and count >= 0)
    for ids in (completion.prompt_token_ids, completion.completion_token_ids):
        assert ids is None or all(type(i) is int for i in ids)
    if completion.logprobs is not None:
        assert all(type(x) is float and math.isfinite(x) for x in completion.logprobs)
        if completion.completion_token_ids is not None:
            assert len(completion.logprobs) == len(completion.completion_token_ids)


def test_the_reason_of_the_end_may_be_followed_by_empty_pieces(fake_server: Any) -> None:
    last = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": None}]}
    completion = asked(fake_server, [*PIECES, last], stream=True)
    assert (completion.text, completion.finish_reason) == ("hi", "stop")


def require_reply_or_model_error(server: Any, body: Any, *, stream: bool) -> None:
    try:
        completion = asked(server, body, stream=stream)
    except ModelError:
        return
    require_sound(completion)


@pytest.mark.parametrize("stream", [False, True])
def test_good_replies_are_read_whole(fake_server: Any, stream: bool) -> None:
    completion = asked(fake_server, PIECES if stream else GOOD, stream=stream)
    assert (completion.text, completion.finish_reason) == ("hi", "stop")
    assert completion.logprobs == (-0.5, -1.0 if stream else -1.5)
    assert completion.prompt_token_ids == (1, 2)
    assert completion.completion_token_ids == (7, 8)
    assert (completion.prompt_tokens, completion.completion_tokens) == (2, 2)


@SEVERAL
@given(path=st.sampled_from(list(paths(GOOD))), new=JSON)
def test_any_value_anywhere_is_survived(fake_server: Any, path: tuple[Any, ...], new: Any) -> None:
    require_reply_or_model_error(fake_server, changed(GOOD, path, new), stream=False)


@SEVERAL
@given(path=st.sampled_from(list(paths(PIECES))[1:]), new=JSON)
def test_any_value_anywhere_in_a_stream_is_survived(
    fake_server: Any, path: tuple[Any, ...], new: Any
) -> None:
    require_reply_or_model_error(fake_server, changed(PIECES, path, new), stream=True)


@pytest.mark.parametrize("choices", [[None], ["x"], {"a": 1}, "text", 5, [{"message": "x"}]])
def test_choices_without_a_message_are_no_reply(fake_server: Any, choices: Any) -> None:
    with pytest.raises(ModelError, match=r"holds no message|no chat completion"):
        asked(fake_server, {**GOOD, "choices": choices})


def test_errors_under_status_200_are_shown(fake_server: Any) -> None:
    with pytest.raises(ModelError, match="engine is overloaded"):
        asked(fake_server, {"error": {"message": "engine is overloaded", "code": 502}})


def test_errors_inside_a_stream_are_tried_again(
    fake_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_growing_wait", endpoint.tenacity.wait_none())
    broken = [PIECES[0], {"error": {"message": "engine died"}}]
    backend = OpenAIBackend("m", fake_server.url, max_attempts=2, stream=True)
    fake_server.script.extend([f"body:{json.dumps(broken)}", f"body:{json.dumps(PIECES)}"])
    assert backend.generate([REQUEST], SamplingParams())[0].text == "hi"
    fake_server.script.extend([f"body:{json.dumps(broken)}"] * 2)
    with pytest.raises(ModelError, match="after 2 attempts: engine died"):
        backend.generate([REQUEST], SamplingParams())
    backend.close()


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("choices", 0, "token_ids"), [7, 8, 9]),
        (("choices", 0, "logprobs", "content"), TOKENS["content"][:1]),
        (("choices", 0, "logprobs", "content", 1, "logprob"), float("nan")),
        (("choices", 0, "logprobs", "content", 1, "logprob"), float("-inf")),
    ],
)
def test_logprobs_that_fit_no_tokens_are_left_out(
    fake_server: Any, path: tuple[Any, ...], new: Any
) -> None:
    completion = asked(fake_server, changed(GOOD, path, new))
    assert completion.logprobs is None
    assert completion.text == "hi"


def test_pieces_without_logprobs_or_ids_leave_them_out(fake_server: Any) -> None:
    """Parts of them would be taken for the whole."""
    for field in ("logprobs", "token_ids"):
        pieces = changed(PIECES, (1, "choices", 0, field), None)
        completion = asked(fake_server, pieces, stream=True)
        assert completion.text == "hi"
        assert (completion.logprobs is None) == (field == "logprobs")
        assert (completion.completion_token_ids is None) == (field == "token_ids")


@pytest.mark.parametrize(
    "wait",
    [
        "soon",
        "nan",
        "-5",
        "0x10",
        "Mon, 01 Jan 99999999999999 00:00:00 GMT",
        "Wed, 21 Oct 2015 07:28:00 GMT",
        "Wed, 21 Oct 0001 07:28:00 +2359",
        "99999999999999999999999999",
    ],
)
def test_any_retry_after_is_survived(
    fake_server: Any, wait: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_growing_wait", endpoint.tenacity.wait_none())
    backend = OpenAIBackend("m", fake_server.url, max_attempts=2)
    fake_server.script.extend([f"retry_after:{wait}"] * 2)
    with pytest.raises(ModelError, match="429"):
        backend.generate([REQUEST], SamplingParams())
    backend.close()

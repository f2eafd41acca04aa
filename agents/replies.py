"""Chat completions of an endpoint as its client hands them over, read with distrust.

The client does not check what a server sends. A response without a reply is worth another
attempt; what is said beside the reply is left out where it is not what it should be.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import openai

MAX_SHOWN_CHARS = 100
REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers return reasoning apart: vLLM, SGLang and DeepSeek; newer vLLM and OpenRouter."""
REASONING_PARTS = frozenset({"thinking", "reasoning"})
"""Types of the parts of a content that hold reasoning, as Mistral's."""


class BadReplyError(Exception):
    """The server's reply is no chat completion; worth another attempt."""


class Usage(NamedTuple):
    """Tokens of prompt and reply, as the server counts."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """What one attempt brought, from a whole or a streamed response.

    If both are there, ``logprobs`` and ``completion_token_ids`` have the same length; both are of
    all tokens, those of a reasoning returned apart too.
    """

    text: str
    finish_reason: str | None
    usage: Usage = NO_USAGE
    logprobs: tuple[float, ...] | None = None
    model: str | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    reasoning: str | None = None

    def __post_init__(self) -> None:
        ids, logprobs = self.completion_token_ids, self.logprobs
        if ids is not None and logprobs is not None and len(ids) != len(logprobs):
            object.__setattr__(self, "logprobs", None)


def read_whole(response: Any) -> Reply:
    """Take the first choice out of a chat completion.

    Raises:
        BadReplyError: If it holds none, or that holds no message.
    """
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list):
        # Some proxies report an error under HTTP 200.
        shown = getattr(response, "error", None) or response
        raise BadReplyError(f"the reply is no chat completion: {str(shown)[:MAX_SHOWN_CHARS]!r}")
    if not choices:
        raise BadReplyError("the reply holds no choices")
    choice = choices[0]
    message = getattr(choice, "message", None)
    if not isinstance(message, openai.BaseModel):
        raise BadReplyError(f"the reply holds no message: {str(choice)[:MAX_SHOWN_CHARS]!r}")
    text, reasoning = _parts(message)
    return Reply(
        text=text,
        finish_reason=_word(choice.finish_reason),
        usage=_usage(response),
        logprobs=_logprobs([(text, choice.logprobs)]),
        model=_word(response.model),
        prompt_token_ids=_ids([getattr(response, "prompt_token_ids", None)]),
        completion_token_ids=_ids([getattr(choice, "token_ids", None)]),
        reasoning=reasoning or None,
    )


async def read_stream(stream: Any) -> Reply:
    """Put the pieces of a streamed chat completion together.

    Raises:
        BadReplyError: If the stream breaks off, or holds something else.
        openai.OpenAIError: If the client fails.
    """
    parts: list[tuple[str, Any]] = []
    thoughts: list[str] = []
    ids: list[Any] = []
    prompt_ids = finish_reason = model = None
    usage = NO_USAGE
    try:
        async for chunk in stream:
            model = chunk.model or model
            usage = _usage(chunk) if chunk.usage else usage
            prompt_ids = getattr(chunk, "prompt_token_ids", None) or prompt_ids
            for choice in chunk.choices[:1]:
                text, reasoning = _parts(choice.delta)
                parts.append((text, choice.logprobs))
                thoughts.append(reasoning)
                ids.append(getattr(choice, "token_ids", None))
                finish_reason = choice.finish_reason or finish_reason
    except (openai.OpenAIError, BadReplyError, TimeoutError):
        raise
    except Exception as error:  # the HTTP library's errors come unwrapped out of a stream
        raise BadReplyError(f"the stream broke off ({type(error).__name__}: {error})") from error
    if finish_reason is None:
        raise BadReplyError("the stream ended without a finish_reason")
    return Reply(
        text="".join(text for text, _ in parts),
        finish_reason=_word(finish_reason),
        usage=usage,
        logprobs=_logprobs(parts),
        model=_word(model),
        prompt_token_ids=_ids([prompt_ids]),
        completion_token_ids=_ids(
            [part for part, (text, _) in zip(ids, parts, strict=True) if text or part is not None]
        ),
        reasoning="".join(thoughts) or None,
    )


class _Parts(NamedTuple):
    """What a message, or a piece of a streamed one, says and what it gives as reasoning."""

    text: str
    reasoning: str


def _parts(message: Any) -> _Parts:
    """Part what a message says from reasoning that stands in a field or a part of its own.

    Raises:
        BadReplyError: If its content is neither a text nor a list of parts.
    """
    content = getattr(message, "content", None)
    said, thought = _of_list(content) if isinstance(content, list) else (_text(content), "")
    for name in REASONING_FIELDS:
        apart = getattr(message, name, None)
        if isinstance(apart, str) and apart:
            return _Parts(said, apart)  # servers that fill both fields say the same in them
    return _Parts(said, thought)


def _of_list(content: Sequence[object]) -> _Parts:
    """Join the parts of a content that comes as a list."""
    said: list[str] = []
    thought: list[str] = []
    for part in content:
        if isinstance(part, str):
            said.append(part)
            continue
        kind = part.get("type") if isinstance(part, Mapping) else None
        if not isinstance(part, Mapping) or not isinstance(kind, str):
            raise BadReplyError(f"a part of the reply's content is a {type(part).__name__}")
        if kind in REASONING_PARTS:
            thought += _texts_in(part)
        elif isinstance(part.get("text"), str):
            said.append(part["text"])
    return _Parts("".join(said), "".join(thought))


def _texts_in(part: Mapping[str, object]) -> list[str]:
    """List the texts of a part that holds reasoning: one, or parts of its own."""
    for name in ("thinking", "reasoning", "text"):
        inner = part.get(name)
        if isinstance(inner, str):
            return [inner]
        if isinstance(inner, list):
            texts = [each.get("text") for each in inner if isinstance(each, Mapping)]
            return [text for text in texts if isinstance(text, str)]
    return []


def _text(content: object) -> str:
    if not isinstance(content, str | None):
        raise BadReplyError(f"the reply's text is a {type(content).__name__}")
    return content or ""


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _usage(response: Any) -> Usage:
    usage = getattr(response, "usage", None)
    names = ("prompt_tokens", "completion_tokens")
    return Usage(*(_count(getattr(usage, name, None)) for name in names)) if usage else NO_USAGE


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _logprobs(parts: Sequence[tuple[str, Any]]) -> tuple[float, ...] | None:
    """Join the log-probabilities of all pieces, if every piece with text has some."""
    found: list[Any] = []
    for text, logprobs in parts:
        tokens = getattr(logprobs, "content", None)
        if isinstance(tokens, list) and (tokens or not text):
            found += [getattr(token, "logprob", None) for token in tokens]
        elif text:
            return None
    good = all(type(value) in (int, float) and math.isfinite(value) for value in found)
    return tuple(map(float, found)) if found and good else None


def _ids(parts: Sequence[object]) -> tuple[int, ...] | None:
    """Join the token ids of all pieces, if every piece has some."""
    joined: list[int] = []
    for ids in parts:
        if not isinstance(ids, list) or any(type(i) is not int for i in ids):
            return None
        joined += ids
    return tuple(joined) if parts else None

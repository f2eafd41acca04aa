"""Models behind any OpenAI-compatible endpoint: vLLM, ``transformers serve``, hosted ones."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from coordgym.agents.backend import ChatRequest, Message, SamplingParams
from coordgym.agents.event_loop import EventLoopThread
from coordgym.errors import ConfigError, MissingExtraError, ModelError, require_bool, require_int
from coordgym.policy import Completion

try:
    import openai
    import tenacity
except ImportError as error:
    raise MissingExtraError(
        f"endpoints need the extra `openai` ({error}); "
        "install it with `pip install 'coordgym[openai]'`"
    ) from error

OPENAI_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
NO_KEY = "none"  # local servers want no key, but the client insists on one
FIRST_WAIT = 0.5  # seconds before the second attempt; doubles from attempt to attempt
REFUSED_ATTEMPTS = 3  # where no server listens
REFUSED_WAIT = 0.5  # seconds between those
LONGEST_WAIT = 120.0  # seconds; a server that asks for more is given up
RETRIED_STATUS = frozenset({408, 409, 429})  # besides all of 500 and above
MAX_REASON_CHARS = 300


class BadReplyError(Exception):
    """The server's reply is no chat completion; worth another attempt."""


class Usage(NamedTuple):
    """Tokens of prompt and reply, as the server counts."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """What one attempt brought, from a whole or a streamed response."""

    text: str
    finish_reason: str | None
    usage: Usage = NO_USAGE
    logprobs: tuple[float, ...] | None = None
    model: str | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None


class OpenAIBackend:
    """Sends chats to an endpoint, several at a time.

    Failures that may pass (429, 408, 409, 5xx, time-outs, broken connections, replies that are
    no JSON or hold no choice) are tried again, after the time that ``Retry-After`` asks for or
    with exponentially growing, randomised waits. A reply withheld by a content filter is an
    empty completion with ``finish_reason="content_filter"``.

    Args:
        model: The model's name at the endpoint.
        base_url: URL up to ``/v1``; default: ``$OPENAI_BASE_URL`` or OpenAI's own.
        api_key: The key; default: what ``key_variable`` holds. Servers other than OpenAI's
            may need none.
        key_variable: Name of the environment variable with the key.
        max_concurrent: Largest number of requests under way at a time.
        timeout: Seconds that one attempt may take.
        max_attempts: Attempts per request before it fails for good.
        stream: Ask for the reply in pieces, for proxies that cut silent connections.
        context_tokens: The model's context, if known; nothing is asked of the server.
        request_options: Further fields of ``chat.completions.create`` (``top_p``,
            ``reasoning_effort``, ``extra_body`` …); None removes a field, such as
            ``{"temperature": None}`` for models that refuse it. Servers that return token ids
            (vLLM: ``{"extra_body": {"return_token_ids": True}}``) fill them in completions.

    Raises:
        ConfigError: If a value is not allowed, or OpenAI's own endpoint gets no key.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        key_variable: str = KEY_VARIABLE,
        max_concurrent: int = 16,
        timeout: float = 120.0,
        max_attempts: int = 6,
        stream: bool = False,
        context_tokens: int | None = None,
        request_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.context_tokens = context_tokens
        self.base_url = _server(base_url)
        self.key_variable = key_variable
        self._key = api_key or os.environ.get(key_variable)
        if not self._key and self.base_url == OPENAI_URL:
            raise ConfigError(f"{OPENAI_URL} needs an API key: set {key_variable} or api_key=")
        self.max_concurrent = require_int("max_concurrent", max_concurrent, 1, 100_000)
        self.max_attempts = require_int("max_attempts", max_attempts, 1, 1000)
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0:
            raise ConfigError(f"timeout must be a number of seconds > 0, got {timeout!r}")
        self.timeout = float(timeout)
        self.stream = require_bool("stream", stream)
        self.request_options = dict(request_options or {})
        self._loop: EventLoopThread | None = None
        self._client: Any = None
        self._slots: asyncio.Semaphore | None = None

    def __repr__(self) -> str:
        return f"OpenAIBackend({self.model!r}, {self.base_url!r})"

    def generate(self, requests: Sequence[ChatRequest], params: SamplingParams) -> list[Completion]:
        """Answer all chats; if one fails for good, the others are called off.

        Raises:
            ModelError: If a request fails for good.
            ConfigError: If ``params.choices`` is given, which endpoints have no common form of.
        """
        if params.choices:
            raise ConfigError(
                "choices need a local model; give the endpoint's own field through "
                "request_options (vLLM: extra_body={'structured_outputs': {'choice': […]}})"
            )
        if self._loop is None or not self._loop.alive:
            self._loop = EventLoopThread()
            self._client = openai.AsyncOpenAI(
                api_key=self._key or NO_KEY,
                base_url=self.base_url,
                timeout=self.timeout,
                max_retries=0,
            )
            self._slots = asyncio.Semaphore(self.max_concurrent)
        return self._loop.run(self._answer_all(requests, params))

    def count_tokens(self, messages: Sequence[Message]) -> None:
        """Endpoints don't count tokens before a call."""

    def reset(self) -> None:
        """Nothing is kept between calls but open connections."""

    def close(self) -> None:
        """Close the connections and end the thread that serves them."""
        if self._loop is not None and self._loop.alive:
            self._loop.run(self._client.close())
            self._loop.stop()
        self._loop = self._client = self._slots = None

    async def _answer_all(
        self, requests: Sequence[ChatRequest], params: SamplingParams
    ) -> list[Completion]:
        tasks = [asyncio.ensure_future(self._answer(request, params)) for request in requests]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, request: ChatRequest, params: SamplingParams) -> Completion:
        start = time.perf_counter()
        attempts = tenacity.AsyncRetrying(
            stop=self._is_enough,
            wait=_wait_seconds,
            retry=tenacity.retry_if_exception(_may_pass),
            reraise=True,
        )
        try:
            reply: Reply = await attempts(self._attempt, self._fields(request, params))
        except (openai.OpenAIError, BadReplyError, TimeoutError) as error:
            if getattr(error, "code", None) == "content_filter":
                reply = Reply("", "content_filter")
            else:
                tried = attempts.statistics.get("attempt_number", 1)
                raise ModelError(self._failure(error, tried)) from error
        return Completion(
            text=reply.text,
            prompt_token_ids=reply.prompt_token_ids,
            completion_token_ids=reply.completion_token_ids,
            logprobs=reply.logprobs,
            prompt_tokens=reply.usage.prompt_tokens,
            completion_tokens=reply.usage.completion_tokens,
            finish_reason=reply.finish_reason,
            model=reply.model or self.model,
            latency=time.perf_counter() - start,
        )

    def _is_enough(self, state: tenacity.RetryCallState) -> bool:
        """Tell whether to give up; where nothing listens, waiting seldom helps."""
        refused = REFUSED_ATTEMPTS if _is_refused(_error_of(state)) else self.max_attempts
        return state.attempt_number >= min(refused, self.max_attempts)

    def _fields(self, request: ChatRequest, params: SamplingParams) -> dict[str, Any]:
        # OpenAI's own models want the newer name, many servers know only the older one.
        limit = "max_completion_tokens" if self.base_url == OPENAI_URL else "max_tokens"
        fields: dict[str, Any] = {
            "model": self.model,
            "messages": list(request.messages),
            limit: params.max_new_tokens,
            "temperature": params.temperature,
            "seed": request.seed,
        }
        if params.stop:
            fields["stop"] = list(params.stop)
        if params.logprobs:
            fields["logprobs"] = True
        if self.stream:
            fields |= {"stream": True, "stream_options": {"include_usage": True}}
        fields |= self.request_options
        return {name: value for name, value in fields.items() if value is not None}

    async def _attempt(self, fields: Mapping[str, Any]) -> Reply:
        # The client's own time-out is one per read, which a slow drip never exceeds.
        async with self._slots or asyncio.Semaphore(1), asyncio.timeout(self.timeout):
            try:
                response = await self._client.chat.completions.create(**fields)
                return await _read_stream(response) if self.stream else _read_whole(response)
            except ValueError as error:
                raise BadReplyError(f"the reply is no valid JSON ({error})") from error

    def _failure(self, error: Exception, attempts: int) -> str:
        status = getattr(error, "status_code", None)
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            reason = f"no answer within {self.timeout:g} s"
        elif status in (401, 403):
            reason = f"HTTP {status}, the API key was refused; set {self.key_variable} or api_key="
        elif status is not None:
            reason = f"HTTP {status}: {error}"
        elif _is_refused(error):
            reason = "the connection was refused: no server listens there"
        elif isinstance(error, openai.APIConnectionError):
            reason = f"no connection, or it broke off ({error.__cause__ or error})"
        else:
            reason = str(error)
        again = f" after {attempts} attempts" if attempts > 1 else ""
        return f"{self.model} at {self.base_url} failed{again}: {reason[:MAX_REASON_CHARS]}"


def _server(given: str | None) -> str:
    """Return the URL of the endpoint.

    Raises:
        ConfigError: If it is no URL of a web server.
    """
    where, url = "base_url", given
    if not url:
        where, url = "$OPENAI_BASE_URL", os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    if not isinstance(url, str):
        raise ConfigError(f"{where} must be a URL, got {url!r}")
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        usable = parts.scheme in ("http", "https") and host and parts.port != 0
        usable = usable and url.isprintable() and " " not in url
    except ValueError as error:
        raise ConfigError(f"{where} is no URL: {url!r} ({error})") from None
    if not usable:
        raise ConfigError(f"{where} must be like http://HOST:PORT/v1 or https://…, got {url!r}")
    return url


def _read_whole(response: Any) -> Reply:
    """Take the first choice out of a chat completion."""
    choices = getattr(response, "choices", None)
    if choices is None:
        raise BadReplyError(f"the reply is no chat completion: {str(response)[:100]!r}")
    if not choices:
        raise BadReplyError("the reply holds no choices")
    choice = choices[0]
    return Reply(
        text=_text(getattr(choice.message, "content", None)),
        finish_reason=_word(choice.finish_reason),
        usage=_usage(response),
        logprobs=_logprobs([choice.logprobs]),
        model=_word(response.model),
        prompt_token_ids=_ids(getattr(response, "prompt_token_ids", None)),
        completion_token_ids=_ids(getattr(choice, "token_ids", None)),
    )


async def _read_stream(stream: Any) -> Reply:
    """Put the pieces of a streamed chat completion together."""
    texts: list[str] = []
    logprobs: list[Any] = []
    finish_reason = model = None
    usage = NO_USAGE
    try:
        async for chunk in stream:
            model = chunk.model or model
            usage = _usage(chunk) if chunk.usage else usage
            for choice in chunk.choices[:1]:
                texts.append(_text(choice.delta.content))
                logprobs.append(choice.logprobs)
                finish_reason = choice.finish_reason or finish_reason
    except (openai.OpenAIError, BadReplyError, TimeoutError):
        raise
    except Exception as error:  # the HTTP library's errors come unwrapped out of a stream
        raise BadReplyError(f"the stream broke off ({type(error).__name__}: {error})") from error
    if finish_reason is None:
        raise BadReplyError("the stream ended without a finish_reason")
    return Reply("".join(texts), _word(finish_reason), usage, _logprobs(logprobs), _word(model))


# The client does not check what a server sends. What it says beside the text is left out where
# it is of the wrong type.


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


def _logprobs(parts: Sequence[Any]) -> tuple[float, ...] | None:
    tokens = [token for part in parts for token in getattr(part, "content", None) or ()]
    found: list[Any] = [getattr(token, "logprob", None) for token in tokens]
    return tuple(found) if found and all(isinstance(x, int | float) for x in found) else None


def _ids(ids: object) -> tuple[int, ...] | None:
    if not isinstance(ids, list) or not all(type(i) is int for i in ids):
        return None
    return tuple(ids)


def _may_pass(error: BaseException) -> bool:
    """Tell whether another attempt is worth it."""
    if isinstance(error, openai.APIStatusError):
        asked = _retry_after(error)
        passing = error.status_code in RETRIED_STATUS or error.status_code >= 500
        return passing and (asked is None or asked <= LONGEST_WAIT)
    return isinstance(error, openai.APIConnectionError | BadReplyError | TimeoutError)


_growing_wait = tenacity.wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT)


def _error_of(state: tenacity.RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _is_refused(error: BaseException | None) -> bool:
    """Tell whether a connection failed because no server listens at the address."""
    while error is not None and not isinstance(error, ConnectionRefusedError):
        if isinstance(error, BaseExceptionGroup):  # one error for each address of a host
            return all(_is_refused(part) for part in error.exceptions)
        error = error.__cause__ or error.__context__
    return error is not None


def _wait_seconds(state: tenacity.RetryCallState) -> float:
    error = _error_of(state)
    if _is_refused(error):
        return REFUSED_WAIT
    asked = _retry_after(error) if isinstance(error, openai.APIStatusError) else None
    return _growing_wait(state) if asked is None else asked


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Return the seconds that a response asks to wait (a number, or an HTTP date)."""
    value = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None

"""Models behind any OpenAI-compatible endpoint: vLLM, ``transformers serve``, hosted ones."""

import asyncio
import inspect
import os
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from coordgym.agents.backend import ChatRequest, Message, SamplingParams, without_system_role
from coordgym.agents.event_loop import EventLoopThread
from coordgym.errors import (
    ConfigError,
    MissingExtraError,
    ModelError,
    require_bool,
    require_int,
    suggest,
)
from coordgym.policies.protocol import Completion

try:
    import openai
    import tenacity

    from coordgym.agents.replies import BadReplyError, Reply, read_stream, read_whole
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


T = TypeVar("T")


class _Line(NamedTuple):
    """An open client, the thread that serves it, and the slots for requests under way."""

    loop: EventLoopThread
    client: Any
    slots: asyncio.Semaphore


_opening = threading.Lock()


class OpenAIBackend:
    """Sends chats to an endpoint, several at a time.

    Failures that may pass (429, 408, 409, 5xx, time-outs, broken connections, replies that are
    no JSON or hold no choice) are tried again, after the time that ``Retry-After`` asks for or
    with exponentially growing, randomised waits. A reply withheld by a content filter is an
    empty completion with ``finish_reason="content_filter"``. Reasoning that a server returns apart
    from the reply (``reasoning_content``, ``reasoning``, parts of the content) is the completion's
    ``reasoning``; its tokens are among ``completion_token_ids``.

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
        system_role: False for models whose chat template refuses a system message: it then
            stands at the beginning of the first user message.
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
        system_role: bool = True,
        request_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.context_tokens: int | None = None
        self.base_url = _server(base_url)
        self.key_variable = key_variable
        self._key = _key(api_key, key_variable)
        if not self._key and self.base_url == OPENAI_URL:
            raise ConfigError(f"{OPENAI_URL} needs an API key: set {key_variable} or api_key=")
        self.max_concurrent = require_int("max_concurrent", max_concurrent, 1, 100_000)
        self.max_attempts = require_int("max_attempts", max_attempts, 1, 1000)
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
            raise ConfigError(f"timeout must be a number of seconds > 0, got {timeout!r}")
        self.timeout = float(timeout)
        self.stream = require_bool("stream", stream)
        self.system_role = require_bool("system_role", system_role)
        self.request_options = _checked_options(request_options or {})
        self._line: _Line | None = None

    def __repr__(self) -> str:
        return f"OpenAIBackend({self.model!r}, {self.base_url!r})"

    def generate(self, requests: Sequence[ChatRequest], params: SamplingParams) -> list[Completion]:
        """Answer all chats; if one fails for good, the others are called off.

        Raises:
            ModelError: If a request fails for good.
            ConfigError: If ``params.choices`` is given, which endpoints have no common form of.
        """
        _refuse_choices(params)
        line = self._open()
        return line.loop.run(_all([self._answer(line, each, params) for each in requests]))

    def generate_each(
        self, requests: Sequence[ChatRequest], params: SamplingParams
    ) -> list[Completion | ModelError]:
        """Answer all chats; one that fails for good has its error in its place.

        Raises:
            ConfigError: As ``generate``.
        """
        _refuse_choices(params)
        line = self._open()
        return line.loop.run(_all([self._answer_or_error(line, each, params) for each in requests]))

    def count_tokens(self, messages: Sequence[Message]) -> None:
        """Return None: endpoints don't count tokens before a call."""

    def reset(self) -> None:
        """Nothing is kept between calls but open connections."""

    def close(self) -> None:
        """Close the connections and end the thread that serves them."""
        line, self._line = self._line, None
        if line is not None and line.loop.alive:
            line.loop.run(line.client.close())
            line.loop.stop()

    def _open(self) -> "_Line":
        with _opening:
            if self._line is None or not self._line.loop.alive:
                client = openai.AsyncOpenAI(
                    api_key=self._key or NO_KEY,
                    base_url=self.base_url,
                    timeout=self.timeout,
                    max_retries=0,
                )
                slots = asyncio.Semaphore(self.max_concurrent)
                self._line = _Line(EventLoopThread(), client, slots)
            return self._line

    async def _answer_or_error(
        self, line: "_Line", request: ChatRequest, params: SamplingParams
    ) -> Completion | ModelError:
        try:
            return await self._answer(line, request, params)
        except ModelError as error:
            return error

    async def _answer(
        self, line: "_Line", request: ChatRequest, params: SamplingParams
    ) -> Completion:
        start = time.perf_counter()
        attempts = tenacity.AsyncRetrying(
            stop=self._is_enough,
            wait=_wait_seconds,
            retry=tenacity.retry_if_exception(_may_pass),
            reraise=True,
        )
        try:
            reply: Reply = await attempts(self._attempt, line, self._fields(request, params))
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
            reasoning=reply.reasoning,
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
            "messages": list(
                request.messages if self.system_role else without_system_role(request.messages)
            ),
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

    async def _attempt(self, line: "_Line", fields: Mapping[str, Any]) -> Reply:
        # The client's own time-out is one per read, which a slow drip never exceeds.
        async with line.slots, asyncio.timeout(self.timeout):
            try:
                response = await line.client.chat.completions.create(**fields)
                return await read_stream(response) if self.stream else read_whole(response)
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


async def _all(answers: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Wait for all answers; if one raises, the others are called off."""
    tasks = [asyncio.ensure_future(each) for each in answers]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _refuse_choices(params: SamplingParams) -> None:
    """Raise ConfigError if ``params.choices`` is given."""
    if params.choices:
        raise ConfigError(
            "choices need a local model; give the endpoint's own field through "
            "request_options (vLLM: extra_body={'structured_outputs': {'choice': […]}})"
        )


def _key(given: str | None, variable: str) -> str | None:
    """Return the API key, if there is one.

    Raises:
        ConfigError: If it can't stand in an HTTP header; the client's own error would show it.
    """
    where, key = ("api_key", given) if given else (f"${variable}", os.environ.get(variable))
    if not key:
        return None
    if not isinstance(key, str) or not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(f"{where} must be a text of printable ASCII without blanks; it is not")
    return key


def _checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the request options.

    Raises:
        ConfigError: If one is no field of a request, or is set otherwise.
    """
    if not isinstance(options, Mapping):
        raise ConfigError(f"request_options must be a dict, got {options!r:.100}")
    known = inspect.signature(openai.resources.chat.AsyncCompletions.create).parameters
    for name in options:
        if name in ("self", "messages", "stream"):
            raise ConfigError(f"request_options can't set {name!r}; stream= is an argument")
        if name not in known:
            raise ConfigError(
                f"request_options has no field {name!r}{suggest(str(name), known)}; fields of "
                "one server alone go into extra_body: {'extra_body': {'top_k': 20}}"
            )
    return dict(options)


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


def _may_pass(error: BaseException) -> bool:
    """Tell whether another attempt is worth it."""
    if isinstance(error, openai.APIStatusError):
        asked = _retry_after(error)
        passing = error.status_code in RETRIED_STATUS or error.status_code >= 500
        return passing and (asked is None or asked <= LONGEST_WAIT)
    # Besides broken connections, errors that a server reports in the middle of a stream.
    return isinstance(error, openai.APIError | BadReplyError | TimeoutError)


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
    except (ValueError, OverflowError):
        return None

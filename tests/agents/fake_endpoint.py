"""A small OpenAI-compatible server for tests, which fails in the ways that real ones do."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self


class FakeEndpoint:
    """Answers each request by the next behaviour in ``script`` (``"ok"`` when it is empty).

    Behaviours: ``ok``, ``logprobs``, ``token_ids``, ``retry_after:SECONDS`` (429),
    ``status:CODE``, ``slow:SECONDS``, ``cut`` (the body breaks off), ``invalid_json``,
    ``no_json`` (plain text), ``no_choices``, ``filtered`` (finish_reason), ``filtered_400``,
    ``no_content``, ``surrogate``, ``strange_facts`` and ``strange_text`` (wrong types),
    ``body:JSON`` (any body; for a stream, a list of events).
    """

    def __init__(self) -> None:
        self.script: deque[str] = deque()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.under_way = 0
        self.most_under_way = 0
        self.lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def take(self, request: dict[str, Any], headers: dict[str, str]) -> str:
        """Note a request that has come, and return how to behave."""
        with self.lock:
            self.requests.append(request)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            return self.script.popleft() if self.script else "ok"

    def done(self) -> None:
        """Note that a request is answered."""
        with self.lock:
            self.under_way -= 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def reply_text(request: dict[str, Any]) -> str:
    """What the server answers: it repeats the last message."""
    return f"echo {request['messages'][-1]['content']}"


def _completion(request: dict[str, Any], **changes: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": reply_text(request)},
        "finish_reason": "stop",
        "logprobs": None,
    }
    choice.update(changes)
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "fake-1",
        "choices": [choice],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }


def _logprobs(*values: object) -> dict[str, Any]:
    return {
        "content": [{"token": "t", "logprob": v, "bytes": None, "top_logprobs": []} for v in values]
    }


class Answer(NamedTuple):
    """What goes back for one request; ``cut``: only the first half of the body."""

    body: bytes
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = {}
    cut: bool = False


def _json(data: object, status: int = 200, **headers: str) -> Answer:
    return Answer(json.dumps(data).encode(), status, headers=headers)


def _answer(request: dict[str, Any], kind: str, value: str) -> Answer:
    """Answer a request that wants no stream."""
    if kind in FAILURES:
        return FAILURES[kind](value)
    if kind == "slow":
        time.sleep(float(value))
    if kind == "cut":
        return _json(_completion(request))._replace(cut=True)
    changes, more = COMPLETIONS[kind]
    return _json(_completion(request, **changes) | more)


Fields = dict[str, Any]
NO_TEXT = {"role": "assistant", "content": None}

FAILURES: dict[str, Callable[[str], Answer]] = {
    "body": lambda value: Answer(value.encode()),
    "retry_after": lambda value: _json(
        {"error": {"message": "slow down", "code": "rate_limit"}}, 429, **{"Retry-After": value}
    ),
    "status": lambda value: _json({"error": {"message": f"status {value}"}}, int(value)),
    "filtered_400": lambda _: _json(
        {"error": {"message": "filtered", "code": "content_filter"}}, 400
    ),
    "invalid_json": lambda _: Answer(b'{"choices": ['),
    "no_json": lambda _: Answer(b"<html>welcome</html>", kind="text/html"),
}
"""What answers without a completion, by behaviour."""

COMPLETIONS: dict[str, tuple[Fields, Fields]] = {
    "ok": ({}, {}),
    "slow": ({}, {}),
    "logprobs": ({"logprobs": _logprobs(-0.5, -1.5)}, {}),
    "token_ids": ({"token_ids": [7, 8, 9]}, {"prompt_token_ids": [1, 2]}),
    "filtered": ({"message": NO_TEXT, "finish_reason": "content_filter"}, {}),
    "no_content": ({"message": NO_TEXT, "finish_reason": "length"}, {}),
    "no_choices": ({}, {"choices": []}),
    "surrogate": ({"message": {**NO_TEXT, "content": "half \ud800 pair"}}, {}),
    "strange_facts": (
        {"finish_reason": 5, "token_ids": ["x"], "logprobs": _logprobs("x")},
        {"model": 7, "usage": {"prompt_tokens": "many", "completion_tokens": 1.5}},
    ),
    "strange_text": ({"message": {**NO_TEXT, "content": [1]}}, {}),
}
"""What a completion has that a good one has not, by behaviour: in its choice, beside it."""


def _events(request: dict[str, Any], kind: str, value: str) -> Iterator[str]:
    """Yield the data of the events that answer a request for a stream."""
    if kind == "body":
        yield from map(json.dumps, json.loads(value))
        return

    def event(*choices: Fields, **more: Any) -> str:
        head = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "fake-1"}
        return json.dumps({**head, "choices": choices, **more})

    words = reply_text(request).split(" ")
    for i, word in enumerate(words):
        delta = {"role": "assistant", "content": word if i == 0 else f" {word}"}
        yield event({"index": 0, "delta": delta, "logprobs": _logprobs(-float(i))})
        if kind == "cut":
            return
    yield event({"index": 0, "delta": {}, "finish_reason": "stop"})
    if (request.get("stream_options") or {}).get("include_usage"):
        usage = {"prompt_tokens": 11, "completion_tokens": len(words), "total_tokens": 0}
        yield event(usage=usage)
    yield "[DONE]"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        endpoint = self.server.endpoint
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        kind, _, value = endpoint.take(request, headers).partition(":")
        try:
            if request.get("stream"):
                self.send_events(_events(request, kind, value))
            else:
                self.send_answer(_answer(request, kind, value))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up, as some tests want
        finally:
            endpoint.done()

    def send_events(self, events: Iterable[str]) -> None:
        self.start(200, {"content-type": "text/event-stream", "connection": "close"})
        self.close_connection = True
        for data in events:
            self.wfile.write(f"data: {data}\n\n".encode())

    def send_answer(self, answer: Answer) -> None:
        length = len(answer.body)
        about = {"content-type": answer.kind, "content-length": str(length)}
        self.start(answer.status, {**about, **answer.headers})
        self.wfile.write(answer.body[: length // 2] if answer.cut else answer.body)
        self.close_connection = self.close_connection or answer.cut

    def start(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    """Connections that may wait: with the usual 5, some of many at once are reset."""

    def __init__(self, endpoint: FakeEndpoint) -> None:
        self.endpoint = endpoint
        super().__init__(("127.0.0.1", 0), _Handler)

"""A small OpenAI-compatible server for tests, which fails in the ways that real ones do."""

import json
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    """Connections that may wait: with the usual 5, some of many at once are reset."""


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
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

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


def _handler(server: FakeEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            request = json.loads(body)
            with server.lock:
                server.requests.append(request)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                server.times.append(time.monotonic())
                server.under_way += 1
                server.most_under_way = max(server.most_under_way, server.under_way)
                behaviour = server.script.popleft() if server.script else "ok"
            try:
                kind, _, value = behaviour.partition(":")
                if request.get("stream"):
                    self.stream(request, kind, value)
                else:
                    self.answer(request, kind, value)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up, as some tests want
            finally:
                with server.lock:
                    server.under_way -= 1

        def answer(self, request: dict[str, Any], kind: str, value: str) -> None:
            message = {"role": "assistant", "content": None}
            match kind:
                case "ok":
                    self.send(200, _completion(request))
                case "body":
                    self.send_bytes(200, value.encode(), "application/json")
                case "slow":
                    time.sleep(float(value))
                    self.send(200, _completion(request))
                case "logprobs":
                    self.send(200, _completion(request, logprobs=_logprobs(-0.5, -1.5)))
                case "token_ids":
                    completion = _completion(request, token_ids=[7, 8, 9])
                    self.send(200, {**completion, "prompt_token_ids": [1, 2]})
                case "retry_after":
                    error = {"error": {"message": "slow down", "code": "rate_limit"}}
                    self.send(429, error, {"Retry-After": value})
                case "status":
                    self.send(int(value), {"error": {"message": f"status {value}"}})
                case "filtered":
                    self.send(
                        200, _completion(request, message=message, finish_reason="content_filter")
                    )
                case "filtered_400":
                    error = {"error": {"message": "filtered", "code": "content_filter"}}
                    self.send(400, error)
                case "no_content":
                    self.send(200, _completion(request, message=message, finish_reason="length"))
                case "no_choices":
                    self.send(200, {**_completion(request), "choices": []})
                case "surrogate":
                    text = {"role": "assistant", "content": "half \ud800 pair"}
                    self.send(200, _completion(request, message=text))
                case "strange_facts":
                    facts = {"finish_reason": 5, "token_ids": ["x"], "logprobs": _logprobs("x")}
                    usage = {"prompt_tokens": "many", "completion_tokens": 1.5}
                    strange = {**_completion(request, **facts), "model": 7, "usage": usage}
                    self.send(200, strange)
                case "strange_text":
                    self.send(200, _completion(request, message={**message, "content": [1]}))
                case "invalid_json":
                    self.send_bytes(200, b'{"choices": [', "application/json")
                case "no_json":
                    self.send_bytes(200, b"<html>welcome</html>", "text/html")
                case "cut":
                    payload = json.dumps(_completion(request)).encode()
                    self.start(200, "application/json", len(payload))
                    self.wfile.write(payload[: len(payload) // 2])
                    self.close_connection = True
                case _:
                    raise ValueError(f"unknown behaviour {kind!r}")

        def stream(self, request: dict[str, Any], kind: str, value: str) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            if kind == "body":
                for data in json.loads(value):
                    self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
                return
            words = reply_text(request).split(" ")
            for i, word in enumerate(words):
                delta = {"role": "assistant", "content": word if i == 0 else f" {word}"}
                self.event([{"index": 0, "delta": delta, "logprobs": _logprobs(-float(i))}])
                if kind == "cut":
                    return
            self.event([{"index": 0, "delta": {}, "finish_reason": "stop"}])
            usage = {"prompt_tokens": 11, "completion_tokens": len(words), "total_tokens": 0}
            if (request.get("stream_options") or {}).get("include_usage"):
                self.event([], usage=usage)
            self.wfile.write(b"data: [DONE]\n\n")

        def event(self, choices: list[dict[str, Any]], **more: Any) -> None:
            data = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "fake-1"}
            self.wfile.write(f"data: {json.dumps(data | {'choices': choices} | more)}\n\n".encode())

        def send(self, status: int, data: object, headers: dict[str, str] | None = None) -> None:
            self.send_bytes(status, json.dumps(data).encode(), "application/json", headers)

        def send_bytes(
            self, status: int, data: bytes, kind: str, headers: dict[str, str] | None = None
        ) -> None:
            self.start(status, kind, len(data), headers)
            self.wfile.write(data)

        def start(
            self, status: int, kind: str, length: int, headers: dict[str, str] | None = None
        ) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(length))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()

    return Handler

"""A service that speaks the OpenAI chat interface on loopback, scripted: right answers, and everything that goes wrong.

    with Server([reply("Hello"), status(429, retry_after=1), drop(after=40), reply(calls=[("check_syntax", "{}")])]) as server:
        model = open_model("openai/any", {"base_url": server.url})

Each request takes the next turn; a turn may be a function of the request's body. Good replies are streamed when the request
asks for it. `server.requests` has the bodies, `server.headers` the headers of what came in.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from attrs import evolve, field, frozen

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@frozen
class Turn:
    """What the service does with one request.

    Attributes:
        status: of the answer; 0 closes the connection without one.
        message, finish, usage: the reply; usage None leaves it out. `message` None is an answer without choices.
        body: sent in place of a rendered reply: bytes, text, or plain data for JSON.
        headers: further ones; `content-type` replaces the right one.
        delay_s: before the answer. pause_s: between the pieces of the answer.
        drop_after: close the connection after so many bytes of the body. reset: with a reset in place of an end.
        cut_after: send only so many bytes, as if that was all.
        piece: characters in a piece of a streamed text; more where that would make over 1,000 pieces.
        done: whether a stream ends with `[DONE]`.
    """

    status: int = 200
    message: Mapping[str, Any] | None = None
    finish: str | None = "stop"
    usage: Mapping[str, Any] | None = field(factory=lambda: USAGE)
    body: Any = None
    headers: Mapping[str, str] = field(factory=dict)
    delay_s: float = 0.0
    pause_s: float = 0.0
    drop_after: int | None = None
    reset: bool = False
    cut_after: int | None = None
    piece: int = 8
    done: bool = True


Answer = Turn | Callable[[Mapping[str, Any]], Turn]


def reply(text: str | None = "", calls: Sequence[Any] = (), **more: Any) -> Turn:
    """Return a good reply.

    Args:
        text: its content.
        calls: (name, arguments) or (name, arguments, id) per tool call; an id of None is left out.
        more: fields of `Turn`; others go into the message (`reasoning_content`, `refusal`, ...).
    """
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [_call(i, *call) for i, call in enumerate(calls)]
    fields = {a.name for a in Turn.__attrs_attrs__}
    message |= {name: value for name, value in more.items() if name not in fields}
    options = {name: value for name, value in more.items() if name in fields}
    return Turn(message=message, **{"finish": "tool_calls" if calls else "stop", **options})


def _call(index: int, name: Any, arguments: Any, identifier: str | None = "") -> dict[str, Any]:
    call: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if identifier is not None:
        call["id"] = identifier or f"call_{index}"
    return call


def status(number: int, message: str = "scripted", retry_after: Any = None, **more: Any) -> Turn:
    """Return an error of the service; `kind` and `code` go into its body."""
    error = {"message": message, "type": more.pop("kind", "scripted_error"), "code": more.pop("code", None)}
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Turn(number, body={"error": error}, headers={**headers, **more.pop("headers", {})}, **more)


def drop(after: int | None = None, *, reset: bool = False, text: str = "a text that never arrives whole") -> Turn:
    """Return a connection that is closed: before an answer, or after so many bytes of the body."""
    return Turn(0, reset=reset) if after is None else reply(text, drop_after=after, reset=reset)


def truncated(after: int, text: str = "a text that is cut") -> Turn:
    """Return an answer whose JSON ends in the middle, as if that was all."""
    return reply(text, cut_after=after)


def empty() -> Turn:
    """Return an answer without choices."""
    return Turn(message=None)


def junk(body: Any, content_type: str = "application/json", number: int = 200) -> Turn:
    """Return an answer of status `number` with any body."""
    return Turn(number, body=body, headers={"content-type": content_type})


class Server:
    """The service; a context manager.

    Attributes:
        url: for `base_url`. requests, headers, paths: what came in, in order.
    """

    def __init__(self, turns: Sequence[Answer], *, repeat: bool = False) -> None:
        """Take the turns; with `repeat` the last one is taken again, otherwise a further request is an error 400."""
        self.turns = list(turns)
        self.repeat = repeat
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.script = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def take(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Turn:
        """Return the turn for a request."""
        with self._lock:
            index = len(self.requests)
            self.requests.append(body)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self.paths.append(path)
        if index >= len(self.turns) and not self.repeat:
            return status(400, "the script of the server has no more turns")
        turn = self.turns[min(index, len(self.turns) - 1)]
        return turn if isinstance(turn, Turn) else turn(body)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    script: Server

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that go away are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        request = json.loads(self.rfile.read(length) or b"{}")
        script = self.server.script
        turn = script.take(self.path, dict(self.headers), request)
        if turn.delay_s:
            script.stopped.wait(turn.delay_s)
        if turn.status == 0:
            self._close(turn.reset)
            return
        streamed = bool(request.get("stream")) and turn.body is None
        pieces = _stream(turn, request) if streamed else [_whole(turn, request)]
        self._send(turn, pieces, "text/event-stream" if streamed else "application/json", streamed)

    def _send(self, turn: Turn, pieces: list[bytes], content_type: str, streamed: bool) -> None:
        if turn.cut_after is not None:
            pieces = _first(pieces, turn.cut_after)
        self.send_response(turn.status)
        self.send_header("content-type", turn.headers.get("content-type", content_type))
        for name, value in turn.headers.items():
            if name != "content-type":
                self.send_header(name, value)
        if not streamed:
            self.send_header("content-length", str(sum(map(len, pieces))))
        elif turn.drop_after is not None:
            self.send_header("content-length", str(sum(map(len, pieces)) + 1))
        self.end_headers()
        if turn.drop_after is not None:
            pieces = _first(pieces, turn.drop_after)
        if turn.pause_s and not streamed:
            pieces = [bytes([byte]) for byte in b"".join(pieces)]
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()
            if turn.pause_s and self.server.script.stopped.wait(turn.pause_s):
                break
        if turn.drop_after is not None:
            self._close(turn.reset)

    def _close(self, reset: bool) -> None:
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True


def _first(pieces: list[bytes], count: int) -> list[bytes]:
    return [b"".join(pieces)[:count]]


def _whole(turn: Turn, request: Mapping[str, Any]) -> bytes:
    if isinstance(turn.body, bytes):
        return turn.body
    if isinstance(turn.body, str):
        return turn.body.encode()
    if turn.body is not None:
        return json.dumps(turn.body).encode()
    choices = [] if turn.message is None else [{"index": 0, "message": turn.message, "finish_reason": turn.finish}]
    answer = _head(request, "chat.completion") | {"choices": choices}
    return json.dumps(answer if turn.usage is None else answer | {"usage": turn.usage}).encode()


def _head(request: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": request.get("model", "any")}


def _stream(turn: Turn, request: Mapping[str, Any]) -> list[bytes]:
    """Return the events of a reply."""
    head = _head(request, "chat.completion.chunk")

    def event(data: Mapping[str, Any]) -> bytes:
        return b"data: " + json.dumps(head | data).encode() + b"\n\n"

    events = []
    if turn.message is not None:
        deltas = [{"role": "assistant"}, *_deltas(turn.message, turn.piece)]
        events = [event({"choices": [{"index": 0, "delta": d, "finish_reason": None}]}) for d in deltas]
        events.append(event({"choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish}]}))
    if turn.usage is not None and (request.get("stream_options") or {}).get("include_usage"):
        events.append(event({"choices": [], "usage": turn.usage}))
    return [*events, b"data: [DONE]\n\n"] if turn.done else events


def _deltas(message: Mapping[str, Any], piece: int) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    piece = max(piece, max((len(v) for v in message.values() if isinstance(v, str)), default=0) // 1000)
    for name, value in message.items():
        if isinstance(value, str) and name != "role":
            out += [{name: value[i : i + piece]} for i in range(0, len(value), piece)]
        elif name not in ("role", "tool_calls") and value is not None:
            out.append({name: value})
    for index, call in enumerate(message.get("tool_calls", ())):
        function, arguments = call["function"], call["function"]["arguments"]
        cut = arguments if isinstance(arguments, str) else ""
        out.append({"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]})
        for i in range(0, len(cut), piece):
            out.append({"tool_calls": [{"index": index, "function": {"arguments": cut[i : i + piece]}}]})
    return out


def slow(turn: Turn, seconds: float) -> Turn:
    """Return the turn with its answer so much later."""
    return evolve(turn, delay_s=seconds)

"""Why a call failed: sorting the exceptions of litellm, which wraps most of them as something else, into kinds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from attrs import frozen

RETRIED = frozenset({"rate_limit", "server", "timeout", "connection"})
"""Kinds that may go away by waiting."""
_OVERFLOW = re.compile(
    r"context[ _]length|context window|maximum context|prompt is too long|input is too long|too many tokens"
    r"|exceeds the maximum number of tokens|request_too_large|context_length_exceeded",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"content_policy|content policy|content management policy|safety system|content_filter|responsibleaipolicy"
    r"|flagged as potentially",
    re.IGNORECASE,
)
_CONNECTION = re.compile(
    r"connection error|connection (?:was )?(?:reset|refused|aborted|closed)|peer closed|server disconnected"
    r"|incomplete chunked read|incomplete message|remote end closed|name or service not known|temporary failure in name"
    r"|network is unreachable|before a finish_reason|\bssl\b",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance|payment", re.IGNORECASE)
_CREDENTIALS = re.compile(
    r"missing credentials|api_key client option must be set|(?:no|missing|provide an?|valid) api[ _-]?key"
    r"|api[ _-]?key (?:is )?(?:missing|not found|not set|required|not valid)|set (?:the )?\w+_API_KEY",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(r"unexpected response|invalid response|unable to get json|expecting value", re.IGNORECASE)
_WRAPPING = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception)(?:: | - ))+")
_TIME = re.compile(r"time[d]?[ -]?out", re.IGNORECASE)


_WRAPPERS = {"APIConnectionError", "InternalServerError"}
"""Classes that litellm also gives to exceptions of its own code, with the status 500."""


@frozen
class Fault:
    """Why there is no reply: a kind of `ERROR_KINDS`, or `refusal`; text; and when to try again.

    Attributes:
        retry_after: seconds the service asks to wait; None when it does not say.
        hopeless: waiting does not help although it does for this kind.
    """

    kind: str
    message: str
    retry_after: float | None = None
    hopeless: bool = False

    @property
    def retried(self) -> bool:
        """Whether it makes sense to try again."""
        return self.kind in RETRIED and not self.hopeless


def sort_fault(error: BaseException, raw: str | None, now: float) -> Fault:
    """Return what an exception of a call means.

    Args:
        error: from litellm, or from what it uses.
        raw: the body of an answer with a good status, as far as one came.
        now: seconds since 1970, for dates in `Retry-After`.
    """
    original = getattr(error, "original_exception", None)
    if isinstance(original, BaseException):  # of a stream that broke
        error = original
    text = _first_line(_WRAPPING.sub("", str(error))) or type(error).__name__
    headers = _headers(error)
    names = {cls.__name__ for cls in type(error).__mro__}
    status = getattr(error, "status_code", None)
    body = f"{text} {getattr(error, 'body', None) or ''}"
    inner = _error_in(raw)
    if inner is not None and status not in (401, 403, 429):
        status, body = inner
        text, headers = f"an answer that reports an error: {_first_line(body)}", headers or {"date": ""}
    kind = _kind(names, status if isinstance(status, int) else None, body, bool(headers), raw is not None)
    if inner is not None and kind == "bad_response":
        kind = "server"
    wait = retry_after(headers, now) if kind in RETRIED else None
    return Fault(kind, text, wait, hopeless=kind == "rate_limit" and _QUOTA.search(body) is not None)


def _kind(names: set[str], status: int | None, text: str, headers: bool, answered: bool) -> str:
    if "ContextWindowExceededError" in names or status == 413:
        return "context_overflow"
    if "ContentPolicyViolationError" in names:
        return "refusal"
    if status == 400 and (_OVERFLOW.search(text) or _REFUSED.search(text)):
        return "context_overflow" if _OVERFLOW.search(text) else "refusal"
    if "Timeout" in names or "TimeoutError" in names or status == 408:
        return "timeout"
    if status in (401, 402, 403) or (not answered and _CREDENTIALS.search(text)):
        return "auth"
    if status == 429:
        return "rate_limit"
    if _UNREADABLE.search(text):
        return "bad_response"
    if "ImportError" in names or "BadRequestError" in names or (status is not None and 400 < status < 500):
        return "request"
    if not answered and _CONNECTION.search(text):
        return "connection"
    if not answered and _TIME.search(text):
        return "timeout"
    if not answered and status is not None and status >= 500 and (headers or "ServiceUnavailableError" in names):
        return "server"
    if not answered and status is not None and status >= 500 and names & {"APIError"} and not names & _WRAPPERS:
        return "server"
    return "bad_response"


def _error_in(raw: str | None) -> tuple[int | None, str] | None:
    """Return status and text of an error that came with a good status, as routers send them; None: there is none."""
    try:
        data = json.loads(raw or "null")
    except (ValueError, RecursionError):
        return None
    error = data.get("error") if isinstance(data, dict) and not data.get("choices") else None
    if not error:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    text = str(error.get("message") or error) if isinstance(error, dict) else str(error)
    return (int(str(code)) if str(code).isdigit() else 500), text


def _headers(error: BaseException) -> dict[str, str]:
    for holder in (error, getattr(error, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            found = getattr(holder, name, None)
            if isinstance(found, Mapping) and found:
                return {str(key).lower(): str(value) for key, value in found.items()}
    return {}


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that `Retry-After` (or OpenAI's `retry-after-ms`) asks for; None: nothing that can be read."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        elif "retry-after" in headers:
            value = headers["retry-after"].strip()
            numeric = re.fullmatch(r"\d+(\.\d+)?", value)
            seconds = float(value) if numeric else parsedate_to_datetime(value).timestamp() - now
        else:
            return None
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, seconds) if seconds < float("inf") else None


def _first_line(text: Any, limit: int = 500) -> str:
    line = " ".join(str(text).split("Traceback", 1)[0].split())
    return line if len(line) <= limit else line[: limit - 3] + "..."

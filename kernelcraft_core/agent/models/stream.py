"""Putting a streamed reply together."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from kernelcraft_core.agent.models.convert import plain


@define
class Assembly:
    """A reply under way: fed with chunks as plain data.

    Attributes:
        finish: the service's word for the end. usage: of the last chunk that has one.
        seen: whether anything came besides an end, which litellm makes up for a stream that has none.
    """

    finish: str | None = None
    usage: Any = None
    seen: bool = False
    _texts: dict[str, list[str]] = field(factory=dict)
    _calls: dict[int, dict[str, Any]] = field(factory=dict)
    _function: dict[str, Any] | None = None
    _blocks: list[dict[str, Any]] = field(factory=list)
    _fields: dict[str, Any] = field(factory=dict)

    def feed(self, chunk: dict[str, Any]) -> None:
        """Take a chunk."""
        if chunk.get("usage"):
            self.usage = chunk["usage"]
        for choice in (chunk.get("choices") or [])[:1]:
            self.finish = choice.get("finish_reason") or self.finish
            delta = choice.get("delta") or {}
            self.seen = self.seen or any(delta.values())
            for name in ("content", "reasoning_content", "refusal"):
                if isinstance(delta.get(name), str):
                    self._texts.setdefault(name, []).append(delta[name])
            for call in delta.get("tool_calls") or ():
                self._call(call)
            if delta.get("function_call"):
                self._function = self._function or {"name": "", "arguments": ""}
                _extend(self._function, delta["function_call"])
            for block in delta.get("thinking_blocks") or ():
                self._block(block)
            for name, value in (delta.get("provider_specific_fields") or {}).items():
                self._field(name, value)

    def _call(self, delta: dict[str, Any]) -> None:
        index = delta.get("index")
        key = index if isinstance(index, int) else len(self._calls)
        known = self._calls.get(key)
        if known is not None and delta.get("id") and known["id"] and delta["id"] != known["id"]:
            key, known = max(self._calls) + 1, None  # servers that number every call 0
        if known is None:
            known = self._calls[key] = {"id": None, "function": {"name": "", "arguments": ""}}
        known["id"] = known["id"] or delta.get("id")
        _extend(known["function"], delta.get("function") or {})
        if delta.get("provider_specific_fields"):
            known["provider_specific_fields"] = delta["provider_specific_fields"]

    def _block(self, delta: dict[str, Any]) -> None:
        """Add to the last thinking block until it is signed; everything else is a block of its own."""
        last = self._blocks[-1] if self._blocks else None
        if delta.get("type") == "thinking" and last and last.get("type") == "thinking" and not last.get("signature"):
            last["thinking"] = (last.get("thinking") or "") + (delta.get("thinking") or "")
            if delta.get("signature"):
                last["signature"] = delta["signature"]
        else:
            self._blocks.append({key: value for key, value in delta.items() if value is not None})

    def _field(self, name: str, value: Any) -> None:
        known = self._fields.get(name)
        if name == "thinking_blocks" or value is None:
            return  # they stand in the delta itself as well
        self._fields[name] = known + value if isinstance(known, list) and isinstance(value, list) else value

    def message(self) -> dict[str, Any]:
        """Return the message as a service that does not stream would have sent it."""
        entry: dict[str, Any] = {"role": "assistant", "content": "".join(self._texts.get("content", ()))}
        for name in ("reasoning_content", "refusal"):
            if name in self._texts:
                entry[name] = "".join(self._texts[name])
        if self._calls:
            entry["tool_calls"] = [self._calls[key] for key in sorted(self._calls)]
        if self._function:
            entry["function_call"] = self._function
        if self._blocks:
            entry["thinking_blocks"] = plain(self._blocks)
        if self._fields:
            entry["provider_specific_fields"] = plain(self._fields)
        return entry


def _extend(function: dict[str, Any], delta: dict[str, Any]) -> None:
    if delta.get("name") and not function["name"]:
        function["name"] = delta["name"]
    if isinstance(delta.get("arguments"), str):
        function["arguments"] += delta["arguments"]

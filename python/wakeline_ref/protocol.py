"""The wire protocol: messages, framing, and the verdict a plain Python executor gives on a body.

A frame is a big-endian u32 length followed by that many bytes of JSON. Bodies are written by
``orjson.dumps`` of the dataclasses below and read by ``orjson.loads`` followed by a keyword call,
so every refusal text is CPython's or orjson's own.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

SCHEMA_VERSION = 4
MAX_BODY_BYTES = 65_536
LENGTH_PREFIX = struct.Struct(">I")

_REFERENCE_MODULE = "kalshi_bot.ipc.protocol"


def default_price_ranges() -> list[list[float]]:
    """The grid assumed for a wake that carries none: one cent from 0 to 1 dollar."""
    return [[0.0, 1.0, 0.01]]


@dataclass
class WakeMessage:
    """One decision to fire, poller to executor. Prices and fees in dollars."""

    schema_version: int
    correlation_id: str
    market_ticker: str
    asset: str
    direction: str
    kalshi_price: float
    model_probability: float
    fee: float
    edge: float
    decision_ts_ms: int
    sent_at_ms: int
    sent_at_ns: int
    recv_ns: int = 0
    clock_domain: str = ""
    dry_run: bool = False
    wire_price_yes_dollars: float = 0.0
    exchange_index: int = -1
    available_size_contracts: float = 0.0
    price_ranges: list[list[float]] = field(default_factory=default_price_ranges)
    correlation_group: str = ""


@dataclass
class WakeAck:
    """The executor's answer: parsed or not, never "order placed"."""

    schema_version: int
    correlation_id: str
    received_at_ms: int
    status: str
    reason: str | None


# CPython names the class with its module in the text for bodies that are not objects.
WakeMessage.__module__ = _REFERENCE_MODULE
WakeAck.__module__ = _REFERENCE_MODULE


class OversizeFrame(Exception):
    """A length prefix above the limit: the stream cannot be resynchronised."""


def encode(message: Any) -> bytes:
    """The body of `message`, without its length prefix."""
    return orjson.dumps(message)


def frame(body: bytes) -> bytes:
    """`body` behind its length prefix."""
    return LENGTH_PREFIX.pack(len(body)) + body


def decode_wake(body: bytes) -> WakeMessage:
    """A wake from its body; raises what orjson or the keyword call raises."""
    return WakeMessage(**orjson.loads(body))


def decode_ack(body: bytes) -> WakeAck:
    """An ack from its body; a key more or less than the five raises TypeError."""
    return WakeAck(**orjson.loads(body))


def verdict(body: bytes, make_wake: Callable[..., Any] = WakeMessage) -> tuple[bool, str | None]:
    """Whether the reference executor accepts `body`, and its refusal's text when it does not."""
    try:
        make_wake(**orjson.loads(body))
    except (orjson.JSONDecodeError, TypeError) as refusal:
        return False, str(refusal)
    return True, None


class FrameReader:
    """Cuts a byte stream into bodies, however it was split on the way."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that `data` completes, in order; raises OversizeFrame on a length too large."""
        self._buffer += data
        bodies: list[bytes] = []
        start = 0
        while len(self._buffer) - start >= LENGTH_PREFIX.size:
            (length,) = LENGTH_PREFIX.unpack_from(self._buffer, start)
            if length > MAX_BODY_BYTES:
                raise OversizeFrame(f"frame of {length} bytes, limit {MAX_BODY_BYTES}")
            end = start + LENGTH_PREFIX.size + length
            if len(self._buffer) < end:
                break
            bodies.append(bytes(self._buffer[start + LENGTH_PREFIX.size : end]))
            start = end
        del self._buffer[:start]
        return bodies

    @property
    def pending(self) -> int:
        """Bytes held of a frame that is not whole yet."""
        return len(self._buffer)

"""Frames: wakes and acks as the reference encodes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from wakeline_ref.protocol import MAX_BODY_BYTES, encode, frame

Make = Callable[..., Any]

CORRELATION_ID = "5f0c1d9ab3e24768a1b2c3d4e5f60718"

# Every byte below a space, both quotes, both slashes, DEL, and 2, 3 and 4 bytes of UTF-8.
ESCAPES = (
    "".join(map(chr, range(0x20)))
    + "\"'\\/\x7f\x80\u00e9\u07ff\u0800\u20ac\u2028\u2029\ufeff\uffff\U00010000\U0001f600\U0010ffff"
)


def required(**changes: Any) -> dict[str, Any]:
    """The twelve required fields, with `changes`."""
    return {
        "schema_version": 4,
        "correlation_id": CORRELATION_ID,
        "market_ticker": "KXBTCD-26DEC0117-T91249.99",
        "asset": "BTC",
        "direction": "yes",
        "kalshi_price": 0.47,
        "model_probability": 0.5625,
        "fee": 0.0175,
        "edge": 0.0825,
        "decision_ts_ms": 1791000000001,
        "sent_at_ms": 1791000000004,
        "sent_at_ns": 86400123456789,
    } | changes


V2 = {"recv_ns": 86400120000000, "clock_domain": "trader-1:1790913600", "dry_run": True}
V3 = {
    "wire_price_yes_dollars": 0.47,
    "exchange_index": 2,
    "available_size_contracts": 137.25,
    "price_ranges": [[0.0, 0.1, 0.001], [0.1, 0.9, 0.01], [0.9, 1.0, 0.001]],
}
V4 = {"correlation_group": "crypto-majors"}


def full(**changes: Any) -> dict[str, Any]:
    """All twenty fields, none at its default, with `changes`."""
    return required() | V2 | V3 | V4 | changes


def legacy(version: int) -> dict[str, Any]:
    """The fields a poller of schema `version` (1 to 3) knew."""
    wake = required(schema_version=version)
    if version >= 2:
        wake |= V2
    if version >= 3:
        wake |= V3
    return wake


def wake_cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Named arguments of a wake; absent fields take their defaults."""
    yield "wake_required_only", required()
    yield "wake_full", full()
    yield "wake_no_side", full(direction="no", kalshi_price=0.53, dry_run=False)
    yield (
        "wake_empty_strings",
        full(correlation_id="", market_ticker="", asset="", clock_domain="", correlation_group=""),
    )
    yield (
        "wake_escapes",
        full(correlation_id=ESCAPES, market_ticker=ESCAPES[::-1], correlation_group=ESCAPES * 2),
    )
    yield (
        "wake_escape_runs",
        required(asset='"' * 40 + "\\" * 40, clock_domain="\x00\x1f" * 20, correlation_group="plain tail"),
    )
    for length in (7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65):
        yield f"wake_escape_at_{length}", required(asset="a" * length + "\n" + "b" * length)
    yield (
        "wake_floats",
        full(
            kalshi_price=0.1 + 0.2,
            model_probability=1e-5,
            fee=9.999999999999999e-6,
            edge=-0.0,
            wire_price_yes_dollars=1 / 3,
            available_size_contracts=1e15,
            price_ranges=[
                [5e-324, 2.2250738585072014e-308, sys.float_info.max],
                [1e16, 1e17, -1e21],
                [1e22, 1.5e-7, 123456789012345680.0],
            ],
        ),
    )
    yield (
        "wake_whole_floats",
        full(
            kalshi_price=0.0,
            model_probability=1.0,
            fee=-1.0,
            edge=100.0,
            available_size_contracts=9007199254740992.0,
        ),
    )
    yield (
        "wake_int_in_float_fields",
        full(
            kalshi_price=1,
            model_probability=0,
            fee=-3,
            edge=2**53 + 1,
            wire_price_yes_dollars=1,
            available_size_contracts=2**64 - 1,
            price_ranges=[[0, 1, 1]],
        ),
    )
    yield (
        "wake_big_ints",
        full(
            decision_ts_ms=2**63 - 1,
            sent_at_ms=-(2**63),
            sent_at_ns=2**53 + 1,
            recv_ns=-1,
            exchange_index=-(2**31),
            schema_version=0,
        ),
    )
    yield "wake_nonfinite", full(kalshi_price=float("nan"), fee=float("inf"), edge=float("-inf"))
    yield "wake_empty_ranges", full(price_ranges=[])
    yield "wake_one_range", full(price_ranges=[[0.01, 0.99, 0.01]])
    for count in (2, 8, 9, 17, 100):
        ranges = [[k / count, (k + 1) / count, 0.01 / (k + 1)] for k in range(count)]
        yield f"wake_{count}_ranges", full(price_ranges=ranges)
    yield "wake_schema_99", required(schema_version=99)


def ack_cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Named arguments of an ack."""
    accepted = {
        "schema_version": 4,
        "correlation_id": CORRELATION_ID,
        "received_at_ms": 1791000000009,
        "status": "accepted",
        "reason": None,
    }
    yield "ack_accepted", accepted
    yield "ack_accepted_empty_id", accepted | {"correlation_id": ""}
    yield "ack_accepted_escapes", accepted | {"correlation_id": ESCAPES}
    yield "ack_accepted_epoch", accepted | {"received_at_ms": 0}
    yield "ack_accepted_clock_extremes", accepted | {"received_at_ms": 2**63 - 1}
    rejected = accepted | {"correlation_id": "", "status": "rejected"}
    yield "ack_rejected", rejected | {"reason": "unexpected end of data: line 1 column 2 (char 1)"}
    yield (
        "ack_rejected_escapes",
        rejected | {"reason": f"WakeMessage.__init__() got an unexpected keyword argument '{ESCAPES}'"},
    )
    yield "ack_rejected_empty_reason", rejected | {"reason": ""}


def frames(make_wake: Make, make_ack: Make) -> list[tuple[str, bytes]]:
    """Every named frame, length prefix included."""
    named = [(name, frame(encode(make_wake(**wake)))) for name, wake in wake_cases()]
    named += [(name, frame(encode(make_ack(**ack)))) for name, ack in ack_cases()]
    # A dict keeps to the keys it has: what an older poller sent.
    named += [(f"legacy_v{version}", frame(encode(legacy(version)))) for version in (1, 2, 3)]
    named.append(("limit_65536", frame(_body_of(MAX_BODY_BYTES, make_wake))))
    named.append(("oversize_65537", frame(_body_of(MAX_BODY_BYTES + 1, make_wake))))
    return named


def _body_of(length: int, make_wake: Make) -> bytes:
    """A wake's body of exactly `length` bytes, filled up in its correlation group."""
    short = len(encode(make_wake(**full(correlation_group=""))))
    return encode(make_wake(**full(correlation_group="g" * (length - short))))

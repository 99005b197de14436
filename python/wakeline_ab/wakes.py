"""The wakes every run sends: of the usual size, with ids that sort as badly as the bot's."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import Any


def correlation_id(index: int) -> str:
    """The id of a run's wake number `index`: 32 digits, in no order."""
    return hashlib.blake2b(index.to_bytes(8, "big"), digest_size=16).hexdigest()


def wake_fields(index: int) -> dict[str, Any]:
    """A wake but for its stamps. A shadow fire: whatever an executor is set up to do, no order leaves it."""
    return {
        "schema_version": 4,
        "correlation_id": correlation_id(index),
        "market_ticker": "KXBTCD-26DEC0118-T98399.99",
        "asset": "BTC",
        "direction": "yes",
        "kalshi_price": 0.42,
        "model_probability": 0.515,
        "fee": 0.0171,
        "edge": 0.0779,
        "decision_ts_ms": 1_796_000_000_001,
        "dry_run": True,
        "wire_price_yes_dollars": 0.42,
        "exchange_index": -1,
        "available_size_contracts": 25.0,
        "price_ranges": [[0.0, 1.0, 0.01]],
        "correlation_group": "majors",
    }


async def pause(microseconds: int) -> None:
    """Lets the loop turn for that long. It never sleeps: that would measure how soon the machine wakes it."""
    until = time.monotonic_ns() + microseconds * 1_000
    await asyncio.sleep(0)
    while time.monotonic_ns() < until:
        await asyncio.sleep(0)

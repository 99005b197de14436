"""Wakes to send, and a poller that sends them."""

from __future__ import annotations

import random

from wakeline_ref.poller import Poller
from wakeline_ref.protocol import WakeMessage

BATCH = 500


def wakes(count: int, seed: int = 7) -> list[WakeMessage]:
    """`count` wakes with UUID-like ids; every third a shadow fire, every fifth for "no"."""
    rng = random.Random(seed)
    return [
        WakeMessage(
            schema_version=4,
            correlation_id=f"{rng.getrandbits(128):032x}",
            market_ticker=f"KXBTCD-26DEC01{index % 24:02d}-T{90000 + index}.99",
            asset="BTC",
            direction="no" if index % 5 == 0 else "yes",
            kalshi_price=rng.randrange(1, 100) / 100,
            model_probability=rng.random(),
            fee=0.0175,
            edge=rng.uniform(-0.1, 0.1),
            decision_ts_ms=1_791_000_000_000 + index,
            sent_at_ms=0,
            sent_at_ns=0,
            dry_run=index % 3 == 0,
            wire_price_yes_dollars=rng.randrange(1, 100) / 100,
            exchange_index=index % 4 - 1,
            available_size_contracts=rng.randrange(10_000) / 100,
            correlation_group="majors",
        )
        for index in range(count)
    ]


async def feed(poller: Poller, messages: list[WakeMessage]) -> None:
    """Queues `messages` in batches that fit the queue, and waits for their acks."""
    for start in range(0, len(messages), BATCH):
        for message in messages[start : start + BATCH]:
            poller.offer(message)
        await poller.drained()

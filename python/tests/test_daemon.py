"""The daemon behind an unmodified poller."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from daemon import Daemon
from traffic import feed, wakes

from wakeline_ref.loops import LOOPS, run
from wakeline_ref.poller import Poller
from wakeline_ref.protocol import encode
from wakeline_ref.telemetry import LatencyRow, count_rows, open_database, read_rows

FRAMES = 2_200
ROWS_DEADLINE_S = 10.0


def committed_rows(database: Path, count: int) -> list[LatencyRow]:
    """The wake_recv rows, once `count` of them are committed; the daemon still runs."""
    deadline = time.monotonic() + ROWS_DEADLINE_S
    connection = open_database(database)
    while count_rows(connection, "wake_recv") < count and time.monotonic() < deadline:
        time.sleep(0.02)
    rows = read_rows(connection, "wake_recv")
    connection.close()
    return rows


@pytest.mark.parametrize("loop", LOOPS)
def test_every_wake_is_acked_and_recorded(loop: str, launch: Callable[..., Daemon]) -> None:
    sent = wakes(FRAMES)
    daemon = launch()
    daemon.wait_for_socket()

    async def send() -> Poller:
        async with Poller(daemon.socket) as poller:
            await feed(poller, sent)
        return poller

    before_ms = time.time_ns() // 1_000_000
    poller = run(loop, send())
    rows = committed_rows(daemon.database, FRAMES)
    after_ms = time.time_ns() // 1_000_000
    exit = daemon.stop()

    assert (poller.failed_connects, poller.dropped_queue_full, poller.lost_in_flight) == (0, 0, [])
    assert len(poller.deliveries) == FRAMES
    for delivery in poller.deliveries:
        assert delivery.ack.status == "accepted", delivery.ack
        assert delivery.ack.correlation_id == delivery.wake.correlation_id
        assert before_ms <= delivery.ack.received_at_ms <= after_ms
        assert delivery.ack_body == encode(delivery.ack)

    assert [row.correlation_id for row in rows] == [wake.correlation_id for wake in sent]
    for row, wake, delivery in zip(rows, sent, poller.deliveries, strict=True):
        assert row.metadata_json == json.dumps({"dry_run": wake.dry_run})
        assert row.started_at_ms == delivery.ack.received_at_ms
        assert row.started_at_ms <= row.ended_at_ms <= after_ms
        assert 0.0 < row.duration_ms < 1_000.0

    assert exit.code == 0, exit.output
    assert exit.frames["frames"] == exit.frames["accepted"] == FRAMES
    assert exit.frames["rejected"] == 0
    assert exit.telemetry["rows_written"] == FRAMES
    assert not any(count for name, count in exit.telemetry.items() if name.startswith("dropped_"))
    assert not daemon.socket.exists()


def test_a_restart_loses_only_what_was_in_flight(launch: Callable[..., Daemon]) -> None:
    sent = wakes(3 * 400)

    first = launch()
    first.wait_for_socket()

    async def send() -> tuple[Poller, Daemon]:
        async with Poller(first.socket, backoff_s=0.05) as poller:
            await feed(poller, sent[:400])
            feeding = asyncio.create_task(feed(poller, sent[400:800]))
            await asyncio.sleep(0.01)
            exit = await asyncio.to_thread(first.stop)
            assert exit.code == 0, exit.output
            second = launch()
            await asyncio.to_thread(second.wait_for_socket)
            await feeding
            await feed(poller, sent[800:])
        return poller, second

    poller, second = run("asyncio", send())
    delivered = [delivery.wake.correlation_id for delivery in poller.deliveries]
    assert {delivery.ack.status for delivery in poller.deliveries} == {"accepted"}
    assert poller.dropped_queue_full == 0
    assert len(poller.lost_in_flight) <= 1
    assert sorted(delivered + poller.lost_in_flight) == sorted(wake.correlation_id for wake in sent)
    assert second.stop().code == 0
    recorded = [row.correlation_id for row in committed_rows(second.database, len(delivered))]
    lost = set(poller.lost_in_flight)
    assert [name for name in recorded if name not in lost] == delivered

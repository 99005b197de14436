"""The reference poller and executor, against each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from traffic import feed, wakes

from wakeline_ref.executor import Executor
from wakeline_ref.loops import LOOPS, run
from wakeline_ref.poller import Poller
from wakeline_ref.protocol import FrameReader, OversizeFrame, decode_ack, encode, frame
from wakeline_ref.rules import Violation, first_violation
from wakeline_ref.telemetry import open_database, read_rows

FRAMES = 500


@pytest.mark.parametrize("loop", LOOPS)
def test_poller_and_executor_exchange_every_wake(loop: str, directory: Path) -> None:
    socket, database = directory / "s", directory / "telemetry.db"
    sent = wakes(FRAMES)

    async def exchange() -> tuple[Poller, Executor]:
        async with Executor(socket, database) as executor, Poller(socket) as poller:
            await feed(poller, sent)
        return poller, executor

    poller, executor = run(loop, exchange())
    assert [delivery.ack.status for delivery in poller.deliveries] == ["accepted"] * FRAMES
    assert (poller.dropped_queue_full, poller.lost_in_flight, poller.failed_connects) == (0, [], 0)
    assert (executor.accepted, executor.rejected, executor.rows_written) == (FRAMES, 0, FRAMES)
    with open_database(database) as connection:
        rows = read_rows(connection, "wake_recv")
    assert [row.correlation_id for row in rows] == [wake.correlation_id for wake in sent]


def test_queue_overflow_is_counted(directory: Path) -> None:
    async def overflow() -> int:
        async with Poller(directory / "nobody", queue_depth=3) as poller:
            assert [poller.offer(wake) for wake in wakes(5)] == [True, True, True, False, False]
            return poller.dropped_queue_full

    assert run("asyncio", overflow()) == 2


def test_frames_are_cut_alike_however_they_arrive() -> None:
    bodies = [encode(wake) for wake in wakes(20)] + [b""]
    stream = b"".join(map(frame, bodies))
    for size in (1, 3, 1000, len(stream)):
        reader = FrameReader()
        parts = [stream[start : start + size] for start in range(0, len(stream), size)]
        assert [body for part in parts for body in reader.feed(part)] == bodies
        assert reader.pending == 0


def test_an_oversize_length_is_refused() -> None:
    assert FrameReader().feed(frame(b"x" * 65_536)) == [b"x" * 65_536]
    with pytest.raises(OversizeFrame):
        FrameReader().feed((65_537).to_bytes(4, "big"))


def test_an_ack_has_exactly_the_five_keys() -> None:
    with pytest.raises(TypeError):
        decode_ack(b'{"schema_version":4,"correlation_id":"","received_at_ms":0,"status":"accepted"}')
    with pytest.raises(TypeError):
        decode_ack(
            b'{"schema_version":4,"correlation_id":"","received_at_ms":0,"status":"accepted","reason":null,"x":1}'
        )


@pytest.mark.parametrize(
    ("body", "violation"),
    [
        (b'{"direction":"up","fee":null}', Violation("direction", 1)),
        (b'{"fee":null,"schema_version":"4"}', Violation("schema_version", 2)),
        (b'{"recv_ns":9223372036854775808}', Violation("recv_ns", 3)),
        (b'{"recv_ns":111111111111111111111111}', Violation("recv_ns", 3)),
        (b'{"recv_ns":1.0}', Violation("recv_ns", 2)),
        (b'{"price_ranges":[[0,1]]}', Violation("price_ranges", 4)),
        (b'{"price_ranges":{}}', Violation("price_ranges", 2)),
        (b'{"fee":null,"fee":1,"dry_run":true}', None),
    ],
)
def test_the_first_broken_rule_is_found(body: bytes, violation: Violation | None) -> None:
    assert first_violation(body) == violation

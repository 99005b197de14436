"""An asyncio poller: queues wakes, sends them one at a time over one connection, awaits each ack."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from wakeline_ref.clocks import clock_domain, wall_ms
from wakeline_ref.protocol import (
    LENGTH_PREFIX,
    MAX_BODY_BYTES,
    WakeAck,
    WakeMessage,
    decode_ack,
    encode,
    frame,
)
from wakeline_ref.telemetry import LatencyRow, TelemetryWriter

QUEUE_DEPTH = 1_000
BACKOFF_S = 1.0


@dataclass(frozen=True)
class Delivery:
    """One wake that was acked. `round_trip_ms` runs from before its encoding to after its ack's decoding."""

    wake: WakeMessage
    ack: WakeAck
    ack_body: bytes
    round_trip_ms: float


class Poller:
    """The sending side of one socket; use as an async context manager.

    With `telemetry` it writes a wake_send row for each wake, from its queueing until its frame was drained.
    """

    def __init__(
        self,
        socket_path: Path,
        backoff_s: float = BACKOFF_S,
        queue_depth: int = QUEUE_DEPTH,
        telemetry: TelemetryWriter | None = None,
    ) -> None:
        self.deliveries: list[Delivery] = []
        self.dropped_queue_full = 0
        self.lost_in_flight: list[str] = []
        self.failed_connects = 0
        self._socket_path = socket_path
        self._backoff_s = backoff_s
        self._telemetry = telemetry
        self._queue: asyncio.Queue[WakeMessage] = asyncio.Queue(queue_depth)
        self._clock_domain = clock_domain()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def offer(self, wake: WakeMessage) -> bool:
        """Stamps and queues `wake` without waiting; False, and counted, when the queue is full."""
        now_ns = time.monotonic_ns()
        stamped = replace(
            wake, sent_at_ms=wall_ms(), sent_at_ns=now_ns, recv_ns=now_ns, clock_domain=self._clock_domain
        )
        try:
            self._queue.put_nowait(stamped)
        except asyncio.QueueFull:
            self.dropped_queue_full += 1
            return False
        return True

    async def drained(self) -> None:
        """Returns when every queued wake was acked or lost."""
        await self._queue.join()

    async def _run(self) -> None:
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(self._socket_path)
            except OSError:
                self.failed_connects += 1
                await asyncio.sleep(self._backoff_s)
                continue
            try:
                while True:
                    await self._deliver_next(reader, writer)
            except (OSError, EOFError, TypeError, ValueError):
                await asyncio.sleep(self._backoff_s)
            finally:
                writer.close()

    async def _deliver_next(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Sends one wake and takes its ack; a wake whose ack never comes is lost, and said so."""
        wake = await self._queue.get()
        acked = False
        try:
            started_ns = time.monotonic_ns()
            writer.write(frame(encode(wake)))
            await writer.drain()
            self._record(wake, time.monotonic_ns())
            ack_body = await read_frame(reader)
            ack = decode_ack(ack_body)
            acked = True
            self.deliveries.append(Delivery(wake, ack, ack_body, (time.monotonic_ns() - started_ns) / 1e6))
        finally:
            if not acked:
                self.lost_in_flight.append(wake.correlation_id)
            self._queue.task_done()

    def _record(self, wake: WakeMessage, drained_ns: int) -> None:
        if self._telemetry is not None:
            duration_ms = (drained_ns - wake.sent_at_ns) / 1e6
            metadata = json.dumps({"dry_run": wake.dry_run})
            self._telemetry.push(
                LatencyRow(
                    wake.correlation_id, "wake_send", wake.sent_at_ms, wall_ms(), duration_ms, metadata
                )
            )


async def read_frame(reader: asyncio.StreamReader) -> bytes:
    """The next frame's body; raises ValueError on a length over the limit, EOFError at the end."""
    (length,) = LENGTH_PREFIX.unpack(await reader.readexactly(LENGTH_PREFIX.size))
    if length > MAX_BODY_BYTES:
        raise ValueError(f"ack of {length} bytes")
    return await reader.readexactly(length)

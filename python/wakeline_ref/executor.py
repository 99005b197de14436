"""A plain asyncio executor: what wakeline stands in for, and is compared with."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from wakeline_ref.clocks import wall_ms
from wakeline_ref.protocol import (
    LENGTH_PREFIX,
    MAX_BODY_BYTES,
    SCHEMA_VERSION,
    WakeAck,
    decode_wake,
    encode,
    frame,
)
from wakeline_ref.telemetry import LatencyRow, TelemetryWriter


class Executor:
    """Serves `socket_path`, acks every frame, and writes a wake_recv row for each it accepts."""

    def __init__(self, socket_path: Path, database: Path) -> None:
        self.accepted = 0
        self.rejected = 0
        self._socket_path = socket_path
        self._telemetry = TelemetryWriter(database)
        self._server: asyncio.Server | None = None

    @property
    def rows_written(self) -> int:
        """Telemetry rows committed so far."""
        return self._telemetry.rows_written

    @property
    def rows_dropped(self) -> int:
        """Telemetry rows that found the writer's queue full."""
        return self._telemetry.dropped

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._serve, self._socket_path)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        self._telemetry.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                (length,) = LENGTH_PREFIX.unpack(await reader.readexactly(LENGTH_PREFIX.size))
                if length > MAX_BODY_BYTES:
                    break
                self._answer(await reader.readexactly(length), writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        started_ms, started_ns = wall_ms(), time.monotonic_ns()
        try:
            wake = decode_wake(body)
        except (orjson.JSONDecodeError, TypeError) as refusal:
            self.rejected += 1
            writer.write(frame(encode(WakeAck(SCHEMA_VERSION, "", started_ms, "rejected", str(refusal)))))
            return
        self.accepted += 1
        writer.write(
            frame(encode(WakeAck(SCHEMA_VERSION, wake.correlation_id, started_ms, "accepted", None)))
        )
        duration_ms = (time.monotonic_ns() - started_ns) / 1e6
        metadata = json.dumps({"dry_run": wake.dry_run})
        self._telemetry.push(
            LatencyRow(wake.correlation_id, "wake_recv", started_ms, wall_ms(), duration_ms, metadata)
        )

"""An executor with a fault: `fake_executor.py FAULT --socket S --telemetry-db D`."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

from wakeline_ref.executor import Executor
from wakeline_ref.telemetry import LatencyRow

# Somewhere among the wakes of any run.
FAULTY_WAKE = 30


class Faulty(Executor):
    """The reference executor, but for what it does with one wake."""

    def __init__(self, fault: str, socket_path: Path, database: Path) -> None:
        super().__init__(socket_path, database)
        self._fault = fault
        self._wakes = self._rows = 0
        push = self._telemetry.push

        def push_some(row: LatencyRow) -> None:
            self._rows += 1
            faulty = self._rows == FAULTY_WAKE
            if fault == "takes-no-time" and faulty:
                push(replace(row, duration_ms=0.0))
            elif not (fault == "drops-a-row" and faulty):
                push(row)

        self._telemetry.push = push_some  # type: ignore[method-assign]

    def _answer(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        self._wakes += 1
        if self._wakes == FAULTY_WAKE and self._fault == "dies":
            os._exit(3)
        if self._wakes == FAULTY_WAKE and self._fault == "rejects-a-frame":
            body = b"{}"
        super()._answer(body, writer)


async def main() -> None:
    """Serves until SIGTERM."""
    parser = argparse.ArgumentParser()
    parser.add_argument("fault")
    parser.add_argument("--socket", type=Path)
    parser.add_argument("--telemetry-db", type=Path)
    options = parser.parse_args()
    end = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end.set)
    async with Faulty(options.fault, options.socket, options.telemetry_db) as executor:
        await end.wait()
    if options.fault == "counts-a-drop":
        print(f"frames={executor.accepted} accepted={executor.accepted} rejected=0")
        print(f"telemetry rows_written={executor.rows_written} dropped_ring_full=1")


if __name__ == "__main__":
    asyncio.run(main())

"""The bot's own poller client and executor, unmodified, out of a checkout of prediction-market-infra."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sqlite3
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wakeline_ab.plan import INFRA
from wakeline_ab.task import Report, Task
from wakeline_ab.wakes import pause, wake_fields
from wakeline_ref.clocks import wall_ms
from wakeline_ref.telemetry import count_rows

LOOK_S = 0.02
# A telemetry writer that brings no row for this long brings no more.
STANDSTILL_S = 5.0


@dataclass(frozen=True)
class _Serving:
    database: Any

    def counters(self) -> dict[str, int]:
        """What the bot's telemetry tells of itself."""
        return {"dropped_rows": int(self.database.dropped_count())}


class _NoExchange:
    """Takes the orders and sends none, as wakeline's own dispatch does."""

    async def dispatch(self, *_: object, **__: object) -> dict[str, Any]:
        return {}


class _Warnings(logging.Handler):
    """Keeps what the client warns of: a rejected ack, a lost connection, a dropped row."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


class Infra:
    """The checkout's modules. Its client sends without waiting for the last wake's ack."""

    def __init__(self, checkout: Path) -> None:
        # A measurement leaves nothing behind in somebody's checkout.
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(checkout / "src"))

    @classmethod
    def of(cls, poller: str) -> Infra:
        """The checkout that `poller` (infra:DIR) names."""
        return cls(Path(poller.removeprefix(INFRA)))

    def import_client(self) -> tuple[Any, Any, Any]:
        """The modules of the poller's side: client, protocol, database."""
        names = ("ipc.poller_client", "ipc.protocol", "telemetry.db")
        client, protocol, database = (importlib.import_module(f"kalshi_bot.{name}") for name in names)
        return client, protocol, database

    def import_executor(self) -> tuple[Any, Any]:
        """The modules of the executor's side: server, database."""
        server = importlib.import_module("kalshi_bot.ipc.executor_server")
        return server, importlib.import_module("kalshi_bot.telemetry.db")

    @asynccontextmanager
    async def serve(self, task: Task) -> AsyncIterator[_Serving]:
        """The bot's executor with no kill switch, no risk gate, and a dispatch that goes nowhere."""
        server_module, database_module = self.import_executor()
        database = database_module.TelemetryDB(task.database)
        database.initialize()
        server = server_module.ExecutorServer(
            socket_path=task.socket,
            dispatcher=_NoExchange(),
            telemetry_db=database,
            fixed_order_contract_count=1,
            order_time_in_force="fill_or_kill",
            order_self_trade_prevention_type="taker_at_cross",
            kill_switch=None,
            risk_gate=None,
            balance_cache=None,
        )
        serving = asyncio.create_task(server.serve_forever())
        try:
            while not task.socket.exists() and not serving.done():
                await asyncio.sleep(0.001)
            yield _Serving(database)
        finally:
            await server.close()
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
            database.close()

    async def poll(self, task: Task) -> Report:
        """Hands the client one wake after another; returns when the executor's rows are there."""
        client_module, protocol, database_module = self.import_client()
        warnings = _Warnings()
        logging.getLogger("kalshi_bot").addHandler(warnings)
        database = database_module.TelemetryDB(task.database)
        database.initialize()
        client = client_module.IPCPollerClient(task.socket, database)
        client.start()
        try:
            for index in range(task.frames):
                fields = wake_fields(index)
                client.send_wake(
                    protocol.WakeMessage(sent_at_ms=wall_ms(), sent_at_ns=time.perf_counter_ns(), **fields)
                )
                await pause(task.pause_us)
                if warnings.texts:
                    break
            await _recorded(task, warnings.texts)
        finally:
            await client.close()
            database.close()
        dropped = database.dropped_count()
        rows_lost = [f"{dropped} wake_send rows dropped"] if dropped else []
        return Report(problems=[*warnings.texts[:3], *rows_lost])


async def _recorded(task: Task, problems: list[str]) -> None:
    """Returns when every wake has its wake_recv row, when there is a problem, or when no more rows come."""
    with closing(sqlite3.connect(task.database, timeout=5.0)) as connection:
        rows, since = -1, time.monotonic()
        while rows < task.frames and not problems and time.monotonic() - since < STANDSTILL_S:
            await asyncio.sleep(LOOK_S)
            count = count_rows(connection, "wake_recv")
            if count != rows:
                rows, since = count, time.monotonic()


def main() -> int:
    """`python -m wakeline_ab.infra DIR client|executor`: says why that part can't be imported, if so."""
    checkout, part = sys.argv[1:]
    infra = Infra(Path(checkout))
    try:
        infra.import_client() if part == "client" else infra.import_executor()
    except Exception as error:  # noqa: BLE001 - a foreign module may raise anything while it is imported
        print(f"{type(error).__name__}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

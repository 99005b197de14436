"""The SQLite file that poller and executor share: schema, writer thread, and the readers' SELECTs."""

from __future__ import annotations

import queue
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from wakeline_ref.clocks import wall_ms

USER_VERSION = 6
QUEUE_ROWS = 10_000
BATCH_ROWS = 500

_NOW_MS = "(CAST(strftime('%s','now') AS INTEGER) * 1000)"
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS correlations (
    correlation_id TEXT PRIMARY KEY,
    created_at_ms INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS latency_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    correlation_id TEXT NOT NULL REFERENCES correlations(correlation_id),
    stage TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER NOT NULL,
    duration_ms REAL NOT NULL,
    metadata_json TEXT,
    created_at_ms INTEGER NOT NULL DEFAULT {_NOW_MS}
);
CREATE INDEX IF NOT EXISTS idx_latency_events_stage ON latency_events(stage);
CREATE INDEX IF NOT EXISTS idx_latency_events_correlation_id ON latency_events(correlation_id);
CREATE INDEX IF NOT EXISTS idx_latency_events_started_at ON latency_events(started_at_ms);
CREATE TABLE IF NOT EXISTS orders_fired (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    correlation_id TEXT NOT NULL REFERENCES correlations(correlation_id),
    client_order_id TEXT NOT NULL UNIQUE,
    kalshi_order_id TEXT,
    ticker TEXT NOT NULL,
    correlation_group TEXT,
    outcome_side TEXT NOT NULL CHECK (outcome_side IN ('yes', 'no')),
    count TEXT NOT NULL CHECK (CAST(count AS REAL) > 0),
    price_dollars TEXT NOT NULL
        CHECK (CAST(price_dollars AS REAL) > 0 AND CAST(price_dollars AS REAL) < 1),
    time_in_force TEXT NOT NULL
        CHECK (time_in_force IN ('fill_or_kill', 'good_till_canceled', 'immediate_or_cancel')),
    self_trade_prevention_type TEXT NOT NULL
        CHECK (self_trade_prevention_type IN ('taker_at_cross', 'maker')),
    post_only INTEGER CHECK (post_only IN (0, 1)),
    status TEXT NOT NULL
        CHECK (status IN ('pending', 'submitted', 'accepted', 'rejected', 'filled', 'canceled', 'error')),
    error_message TEXT,
    fill_count TEXT,
    remaining_count TEXT,
    average_fill_price TEXT,
    average_fee_paid TEXT,
    requested_at_ms INTEGER NOT NULL,
    submitted_at_ms INTEGER,
    acknowledged_at_ms INTEGER,
    created_at_ms INTEGER NOT NULL DEFAULT {_NOW_MS}
);
CREATE INDEX IF NOT EXISTS idx_orders_fired_ticker ON orders_fired(ticker);
CREATE INDEX IF NOT EXISTS idx_orders_fired_status ON orders_fired(status);
CREATE INDEX IF NOT EXISTS idx_orders_fired_requested_at ON orders_fired(requested_at_ms);
CREATE INDEX IF NOT EXISTS idx_orders_fired_correlation_id ON orders_fired(correlation_id);
CREATE TABLE IF NOT EXISTS heartbeats (
    process TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    started_at_ms INTEGER NOT NULL,
    beat_at_ms INTEGER NOT NULL,
    queue_depth INTEGER NOT NULL,
    dropped_rows INTEGER NOT NULL
);
"""


@dataclass(frozen=True)
class LatencyRow:
    """One stage of one wake. Times in ms: wall clock at both ends, the duration a monotonic difference."""

    correlation_id: str
    stage: str
    started_at_ms: int
    ended_at_ms: int
    duration_ms: float
    metadata_json: str | None


def open_database(path: Path) -> sqlite3.Connection:
    """Opens `path` as the Python side does, creating what is missing of the schema."""
    connection = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.executescript(f"BEGIN IMMEDIATE;{SCHEMA}PRAGMA user_version = {USER_VERSION};COMMIT;")
    return connection


def count_rows(connection: sqlite3.Connection, stage: str) -> int:
    """How many rows of `stage` are committed."""
    (count,) = connection.execute("SELECT COUNT(*) FROM latency_events WHERE stage = ?", (stage,)).fetchone()
    return int(count)


def read_rows(connection: sqlite3.Connection, stage: str) -> list[LatencyRow]:
    """The rows of `stage` in the order they were pushed."""
    rows = connection.execute(
        "SELECT correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, metadata_json"
        " FROM latency_events WHERE stage = ? ORDER BY id",
        (stage,),
    )
    return [LatencyRow(*row) for row in rows]


class TelemetryWriter:
    """A thread that owns the connection; `push` never waits and counts what it drops."""

    def __init__(self, path: Path) -> None:
        self.rows_written = 0
        self.dropped = 0
        self._path = path
        self._rows: queue.Queue[LatencyRow | None] = queue.Queue(QUEUE_ROWS)
        self._thread = threading.Thread(target=self._write, name="telemetry")
        self._thread.start()

    def push(self, row: LatencyRow) -> None:
        """Hands `row` to the writer, or counts it as dropped when the queue is full."""
        try:
            self._rows.put_nowait(row)
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Writes what is queued and ends the thread."""
        self._rows.put(None)
        self._thread.join()

    def _write(self) -> None:
        connection = open_database(self._path)
        open_ended = True
        while open_ended:
            batch: list[LatencyRow] = []
            row = self._rows.get()
            while row is not None:
                batch.append(row)
                if len(batch) == BATCH_ROWS or self._rows.empty():
                    break
                row = self._rows.get()
            open_ended = row is not None
            self._commit(connection, batch)
        connection.close()

    def _commit(self, connection: sqlite3.Connection, batch: list[LatencyRow]) -> None:
        now = wall_ms()
        connection.execute("BEGIN IMMEDIATE")
        for row in batch:
            connection.execute("INSERT OR IGNORE INTO correlations VALUES (?, ?)", (row.correlation_id, now))
            connection.execute(
                "INSERT INTO latency_events"
                " (correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, metadata_json)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    row.correlation_id,
                    row.stage,
                    row.started_at_ms,
                    row.ended_at_ms,
                    row.duration_ms,
                    row.metadata_json,
                ),
            )
        connection.execute("COMMIT")
        self.rows_written += len(batch)

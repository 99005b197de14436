"""One executor's turn: its own processes, socket and database; samples only if every check passed."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from wakeline_ab.checks import DAEMON_COUNTERS, counter_problems, counters, row_problems, span_problems
from wakeline_ab.plan import Executor, Plan
from wakeline_ab.processes import Child, RunFailed, python
from wakeline_ab.task import Report, Task
from wakeline_ab.wakes import correlation_id
from wakeline_ref.telemetry import open_database, read_rows

# A wake that takes a hundred times its usual time isn't late, it is lost.
SECONDS_A_WAKE = 0.01
SECONDS_AT_LEAST = 60.0

SPANS = ("wake_recv", "wake_send", "roundtrip")


@dataclass(frozen=True)
class Samples:
    """A run's spans in us, in the order of the wakes, without warm-up. The bot's client has no round trip."""

    spans: dict[str, list[float]]


def measure(plan: Plan, executor: Executor, loop: str) -> Samples:
    """Runs `executor` once; raises RunFailed unless every wake was accepted and recorded."""
    with tempfile.TemporaryDirectory(prefix="wakeline-ab-") as name:
        directory = Path(name)
        task = Task(
            socket=directory / "executor.sock",
            database=directory / "telemetry.db",
            loop=loop,
            poller=plan.poller,
            limit_s=SECONDS_AT_LEAST + plan.frames * (SECONDS_A_WAKE + plan.pause_us / 1e6),
            frames=plan.frames,
            pause_us=plan.pause_us,
            serve=executor.in_poller,
        )
        # The poller's side opens the database first, as the bot does.
        open_database(task.database).close()
        report, counted = _both_sides(task, executor, directory)
        required = DAEMON_COUNTERS if executor.kind == "rust" else frozenset()
        problems = report.problems + counter_problems(counted, plan.frames, required)
        return _samples(plan, task.database, report, problems)


def command(executor: Executor, task: Task) -> list[str]:
    """What starts an executor that has a process of its own."""
    if executor.binary is None:
        return python("serve", *task.arguments())
    return [
        str(executor.binary.resolve()),
        "--socket",
        str(task.socket),
        "--telemetry-db",
        str(task.database),
    ]


def _both_sides(task: Task, executor: Executor, directory: Path) -> tuple[Report, dict[str, int]]:
    """Runs the executor and the poller to their ends: the poller's report, the executor's counters."""
    drive = python("drive", *task.arguments())
    with ExitStack() as children:
        if executor.in_poller:
            poller = children.enter_context(Child("poller", drive, directory))
            poller.wait(task.limit_s)
            report = Report.from_json(poller.out)
            return report, report.counters
        server = children.enter_context(Child("executor", command(executor, task), directory))
        server.wait_for(task.socket)
        poller = children.enter_context(Child("poller", drive, directory))
        poller.wait(task.limit_s, beside=server)
        server.stop()
        return Report.from_json(poller.out), counters(server.said)


def _samples(plan: Plan, database: Path, report: Report, problems: list[str]) -> Samples:
    sent = [correlation_id(index) for index in range(plan.frames)]
    in_ms: dict[str, list[float]] = {}
    with closing(sqlite3.connect(database)) as connection:
        for stage in ("wake_recv", "wake_send"):
            rows = read_rows(connection, stage)
            problems += row_problems(stage, [row.correlation_id for row in rows], sent)
            in_ms[stage] = [row.duration_ms for row in rows]
    if plan.poller == "own":
        in_ms["roundtrip"] = report.round_trip_ms
        if len(report.round_trip_ms) != plan.frames:
            problems.append(f"{len(report.round_trip_ms)} round trips for {plan.frames} wakes")
    if plan.checkout and len(in_ms["wake_send"]) < plan.frames:
        problems.append("the bot's client drops shadow wakes above a quarter of its queue: raise --pause-us")
    problems += [text for span, values in in_ms.items() for text in span_problems(span, values)]
    if problems:
        raise RunFailed("; ".join(problems))
    return Samples({span: [ms * 1e3 for ms in values[plan.warm_up :]] for span, values in in_ms.items()})

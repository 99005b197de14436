"""The CSV file of all measurements: rows are appended whole or not at all."""

from __future__ import annotations

import csv
import fcntl
import io
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

from wakeline_ab import machine
from wakeline_ab.compare import Summary
from wakeline_ab.plan import Plan
from wakeline_ab.rounds import Run

COLUMNS = (
    "timestamp_utc",
    "platform",
    "commit",
    "benchmark",
    "config",
    "n",
    "warmup",
    "p50",
    "p90",
    "p99",
    "p999",
    "max",
    "unit",
    "versions",
)


class HistoryRefused(Exception):
    """Rows can't be appended there; the text says why."""


def rows(plan: Plan, runs: Sequence[Run], timestamp_utc: str) -> list[list[str]]:
    """A row for each run and span, in the order they were measured."""
    where, commit = machine.describe(), machine.commit()
    return [
        [
            timestamp_utc,
            where,
            commit,
            span,
            _config(plan, run),
            str(summary.n),
            str(plan.warm_up),
            *(_us(value) for value in (summary.p50, summary.p90, summary.p99, summary.p999, summary.max)),
            "us",
            machine.versions(run.entrant.executor),
        ]
        for run in runs
        for span, summary in ((span, Summary.of(values)) for span, values in run.samples.spans.items())
    ]


def check(path: Path) -> None:
    """Raises HistoryRefused when `append` would; a measurement had better know before it begins."""
    if path == Path(os.devnull):
        return
    try:
        if path.exists():
            if not path.is_file():
                raise HistoryRefused(f"{path} is no regular file: name another in --csv")
            with path.open("r+b") as file:
                _check_text(path, file.read())
        else:
            with TemporaryFile(dir=path.parent):
                pass
    except OSError as error:
        raise HistoryRefused(
            f"{path} can't be a CSV file ({error.strerror}): make its directory, or name another in --csv"
        ) from error


def append(path: Path, new: Sequence[Sequence[str]]) -> None:
    """Appends `new` in one write, behind a header in a new file; a write cut short is taken back."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = os.fstat(file).st_size
        if size:
            _check_text(path, os.pread(file, size, 0))
        text = _csv(new if size else [COLUMNS, *new]).encode()
        written = os.write(file, text)
        if written != len(text):
            os.ftruncate(file, size)
            raise HistoryRefused(
                f"{path}: only {written} of {len(text)} bytes could be written, so none were kept"
            )
    except OSError as error:
        raise HistoryRefused(f"{path}: {error.strerror}, nothing was written") from error
    finally:
        os.close(file)


def _check_text(path: Path, text: bytes) -> None:
    if not text:
        return
    if not text.startswith(_csv([COLUMNS]).encode()):
        raise HistoryRefused(f"{path} begins with another header: name another file in --csv")
    if not text.endswith(b"\n"):
        raise HistoryRefused(f"{path} ends inside a row: mend its last line, or name another file in --csv")


def _csv(lines: Sequence[Sequence[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()


def _config(plan: Plan, run: Run) -> str:
    # A checkout's place is nobody's business but its owner's.
    poller = "infra" if plan.checkout else plan.poller
    words = {
        "executor": run.entrant.executor.name,
        "role": "again" if run.entrant.again else "baseline" if _is_baseline(plan, run) else "other",
        "loop": run.loop,
        "poller": poller,
        "pause_us": plan.pause_us,
        "pair": run.pair + 1,
        "place": run.place + 1,
    }
    return " ".join(f"{name}={value}" for name, value in words.items())


def _is_baseline(plan: Plan, run: Run) -> bool:
    return run.entrant.executor == plan.baseline


def _us(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"

"""Whole runs: each kind of executor, and executors with a fault, which must leave nothing in the history."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT

from wakeline_ab import chart
from wakeline_ab.checks import counter_problems, counters, row_problems, span_problems
from wakeline_ab.plan import Executor, Plan, Refused
from wakeline_ab.processes import RunFailed, environment
from wakeline_ab.rounds import run_all
from wakeline_ab.run import measure

TOOL = ROOT / "python" / "ab.py"
FRAMES = 60
# The fewest that the command line takes.
QUICK = ["--loop", "asyncio", "--pairs", "1", "--frames", "1200"]


def fake(directory: Path, fault: str) -> Path:
    """An executable with that fault."""
    path = directory / fault
    script = ROOT / "python" / "tests" / "fake_executor.py"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" {fault} "$@"\n')
    path.chmod(0o755)
    return path


def ab(arguments: Sequence[str], temporary: Path) -> subprocess.CompletedProcess[str]:
    """`python/ab.py` with its temporary files in `temporary`."""
    return subprocess.run(
        [sys.executable, str(TOOL), *arguments],
        capture_output=True,
        text=True,
        env=environment() | {"TMPDIR": str(temporary)},
        check=False,
    )


def test_every_kind_of_executor_is_measured(binary: Path) -> None:
    executors = (Executor("python"), Executor("python-process"), Executor("rust", binary))
    plan = Plan(executors, loops=("uvloop",), pairs=1, frames=FRAMES, warm_up=10, pause_us=20)
    runs = run_all(plan, say=lambda _: None)
    assert [run.entrant.executor.kind for run in runs] == ["python", "python-process", "python", "rust"]
    for run in runs:
        assert list(run.samples.spans) == ["wake_recv", "wake_send", "roundtrip"]
        for values in run.samples.spans.values():
            assert len(values) == FRAMES - 10
            assert all(0.0 < value < 1e6 for value in values)


def test_a_measurement_is_reported_recorded_and_drawn(binary: Path, directory: Path) -> None:
    history, drawing = directory / "history.csv", directory / "drawing.svg"
    files = ["--csv", str(history), "--svg", str(drawing), "--json"]
    done = ab([*QUICK, "--executor", f"rust:{binary}", *files], directory)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [comparison["span"] for comparison in report["comparisons"]] == [
        "wake_recv",
        "wake_send",
        "roundtrip",
    ]
    with history.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["n"] for row in rows] == ["1000"] * 6
    assert "wakeline" in rows[0]["versions"]
    assert ElementTree.parse(drawing).getroot().tag.endswith("svg")
    assert {path.name for path in directory.iterdir()} == {"history.csv", "drawing.svg"}


def test_a_drawing_stays_as_it_is_unless_its_runs_were_recorded(tmp_path: Path) -> None:
    drawing = tmp_path / "drawing.svg"
    drawing.write_text("an older one")
    with pytest.raises(OSError, match="no room"), chart.drawn(drawing, "a new one"):
        raise OSError("no room")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["an older one"]
    with chart.drawn(drawing, "a new one"):
        pass
    assert [path.read_text() for path in tmp_path.iterdir()] == ["a new one"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [("drops-a-row", "1199 wake_recv rows for 1200 wakes"), ("rejects-a-frame", "1 of 1200 acks")],
)
def test_a_faulty_run_fails_and_records_nothing(fault: str, said: str, directory: Path) -> None:
    history = directory / "history.csv"
    executor = f"cpp:{fake(directory, fault)}"
    done = ab([*QUICK, "--executor", executor, "--csv", str(history)], directory)
    assert done.returncode == 1
    assert said in done.stderr
    assert "nothing was recorded" in done.stderr
    assert {path.name for path in directory.iterdir()} == {fault}


@pytest.mark.parametrize(
    ("kind", "fault", "said"),
    [
        ("cpp", "counts-a-drop", "dropped_ring_full=1"),
        ("rust", "none", "no counter accepted"),
        ("cpp", "takes-no-time", "1 wake_recv durations that are none, such as 0.0"),
        ("cpp", "dies", "the executor ended during the run"),
    ],
)
def test_an_executor_is_held_to_its_counters_and_its_end(
    kind: str, fault: str, said: str, directory: Path
) -> None:
    plan = Plan((), frames=FRAMES, warm_up=0)
    with pytest.raises(RunFailed, match=said):
        measure(plan, Executor(kind, fake(directory, fault)), "asyncio")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_neither_processes_nor_files(number: int, directory: Path) -> None:
    history = directory / "history.csv"
    command = [sys.executable, str(TOOL), *QUICK, "--executor", f"cpp:{fake(directory, 'none')}"]
    with subprocess.Popen(
        [*command, "--csv", str(history)],
        stderr=subprocess.PIPE,
        text=True,
        env=environment() | {"TMPDIR": str(directory)},
        # Whoever runs the tests may ignore it, and a child would too.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as tool:
        socket = next_socket(directory)
        tool.send_signal(number)
        _, said = tool.communicate(timeout=10.0)
    assert tool.returncode == 130
    assert said.endswith("interrupted, nothing was recorded\n")
    assert {path.name for path in directory.iterdir()} == {"none"}
    assert not any(str(socket).encode() in words for words in command_lines())


def next_socket(directory: Path) -> Path:
    """The socket of the run that goes on in `directory`."""
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline:
        for path in directory.glob("wakeline-ab-*/executor.sock"):
            return path
        time.sleep(0.005)
    raise AssertionError("no executor listened")


def command_lines() -> list[bytes]:
    """The command lines of all processes."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(process.read_bytes())
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--executor", "python", "--frames", "1199"], "a p99 needs 1000 at least"),
        (["--executor", "python", "--executor", "python"], "named 2 times"),
        (["--executor", "ruby"], "is none of"),
        (["--executor", "rust:nowhere"], "no file that can be run"),
        (["--executor", "python", "--poller", "infra:nowhere"], "no src/kalshi_bot"),
        (["--executor", "python", "--csv", "nowhere/history.csv"], "can't be a CSV file"),
        (["--executor", "python", "--pairs", "0"], "needs a pair at least"),
        (["--executor", "python", "--csv", "/dev/null", "--svg", "/dev"], "can't draw at /dev"),
        (["--executor", "python", "--csv", "/dev/null", "--svg", "nowhere/a.svg"], "can't draw at"),
    ],
)
def test_a_plan_that_can_not_be_kept_is_refused_in_one_sentence(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    done = ab(arguments, tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_absolute_path_is_not_told_whole(tmp_path: Path) -> None:
    binary = tmp_path / "target" / "release" / "executor"
    binary.parent.mkdir(parents=True)
    binary.write_text("")
    with pytest.raises(Refused):
        Executor.parse(f"rust:{binary}")
    binary.chmod(0o755)
    assert Executor.parse(f"rust:{binary}").name == "rust:target/release/executor"


def test_counters_are_read_among_other_lines() -> None:
    output = (
        "2026-12-01 WARN pid=7 is odd\nframes=5 accepted=4 rejected=1\ntelemetry rows_written=4 dropped_x=2\n"
    )
    assert counters(output) == {"frames": 5, "accepted": 4, "rejected": 1, "rows_written": 4, "dropped_x": 2}
    assert counter_problems(counters(output), 5) == [
        "accepted=4 after 5 wakes",
        "rejected=1 after 5 wakes",
        "rows_written=4 after 5 wakes",
        "dropped_x=2 after 5 wakes",
    ]
    assert counter_problems({"accepted": 5}, 5, frozenset({"accepted", "frames"})) == ["no counter frames"]


def test_a_duration_is_a_time() -> None:
    assert span_problems("wake_recv", [0.001, 2.0]) == []
    for bad in (0.0, -1.0, float("nan"), float("inf"), None, "1"):
        assert span_problems("wake_recv", [0.001, bad])


def test_rows_must_be_the_wakes_in_order() -> None:
    assert row_problems("wake_recv", ["a", "b"], ["a", "b"]) == []
    assert row_problems("wake_recv", ["b", "a"], ["a", "b"])
    assert row_problems("wake_recv", ["a"], ["a", "b"])

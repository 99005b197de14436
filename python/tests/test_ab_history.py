"""The history takes whole measurements or nothing."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from wakeline_ab import history
from wakeline_ab.history import COLUMNS, HistoryRefused
from wakeline_ab.plan import Executor, Plan
from wakeline_ab.rounds import Entrant, Run
from wakeline_ab.run import Samples

ROW = [str(number) for number, _ in enumerate(COLUMNS)]
HEADER = ",".join(COLUMNS) + "\n"


def test_a_new_file_gets_a_header_and_an_old_one_keeps_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    history.append(path, [ROW])
    history.append(path, [ROW, ROW])
    assert path.read_text() == HEADER + 3 * (",".join(ROW) + "\n")


@pytest.mark.parametrize(
    "text", [b"a,b\n1,2\n", b"\xff\xfe\n", (HEADER + "torn,row").encode(), HEADER.rstrip("\n").encode()]
)
def test_a_file_that_is_no_history_is_left_alone(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(text)
    with pytest.raises(HistoryRefused):
        history.check(path)
    with pytest.raises(HistoryRefused):
        history.append(path, [ROW])
    assert path.read_bytes() == text


def test_where_no_rows_can_be_kept_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Whoever runs this, nobody makes a file in /proc.
    for path in (
        tmp_path / "nowhere" / "history.csv",
        tmp_path,
        pipe,
        Path("/dev/full"),
        Path("/proc/self/history.csv"),
    ):
        with pytest.raises(HistoryRefused):
            history.check(path)
    assert list(tmp_path.iterdir()) == [pipe]


def test_no_history_is_wanted() -> None:
    history.check(Path(os.devnull))
    history.append(Path(os.devnull), [ROW])


def test_a_write_cut_short_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.csv"
    history.append(path, [ROW])
    before = path.read_text()
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, text: write(file, text[: len(text) // 2]))
    with pytest.raises(HistoryRefused):
        history.append(path, [ROW] * 3)
    assert path.read_text() == before


def test_a_row_says_what_was_run_and_when(tmp_path: Path) -> None:
    python = Executor("python")
    plan = Plan(executors=(python,), loops=("uvloop",), pause_us=50)
    spans = {"wake_recv": [float(value) for value in range(1, 2_001)], "roundtrip": [2.5] * 2_000}
    runs = [
        Run(Entrant(python, again), "uvloop", pair=1, place=place, samples=Samples(spans))
        for place, again in enumerate((False, True))
    ]
    path = tmp_path / "history.csv"
    history.append(path, history.rows(plan, runs, "2026-12-01T00:00:00Z"))
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["benchmark"] for row in rows] == ["wake_recv", "roundtrip"] * 2
    first = rows[0]
    config = dict(word.split("=") for word in first["config"].split())
    assert config == {
        "executor": "python",
        "role": "baseline",
        "loop": "uvloop",
        "poller": "own",
        "pause_us": "50",
        "pair": "2",
        "place": "1",
    }
    assert "role=again" in rows[2]["config"]
    assert (first["n"], first["warmup"], first["unit"]) == ("2000", "200", "us")
    assert (first["p50"], first["p999"], first["max"]) == ("1000.500", "", "2000.000")
    assert "orjson" in first["versions"]
    assert first["platform"]

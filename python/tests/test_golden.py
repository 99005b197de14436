"""The committed fixtures are what the generator makes, and the reference agrees with data made elsewhere."""

from __future__ import annotations

import json
import platform
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from conftest import ROOT

from wakeline_ref.numerics import percentile, snap_to_grid
from wakeline_ref.protocol import FrameReader, decode_ack, decode_wake, encode, verdict

GOLDEN = ROOT / "golden"
SHARED = ROOT.parent / "shared" / "golden"


def test_fixtures_regenerate_to_the_same_bytes(tmp_path: Path) -> None:
    versions = (GOLDEN / "VERSIONS.txt").read_text()
    python, made_with = re.findall(r"(?:CPython|orjson) (\S+)", versions)
    if orjson.__version__ != made_with or sys.version_info[:2] not in ((3, 11), (3, 12)):
        pytest.skip(
            f"FIXTURES NOT CHECKED: made with CPython {python} and orjson {made_with}, "
            f"this is CPython {platform.python_version()} and orjson {orjson.__version__}"
        )
    subprocess.run([sys.executable, ROOT / "python" / "make_golden.py", "--out", tmp_path], check=True)
    made = {path.name for path in tmp_path.iterdir()}
    assert made | {"README.md", "signing"} == {path.name for path in GOLDEN.iterdir()}
    for name in sorted(made - {"VERSIONS.txt"}):
        assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes(), f"{name} differs"
    if python == platform.python_version():
        assert (tmp_path / "VERSIONS.txt").read_text() == versions


def test_a_checkout_of_the_original_can_be_asked_instead(tmp_path: Path) -> None:
    package = tmp_path / "checkout" / "src" / "kalshi_bot" / "ipc"
    package.mkdir(parents=True)
    ours = (ROOT / "python" / "wakeline_ref" / "protocol.py").read_text()
    # Told apart from our own by a default that nobody else has.
    theirs = ours.replace("exchange_index: int = -1", "exchange_index: int = -7")
    assert theirs != ours
    for module in (package, package.parent):
        (module / "__init__.py").write_text("")
    (package / "protocol.py").write_text(theirs)
    generate = [sys.executable, ROOT / "python" / "make_golden.py", "--out", tmp_path / "out", "--infra"]
    subprocess.run([*generate, tmp_path / "checkout"], check=True)
    (required_only,) = re.findall(r"(?m)^wake_required_only\t(.*)$", (tmp_path / "out" / "frames.tsv").read_text())
    assert b'"exchange_index":-7' in bytes.fromhex(required_only)
    refused = subprocess.run([*generate, tmp_path / "nowhere"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "is no checkout of the original" in refused.stderr
    assert refused.stderr.count("\n") == 1


def rows(name: str) -> Iterator[list[str]]:
    """The rows of a file of the genuine reference's data, which lies beside the repository or nowhere."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"NOT COMPARED WITH THE GENUINE REFERENCE: no {name} in ../shared/golden")
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def double(word: str) -> float:
    """The double whose IEEE-754 word is `word`, hex."""
    return float(struct.unpack(">d", bytes.fromhex(word))[0])


def bits(value: float) -> str:
    """The IEEE-754 word of `value`, hex."""
    return struct.pack(">d", value).hex()


def test_verdicts_agree_with_the_genuine_reference() -> None:
    for body, status, reason in rows("verdicts.tsv"):
        expected = (status == "accepted", json.loads(reason) if reason else None)
        assert verdict(bytes.fromhex(body)) == expected, body


def test_frames_agree_with_the_genuine_reference() -> None:
    for name, text in rows("frames.tsv"):
        (body,) = FrameReader().feed(bytes.fromhex(text))
        if name.startswith("ack"):
            assert encode(decode_ack(body)) == body, name
        elif name.startswith("wake") and name != "wake_nonfinite":
            assert encode(decode_wake(body)) == body, name
        else:
            assert verdict(body) == (True, None), name


def test_grid_agrees_with_the_genuine_reference() -> None:
    for price, ranges, snapped in rows("snap_to_grid.tsv"):
        assert bits(snap_to_grid(double(price), json.loads(ranges))) == snapped, (price, ranges)


def test_percentiles_agree_with_the_genuine_reference() -> None:
    for p, expected, sample in rows("percentiles.tsv"):
        assert bits(percentile(list(map(double, sample.split(","))), double(p))) == expected, p

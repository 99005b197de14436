"""What the figures were made with: machine, commit, versions."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sqlite3
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from wakeline_ab.plan import Executor

REPOSITORY = Path(__file__).resolve().parents[2]
_CPU_INFO = Path("/proc/cpuinfo")
# A measurement changes these by being recorded.
_RESULTS = (":(exclude)bench/*.csv", ":(exclude)bench/*.svg")
_COMPILER = re.compile(rb"(rustc version [0-9.]+|clang version [0-9.]+|GCC: \([^)]*\) [0-9.]+)")


def cpu() -> str:
    """The processor's own name for itself, with its number of cores."""
    lines = _CPU_INFO.read_text().splitlines() if _CPU_INFO.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {len(models) or os.cpu_count()} cores"


def describe() -> str:
    """Processor and kernel."""
    return f"{cpu()}, {platform.system()} {platform.release()}"


def load() -> str:
    """The load average of the last minute; high figures are other people's work."""
    return Path("/proc/loadavg").read_text().split()[0]


def commit() -> str:
    """The commit of this repository, `-dirty` when its files differ from it; empty outside git."""
    head = _output(["git", "-C", str(REPOSITORY), "rev-parse", "--short=12", "HEAD"])
    status = ["git", "-C", str(REPOSITORY), "status", "--porcelain", "-uno", "--", ".", *_RESULTS]
    return f"{head}-dirty" if head and _output(status) else head


@cache
def versions(executor: Executor) -> str:
    """The versions behind a run of `executor`: the poller's, and a binary's own."""
    poller = f"python {platform.python_version()}, orjson {version('orjson')}, uvloop {version('uvloop')}"
    sqlite = f"sqlite {sqlite3.sqlite_version}"
    return ", ".join([poller, sqlite, *([] if executor.binary is None else _binary(executor))])


def _binary(executor: Executor) -> list[str]:
    """What a binary says of itself, the compilers it names, and its digest."""
    assert executor.binary is not None
    content = executor.binary.read_bytes()
    # Only our own is known to print its version and end; another executor might start to serve.
    path = str(executor.binary.resolve())
    said = [_output([path, "--version"])] if executor.kind == "rust" else []
    compilers = [match.decode(errors="replace") for match in dict.fromkeys(_COMPILER.findall(content))]
    wanted = "rustc" if executor.kind == "rust" else ""
    return [
        *(text for text in said if text),
        *(text for text in compilers if text.startswith(wanted)),
        f"sha256 {hashlib.sha256(content).hexdigest()[:12]}",
    ]


def _output(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10.0, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()

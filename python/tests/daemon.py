"""Starts, watches and stops one wakeline daemon, as the harness around the real poller does."""

from __future__ import annotations

import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from wakeline_ref.telemetry import open_database

POLL_S = 0.005
DEADLINE_S = 10.0


@dataclass(frozen=True)
class Exit:
    """How a daemon ended: code, seconds since asked, counters of its two closing lines, all it said."""

    code: int
    seconds: float
    frames: dict[str, int]
    telemetry: dict[str, int]
    output: str


class Daemon:
    """A running daemon with its socket, its database and a log of what it said, all in `directory`."""

    def __init__(self, binary: Path, directory: Path, socket: Path | None = None) -> None:
        self.socket = socket or directory / "wakeline.sock"
        self.database = directory / "telemetry.db"
        self._log = directory / f"output-{time.monotonic_ns()}.log"
        open_database(self.database).close()
        command = [str(binary), "--socket", str(self.socket), "--telemetry-db", str(self.database)]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def pid(self) -> int:
        """The daemon's process id."""
        return self._process.pid

    def wait_for_socket(self) -> None:
        """Looks every 5 ms until the socket's path exists."""
        deadline = time.monotonic() + DEADLINE_S
        while not self.socket.exists():
            assert self._process.poll() is None, f"the daemon ended at start: {self._said()}"
            assert time.monotonic() < deadline, f"no socket after {DEADLINE_S} s: {self._said()}"
            time.sleep(POLL_S)

    def stop(self) -> Exit:
        """SIGTERM, and the exit that follows."""
        self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> Exit:
        """The exit of a daemon that ends by itself or was told to."""
        start = time.monotonic()
        code = self._process.wait(timeout=DEADLINE_S)
        seconds = time.monotonic() - start
        output = self._said()
        return Exit(code, seconds, _counters(output, "frames="), _counters(output, "telemetry "), output)

    def kill(self) -> None:
        """Ends the daemon whatever it does; for cleaning up."""
        self._process.kill()
        self._process.wait()

    def _said(self) -> str:
        return self._log.read_text(errors="replace")


def _counters(output: str, opening: str) -> dict[str, int]:
    """The key=value pairs of the last line that begins with `opening`; none without such a line."""
    lines = [line for line in output.splitlines() if line.startswith(opening)]
    if not lines:
        return {}
    pairs = (word.split("=", 1) for word in lines[-1].split() if "=" in word)
    return {key: int(value) for key, value in pairs if value.isdigit()}

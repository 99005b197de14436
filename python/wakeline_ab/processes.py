"""Child processes that never outlive the block they are started in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

# Often enough for a person, seldom enough not to be seen by what is measured.
LOOK_S = 0.02
START_S = 20.0
EXIT_S = 15.0
_HOME = Path(__file__).resolve().parents[1]


class RunFailed(Exception):
    """A run whose figures can't be used; the text says why."""


class Interrupted(Exception):
    """Somebody asked for an end."""


class _Interrupt:
    """Remembers SIGINT, SIGTERM and SIGHUP until it is safe to act on them: never while a child is being started."""

    asked = False

    def remember(self, number: int, frame: FrameType | None) -> None:
        self.asked = True


_INTERRUPT = _Interrupt()


def heed_interrupts() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP end what `raise_if_interrupted` and the waits of a Child look after."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A shell that ignores SIGINT for a job in the background means it, as nohup does.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _INTERRUPT.remember)


def raise_if_interrupted() -> None:
    """Raises Interrupted once a signal has asked for the end."""
    if _INTERRUPT.asked:
        raise Interrupted


def python(module: str, *arguments: str) -> list[str]:
    """The command for `module` of this package on the running interpreter."""
    return [sys.executable, "-m", f"wakeline_ab.{module}", *arguments]


def environment() -> dict[str, str]:
    """The environment in which children find this package."""
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": str(_HOME) if not inherited else f"{_HOME}{os.pathsep}{inherited}"}


class Child:
    """A running command, killed if the block is left before it ends; its streams go to files."""

    def __init__(self, name: str, command: Sequence[str], directory: Path) -> None:
        self.name = name
        self._out, self._err = directory / f"{name}.out", directory / f"{name}.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            try:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment()
                )
            except OSError as error:
                raise RunFailed(f"the {name} can't be started: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def _ended(self) -> bool:
        ended = self._process.poll() is not None
        # A terminal's Ctrl-C ends the children too: that is no failure of theirs.
        raise_if_interrupted()
        return ended

    @property
    def out(self) -> str:
        """What it wrote to stdout so far."""
        return self._out.read_text(errors="replace")

    @property
    def said(self) -> str:
        """What it wrote to either stream so far."""
        return self.out + self._err.read_text(errors="replace")

    def wait_for(self, path: Path) -> None:
        """Returns when `path` exists; raises RunFailed when the process ends first, or takes too long."""
        limit = time.monotonic() + START_S
        while not path.exists():
            if self._ended():
                raise RunFailed(f"the {self.name} ended before it listened: {last_words(self.said)}")
            if time.monotonic() > limit:
                raise RunFailed(f"the {self.name} listened to nothing: {last_words(self.said)}")
            time.sleep(LOOK_S)

    def wait(self, limit_s: float, beside: Child | None = None) -> None:
        """Returns when it has ended with 0; raises RunFailed if it fails, is late, or `beside` ends first."""
        limit = time.monotonic() + limit_s
        while not self._ended():
            if beside is not None and beside._ended():
                raise RunFailed(f"the {beside.name} ended during the run: {last_words(beside.said)}")
            if time.monotonic() > limit:
                raise RunFailed(f"the {self.name} took more than {limit_s:.0f} s: {last_words(self.said)}")
            time.sleep(LOOK_S)
        if self._process.returncode != 0:
            how = f"ended with {self._process.returncode}"
            raise RunFailed(f"the {self.name} {how}: {last_words(self.said)}")

    def stop(self) -> None:
        """SIGTERM, and its end; raises RunFailed unless that is 0."""
        self._process.send_signal(signal.SIGTERM)
        self.wait(EXIT_S)


def last_words(text: str) -> str:
    """The last lines of `text`, as part of a sentence."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-3:]) or "it said nothing"

"""What is to be measured: executors, loops, poller, sizes; and what can't be measured so."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from wakeline_ref.loops import LOOPS

# Below this many samples the nearest ranks to p99 are single outliers.
SAMPLES_FOR_P99 = 1_000
SAMPLES_FOR_P999 = 10_000
OWN = "own"
INFRA = "infra:"


class Refused(Exception):
    """The plan can't be run as it stands; the text says why and what would do."""


@dataclass(frozen=True)
class Executor:
    """Who serves the socket: `python` in the poller's process, `python-process` in its own, or a binary."""

    kind: str
    binary: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Executor:
        """The executor that `text` names; raises Refused."""
        if text in ("python", "python-process"):
            return cls(text)
        kind, _, path = text.partition(":")
        if kind not in ("rust", "cpp") or not path:
            raise Refused(f"{text!r} is none of python, python-process, rust:PATH and cpp:PATH")
        binary = Path(path)
        if not binary.is_file() or not os.access(binary, os.X_OK):
            raise Refused(f"{path} is no file that can be run: build it, or name another in {kind}:PATH")
        return cls(kind, binary)

    @property
    def name(self) -> str:
        """The executor as the command line names it; only the end of an absolute path, for results travel."""
        if self.binary is None:
            return self.kind
        path = Path(*self.binary.parts[-3:]) if self.binary.is_absolute() else self.binary
        return f"{self.kind}:{path}"

    @property
    def in_poller(self) -> bool:
        """Whether it runs on the poller's own loop."""
        return self.kind == "python"


@dataclass(frozen=True)
class Plan:
    """One measurement. The first executor is the baseline that the others are divided by."""

    executors: tuple[Executor, ...]
    loops: tuple[str, ...] = tuple(LOOPS)
    poller: str = OWN
    pairs: int = 5
    frames: int = 2_200
    warm_up: int = 200
    pause_us: int = 0

    @property
    def baseline(self) -> Executor:
        """The executor that the others are divided by."""
        return self.executors[0]

    def check(self, fewest_samples: int = SAMPLES_FOR_P99) -> None:
        """Raises Refused when the plan can't give what it would be read for."""
        names = Counter(executor.name for executor in self.executors)
        if not names:
            raise Refused("no executor is named: --executor python --executor rust:PATH")
        for name, count in names.items():
            if count > 1:
                raise Refused(f"{name} is named {count} times: the baseline is run twice without that")
        if self.pairs < 1 or self.warm_up < 0 or self.pause_us < 0:
            raise Refused("a run needs a pair at least, and neither warm-up nor pause below zero")
        if self.frames - self.warm_up < fewest_samples:
            raise Refused(
                f"{self.frames} frames less {self.warm_up} to warm up are {self.frames - self.warm_up} "
                f"samples: a p99 needs {fewest_samples} at least, so raise --frames"
            )
        if self.poller != OWN and not Path(self.checkout, "src", "kalshi_bot").is_dir():
            raise Refused(
                f"no src/kalshi_bot in {self.checkout!r}: --poller is own or infra:DIR, DIR a checkout"
            )

    @property
    def checkout(self) -> str:
        """Where the bot's own client lies, or nothing."""
        return self.poller.removeprefix(INFRA) if self.poller.startswith(INFRA) else ""

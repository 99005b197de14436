"""What a process of one run is told, and what a poller's process reports."""

from __future__ import annotations

import argparse
import json
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Task:
    """One process's part of a run."""

    socket: Path
    database: Path
    loop: str
    poller: str
    # It ends by itself after that long: its parent may be gone.
    limit_s: float
    frames: int = 0
    pause_us: int = 0
    # Whether the executor runs on the poller's loop.
    serve: bool = False

    def arguments(self) -> list[str]:
        """The command line that `from_arguments` reads."""
        values = {name: value for name, value in asdict(self).items() if name != "serve"}
        words = [word for name, value in values.items() for word in (f"--{name}", str(value))]
        return [*words, "--serve"] if self.serve else words

    @classmethod
    def from_arguments(cls, description: str | None) -> Task:
        """The task on this process's command line."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--socket", type=Path, required=True)
        parser.add_argument("--database", type=Path, required=True)
        parser.add_argument("--loop", required=True)
        parser.add_argument("--poller", required=True)
        parser.add_argument("--limit_s", type=float, required=True)
        parser.add_argument("--frames", type=int, default=0)
        parser.add_argument("--pause_us", type=int, default=0)
        parser.add_argument("--serve", action="store_true")
        return cls(**vars(parser.parse_args()))


@dataclass
class Report:
    """What a poller's process saw. Round trips in ms, none where the client doesn't tell."""

    problems: list[str] = field(default_factory=list)
    round_trip_ms: list[float] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> str:
        """The report on one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Report:
        """The report that `to_json` wrote."""
        return cls(**json.loads(text))


class Serving(Protocol):
    """A Python executor; its counters are final once its context is left."""

    def counters(self) -> dict[str, int]: ...


class Side(Protocol):
    """Where poller and Python executor come from."""

    def serve(self, task: Task) -> AbstractAsyncContextManager[Serving]:
        """An executor on this loop."""

    async def poll(self, task: Task) -> Report:
        """Sends the task's wakes; returns when the executor has taken them, or can't."""


def side(poller: str) -> Side:
    """The side that `poller` (own or infra:DIR) names."""
    # Imported on need: a process imports one of them.
    if poller == "own":
        from wakeline_ab import own

        return own.Own()
    from wakeline_ab import infra

    return infra.Infra.of(poller)

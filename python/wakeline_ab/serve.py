"""A Python executor in a process of its own: serves until SIGTERM, then prints its counters."""

from __future__ import annotations

import asyncio
import signal

from wakeline_ab.task import Task, side
from wakeline_ref.loops import run


async def serve(part: Task) -> dict[str, int]:
    """Serves until told to end; the counters."""
    end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end.set)
    async with side(part.poller).serve(part) as executor:
        await asyncio.wait_for(end.wait(), part.limit_s)
    return executor.counters()


if __name__ == "__main__":
    given = Task.from_arguments(__doc__)
    print(*(f"{name}={count}" for name, count in run(given.loop, serve(given)).items()))

"""The poller's process of one run; its report goes to stdout."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from wakeline_ab.task import Report, Serving, Task, side
from wakeline_ref.loops import run


async def drive(part: Task) -> Report:
    """Sends the wakes, with the executor on the same loop where the task says so."""
    source = side(part.poller)
    executor: Serving | None = None
    async with AsyncExitStack() as stack:
        if part.serve:
            executor = await stack.enter_async_context(source.serve(part))
        async with asyncio.timeout(part.limit_s):
            report = await source.poll(part)
    if executor is not None:
        report.counters = executor.counters()
    return report


if __name__ == "__main__":
    given = Task.from_arguments(__doc__)
    print(run(given.loop, drive(given)).to_json())

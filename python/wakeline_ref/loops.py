"""The two event loops, and what they do with a write."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

import uvloop

Result = TypeVar("Result")
LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


def run(loop: str, main: Coroutine[Any, Any, Result]) -> Result:
    """Runs `main` on the event loop named `loop`."""
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        return runner.run(main)


@cache
def writes_at_once(loop: str) -> bool:
    """Whether a small write has left when `drain` returns. uvloop 0.22 keeps it until the loop turns."""
    return run(loop, _written_after_drain())


async def _written_after_drain() -> bool:
    near, far = socket.socketpair()
    far.setblocking(False)
    _, writer = await asyncio.open_unix_connection(sock=near)
    try:
        writer.write(b"x")
        await writer.drain()
        return far.recv(1) == b"x"
    except BlockingIOError:
        return False
    finally:
        writer.close()
        far.close()

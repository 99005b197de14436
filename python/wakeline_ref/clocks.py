"""Clock readings and the token that says whether two processes' monotonic clocks compare."""

from __future__ import annotations

import socket
import time

BUCKET_S = 60


def wall_ms() -> int:
    """Wall clock, ms since the epoch."""
    return time.time_ns() // 1_000_000


def clock_domain() -> str:
    """``hostname:B``, B the boot time in seconds, rounded down to whole minutes."""
    boot_s = time.time() - time.monotonic()
    return f"{socket.gethostname()}:{int(boot_s // BUCKET_S) * BUCKET_S}"

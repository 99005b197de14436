"""What must hold before a run's figures count: every wake accepted and recorded, nothing dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

_PAIR = re.compile(r"(\w+)=(\d+)")
# Counters that are about the wakes of a run; each is one more way to lose one.
_MUST_BE_ZERO = frozenset(
    {
        "rejected",
        "truncated",
        "oversize",
        "ack_undelivered",
        "stalled_peers",
        "refused_peer",
        "accept_errors",
        "internal_errors",
        "rows_orphaned",
    }
)
_ONE_A_WAKE = frozenset({"frames", "accepted", "rows_written"})


def counters(output: str) -> dict[str, int]:
    """The `key=number` pairs of the lines that hold nothing else but a first word."""
    found: dict[str, int] = {}
    for line in output.splitlines():
        words = line.split()
        if words and "=" not in words[0]:
            words = words[1:]
        pairs = [_PAIR.fullmatch(word) for word in words]
        found.update((pair[1], int(pair[2])) for pair in pairs if pair is not None and all(pairs))
    return found


def counter_problems(
    counted: dict[str, int], wakes: int, required: frozenset[str] = frozenset()
) -> list[str]:
    """What an executor's own counters hold against a run of `wakes` wakes."""
    missing = [f"no counter {name}" for name in sorted(required - counted.keys())]
    off = [
        f"{name}={count}"
        for name, count in counted.items()
        if (name in _ONE_A_WAKE and count != wakes)
        or ((name in _MUST_BE_ZERO or name.startswith("dropped")) and count != 0)
    ]
    return missing + [f"{text} after {wakes} wakes" for text in off]


def row_problems(stage: str, recorded: Sequence[str], sent: Sequence[str]) -> list[str]:
    """What the ids of a stage's rows hold against the ids sent, both in order."""
    if len(recorded) != len(sent):
        return [f"{len(recorded)} {stage} rows for {len(sent)} wakes"]
    if list(recorded) != list(sent):
        return [f"the {stage} rows are not the wakes in the order they were sent"]
    return []


def span_problems(span: str, values: Sequence[object]) -> list[str]:
    """What the durations of a span hold against being percentiles of one: any that is none."""
    bad = [value for value in values if not (isinstance(value, float) and 0.0 < value < inf)]
    return [f"{len(bad)} {span} durations that are none, such as {bad[0]}"] if bad else []


# What the daemon must have counted; others are held to what they do count.
DAEMON_COUNTERS = _ONE_A_WAKE | {"rejected", "dropped_ring_full"}

"""Arithmetic that must come out bit for bit: the price grid and the latency percentiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

CENT = 0.01


def snap_to_grid(price: float, ranges: Sequence[Sequence[float]]) -> float:
    """`price` (dollars) on the market's grid of ``[start, end, step]`` ranges, both ends inclusive.

    The first range with a positive step that holds the price decides; without one the grid is a cent.
    ``round`` is CPython's: half to even on the double quotient.
    """
    for start, end, step in ranges:
        if step > 0 and start <= price <= end:
            return round(price / step) * step
    return round(price / CENT) * CENT


def percentile(values: Sequence[float], p: float) -> float:
    """Type-7 percentile: linear interpolation at rank ``(n - 1) * p`` of the sorted sample, p in [0, 1]."""
    ordered = sorted(values)
    rank = (len(ordered) - 1) * p
    low, high = math.floor(rank), math.ceil(rank)
    if low == high:
        return ordered[low]
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)

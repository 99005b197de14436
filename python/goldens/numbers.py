"""Doubles, price grids and percentile samples."""

from __future__ import annotations

import math
import random
import struct
import sys
from typing import Any

from wakeline_ref.numerics import percentile, snap_to_grid
from wakeline_ref.protocol import encode

DOUBLES = 1_000
RANDOM_BITS = DOUBLES // 2


def bits(value: float) -> str:
    """The IEEE-754 word of `value`, big-endian hex."""
    return struct.pack(">d", value).hex()


def from_bits(word: int) -> float:
    """The double with the IEEE-754 word `word`."""
    return float(struct.unpack(">d", struct.pack(">Q", word))[0])


def doubles() -> list[tuple[str, str]]:
    """Bits and orjson's text of finite doubles: layout boundaries, plausible prices, random words."""
    seen: dict[str, float] = {}
    for value in _boundaries():
        seen.setdefault(bits(value), value)
    rng = random.Random(0x0D0B1E5)
    while len(seen) < DOUBLES - RANDOM_BITS:
        value = rng.choice((-1, 1)) * rng.randrange(10 ** rng.randrange(1, 17)) / 10 ** rng.randrange(0, 24)
        seen.setdefault(bits(value), value)
    while len(seen) < DOUBLES:
        value = from_bits(rng.getrandbits(64))
        if math.isfinite(value):
            seen.setdefault(bits(value), value)
    return [(word, encode(value).decode()) for word, value in seen.items()]


def _boundaries() -> list[float]:
    powers = [
        float(f"1e{exponent}")
        for exponent in (*range(-10, 26), -324, -323, -308, -307, -100, -22, 100, 300, 307, 308)
    ]
    whole = [
        2.0**53,
        2.0**63,
        2.0**64,
        2.0**31,
        2.0**32,
        9999999999999998.0,
        9007199254740993.0,
        123456789012345678.0,
    ]
    plain = [
        0.0,
        5e-324,
        sys.float_info.min,
        sys.float_info.max,
        0.1,
        0.3,
        1 / 3,
        2 / 3,
        0.56,
        1.5e-7,
        1.5e300,
        9.5e-6,
        1.25e16,
        4.35,
        0.07,
        2.675,
    ]
    cents = [cent / 100 for cent in range(101)]
    around = powers + whole + plain
    around += [math.nextafter(value, math.inf) for value in around] + [
        math.nextafter(value, 0.0) for value in around
    ]
    return [signed for value in around + cents for signed in (value, -value) if math.isfinite(signed)]


CENT = [[0.0, 1.0, 0.01]]
DECI_CENT = [[0.0, 1.0, 0.001]]
TAPERED = [[0.0, 0.1, 0.001], [0.1, 0.9, 0.01], [0.9, 1.0, 0.001]]
GRIDS: list[Any] = [
    CENT,
    DECI_CENT,
    TAPERED,
    [],
    [[0.0, 1.0, 0.05]],
    [[0.25, 0.75, 0.005]],
    [[0.0, 1.0, 0.0], [0.0, 1.0, 0.001]],
    [[0.0, 1.0, -0.01]],
    [[0.0, 1.0, 0.0]],
    [[0.9, 0.1, 0.001]],
    [[0.0, 0.5, 0.1], [0.5, 1.0, 0.001]],
    [[0.0, 1.0, 1e-9]],
    [[0.0, 1.0, 3.0]],
    [[0.5, 0.5, 0.3]],
]


def snaps() -> list[tuple[str, str, str]]:
    """Price bits, ranges as JSON, bits of the snapped price."""
    rng = random.Random(0x5A4B)
    halves = [
        0.005,
        0.015,
        0.025,
        0.125,
        0.375,
        0.495,
        0.505,
        0.985,
        0.995,
        0.0005,
        0.0015,
        0.0025,
        0.0995,
        0.1005,
        0.8995,
        0.9005,
    ]
    edges = [
        0.0,
        -0.0,
        1.0,
        0.1,
        0.9,
        0.5,
        0.47,
        0.004,
        0.996,
        -0.01,
        1.01,
        1.5,
        -3.0,
        5e-324,
        1e15,
        0.1 + 0.2,
        math.nextafter(0.1, 0),
        math.nextafter(0.9, 1),
    ]
    rows: dict[tuple[str, str], str] = {}
    for grid in GRIDS:
        ranges = encode(grid).decode()
        prices = (
            halves
            + edges
            + [rng.random() for _ in range(6)]
            + [rng.randrange(1, 2000) / 2000 for _ in range(4)]
        )
        for price in prices:
            rows[bits(price), ranges] = bits(snap_to_grid(price, grid))
    return [(price, ranges, snapped) for (price, ranges), snapped in rows.items()]


def percentiles() -> list[tuple[str, str, str]]:
    """Bits of p, bits of the percentile, the sample's bits."""
    rng = random.Random(0x7E7E7)
    samples = [[0.25], [2.0, 1.0], [3.0, 1.0, 2.0], [0.5] * 9]
    for size in (4, 10, 99, 100, 101, 2_000):
        samples.append([rng.lognormvariate(-6.0, 0.7) for _ in range(size)])
    samples.append([rng.randrange(1_000, 9_000) / 1e6 for _ in range(250)])
    rows = []
    for sample in samples:
        words = ",".join(map(bits, sample))
        rows += [
            (bits(p), bits(percentile(sample, p)), words) for p in (0.0, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0)
        ]
    return rows

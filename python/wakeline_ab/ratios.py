"""What a handful of ratios, one a pair, entitles anyone to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from wakeline_ref.numerics import percentile

# A baseline that differs from itself by more than this resolves nothing.
RESOLUTION = 0.03
# Two points have no middle, and one has no spread.
PAIRS_FOR_SPREAD = 3
PAIRS_FOR_P99 = 11
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Spread:
    """The median of some ratios, their quartiles and their ends."""

    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float
    pairs: int

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Spread:
        """The spread of `ratios`, which are not none."""
        low, lower, median, upper, high = (percentile(ratios, p) for p in (0.0, 0.25, 0.5, 0.75, 1.0))
        return cls(low, lower, median, upper, high, len(ratios))


def sign_test(ratios: Sequence[float]) -> float:
    """Two-sided p of a split about 1 as uneven as this, were both sides equally likely. Ties don't count."""
    above = sum(ratio > 1.0 for ratio in ratios)
    below = sum(ratio < 1.0 for ratio in ratios)
    trials = above + below
    tail = sum(comb(trials, hits) for hits in range(min(above, below) + 1))
    # Whole numbers: floats end before 1,024 pairs.
    return min(1.0, 2 * tail / (1 << trials))


@dataclass(frozen=True)
class Verdict:
    """Whether a claim is made at a percentile, and the words for it or against it."""

    claim: bool
    text: str


def judge(name: str, ratios: Sequence[float], again: Sequence[float]) -> Verdict:
    """The verdict at percentile `name` on `ratios` to a baseline whose ratios to itself are `again`."""
    off = abs(Spread.of(again).median - 1.0)
    if off > RESOLUTION:
        return Verdict(False, f"no claim: A/A differs by {off:.1%}")
    needed = PAIRS_FOR_P99 if name == "p99" else PAIRS_FOR_SPREAD
    if len(ratios) < needed:
        return Verdict(False, f"no claim: {name} needs {needed} pairs, there are {len(ratios)}")
    spread, p = Spread.of(ratios), sign_test(ratios)
    text = (
        f"{spread.median:.3g} of the baseline's ({spread.low:.3g} to {spread.high:.3g}, {spread.pairs} pairs)"
    )
    if max(abs(spread.lower_quartile - 1.0), abs(spread.upper_quartile - 1.0)) <= RESOLUTION:
        return Verdict(True, f"no difference above {RESOLUTION:.0%}: {text}")
    if name == "p99" and p >= SIGNIFICANT:
        return Verdict(False, f"no claim: sign test p = {p:.2g}: {text}")
    one_sided = spread.low > 1.0 or spread.high < 1.0
    if abs(spread.median - 1.0) <= RESOLUTION or (not one_sided and p >= SIGNIFICANT):
        return Verdict(False, f"no claim: too near to 1 for its spread: {text}")
    return Verdict(True, text)

"""From runs to pairs: each run's percentiles, and its ratios to the baseline's run of the same round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wakeline_ab.plan import SAMPLES_FOR_P999
from wakeline_ab.ratios import Spread, Verdict, judge
from wakeline_ab.rounds import Run
from wakeline_ref.numerics import percentile

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


@dataclass(frozen=True)
class Summary:
    """A run's percentiles of one span, us; no p99.9 from too few samples."""

    n: int
    p50: float
    p90: float
    p99: float
    p999: float | None
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """The percentiles of `values`, which are not none."""
        ordered = sorted(values)
        p50, p90, p99 = (percentile(ordered, p) for p in PERCENTILES.values())
        p999 = percentile(ordered, 0.999) if len(ordered) >= SAMPLES_FOR_P999 else None
        return cls(len(ordered), p50, p90, p99, p999, ordered[-1])

    def at(self, name: str) -> float:
        """The percentile called `name`."""
        return {"p50": self.p50, "p90": self.p90, "p99": self.p99}[name]


@dataclass(frozen=True)
class Row:
    """One entrant in one comparison: medians of its runs' percentiles, and its ratios to the baseline's."""

    name: str
    again: bool
    medians: dict[str, float]
    ratios: dict[str, list[float]]
    verdicts: dict[str, Verdict]


@dataclass(frozen=True)
class Comparison:
    """One span on one loop: the baseline first, its second runs, then the others."""

    loop: str
    span: str
    rows: list[Row]


def compare(runs: Sequence[Run]) -> list[Comparison]:
    """Every comparison that `runs` allow, loop by loop."""
    loops = dict.fromkeys(run.loop for run in runs)
    spans = dict.fromkeys(span for run in runs for span in run.samples.spans)
    return [
        _comparison(loop, span, [run for run in runs if run.loop == loop]) for loop in loops for span in spans
    ]


def _comparison(loop: str, span: str, runs: Sequence[Run]) -> Comparison:
    summaries: dict[str, dict[int, Summary]] = {}
    for run in runs:
        summaries.setdefault(run.entrant.name, {})[run.pair] = Summary.of(run.samples.spans[span])
    again = next(run.entrant.name for run in runs if run.entrant.again)
    baseline = next(run.entrant.executor.name for run in runs if run.entrant.again)
    others = [name for name in summaries if name not in (baseline, again)]
    ratios = {
        name: {
            at: [own.at(at) / summaries[baseline][pair].at(at) for pair, own in sorted(of_pair.items())]
            for at in PERCENTILES
        }
        for name, of_pair in summaries.items()
    }
    rows = [
        Row(
            name=name,
            again=name == again,
            medians={
                at: Spread.of([summary.at(at) for summary in summaries[name].values()]).median
                for at in PERCENTILES
            },
            ratios={} if name == baseline else ratios[name],
            verdicts={at: judge(at, ratios[name][at], ratios[again][at]) for at in PERCENTILES}
            if name in others
            else {},
        )
        for name in [baseline, again, *others]
    ]
    return Comparison(loop, span, rows)

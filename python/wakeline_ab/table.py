"""What came out, for people: times, ratios, what may be claimed, and what the run doesn't show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wakeline_ab.compare import PERCENTILES, Comparison, Row
from wakeline_ab.plan import Plan
from wakeline_ab.ratios import Spread
from wakeline_ref.loops import writes_at_once

SPAN_WORDS = {
    "wake_recv": "a frame's read returned -> its ack was written; the executor's own rows",
    "wake_send": "a wake was queued -> its frame was written and drained; the poller's own rows",
    "roundtrip": "a wake's encoding began -> its ack was decoded; the poller's clock",
}
_PYTHON = frozenset({"python", "python-process"})


def lines(plan: Plan, comparisons: Sequence[Comparison]) -> Iterator[str]:
    """The whole report, line by line."""
    width = max(len(row.name) for comparison in comparisons for row in comparison.rows) + 7
    for comparison in comparisons:
        yield ""
        yield f"{comparison.span}, {comparison.loop}: {SPAN_WORDS[comparison.span]}"
        yield from _times(comparison.rows, width)
        yield from _ratios(plan, comparison.rows, width)
        yield from _verdicts(comparison.rows)
    yield ""
    yield "What this run doesn't show:"
    yield from (f"- {text}" for text in not_shown(plan))


def _times(rows: Sequence[Row], width: int) -> Iterator[str]:
    yield f"  {'us, median of the runs':<{width}}" + "".join(f"{at:>10}" for at in PERCENTILES)
    for row in rows:
        yield f"  {row.name:<{width}}" + "".join(f"{row.medians[at]:>10.2f}" for at in PERCENTILES)


def _ratios(plan: Plan, rows: Sequence[Row], width: int) -> Iterator[str]:
    yield f"  divided by {plan.baseline.name}, pair by pair: median [least to most]"
    for row in rows:
        if row.ratios:
            name = f"A/A: {row.name}" if row.again else row.name
            yield f"  {name:<{width}}" + "".join(f"{_spread(row.ratios[at]):>26}" for at in PERCENTILES)


def _spread(ratios: Sequence[float]) -> str:
    spread = Spread.of(ratios)
    return f"{spread.median:.3f} [{spread.low:.3f} to {spread.high:.3f}]"


def _verdicts(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each percentile and executor; one for all where all have the same."""
    for at in PERCENTILES:
        texts = {row.name: row.verdicts[at].text for row in rows if row.verdicts}
        if len(texts) > 1 and len(set(texts.values())) == 1:
            yield f"  => {at}: {next(iter(texts.values()))}"
        else:
            yield from (f"  => {at}, {name}: {text}" for name, text in texts.items())


def ends_before_its_write(plan: Plan, loop: str) -> bool:
    """Whether Python executors' spans on `loop` end before their acks have left."""
    return not writes_at_once(loop) and any(executor.kind in _PYTHON for executor in plan.executors)


def not_shown(plan: Plan) -> list[str]:
    """What nobody may conclude from the figures above."""
    said = [
        "how long a frame waits in the socket before it is read; anything after the ack: the fire, an order",
        "another machine, or this one in another hour: read the ratios first",
    ]
    said += [
        f"the write of a Python executor's ack on {loop}: this version writes when the loop turns, after the "
        "span has ended, while a binary's span holds its write. wake_send lacks its write likewise; a round "
        "trip holds both"
        for loop in plan.loops
        if ends_before_its_write(plan, loop)
    ]
    if plan.checkout:
        said.append(
            "round trips: the bot's client says nothing of acks, and sends on without waiting for one"
        )
    else:
        said.append("the bot's own poller and executor, which are other code: that is --poller infra:DIR")
    if any(executor.in_poller for executor in plan.executors):
        said.append(
            "language alone, where `python` is compared: it shares loop and interpreter lock with the "
            "poller, which neither python-process nor a binary does"
        )
    return said

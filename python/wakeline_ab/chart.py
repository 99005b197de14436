"""The wake_recv distributions side by side, as an SVG: one panel a loop, one curve an executor."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EEXIST
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryFile

from wakeline_ab import machine
from wakeline_ab.compare import PERCENTILES, Comparison, Row, compare
from wakeline_ab.plan import Plan
from wakeline_ab.rounds import Run
from wakeline_ab.table import ends_before_its_write
from wakeline_ref.numerics import percentile

SPAN = "wake_recv"
PANEL_WIDTH, PANEL_HEIGHT = 470, 340
LEFT, TOP, GAP = 70, 96, 70
LINE = 18
# Shares of the wakes, evenly spaced where a normal distribution would be a straight line.
SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)
# Told apart by people who see fewer colours, and by their dashes on paper.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f6000", "#56b4e9")
DASHES = ("", "7 3", "2 2", "9 3 2 3", "4 4", "12 4")
_NORMAL = NormalDist()
_CURVE = [_NORMAL.cdf(-2.4 + 5.6 * step / 90) for step in range(91)]


def draw(runs: Sequence[Run], plan: Plan, timestamp_utc: str) -> str:
    """The chart of `runs`."""
    panels = [comparison for comparison in compare(runs) if comparison.span == SPAN]
    width = LEFT + len(panels) * (PANEL_WIDTH + GAP)
    height = TOP + PANEL_HEIGHT + 64 + LINE * (len(plan.executors) + 1)
    scale = _Scale.over([value for run in runs for value in run.samples.spans[SPAN]])
    poller = "the bot's poller" if plan.checkout else "our poller"
    pause = f"{plan.pause_us} µs apart" if plan.pause_us else "back to back"
    wakes = f"{plan.pairs} interleaved rounds of {plan.frames - plan.warm_up:,} wakes {pause}"
    subtitle = f"{timestamp_utc[:10]}, {machine.commit()}, {poller}, {wakes}; thin lines are single runs"
    parts = [
        _opening(width, height),
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(LEFT, 26, f"{SPAN}: from a frame read to its ack written", size=17, weight="bold"),
        _text(LEFT, 46, machine.describe()),
        _text(LEFT, 63, subtitle, colour="#555"),
    ]
    for index, comparison in enumerate(panels):
        loop = comparison.loop
        short = ends_before_its_write(plan, loop)
        title = f"{loop}: a Python executor's span ends before its ack is written" if short else loop
        parts += _panel(LEFT + index * (PANEL_WIDTH + GAP), title, comparison, runs, scale)
    return "\n".join([*parts, "</svg>", ""])


def check(path: Path) -> None:
    """Raises OSError when `drawn` would; a measurement had better know before it begins."""
    if path.exists() and not path.is_file():
        raise FileExistsError(EEXIST, "no regular file", str(path))
    with TemporaryFile(dir=path.parent):
        pass


@contextmanager
def drawn(path: Path, drawing: str) -> Iterator[None]:
    """Puts `drawing` at `path`, whole, once the block has gone well; else not at all."""
    new = path.with_name(path.name + ".new")
    try:
        new.write_text(drawing, encoding="utf-8")
        yield
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


class _Scale:
    """Places of times and shares within a panel."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    @classmethod
    def over(cls, values: Sequence[float]) -> _Scale:
        """From the fastest hundredth to the slowest thousandth, rounded outwards to marks of the axis."""
        ends = percentile(values, 0.002), percentile(values, 0.9995)
        marks = _marks(floor(log10(ends[0])) - 1, ceil(log10(ends[1])) + 1)
        low = max(mark for mark in marks if mark <= ends[0])
        return cls(low, min(mark for mark in marks if mark > ends[1]))

    def marks(self) -> list[float]:
        """The axis's labelled times, us."""
        return [mark for mark in _marks(-2, 7) if self.low <= mark <= self.high]

    def x(self, time: float) -> float:
        """Where `time` (us) lies, 0 to the panel's width."""
        share = log10(time / self.low) / log10(self.high / self.low)
        return PANEL_WIDTH * min(max(share, 0.0), 1.0)

    def y(self, share: float) -> float:
        """Where a share of the wakes lies, from the panel's top."""
        bottom, top = _NORMAL.inv_cdf(_CURVE[0]), _NORMAL.inv_cdf(_CURVE[-1])
        return PANEL_HEIGHT * (top - _NORMAL.inv_cdf(share)) / (top - bottom)


def _marks(first: int, last: int) -> list[float]:
    return [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]


def _panel(
    left: float, title: str, comparison: Comparison, runs: Sequence[Run], scale: _Scale
) -> Iterator[str]:
    yield f'<g transform="translate({left} {TOP})">'
    yield _text(0, -10, title, weight="bold")
    yield from _axes(scale)
    rows = [row for row in comparison.rows if not row.again]
    for index, row in enumerate(rows):
        own = [run for run in runs if run.loop == comparison.loop and run.entrant.name == row.name]
        samples = [run.samples.spans[SPAN] for run in own]
        for values in samples:
            yield _curve(scale, values, f'stroke="{COLOURS[index % 6]}" stroke-width="0.7" opacity="0.4"')
        pooled = [value for values in samples for value in values]
        style = f'stroke="{COLOURS[index % 6]}" stroke-width="2.2" stroke-dasharray="{DASHES[index % 6]}"'
        yield _curve(scale, pooled, style)
    yield from _legend(rows)
    yield "</g>"


def _axes(scale: _Scale) -> Iterator[str]:
    marks = scale.marks()
    size = 12 if len(marks) <= 10 else 11
    for mark in marks:
        x = scale.x(mark)
        yield _line(x, 0, x, PANEL_HEIGHT)
        yield _text(x, PANEL_HEIGHT + 16, f"{mark:g}", anchor="middle", size=size)
    for share in SHARES:
        y = scale.y(share)
        yield _line(0, y, PANEL_WIDTH, y)
        yield _text(-8, y + 4, f"{share * 100:g} %", anchor="end")
    yield f'<rect width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" fill="none" stroke="#888"/>'
    yield _text(PANEL_WIDTH, PANEL_HEIGHT + 32, "µs, logarithmic", anchor="end", colour="#555")
    yield _text(0, PANEL_HEIGHT + 32, "share of wakes that took at most that long", colour="#555")


def _curve(scale: _Scale, values: Sequence[float], style: str) -> str:
    ordered = sorted(values)
    # Further up the curve would be a line through the one slowest wake.
    shares = [share for share in _CURVE if (1.0 - share) * len(ordered) >= 2.0]
    points = " ".join(f"{scale.x(percentile(ordered, p)):.1f},{scale.y(p):.1f}" for p in shares)
    return f'<polyline points="{points}" fill="none" stroke-linejoin="round" {style}/>'


def _legend(rows: Sequence[Row]) -> Iterator[str]:
    top = PANEL_HEIGHT + 56
    columns = [PANEL_WIDTH - 120, PANEL_WIDTH - 60, PANEL_WIDTH]
    yield _text(0, top, "µs, median of the runs", colour="#555")
    for x, name in zip(columns, PERCENTILES, strict=True):
        yield _text(x, top, name, anchor="end", colour="#555")
    for index, row in enumerate(rows):
        y = top + LINE * (index + 1)
        style = f'stroke="{COLOURS[index % 6]}" stroke-width="3" stroke-dasharray="{DASHES[index % 6]}"'
        yield f'<line x1="0" y1="{y - 4}" x2="34" y2="{y - 4}" {style}/>'
        yield _text(44, y, row.name)
        for x, time in zip(columns, row.medians.values(), strict=True):
            yield _text(x, y, f"{time:.2f}", anchor="end")


def _opening(width: int, height: int) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    font = 'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="12" fill="#222"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#e4e4e4"/>'


def _text(
    x: float,
    y: float,
    text: str,
    anchor: str = "start",
    colour: str = "#222",
    size: int = 12,
    weight: str = "normal",
) -> str:
    style = f'text-anchor="{anchor}" fill="{colour}" font-size="{size}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'

"""The command line: plan, preflight, runs, report. Nothing is recorded unless every run succeeded."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from wakeline_ab import chart, history, machine, table
from wakeline_ab.compare import Comparison, compare
from wakeline_ab.plan import OWN, Executor, Plan, Refused
from wakeline_ab.processes import (
    Interrupted,
    RunFailed,
    environment,
    heed_interrupts,
    python,
    raise_if_interrupted,
)
from wakeline_ab.rounds import run_all
from wakeline_ref.loops import LOOPS

HISTORY = machine.REPOSITORY / "bench" / "ab_history.csv"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when everything was measured and recorded, 1 when a run failed, 2 when the plan is refused."""
    options = _parser().parse_args(arguments)
    try:
        plan = _plan(options)
        plan.check()
        history.check(options.csv)
        _check_drawing(options.svg)
        _check_checkout(plan)
    except (Refused, history.HistoryRefused) as refusal:
        print(f"ab: {refusal}", file=sys.stderr)
        return 2
    heed_interrupts()
    try:
        report = _measure(plan, options)
    except (RunFailed, history.HistoryRefused, OSError) as failure:
        print(f"ab: {failure}\nab: nothing was recorded", file=sys.stderr)
        return 1
    except Interrupted:
        print("ab: interrupted, nothing was recorded", file=sys.stderr)
        return 130
    for line in report:
        print(line)
    return 0


def _measure(plan: Plan, options: argparse.Namespace) -> Iterable[str]:
    """Runs and records; the report. Whatever is raised, nothing was recorded."""
    timestamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    load = machine.load()
    runs = run_all(plan, lambda text: print(text, file=sys.stderr))
    comparisons = compare(runs)
    rows = history.rows(plan, runs, timestamp)
    with ExitStack() as stack:
        if options.svg is not None:
            stack.enter_context(chart.drawn(options.svg, chart.draw(runs, plan, timestamp)))
        raise_if_interrupted()
        history.append(options.csv, rows)
    if options.json:
        return [json.dumps(_as_json(plan, comparisons, timestamp, load))]
    return [
        f"{machine.describe()}; load {load} before; {timestamp}; commit {machine.commit()}",
        *(f"{executor.name}: {machine.versions(executor)}" for executor in plan.executors),
        f"{plan.pairs} rounds, {plan.frames} wakes a run ({plan.warm_up} warm up), {plan.pause_us} us apart",
        f"poller {plan.poller}; every wake was accepted and recorded, none dropped",
        *table.lines(plan, comparisons),
        "",
        f"{len(runs)} runs appended to {options.csv}",
    ]


def _as_json(plan: Plan, comparisons: Sequence[Comparison], timestamp: str, load: str) -> dict[str, object]:
    return {
        "timestamp_utc": timestamp,
        "platform": machine.describe(),
        "load_before": load,
        "commit": machine.commit(),
        "versions": {executor.name: machine.versions(executor) for executor in plan.executors},
        "plan": asdict(plan) | {"executors": [executor.name for executor in plan.executors]},
        "unit": "us",
        "comparisons": [asdict(comparison) for comparison in comparisons],
        "not_shown": table.not_shown(plan),
    }


def _check_drawing(path: Path | None) -> None:
    """Raises Refused when nothing can be drawn at `path`."""
    try:
        if path is not None:
            chart.check(path)
    except OSError as error:
        raise Refused(
            f"can't draw at {path} ({error.strerror}): change --svg, or make its directory"
        ) from error


def _check_checkout(plan: Plan) -> None:
    """Raises Refused when the checkout lacks a part that the plan needs."""
    if not plan.checkout:
        return
    on_python = [executor.name for executor in plan.executors if executor.binary is None]
    parts = {"client": "every executor needs its poller client"}
    if on_python:
        parts["executor"] = (
            f"{' and '.join(on_python)} would be its executor; rust:PATH and cpp:PATH work without it"
        )
    for part, need in parts.items():
        command = python("infra", plan.checkout, part)
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
        if done.returncode != 0:
            why = done.stdout.strip() or done.stderr.strip()
            raise Refused(f"can't import the {part} of {plan.checkout} ({why}): {need}")


def _plan(options: argparse.Namespace) -> Plan:
    return Plan(
        executors=tuple(Executor.parse(text) for text in options.executor),
        loops=tuple(LOOPS) if options.loop == "both" else (options.loop,),
        poller=options.poller,
        pairs=options.pairs,
        frames=options.frames,
        warm_up=options.warmup,
        pause_us=options.pause_us,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ab.py",
        description=__doc__,
        epilog="Exit codes: 0 recorded, 1 a run failed, 2 refused, 130 interrupted.",
    )
    add = parser.add_argument
    add(
        "--executor",
        action="append",
        required=True,
        metavar="python|python-process|rust:PATH|cpp:PATH",
        help="who serves the socket; several times. The first is the baseline: the others are divided by it, "
        "and it runs twice a round, to show how far it differs from itself (A/A)",
    )
    add(
        "--loop",
        choices=[*LOOPS, "both"],
        default="both",
        help="event loop of the Python processes [%(default)s]",
    )
    add(
        "--poller",
        default=OWN,
        metavar="own|infra:DIR",
        help="our poller, or the bot's out of a checkout [%(default)s]",
    )
    add("--pairs", type=int, default=5, help="rounds; a p99 needs 11 of them for a claim [%(default)s]")
    add("--frames", type=int, default=2_200, help="wakes a run [%(default)s]")
    add("--warmup", type=int, default=200, help="of these, how many are left out [%(default)s]")
    add("--pause-us", type=int, default=0, metavar="N", help="pause between two wakes [%(default)s]")
    add(
        "--csv",
        type=Path,
        default=HISTORY,
        metavar="FILE",
        help="history to append to [bench/ab_history.csv]",
    )
    add("--svg", type=Path, metavar="FILE", help="draw the wake_recv distributions there")
    add("--json", action="store_true", help="print the comparisons as JSON instead of tables")
    return parser

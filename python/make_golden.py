"""Writes golden/: what the reference makes of the cases in goldens/.

    python python/make_golden.py [--out golden] [--infra DIR]

With --infra the classes come from DIR/src of a checkout of the original project instead of
wakeline_ref. Same input, same CPython and orjson: same bytes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

import orjson

from goldens import bodies, malformed, numbers, wakes
from wakeline_ref import protocol, rules
from wakeline_ref.protocol import encode

# orjson sizes its parse buffer by a guess from the body's length; dense bodies outgrow it.
ALLOCATION = "failed to allocate memory"


def main() -> None:
    """Parses the command line and writes every fixture."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=root / "golden", help="directory to write into")
    parser.add_argument(
        "--infra", type=Path, help="checkout of the original project to ask instead of wakeline_ref"
    )
    arguments = parser.parse_args()
    if sys.version_info[:2] not in ((3, 11), (3, 12)):
        sys.exit(f"CPython {platform.python_version()} words some refusals differently: use 3.11 or 3.12")
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_all(arguments.out, *wire_classes(arguments.infra))


def wire_classes(infra: Path | None) -> tuple[wakes.Make, wakes.Make]:
    """The wake and ack classes to ask: ours, or those of the checkout `infra`."""
    if infra is None:
        return protocol.WakeMessage, protocol.WakeAck
    sys.path.insert(0, str(infra / "src"))
    try:
        original = importlib.import_module("kalshi_bot.ipc.protocol")
    except ModuleNotFoundError as error:
        sys.exit(f"{infra} is no checkout of the original ({error}): it needs src/kalshi_bot/ipc/protocol.py")
    return original.WakeMessage, original.WakeAck


def write_all(out: Path, make_wake: wakes.Make, make_ack: wakes.Make) -> None:
    """Writes the fixtures into the directory `out`."""
    write(
        out / "frames.tsv",
        "name, frame with its length prefix",
        ((name, whole.hex()) for name, whole in wakes.frames(make_wake, make_ack)),
    )
    write(out / "doubles.tsv", "bits, text (bits of infinities and NaN print null)", numbers.doubles())
    write(out / "snap_to_grid.tsv", "price bits, ranges, result bits", numbers.snaps())
    write(out / "percentiles.tsv", "p bits, result bits, sample bits", numbers.percentiles())
    rejected, accepted, strict = judge(corpus(), make_wake)
    write(
        out / "rejections.tsv",
        "body, reason as a JSON string",
        (row for row in rejected if ALLOCATION not in row[1]),
    )
    write(
        out / "allocation.tsv",
        "body, reason as a JSON string",
        (row for row in rejected if ALLOCATION in row[1]),
    )
    write(out / "acceptances.tsv", "body, canonical body", accepted)
    write(out / "strict.tsv", "body, field, rule", strict)
    versions = f"CPython {platform.python_version()}\norjson {orjson.__version__}\n"
    (out / "VERSIONS.txt").write_text(versions)


def corpus() -> Iterable[bytes]:
    """Every body, each once, in a fixed order."""
    sources = (
        bodies.odd_but_well_formed,
        bodies.typed_wrongly,
        malformed.key_errors,
        malformed.non_objects,
        malformed.fragments,
        malformed.structures,
        malformed.strings,
        malformed.truncations,
        malformed.mutations,
    )
    return dict.fromkeys(body for source in sources for body in source())


def judge(
    candidates: Iterable[bytes], make_wake: wakes.Make
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The rows of rejections.tsv, acceptances.tsv and strict.tsv."""
    rejected: list[tuple[str, ...]] = []
    accepted: list[tuple[str, ...]] = []
    strict: list[tuple[str, ...]] = []
    for body in candidates:
        taken, reason = protocol.verdict(body, make_wake)
        if not taken:
            rejected.append((body.hex(), json.dumps(reason)))
            continue
        violation = rules.first_violation(body)
        if violation is None:
            canonical = encode(make_wake(**rules.with_floats(orjson.loads(body))))
            accepted.append((body.hex(), canonical.hex()))
        else:
            strict.append((body.hex(), violation.field, str(violation.rule)))
    return rejected, accepted, strict


def write(path: Path, columns: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Writes tab-separated `rows` under a comment that names the columns."""
    lines = [f"# {columns}"] + ["\t".join(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()

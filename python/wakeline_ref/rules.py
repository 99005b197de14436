"""The four rules by which wakeline is stricter than the reference, as an independent oracle.

1. ``direction`` is "yes" or "no".
2. Every field has its JSON type; an integer is welcome where a float is meant.
3. Integers of the int fields fit in a signed 64-bit word.
4. Every entry of ``price_ranges`` is a list of exactly three numbers.

Keys are judged in wire order, each by its last value in the document.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

import orjson

INT_FIELDS = frozenset(
    {
        "schema_version",
        "decision_ts_ms",
        "sent_at_ms",
        "sent_at_ns",
        "recv_ns",
        "exchange_index",
    }
)
FLOAT_FIELDS = frozenset(
    {
        "kalshi_price",
        "model_probability",
        "fee",
        "edge",
        "wire_price_yes_dollars",
        "available_size_contracts",
    }
)
WIRE_ORDER = (
    "schema_version",
    "correlation_id",
    "market_ticker",
    "asset",
    "direction",
    "kalshi_price",
    "model_probability",
    "fee",
    "edge",
    "decision_ts_ms",
    "sent_at_ms",
    "sent_at_ns",
    "recv_ns",
    "clock_domain",
    "dry_run",
    "wire_price_yes_dollars",
    "exchange_index",
    "available_size_contracts",
    "price_ranges",
    "correlation_group",
)

I64_MIN, I64_MAX = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class Violation:
    """The first field, in wire order, that breaks a rule, and the rule's number."""

    field: str
    rule: int


def lexical_object(body: bytes) -> Any:
    """`body` parsed so that integer tokens of any length stay integers.

    orjson turns integers beyond 64 bits into floats, which would hide rule 3 behind rule 2. Only for
    bodies orjson has accepted; nesting too deep for the standard library falls back on orjson.
    """
    sys.set_int_max_str_digits(0)
    try:
        return json.loads(body)
    except RecursionError:
        return orjson.loads(body)


def first_violation(body: bytes) -> Violation | None:
    """The first broken rule of a body that the reference accepts, or None."""
    wake = lexical_object(body)
    for name in WIRE_ORDER:
        if name in wake:
            rule = _broken_rule(name, wake[name])
            if rule is not None:
                return Violation(name, rule)
    return None


def with_floats(wake: dict[str, Any]) -> dict[str, Any]:
    """`wake` with its float fields as floats: what an integer there means under rule 2."""
    typed = dict(wake)
    for name in FLOAT_FIELDS & typed.keys():
        typed[name] = float(typed[name])
    if "price_ranges" in typed:
        typed["price_ranges"] = [[float(number) for number in entry] for entry in typed["price_ranges"]]
    return typed


def _broken_rule(name: str, value: Any) -> int | None:
    if name in INT_FIELDS:
        if not _is_int(value):
            return 2
        return None if I64_MIN <= value <= I64_MAX else 3
    if name in FLOAT_FIELDS:
        return None if _is_number(value) else 2
    if name == "dry_run":
        return None if isinstance(value, bool) else 2
    if name == "price_ranges":
        if not isinstance(value, list):
            return 2
        return None if all(_is_range(entry) for entry in value) else 4
    if not isinstance(value, str):
        return 2
    if name == "direction" and value not in ("yes", "no"):
        return 1
    return None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_int(value)


def _is_range(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 3 and all(map(_is_number, entry))

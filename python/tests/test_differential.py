"""The daemon's verdict against the reference's, body by body.

WAKELINE_DIFF_N sets how many bodies are made (20,000), WAKELINE_DIFF_SEED which ones.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
from daemon import Daemon
from mutations import bodies

from goldens.bodies import with_tokens
from make_golden import ALLOCATION, corpus
from wakeline_ref.protocol import MAX_BODY_BYTES, FrameReader, WakeAck, decode_ack, encode, frame, verdict
from wakeline_ref.rules import Violation, first_violation

COUNT = int(os.environ.get("WAKELINE_DIFF_N", "20000"))
SEED = int(os.environ.get("WAKELINE_DIFF_SEED", "20261130"))
REASON_LIMIT = 4_096
CUT = "..."
EXAMPLES = 3


def test_the_daemon_judges_as_the_reference_does(launch: Callable[..., Daemon]) -> None:
    candidates = [*corpus(), *long_bodies(), *bodies(COUNT, SEED)]
    daemon = launch()
    daemon.wait_for_socket()
    differences: dict[str, list[str]] = defaultdict(list)
    judged = 0
    for candidate, ack_body in zip(candidates, acks(daemon.socket, candidates), strict=True):
        judged += 1
        difference = compare(candidate, ack_body)
        if difference is not None:
            kind, detail = difference
            differences[kind].append(f"{detail}\n      {candidate[:400].hex()} ({len(candidate)} bytes)")
    exit = daemon.stop()
    assert not differences, report(differences, judged)
    assert exit.code == 0, exit.output
    assert exit.frames["frames"] == judged == exit.frames["accepted"] + exit.frames["rejected"]


def long_bodies() -> Iterator[bytes]:
    """Refusals around the length at which a reason is cut, and bodies of up to a whole frame."""
    for character in ("a", "é", "中", "😀"):
        for length in (*range(REASON_LIMIT - 70, REASON_LIMIT - 40), REASON_LIMIT, 60_000):
            key = "b" * (length % 3) + character * (length // len(character.encode()))
            yield f'{{"{key}":1}}'.encode()
    for length in (MAX_BODY_BYTES - 1, MAX_BODY_BYTES):
        yield with_tokens().ljust(length)
        yield b" " * length
        yield b'{"' + b"k" * (length - 6) + b'":1}'


def acks(path: Path, candidates: list[bytes]) -> Iterator[bytes]:
    """The bodies of the acks for `candidates`, all sent over one connection without waiting."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(path))
        peer.settimeout(30.0)
        stream = b"".join(map(frame, candidates))
        sender = threading.Thread(target=_send, args=(peer, stream))
        sender.start()
        reader = FrameReader()
        while data := peer.recv(65_536):
            yield from reader.feed(data)
        sender.join()


def _send(peer: socket.socket, stream: bytes) -> None:
    peer.sendall(stream)
    peer.shutdown(socket.SHUT_WR)


def compare(candidate: bytes, ack_body: bytes) -> tuple[str, str] | None:
    """How the ack differs from what it should be: its class and the particulars. None when it doesn't."""
    ack = decode_ack(ack_body)
    if encode(ack) != ack_body:
        return "ack bytes", repr(ack_body)
    accepted, reason = verdict(candidate)
    if reason is not None and reason.startswith(ALLOCATION):
        return None
    if not accepted:
        return _compare_refusal(reason or "", ack)
    violation = first_violation(candidate)
    if violation is not None:
        named = ack.status == "rejected" and _names(violation, ack.reason or "")
        return None if named else (f"rule {violation.rule} not applied", f"{violation} but {ack}")
    wanted = WakeAck(4, orjson.loads(candidate)["correlation_id"], ack.received_at_ms, "accepted", None)
    return None if ack == wanted else ("refused what the reference accepts", f"{ack.reason!r}")


def _names(violation: Violation, text: str) -> bool:
    """Whether a refusal's text names the field and the rule."""
    if f"field '{violation.field}' must be" not in text:
        return False
    # In a body too deeply nested for the standard library, rules.py sees such an integer only as a float.
    beyond_64_bits = violation.rule == 2 and re.search(r"\(rule 3\), got -?\d{19,}$", text) is not None
    return f"(rule {violation.rule})" in text or beyond_64_bits


def _compare_refusal(reason: str, ack: WakeAck) -> tuple[str, str] | None:
    if ack.status != "rejected" or ack.correlation_id != "" or ack.reason is None:
        return "accepted what the reference refuses", f"{reason!r} but {ack}"
    if ack.reason == reason and len(reason.encode()) <= REASON_LIMIT:
        return None
    if len(reason.encode()) > REASON_LIMIT and _is_cut(ack.reason, reason):
        return None
    return (
        f"{_kind(reason)} -> {_kind(ack.reason)}",
        f"want {reason[:300]!r}\n      got  {ack.reason[:300]!r}",
    )


def _is_cut(short: str, whole: str) -> bool:
    """Whether `short` is a beginning of `whole`, within the limit, that ends in dots."""
    return (
        short.endswith(CUT)
        and whole.startswith(short.removesuffix(CUT))
        and REASON_LIMIT - 8 < len(short.encode()) <= REASON_LIMIT
    )


def _kind(reason: str) -> str:
    """A reason without what varies from body to body: positions, and what is quoted in a key error."""
    text = re.sub(r": line \d+ column \d+ \(char \d+\)$", " @", reason)
    return re.sub(r"(?s)(argument) '.*'|(arguments: )'.*'", r"\1\2…", text)


def report(differences: dict[str, list[str]], judged: int) -> str:
    """The classes of differences, largest first, with a few examples of each."""
    total = sum(map(len, differences.values()))
    lines = [f"{total} of {judged} bodies are judged otherwise than by the reference (seed {SEED}):"]
    for kind, found in sorted(differences.items(), key=lambda item: -len(item[1])):
        lines.append(f"  {len(found)} x {kind}")
        lines += [f"    {example}" for example in found[:EXAMPLES]]
    return "\n".join(lines)

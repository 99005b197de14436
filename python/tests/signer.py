"""Runs the signer's commands, and makes keys and requests to run them on."""

from __future__ import annotations

import json
import random
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from wakeline_ref.signing import PREFIX, WEBSOCKET_PATH, Request, handshake

DEADLINE_S = 20.0
KEY_ID = "7c3f0b1e-52a4-4d0c-9c55-0a9a5c1d7e42"
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")
PLACES = (
    "portfolio/balance",
    "portfolio/positions",
    "portfolio/fills",
    "portfolio/orders",
    "portfolio/events/orders",
    "portfolio/events/orders/{id}",
    "portfolio/events/orders/{id}/decrease",
    "portfolio/order_groups/{id}/reset",
    "markets/KXBTCD-26OCT1217-T109999.99/orderbook",
    "events/KXHIGHNY-26OCT12",
    "account/endpoint_costs",
)
ENDS = (
    "",
    "",
    "",
    "",
    "/",
    "//",
    "%2F",
    "%2f",
    "%20and%20",
    "%C3%A9",
    "%3Flimit=1",
    "/../x",
    "/./",
    "+~!$&'()*,;=:@",
)
QUERIES = (
    "",
    "",
    "?",
    "??",
    "?limit=100",
    "?limit=100&cursor=CgwI8Ku2ygYQgJ%2FX9QISABoA",
    "?status=resting&ticker=KXBTCD-26OCT1217-T109999.99",
    "?subaccount=0&exchange_index=-1",
    "?a=b?c=d",
    "?next=/trade-api/v2/portfolio/balance?limit=1",
    "?q=%3F%26",
    "?/",
)


@dataclass(frozen=True)
class Answer:
    """How a command ended, and what it said."""

    code: int
    out: str
    said: str

    def headers(self) -> dict[str, str]:
        """The object that --json prints."""
        assert self.code == 0, self.said
        assert self.out.count("\n") == 1
        assert self.out.endswith("\n")
        object = json.loads(self.out)
        assert isinstance(object, dict)
        return object

    def assert_refused(self) -> None:
        """One sentence that begins with the program's name, and nothing else."""
        assert (self.code, self.out) == (1, ""), self
        assert self.said.startswith("wakeline: "), self.said
        assert self.said.count("\n") == 1, self.said
        assert self.said.endswith("\n"), self.said


class Signer:
    """`wakeline kalshi` of one binary."""

    def __init__(self, binary: Path) -> None:
        self.binary = binary

    def command(self, verb: str, options: dict[str, str | Path], request: Request, *flags: str) -> list[str]:
        """The words of a command about `request`."""
        words = [str(self.binary), "kalshi", verb, *(f"--{name}={value}" for name, value in options.items())]
        if request == handshake(request.timestamp):
            words.append("--ws")
        else:
            words += [f"--method={request.method}", f"--path={request.target}"]
        return [*words, f"--timestamp={request.timestamp}", *flags]

    def sign(self, key: Path, request: Request, *flags: str) -> Answer:
        """The answer of `sign` with a key id."""
        return run(self.command("sign", {"key": key, "key-id": KEY_ID}, request, *flags))

    def verify(self, public: Path, request: Request, signature: str, *flags: str) -> Answer:
        """The answer of `verify`."""
        options: dict[str, str | Path] = {"public-key": public, "signature": signature}
        return run(self.command("verify", options, request, *flags))


def run(words: list[str]) -> Answer:
    """Runs a command that has nobody to ask: its input is a closed pipe."""
    done = subprocess.run(
        words, input="", capture_output=True, encoding="utf-8", timeout=DEADLINE_S, check=False
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def pem(key: RSAPrivateKey, form: PrivateFormat = PrivateFormat.TraditionalOpenSSL) -> bytes:
    """The key as PEM, unencrypted; PKCS#1 as the exchange hands it out, or PKCS#8."""
    return key.private_bytes(Encoding.PEM, form, NoEncryption())


def public_pem(key: RSAPublicKey) -> bytes:
    """The public half as PEM."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def write_key(path: Path, text: bytes) -> Path:
    """A key file that only its owner reads."""
    path.touch(0o600)
    path.write_bytes(text)
    return path


def requests(count: int, seed: int) -> Iterator[Request]:
    """`count` requests, every sixth a handshake; the same for the same seed."""
    rng = random.Random(seed)
    for index in range(count):
        timestamp = str(rng.randrange(10**12, 10**13))
        if index % 6 == 5:
            yield handshake(timestamp)
            continue
        place = rng.choice(PLACES).format(id=uuid.UUID(int=rng.getrandbits(128), version=4))
        target = f"{PREFIX}/{place}{rng.choice(ENDS)}{rng.choice(QUERIES)}"
        yield Request(timestamp, rng.choice(METHODS), target)


def explicit_handshake(request: Request) -> Request:
    """The handshake with a query that changes nothing, so that method and path are given by name."""
    return Request(request.timestamp, request.method, f"{WEBSOCKET_PATH}?")

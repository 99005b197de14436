"""Writes golden/signing/: signatures made by ``cryptography``, right ones and wrong ones.

    python python/make_signing.py [--out golden/signing]

Run once and committed: every run makes another key and other bytes, because the key is thrown away
and PSS salts at random. Only the public half is written.
"""

from __future__ import annotations

import argparse
import base64
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import cryptography
from cryptography.hazmat.backends.openssl.backend import backend
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA512, HashAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from make_golden import write
from wakeline_ref.signing import PADDING, PREFIX, SALT_BYTES, Request, handshake, sign, verify

COLUMNS = "name, timestamp, method, path and query, signature"
ORDERS = f"{PREFIX}/portfolio/events/orders"
REQUESTS = {
    "balance": Request("1791763200123", "GET", f"{PREFIX}/portfolio/balance"),
    "create": Request("1791763200456", "POST", ORDERS),
    "list": Request(
        "1791763201000",
        "GET",
        f"{PREFIX}/portfolio/orders?ticker=KXBTCD-26OCT1217-T109999.99&status=resting&limit=100",
    ),
    "cancel": Request(
        "1791763201789",
        "DELETE",
        f"{ORDERS}/3f0b8a52-6c1d-4e7e-9b4a-0d5a2f7c81e6?subaccount=0&exchange_index=0",
    ),
    "websocket": handshake("1791763202007"),
}


def main() -> None:
    """Parses the command line and writes every fixture."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=root / "golden" / "signing", help="directory to write into"
    )
    out: Path = parser.parse_args().out
    key = generate_private_key(65537, 2048)
    signatures = {name: signed_with_every_alphabet(key, request) for name, request in REQUESTS.items()}
    right = [(name, REQUESTS[name], signature) for name, signature in signatures.items()]
    wrong = list(refused(key, signatures))
    for rows, expected in ((right, True), (wrong, False)):
        for name, request, signature in rows:
            if verify(key.public_key(), request, signature) is not expected:
                sys.exit(f"{name} is not what it should be: nothing was written")
    out.mkdir(parents=True, exist_ok=True)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (out / "public.pem").write_bytes(public)
    write(out / "signatures.tsv", COLUMNS, map(columns, right))
    write(out / "refused.tsv", COLUMNS, map(columns, wrong))
    (out / "VERSIONS.txt").write_text(
        f"CPython {platform.python_version()}\n"
        f"cryptography {cryptography.__version__}\n"
        f"{backend.openssl_version_text()}\n"
    )


def columns(row: tuple[str, Request, str]) -> tuple[str, ...]:
    """The row as text."""
    name, request, signature = row
    return name, request.timestamp, request.method, request.target, signature


def signed_with_every_alphabet(key: RSAPrivateKey, request: Request) -> str:
    """A signature whose text shows which base64 it is."""
    while True:
        signature = sign(key, request)
        # A first character of + would turn into a hyphen, and the signature into an option on a command line.
        if "+" in signature[1:] and "/" in signature[1:] and signature[0] not in "+/":
            return signature


def signed_by_another(key: RSAPrivateKey, request: Request) -> str:
    """Another key's signature, below this key's modulus, so that its size doesn't give it away."""
    modulus = key.public_key().public_numbers().n
    while True:
        signature = sign(generate_private_key(65537, 2048), request)
        if int.from_bytes(base64.b64decode(signature)) < modulus:
            return signature


def refused(key: RSAPrivateKey, signatures: dict[str, str]) -> Iterator[tuple[str, Request, str]]:
    """Requests with signatures that a right verifier refuses, each for the one reason that names it."""
    balance, create, listing, cancel = (REQUESTS[name] for name in ("balance", "create", "list", "cancel"))

    def signed(
        message: str, padding: AsymmetricPadding = PADDING, digest: HashAlgorithm | None = None
    ) -> str:
        return base64.b64encode(key.sign(message.encode(), padding, digest or SHA256())).decode()

    def pss(digest: HashAlgorithm, salt: int) -> PSS:
        return PSS(MGF1(digest), salt)

    message = create.message().decode()
    yield "salt_maximal", create, signed(message, PSS(MGF1(SHA256()), PSS.MAX_LENGTH))
    yield "salt_empty", create, signed(message, pss(SHA256(), 0))
    yield "pkcs1v15", create, signed(message, PKCS1v15())
    yield "digest_sha1", create, signed(message, pss(SHA1(), SHA1.digest_size), SHA1())
    yield "digest_sha512", create, signed(message, pss(SHA512(), SHA512.digest_size), SHA512())
    yield "mgf1_sha1", create, signed(message, pss(SHA1(), SALT_BYTES))
    yield "query_signed", listing, signed(listing.timestamp + listing.method + listing.target)
    yield "query_signed_delete", cancel, signed(cancel.timestamp + cancel.method + cancel.target)
    yield "seconds", balance, signed(balance.timestamp[:10] + balance.method + balance.path)
    yield "lower_case_method", balance, signed(balance.timestamp + "get" + balance.path)
    yield "prefix_missing", balance, signed(balance.timestamp + "GET" + balance.path.removeprefix(PREFIX))
    yield "other_key", create, signed_by_another(key, create)
    right = signatures["create"]
    raw = base64.b64decode(right)
    middle = len(raw) // 2
    flipped = raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]
    yield "bit_flip", create, base64.b64encode(flipped).decode()
    yield "truncated", create, base64.b64encode(raw[:-1]).decode()
    yield "url_safe_base64", create, base64.urlsafe_b64encode(raw).decode()
    yield "unpadded_base64", create, right.rstrip("=")
    later = str(int(create.timestamp) + 1)
    yield "other_timestamp", Request(later, create.method, create.target), right
    yield "other_method", Request(create.timestamp, "DELETE", create.target), right


if __name__ == "__main__":
    main()

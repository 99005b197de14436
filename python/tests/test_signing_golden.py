"""The committed signatures: right ones verify, wrong ones don't, each for the reason in its name."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA512, HashAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from signer import Signer

from wakeline_ref.signing import PADDING, PREFIX, Request, verify

GOLDEN = ROOT / "golden" / "signing"
Row = tuple[Request, str]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of fixtures made now."""
    out = tmp_path_factory.mktemp("signing")
    subprocess.run([sys.executable, str(ROOT / "python" / "make_signing.py"), "--out", str(out)], check=True)
    return out


@pytest.fixture(params=["committed", "fresh"])
def directory(request: pytest.FixtureRequest) -> Path:
    """The committed fixtures, and those that the generator makes today."""
    if request.param == "committed":
        return GOLDEN
    made: Path = request.getfixturevalue("fresh")
    return made


def rows(path: Path) -> dict[str, Row]:
    """The rows of a file by name."""
    lines = path.read_text("ascii").splitlines()
    assert lines[0] == "# name, timestamp, method, path and query, signature"
    table = [line.split("\t") for line in lines[1:]]
    named = {name: (Request(*request), signature) for name, *request, signature in table}
    assert len(named) == len(table)
    return named


def public_key(directory: Path) -> RSAPublicKey:
    """The key of the fixtures."""
    key = load_pem_public_key((directory / "public.pem").read_bytes())
    assert isinstance(key, RSAPublicKey)
    assert key.key_size == 2048
    return key


def holds(
    key: RSAPublicKey,
    row: Row,
    padding: AsymmetricPadding = PADDING,
    digest: HashAlgorithm | None = None,
    message: str | None = None,
) -> bool:
    """Whether the row's signature holds in another way than the right one."""
    request, signature = row
    signed = request.message() if message is None else message.encode()
    try:
        key.verify(base64.b64decode(signature), signed, padding, digest or SHA256())
    except InvalidSignature:
        return False
    return True


def pss(digest: HashAlgorithm, salt: int) -> PSS:
    """PSS with its mask over `digest`."""
    return PSS(MGF1(digest), salt)


def apart(text: str, other: str) -> int:
    """The number of bits in which two signatures differ."""
    pairs = zip(base64.b64decode(text), base64.b64decode(other), strict=True)
    return sum((one ^ two).bit_count() for one, two in pairs)


# By name, what shows that the row is wrong in just that; asked with the key, the row, and the right rows.
REASONS: dict[str, Callable[[RSAPublicKey, Row, dict[str, Row]], bool]] = {
    "salt_maximal": lambda key, row, right: holds(key, row, pss(SHA256(), 222)),
    "salt_empty": lambda key, row, right: holds(key, row, pss(SHA256(), 0)),
    "pkcs1v15": lambda key, row, right: holds(key, row, PKCS1v15()),
    "digest_sha1": lambda key, row, right: holds(key, row, pss(SHA1(), 20), SHA1()),
    "digest_sha512": lambda key, row, right: holds(key, row, pss(SHA512(), 64), SHA512()),
    "mgf1_sha1": lambda key, row, right: holds(key, row, pss(SHA1(), 32)),
    "query_signed": lambda key, row, right: holds(key, row, message=message(row[0], target=row[0].target)),
    "query_signed_delete": lambda key, row, right: holds(
        key, row, message=message(row[0], target=row[0].target)
    ),
    "seconds": lambda key, row, right: holds(
        key, row, message=message(row[0], timestamp=row[0].timestamp[:10])
    ),
    "lower_case_method": lambda key, row, right: holds(
        key, row, message=message(row[0], method=row[0].method.lower())
    ),
    "prefix_missing": lambda key, row, right: holds(
        key, row, message=message(row[0], target=row[0].path.removeprefix(PREFIX))
    ),
    # The other key is gone; its signature is a number that this key could have made.
    "other_key": lambda key, row, right: (
        int.from_bytes(base64.b64decode(row[1])) < key.public_numbers().n and len(row[1]) == 344
    ),
    "bit_flip": lambda key, row, right: apart(row[1], right["create"][1]) == 1,
    "truncated": lambda key, row, right: (
        base64.b64decode(right["create"][1])[:-1] == base64.b64decode(row[1])
    ),
    "url_safe_base64": lambda key, row, right: (
        base64.urlsafe_b64decode(row[1]) == base64.b64decode(right["create"][1])
        and "-" in row[1]
        and "_" in row[1]
    ),
    "unpadded_base64": lambda key, row, right: row[1] + "==" == right["create"][1],
    "other_timestamp": lambda key, row, right: holds(
        key, row, message=message(row[0], timestamp=right["create"][0].timestamp)
    ),
    "other_method": lambda key, row, right: holds(key, row, message=message(row[0], method="POST")),
}
# What `wakeline kalshi verify` recognises, by a word of its sentence.
RECOGNISED = {
    "salt_maximal": "salt",
    "pkcs1v15": "pkcs#1",
    "query_signed": "query",
    "query_signed_delete": "query",
    "seconds": "seconds",
    "lower_case_method": "lower",
    "prefix_missing": PREFIX,
}


def message(
    request: Request, timestamp: str | None = None, method: str | None = None, target: str | None = None
) -> str:
    """The request's message with one part replaced."""
    return (timestamp or request.timestamp) + (method or request.method) + (target or request.path)


def test_the_right_ones_hold(directory: Path) -> None:
    key = public_key(directory)
    right = rows(directory / "signatures.tsv")
    assert list(right) == ["balance", "create", "list", "cancel", "websocket"]
    for name, (request, signature) in right.items():
        assert verify(key, request, signature), name


def test_the_wrong_ones_fail_for_the_reason_in_their_name(directory: Path) -> None:
    key = public_key(directory)
    right, wrong = rows(directory / "signatures.tsv"), rows(directory / "refused.tsv")
    assert sorted(wrong) == sorted(REASONS)
    for name, row in wrong.items():
        assert not verify(key, *row), name
        assert REASONS[name](key, row, right), name


def test_no_private_half_is_written(directory: Path) -> None:
    files = sorted(path.name for path in directory.iterdir())
    assert files == ["VERSIONS.txt", "public.pem", "refused.tsv", "signatures.tsv"]
    for name in files:
        assert "PRIVATE" not in (directory / name).read_text("ascii")
    versions = (directory / "VERSIONS.txt").read_text("ascii")
    assert re.fullmatch(r"CPython \S+\ncryptography \S+\nOpenSSL [^\n]+\n", versions)


def test_every_run_makes_another_key(fresh: Path) -> None:
    assert public_key(fresh) != public_key(GOLDEN)


def test_the_signer_judges_them_alike(kalshi: Signer) -> None:
    public = GOLDEN / "public.pem"
    for name, (request, signature) in rows(GOLDEN / "signatures.tsv").items():
        answer = kalshi.verify(public, request, signature)
        assert (answer.code, answer.out) == (0, "valid\n"), name
    for name, (request, signature) in rows(GOLDEN / "refused.tsv").items():
        answer = kalshi.verify(public, request, signature, "--json")
        assert answer.code == 1, name
        object = json.loads(answer.out)
        assert object["valid"] is False, name
        assert RECOGNISED.get(name, "") in object["why"].lower(), (name, object["why"])

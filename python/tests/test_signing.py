"""The signer against `cryptography`, both ways: what one signs the other verifies, and nothing else."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA384, HashAlgorithm
from signer import KEY_ID, Signer, explicit_handshake, pem, public_pem, requests, run, write_key

from wakeline_ref.signing import PADDING, PREFIX, Request, handshake, headers, sign, verify

SIGNED = 50
SEED = 20_261_012
NAMES = ["KALSHI-ACCESS-KEY", "KALSHI-ACCESS-TIMESTAMP", "KALSHI-ACCESS-SIGNATURE"]
ORDER = Request("1703123456789", "POST", f"{PREFIX}/portfolio/events/orders")
LISTING = Request("1703123456789", "GET", f"{PREFIX}/portfolio/orders?limit=5")
Sign = Callable[[RSAPrivateKey], bytes]


@pytest.fixture
def public(tmp_path: Path, key: RSAPrivateKey) -> Path:
    """The file of the public key."""
    path = tmp_path / "public.pem"
    path.write_bytes(public_pem(key.public_key()))
    return path


def test_the_message_is_timestamp_method_and_path_run_together() -> None:
    request = Request("1703123456789", "GET", f"{PREFIX}/portfolio/orders/%C3%A9/?limit=5?x")
    assert request.message() == b"1703123456789GET/trade-api/v2/portfolio/orders/%C3%A9/"
    assert handshake("1703123456789").message() == b"1703123456789GET/trade-api/ws/v2"


def test_every_signature_holds_for_cryptography(kalshi: Signer, key: RSAPrivateKey, key_file: Path) -> None:
    def ask(request: Request) -> dict[str, str]:
        return kalshi.sign(key_file, request, "--json").headers()

    drawn = list(requests(SIGNED, SEED))
    with ThreadPoolExecutor(2) as pool:
        for request, made in zip(drawn, pool.map(ask, drawn), strict=True):
            assert sorted(made) == sorted(NAMES)
            assert made["KALSHI-ACCESS-KEY"] == KEY_ID
            assert made["KALSHI-ACCESS-TIMESTAMP"] == request.timestamp
            assert verify(key.public_key(), request, made["KALSHI-ACCESS-SIGNATURE"]), request


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "//",
        "/trade-api/v2/",
        "/trade-api/v2//portfolio/./balance/../",
        "/trade-api/v2/%70ortfolio/%e4%b8%ad",
        "/trade-api/v2/portfolio/%",
        "/trade-api/v2/portfolio/%zz",
        "/trade-api/v2/portfolio/é中😀",
        "/trade-api/v2/portfolio/e\u0301",
        "/trade-api/v2/portfolio/a+b:c@d",
        "/trade-api/v2/" + "x" * 4_000,
    ],
)
def test_a_path_is_signed_byte_for_byte(
    path: str, kalshi: Signer, key: RSAPrivateKey, key_file: Path
) -> None:
    for target in (path, f"{path}?limit=1?é"):
        request = Request("1703123456789", "GET", target)
        made = kalshi.sign(key_file, request, "--json").headers()
        assert verify(key.public_key(), request, made["KALSHI-ACCESS-SIGNATURE"])


def test_two_signatures_of_one_message_differ(kalshi: Signer, key: RSAPrivateKey, key_file: Path) -> None:
    first, second = (kalshi.sign(key_file, ORDER, "--json").headers()[NAMES[2]] for _ in range(2))
    assert first != second
    assert verify(key.public_key(), ORDER, first)
    assert verify(key.public_key(), ORDER, second)


def test_the_text_holds_what_the_object_holds(kalshi: Signer, key: RSAPrivateKey, key_file: Path) -> None:
    for request in (ORDER, handshake("1703123456789")):
        answer = kalshi.sign(key_file, request)
        assert (answer.code, answer.said) == (0, "")
        assert answer.out.endswith("\n")
        lines = dict(line.split(": ") for line in answer.out.splitlines())
        made = kalshi.sign(key_file, request, "--json").headers()
        assert list(lines) == NAMES
        assert sorted(lines) == sorted(made)
        assert (lines[NAMES[0]], lines[NAMES[1]]) == (made[NAMES[0]], made[NAMES[1]])
        assert verify(key.public_key(), request, lines[NAMES[2]])


def test_without_a_key_id_its_header_is_left_out(kalshi: Signer, key_file: Path) -> None:
    words = kalshi.command("sign", {"key": key_file}, ORDER)
    text, object = run(words), run([*words, "--json"])
    assert [line.split(": ")[0] for line in text.out.splitlines()] == NAMES[1:]
    assert sorted(object.headers()) == sorted(NAMES[1:])
    for answer in (text, object):
        assert answer.said.count("\n") == 1, answer.said


def test_the_timestamp_is_now_unless_it_is_given(kalshi: Signer, key: RSAPrivateKey, key_file: Path) -> None:
    words = kalshi.command("sign", {"key": key_file, "key-id": KEY_ID}, ORDER, "--json")
    before_ms = time.time_ns() // 1_000_000
    made = run([word for word in words if not word.startswith("--timestamp")]).headers()
    after_ms = time.time_ns() // 1_000_000
    now = made["KALSHI-ACCESS-TIMESTAMP"]
    assert before_ms <= int(now) <= after_ms
    assert verify(key.public_key(), Request(now, ORDER.method, ORDER.target), made[NAMES[2]])


def test_a_handshake_is_a_get_of_its_path(kalshi: Signer, key_file: Path, public: Path) -> None:
    short = handshake("1703123456789")
    long = explicit_handshake(short)
    assert "--ws" in kalshi.command("sign", {}, short)
    assert "--ws" not in kalshi.command("sign", {}, long)
    for signed, verified in ((short, long), (long, short)):
        made = kalshi.sign(key_file, signed, "--json").headers()
        assert kalshi.verify(public, verified, made[NAMES[2]]).code == 0


@pytest.mark.parametrize(
    ("request_", "rule"),
    [
        (Request("1703123456789", "get", ORDER.target), "case"),
        (Request("1703123456789", "Get", ORDER.target), "case"),
        (Request("1703123456789", "GET", "trade-api/v2/portfolio/balance"), "/"),
        (Request("1703123456789", "GET", ""), "/"),
        (Request("1703123456789", "GET", "?limit=1"), "/"),
        (Request("1703123456789", "GET", "https://demo-api.kalshi.co/trade-api/v2/markets"), "scheme"),
        (Request("1703123456", "GET", ORDER.target), "13"),
        (Request("17031234567890", "GET", ORDER.target), "13"),
        (Request("170312345678x", "GET", ORDER.target), "13"),
        (Request("+703123456789", "GET", ORDER.target), "13"),
        (Request(" 703123456789", "GET", ORDER.target), "13"),
        (Request("１703123456789", "GET", ORDER.target), "13"),
        (Request("", "GET", ORDER.target), "13"),
    ],
)
def test_a_request_that_breaks_a_rule_is_refused_by_its_rule(
    request_: Request, rule: str, kalshi: Signer, key_file: Path
) -> None:
    with pytest.raises(ValueError, match=rule):
        request_.message()
    answer = kalshi.sign(key_file, request_)
    answer.assert_refused()
    assert rule in answer.said.lower()
    kalshi.sign(key_file, request_, "--json").assert_refused()


def test_signatures_of_cryptography_are_valid(kalshi: Signer, key: RSAPrivateKey, public: Path) -> None:
    for request in requests(12, SEED + 1):
        made = headers(key, KEY_ID, request)["KALSHI-ACCESS-SIGNATURE"]
        text, object = kalshi.verify(public, request, made), kalshi.verify(public, request, made, "--json")
        assert (text.code, text.out, text.said) == (0, "valid\n", ""), request
        assert (object.code, json.loads(object.out), object.said) == (0, {"valid": True}, ""), request


def pss(salt: int, digest: HashAlgorithm | None = None, mask: HashAlgorithm | None = None) -> Sign:
    """Signs the order with another salt length or another digest."""
    digest = digest or SHA256()
    return padded(PSS(MGF1(mask or digest), salt), digest)


def padded(padding: AsymmetricPadding, digest: HashAlgorithm, message: bytes = ORDER.message()) -> Sign:
    """Signs a message in another way."""
    return lambda key: key.sign(message, padding, digest)


def changed(change: Callable[[bytes], bytes]) -> Sign:
    """Signs the order rightly and changes the signature."""
    return lambda key: change(base64.b64decode(sign(key, ORDER)))


def instead(message: bytes) -> Sign:
    """Signs another message in the order's place."""
    return padded(PADDING, SHA256(), message)


WRONG: dict[str, Sign] = {
    "no salt": pss(0),
    "salt of 20": pss(20),
    "salt of 31": pss(31),
    "salt of 33": pss(33),
    "maximal salt": pss(222),
    "SHA-1": pss(32, SHA1()),
    "SHA-384, salt of 32": pss(32, SHA384()),
    "SHA-384": pss(48, SHA384()),
    "mask over SHA-1": pss(32, SHA256(), SHA1()),
    "PKCS#1 v1.5": padded(PKCS1v15(), SHA256()),
    "PKCS#1 v1.5, SHA-1": padded(PKCS1v15(), SHA1()),
    "first bit": changed(lambda raw: bytes([raw[0] ^ 0x80]) + raw[1:]),
    "last bit": changed(lambda raw: raw[:-1] + bytes([raw[-1] ^ 1])),
    "without its last byte": changed(lambda raw: raw[:-1]),
    "without its first byte": changed(lambda raw: raw[1:]),
    "a byte longer": changed(lambda raw: raw + b"\0"),
    "a zero ahead": changed(lambda raw: b"\0" + raw),
    "backwards": changed(lambda raw: raw[::-1]),
    "empty": changed(lambda raw: b""),
    "zeros": changed(lambda raw: bytes(len(raw))),
    "above the modulus": changed(lambda raw: b"\xff" * len(raw)),
    "nothing signed": instead(b""),
    "body signed too": instead(ORDER.message() + b'{"ticker":"KXBTCD-26OCT1217-T109999.99"}'),
    "slash at the end": instead(ORDER.message() + b"/"),
    "question mark at the end": instead(ORDER.message() + b"?"),
    "line end": instead(ORDER.message() + b"\n"),
    "all in lower case": instead(ORDER.message().lower()),
    "a millisecond earlier": instead(b"1703123456788" + ORDER.message()[13:]),
    "spaces between": instead(f"{ORDER.timestamp} {ORDER.method} {ORDER.path}".encode()),
    "host signed too": instead(
        f"{ORDER.timestamp}{ORDER.method}https://api.elections.kalshi.com{ORDER.path}".encode()
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_differs_in_one_thing_is_not_valid(
    name: str, kalshi: Signer, key: RSAPrivateKey, public: Path
) -> None:
    signature = base64.b64encode(WRONG[name](key)).decode()
    assert not verify(key.public_key(), ORDER, signature)
    assert_not_valid(kalshi, public, ORDER, signature)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.rstrip("="),
        lambda text: text.replace("+", "-").replace("/", "_"),
        lambda text: f"{text[:64]}\n{text[64:]}",
        lambda text: text + "=",
        lambda text: text + text,
        lambda text: f"{text[:100]}*{text[101:]}",
        lambda text: base64.b64decode(text).hex(),
        lambda text: "é" + text[1:],
    ],
    ids=["unpadded", "url-safe", "two lines", "padded again", "twice", "a star", "hex", "no ASCII"],
)
def test_only_standard_base64_is_valid(
    change: Callable[[str], str], kalshi: Signer, key: RSAPrivateKey, public: Path
) -> None:
    right = sign(key, ORDER)
    while "+" not in right or "/" not in right:
        right = sign(key, ORDER)
    assert not verify(key.public_key(), ORDER, change(right))
    assert_not_valid(kalshi, public, ORDER, change(right))


def test_another_key_verifies_nothing(kalshi: Signer, key: RSAPrivateKey, tmp_path: Path) -> None:
    for bits in (2048, 3072):
        other = tmp_path / f"{bits}.pem"
        other.write_bytes(public_pem(generate_private_key(65537, bits).public_key()))
        assert_not_valid(kalshi, other, LISTING, sign(key, LISTING))


def test_a_public_key_that_cannot_be_read_is_refused(
    kalshi: Signer, key: RSAPrivateKey, tmp_path: Path
) -> None:
    signature = sign(key, ORDER)
    kalshi.verify(tmp_path / "nothing", ORDER, signature).assert_refused()
    for text in (b"", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"):
        kalshi.verify(write_key(tmp_path / "public", text), ORDER, signature).assert_refused()


def test_signing_leaves_the_key_as_it_was_and_no_copy_beside_it(
    kalshi: Signer, key: RSAPrivateKey, tmp_path: Path
) -> None:
    kept = pem(key)
    path = write_key(tmp_path / "kept.pem", kept)
    kalshi.sign(path, ORDER)
    assert path.read_bytes() == kept
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.pem"]


def assert_not_valid(kalshi: Signer, public: Path, request: Request, signature: str) -> None:
    """Text and object both say no, and why."""
    text = kalshi.verify(public, request, signature)
    assert (text.code, text.out) == (1, ""), text
    assert text.said.count("\n") == 1, text.said
    object = kalshi.verify(public, request, signature, "--json")
    assert object.code == 1, object
    answer = json.loads(object.out)
    assert sorted(answer) == ["valid", "why"]
    assert answer["valid"] is False
    assert answer["why"].strip()

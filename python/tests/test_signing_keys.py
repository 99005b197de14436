"""Key files: the forms that sign, the ones that are refused, and nothing of any that leaks."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from signer import DEADLINE_S, KEY_ID, Answer, Signer, pem, public_pem, write_key

from wakeline_ref.signing import PREFIX, Request, verify

BALANCE = Request("1703123456789", "GET", f"{PREFIX}/portfolio/balance")
PKCS1 = PrivateFormat.TraditionalOpenSSL
PKCS8 = PrivateFormat.PKCS8
PASSPHRASE = BestAvailableEncryption(b"correct horse")
WINDOW = 24
Form = Callable[[bytes], bytes]
Make = Callable[[RSAPrivateKey], bytes]

FORMS: dict[str, Form] = {
    "as it comes": lambda text: text,
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "leading blank lines": lambda text: b"\n\r\n  \n" + text,
    "trailing blank lines": lambda text: text + b"\n\n",
    "no last line end": lambda text: text.rstrip(b"\n"),
    "one line": lambda text: text.replace(b"\n", b"\\n"),
    "one line, itself ended": lambda text: text.rstrip(b"\n").replace(b"\n", b"\\n") + b"\n",
}
ENCRYPTED: dict[str, Make] = {
    "encrypted PKCS#1": lambda key: key.private_bytes(Encoding.PEM, PKCS1, PASSPHRASE),
    "encrypted PKCS#8": lambda key: key.private_bytes(Encoding.PEM, PKCS8, PASSPHRASE),
}
REFUSED: dict[str, tuple[Make, str]] = {
    **{name: (make, "encrypted") for name, make in ENCRYPTED.items()},
    "EC, SEC 1": (lambda key: elliptic(PKCS1), "ec"),
    "EC, PKCS#8": (lambda key: elliptic(PKCS8), "ec"),
    "Ed25519": (
        lambda key: Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PKCS8, NoEncryption()),
        "ed25519",
    ),
    "public": (lambda key: public_pem(key.public_key()), "public"),
    "1024 bits, PKCS#1": (lambda key: pem(generate_private_key(65537, 1024), PKCS1), "1024"),
    "1024 bits, PKCS#8": (lambda key: pem(generate_private_key(65537, 1024), PKCS8), "1024"),
    "empty": (lambda key: b"", "empty"),
    "cut off": (lambda key: pem(key)[:800], ""),
    "a body that is none": (lambda key: pem(key).replace(b"M", b"*"), ""),
    "its text without its frame": (lambda key: b"".join(pem(key).splitlines()[1:-1]), ""),
}


def elliptic(form: PrivateFormat) -> bytes:
    """An EC key as PEM."""
    return generate_ec(SECP256R1()).private_bytes(Encoding.PEM, form, NoEncryption())


def assert_signs(kalshi: Signer, key: RSAPrivateKey, path: Path) -> Answer:
    """The file signs for the key, and nothing of it is said."""
    answer = kalshi.sign(path, BALANCE, "--json")
    signature = answer.headers()["KALSHI-ACCESS-SIGNATURE"]
    assert verify(key.public_key(), BALANCE, signature)
    assert_nothing_leaks(path.read_bytes(), answer.out + answer.said)
    return answer


def assert_nothing_leaks(key: bytes, said: str) -> None:
    """No run of the key's base64 is in `said`, on one line or over several."""
    lines = key.decode().replace("\\n", "\n").split()
    body = "".join(line for line in lines if "-----" not in line and ":" not in line)
    windows = {body[at : at + WINDOW] for at in range(len(body) - WINDOW + 1)}
    for text in (said, "".join(said.split())):
        leaked = windows & {text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)}
        assert not leaked, f"{len(leaked)} pieces of the key were printed"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("format", [PKCS1, PKCS8], ids=["PKCS#1", "PKCS#8"])
def test_every_form_of_a_key_signs(
    format: PrivateFormat, form: str, kalshi: Signer, key: RSAPrivateKey, tmp_path: Path
) -> None:
    path = write_key(tmp_path / "key.pem", FORMS[form](pem(key, format)))
    assert assert_signs(kalshi, key, path).said == ""


@pytest.mark.parametrize("bits", [2048, 3072, 4096])
def test_every_size_of_a_key_signs(bits: int, kalshi: Signer, tmp_path: Path) -> None:
    key = generate_private_key(65537, bits)
    for format in (PKCS1, PKCS8):
        assert_signs(kalshi, key, write_key(tmp_path / "key.pem", pem(key, format)))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644], ids=oct)
def test_a_key_that_others_can_read_signs_with_a_warning(
    mode: int, kalshi: Signer, key: RSAPrivateKey, tmp_path: Path
) -> None:
    path = write_key(tmp_path / "key.pem", pem(key))
    path.chmod(mode)
    said = assert_signs(kalshi, key, path).said
    assert said.count("\n") == 1
    assert str(path) in said


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_key_to_sign_with_is_refused_by_its_name(
    name: str, kalshi: Signer, key: RSAPrivateKey, tmp_path: Path
) -> None:
    make, word = REFUSED[name]
    text = make(key)
    path = write_key(tmp_path / "key.pem", text)
    for flags in ([], ["--json"]):
        answer = kalshi.sign(path, BALANCE, *flags)
        answer.assert_refused()
        assert_nothing_leaks(text, answer.said)
        # The file's own path says nothing of what is in it.
        assert word in answer.said.replace(str(path), "").lower()


@pytest.mark.parametrize("form", [name for name in FORMS if name != "as it comes"])
@pytest.mark.parametrize("name", ENCRYPTED)
def test_an_encrypted_key_is_refused_in_every_form(
    name: str, form: str, kalshi: Signer, key: RSAPrivateKey, tmp_path: Path
) -> None:
    text = FORMS[form](ENCRYPTED[name](key))
    answer = kalshi.sign(write_key(tmp_path / "key.pem", text), BALANCE)
    answer.assert_refused()
    assert "encrypted" in answer.said.lower()
    assert "openssl" in answer.said, "no command that decrypts it is named"
    assert_nothing_leaks(text, answer.said)


def test_a_path_that_holds_no_file_is_refused(kalshi: Signer, tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        answer = kalshi.sign(path, BALANCE)
        answer.assert_refused()
        assert str(path) in answer.said


@pytest.mark.parametrize("name", ENCRYPTED)
def test_a_terminal_is_never_asked_for_a_passphrase(
    name: str, kalshi: Signer, key: RSAPrivateKey, tmp_path: Path
) -> None:
    path = write_key(tmp_path / "key.pem", ENCRYPTED[name](key))
    master, terminal = os.openpty()

    # OpenSSL asks the controlling terminal, whatever the standard streams are.
    def take_terminal() -> None:
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    try:
        done = subprocess.run(
            kalshi.command("sign", {"key": path, "key-id": KEY_ID}, BALANCE),
            stdin=terminal,
            capture_output=True,
            encoding="utf-8",
            start_new_session=True,
            preexec_fn=take_terminal,
            timeout=DEADLINE_S,
            check=False,
        )
        asked, _, _ = select.select([master], [], [], 0)
        assert not asked, f"it wrote {os.read(master, 1_000)!r} to the terminal"
    finally:
        os.close(terminal)
        os.close(master)
    Answer(done.returncode, done.stdout, done.stderr).assert_refused()

"""The timed signings of `wakeline bench sign`, as their parent drives them."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys

import cryptography
import pytest
from conftest import ROOT
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from signer import DEADLINE_S, Signer, pem, run

import bench_sign
from wakeline_ref.signing import Request, verify

SCRIPT = (ROOT / "python" / "bench_sign.py").read_text()


def answers(text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """The run of the script on the whole input at once."""
    command = [sys.executable, *flags, "-c", SCRIPT]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )


def first_line(key: RSAPrivateKey) -> str:
    """The line that hands the key over."""
    return json.dumps({"key_pem": pem(key).decode()}) + "\n"


def test_every_count_is_answered_before_the_next(key: RSAPrivateKey) -> None:
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None

        def ask(line: str) -> object:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(line)
            child.stdin.flush()
            return json.loads(child.stdout.readline())

        versions = ask(first_line(key))
        assert isinstance(versions, dict)
        assert list(versions) == ["python", "cryptography", "openssl"]
        assert versions["python"] == platform.python_version()
        assert versions["cryptography"] == cryptography.__version__
        assert versions["openssl"].startswith("OpenSSL ")
        for count in (3, 0, 20, 1):
            taken = ask(f"{count}\n")
            assert isinstance(taken, list)
            assert len(taken) == count
            # No RSA signature takes less than 10 microseconds.
            assert all(type(duration) is int and duration > 10_000 for duration in taken)
        child.stdin.close()
        assert child.wait(DEADLINE_S) == 0
        assert child.stdout.read() == ""


def test_what_is_timed_is_a_whole_signature(key: RSAPrivateKey) -> None:
    request = Request("1703123456789", bench_sign.METHOD, bench_sign.PATH)
    made = bench_sign.signature(key, int(request.timestamp))
    assert verify(key.public_key(), request, made)


def test_the_end_of_input_ends_it(key: RSAPrivateKey) -> None:
    for text, lines in (("", 0), (first_line(key), 1), (first_line(key) + "2\n", 2)):
        done = answers(text)
        assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", lines)


@pytest.mark.parametrize(
    "text",
    [
        "nonsense\n",
        "[]\n",
        "{}\n",
        '{"key_pem": 1}\n',
        '{"key_pem": "nothing"}\n',
        "KEY-1\n",
        "KEYx\n",
        "KEY\n",
    ],
)
def test_what_it_does_not_understand_is_one_sentence(text: str, key: RSAPrivateKey) -> None:
    done = answers(text.replace("KEY", first_line(key)))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_without_cryptography_it_says_what_to_install(key: RSAPrivateKey) -> None:
    done = answers(first_line(key), "-I", "-S")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    (pin,) = re.findall(r"(?m)^cryptography==\S+$", (ROOT / "python" / "requirements.txt").read_text())
    assert f"{sys.executable} -m pip install {pin}" in done.stderr


def test_the_benchmark_measures_this_python(kalshi: Signer) -> None:
    words = [str(kalshi.binary), "bench", "sign", "--samples=100", "--warm-up=1", f"--python={sys.executable}"]
    answer = run(words)
    assert answer.code == 0, answer.said
    assert f"cryptography {cryptography.__version__}, CPython {platform.python_version()}" in answer.out

"""Times whole signings for a parent process, which asks over stdin and stdout, line by line.

In: an object ``{"key_pem": ...}``. Out: the versions of Python, cryptography and its OpenSSL.
Then, in: a decimal count. Out: a list of as many durations, nanoseconds. The end of input ends it.

Runs as ``python -c``, so it imports nothing of its own package.
"""

from __future__ import annotations

import base64
import json
import platform
import sys
import time

WANTED = "cryptography==50.0.2"

try:
    import cryptography
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.backends.openssl.backend import backend
    from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
except ImportError as error:
    print(
        f"Python can't sign without the package cryptography ({error}): {sys.executable} -m pip install {WANTED}",
        file=sys.stderr,
    )
    sys.exit(3)

METHOD = "POST"
PATH = "/trade-api/v2/portfolio/events/orders"
# Made once, as a bot that cares for its latency does: what is timed favours Python where it can.
DIGEST = SHA256()
PADDING = PSS(MGF1(SHA256()), 32)


def signature(key: RSAPrivateKey, timestamp_ms: int) -> str:
    """The signature of one order's request."""
    message = f"{timestamp_ms}{METHOD}{PATH}".encode()
    return base64.b64encode(key.sign(message, PADDING, DIGEST)).decode()


def durations(key: RSAPrivateKey, count: int) -> list[int]:
    """Nanoseconds of each of `count` signings, no two of the same message."""
    clock = time.perf_counter_ns
    timestamp_ms = time.time_ns() // 1_000_000
    taken = []
    for index in range(count):
        start = clock()
        signature(key, timestamp_ms + index)
        taken.append(clock() - start)
    return taken


def load(line: str) -> RSAPrivateKey:
    """The key of the first line; the errors say nothing of its text."""
    try:
        key = load_pem_private_key(json.loads(line)["key_pem"].encode(), password=None)
    except (ValueError, TypeError, KeyError, AttributeError, UnsupportedAlgorithm):
        sys.exit("the first line holds no key that Python can read")
    if not isinstance(key, RSAPrivateKey):
        sys.exit("the first line's key is no RSA key")
    return key


def main() -> None:
    """Answers line by line until the input ends."""
    first = sys.stdin.readline()
    if not first:
        return
    key = load(first)
    versions = {
        "python": platform.python_version(),
        "cryptography": cryptography.__version__,
        "openssl": backend.openssl_version_text(),
    }
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        count = line.strip()
        if not (count.isascii() and count.isdigit()):
            sys.exit("a count is decimal digits")
        print(json.dumps(durations(key, int(count))), flush=True)


if __name__ == "__main__":
    main()

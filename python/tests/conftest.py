"""Fixtures: the binary, a directory short enough for a socket, daemons that never outlive a test, a throwaway key."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from daemon import Daemon
from signer import Signer, pem, write_key

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def directory() -> Iterator[Path]:
    """An empty directory with a short path: a socket's path holds 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="wakeline-") as path:
        yield Path(path)


@pytest.fixture(scope="session")
def binary() -> Path:
    """The daemon to test."""
    named = os.environ.get("WAKELINE_BIN")
    if not named:
        pytest.skip("WAKELINE_BIN is unset: nothing was tested against the daemon")
    return Path(named)


@pytest.fixture
def launch(binary: Path, directory: Path) -> Iterator[Callable[..., Daemon]]:
    """Starts daemons in the test's directory; what still runs at its end is killed."""
    started: list[Daemon] = []

    def start(socket: Path | None = None) -> Daemon:
        started.append(Daemon(binary, directory, socket))
        return started[-1]

    yield start
    for daemon in started:
        daemon.kill()


@pytest.fixture(scope="session")
def kalshi(binary: Path) -> Signer:
    """The signer to test."""
    return Signer(binary)


@pytest.fixture(scope="session")
def key() -> RSAPrivateKey:
    """A key that nobody else has, and nobody will."""
    return generate_private_key(65537, 2048)


@pytest.fixture(scope="session")
def key_file(key: RSAPrivateKey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of that key, as the exchange hands it out."""
    return write_key(tmp_path_factory.mktemp("key") / "kalshi.pem", pem(key))

"""Ends and beginnings of the daemon: signals under load, and sockets that are taken."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from daemon import Daemon
from traffic import feed, wakes

from wakeline_ref.executor import Executor
from wakeline_ref.loops import run
from wakeline_ref.poller import Poller
from wakeline_ref.protocol import FrameReader, encode, frame
from wakeline_ref.telemetry import count_rows, open_database

EXIT_S = 5.0


def test_sigterm_under_load_loses_no_row(launch: Callable[..., Daemon]) -> None:
    daemon = launch()
    daemon.wait_for_socket()
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(str(daemon.socket))
    burst = b"".join(frame(encode(wake)) for wake in wakes(100))

    def load() -> None:
        try:
            while True:
                peer.sendall(burst)
                time.sleep(0.01)
        except OSError:
            return

    sender = threading.Thread(target=load)
    sender.start()
    reader, acks = FrameReader(), 0
    while acks < 2_000:
        acks += len(reader.feed(peer.recv(65_536)))
    with ThreadPoolExecutor() as pool:
        stopping = pool.submit(daemon.stop)
        try:
            while data := peer.recv(65_536):
                acks += len(reader.feed(data))
        except ConnectionResetError:
            pass
        exit = stopping.result()
    peer.close()
    sender.join()

    assert exit.code == 0, exit.output
    assert exit.seconds < EXIT_S
    assert exit.frames["accepted"] == exit.frames["frames"] >= acks >= 2_000
    assert exit.telemetry["rows_written"] == exit.frames["frames"]
    with open_database(daemon.database) as connection:
        assert count_rows(connection, "wake_recv") == exit.frames["frames"]


def test_a_second_daemon_names_the_first(launch: Callable[..., Daemon]) -> None:
    first = launch()
    first.wait_for_socket()
    exit = launch().wait()
    assert exit.code == 1
    assert str(first.pid) in exit.output
    assert _answers(first.socket)
    assert first.stop().code == 0


def test_a_python_executor_is_not_robbed_of_its_socket(
    launch: Callable[..., Daemon], directory: Path
) -> None:
    path = directory / "wakeline.sock"

    async def hold() -> None:
        async with Executor(path, directory / "python.db"):
            exit = await asyncio.to_thread(lambda: launch(path).wait())
            assert exit.code == 1
            assert str(os.getpid()) in exit.output
            assert await asyncio.to_thread(_answers, path)

    run("asyncio", hold())


def test_a_stale_socket_is_replaced(launch: Callable[..., Daemon], directory: Path) -> None:
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(directory / "wakeline.sock"))
    dead.close()
    daemon = launch()
    deadline = time.monotonic() + EXIT_S
    while not _answers(daemon.socket) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert _answers(daemon.socket)
    assert daemon.stop().code == 0


def _answers(path: Path) -> bool:
    """Whether an executor acks a wake sent to `path`."""

    async def ask() -> bool:
        async with Poller(path, backoff_s=0.01) as poller:
            try:
                await asyncio.wait_for(feed(poller, wakes(1)), timeout=1.0)
            except TimeoutError:
                return False
            return [delivery.ack.status for delivery in poller.deliveries] == ["accepted"]

    return run("asyncio", ask())


def test_a_terminal_that_nobody_reads_stops_neither_acks_nor_the_end(tmp_path: Path) -> None:
    binary = os.environ.get("WAKELINE_BIN")
    if binary is None:
        pytest.skip("WAKELINE_BIN names no daemon")
    master, terminal = os.openpty()
    path = tmp_path / "wakeline.sock"
    command = [binary, "--socket", str(path), "--log", "debug"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal) as daemon:
        try:
            deadline = time.monotonic() + 10
            while not path.exists():
                assert time.monotonic() < deadline, "it never listened"
                time.sleep(0.005)
            peer = socket.socket(socket.AF_UNIX)
            peer.settimeout(10)
            peer.connect(str(path))
            reader = FrameReader()
            for _ in range(2_000):
                peer.sendall(frame(b"{}"))
                while not reader.feed(peer.recv(65_536)):
                    pass
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(EXIT_S + 1) == 0
        finally:
            daemon.kill()
            os.close(terminal)
            os.close(master)

"""The bot's own poller and executor: a checkout of their shape, in which the reference stands in for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wakeline_ab.cli import main
from wakeline_ab.plan import Executor, Plan
from wakeline_ab.processes import RunFailed
from wakeline_ab.run import measure

FRAMES = 60
MODULES = {
    "ipc/protocol.py": "from wakeline_ref.protocol import WakeMessage\n",
    "telemetry/db.py": """
from wakeline_ref.telemetry import TelemetryWriter

class TelemetryDB:
    def __init__(self, path):
        self.path = path
    def initialize(self):
        self.writer = TelemetryWriter(self.path)
    def dropped_count(self):
        return self.writer.dropped
    def close(self):
        self.writer.close()
""",
    "ipc/poller_client.py": """
import asyncio
import logging
from wakeline_ref.poller import Poller

class IPCPollerClient:
    def __init__(self, socket, database):
        self.poller = Poller(socket, telemetry=database.writer)
    def start(self):
        self.starting = asyncio.ensure_future(self.poller.__aenter__())
    def send_wake(self, wake):
        self.poller.offer(wake)
        if WARNS:
            logging.getLogger(__name__).warning("something is amiss")
    async def close(self):
        await self.poller.__aexit__(None, None, None)
""",
    "ipc/executor_server.py": """
import asyncio
from wakeline_ref.executor import Executor

class ExecutorServer:
    def __init__(self, *, socket_path, telemetry_db, **settings):
        self.executor = Executor(socket_path, telemetry_db.path)
    async def serve_forever(self):
        await self.executor.__aenter__()
        await asyncio.Event().wait()
    async def close(self):
        await self.executor.__aexit__(None, None, None)
""",
}


def checkout(directory: Path, without: str = "", warns: bool = False) -> Path:
    """A checkout in `directory`, but for the module `without`."""
    for name, text in MODULES.items():
        module = directory / "src" / "kalshi_bot" / name
        module.parent.mkdir(parents=True, exist_ok=True)
        if name != without:
            module.write_text(text.replace("WARNS", str(warns)))
    return directory


@pytest.mark.parametrize("kind", ["python", "python-process"])
def test_a_checkout_is_poller_and_executor(kind: str, tmp_path: Path) -> None:
    plan = Plan((), poller=f"infra:{checkout(tmp_path)}", frames=FRAMES, warm_up=10, pause_us=500)
    samples = measure(plan, Executor(kind), "asyncio")
    assert {span: len(values) for span, values in samples.spans.items()} == {"wake_recv": 50, "wake_send": 50}
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_warning_of_the_client_fails_the_run(tmp_path: Path) -> None:
    plan = Plan((), poller=f"infra:{checkout(tmp_path, warns=True)}", frames=FRAMES, warm_up=10)
    with pytest.raises(RunFailed, match="something is amiss"):
        measure(plan, Executor("python"), "asyncio")


def test_a_missing_executor_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    partial = checkout(tmp_path, without="ipc/executor_server.py")
    history = str(tmp_path / "history.csv")
    assert main(["--executor", "python", "--poller", f"infra:{partial}", "--csv", history]) == 2
    said = capsys.readouterr().err
    assert "kalshi_bot.ipc.executor_server" in said
    assert "rust:PATH and cpp:PATH work without it" in said
    assert said.count("\n") == 1

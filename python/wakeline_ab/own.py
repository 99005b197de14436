"""The reference poller and executor of this repository."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from wakeline_ab.task import Report, Task
from wakeline_ab.wakes import pause, wake_fields
from wakeline_ref.executor import Executor
from wakeline_ref.poller import Poller
from wakeline_ref.protocol import WakeMessage
from wakeline_ref.telemetry import TelemetryWriter


@dataclass(frozen=True)
class _Serving:
    executor: Executor

    def counters(self) -> dict[str, int]:
        """In the daemon's words."""
        executor = self.executor
        return {
            "frames": executor.accepted + executor.rejected,
            "accepted": executor.accepted,
            "rejected": executor.rejected,
            "rows_written": executor.rows_written,
            "dropped_rows": executor.rows_dropped,
        }


class Own:
    """A poller that sends a wake when the last one was acked."""

    @asynccontextmanager
    async def serve(self, task: Task) -> AsyncIterator[_Serving]:
        """The reference executor."""
        async with Executor(task.socket, task.database) as executor:
            yield _Serving(executor)

    async def poll(self, task: Task) -> Report:
        """Sends one wake after another, each with its wake_send row and its round trip."""
        telemetry = TelemetryWriter(task.database)
        try:
            async with Poller(task.socket, telemetry=telemetry) as poller:
                for index in range(task.frames):
                    poller.offer(WakeMessage(sent_at_ms=0, sent_at_ns=0, **wake_fields(index)))
                    await poller.drained()
                    if poller.lost_in_flight:
                        break
                    await pause(task.pause_us)
        finally:
            telemetry.close()
        return Report(
            problems=_problems(poller, telemetry),
            round_trip_ms=[delivery.round_trip_ms for delivery in poller.deliveries],
        )


def _problems(poller: Poller, telemetry: TelemetryWriter) -> list[str]:
    refused = [delivery.ack for delivery in poller.deliveries if delivery.ack.status != "accepted"]
    mixed_up = [
        delivery
        for delivery in poller.deliveries
        if delivery.ack.correlation_id != delivery.wake.correlation_id
    ]
    found = [
        (
            len(refused),
            f"of {len(poller.deliveries)} acks rejected: {refused[0].reason if refused else None}",
        ),
        (len(mixed_up), "acks of another wake"),
        (len(poller.lost_in_flight), "wakes without an ack"),
        (poller.failed_connects, "failed connects"),
        (poller.dropped_queue_full, "wakes dropped by the poller's queue"),
        (telemetry.dropped, "wake_send rows dropped"),
    ]
    return [f"{count} {what}" for count, what in found if count]

//! What happens to one frame: stamp, decode, ack, stamp, telemetry row, fire. Up to the row there is no allocation, no
//! lock and no system call but the ack's write, as long as frames are accepted. The fire behind it allocates for a market
//! it hasn't seen, and looks the kill switch up for a real fire if there is one.

use std::cell::RefCell;

use super::counters::Counters;
use crate::fire::Fire;
use crate::measure::clock::{monotonic_ns, wall_ms};
use crate::telemetry::{Recorder, Stage};
use crate::wire::message::SCHEMA_VERSION;
use crate::wire::{Decoder, Status, WakeAck, encode};

/// Everything the frames of all connections share, on the one thread that serves them.
pub struct HotPath {
    pub(super) counters: Counters,
    parts: RefCell<Parts>,
}

struct Parts {
    decoder: Decoder,
    ack: Vec<u8>,
    recorder: Option<Recorder>,
    fire: Fire,
}

impl HotPath {
    /// A hot path that fires through `fire` and records into `recorder`, if there is one.
    pub fn new(fire: Fire, recorder: Option<Recorder>) -> Self {
        Self {
            counters: Counters::default(),
            parts: RefCell::new(Parts {
                decoder: Decoder::new(),
                ack: Vec::with_capacity(512),
                recorder,
                fire,
            }),
        }
    }

    /// Handles one whole frame's body. `deliver` writes or queues the ack's frame; the fire comes after it.
    pub fn frame(&self, body: &[u8], deliver: impl FnOnce(&[u8])) {
        let received_at_ms = wall_ms();
        let start_ns = monotonic_ns();
        let Parts { decoder, ack, recorder, fire } = &mut *self.parts.borrow_mut();
        ack.clear();
        self.counters.frames.add(1);
        match decoder.wake(body) {
            Ok(wake) => {
                encode::ack_frame(
                    ack,
                    &WakeAck {
                        schema_version: SCHEMA_VERSION,
                        correlation_id: wake.correlation_id,
                        received_at_ms,
                        status: Status::Accepted,
                        reason: None,
                    },
                );
                deliver(ack);
                let duration_ns = monotonic_ns() - start_ns;
                let ended_at_ms = wall_ms();
                self.counters.accepted.add(1);
                if let Some(recorder) = recorder {
                    let duration_ms = duration_ns as f64 / 1e6;
                    recorder.push(
                        wake.correlation_id,
                        Stage::WakeRecv,
                        received_at_ms,
                        ended_at_ms,
                        duration_ms,
                        wake.dry_run,
                    );
                }
                fire.run(&wake);
            }
            Err(refusal) => {
                let reason = refusal.reason();
                encode::ack_frame(
                    ack,
                    &WakeAck {
                        schema_version: SCHEMA_VERSION,
                        correlation_id: "",
                        received_at_ms,
                        status: Status::Rejected,
                        reason: Some(&reason),
                    },
                );
                deliver(ack);
                self.counters.rejected.add(1);
                tracing::debug!(reason, "wake rejected");
            }
        }
    }

    /// To be called when every frame at hand has been handled, before waiting for more.
    pub fn rest(&self) {
        if let Some(recorder) = &self.parts.borrow().recorder {
            recorder.nudge();
        }
    }

    /// The exit line.
    pub(super) fn summary(&self) -> String {
        self.counters.line(self.parts.borrow().fire.counters())
    }
}

//! One row of `latency_events`, small enough to be copied through the ring.

/// Longest correlation id a row can hold, in bytes. A longer one is dropped whole: cut, it would join to the wrong parent.
pub const MAX_CORRELATION_ID: usize = 128;

/// What a latency row measured: the exact vocabulary of the `stage` column, which has no CHECK of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Receipt of the price move to the hand-over of the order.
    DetectFire,
    /// Poller: fetching the market data.
    IngestFetch,
    /// Poller: deciding to fire.
    Decision,
    /// Poller: sending the wake until its ack is read.
    WakeSend,
    /// Executor: a whole frame in hand until its ack is written.
    WakeRecv,
    /// Executor: filling in the order.
    OrderBuild,
    /// Executor: signing the request.
    Sign,
    /// Executor: signature in hand until the request is handed to the socket.
    DispatchSend,
    /// Executor: hand-over until the answer's body is read.
    DispatchAck,
    /// Writing telemetry itself.
    TelemetryWrite,
}

impl Stage {
    /// Every stage, in the order of a wake's life.
    pub const ALL: [Self; 10] = [
        Self::DetectFire,
        Self::IngestFetch,
        Self::Decision,
        Self::WakeSend,
        Self::WakeRecv,
        Self::OrderBuild,
        Self::Sign,
        Self::DispatchSend,
        Self::DispatchAck,
        Self::TelemetryWrite,
    ];

    /// The column's text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DetectFire => "detect_fire",
            Self::IngestFetch => "ingest_fetch",
            Self::Decision => "decision",
            Self::WakeSend => "wake_send",
            Self::WakeRecv => "wake_recv",
            Self::OrderBuild => "order_build",
            Self::Sign => "sign",
            Self::DispatchSend => "dispatch_send",
            Self::DispatchAck => "dispatch_ack",
            Self::TelemetryWrite => "telemetry_write",
        }
    }
}

/// A row as it waits in the ring: no pointers, 192 bytes, of which an id as long as a UUID uses the first 64, a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct LatencyRow {
    /// Wall clock at the start, ms since the Unix epoch.
    pub started_at_ms: i64,
    /// Wall clock at the end, ms since the Unix epoch.
    pub ended_at_ms: i64,
    /// Monotonic duration in ms. NaN is legal here and refused by the table (`NOT NULL`).
    pub duration_ms: f64,
    /// What was measured.
    pub stage: Stage,
    /// Whether the wake was a shadow fire.
    pub dry_run: bool,
    id_len: u8,
    /// Behind `id_len` it holds what an earlier row left.
    id: [u8; MAX_CORRELATION_ID],
}

impl LatencyRow {
    /// A row for a slot that hasn't been used.
    pub(super) const EMPTY: Self = Self {
        stage: Stage::WakeRecv,
        dry_run: false,
        id_len: 0,
        started_at_ms: 0,
        ended_at_ms: 0,
        duration_ms: 0.0,
        id: [0; MAX_CORRELATION_ID],
    };

    /// Makes this row another one, its id excepted.
    #[inline]
    pub(super) fn set(
        &mut self,
        stage: Stage,
        started_at_ms: i64,
        ended_at_ms: i64,
        duration_ms: f64,
        dry_run: bool,
    ) {
        self.stage = stage;
        self.dry_run = dry_run;
        self.started_at_ms = started_at_ms;
        self.ended_at_ms = ended_at_ms;
        self.duration_ms = duration_ms;
    }

    /// Copies an id in that is at most [`MAX_CORRELATION_ID`] bytes long. The empty id is a legal one.
    #[inline]
    pub(super) fn set_id(&mut self, correlation_id: &str) {
        let id = correlation_id.as_bytes();
        debug_assert!(id.len() <= MAX_CORRELATION_ID);
        // A UUID without and with its dashes: lengths known here are copied without a call.
        let copied = self.copy_id_of::<32>(id) || self.copy_id_of::<36>(id);
        if !copied && let Some(place) = self.id.get_mut(..id.len()) {
            place.copy_from_slice(id);
        }
        self.id_len = id.len() as u8;
    }

    #[inline(always)]
    fn copy_id_of<const N: usize>(&mut self, id: &[u8]) -> bool {
        match (self.id.first_chunk_mut::<N>(), <&[u8; N]>::try_from(id)) {
            (Some(place), Ok(id)) => {
                *place = *id;
                true
            }
            _ => false,
        }
    }

    /// The correlation id.
    #[must_use]
    pub fn correlation_id(&self) -> &str {
        let bytes = self.id.get(..usize::from(self.id_len)).unwrap_or_default();
        // The bytes came from a `&str`, whole; re-checking them costs the writer tens of ns and the producer nothing.
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// `metadata_json`, to the byte as the reference's `json.dumps` prints it.
    #[must_use]
    pub const fn metadata_json(&self) -> &'static str {
        if self.dry_run { r#"{"dry_run": true}"# } else { r#"{"dry_run": false}"# }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_any_length_replaces_the_one_before() {
        let mut row = LatencyRow::EMPTY;
        assert_eq!(row.correlation_id(), "");
        let ids: Vec<String> = (0..=MAX_CORRELATION_ID)
            .flat_map(|length| ["x".repeat(length), "ü".repeat(length / 2)])
            .collect();
        for id in ids.iter().chain(ids.iter().rev()) {
            row.set_id(id);
            assert_eq!(row.correlation_id(), id);
        }
    }

    #[test]
    fn metadata_has_the_space() {
        let mut row = LatencyRow::EMPTY;
        assert_eq!(row.metadata_json(), "{\"dry_run\": false}");
        row.set(Stage::WakeRecv, 1, 2, 0.5, true);
        assert_eq!(row.metadata_json(), "{\"dry_run\": true}");
    }

    #[test]
    fn a_row_with_a_uuid_is_one_cache_line() {
        assert_eq!((size_of::<LatencyRow>(), align_of::<LatencyRow>()), (192, 64));
        assert!(std::mem::offset_of!(LatencyRow, id) + 36 <= 64);
    }
}

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

/// A row as it waits in the ring: no pointers, 160 bytes, copied whole.
#[derive(Debug, Clone, Copy)]
pub struct LatencyRow {
    id: [u8; MAX_CORRELATION_ID],
    id_len: u8,
    /// What was measured.
    pub stage: Stage,
    /// Whether the wake was a shadow fire.
    pub dry_run: bool,
    /// Wall clock at the start, ms since the Unix epoch.
    pub started_at_ms: i64,
    /// Wall clock at the end, ms since the Unix epoch.
    pub ended_at_ms: i64,
    /// Monotonic duration in ms. NaN is legal here and refused by the table (`NOT NULL`).
    pub duration_ms: f64,
}

impl LatencyRow {
    /// Copies the id in; `None` when it is longer than [`MAX_CORRELATION_ID`]. The empty id is a legal one.
    #[must_use]
    #[inline]
    pub fn new(
        correlation_id: &str,
        stage: Stage,
        started_at_ms: i64,
        ended_at_ms: i64,
        duration_ms: f64,
        dry_run: bool,
    ) -> Option<Self> {
        let mut id = [0; MAX_CORRELATION_ID];
        id.get_mut(..correlation_id.len())?.copy_from_slice(correlation_id.as_bytes());
        let id_len = correlation_id.len() as u8;
        Some(Self { id, id_len, stage, dry_run, started_at_ms, ended_at_ms, duration_ms })
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

    fn row(id: &str) -> Option<LatencyRow> {
        LatencyRow::new(id, Stage::WakeRecv, 1, 2, 0.5, false)
    }

    #[test]
    fn an_id_of_128_bytes_fits_and_one_more_does_not() {
        let longest = "x".repeat(MAX_CORRELATION_ID);
        assert_eq!(row(&longest).unwrap().correlation_id(), longest);
        assert!(row(&format!("{longest}x")).is_none());
        assert!(row(&"ü".repeat(65)).is_none(), "the limit is in bytes");
        assert_eq!(row("").unwrap().correlation_id(), "");
    }

    #[test]
    fn metadata_has_the_space() {
        let mut row = row("a").unwrap();
        assert_eq!(row.metadata_json(), "{\"dry_run\": false}");
        row.dry_run = true;
        assert_eq!(row.metadata_json(), "{\"dry_run\": true}");
    }

    #[test]
    fn the_row_stays_small() {
        assert_eq!(size_of::<LatencyRow>(), 160);
    }
}

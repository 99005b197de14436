//! The keys of the two messages, in wire order.

/// What the decoder needs to know of a message's keys.
pub(super) struct Schema {
    /// Name of the reference's class, for its error texts.
    pub class: &'static str,
    /// Every key, in wire order; the first `required` of them have no default.
    pub keys: &'static [&'static str],
    /// How many keys must be present.
    pub required: usize,
    /// Index of a key in `keys`.
    pub index_of: fn(&[u8]) -> Option<usize>,
}

/// More keys than any message has.
pub(super) const MAX_KEYS: usize = 20;

macro_rules! schema {
    ($name:ident, $class:literal, required $required:literal, [$($index:literal $key:literal),+ $(,)?]) => {
        pub(super) const $name: Schema = Schema {
            class: $class,
            keys: &[$($key),+],
            required: $required,
            index_of: |key| match key {
                $(key if key == $key.as_bytes() => Some($index),)+
                _ => None,
            },
        };
    };
}

schema!(WAKE, "WakeMessage", required 12, [
    0 "schema_version",
    1 "correlation_id",
    2 "market_ticker",
    3 "asset",
    4 "direction",
    5 "kalshi_price",
    6 "model_probability",
    7 "fee",
    8 "edge",
    9 "decision_ts_ms",
    10 "sent_at_ms",
    11 "sent_at_ns",
    12 "recv_ns",
    13 "clock_domain",
    14 "dry_run",
    15 "wire_price_yes_dollars",
    16 "exchange_index",
    17 "available_size_contracts",
    18 "price_ranges",
    19 "correlation_group",
]);

schema!(ACK, "WakeAck", required 4, [
    0 "schema_version",
    1 "correlation_id",
    2 "received_at_ms",
    3 "status",
    4 "reason",
]);

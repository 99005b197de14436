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

/// As many keys as the longest message has.
pub(super) const MAX_KEYS: usize = WAKE.keys.len();

macro_rules! schema {
    ($name:ident, $class:literal, required $required:literal, $module:ident: [$($index:literal $constant:ident $key:literal),+ $(,)?]) => {
        pub(super) const $name: Schema = Schema {
            class: $class,
            keys: &[$($key),+],
            required: $required,
            index_of: |key| match key {
                $(key if key == $key.as_bytes() => Some($index),)+
                _ => None,
            },
        };

        /// Places of the keys.
        pub(super) mod $module {
            $(pub(in crate::wire) const $constant: usize = $index;)+
        }
    };
}

schema!(WAKE, "WakeMessage", required 12, wake: [
    0 SCHEMA_VERSION "schema_version",
    1 CORRELATION_ID "correlation_id",
    2 MARKET_TICKER "market_ticker",
    3 ASSET "asset",
    4 DIRECTION "direction",
    5 KALSHI_PRICE "kalshi_price",
    6 MODEL_PROBABILITY "model_probability",
    7 FEE "fee",
    8 EDGE "edge",
    9 DECISION_TS_MS "decision_ts_ms",
    10 SENT_AT_MS "sent_at_ms",
    11 SENT_AT_NS "sent_at_ns",
    12 RECV_NS "recv_ns",
    13 CLOCK_DOMAIN "clock_domain",
    14 DRY_RUN "dry_run",
    15 WIRE_PRICE_YES_DOLLARS "wire_price_yes_dollars",
    16 EXCHANGE_INDEX "exchange_index",
    17 AVAILABLE_SIZE_CONTRACTS "available_size_contracts",
    18 PRICE_RANGES "price_ranges",
    19 CORRELATION_GROUP "correlation_group",
]);

schema!(ACK, "WakeAck", required 4, ack: [
    0 SCHEMA_VERSION "schema_version",
    1 CORRELATION_ID "correlation_id",
    2 RECEIVED_AT_MS "received_at_ms",
    3 STATUS "status",
    4 REASON "reason",
]);

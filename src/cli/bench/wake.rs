//! The wake every benchmark decodes and sends, and the ack it gets; `bench/` has this very file as a module too.

// `wire` under the name that a benchmark outside this crate can give it.
use super::wire::message::{DEFAULT_PRICE_RANGES, SCHEMA_VERSION};
use super::wire::{Direction, Status, WakeAck, WakeMessage, encode};

/// A correlation id of the usual length.
pub(crate) const ID: &str = "0f2c6d0e9b8a4c7d8e1f23456789abcd";

/// A wake as a poller sends it, 491 bytes of JSON.
pub(crate) const fn wake(correlation_id: &str) -> WakeMessage<'_> {
    WakeMessage {
        schema_version: SCHEMA_VERSION,
        correlation_id,
        market_ticker: "KXBTCD-26AUG2118-T78399.99",
        asset: "BTC",
        direction: Direction::Yes,
        kalshi_price: 0.42,
        model_probability: 0.515,
        fee: 0.0171,
        edge: 0.0779,
        decision_ts_ms: 1_790_000_000_001,
        sent_at_ms: 1_790_000_000_002,
        sent_at_ns: 123_456_789_012_345,
        recv_ns: 0,
        clock_domain: "",
        dry_run: false,
        wire_price_yes_dollars: 0.42,
        exchange_index: -1,
        available_size_contracts: 0.0,
        price_ranges: DEFAULT_PRICE_RANGES,
        correlation_group: "",
    }
}

/// [`wake`] as JSON.
pub(crate) fn body() -> Vec<u8> {
    let mut body = Vec::new();
    encode::wake_body(&mut body, &wake(ID));
    body
}

/// The ack that a [`wake`] gets.
pub(crate) const fn ack(correlation_id: &str) -> WakeAck<'_> {
    WakeAck {
        schema_version: SCHEMA_VERSION,
        correlation_id,
        received_at_ms: 1_790_000_000_123,
        status: Status::Accepted,
        reason: None,
    }
}

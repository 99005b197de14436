//! The bodies every benchmark decodes or sends, and the runs that callgrind counts.
#![allow(dead_code, reason = "each benchmark uses its own part")]

pub(crate) mod bodies;
pub(crate) mod counting;

use wakeline::wire::message::DEFAULT_PRICE_RANGES;
use wakeline::wire::{Direction, WakeMessage};

/// A real wake, as a poller sends it: 491 bytes with an id of 32.
pub(crate) fn benchmark_wake(correlation_id: &str) -> WakeMessage<'_> {
    WakeMessage {
        schema_version: 4,
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

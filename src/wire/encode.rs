//! Encoding, byte-identical to `orjson.dumps` of the reference's dataclasses (orjson 3.11.8 and newer).

use super::frame::write_frame;
use super::message::{WakeAck, WakeMessage};
use super::text;

/// Appends a whole wake frame. Returns `false`, with `out` unchanged, when the body would be above the frame limit.
pub fn wake_frame(out: &mut Vec<u8>, wake: &WakeMessage<'_>) -> bool {
    write_frame(out, |out| wake_body(out, wake))
}

/// Appends a whole ack frame. Returns `false`, with `out` unchanged, when the body would be above the frame limit;
/// the ack of a wake that fitted one fits always, a reason being cut at [`super::MAX_REASON_BYTES`].
pub fn ack_frame(out: &mut Vec<u8>, ack: &WakeAck<'_>) -> bool {
    write_frame(out, |out| ack_body(out, ack))
}

/// Appends the JSON of a wake, without the frame's prefix.
pub fn wake_body(out: &mut Vec<u8>, wake: &WakeMessage<'_>) {
    out.extend_from_slice(b"{\"schema_version\":");
    integer(out, wake.schema_version);
    out.extend_from_slice(b",\"correlation_id\":");
    string(out, wake.correlation_id);
    out.extend_from_slice(b",\"market_ticker\":");
    string(out, wake.market_ticker);
    out.extend_from_slice(b",\"asset\":");
    string(out, wake.asset);
    out.extend_from_slice(b",\"direction\":\"");
    out.extend_from_slice(wake.direction.as_str().as_bytes());
    out.extend_from_slice(b"\",\"kalshi_price\":");
    double(out, wake.kalshi_price);
    out.extend_from_slice(b",\"model_probability\":");
    double(out, wake.model_probability);
    out.extend_from_slice(b",\"fee\":");
    double(out, wake.fee);
    out.extend_from_slice(b",\"edge\":");
    double(out, wake.edge);
    out.extend_from_slice(b",\"decision_ts_ms\":");
    integer(out, wake.decision_ts_ms);
    out.extend_from_slice(b",\"sent_at_ms\":");
    integer(out, wake.sent_at_ms);
    out.extend_from_slice(b",\"sent_at_ns\":");
    integer(out, wake.sent_at_ns);
    out.extend_from_slice(b",\"recv_ns\":");
    integer(out, wake.recv_ns);
    out.extend_from_slice(b",\"clock_domain\":");
    string(out, wake.clock_domain);
    out.extend_from_slice(b",\"dry_run\":");
    out.extend_from_slice(if wake.dry_run { b"true" } else { b"false" });
    out.extend_from_slice(b",\"wire_price_yes_dollars\":");
    double(out, wake.wire_price_yes_dollars);
    out.extend_from_slice(b",\"exchange_index\":");
    integer(out, wake.exchange_index);
    out.extend_from_slice(b",\"available_size_contracts\":");
    double(out, wake.available_size_contracts);
    out.extend_from_slice(b",\"price_ranges\":[");
    for (index, range) in wake.price_ranges.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"[" } else { b",[" });
        double(out, range.start);
        out.push(b',');
        double(out, range.end);
        out.push(b',');
        double(out, range.step);
        out.push(b']');
    }
    out.extend_from_slice(b"],\"correlation_group\":");
    string(out, wake.correlation_group);
    out.push(b'}');
}

/// Appends the JSON of an ack, without the frame's prefix.
pub fn ack_body(out: &mut Vec<u8>, ack: &WakeAck<'_>) {
    out.extend_from_slice(b"{\"schema_version\":");
    integer(out, ack.schema_version);
    out.extend_from_slice(b",\"correlation_id\":");
    string(out, ack.correlation_id);
    out.extend_from_slice(b",\"received_at_ms\":");
    integer(out, ack.received_at_ms);
    out.extend_from_slice(b",\"status\":\"");
    out.extend_from_slice(ack.status.as_str().as_bytes());
    out.extend_from_slice(b"\",\"reason\":");
    match ack.reason {
        Some(reason) => string(out, reason),
        None => out.extend_from_slice(b"null"),
    }
    out.push(b'}');
}

/// Appends a quoted string with orjson's escapes.
pub fn string(out: &mut Vec<u8>, content: &str) {
    text::quote(out, content);
}

fn integer(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a double in orjson's layout; NaN and the infinities are `null`.
pub fn double(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

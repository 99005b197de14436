//! Encoding, byte-identical to `orjson.dumps` of the reference's dataclasses (orjson 3.11.8 and newer).

use super::frame::{PREFIX_BYTES, write_frame};
use super::message::{SCHEMA_VERSION, Status, WakeAck, WakeMessage};
use super::{scan, text};

/// Appends a whole wake frame. Returns `false`, with `out` unchanged, when the body would be above the frame limit.
pub fn wake_frame(out: &mut Vec<u8>, wake: &WakeMessage<'_>) -> bool {
    write_frame(out, |out| wake_body(out, wake))
}

/// Appends a whole ack frame. Returns `false`, with `out` unchanged, when the body would be above the frame limit;
/// the ack of a wake that fitted one fits always, a reason being cut at [`super::MAX_REASON_BYTES`].
pub fn ack_frame(out: &mut Vec<u8>, ack: &WakeAck<'_>) -> bool {
    accepted_frame(out, ack) || write_frame(out, |out| ack_body(out, ack))
}

/// Appends the frame that nearly every wake is answered with from ready pieces: accepted, an id without escapes, a time
/// of thirteen digits (from 2001 to 2286). Returns `false`, with `out` unchanged, for any other ack.
fn accepted_frame(out: &mut Vec<u8>, ack: &WakeAck<'_>) -> bool {
    const HEAD: &[u8; 42] = b"\0\0\0\0{\"schema_version\":4,\"correlation_id\":\"";
    const TAIL: &[u8; 67] = b"\",\"received_at_ms\":0000000000000,\"status\":\"accepted\",\"reason\":null}";
    const TIME_AT: usize = 19;
    /// Longer ids are rare, and may make a frame that is too long.
    const LONGEST_ID: usize = 256;

    let WakeAck { schema_version: SCHEMA_VERSION, status: Status::Accepted, reason: None, .. } = ack else {
        return false;
    };
    let id = ack.correlation_id.as_bytes();
    let Some(time) = thirteen_digits(ack.received_at_ms) else { return false };
    if id.len() > LONGEST_ID || scan::plain_length(id) != id.len() {
        return false;
    }
    let (mut head, mut tail) = (*HEAD, *TAIL);
    let length = (HEAD.len() - PREFIX_BYTES + id.len() + TAIL.len()) as u32;
    head[..PREFIX_BYTES].copy_from_slice(&length.to_be_bytes());
    tail[TIME_AT..TIME_AT + time.len()].copy_from_slice(&time);
    out.reserve(HEAD.len() + LONGEST_ID + TAIL.len());
    out.extend_from_slice(&head);
    // A length known here is copied without a call.
    match <&[u8; 32]>::try_from(id) {
        Ok(id) => out.extend_from_slice(id),
        Err(_) => out.extend_from_slice(id),
    }
    out.extend_from_slice(&tail);
    true
}

/// The digits of a number that has thirteen.
#[inline]
fn thirteen_digits(number: i64) -> Option<[u8; 13]> {
    let number =
        u64::try_from(number).ok().filter(|number| (10_u64.pow(12)..10_u64.pow(13)).contains(number))?;
    let high = eight_digits(number / 100_000_000).to_be_bytes();
    let low = eight_digits(number % 100_000_000).to_be_bytes();
    let mut digits = [0; 13];
    digits[..5].copy_from_slice(&high[3..]);
    digits[5..].copy_from_slice(&low);
    Some(digits)
}

/// The digits of a number below 10^8, the first in the highest byte: fours, then pairs, then each. The multiplications
/// divide: by 100 with 10,486 / 2^20, which is exact below 10^4, and by 10 with 103 / 2^10, below 100.
#[inline]
fn eight_digits(number: u64) -> u64 {
    let fours = ((number / 10_000) << 32) | (number % 10_000);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = (hundreds << 16) | (fours - 100 * hundreds);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    ((tens << 8) | (pairs - 10 * tens)) + 0x3030_3030_3030_3030
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn accepted(correlation_id: &str, received_at_ms: i64) -> WakeAck<'_> {
        WakeAck {
            schema_version: SCHEMA_VERSION,
            correlation_id,
            received_at_ms,
            status: Status::Accepted,
            reason: None,
        }
    }

    /// What the ready pieces give, if anything, and what the encoder for any ack gives.
    fn both(ack: &WakeAck<'_>) -> (Option<Vec<u8>>, Vec<u8>) {
        let (mut ready, mut general) = (b"before".to_vec(), b"before".to_vec());
        assert!(write_frame(&mut general, |out| ack_body(out, ack)));
        let taken = accepted_frame(&mut ready, ack);
        assert!(taken || ready == b"before", "nothing may be left of an attempt");
        (taken.then_some(ready), general)
    }

    #[test]
    fn the_ready_pieces_serve_usual_acks_and_no_others() {
        let usual = "0f2c6d0e9b8a4c7d8e1f23456789abcd";
        let dashed = "0f2c6d0e-9b8a-4c7d-8e1f-23456789abcd";
        for id in [usual, dashed, "", "bench-7", "wäke", &"x".repeat(256)] {
            let (ready, general) = both(&accepted(id, 1_790_000_000_123));
            assert_eq!(ready, Some(general), "{id}");
        }
        let unusual = [
            accepted("a\"b", 1_790_000_000_123),
            accepted("a\n", 1_790_000_000_123),
            accepted(usual, 0),
            accepted(usual, -1_790_000_000_123),
            accepted(usual, 999_999_999_999),
            accepted(usual, 10_000_000_000_000),
            WakeAck { schema_version: 3, ..accepted(usual, 1_790_000_000_123) },
            WakeAck { reason: Some(""), ..accepted(usual, 1_790_000_000_123) },
            WakeAck { status: Status::Rejected, ..accepted(usual, 1_790_000_000_123) },
        ];
        for ack in unusual {
            assert_eq!(both(&ack).0, None, "{ack:?}");
        }
        assert_eq!(both(&accepted(&"x".repeat(257), 1_790_000_000_123)).0, None);
    }

    #[test]
    fn the_multiplications_divide() {
        for four in 0..10_000_u64 {
            assert_eq!((four * 10_486) >> 20, four / 100);
        }
        for pair in 0..100_u64 {
            assert_eq!((pair * 103) >> 10, pair / 10);
        }
    }

    proptest! {
        #[test]
        fn the_ready_pieces_give_the_same_bytes(
            id in prop_oneof![
                any::<String>(),
                "[0-9a-f]{32}",
                "[0-9a-f-]{36}",
                "[ -~]{0,300}",
                "[a\\x00-\\x1f\"\\\\/\\x7f\u{e9}\u{2028}\u{1f600}]{0,40}",
            ],
            at in prop_oneof![any::<i64>(), 900_000_000_000..10_100_000_000_000_i64],
        ) {
            let (ready, general) = both(&accepted(&id, at));
            if let Some(ready) = ready {
                prop_assert_eq!(ready, general);
            }
        }

        #[test]
        fn eight_digits_are_those_of_the_number(number in 0..100_000_000_u64) {
            prop_assert_eq!(eight_digits(number).to_be_bytes().to_vec(), format!("{number:08}").into_bytes());
        }
    }
}

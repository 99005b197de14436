//! What must hold of the codec for any message, any chunking and any bytes.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use proptest::prelude::*;
use wakeline::wire::frame::write_frame;
use wakeline::wire::message::{DEFAULT_PRICE_RANGES, SCHEMA_VERSION};
use wakeline::wire::{
    Decoder, Direction, FrameBuffer, MAX_FRAME_BYTES, PriceRange, Status, WakeAck, WakeMessage, encode,
};

/// A message that owns what it lends.
#[derive(Debug, Clone)]
struct Owned {
    texts: [String; 5],
    integers: [i64; 6],
    doubles: [f64; 6],
    yes: bool,
    dry_run: bool,
    ranges: Vec<[f64; 3]>,
}

fn owned() -> impl Strategy<Value = Owned> {
    let text = prop_oneof![
        4 => "[A-Za-z0-9.-]{0,40}",
        1 => any::<String>(),
        1 => "[\\x00-\\x1f\"\\\\/\\x7f\u{e9}\u{2028}\u{1f600}]{0,12}",
    ];
    let double = prop_oneof![
        3 => (0..=10_000_u32).prop_map(|ticks| f64::from(ticks) / 10_000.0),
        1 => any::<f64>().prop_filter("JSON has only finite numbers", |value| value.is_finite()),
    ];
    let integer = prop_oneof![any::<i64>(), -1..=4_i64, 1_700_000_000_000..1_900_000_000_000_i64];
    (
        prop::array::uniform5(text),
        prop::array::uniform6(integer),
        prop::array::uniform6(double.clone()),
        any::<bool>(),
        any::<bool>(),
        prop::collection::vec(prop::array::uniform3(double), 0..12),
    )
        .prop_map(|(texts, integers, doubles, yes, dry_run, ranges)| Owned {
            texts,
            integers,
            doubles,
            yes,
            dry_run,
            ranges,
        })
}

impl Owned {
    fn ranges(&self) -> Vec<PriceRange> {
        self.ranges.iter().map(|&[start, end, step]| PriceRange { start, end, step }).collect()
    }

    fn lend<'a>(&'a self, price_ranges: &'a [PriceRange]) -> WakeMessage<'a> {
        let [correlation_id, market_ticker, asset, clock_domain, correlation_group] = &self.texts;
        let [schema_version, decision_ts_ms, sent_at_ms, sent_at_ns, recv_ns, exchange_index] = self.integers;
        let [kalshi_price, model_probability, fee, edge, wire_price_yes_dollars, available_size_contracts] =
            self.doubles;
        WakeMessage {
            schema_version,
            correlation_id,
            market_ticker,
            asset,
            direction: if self.yes { Direction::Yes } else { Direction::No },
            kalshi_price,
            model_probability,
            fee,
            edge,
            decision_ts_ms,
            sent_at_ms,
            sent_at_ns,
            recv_ns,
            clock_domain,
            dry_run: self.dry_run,
            wire_price_yes_dollars,
            exchange_index,
            available_size_contracts,
            price_ranges,
            correlation_group,
        }
    }
}

/// The same object with its first member moved to the end and blanks between: what the predicted path can't read.
fn in_another_layout(body: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(body).unwrap();
    let (first, rest) = text[1..text.len() - 1].split_once(',').unwrap();
    format!(" {{\n{rest} ,\t{first}\r\n}} ").into_bytes()
}

/// A wake's body as version 1 to 4 had it: without the keys that came later.
fn of_version(version: usize, mut body: Vec<u8>) -> Vec<u8> {
    // A quote inside of a string is escaped, so this text is nowhere else.
    let first_of_the_next =
        [",\"recv_ns\":", ",\"wire_price_yes_dollars\":", ",\"correlation_group\":"].get(version - 1);
    if let Some(key) = first_of_the_next {
        let at = std::str::from_utf8(&body).unwrap().find(key).unwrap();
        body.truncate(at);
        body.push(b'}');
    }
    body
}

fn bits(wake: &WakeMessage<'_>) -> String {
    // Debug prints a double's shortest digits and the sign of zero, so equal texts are equal bits.
    format!("{wake:?}")
}

proptest! {
    #[test]
    fn a_wake_survives_encoding_in_any_layout(owned in owned()) {
        let ranges = owned.ranges();
        let wake = owned.lend(&ranges);
        let mut body = Vec::new();
        encode::wake_body(&mut body, &wake);
        let (mut predicted, mut general) = (Decoder::new(), Decoder::new());
        prop_assert_eq!(bits(&predicted.wake(&body).unwrap()), bits(&wake));
        prop_assert_eq!(bits(&general.wake(&in_another_layout(&body)).unwrap()), bits(&wake));
    }

    #[test]
    fn an_ack_survives_encoding(id in any::<String>(), at in any::<i64>(), reason in proptest::option::of(any::<String>())) {
        let status = if reason.is_some() { Status::Rejected } else { Status::Accepted };
        let ack = WakeAck {
            schema_version: SCHEMA_VERSION,
            correlation_id: &id,
            received_at_ms: at,
            status,
            reason: reason.as_deref(),
        };
        let mut body = Vec::new();
        encode::ack_body(&mut body, &ack);
        let mut decoder = Decoder::new();
        prop_assert_eq!(decoder.ack(&body).unwrap(), ack);
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(body in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Err(refusal) = Decoder::new().wake(&body) {
            prop_assert!(refusal.reason().len() <= wakeline::wire::MAX_REASON_BYTES);
        }
        let _ = Decoder::new().ack(&body);
    }

    #[test]
    fn an_older_version_has_defaults_for_the_keys_it_lacks(owned in owned(), version in 1..=4_usize) {
        let ranges = owned.ranges();
        let wake = owned.lend(&ranges);
        let mut body = Vec::new();
        encode::wake_body(&mut body, &wake);
        let body = of_version(version, body);
        let expected = WakeMessage {
            recv_ns: if version < 2 { 0 } else { wake.recv_ns },
            clock_domain: if version < 2 { "" } else { wake.clock_domain },
            dry_run: version >= 2 && wake.dry_run,
            wire_price_yes_dollars: if version < 3 { 0.0 } else { wake.wire_price_yes_dollars },
            exchange_index: if version < 3 { -1 } else { wake.exchange_index },
            available_size_contracts: if version < 3 { 0.0 } else { wake.available_size_contracts },
            price_ranges: if version < 3 { DEFAULT_PRICE_RANGES } else { wake.price_ranges },
            correlation_group: if version < 4 { "" } else { wake.correlation_group },
            ..wake
        };
        let (mut predicted, mut general) = (Decoder::new(), Decoder::new());
        prop_assert_eq!(bits(&predicted.wake(&body).unwrap()), bits(&expected));
        prop_assert_eq!(bits(&general.wake(&in_another_layout(&body)).unwrap()), bits(&expected));
    }

    #[test]
    fn a_mutated_wake_means_the_same_in_both_paths(
        owned in owned(),
        version in 1..=4_usize,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        kind in 0..4,
    ) {
        let ranges = owned.ranges();
        let mut body = Vec::new();
        encode::wake_body(&mut body, &owned.lend(&ranges));
        let mut body = of_version(version, body);
        let at = at.index(body.len());
        match kind {
            0 => body[at] = byte,
            1 => body.insert(at, byte),
            2 => body.truncate(at),
            _ => drop(body.remove(at)),
        }
        // A blank in front is no part of the message, but the predicted path gives up on it.
        let mut blank = body.clone();
        blank.insert(0, b' ');
        let (mut one, mut other) = (Decoder::new(), Decoder::new());
        match (one.wake(&body), other.wake(&blank)) {
            (Ok(one), Ok(other)) => prop_assert_eq!(bits(&one), bits(&other)),
            (Err(_), Err(_)) => {}
            (one, other) => prop_assert!(false, "{one:?} but {other:?}: {}", String::from_utf8_lossy(&body)),
        }
    }

    #[test]
    fn frames_come_out_whole_however_the_stream_is_cut(
        bodies in prop::collection::vec(prop_oneof![0..40_usize, Just(MAX_FRAME_BYTES), 16_000..40_000_usize], 1..12),
        cuts in prop::collection::vec(1..70_000_usize, 1..40),
    ) {
        let mut stream = Vec::new();
        for (index, &length) in bodies.iter().enumerate() {
            write_frame(&mut stream, |out| out.resize(out.len() + length, index as u8));
        }
        let mut buffer = FrameBuffer::new();
        let mut got = Vec::new();
        let mut cuts = cuts.iter().cycle();
        let mut rest = stream.as_slice();
        while !rest.is_empty() {
            let spare = buffer.spare();
            prop_assert!(!spare.is_empty());
            let count = rest.len().min(spare.len()).min(*cuts.next().unwrap());
            spare[..count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            buffer.advance(count);
            while let Some(body) = buffer.next_frame().unwrap() {
                prop_assert!(body.iter().all(|&byte| usize::from(byte) == got.len()));
                got.push(body.len());
            }
        }
        prop_assert_eq!(got, bodies);
        prop_assert!(!buffer.holds_partial_frame());
    }

    #[test]
    fn a_length_above_the_limit_is_refused_at_its_fourth_byte(length in (MAX_FRAME_BYTES as u32 + 1)..) {
        let mut buffer = FrameBuffer::new();
        let prefix = length.to_be_bytes();
        buffer.spare()[..3].copy_from_slice(&prefix[..3]);
        buffer.advance(3);
        prop_assert_eq!(buffer.next_frame(), Ok(None));
        buffer.spare()[0] = prefix[3];
        buffer.advance(1);
        prop_assert_eq!(buffer.next_frame().unwrap_err().announced, length);
    }
}

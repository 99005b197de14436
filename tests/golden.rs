//! The codec against data made by the reference itself: `golden/`, made by `python/make_golden.py`, and
//! `../shared/golden`, made by the original, when it is there.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use common::{bits, hex, judge_tsv, tsv};
use wakeline::wire::{Decoder, MAX_REASON_BYTES, WakeMessage, encode};

#[test]
fn frames_round_trip_to_the_same_bytes() {
    for (name, frame) in tsv("frames.tsv").map(|row| (row[0].clone(), hex(&row[1]))) {
        let body = &frame[4..];
        let mut decoder = Decoder::new();
        let mut encoded = Vec::new();
        if name.starts_with("ack_") {
            let ack = decoder.ack(body).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
            encode::ack_frame(&mut encoded, &ack);
        } else if name.contains("nonfinite") {
            assert!(decoder.wake(body).is_err(), "{name}: null is no number");
            continue;
        } else if name.contains("oversize") {
            continue;
        } else {
            let wake = decoder.wake(body).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
            encode::wake_frame(&mut encoded, &wake);
        }
        let rewritten = name.contains("int_in_float") || name.contains("legacy");
        if rewritten {
            // These aren't in canonical form: what we write of them must decode to the same message.
            let mut again = Decoder::new();
            assert_eq!(
                decoder.wake(body).unwrap(),
                again.wake(&encoded[4..]).unwrap(),
                "{name}: changed by a round trip"
            );
        } else {
            assert_eq!(String::from_utf8_lossy(&encoded), String::from_utf8_lossy(&frame), "{name}");
        }
    }
}

#[test]
fn verdicts_and_their_texts_are_the_reference_s() {
    for rows in [tsv("rejections.tsv").collect::<Vec<_>>(), judge_tsv("verdicts.tsv").collect()] {
        for row in rows {
            let body = hex(&row[0]);
            let (reason, rejected) = match row.len() {
                2 => (&row[1], true),
                _ => (&row[2], row[1] == "rejected"),
            };
            let shown = String::from_utf8_lossy(&body).into_owned();
            let mut decoder = Decoder::new();
            match decoder.wake(&body) {
                Ok(_) => assert!(!rejected, "accepted, but the reference says {reason}: {shown}"),
                Err(refusal) => {
                    assert!(rejected, "the reference accepts, but we say {refusal}: {shown}");
                    let expected = common::json_string(reason);
                    if expected.len() <= MAX_REASON_BYTES {
                        assert_eq!(refusal.reason(), expected, "{shown}");
                    }
                }
            }
        }
    }
}

#[test]
fn odd_bodies_are_accepted_with_the_reference_s_values() {
    for row in tsv("acceptances.tsv") {
        let body = hex(&row[0]);
        let shown = String::from_utf8_lossy(&body).into_owned();
        let mut decoder = Decoder::new();
        let wake = decoder.wake(&body).unwrap_or_else(|refusal| panic!("{refusal}: {shown}"));
        assert_eq!(canonical(&wake), String::from_utf8(hex(&row[1])).unwrap(), "{shown}");
    }
}

#[test]
fn each_stricter_rule_names_its_field() {
    for row in tsv("strict.tsv") {
        let body = hex(&row[0]);
        let shown = String::from_utf8_lossy(&body).into_owned();
        let reason = match Decoder::new().wake(&body) {
            Ok(_) => panic!("accepted: {shown}"),
            Err(refusal) => refusal.reason(),
        };
        assert!(reason.contains(&format!("field '{}' must be", row[1])), "{reason}: {shown}");
        assert!(reason.contains(&format!("(rule {})", row[2])), "{reason}: {shown}");
    }
}

#[test]
fn doubles_are_written_as_orjson_writes_them() {
    for row in tsv("doubles.tsv") {
        let mut text = Vec::new();
        encode::double(&mut text, bits(&row[0]));
        assert_eq!(String::from_utf8(text).unwrap(), row[1], "bits {}", row[0]);
    }
}

fn canonical(wake: &WakeMessage<'_>) -> String {
    let mut body = Vec::new();
    encode::wake_body(&mut body, wake);
    String::from_utf8(body).unwrap()
}

/// orjson refuses these for want of memory it could have had; we have no such limit. The first is a sound wake, the rest
/// are unclosed brackets.
#[test]
fn no_body_is_refused_for_its_density() {
    for (index, row) in tsv("allocation.tsv").enumerate() {
        let body = hex(&row[0]);
        match Decoder::new().wake(&body) {
            Ok(wake) => assert!(index == 0 && wake.price_ranges.len() > 600),
            Err(refusal) => assert!(index > 0 && !refusal.reason().contains("allocate"), "{refusal}"),
        }
    }
}

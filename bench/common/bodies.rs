//! Bodies of wakes to decode.
#![allow(clippy::expect_used, reason = "a benchmark that can't start has nobody to tell but its reader")]

use std::path::Path;

use super::wake;

/// The benchmark wake as orjson writes it: keys in the order that the decoder predicts.
pub(crate) fn predicted() -> Vec<u8> {
    wake::body()
}

/// The same wake with its keys in alphabetical order, which no prediction helps with.
pub(crate) fn shuffled() -> Vec<u8> {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(&predicted()).expect("a wake is an object");
    assert!(object.keys().is_sorted(), "serde_json keeps the order of keys");
    serde_json::to_vec(&object).expect("an object is JSON")
}

/// The smallest golden wake, of the first version: the twelve keys that have no default.
pub(crate) fn smallest() -> Vec<u8> {
    golden("legacy_v1")
}

/// A golden wake with 100 price ranges, 3,734 bytes.
pub(crate) fn many_ranges() -> Vec<u8> {
    golden("wake_100_ranges")
}

/// A golden wake of 65,536 bytes, the most that a frame holds.
pub(crate) fn longest() -> Vec<u8> {
    golden("limit_65536")
}

fn golden(name: &str) -> Vec<u8> {
    let frames = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/frames.tsv");
    let frames = std::fs::read_to_string(frames).expect("golden/frames.tsv is in the checkout");
    let frame = frames.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
    let frame = frame.expect("the frame's name is in golden/frames.tsv").as_bytes();
    let digits = frame.chunks_exact(2).map(|pair| str::from_utf8(pair).expect("hexadecimal digits"));
    let bytes = digits.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal digits"));
    // Behind the prefix that says how long it is.
    bytes.skip(4).collect()
}

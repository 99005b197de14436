//! Any body is an ack or refused, and an ack survives encoding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wakeline::wire::{Decoder, encode};

fuzz_target!(|body: &[u8]| {
    let mut decoder = Decoder::new();
    if let Ok(ack) = decoder.ack(body) {
        let mut encoded = Vec::new();
        encode::ack_body(&mut encoded, &ack);
        let mut again = Decoder::new();
        assert_eq!(again.ack(&encoded).expect("our own encoding"), ack);
    }
});

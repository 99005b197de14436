//! Any body is decoded or refused, alike by both paths, and what was decoded survives encoding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wakeline::wire::{Decoder, MAX_REASON_BYTES, encode};

fuzz_target!(|body: &[u8]| {
    // A blank in front keeps the predicted path out and changes nothing else.
    let mut blank = vec![b' '];
    blank.extend_from_slice(body);
    let (mut one, mut other) = (Decoder::new(), Decoder::new());
    match (one.wake(body), other.wake(&blank)) {
        (Ok(wake), Ok(general)) => {
            assert_eq!(format!("{wake:?}"), format!("{general:?}"));
            let mut encoded = Vec::new();
            encode::wake_body(&mut encoded, &wake);
            let mut again = Decoder::new();
            assert_eq!(format!("{:?}", again.wake(&encoded).expect("our own encoding")), format!("{wake:?}"));
        }
        (Err(refusal), Err(_)) => assert!(refusal.reason().len() <= MAX_REASON_BYTES),
        (one, other) => panic!("{one:?} but {other:?}"),
    }
});

//! Any key file is taken or refused, in a sentence on one line. Start it with a key of each form in its corpus: it won't find
//! one by itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wakeline::signer::{KeyError, Signer};

fuzz_target!(|text: &[u8]| {
    match Signer::from_pem(text) {
        Ok(signer) => assert!(format!("{signer:?}").len() < 40),
        Err(KeyError::Several(count)) => assert!(count > 1),
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
});

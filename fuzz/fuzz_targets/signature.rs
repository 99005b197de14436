//! Any request with any signature is refused by a rule or found not to hold, with its fault on one line.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use wakeline::signer::{Timestamp, Verdict, Verifier};

static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| {
    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/signing/public.pem");
    Verifier::from_file(&key).expect("the public key of the fixtures")
});

fuzz_target!(|parts: (&str, &str, &str, &str)| {
    let (timestamp, method, path, signature) = parts;
    let Ok(timestamp) = timestamp.parse::<Timestamp>() else { return };
    match VERIFIER.verify(&timestamp, method, path, signature) {
        Ok(Verdict::Valid) => panic!("a signature was forged"),
        Ok(Verdict::Invalid(fault)) => assert!(!fault.to_string().contains('\n')),
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
});

//! Signatures made by Python's `cryptography`: the right ones hold, the wrong ones don't, and what made them wrong is told.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use wakeline::signer::{Fault, Mistake, Verdict, Verifier};

/// Names and verdicts of a table in `golden/signing`.
fn verdicts(table: &str) -> BTreeMap<String, Verdict> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/signing");
    let verifier = Verifier::from_file(&directory.join("public.pem")).unwrap();
    let verdict = |row: Vec<String>| {
        let [name, timestamp, method, path, signature] = row.try_into().unwrap();
        let verdict = verifier.verify(&timestamp.parse().unwrap(), &method, &path, &signature);
        (name, verdict.unwrap())
    };
    common::tsv(&format!("signing/{table}")).map(verdict).collect()
}

#[test]
fn right_signatures_hold() {
    let verdicts = verdicts("signatures.tsv");
    assert_eq!(verdicts.len(), 5);
    for (name, verdict) in verdicts {
        assert_eq!(verdict, Verdict::Valid, "{name}");
    }
}

#[test]
fn wrong_signatures_dont_and_say_why() {
    let verdicts = verdicts("refused.tsv");
    let expected = [
        ("salt_maximal", Fault::Mistakes(vec![Mistake::SaltLength])),
        ("salt_empty", Fault::Mistakes(vec![Mistake::SaltLength])),
        ("pkcs1v15", Fault::Mistakes(vec![Mistake::Pkcs1Padding])),
        ("digest_sha1", Fault::Mistakes(vec![Mistake::Digest])),
        ("digest_sha512", Fault::Mistakes(vec![Mistake::Digest])),
        ("mgf1_sha1", Fault::Mistakes(vec![Mistake::Mask])),
        ("query_signed", Fault::Mistakes(vec![Mistake::Query])),
        ("query_signed_delete", Fault::Mistakes(vec![Mistake::Query])),
        ("seconds", Fault::Mistakes(vec![Mistake::Seconds])),
        ("lower_case_method", Fault::Mistakes(vec![Mistake::LowerCaseMethod])),
        ("prefix_missing", Fault::Mistakes(vec![Mistake::PathPrefix])),
        ("other_key", Fault::Unknown),
        ("bit_flip", Fault::Unknown),
        ("truncated", Fault::Length { bytes: 255, modulus: 256 }),
        ("url_safe_base64", Fault::NotBase64),
        ("unpadded_base64", Fault::NotBase64),
        ("other_timestamp", Fault::Unknown),
        ("other_method", Fault::Unknown),
    ];
    for (name, fault) in &expected {
        assert_eq!(verdicts[*name], Verdict::Invalid(fault.clone()), "{name}");
    }
    assert_eq!(verdicts.len(), expected.len(), "a row that nothing is expected of");
}

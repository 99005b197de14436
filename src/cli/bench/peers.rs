//! Other libraries that do what parts of this one do.

use std::hint::black_box;

use openssl::pkey::{PKey, Private};

use super::error::BenchError;
use super::turns::Kind;
use super::typed_wake::Wake;
use crate::cli::Failure;

pub(super) const DECODERS_NOTE: [&str; 1] = [
    "the others fill a typed struct of all 20 fields, borrow its strings, refuse unknown keys and check UTF-8; a Vec for the \
     price ranges is theirs to allocate. sonic-rs takes wider vectors than SSE2 only when built with RUSTFLAGS=-Ctarget-cpu=native",
];

pub(super) const SIGNERS_NOTE: [&str; 1] =
    ["ring and aws-lc-rs end with the signature's bytes, before base64"];

/// What this was built with, which is what a figure of theirs holds for.
pub(super) fn versions() -> String {
    const LOCK: &str = include_str!("../../../Cargo.lock");
    let of = |name: &str| {
        let (_, rest) = LOCK.split_once(&format!("\nname = \"{name}\"\nversion = \""))?;
        Some(format!(", {name} {}", rest.split('"').next()?))
    };
    ["serde_json", "sonic-rs", "ring", "aws-lc-rs"].into_iter().filter_map(of).collect()
}

/// Typed decoding of a wake.
pub(super) fn decoders<'a>(body: &[u8]) -> Result<Vec<Kind<'a>>, BenchError> {
    let (serde_json_body, sonic_body) = (body.to_vec(), body.to_vec());
    let sound =
        serde_json::from_slice::<Wake<'_>>(body).is_ok() && sonic_rs::from_slice::<Wake<'_>>(body).is_ok();
    if !sound {
        return Err(BenchError::WrongVerdict { frame: "the benchmark's wake".to_owned() });
    }
    let config = |kind: &str| format!("frame=benchmark bytes={} kind={kind}", body.len());
    Ok(vec![
        Kind::small("serde_json, typed", config("serde_json"), move || {
            let _ = black_box(&serde_json::from_slice::<Wake<'_>>(black_box(&serde_json_body)));
        }),
        Kind::small("sonic-rs, typed", config("sonic-rs"), move || {
            let _ = black_box(&sonic_rs::from_slice::<Wake<'_>>(black_box(&sonic_body)));
        }),
    ])
}

/// Signing, from the message to the signature's bytes.
pub(super) fn signers<'a>(key: &PKey<Private>, message: &[u8]) -> Result<Vec<Kind<'a>>, Failure> {
    let der = key.rsa()?.private_key_to_der()?;
    let ring = {
        use ring::{
            rand::SystemRandom,
            signature::{RSA_PSS_SHA256, RsaKeyPair},
        };
        let (key, random, message) = (RsaKeyPair::from_der(&der)?, SystemRandom::new(), message.to_vec());
        let mut signature = vec![0; key.public().modulus_len()];
        move || Ok(key.sign(&RSA_PSS_SHA256, &random, &message, &mut signature)?)
    };
    let aws_lc = {
        use aws_lc_rs::{
            rand::SystemRandom,
            signature::{RSA_PSS_SHA256, RsaKeyPair},
        };
        let (key, random, message) = (RsaKeyPair::from_der(&der)?, SystemRandom::new(), message.to_vec());
        let mut signature = vec![0; key.public_modulus_len()];
        move || Ok(key.sign(&RSA_PSS_SHA256, &random, &message, &mut signature)?)
    };
    Ok(vec![Kind::large("ring", "kind=ring", ring), Kind::large("aws-lc-rs", "kind=aws-lc-rs", aws_lc)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_library_has_its_version() {
        let versions = versions();
        let named = versions.split(", ").skip(1).map(|one| one.split_once(' ').unwrap());
        assert!(named.clone().map(|(name, _)| name).eq(["serde_json", "sonic-rs", "ring", "aws-lc-rs"]));
        assert!(named.clone().all(|(_, version)| version.split('.').count() == 3), "{versions}");
    }
}

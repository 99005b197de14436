//! In place of `peers` in a build without other libraries.

use openssl::pkey::{PKey, Private};

use super::error::BenchError;
use super::turns::Kind;
use crate::cli::Failure;

pub(super) const DECODERS_NOTE: [&str; 1] = [
    "other libraries are left out; build with --features bench-peers to have serde_json and sonic-rs beside this",
];

pub(super) const SIGNERS_NOTE: [&str; 0] = [];

pub(super) fn versions() -> String {
    String::new()
}

pub(super) fn decoders<'a>(_body: &[u8]) -> Result<Vec<Kind<'a>>, BenchError> {
    Ok(Vec::new())
}

pub(super) fn signers<'a>(_key: &PKey<Private>, _message: &[u8]) -> Result<Vec<Kind<'a>>, Failure> {
    Ok(Vec::new())
}

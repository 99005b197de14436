//! The three headers of a signed request.

use super::request::Timestamp;

/// A key id that no header can carry, or that is none. It isn't quoted: somebody may have given the key itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the key id isn't one: it is the short text that the exchange shows beside the key, such as 952f5fa1-67a2-4a84-9bd3-2c2b1f0a1b5e"
)]
pub struct HeaderError;

/// Longest key id, bytes; the exchange's have 36.
const MAX_KEY_ID: usize = 128;

/// The headers of one signed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers<'a> {
    key_id: &'a str,
    timestamp: &'a Timestamp,
    signature: &'a str,
}

impl<'a> Headers<'a> {
    /// Header with the id of the key.
    pub const KEY: &'static str = "KALSHI-ACCESS-KEY";
    /// Header with the timestamp, in milliseconds.
    pub const TIMESTAMP: &'static str = "KALSHI-ACCESS-TIMESTAMP";
    /// Header with the signature, in base64.
    pub const SIGNATURE: &'static str = "KALSHI-ACCESS-SIGNATURE";

    pub(super) fn new(key_id: &'a str, timestamp: &'a Timestamp, signature: &'a str) -> Self {
        Self { key_id, timestamp, signature }
    }

    /// Names and values, in the order the exchange documents them.
    #[must_use]
    pub fn pairs(&self) -> [(&'static str, &'a str); 3] {
        [
            (Self::KEY, self.key_id),
            (Self::TIMESTAMP, self.timestamp.as_str()),
            (Self::SIGNATURE, self.signature),
        ]
    }
}

/// A key id must not be able to end its header and begin another.
pub(super) fn check_key_id(key_id: &str) -> Result<(), HeaderError> {
    if key_id.is_empty() || key_id.len() > MAX_KEY_ID || !key_id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(HeaderError);
    }
    Ok(())
}

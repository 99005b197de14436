//! The usual mistakes behind a signature that doesn't hold. The exchange answers all of them with the same 401.

use openssl::error::ErrorStack;

use super::request::{SignedParts, without_query};
use super::verify::{Scheme, Verifier};

/// What is wrong with a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Not base64 as the header wants it.
    #[error("it isn't standard base64 with its padding and without line breaks")]
    NotBase64,
    /// Not as long as the key makes them.
    #[error("it is {bytes} bytes long, and this key's are {modulus}: it was cut, or made with another key")]
    Length {
        /// Length of the signature.
        bytes: usize,
        /// Length of the key's modulus.
        modulus: usize,
    },
    /// The salt has another length than the digest.
    #[error(
        "its salt isn't 32 bytes long: it was made with the library's default, often the maximum; set the salt length to the digest's"
    )]
    SaltLength,
    /// PKCS#1 v1.5 padding.
    #[error("its padding is PKCS#1 v1.5; use PSS with MGF1 and SHA-256")]
    Pkcs1Padding,
    /// The query was signed.
    #[error("it was made over the path with its query; sign the path up to the first ? only")]
    Query,
    /// The timestamp was in seconds.
    #[error("it was made over a timestamp in seconds; sign the very milliseconds that go into the header")]
    Seconds,
    /// The method was in lower case.
    #[error("it was made over the method in lower case; sign it in upper case")]
    LowerCaseMethod,
    /// The path was signed without what every path of the exchange begins with.
    #[error("it was made over the path without /trade-api/v2; sign the whole path")]
    PathPrefix,
    /// The path was signed with a `/` at its end, or without the one it has.
    #[error("it was made over the path with another / at its end; sign the path as it is sent")]
    TrailingSlash,
    /// None of the above.
    #[error("it is of another message, or of another key, or damaged")]
    Unknown,
}

impl Fault {
    /// Tries the usual mistakes on a signature that doesn't hold.
    pub(super) fn find(
        verifier: &Verifier,
        parts: &SignedParts<'_>,
        path_and_query: &str,
        signature: &[u8],
    ) -> Result<Self, ErrorStack> {
        let right = parts.bytes();
        if verifier.holds_under(Scheme::Pkcs1, &right, signature)? {
            return Ok(Self::Pkcs1Padding);
        }
        if verifier.holds_under(Scheme::PssOfAnySalt, &right, signature)? {
            return Ok(Self::SaltLength);
        }
        let [timestamp, method, path] = right;
        let lower = parts.method.to_ascii_lowercase();
        let mut messages: Vec<(Self, [&[u8]; 3])> = vec![
            (Self::Query, [timestamp, method, path_and_query.as_bytes()]),
            (Self::Seconds, [&timestamp[..10], method, path]),
            (Self::LowerCaseMethod, [timestamp, lower.as_bytes(), path]),
        ];
        if let Some(bare) = parts.path.strip_prefix("/trade-api/v2") {
            messages.push((Self::PathPrefix, [timestamp, method, bare.as_bytes()]));
        }
        let longer = format!("{}/", parts.path);
        let slashed = parts.path.strip_suffix('/').unwrap_or(&longer);
        messages.push((Self::TrailingSlash, [timestamp, method, without_query(slashed).as_bytes()]));
        for (fault, message) in messages {
            for scheme in [Scheme::PssOfAnySalt, Scheme::Pkcs1] {
                if verifier.holds_under(scheme, &message, signature)? {
                    return Ok(fault);
                }
            }
        }
        Ok(Self::Unknown)
    }
}

//! The usual mistakes behind a signature that doesn't hold. The exchange answers all of them with the same 401.

use std::fmt;

use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;

use super::request::SignedParts;
use super::verify::{Padding, Scheme, Verifier};

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
    /// It is a signature by this key, but was made wrongly.
    #[error("{}", sentence(.0))]
    Mistakes(Vec<Mistake>),
    /// None of the above.
    #[error("it is of another message or of another key, was made with another digest, or is damaged")]
    Unknown,
}

/// A usual mistake in making a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistake {
    /// The query was signed.
    Query,
    /// The path was signed without what every path of the exchange begins with.
    PathPrefix,
    /// The path was signed with a `/` at its end, or without the one it has.
    TrailingSlash,
    /// The timestamp was in seconds.
    Seconds,
    /// The method was in lower case.
    LowerCaseMethod,
    /// PKCS#1 v1.5 padding.
    Pkcs1Padding,
    /// The salt has another length than the digest.
    SaltLength,
    /// The digest isn't SHA-256.
    Digest,
    /// The mask of PSS isn't made with SHA-256.
    Mask,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Query => "it was made over the path with its query; sign the path up to the first ? only",
            Self::PathPrefix => "it was made over the path without /trade-api/v2; sign the whole path",
            Self::TrailingSlash => {
                "it was made over the path with another / at its end; sign the path as it is sent"
            }
            Self::Seconds => {
                "it was made over a timestamp in seconds; sign the very milliseconds that go into the header"
            }
            Self::LowerCaseMethod => "it was made over the method in lower case; sign it in upper case",
            Self::Pkcs1Padding => "its padding is PKCS#1 v1.5; use PSS with MGF1 and SHA-256",
            Self::SaltLength => {
                "its salt isn't 32 bytes long: that is the library's default, often the maximum; set the salt length to the digest's"
            }
            Self::Digest => "its digest isn't SHA-256; use SHA-256",
            Self::Mask => "its mask isn't made with SHA-256; give SHA-256 to MGF1 too",
        })
    }
}

fn sentence(mistakes: &[Mistake]) -> String {
    let mistakes: Vec<String> = mistakes.iter().map(Mistake::to_string).collect();
    mistakes.join("; besides, ")
}

impl Fault {
    /// Tries the usual mistakes, also several at once, on a signature that doesn't hold.
    pub(super) fn find(
        verifier: &Verifier,
        parts: &SignedParts<'_>,
        path_and_query: &str,
        signature: &[u8],
    ) -> Result<Self, ErrorStack> {
        for (mut mistakes, message) in messages(parts, path_and_query) {
            for (padding, mistake) in
                [(Padding::Pkcs1, Mistake::Pkcs1Padding), (Padding::PssOfAnySalt, Mistake::SaltLength)]
            {
                let scheme = Scheme { padding, ..Scheme::right() };
                let message = message.as_bytes();
                if verifier.holds_under(scheme, &[message], signature)? {
                    if !verifier.holds(&[message], signature)? {
                        mistakes.push(mistake);
                    }
                    return Ok(Self::Mistakes(mistakes));
                }
            }
        }
        let message = parts.bytes();
        for (scheme, mistake) in other_digests() {
            if verifier.holds_under(scheme, &message, signature)? {
                return Ok(Self::Mistakes(vec![mistake]));
            }
        }
        Ok(Self::Unknown)
    }
}

/// What else may have been signed, with the mistakes it takes; the right message first.
fn messages(parts: &SignedParts<'_>, path_and_query: &str) -> Vec<(Vec<Mistake>, String)> {
    let SignedParts { timestamp, method, path } = *parts;
    let mut paths = vec![(vec![], path.to_owned())];
    if path_and_query != path {
        paths.push((vec![Mistake::Query], path_and_query.to_owned()));
    }
    let slashed = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
    paths.push((vec![Mistake::TrailingSlash], slashed));
    for (mistakes, path) in paths.clone() {
        if let Some(bare) = path.strip_prefix("/trade-api/v2") {
            paths.push(([vec![Mistake::PathPrefix], mistakes].concat(), bare.to_owned()));
        }
    }
    let timestamps = [(None, timestamp.as_str()), (Some(Mistake::Seconds), &timestamp.as_str()[..10])];
    let methods = [(None, method.to_owned()), (Some(Mistake::LowerCaseMethod), method.to_ascii_lowercase())];
    let mut messages = Vec::new();
    for (of_path, path) in &paths {
        for (of_timestamp, timestamp) in timestamps {
            for (of_method, method) in &methods {
                let mistakes = of_path.iter().copied().chain(of_timestamp).chain(*of_method).collect();
                messages.push((mistakes, format!("{timestamp}{method}{path}")));
            }
        }
    }
    messages
}

fn other_digests() -> impl Iterator<Item = (Scheme, Mistake)> {
    let others = [MessageDigest::sha1(), MessageDigest::sha384(), MessageDigest::sha512()];
    let right = Scheme { padding: Padding::PssOfAnySalt, ..Scheme::right() };
    others.into_iter().flat_map(move |other| {
        [
            (Scheme { digest: other, mask: other, ..right }, Mistake::Digest),
            (Scheme { digest: other, padding: Padding::Pkcs1, ..right }, Mistake::Digest),
            (Scheme { mask: other, ..right }, Mistake::Mask),
        ]
    })
}

//! The verifier: OpenSSL's digest-and-verify interface, which the signer doesn't use.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::pkey::{Id, PKey, Private, Public};
use openssl::rsa::{Padding as RsaPadding, Rsa};
use openssl::sign::{RsaPssSaltlen, Verifier as DigestVerify};

use super::fault::Fault;
use super::key_file::{self, KeyFileError};
use super::library;
use super::pem::{self, Label};
use super::request::{RequestError, SignedParts, Timestamp};

/// Why a public key isn't taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublicKeyError {
    /// The file can't be read.
    #[error(transparent)]
    File(KeyFileError),
    /// It is a private key.
    #[error(
        "{path:?} holds a private key, and a signature is checked with the public one; write that with: openssl pkey -in KEY.pem -pubout -out PUBLIC.pem"
    )]
    Private {
        /// Where.
        path: PathBuf,
    },
    /// It is no RSA public key in PEM.
    #[error(
        "{path:?} is no RSA public key in PEM; write one with: openssl pkey -in KEY.pem -pubout -out PUBLIC.pem"
    )]
    NotAKey {
        /// Where.
        path: PathBuf,
    },
}

/// Why a signature could not be checked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The request breaks a rule, so no signature of it can hold.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// OpenSSL failed.
    #[error("OpenSSL could not check the signature: {0}; check the public key")]
    OpenSsl(#[from] ErrorStack),
}

/// What a check of a signature found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Valid,
    /// It doesn't.
    Invalid(Fault),
}

/// An RSA public key, ready to check signatures.
#[derive(Debug)]
pub struct Verifier {
    key: PKey<Public>,
}

impl Verifier {
    /// Loads the public key in the PEM file at `path` (`PUBLIC KEY` or `RSA PUBLIC KEY`).
    ///
    /// # Errors
    /// [`PublicKeyError`].
    pub fn from_file(path: &Path) -> Result<Self, PublicKeyError> {
        library::prepare();
        let text = key_file::read(path).map_err(PublicKeyError::File)?.text;
        let not_a_key = || PublicKeyError::NotAKey { path: path.to_owned() };
        let blocks = pem::blocks(&text).map_err(|_| not_a_key())?;
        if blocks.iter().any(|block| block.label.is_private()) {
            return Err(PublicKeyError::Private { path: path.to_owned() });
        }
        let block = blocks.iter().find(|block| block.label == Label::PublicKey).ok_or_else(not_a_key)?;
        let der = block.der().ok_or_else(not_a_key)?;
        let key = PKey::public_key_from_der(&der)
            .or_else(|_| Rsa::public_key_from_der_pkcs1(&der).and_then(PKey::from_rsa))
            .map_err(|_| not_a_key())?;
        if key.id() == Id::RSA { Ok(Self { key }) } else { Err(not_a_key()) }
    }

    /// The verifier of the public half of `key`.
    pub(super) fn of_private_key(key: &PKey<Private>) -> Result<Self, ErrorStack> {
        PKey::public_key_from_der(&key.public_key_to_der()?).map(|key| Self { key })
    }

    /// Checks the base64 `signature` of a request as the exchange does. One that doesn't hold is looked at for the usual
    /// mistakes.
    ///
    /// # Errors
    /// [`VerifyError`].
    pub fn verify(
        &self,
        timestamp: &Timestamp,
        method: &str,
        path_and_query: &str,
        signature: &str,
    ) -> Result<Verdict, VerifyError> {
        let parts = SignedParts::of(timestamp, method, path_and_query)?;
        let Ok(bytes) = STANDARD.decode(signature) else {
            return Ok(Verdict::Invalid(Fault::NotBase64));
        };
        if bytes.len() != self.key.size() {
            return Ok(Verdict::Invalid(Fault::Length { bytes: bytes.len(), modulus: self.key.size() }));
        }
        if self.holds(&parts.bytes(), &bytes)? {
            return Ok(Verdict::Valid);
        }
        Ok(Verdict::Invalid(Fault::find(self, &parts, path_and_query, &bytes)?))
    }

    /// Whether `signature` is one of the concatenated `message`, made as the exchange wants it.
    pub(super) fn holds(&self, message: &[&[u8]], signature: &[u8]) -> Result<bool, ErrorStack> {
        self.holds_under(Scheme::right(), message, signature)
    }

    /// Whether `signature` is one of the concatenated `message`, made under `scheme`.
    pub(super) fn holds_under(
        &self,
        scheme: Scheme,
        message: &[&[u8]],
        signature: &[u8],
    ) -> Result<bool, ErrorStack> {
        let mut verify = DigestVerify::new(scheme.digest, &self.key)?;
        match scheme.padding {
            Padding::Pss | Padding::PssOfAnySalt => {
                verify.set_rsa_padding(RsaPadding::PKCS1_PSS)?;
                verify.set_rsa_mgf1_md(scheme.mask)?;
                // On a check, OpenSSL takes its "maximum" for "whatever it is".
                verify.set_rsa_pss_saltlen(match scheme.padding {
                    Padding::PssOfAnySalt => RsaPssSaltlen::MAXIMUM_LENGTH,
                    _ => RsaPssSaltlen::DIGEST_LENGTH,
                })?;
            }
            Padding::Pkcs1 => verify.set_rsa_padding(RsaPadding::PKCS1)?,
        }
        for part in message {
            verify.update(part)?;
        }
        verify.verify(signature)
    }
}

/// How a signature is made of a message.
#[derive(Clone, Copy)]
pub(super) struct Scheme {
    pub(super) padding: Padding,
    pub(super) digest: MessageDigest,
    /// The digest of MGF1, which PSS takes.
    pub(super) mask: MessageDigest,
}

/// How the digest is padded.
#[derive(Debug, Clone, Copy)]
pub(super) enum Padding {
    /// With a salt as long as the digest.
    Pss,
    PssOfAnySalt,
    Pkcs1,
}

impl Scheme {
    /// The exchange's.
    pub(super) fn right() -> Self {
        Self { padding: Padding::Pss, digest: MessageDigest::sha256(), mask: MessageDigest::sha256() }
    }
}

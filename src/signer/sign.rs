//! The signer.

use std::fmt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openssl::error::ErrorStack;
use openssl::md::Md;
use openssl::pkey::{PKey, Private};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;
use openssl::sha::Sha256;
use openssl::sign::RsaPssSaltlen;

use super::headers::{self, HeaderError, Headers};
use super::key::{self, KeyError};
use super::key_file::{self, KeyFileError};
use super::request::{RequestError, SignedParts, Timestamp, WEBSOCKET_METHOD, WEBSOCKET_PATH};
use super::verify::Verifier;

/// Why a request wasn't signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// It breaks a rule, so its signature would be refused.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// Its key id can't be sent.
    #[error(transparent)]
    KeyId(#[from] HeaderError),
    /// OpenSSL failed; its source of randomness is what can.
    #[error("OpenSSL could not sign: {0}; try again, and restart if it stays so")]
    OpenSsl(#[from] ErrorStack),
}

/// A private key, ready to sign.
///
/// It was checked when it was loaded: its parts fit each other, and a signature it made was verified. One signer serves
/// one thread at a time; it can be sent to another.
pub struct Signer {
    operation: PkeyCtx<Private>,
    /// Where OpenSSL leaves the signature, as long as the modulus.
    signature: Vec<u8>,
}

impl Signer {
    /// Loads the private key in the PEM `text`.
    ///
    /// PKCS#1 and PKCS#8; any line ends, also the two characters `\n` in a single line; text before and after the key.
    /// Takes 40 ms for 2,048 bits and seconds for 8,192, for the checks.
    ///
    /// # Errors
    /// [`KeyError`], which says what `text` is instead and how to convert it.
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        let key = key::private_key(text)?;
        let mut signer =
            Self::with_key(&key).map_err(|_| KeyError::Inconsistent("OpenSSL can't sign with it"))?;
        match signer.probe(&key) {
            Ok(true) => Ok(signer),
            Ok(false) | Err(_) => Err(KeyError::Inconsistent("its own public half refuses its signature")),
        }
    }

    /// Loads the private key in the PEM file at `path`, a regular file or a pipe. Warns in the log when others than its
    /// owner may read or write it.
    ///
    /// # Errors
    /// [`KeyFileError`], with [`KeyError`] in it when the content is what's wrong.
    pub fn from_file(path: &Path) -> Result<Self, KeyFileError> {
        let file = key_file::read(path)?;
        if let Some(mode) = file.open_to_others {
            tracing::warn!(
                "others than its owner may read or write the key file {path:?} (mode {mode:04o}); shut it with: chmod 600 {path:?}"
            );
        }
        Self::from_pem(&file.text).map_err(|source| KeyFileError::Key { path: path.to_owned(), source })
    }

    fn with_key(key: &PKey<Private>) -> Result<Self, ErrorStack> {
        Ok(Self { operation: pss_operation(key)?, signature: vec![0; key.size()] })
    }

    /// Whether what this signer signs verifies under the public half of `key`.
    fn probe(&mut self, key: &PKey<Private>) -> Result<bool, ErrorStack> {
        let message: [&[u8]; 1] = [b"0000000000000GET/"];
        let length = self.raw_signature(&message)?;
        Verifier::of_private_key(key)?.holds(&message, &self.signature[..length])
    }

    /// Signs a request. `signature` is replaced by the signature in base64; it keeps its room from call to call, so only
    /// the first one allocates.
    ///
    /// `path_and_query` is what goes out on the wire; its query isn't signed.
    ///
    /// # Errors
    /// [`SignError`]; `signature` is empty then.
    pub fn sign<'s>(
        &mut self,
        timestamp: &Timestamp,
        method: &str,
        path_and_query: &str,
        signature: &'s mut String,
    ) -> Result<&'s str, SignError> {
        signature.clear();
        let parts = SignedParts::of(timestamp, method, path_and_query)?;
        let length = self.raw_signature(&parts.bytes())?;
        STANDARD.encode_string(&self.signature[..length], signature);
        Ok(signature)
    }

    /// Signs the handshake of the WebSocket; each new connection needs its own.
    ///
    /// # Errors
    /// As [`sign`](Self::sign).
    pub fn sign_websocket<'s>(
        &mut self,
        timestamp: &Timestamp,
        signature: &'s mut String,
    ) -> Result<&'s str, SignError> {
        self.sign(timestamp, WEBSOCKET_METHOD, WEBSOCKET_PATH, signature)
    }

    /// Signs a request and returns its three headers.
    ///
    /// # Errors
    /// As [`sign`](Self::sign), and [`SignError::KeyId`] for a key id that no header can carry.
    pub fn headers<'h>(
        &mut self,
        key_id: &'h str,
        timestamp: &'h Timestamp,
        method: &str,
        path_and_query: &str,
        signature: &'h mut String,
    ) -> Result<Headers<'h>, SignError> {
        signature.clear();
        headers::check_key_id(key_id)?;
        let signature = self.sign(timestamp, method, path_and_query, signature)?;
        Ok(Headers::new(key_id, timestamp, signature))
    }

    /// Signs the concatenated `message`; returns the length of what is in `self.signature` then.
    fn raw_signature(&mut self, message: &[&[u8]]) -> Result<usize, ErrorStack> {
        let mut hash = Sha256::new();
        for part in message {
            hash.update(part);
        }
        self.operation.sign(&hash.finish(), Some(&mut self.signature))
    }
}

/// The bare operation: RSA-PSS over a SHA-256 digest, MGF1 with SHA-256, a salt of 32 bytes.
fn pss_operation(key: &PKey<Private>) -> Result<PkeyCtx<Private>, ErrorStack> {
    let mut operation = PkeyCtx::new(key)?;
    operation.sign_init()?;
    operation.set_rsa_padding(Padding::PKCS1_PSS)?;
    operation.set_signature_md(Md::sha256())?;
    operation.set_rsa_mgf1_md(Md::sha256())?;
    operation.set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)?;
    Ok(operation)
}

impl fmt::Debug for Signer {
    /// The length of the modulus, and nothing else of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("bits", &(self.signature.len() * 8)).finish_non_exhaustive()
    }
}

//! Private keys: which are taken, and what is said of the others.

use openssl::error::ErrorStack;
use openssl::pkey::{Id, PKey, Private};
use openssl::rsa::Rsa;

use super::library;
use super::pem::{self, Block, CutShort, Label};

/// Fewest bits of a modulus that is taken.
pub(super) const MIN_BITS: u32 = 2_048;

/// Most bits of a modulus that is taken. Checking one of this length takes seconds already.
pub(super) const MAX_BITS: u32 = 8_192;

/// Why a key isn't taken. Each says what it is and what to do; none quotes anything of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Nothing, or white space only.
    #[error("it is empty; put the private key there that the exchange handed out, from BEGIN to END")]
    Empty,
    /// Bytes that are no key in any known form.
    #[error(
        "it is no PEM: a key file has a line -----BEGIN RSA PRIVATE KEY----- or -----BEGIN PRIVATE KEY-----; use the file that the exchange handed out"
    )]
    NotPem,
    /// A PEM block whose end is missing.
    #[error("its PEM is cut short: a BEGIN line without its END line; copy the whole key again")]
    CutShort,
    /// Text in UTF-16.
    #[error(
        "it is saved as UTF-16; convert it with: iconv -f UTF-16 -t UTF-8 OLD.pem > NEW.pem && chmod 600 NEW.pem"
    )]
    Utf16,
    /// Binary DER.
    #[error(
        "it is binary DER, not PEM; if it is a private key, convert it with: openssl pkey -inform DER -in OLD.der -out NEW.pem && chmod 600 NEW.pem"
    )]
    Der,
    /// A private key under a passphrase.
    #[error(
        "it is encrypted, and no passphrase is ever asked for; write it without one with: sed 's/\\\\n/\\n/g; s/^ *//' OLD.pem | openssl pkey -out NEW.pem && chmod 600 NEW.pem"
    )]
    Encrypted,
    /// A private key in OpenSSH's own form.
    #[error(
        "it is in OpenSSH's own form; convert it (in place, so a copy) with: cp OLD NEW.pem && ssh-keygen -p -N '' -m PEM -f NEW.pem"
    )]
    OpenSsh,
    /// A private key in PuTTY's own form.
    #[error(
        "it is in PuTTY's own form; convert it with: puttygen OLD.ppk -O private-openssh -o NEW.pem && ssh-keygen -p -N '' -m PEM -f NEW.pem"
    )]
    Putty,
    /// A public key.
    #[error(
        "it is a public key, and signing takes the private one; the private key can't be made from it, so use the file the exchange handed out, or make a new pair with: openssl genrsa -out NEW.pem 2048"
    )]
    Public,
    /// A certificate.
    #[error(
        "it is a certificate, and signing takes a private key; take it out of its bundle with: openssl pkcs12 -in BUNDLE.p12 -nocerts -nodes -out NEW.pem"
    )]
    Certificate,
    /// A private key of another algorithm.
    #[error(
        "it is a key for {algorithm}, and the exchange's signatures are RSA; no conversion exists, make an RSA key with: openssl genrsa -out NEW.pem 2048"
    )]
    OtherAlgorithm {
        /// Its name.
        algorithm: &'static str,
    },
    /// An RSA key that is marked for PSS alone.
    #[error(
        "it is marked as a key for RSA-PSS alone, and the exchange takes plain RSA keys; the same key without the mark is written by: openssl rsa -in OLD.pem -traditional -out NEW.pem && chmod 600 NEW.pem"
    )]
    PssOnly,
    /// A PEM without a key.
    #[error("it is PEM, but holds no key; use the file that the exchange handed out")]
    OtherPem,
    /// More than one private key.
    #[error(
        "it holds {0} private keys, and which one is meant can't be known; keep one of them in a file of its own"
    )]
    Several(usize),
    /// The base64 or the DER within is broken.
    #[error("its content is damaged: between BEGIN and END stands no readable key; copy the whole key again")]
    Damaged,
    /// A modulus of too few or too many bits.
    #[error(
        "it is an RSA key of {0} bits, and {MIN_BITS} to {MAX_BITS} are taken; make one with: openssl genrsa -out NEW.pem 2048"
    )]
    Bits(u32),
    /// OpenSSL's own algorithms can't be had.
    #[error(
        "OpenSSL can't do RSA-PSS with SHA-256 here, because of its configuration on this machine; correct openssl.cnf, or run with OPENSSL_CONF=/dev/null"
    )]
    OpenSsl,
    /// The parts of the key don't belong together.
    #[error(
        "its parts don't fit each other: {0}; copy the whole key again, or make a new one with: openssl genrsa -out NEW.pem 2048"
    )]
    Inconsistent(&'static str),
}

/// The private key in `text`: the only one there, RSA, of a fair size, and whole.
pub(super) fn private_key(text: &[u8]) -> Result<PKey<Private>, KeyError> {
    if !library::prepare() {
        return Err(KeyError::OpenSsl);
    }
    let block = only_private_block(text)?;
    let der = block.der().ok_or(KeyError::Damaged)?;
    // What stands between BEGIN and END counts, not what the label says of it: people do mend labels by hand.
    let key = PKey::private_key_from_pkcs8(&der)
        .or_else(|_| Rsa::private_key_from_der(&der).and_then(PKey::from_rsa))
        .map_err(|_: ErrorStack| KeyError::Damaged)?;
    check(&key, der.len())?;
    Ok(key)
}

fn only_private_block(text: &[u8]) -> Result<Block<'_>, KeyError> {
    if text.trim_ascii().is_empty() {
        return Err(KeyError::Empty);
    }
    if pem::is_utf16(text) {
        return Err(KeyError::Utf16);
    }
    let blocks = pem::blocks(text).map_err(|CutShort| KeyError::CutShort)?;
    let mut private = blocks.iter().filter(|block| block.label.is_private());
    match (private.next(), private.count()) {
        (Some(block), 0) => match block.label {
            Label::PrivateKey => Ok(*block),
            Label::OpenSshKey => Err(match pem::openssh_algorithm(block) {
                Some(algorithm) => KeyError::OtherAlgorithm { algorithm },
                None => KeyError::OpenSsh,
            }),
            label => Err(other(label)),
        },
        (Some(_), more) => Err(KeyError::Several(1 + more)),
        (None, _) => Err(match blocks.first() {
            Some(block) => other(block.label),
            None if pem::is_der(text) => KeyError::Der,
            None if text.trim_ascii_start().starts_with(b"ssh-") => KeyError::Public,
            None if text.starts_with(b"PuTTY-User-Key-File") => KeyError::Putty,
            None => KeyError::NotPem,
        }),
    }
}

fn other(label: Label) -> KeyError {
    match label {
        Label::EncryptedKey => KeyError::Encrypted,
        Label::EcKey => KeyError::OtherAlgorithm { algorithm: "EC" },
        Label::DsaKey => KeyError::OtherAlgorithm { algorithm: "DSA" },
        Label::OpenSshKey => KeyError::OpenSsh,
        Label::PublicKey => KeyError::Public,
        Label::Certificate => KeyError::Certificate,
        Label::PrivateKey | Label::Other => KeyError::OtherPem,
    }
}

fn check(key: &PKey<Private>, der_bytes: usize) -> Result<(), KeyError> {
    let algorithm = match key.id() {
        Id::RSA => None,
        Id::RSA_PSS => return Err(KeyError::PssOnly),
        Id::EC => Some("EC"),
        Id::ED25519 => Some("Ed25519"),
        Id::ED448 => Some("Ed448"),
        Id::X25519 => Some("X25519"),
        Id::X448 => Some("X448"),
        Id::DSA => Some("DSA"),
        Id::DH => Some("DH"),
        _ => Some("another algorithm"),
    };
    if let Some(algorithm) = algorithm {
        return Err(KeyError::OtherAlgorithm { algorithm });
    }
    if !(MIN_BITS..=MAX_BITS).contains(&key.bits()) {
        return Err(KeyError::Bits(key.bits()));
    }
    let rsa = key.rsa().map_err(|_| KeyError::OpenSsl)?;
    // OpenSSL checks that the primes are some, however long they are, and that takes for ever.
    let parts = [Some(rsa.d()), Some(rsa.e()), rsa.p(), rsa.q(), rsa.dmp1(), rsa.dmq1(), rsa.iqmp()];
    // Primes beyond the second can't be asked for, but there is no room for long ones: in all, a key is five moduli long.
    let too_long = der_bytes > 6 * key.size() + 512;
    if too_long || parts.into_iter().flatten().any(|part| part.num_bits() > rsa.n().num_bits()) {
        return Err(KeyError::Inconsistent("one of its numbers is longer than its modulus"));
    }
    // OpenSSL signs with a key whose precomputed parts are wrong too, four times slower and without a word.
    match rsa.check_key() {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => {
            Err(KeyError::Inconsistent("its primes, exponents and modulus are not those of one key"))
        }
    }
}

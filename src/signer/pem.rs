//! Finds the one key in a file of PEM, however it was pasted, and says what else a file may be.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// What one PEM block says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// `RSA PRIVATE KEY` (PKCS#1), `PRIVATE KEY` (PKCS#8), or a label nobody has heard of: what may be tried.
    PrivateKey,
    EncryptedKey,
    EcKey,
    DsaKey,
    OpenSshKey,
    PublicKey,
    Certificate,
    Other,
}

impl Label {
    fn of(label: &[u8], body: &[u8]) -> Self {
        match label {
            b"ENCRYPTED PRIVATE KEY" => Self::EncryptedKey,
            b"EC PRIVATE KEY" => Self::EcKey,
            b"DSA PRIVATE KEY" => Self::DsaKey,
            b"OPENSSH PRIVATE KEY" => Self::OpenSshKey,
            private if private.ends_with(b"PRIVATE KEY") => {
                // No comma is a digit of base64, so this stands in a header of the block.
                if contains(body, b",ENCRYPTED") { Self::EncryptedKey } else { Self::PrivateKey }
            }
            b"PUBLIC KEY" | b"RSA PUBLIC KEY" => Self::PublicKey,
            b"CERTIFICATE" | b"TRUSTED CERTIFICATE" | b"X509 CERTIFICATE" => Self::Certificate,
            _ => Self::Other,
        }
    }

    pub(super) fn is_private(self) -> bool {
        matches!(self, Self::PrivateKey | Self::EncryptedKey | Self::EcKey | Self::DsaKey | Self::OpenSshKey)
    }
}

/// One `BEGIN` to `END`; borrows from the file's text, so it is no copy of the key.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) label: Label,
    body: &'a [u8],
}

/// A `BEGIN` without its `END`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CutShort;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// The blocks of a text, in order. What stands between them is skipped: blank lines, the `NAME="` of an environment file,
/// the attributes some tools print, a comment that quotes a `BEGIN`.
pub(super) fn blocks(text: &[u8]) -> Result<Vec<Block<'_>>, CutShort> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, after_begin)) = split(rest, BEGIN) {
        let (mut until_end, after_end) = split(after_begin, END).ok_or(CutShort)?;
        while let Some((_, inner)) = split(until_end, BEGIN) {
            until_end = inner;
        }
        let (label, body) = split(until_end, DASHES).ok_or(CutShort)?;
        let (_, after) = split(after_end, DASHES).ok_or(CutShort)?;
        blocks.push(Block { label: Label::of(label.trim_ascii(), body), body });
        rest = after;
    }
    Ok(blocks)
}

impl Block<'_> {
    /// The DER within; `None` when it isn't base64. Line ends of any kind are skipped, among them the two characters `\n`
    /// that a key pasted into an environment file has instead.
    pub(super) fn der(&self) -> Option<Zeroizing<Vec<u8>>> {
        // Room for all of it at once: a buffer that grew would leave a copy behind.
        let mut digits = Zeroizing::new(Vec::with_capacity(self.body.len()));
        let mut bytes = self.body.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                byte if byte.is_ascii_whitespace() => {}
                b'\\' => {
                    while bytes.next_if_eq(&b'\\').is_some() {}
                    bytes.next_if(|next| matches!(next, b'n' | b'r'));
                }
                byte => digits.push(byte),
            }
        }
        let mut der = Zeroizing::new(vec![0; digits.len() / 4 * 3 + 3]);
        let length = STANDARD.decode_slice(&*digits, &mut der).ok()?;
        der.truncate(length);
        Some(der)
    }
}

fn split<'a>(text: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(separator.len()).position(|window| window == separator)?;
    Some((&text[..at], &text[at + separator.len()..]))
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    split(text, word).is_some()
}

/// Text in UTF-16, as some editors save it, with or without its mark.
pub(super) fn is_utf16(text: &[u8]) -> bool {
    let dashes = [b"-\0-\0-\0B\0", b"\0-\0-\0-\0B"];
    text.starts_with(&[0xff, 0xfe])
        || text.starts_with(&[0xfe, 0xff])
        || dashes.iter().any(|dashes| contains(text, *dashes))
}

/// Something in binary DER: one SEQUENCE that is as long as it says.
pub(super) fn is_der(text: &[u8]) -> bool {
    match text {
        [0x30, 0x82, high, low, content @ ..] => {
            content.len() == usize::from(u16::from_be_bytes([*high, *low]))
        }
        [0x30, 0x81, length, content @ ..] | [0x30, length @ ..=0x7f, content @ ..] => {
            content.len() == usize::from(*length)
        }
        _ => false,
    }
}

/// What kind of key the OpenSSH form holds; it says so in the clear, also under a passphrase.
pub(super) fn openssh_algorithm(block: &Block<'_>) -> Option<&'static str> {
    let content = block.der()?;
    let kinds: [(&[u8], _); 3] = [(b"ssh-ed25519", "Ed25519"), (b"ecdsa-sha2-", "EC"), (b"ssh-dss", "DSA")];
    kinds.into_iter().find(|(name, _)| contains(&content, name)).map(|(_, algorithm)| algorithm)
}

//! Throwaway keys, made afresh in each run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;

static KEY: LazyLock<PKey<Private>> = LazyLock::new(|| rsa(2_048));

/// The RSA key of 2,048 bits that the tests of this process share.
pub fn key() -> PKey<Private> {
    KEY.clone()
}

/// A new RSA key.
pub fn rsa(bits: u32) -> PKey<Private> {
    PKey::from_rsa(Rsa::generate(bits).unwrap()).unwrap()
}

/// `BEGIN RSA PRIVATE KEY`, what the exchange hands out.
pub fn pkcs1(key: &PKey<Private>) -> Vec<u8> {
    key.rsa().unwrap().private_key_to_pem().unwrap()
}

/// `BEGIN PRIVATE KEY`.
pub fn pkcs8(key: &PKey<Private>) -> Vec<u8> {
    key.private_key_to_pem_pkcs8().unwrap()
}

/// `BEGIN PUBLIC KEY`.
pub fn public(key: &PKey<Private>) -> Vec<u8> {
    key.public_key_to_pem().unwrap()
}

/// A file that only its owner may read.
pub fn file(directory: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

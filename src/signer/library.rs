//! The OpenSSL in this crate.

use std::sync::LazyLock;

use openssl::provider::Provider;

/// Held for the life of the process.
static DEFAULT_PROVIDER: LazyLock<Option<Provider>> = LazyLock::new(|| Provider::load(None, "default").ok());

/// Loads OpenSSL's own algorithms, should the machine's `openssl.cnf` or `OPENSSL_CONF` have put others in their place.
pub(super) fn prepare() {
    LazyLock::force(&DEFAULT_PROVIDER);
}

/// The OpenSSL that signs: the one built into this crate, whatever the machine has.
#[must_use]
pub fn openssl_version() -> &'static str {
    openssl::version::version()
}

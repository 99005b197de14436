//! The OpenSSL in this crate.

use std::sync::LazyLock;

use openssl::md::Md;
use openssl::provider::Provider;

/// Held for the life of the process.
static DEFAULT_PROVIDER: LazyLock<Option<Provider>> = LazyLock::new(|| Provider::load(None, "default").ok());

/// Loads OpenSSL's own algorithms, should the machine's `openssl.cnf` or `OPENSSL_CONF` have put others in their place.
/// Returns whether they can be had: a configuration can also demand what they don't promise.
pub(super) fn prepare() -> bool {
    DEFAULT_PROVIDER.is_some() && Md::fetch(None, "SHA2-256", None).is_ok()
}

/// The OpenSSL that signs: the one built into this crate, whatever the machine has, unless `OPENSSL_NO_VENDOR` was set
/// for the build.
#[must_use]
pub fn openssl_version() -> &'static str {
    openssl::version::version()
}

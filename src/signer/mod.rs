//! Signs Kalshi requests with RSA-PSS, and checks such signatures.
//!
//! What is signed is `timestamp` + `METHOD` + `path`, nothing between them: the thirteen digits of the header, the method
//! in upper case, the path as it goes out, up to its first `?`. The signature is RSA-PSS with SHA-256, MGF1 with SHA-256
//! and a salt of 32 bytes, in standard base64.
//!
//! - [`Signer`]: a private key, checked when it is loaded, ready to sign.
//! - [`Verifier`]: a public key; says of a signature whether it holds, and if not, which usual mistake made it.
//! - [`Timestamp`], [`Headers`]: what a request carries.
//!
//! ```no_run
//! use wakeline::signer::{Signer, Timestamp};
//!
//! let mut signer = Signer::from_file("kalshi.pem".as_ref())?;
//! let mut signature = String::new();
//! let timestamp = Timestamp::now()?;
//! let path = "/trade-api/v2/portfolio/orders?limit=5";
//! let headers = signer.headers("my-key-id", &timestamp, "GET", path, &mut signature)?;
//! for (name, value) in headers.pairs() {
//!     println!("{name}: {value}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fault;
mod headers;
mod key;
mod key_file;
mod library;
mod pem;
mod request;
mod sign;
mod verify;

pub use fault::{Fault, Mistake};
pub use headers::{HeaderError, Headers};
pub use key::KeyError;
pub use key_file::KeyFileError;
pub use library::openssl_version;
pub use request::{RequestError, Timestamp, WEBSOCKET_METHOD, WEBSOCKET_PATH};
pub use sign::{SignError, Signer};
pub use verify::{PublicKeyError, Verdict, Verifier, VerifyError};

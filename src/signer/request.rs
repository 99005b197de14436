//! What of a request is signed, and which requests aren't.

use std::fmt;
use std::str::FromStr;

use crate::measure::clock::wall_ms;

/// Method of the WebSocket handshake.
pub const WEBSOCKET_METHOD: &str = "GET";

/// Path of the WebSocket handshake.
pub const WEBSOCKET_PATH: &str = "/trade-api/ws/v2";

/// Digits of a timestamp in milliseconds, from 2001 to 2286.
const DIGITS: usize = 13;

/// Which rule a request breaks. The exchange would answer it with 401.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Not thirteen digits.
    #[error("the timestamp {0:?} isn't milliseconds since 1970 in 13 digits, such as 1703123456789{hint}", hint = unit_hint(.0))]
    Timestamp(String),
    /// The clock of this machine isn't between 2001 and 2286.
    #[error("the clock of this machine says {0} ms since 1970, which isn't 13 digits; set it")]
    Clock(i64),
    /// Something else than the letters A to Z.
    #[error(
        "the method {0:?} isn't in upper case letters; it is signed as it is sent, such as GET, POST or DELETE"
    )]
    Method(String),
    /// A URL, where its path is wanted.
    #[error(
        "the path {0:?} has a scheme and a host; give what follows the host, such as /trade-api/v2/portfolio/balance"
    )]
    PathWithScheme(String),
    /// No `/` at its begin.
    #[error(
        "the path {0:?} doesn't begin with /; it is the whole path, such as /trade-api/v2/portfolio/balance"
    )]
    PathWithoutSlash(String),
    /// A character that can't stand in a request line.
    #[error(
        "the path {path:?} has {character:?} in it, which no request can carry; percent-encode it as your HTTP client does and sign that"
    )]
    PathCharacter {
        /// The path, without its query.
        path: String,
        /// The first such character.
        character: char,
    },
    /// Not what it should be, and perhaps a private key. It isn't kept, so that nobody can print it.
    #[error("the {0} isn't one, and isn't shown because it could be a key; the key's file belongs in --key")]
    PerhapsAKey(&'static str),
}

impl RequestError {
    /// The error that `quoting` makes of a text that is no `what`, unless it must not be quoted.
    fn of(what: &'static str, text: &str, quoting: impl FnOnce(String) -> Self) -> Self {
        if perhaps_a_key(text) { Self::PerhapsAKey(what) } else { quoting(text.to_owned()) }
    }
}

/// Whether a text could be a private key or a line of one.
fn perhaps_a_key(text: &str) -> bool {
    /// Longer than any part of a request of the exchange, bytes.
    const LONG: usize = 256;
    /// As much of one line of a key as may be shown, bytes.
    const SOME: usize = 40;
    let is_break = |byte: u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    text.len() > LONG
        || text.len() > SOME && text.contains(['\n', '\r'])
        || text.contains("-----")
        || text.as_bytes().split(|byte| is_break(*byte)).any(|run| run.len() > SOME)
}

fn unit_hint(text: &str) -> &'static str {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return "";
    }
    match text.len() {
        10 => " (it looks like seconds)",
        16 => " (it looks like microseconds)",
        19 => " (it looks like nanoseconds)",
        _ => "",
    }
}

/// Milliseconds since the Unix epoch as thirteen digits: the text that is signed is the text that goes into the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp([u8; DIGITS]);

impl Timestamp {
    /// The wall clock.
    ///
    /// # Errors
    /// [`RequestError::Clock`] when it is so wrong that it hasn't thirteen digits.
    pub fn now() -> Result<Self, RequestError> {
        let ms = wall_ms();
        Self::from_ms(ms).map_err(|_| RequestError::Clock(ms))
    }

    /// The text of `ms` milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`RequestError::Timestamp`] when it hasn't thirteen digits.
    pub fn from_ms(ms: i64) -> Result<Self, RequestError> {
        let mut digits = itoa::Buffer::new();
        let text = digits.format(ms);
        text.parse()
    }

    fn from_digits(text: &str) -> Option<Self> {
        let digits: [u8; DIGITS] = text.as_bytes().try_into().ok()?;
        digits.iter().all(u8::is_ascii_digit).then_some(Self(digits))
    }

    /// The thirteen digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Digits only, by construction.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl FromStr for Timestamp {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        Self::from_digits(text).ok_or_else(|| RequestError::of("timestamp", text, RequestError::Timestamp))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A request that may be signed, in the three parts that are.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignedParts<'a> {
    pub(super) timestamp: &'a Timestamp,
    pub(super) method: &'a str,
    /// Without the query.
    pub(super) path: &'a str,
}

impl<'a> SignedParts<'a> {
    pub(super) fn of(
        timestamp: &'a Timestamp,
        method: &'a str,
        path_and_query: &'a str,
    ) -> Result<Self, RequestError> {
        if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(RequestError::of("method", method, RequestError::Method));
        }
        let path = without_query(path_and_query);
        if !path.starts_with('/') {
            let has_scheme = path.contains("://");
            let error =
                if has_scheme { RequestError::PathWithScheme } else { RequestError::PathWithoutSlash };
            return Err(RequestError::of("path", path, error));
        }
        let unsendable = |character: &char| *character <= ' ' || matches!(character, '\u{7f}' | '#');
        if let Some(character) = path.chars().find(unsendable) {
            return Err(RequestError::of("path", path, |path| RequestError::PathCharacter {
                path,
                character,
            }));
        }
        Ok(Self { timestamp, method, path })
    }

    pub(super) fn bytes(&self) -> [&'a [u8]; 3] {
        [self.timestamp.as_str().as_bytes(), self.method.as_bytes(), self.path.as_bytes()]
    }
}

fn without_query(path_and_query: &str) -> &str {
    path_and_query.split_once('?').map_or(path_and_query, |(path, _)| path)
}

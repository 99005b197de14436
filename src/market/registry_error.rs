//! What can be wrong with a contract registry, each in one sentence that ends with what to do.

use std::io;
use std::path::PathBuf;

/// Why a registry can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The file can't be read.
    #[error("can't read the registry {}: {source}; name a file of [[event]] tables", path.display())]
    Read {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is too large to be meant.
    #[error("the registry {} is above {limit} bytes; name a file of [[event]] tables, or split it", path.display())]
    TooLarge {
        /// Where.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// Something in it is wrong.
    #[error("{}, {fault}", path.display())]
    Fault {
        /// Where.
        path: PathBuf,
        /// What.
        fault: RegistryFault,
    },
}

/// The first thing in a registry's text that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct RegistryFault {
    /// Where, counted from 1.
    pub line: usize,
    /// What.
    pub problem: Problem,
}

/// What is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not UTF-8.
    #[error("not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// Not TOML.
    #[error("not TOML ({0}); write key = \"value\" lines under [[event]]")]
    NotToml(String),
    /// A key above the first table, or in a table that isn't a list of tables.
    #[error("{0:?} stands outside of a table; put it under an [[event]]")]
    OutsideTable(String),
    /// A table of another name.
    #[error("a table {0:?} is unknown; use [[event]] or [[instrument]]")]
    UnknownTable(String),
    /// One table where a list is meant.
    #[error("{0:?} must be a list of tables; write [[{0}]] with two brackets")]
    NotAList(&'static str),
    /// A key that means nothing here.
    #[error("the key {key:?} is unknown; use one of {known}")]
    UnknownKey {
        /// The key.
        key: String,
        /// Those that mean something.
        known: &'static str,
    },
    /// A table without a key that it needs.
    #[error("{table} without {key}; add {key} = \"...\" to it")]
    Missing {
        /// The table.
        table: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A value that is no string.
    #[error("{key} must be a string, and is a {found}; put quotes around it")]
    NotAString {
        /// Its key.
        key: String,
        /// What it is.
        found: &'static str,
    },
    /// A string with nothing in it.
    #[error("{0} is empty; give it a value, or remove the line")]
    Empty(String),
    /// A name that couldn't be found as it stands in a message.
    #[error(
        "{key} {name:?} has a backslash, a quote or a control character, which no venue's names have; correct it"
    )]
    OddName {
        /// Its key.
        key: String,
        /// The name.
        name: String,
    },
    /// Two events of one id.
    #[error("the event id {id:?} is taken by line {first_line}; give each event its own")]
    RepeatedId {
        /// The id.
        id: String,
        /// Where it was before.
        first_line: usize,
    },
    /// A market that belongs to two events.
    #[error("{key} {name:?} is mapped already, in line {first_line}; give each market to one event")]
    MappedTwice {
        /// Its key.
        key: &'static str,
        /// The ticker or token.
        name: String,
        /// Where it was before.
        first_line: usize,
    },
    /// A token that is YES in one place and NO in another.
    #[error(
        "token {name:?} is {key} here and {first_key} in line {first_line}; a token has one role, correct one of them"
    )]
    TwoRoles {
        /// The token.
        name: String,
        /// Its role here.
        key: &'static str,
        /// Its role before.
        first_key: &'static str,
        /// Where it was before.
        first_line: usize,
    },
    /// An instrument of a venue that isn't one of coins.
    #[error("venue {0:?} has no instruments; use \"binance\" or \"coinbase\"")]
    NoCoins(String),
    /// An instrument declared twice.
    #[error("the instrument {symbol:?} is declared already, in line {first_line}; keep one of them")]
    RepeatedInstrument {
        /// Its symbol.
        symbol: String,
        /// Where it was before.
        first_line: usize,
    },
    /// A number of decimal places that isn't one.
    #[error("{0} must be a whole number from 0 to 8; correct it")]
    BadDecimals(String),
}

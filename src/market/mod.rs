//! Market data of four venues: messages to updates, updates to books.
//!
//! - [`model`]: venues, sides, prices and sizes as integers, what one message says ([`Message`], [`Update`]).
//! - [`decimal`]: decimal text to integers, never by way of a float, and back.
//! - [`parse`](parse::parse): messages of each venue to updates, by way of a JSON scanner of our own that borrows.
//! - [`registry`]: the file that says which markets of two venues are the same event.
//! - [`unified`]: all books of a recording ([`Books`]), from messages; [`state`] is what is known of one market.
//!   Under them: [`book`], one venue's book of one market; [`instruments`], what names stand for; [`yes_frame`], NO
//!   tokens told as YES; [`subscriptions`], Kalshi's numbering; [`health`], whether a book can be trusted.
//! - [`sequencer`], [`anchored`]: a book from diffs and snapshots taken beside them, by update ids. [`verify`] compares
//!   one with a later image; [`depth`] reads both.

pub mod anchored;
mod basis_figure;
mod binance;
pub mod book;
mod coin;
mod coinbase;
mod cursor;
pub mod decimal;
pub mod depth;
mod figure;
pub mod health;
pub mod instruments;
mod json;
mod kalshi;
mod ladder;
pub mod model;
pub mod parse;
mod polymarket;
pub mod registry;
mod registry_error;
pub mod sequencer;
pub mod state;
pub mod subscriptions;
mod time;
pub mod unified;
pub mod verify;
pub mod yes_frame;

pub use book::{Book, Level};
pub use model::{Change, Message, Model, Price, Scale, Side, Size, Update, Venue, Verdict};
pub use parse::parse;
pub use registry::Registry;
pub use unified::{Books, Taken};

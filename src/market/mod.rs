//! Market data of four venues: messages to updates, updates to books.
//!
//! - [`model`]: venues, sides, prices and sizes as integers, what one message says ([`Message`], [`Update`]).
//! - [`decimal`]: decimal text to integers, never by way of a float.

pub mod decimal;
pub mod model;

pub use model::{Change, Message, Model, Price, Scale, Side, Size, Update, Venue, Verdict};

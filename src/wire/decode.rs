//! Decoding: what `orjson.loads` and the reference's dataclass accept, less four stricter rules.
//!
//! A frame as orjson writes it takes the predicted path; any other text, and every refusal, goes to the general one.

use super::message::{PriceRange, WakeAck, WakeMessage};
use super::refusal::{Position, Refusal, SyntaxError};
use super::{general, predicted};

/// Decodes bodies, lending its own memory to what a message can't borrow from its body (unescaped strings, price
/// ranges). That memory is reused: once it has grown to what the peers send, decoding allocates nothing.
#[derive(Debug, Default)]
pub struct Decoder {
    unescaped: String,
    ranges: Vec<PriceRange>,
}

impl Decoder {
    /// A decoder that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The wake in a frame's body.
    ///
    /// # Errors
    /// [`Refusal`], whose text is the rejected ack's reason.
    pub fn wake<'a>(&'a mut self, body: &'a [u8]) -> Result<WakeMessage<'a>, Refusal> {
        match predicted::wake(body, &mut self.ranges) {
            Some(wake) => Ok(wake.message(&self.ranges)),
            None => general::wake(utf8(body)?, &mut self.unescaped, &mut self.ranges),
        }
    }

    /// The ack in a frame's body.
    ///
    /// # Errors
    /// [`Refusal`], by the same rules as for wakes.
    pub fn ack<'a>(&'a mut self, body: &'a [u8]) -> Result<WakeAck<'a>, Refusal> {
        general::ack(utf8(body)?, &mut self.unescaped)
    }
}

fn utf8(body: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(body)
        .map_err(|_| Refusal::Syntax { error: SyntaxError::InvalidUtf8, position: Position::START })
}

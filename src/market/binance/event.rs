//! The members of a Binance message, in any order.

use crate::market::json::{Buffer, Field, Scanner, Text};
use crate::market::model::{Fault, Ignored};

/// A message: an event, or a combined stream's envelope with one in it.
#[derive(Debug, Default)]
pub(super) struct Root<'p> {
    stream: Field<'p>,
    data: Option<Event<'p>>,
    /// `data`, unless it is an object.
    no_data: Field<'p>,
    bare: Event<'p>,
}

/// The members of an event, of all types together.
#[derive(Debug, Default)]
pub(super) struct Event<'p> {
    /// `e`.
    pub kind: Field<'p>,
    /// `E`.
    pub time_ms: Field<'p>,
    /// `s`.
    pub symbol: Field<'p>,
    /// `U`.
    pub first_id: Field<'p>,
    /// `u`.
    pub last_id: Field<'p>,
    /// `b`: the best bid, or the bids.
    pub bid: Field<'p>,
    /// `B`.
    pub bid_size: Field<'p>,
    /// `a`: the best ask, or the asks.
    pub ask: Field<'p>,
    /// `A`.
    pub ask_size: Field<'p>,
    result: Field<'p>,
    error: Field<'p>,
    code: Field<'p>,
    last_update_id: Field<'p>,
}

impl<'p> Root<'p> {
    /// Checks the whole message; `None` if it is no object.
    pub(super) fn read(payload: &'p [u8]) -> Result<Option<Self>, Fault> {
        let mut root = Self::default();
        let object = Scanner::document(payload, |scanner, key| root.member(scanner, key))?;
        Ok(object.then_some(root))
    }

    fn member(&mut self, scanner: &mut Scanner<'p>, key: Text<'p>) -> Result<(), Fault> {
        let field = match key.decoded(&mut Buffer::new()) {
            "stream" => &mut self.stream,
            "data" if self.data.is_none() && self.no_data.is_absent() => {
                if scanner.peek() == Some(b'{') {
                    let mut event = Event::default();
                    scanner.object(|scanner, key| event.member(scanner, key))?;
                    self.data = Some(event);
                    return Ok(());
                }
                &mut self.no_data
            }
            _ => return self.bare.member(scanner, key),
        };
        field.put(scanner.value()?);
        Ok(())
    }

    /// The event, which must be there if there is an envelope.
    pub(super) fn event(&self) -> Result<&Event<'p>, Fault> {
        match (self.stream.if_string(), &self.data) {
            (None, _) => Ok(&self.bare),
            (Some(_), Some(data)) => Ok(data),
            (Some(_), None) if self.no_data.is_absent() => Err(Fault::MissingField),
            (Some(_), None) => Err(Fault::WrongType),
        }
    }
}

impl<'p> Event<'p> {
    fn member(&mut self, scanner: &mut Scanner<'p>, key: Text<'p>) -> Result<(), Fault> {
        let value = scanner.value()?;
        let field = match key.decoded(&mut Buffer::new()) {
            "e" => &mut self.kind,
            "E" => &mut self.time_ms,
            "s" => &mut self.symbol,
            "U" => &mut self.first_id,
            "u" => &mut self.last_id,
            "b" => &mut self.bid,
            "B" => &mut self.bid_size,
            "a" => &mut self.ask,
            "A" => &mut self.ask_size,
            "result" => &mut self.result,
            "error" => &mut self.error,
            "code" => &mut self.code,
            "lastUpdateId" => &mut self.last_update_id,
            _ => return Ok(()),
        };
        field.put(value);
        Ok(())
    }

    /// What a message without a symbol is: a reply to a command, an error, an image of a book by its number.
    pub(super) fn without_symbol(&self) -> Ignored {
        if !self.error.is_absent() || !self.code.is_absent() {
            Ignored::VenueError
        } else if !self.result.is_absent() {
            Ignored::Reply
        } else if !self.last_update_id.is_absent() {
            Ignored::OfNoInterest
        } else {
            Ignored::Unknown
        }
    }
}

//! The members of a Kalshi message, in any order.

use crate::market::json::{Buffer, Field, Scanner, Text};
use crate::market::model::{Fault, Sequence, SequenceKind};
use crate::market::time;

/// What every message has.
#[derive(Debug, Default)]
pub(super) struct Frame<'p> {
    pub kind: Field<'p>,
    sid: Field<'p>,
    seq: Field<'p>,
    /// `msg`, unless it is an object.
    no_body: Field<'p>,
    body: Option<Body<'p>>,
}

/// The members of `msg`, of all types together.
#[derive(Debug, Default)]
pub(super) struct Body<'p> {
    pub market_ticker: Field<'p>,
    pub yes: Field<'p>,
    pub no: Field<'p>,
    pub yes_dollars_fp: Field<'p>,
    pub no_dollars_fp: Field<'p>,
    pub price: Field<'p>,
    pub price_dollars: Field<'p>,
    pub delta: Field<'p>,
    pub delta_fp: Field<'p>,
    pub side: Field<'p>,
    pub yes_price: Field<'p>,
    pub yes_price_dollars: Field<'p>,
    pub count: Field<'p>,
    pub count_fp: Field<'p>,
    pub taker_side: Field<'p>,
    pub taker_outcome_side: Field<'p>,
    pub taker_book_side: Field<'p>,
    pub yes_bid_dollars: Field<'p>,
    pub yes_bid_size_fp: Field<'p>,
    pub yes_ask_dollars: Field<'p>,
    pub yes_ask_size_fp: Field<'p>,
    ts: Field<'p>,
    ts_ms: Field<'p>,
    /// Whether a member that nobody here knows may hold a side of a book.
    pub unknown_book: bool,
}

impl<'p> Frame<'p> {
    /// Checks the whole message; `None` if it is no object.
    pub(super) fn read(payload: &'p [u8]) -> Result<Option<Self>, Fault> {
        let mut frame = Self::default();
        let object = Scanner::document(payload, |scanner, key| frame.member(scanner, key))?;
        Ok(object.then_some(frame))
    }

    fn member(&mut self, scanner: &mut Scanner<'p>, key: Text<'p>) -> Result<(), Fault> {
        let field = match key.decoded(&mut Buffer::new()) {
            "type" => &mut self.kind,
            "sid" => &mut self.sid,
            "seq" => &mut self.seq,
            "msg" if self.body.is_none() && self.no_body.is_absent() => {
                if scanner.peek() == Some(b'{') {
                    self.body = Some(Body::read(scanner)?);
                    return Ok(());
                }
                &mut self.no_body
            }
            _ => return scanner.value().map(drop),
        };
        field.put(scanner.value()?);
        Ok(())
    }

    /// The body that must be there.
    pub(super) fn body(&self) -> Result<&Body<'p>, Fault> {
        match &self.body {
            Some(body) => Ok(body),
            None if self.no_body.is_absent() => Err(Fault::MissingField),
            None => Err(Fault::WrongType),
        }
    }

    /// Its place in the numbering, if both numbers are there.
    pub(super) fn sequence(&self, kind: SequenceKind) -> Option<Sequence> {
        Some(Sequence { subscription: self.sid.if_unsigned()?, number: self.seq.if_unsigned()?, kind })
    }
}

impl<'p> Body<'p> {
    fn read(scanner: &mut Scanner<'p>) -> Result<Self, Fault> {
        let mut body = Self::default();
        scanner.object(|scanner, key| {
            let value = scanner.value()?;
            let mut buffer = Buffer::new();
            let key = key.decoded(&mut buffer);
            match body.field(key) {
                Some(field) => field.put(value),
                None => {
                    let named_as_a_side = key.starts_with("yes") || key.starts_with("no");
                    body.unknown_book |= named_as_a_side || value.is_container();
                }
            }
            Ok(())
        })?;
        Ok(body)
    }

    fn field(&mut self, key: &str) -> Option<&mut Field<'p>> {
        Some(match key {
            "market_ticker" => &mut self.market_ticker,
            "yes" => &mut self.yes,
            "no" => &mut self.no,
            "yes_dollars_fp" => &mut self.yes_dollars_fp,
            "no_dollars_fp" => &mut self.no_dollars_fp,
            "price" => &mut self.price,
            "price_dollars" => &mut self.price_dollars,
            "delta" => &mut self.delta,
            "delta_fp" => &mut self.delta_fp,
            "side" => &mut self.side,
            "yes_price" => &mut self.yes_price,
            "yes_price_dollars" => &mut self.yes_price_dollars,
            "count" => &mut self.count,
            "count_fp" => &mut self.count_fp,
            "taker_side" => &mut self.taker_side,
            "taker_outcome_side" => &mut self.taker_outcome_side,
            "taker_book_side" => &mut self.taker_book_side,
            "yes_bid_dollars" => &mut self.yes_bid_dollars,
            "yes_bid_size_fp" => &mut self.yes_bid_size_fp,
            "yes_ask_dollars" => &mut self.yes_ask_dollars,
            "yes_ask_size_fp" => &mut self.yes_ask_size_fp,
            "ts" => &mut self.ts,
            "ts_ms" => &mut self.ts_ms,
            _ => return None,
        })
    }

    /// The venue's clock: `ts_ms`, else `ts`, which is RFC 3339 in some messages and seconds in others.
    pub(super) fn time_ns(&self) -> Option<i64> {
        if let Some(ms) = self.ts_ms.if_unsigned() {
            return time::of_ms(ms);
        }
        match self.ts.if_string() {
            Some(text) => time::of_rfc3339(text.decoded(&mut Buffer::new())),
            None => time::of_seconds(self.ts.if_unsigned()?),
        }
    }
}

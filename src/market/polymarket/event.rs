//! The members of a Polymarket event, in any order.

use crate::market::json::{Buffer, Field, Scanner};
use crate::market::model::Fault;
use crate::market::time;

/// The members of an event, of all types together.
#[derive(Debug, Default)]
pub(super) struct Event<'p> {
    pub event_type: Field<'p>,
    pub asset_id: Field<'p>,
    pub market: Field<'p>,
    pub timestamp: Field<'p>,
    pub hash: Field<'p>,
    pub bids: Field<'p>,
    pub asks: Field<'p>,
    pub tick_size: Field<'p>,
    pub last_trade_price: Field<'p>,
    pub min_order_size: Field<'p>,
    pub price_changes: Field<'p>,
    pub new_tick_size: Field<'p>,
    pub price: Field<'p>,
    pub size: Field<'p>,
    pub side: Field<'p>,
    pub best_bid: Field<'p>,
    pub best_ask: Field<'p>,
    changes: Field<'p>,
    /// Whether a member that nobody here knows may hold a side of a book.
    pub unknown_container: bool,
}

/// A change of a level, and the best prices after it.
#[derive(Debug, Default)]
pub(super) struct Entry<'p> {
    pub asset_id: Field<'p>,
    pub price: Field<'p>,
    pub size: Field<'p>,
    pub side: Field<'p>,
    pub best_bid: Field<'p>,
    pub best_ask: Field<'p>,
}

/// A level of a snapshot.
#[derive(Debug, Default)]
pub(super) struct Level<'p> {
    pub price: Field<'p>,
    pub size: Field<'p>,
}

impl<'p> Event<'p> {
    /// Checks the value at hand; `None` if it is no object.
    pub(super) fn read(scanner: &mut Scanner<'p>) -> Result<Option<Self>, Fault> {
        if scanner.peek() != Some(b'{') {
            return scanner.value().map(|_| None);
        }
        let mut event = Self::default();
        scanner.object(|scanner, key| {
            let value = scanner.value()?;
            match event.field(key.decoded(&mut Buffer::new())) {
                Some(field) => field.put(value),
                None => event.unknown_container |= value.is_container(),
            }
            Ok(())
        })?;
        Ok(Some(event))
    }

    fn field(&mut self, key: &str) -> Option<&mut Field<'p>> {
        Some(match key {
            "event_type" => &mut self.event_type,
            "asset_id" => &mut self.asset_id,
            "market" => &mut self.market,
            "timestamp" => &mut self.timestamp,
            "hash" => &mut self.hash,
            "bids" => &mut self.bids,
            "asks" => &mut self.asks,
            "tick_size" => &mut self.tick_size,
            "last_trade_price" => &mut self.last_trade_price,
            "min_order_size" => &mut self.min_order_size,
            "price_changes" => &mut self.price_changes,
            "changes" => &mut self.changes,
            "new_tick_size" => &mut self.new_tick_size,
            "price" => &mut self.price,
            "size" => &mut self.size,
            "side" => &mut self.side,
            "best_bid" => &mut self.best_bid,
            "best_ask" => &mut self.best_ask,
            _ => return None,
        })
    }

    /// The venue's clock: milliseconds, as a rule in a string.
    pub(super) fn time_ns(&self) -> Option<i64> {
        match self.timestamp.if_string() {
            Some(text) => time::of_ms_text(text.decoded(&mut Buffer::new())),
            None => time::of_ms(self.timestamp.if_unsigned()?),
        }
    }

    /// The entries of a price change in any of its forms: in `price_changes` with a market each, in `changes` with the event's
    /// market, or the event itself as the only one.
    pub(super) fn each_entry(
        &self,
        mut entry: impl FnMut(&Entry<'p>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (new, middle) = (self.price_changes.unless_null(), self.changes.unless_null());
        if !new.is_absent() {
            new.array()?.array(|scanner| entry(&Entry::read(scanner)?))
        } else if !middle.is_absent() {
            middle
                .array()?
                .array(|scanner| entry(&Entry { asset_id: self.asset_id, ..Entry::read(scanner)? }))
        } else {
            let &Self { asset_id, price, size, side, best_bid, best_ask, .. } = self;
            entry(&Entry { asset_id, price, size, side, best_bid, best_ask })
        }
    }
}

impl<'p> Entry<'p> {
    pub(super) fn read(scanner: &mut Scanner<'p>) -> Result<Self, Fault> {
        let mut entry = Self::default();
        scanner.members(|key, value| {
            let field = match key.decoded(&mut Buffer::new()) {
                "asset_id" => &mut entry.asset_id,
                "price" => &mut entry.price,
                "size" => &mut entry.size,
                "side" => &mut entry.side,
                "best_bid" => &mut entry.best_bid,
                "best_ask" => &mut entry.best_ask,
                _ => return,
            };
            field.put(value);
        })?;
        Ok(entry)
    }
}

impl<'p> Level<'p> {
    pub(super) fn read(scanner: &mut Scanner<'p>) -> Result<Self, Fault> {
        let mut level = Self::default();
        scanner.members(|key, value| match key.decoded(&mut Buffer::new()) {
            "price" => level.price.put(value),
            "size" => level.size.put(value),
            _ => {}
        })?;
        Ok(level)
    }
}

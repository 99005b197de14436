//! The predicted path: books and price changes without a blank too many, as the venue sends them: with their members in any order, but
//! those of levels and entries in the venue's.

use super::hash::Hashed;
use crate::market::cursor::Cursor;
use crate::market::model::{Change, Message, Model, Price, Scale, Side, Size};
use crate::market::time;

/// Entries of a price change that tell the best prices; of one with more the general path makes sense.
const MOST_BESTS: usize = 8;

/// Reads such a message whole, or nothing of it.
#[inline]
pub(super) fn events<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Option<()> {
    let mut cursor = Cursor::new(payload);
    let read = match cursor.peek()? {
        b'{' => event(&mut cursor, model, message),
        b'[' => array(&mut cursor, model, message),
        _ => return None,
    };
    if read.is_none() || !cursor.is_at_end() {
        message.reset();
        return None;
    }
    read
}

fn array<'p>(cursor: &mut Cursor<'p>, model: Model, message: &mut Message<'p>) -> Option<()> {
    cursor.literal(b"[")?;
    loop {
        event(cursor, model, message)?;
        if cursor.literal(b"]").is_some() {
            return Some(());
        }
        cursor.literal(b",")?;
        cursor.blank();
    }
}

/// The members of an event so far.
#[derive(Default)]
struct Event<'p> {
    event_type: Option<&'p str>,
    market: Option<&'p str>,
    asset_id: Option<&'p str>,
    timestamp: Option<&'p str>,
    hash: Option<&'p str>,
    tick_size: Option<&'p str>,
    last_trade_price: Option<&'p str>,
    bids: Option<&'p [u8]>,
    asks: Option<&'p [u8]>,
    time_ns: Option<i64>,
    entries: bool,
}

#[inline(always)]
fn event<'p>(cursor: &mut Cursor<'p>, model: Model, message: &mut Message<'p>) -> Option<()> {
    let mut event = Event::default();
    let mut bests = [None; MOST_BESTS];
    cursor.literal(b"{\"")?;
    loop {
        let key = cursor.string()?;
        cursor.literal(b":")?;
        match key {
            "market" => put(&mut event.market, text(cursor)?)?,
            "asset_id" => put(&mut event.asset_id, text(cursor)?)?,
            "event_type" => put(&mut event.event_type, text(cursor)?)?,
            "hash" => put(&mut event.hash, text(cursor)?)?,
            "tick_size" => put(&mut event.tick_size, text(cursor)?)?,
            "last_trade_price" => put(&mut event.last_trade_price, text(cursor)?)?,
            "timestamp" => {
                let (text, ms) = milliseconds(cursor)?;
                put(&mut event.timestamp, text)?;
                event.time_ns = time::of_ms(ms);
            }
            "price_changes" if !event.entries => {
                event.entries = true;
                entries(cursor, model, message, &mut bests)?;
            }
            // Bids come first in the updates.
            "bids" if event.asks.is_none() => {
                let market = event.asset_id?;
                message.push(market, Change::Clear);
                put(&mut event.bids, levels(cursor, market, Side::Bid, model, message)?)?;
            }
            "asks" if event.bids.is_some() => {
                put(&mut event.asks, levels(cursor, event.asset_id?, Side::Ask, model, message)?)?;
            }
            _ => return None,
        }
        if cursor.literal(b"}").is_some() {
            break;
        }
        cursor.next(b"\"")?;
    }
    match event.event_type? {
        "price_change" if event.entries && event.bids.is_none() => {
            for (market, best) in bests.iter().map_while(|best| *best) {
                message.push(market, best);
            }
        }
        "book" if !event.entries && event.asks.is_some() => event.count_hash(model, message)?,
        _ => return None,
    }
    message.venue_time_ns = message.venue_time_ns.max(event.time_ns);
    Some(())
}

/// Keeps a member, unless there was one of its name.
#[inline(always)]
fn put<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    if slot.is_some() {
        return None;
    }
    *slot = Some(value);
    Some(())
}

#[inline(always)]
fn text<'p>(cursor: &mut Cursor<'p>) -> Option<&'p str> {
    cursor.literal(b"\"")?;
    cursor.string()
}

/// A string of nothing but an integer, and the integer.
#[inline(always)]
fn milliseconds<'p>(cursor: &mut Cursor<'p>) -> Option<(&'p str, u64)> {
    cursor.literal(b"\"")?;
    let mut digits = *cursor;
    let text = cursor.string()?;
    let ms = digits.unsigned()?;
    (digits.rest().len() == cursor.rest().len() + 1).then_some((text, ms))
}

/// The entries of a price change: their levels go to the message, their best prices to `bests`.
#[inline(always)]
fn entries<'p>(
    cursor: &mut Cursor<'p>,
    model: Model,
    message: &mut Message<'p>,
    bests: &mut [Option<(&'p str, Change)>; MOST_BESTS],
) -> Option<()> {
    let mut count = 0;
    cursor.literal(b"[{\"asset_id\":\"")?;
    loop {
        let market = cursor.string()?;
        cursor.next(b"\"price\":\"")?;
        let price = price(cursor, model)?;
        cursor.next(b"\"size\":\"")?;
        let size = size(cursor, model)?;
        cursor.next(b"\"side\":\"")?;
        let side = if cursor.literal(b"BUY\"").is_some() {
            Side::Bid
        } else {
            cursor.literal(b"SELL\"")?;
            Side::Ask
        };
        message.push(market, Change::Set { side, price: Price(price), size: Size(size) });
        if cursor.literal(b"}").is_none() {
            cursor.next(b"\"hash\":\"")?;
            cursor.string()?;
            if cursor.literal(b"}").is_none() {
                if let Some(best) = best(cursor, model)? {
                    *bests.get_mut(count)? = Some((market, best));
                    count += 1;
                }
                cursor.literal(b"}")?;
            }
        }
        if cursor.literal(b"]").is_some() {
            return Some(());
        }
        cursor.next(b"{\"asset_id\":\"")?;
    }
}

/// The best prices behind an entry's hash; the reference doesn't look at them.
#[inline(always)]
fn best(cursor: &mut Cursor<'_>, model: Model) -> Option<Option<Change>> {
    const DOLLAR: i64 = Scale::PREDICTION.dollar().0;
    cursor.next(b"\"best_bid\":\"")?;
    if model == Model::Basis {
        cursor.string()?;
        cursor.next(b"\"best_ask\":\"")?;
        return cursor.string().map(|_| None);
    }
    let bid = price(cursor, model)?;
    cursor.next(b"\"best_ask\":\"")?;
    let ask = price(cursor, model)?;
    let (bid, ask) = ((bid != 0).then_some(Price(bid)), (ask != DOLLAR).then_some(Price(ask)));
    Some(Some(Change::Best { bid, ask }))
}

/// A side of a snapshot goes to the message; its text.
#[inline(always)]
fn levels<'p>(
    cursor: &mut Cursor<'p>,
    market: &'p str,
    side: Side,
    model: Model,
    message: &mut Message<'p>,
) -> Option<&'p [u8]> {
    let from = cursor.rest();
    cursor.literal(b"[")?;
    let mut more = cursor.literal(b"]").is_none();
    while more {
        cursor.literal(b"{\"price\":\"")?;
        let price = price(cursor, model)?;
        cursor.next(b"\"size\":\"")?;
        let size = size(cursor, model)?;
        cursor.literal(b"}")?;
        if size == 0 && model == Model::Exact {
            message.left_out.without_size += 1;
        } else {
            message.push(market, Change::Set { side, price: Price(price), size: Size(size) });
        }
        more = cursor.literal(b"]").is_none();
        if more {
            cursor.literal(b",")?;
            cursor.blank();
        }
    }
    from.get(..from.len() - cursor.rest().len())
}

/// A price from nothing to a dollar; in the reference whole cents, half of one upwards.
#[inline(always)]
fn price(cursor: &mut Cursor<'_>, model: Model) -> Option<i64> {
    let price = cursor.decimal::<4>()?;
    if price > Scale::PREDICTION.dollar().0 {
        return None;
    }
    Some(match model {
        Model::Exact => price,
        Model::Basis => (price + 50) / 100,
    })
}

/// A size; in the reference whole contracts, half of one upwards, and never nothing of something.
#[inline(always)]
fn size(cursor: &mut Cursor<'_>, model: Model) -> Option<i64> {
    let size = cursor.decimal::<6>()?;
    Some(match model {
        Model::Exact => size,
        Model::Basis => ((size + 500_000) / 1_000_000).max(i64::from(size != 0)),
    })
}

impl<'p> Event<'p> {
    /// Counts what becomes of the hash, if there is one.
    fn count_hash(&self, model: Model, message: &mut Message<'_>) -> Option<()> {
        let Some(hash) = self.hash.filter(|hash| model == Model::Basis || !hash.is_empty()) else {
            return Some(());
        };
        // Only a book that has these is hashed, and needs its levels as text.
        let hashable = self.tick_size.is_some() && self.last_trade_price.is_some();
        let text = |side: Option<&'p [u8]>| match side.filter(|_| hashable).map(str::from_utf8) {
            None => Some(None),
            Some(side) => side.ok().map(Some),
        };
        let hashed = Hashed {
            hash,
            market: self.market,
            asset_id: self.asset_id,
            timestamp: self.timestamp,
            bids: text(self.bids)?,
            asks: text(self.asks)?,
            min_order_size: None,
            tick_size: self.tick_size,
            last_trade_price: self.last_trade_price,
        };
        hashed.count(&mut message.hashes);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLANKS: &str = r#"{"market":"0xfe", "price_changes":[{"asset_id":"88", "price":"0.122", "size":"100", "side":"BUY", "hash":"aa", "best_bid":"0.165", "best_ask":"0.166"}, {"asset_id":"89", "price":"0.878", "size":"4.123456", "side":"SELL", "hash":"bb", "best_bid":"0", "best_ask":"1"}], "timestamp":"1783200951797", "event_type":"price_change"}"#;
    const COMPACT: &str = r#"{"event_type":"price_change","market":"0xs","price_changes":[{"asset_id":"100","price":"0.49","size":"0","side":"BUY","hash":"synthetic"}],"timestamp":"1767225600500"}"#;
    const IMAGES: &str = r#"[{"market":"0xfe","asset_id":"88","timestamp":"17","hash":"aa","bids":[{"price":"0.1","size":"2.5"},{"price":"0.2","size":"0"}],"asks":[],"tick_size":"0.01","event_type":"book","last_trade_price":"0.5"},{"market":"0xfe","asset_id":"89","bids":[],"asks":[{"price":"0.9","size":"7"}],"event_type":"book"}]"#;
    const REFRESH: &str = r#"{"market":"0xfe", "asset_id":"88", "bids":[{"price":"0.1", "size":"2.5"}, {"price":"0.2", "size":"1"}], "asks":[], "hash":"aa", "timestamp":"17", "event_type":"book"}"#;

    #[test]
    fn the_venue_s_layouts_are_foreseen_whole_or_not_at_all() {
        for whole in [BLANKS, COMPACT, IMAGES, REFRESH] {
            for model in [Model::Exact, Model::Basis] {
                let mut message = Message::default();
                assert!(events(whole.as_bytes(), model, &mut message).is_some(), "{whole}");
                for end in 0..whole.len() {
                    let mut message = Message::default();
                    assert!(
                        events(&whole.as_bytes()[..end], model, &mut message).is_none(),
                        "{}",
                        &whole[..end]
                    );
                    assert!(message.updates.is_empty() && message.venue_time_ns.is_none());
                    assert_eq!((message.hashes, message.left_out), Default::default());
                }
            }
        }
    }
}

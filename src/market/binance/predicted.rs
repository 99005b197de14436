//! The predicted path: diffs and book tickers without blanks and with their members in the venue's order, in an envelope or not.

use crate::market::cursor::Cursor;
use crate::market::model::{Change, Message, Model, Price, Side, Size, UpdateIds};
use crate::market::time;

/// Reads such a message whole, or nothing of it.
#[inline]
pub(super) fn event<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Option<()> {
    let mut cursor = Cursor::new(payload);
    let enveloped = cursor.literal(b"{\"stream\":\"").is_some();
    if enveloped {
        cursor.string()?;
        cursor.literal(b",\"data\":")?;
    }
    let read = if cursor.literal(b"{\"u\":").is_some() {
        book_ticker(&mut cursor, model, message)
    } else {
        depth_update(&mut cursor, model, message)
    };
    let ended = read.and_then(|()| if enveloped { cursor.literal(b"}") } else { Some(()) });
    if ended.is_none() || !cursor.is_at_end() {
        message.reset();
        return None;
    }
    ended
}

#[inline(always)]
fn book_ticker<'p>(cursor: &mut Cursor<'p>, model: Model, message: &mut Message<'p>) -> Option<()> {
    cursor.unsigned()?;
    cursor.literal(b",\"s\":\"")?;
    let symbol = cursor.string()?;
    cursor.literal(b",\"b\":\"")?;
    let bid = price(cursor, model)?;
    cursor.literal(b",\"B\":\"")?;
    let bid_size = cursor.decimal::<8>()?;
    cursor.literal(b",\"a\":\"")?;
    let ask = price(cursor, model)?;
    cursor.literal(b",\"A\":\"")?;
    let ask_size = cursor.decimal::<8>()?;
    cursor.literal(b"}")?;
    if model == Model::Basis {
        message.push(symbol, Change::Clear);
    }
    for (side, price, size) in [(Side::Bid, bid, bid_size), (Side::Ask, ask, ask_size)] {
        let (price, size) = (Price(price), Size(size));
        let change = match model {
            Model::Exact => Change::Touch { side, price, size },
            Model::Basis => Change::Set { side, price, size },
        };
        message.push(symbol, change);
    }
    Some(())
}

#[inline(always)]
fn depth_update<'p>(cursor: &mut Cursor<'p>, model: Model, message: &mut Message<'p>) -> Option<()> {
    cursor.literal(b"{\"e\":\"depthUpdate\",\"E\":")?;
    message.venue_time_ns = time::of_ms(cursor.unsigned()?);
    cursor.literal(b",\"s\":\"")?;
    let symbol = cursor.string()?;
    cursor.literal(b",\"U\":")?;
    let first = cursor.unsigned()?;
    cursor.literal(b",\"u\":")?;
    message.update_ids = Some(UpdateIds { first, last: cursor.unsigned()? });
    cursor.literal(b",\"b\":")?;
    levels(cursor, symbol, Side::Bid, model, message)?;
    cursor.literal(b",\"a\":")?;
    levels(cursor, symbol, Side::Ask, model, message)?;
    cursor.literal(b"}")?;
    (!message.updates.is_empty()).then_some(())
}

#[inline(always)]
fn levels<'p>(
    cursor: &mut Cursor<'p>,
    symbol: &'p str,
    side: Side,
    model: Model,
    message: &mut Message<'p>,
) -> Option<()> {
    if cursor.literal(b"[]").is_some() {
        return Some(());
    }
    cursor.literal(b"[[\"")?;
    loop {
        let price = price(cursor, model)?;
        cursor.literal(b",\"")?;
        let size = cursor.decimal::<8>()?;
        message.push(symbol, Change::Set { side, price: Price(price), size: Size(size) });
        if cursor.literal(b"]]").is_some() {
            return Some(());
        }
        cursor.literal(b"],[\"")?;
    }
}

/// A price; in the reference whole cents, and only such as are.
#[inline(always)]
fn price(cursor: &mut Cursor<'_>, model: Model) -> Option<i64> {
    const CENT: i64 = 1_000_000;
    let price = cursor.decimal::<8>()?;
    match model {
        Model::Exact => Some(price),
        Model::Basis => (price % CENT == 0 && price <= 2_000_000_000 * CENT).then_some(price / CENT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKER: &str = r#"{"stream":"abcusdt@bookTicker","data":{"u":71,"s":"ABCUSDT","b":"12.34000000","B":"3.50000000","a":"12.35","A":"0.25"}}"#;
    const DIFF: &str = r#"{"stream":"abcusdt@depth@100ms","data":{"e":"depthUpdate","E":1790000000000,"s":"ABCUSDT","U":72,"u":75,"b":[["12.33","0.00000000"],["12.32","1"]],"a":[["12.36","4.1"]]}}"#;
    const BARE: &str =
        r#"{"e":"depthUpdate","E":1790000000000,"s":"ABCUSDT","U":72,"u":75,"b":[],"a":[["12.36","4.1"]]}"#;

    #[test]
    fn the_venue_s_layouts_are_foreseen_whole_or_not_at_all() {
        for whole in [TICKER, DIFF, BARE] {
            for model in [Model::Exact, Model::Basis] {
                assert!(event(whole.as_bytes(), model, &mut Message::default()).is_some(), "{whole}");
                for end in 0..whole.len() {
                    let mut message = Message::default();
                    assert!(
                        event(&whole.as_bytes()[..end], model, &mut message).is_none(),
                        "{}",
                        &whole[..end]
                    );
                    assert!(message.updates.is_empty() && message.update_ids.is_none());
                }
            }
        }
    }
}

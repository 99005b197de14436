//! The predicted path: a delta of either generation with its keys in the documented order and no blanks, as the venue sends them.

use super::folded;
use crate::market::cursor::Cursor;
use crate::market::model::{Change, Message, Model, Sequence, SequenceKind, Side, Size};
use crate::market::time;

/// Reads such a delta whole, or nothing of it.
#[inline]
pub(super) fn delta<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Option<()> {
    let mut cursor = Cursor::new(payload);
    cursor.literal(b"{\"type\":\"orderbook_delta\",\"sid\":")?;
    let subscription = cursor.unsigned()?;
    cursor.literal(b",\"seq\":")?;
    let number = cursor.unsigned()?;
    cursor.literal(b",\"msg\":{\"market_ticker\":\"")?;
    let market = cursor.string()?;
    let (price, change) = if cursor.literal(b",\"price\":").is_some() {
        in_cents(&mut cursor, model)?
    } else if model == Model::Exact {
        in_dollars(&mut cursor)?
    } else {
        return None;
    };
    cursor.literal(b",\"side\":\"")?;
    let side = if cursor.literal(b"yes\"").is_some() {
        Side::Bid
    } else {
        cursor.literal(b"no\"")?;
        Side::Ask
    };
    let venue_time_ns = if cursor.literal(b"}}").is_some() { None } else { time_ns(&mut cursor)? };
    if !cursor.is_at_end() {
        return None;
    }
    message.sequence = Some(Sequence { subscription, number, kind: SequenceKind::Delta });
    message.venue_time_ns = venue_time_ns;
    let price = folded(side, price, model);
    message.push(market, Change::Add { side, price, change: Size(change) });
    Some(())
}

/// Price and change of whole cents and contracts, behind the first key.
#[inline(always)]
fn in_cents(cursor: &mut Cursor<'_>, model: Model) -> Option<(i64, i64)> {
    let cents = cursor.unsigned()? as i64;
    cursor.literal(b",\"delta\":")?;
    let contracts = cursor.integer()?;
    if !(1..=99).contains(&cents) {
        return None;
    }
    match model {
        Model::Exact => Some((cents * 100, contracts.checked_mul(1_000_000)?)),
        Model::Basis => Some((cents, contracts)),
    }
}

/// Price and change of dollar and contract strings.
#[inline(always)]
fn in_dollars(cursor: &mut Cursor<'_>) -> Option<(i64, i64)> {
    cursor.literal(b",\"market_id\":\"")?;
    cursor.string()?;
    cursor.literal(b",\"price_dollars\":\"")?;
    let price = cursor.decimal::<4>()?;
    cursor.literal(b",\"delta_fp\":\"")?;
    let change = cursor.signed_decimal::<6>()?;
    (price > 0 && price < 10_000).then_some((price, change))
}

/// The times behind the side, and the end of the message.
#[inline(always)]
fn time_ns(cursor: &mut Cursor<'_>) -> Option<Option<i64>> {
    let text = match cursor.literal(b",\"ts\":\"") {
        Some(()) => Some(cursor.string()?),
        None => None,
    };
    let ms = match cursor.literal(b",\"ts_ms\":") {
        Some(()) => Some(cursor.unsigned()?),
        None => None,
    };
    cursor.literal(b"}}")?;
    Some(match (ms, text) {
        (Some(ms), _) => time::of_ms(ms),
        (None, Some(text)) => time::of_rfc3339(text),
        (None, None) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predicted(payload: &str, model: Model) -> bool {
        delta(payload.as_bytes(), model, &mut Message::default()).is_some()
    }

    #[test]
    fn both_generations_are_foreseen() {
        let cents = r#"{"type":"orderbook_delta","sid":1,"seq":2,"msg":{"market_ticker":"SYN-DEMO","price":49,"delta":-100,"side":"yes"}}"#;
        let dollars = r#"{"type":"orderbook_delta","sid":1,"seq":2,"msg":{"market_ticker":"SYN","market_id":"9b0f6b43","price_dollars":"0.9600","delta_fp":"-54.00","side":"no","ts":"2026-07-04T21:35:52.1Z","ts_ms":1783200952100}}"#;
        assert!(predicted(cents, Model::Exact) && predicted(cents, Model::Basis));
        assert!(predicted(dollars, Model::Exact));
        assert!(!predicted(dollars, Model::Basis), "the reference doesn't know this generation");
        for whole in [cents, dollars] {
            for end in 0..whole.len() {
                assert!(!predicted(&whole[..end], Model::Exact), "{}", &whole[..end]);
            }
            assert!(!predicted(&format!("{whole} "), Model::Exact));
        }
    }
}

//! The YES frame: what happens to the NO token of an event, told of its YES token.
//!
//! Who sells NO at a price would rather have YES at the rest of a dollar, so sides change places and prices are taken
//! from a dollar, in integers.

use super::model::{Change, Price};

/// The same change, of the other token; `dollar` is a dollar in the change's own price units.
#[must_use]
pub fn fold(change: Change, dollar: Price) -> Change {
    let rest = |price: Price| Price(dollar.0.saturating_sub(price.0));
    match change {
        Change::Clear | Change::TickSize { .. } => change,
        Change::Set { side, price, size } => Change::Set { side: side.opposite(), price: rest(price), size },
        Change::Add { side, price, change } => {
            Change::Add { side: side.opposite(), price: rest(price), change }
        }
        Change::Touch { side, price, size } => {
            Change::Touch { side: side.opposite(), price: rest(price), size }
        }
        Change::Best { bid, ask } => Change::Best { bid: ask.map(rest), ask: bid.map(rest) },
        Change::Trade { price, size, taker } => {
            Change::Trade { price: rest(price), size, taker: taker.map(|side| side.opposite()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{Side, Size};
    use super::*;

    const DOLLAR: Price = Price(10_000);

    #[test]
    fn a_no_tokens_change_is_told_of_the_yes_token() {
        let (price, size) = (Price(1_115), Size(7));
        let rest = Price(8_885);
        let folded = [
            (
                Change::Set { side: Side::Bid, price, size },
                Change::Set { side: Side::Ask, price: rest, size },
            ),
            (
                Change::Add { side: Side::Ask, price, change: Size(-7) },
                Change::Add { side: Side::Bid, price: rest, change: Size(-7) },
            ),
            (
                Change::Touch { side: Side::Ask, price, size },
                Change::Touch { side: Side::Bid, price: rest, size },
            ),
            (Change::Best { bid: Some(price), ask: None }, Change::Best { bid: None, ask: Some(rest) }),
            (
                Change::Trade { price, size: Some(size), taker: Some(Side::Bid) },
                Change::Trade { price: rest, size: Some(size), taker: Some(Side::Ask) },
            ),
            (Change::Clear, Change::Clear),
            (Change::TickSize { tick: Price(10) }, Change::TickSize { tick: Price(10) }),
        ];
        for (no, yes) in folded {
            assert_eq!(fold(no, DOLLAR), yes);
            assert_eq!(fold(yes, DOLLAR), no, "folding twice changes nothing");
        }
    }

    #[test]
    fn no_price_overflows() {
        let far = Change::Set { side: Side::Bid, price: Price(i64::MIN), size: Size(1) };
        assert_eq!(fold(far, DOLLAR), Change::Set { side: Side::Ask, price: Price(i64::MAX), size: Size(1) });
    }
}

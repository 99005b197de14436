//! Crossed and locked spells, and the best prices that a venue names.

use wakeline::market::health::{Spells, Suspicion};
use wakeline::market::{Change, Price, Side, Venue};

use crate::market_support::{message, set};
use crate::{book, books, polymarket, suspicions};

const SECOND_NS: i64 = 1_000_000_000;

#[test]
fn crossed_and_locked_spells_are_timed() {
    let mut books = books();
    let market = polymarket(&books, 0);
    let mut at = |seconds: i64, changes: &[Change]| {
        books.take(Venue::Polymarket, &message("8801", changes), seconds * SECOND_NS);
        books.market(market).unwrap().health()
    };
    let (bid, ask) = (Side::Bid, Side::Ask);
    // Crossed only inside of a message: nothing.
    let health = at(
        10,
        &[Change::Clear, set(ask, 4_000, 1), set(bid, 4_200, 1), set(ask, 4_000, 0), set(ask, 4_300, 1)],
    );
    assert_eq!((health.crossed.count, health.locked.count), (0, 0));
    // Locked for 2 s, then crossed for 3.
    at(11, &[set(bid, 4_300, 1)]);
    let health = at(12, &[Change::TickSize { tick: Price(10) }]);
    assert_eq!((health.locked.count, health.locked.open_since_ns), (1, Some(11 * SECOND_NS)));
    let health = at(13, &[set(bid, 4_400, 1)]);
    assert_eq!(
        health.locked,
        Spells {
            count: 1,
            momentary: 0,
            total_ns: 2_000_000_000,
            longest_ns: 2_000_000_000,
            open_since_ns: None
        }
    );
    at(14, &[set(bid, 4_350, 1)]);
    let health = at(16, &[set(bid, 4_400, 0), set(bid, 4_350, 0), set(bid, 4_300, 0)]);
    assert_eq!((health.crossed.count, health.crossed.total_ns), (1, 3_000_000_000));
    // Crossed and not, at one stamp.
    at(17, &[set(bid, 4_400, 1)]);
    let health = at(17, &[set(bid, 4_400, 0)]);
    assert_eq!((health.crossed.count, health.crossed.momentary), (2, 1));
    // Time that goes backwards makes no length.
    at(18, &[set(bid, 4_400, 1)]);
    let health = at(15, &[set(bid, 4_400, 0)]);
    assert_eq!((health.crossed.count, health.crossed.total_ns), (3, 3_000_000_000));
    // Crossed at the end.
    let health = at(20, &[set(bid, 4_400, 1)]);
    let at_the_end = health.crossed.until(27 * SECOND_NS);
    assert_eq!(
        at_the_end,
        Spells {
            count: 4,
            momentary: 2,
            total_ns: 10_000_000_000,
            longest_ns: 7_000_000_000,
            open_since_ns: Some(20 * SECOND_NS)
        }
    );
    assert!(books.is_sound(market), "to be crossed is no reason to be suspect");
    assert_eq!(books.market(market).unwrap().changed_at_ns(), Some(20 * SECOND_NS));
}

#[test]
fn named_prices_are_compared_with_sound_books() {
    let mut books = books();
    let market = polymarket(&books, 0);
    let best = |bid: Option<i64>, ask: Option<i64>| Change::Best { bid: bid.map(Price), ask: ask.map(Price) };
    let mut take = |changes: &[Change]| {
        books.take(Venue::Polymarket, &message("8801", changes), 1);
        let health = books.market(market).unwrap().health();
        (health.best_agreed, health.best_differed)
    };
    assert_eq!(take(&[set(Side::Bid, 4_000, 1), best(Some(9_999), None)]), (0, 0), "no snapshot yet");
    // Named before the change it goes with.
    assert_eq!(take(&[Change::Clear, best(Some(4_100), None), set(Side::Bid, 4_100, 1)]), (1, 0));
    assert_eq!(take(&[set(Side::Bid, 4_000, 1)]), (1, 0), "it is not compared again");
    assert_eq!(take(&[best(Some(4_100), Some(4_500))]), (1, 1));
    assert_eq!(take(&[best(None, None)]), (1, 2));
}

#[test]
fn polymarket_is_sound_from_its_first_image_on() {
    let mut books = books();
    let market = polymarket(&books, 1);
    assert!(books.take(Venue::Polymarket, &message("9901", &[set(Side::Bid, 4_000, 1)]), 1).unsound);
    assert_eq!(suspicions(&books, market), [Suspicion::NoSnapshot]);
    assert_eq!(book(&books, market).depth(Side::Bid), 1);
    let trade = Change::Trade { price: Price(4_000), size: None, taker: None };
    let taken = books.take(Venue::Polymarket, &message("9901", &[trade]), 2);
    assert!(!taken.unsound, "the trade didn't change the book");
    books.take(Venue::Polymarket, &message("9901", &[Change::Clear]), 3);
    assert!(books.is_sound(market));
    assert_eq!(book(&books, market).depth(Side::Bid), 0);
}

//! Names, and what they stand for in the YES frame.

use wakeline::market::instruments::Target;
use wakeline::market::state::{NamedBest, Owner, Trade};
use wakeline::market::{Books, Change, Model, Price, Side, Size, Update, Venue};

use crate::market_support::{message, registry, set};
use crate::{book, books, kalshi, level, levels, polymarket};

#[test]
fn an_event_has_a_book_of_each_venue_it_is_traded_at() {
    let books = books();
    assert_eq!(books.event_market(2, Venue::Kalshi), None);
    assert_eq!(books.event_market(0, Venue::Binance), None);
    assert_eq!(books.event_market(3, Venue::Kalshi), None, "there are three events");
    let names: Vec<_> = books
        .markets()
        .map(|(index, market)| (index.get(), market.venue(), market.owner(), market.name().to_owned()))
        .collect();
    let expected = [
        (0, Venue::Kalshi, Owner::Event(0), "oslo"),
        (1, Venue::Polymarket, Owner::Event(0), "oslo"),
        (2, Venue::Kalshi, Owner::Event(1), "rome"),
        (3, Venue::Polymarket, Owner::Event(1), "rome"),
        (4, Venue::Polymarket, Owner::Event(2), "bern"),
    ];
    assert_eq!(names, expected.map(|(index, venue, owner, name)| (index, venue, owner, name.to_owned())));
}

#[test]
fn no_tokens_fold_into_the_yes_frame() {
    let mut books = books();
    let market = polymarket(&books, 0);
    books.take(
        Venue::Polymarket,
        &message("8801", &[Change::Clear, set(Side::Bid, 4_300, 120_500_000), set(Side::Ask, 4_550, 60)]),
        1,
    );
    let taken = books.take(
        Venue::Polymarket,
        &message(
            "8802",
            &[
                set(Side::Bid, 5_460, 7),
                set(Side::Ask, 5_699, 9),
                Change::Best { bid: Some(Price(5_460)), ask: Some(Price(5_699)) },
                Change::Trade { price: Price(5_460), size: Some(Size(2)), taker: Some(Side::Ask) },
                Change::TickSize { tick: Price(10) },
            ],
        ),
        2,
    );
    assert_eq!((taken.applied, taken.unmapped), (5, 0));
    assert_eq!(books.touched(), [market]);
    let state = books.market(market).unwrap();
    assert_eq!(levels(state.book(), Side::Bid), [level(4_301, 9), level(4_300, 120_500_000)]);
    assert_eq!(levels(state.book(), Side::Ask), [level(4_540, 7), level(4_550, 60)]);
    assert_eq!(state.named_best(), Some(NamedBest { bid: Some(Price(4_301)), ask: Some(Price(4_540)) }));
    assert_eq!((state.health().best_agreed, state.health().best_differed), (1, 0));
    let trade = Trade { price: Price(4_540), size: Some(Size(2)), taker: Some(Side::Bid) };
    assert_eq!(state.last_trade(), Some(trade));
    assert_eq!(state.tick(), Some(Price(10)));

    // A snapshot of the NO token is one of the event's book.
    books.take(Venue::Polymarket, &message("8802", &[Change::Clear, set(Side::Bid, 5_000, 1)]), 3);
    assert_eq!(book(&books, market).best(Side::Bid), None);
    assert_eq!(levels(book(&books, market), Side::Ask), [level(5_000, 1)]);
}

#[test]
fn the_references_grid_folds_in_cents() {
    let mut books = Books::new(&registry(), Model::Basis);
    let market = polymarket(&books, 0);
    books.take(Venue::Polymarket, &message("8802", &[Change::Clear, set(Side::Bid, 57, 3)]), 1);
    assert_eq!(levels(book(&books, market), Side::Ask), [level(43, 3)]);
}

#[test]
fn what_nobody_knows_is_unmapped() {
    let mut books = books();
    let unknown = [
        Update { market: "8801", change: set(Side::Bid, 1, 1) },
        Update { market: "8803", change: set(Side::Bid, 1, 1) },
        Update { market: "K-OSLO", change: set(Side::Bid, 1, 1) },
    ];
    let mut mixed = message("", &[]);
    mixed.updates.extend(unknown);
    let taken = books.take(Venue::Polymarket, &mixed, 1);
    assert_eq!((taken.applied, taken.unmapped), (1, 2));
    assert_eq!(books.touched(), [polymarket(&books, 0)]);
}

#[test]
fn escaped_names_are_found() {
    let mut books = books();
    let oslo = Target { market: kalshi(&books, 0), folded: false };
    assert_eq!(books.resolve(Venue::Kalshi, "K-OSLO"), Some(oslo));
    assert_eq!(books.resolve(Venue::Kalshi, "K\\u002dOSL\\u004F"), Some(oslo));
    for odd in ["K-OSLO\\", "K\\x2dOSLO", "K-OSLO\"", "", "\\u0000"] {
        assert_eq!(books.resolve(Venue::Kalshi, odd), None, "{odd}");
    }
    let coin = books.resolve(Venue::Binance, "ETH\\u0055SDT").unwrap();
    assert_eq!(books.resolve(Venue::Binance, "ETHUSDT"), Some(coin));
}

#[test]
fn the_second_token_of_a_removal_is_not_a_removal_of_what_isnt_there() {
    let mut books = books();
    let market = polymarket(&books, 0);
    let image = [Change::Clear, set(Side::Bid, 4_300, 5), set(Side::Bid, 4_200, 5), set(Side::Ask, 4_500, 5)];
    books.take(Venue::Polymarket, &message("8801", &image), 1);
    let pair = |price| {
        let mut pair = message("8801", &[set(Side::Bid, price, 0)]);
        pair.updates.push(Update { market: "8802", change: set(Side::Ask, 10_000 - price, 0) });
        pair
    };
    books.take(Venue::Polymarket, &pair(4_300), 2);
    assert_eq!(books.market(market).unwrap().removals_not_there(), 0);
    // Said again, it is one, and only one.
    books.take(Venue::Polymarket, &pair(4_300), 3);
    assert_eq!(books.market(market).unwrap().removals_not_there(), 1);
    // So it is when one token says it twice.
    books.take(Venue::Polymarket, &message("8801", &[set(Side::Bid, 4_200, 0), set(Side::Bid, 4_200, 0)]), 4);
    let state = books.market(market).unwrap();
    assert_eq!((state.removals_not_there(), state.counts().mirrored_removals), (2, 2));
}

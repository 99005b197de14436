//! Coins: made when first heard of, bounded, on scales of their own.

use wakeline::market::health::Suspicion;
use wakeline::market::instruments::MAX_COINS;
use wakeline::market::state::Owner;
use wakeline::market::{Books, Change, Model, Scale, Side, Venue};

use crate::market_support::{diff, message, registry, set, touch};
use crate::{book, books, level, levels, suspicions};

#[test]
fn coins_are_made_when_they_are_first_heard_of() {
    let mut books = books();
    let eth = message("ETHUSDT", &[touch(Side::Bid, 1_234, 5), touch(Side::Ask, 1_235, 0)]);
    let taken = books.take(Venue::Binance, &eth, 7);
    assert_eq!((taken.applied, taken.unmapped, taken.unsound), (2, 0, false));
    let &[index] = books.touched() else { panic!() };
    let state = books.market(index).unwrap();
    assert_eq!((state.venue(), state.owner(), state.name()), (Venue::Binance, Owner::Coin, "ETHUSDT"));
    assert_eq!(state.scale(), Scale::COIN);
    assert_eq!((state.touch(Side::Bid), state.touch(Side::Ask)), (Some(level(1_234, 5)), None));
    assert_eq!(state.book().depth(Side::Bid), 0, "the touch is apart from the book");
    // Another venue's coin of the same name is another market.
    books.take(Venue::Coinbase, &message("ETHUSDT", &[Change::Clear, set(Side::Bid, 1, 1)]), 8);
    assert_ne!(books.touched(), [index]);
    assert!(books.is_sound(books.touched()[0]), "Coinbase sends snapshots");
}

#[test]
fn coins_are_bounded_in_number_and_name() {
    let mut books = books();
    for odd in ["", "with space", "quo\\\"te", "nul\\u0000", "\u{e9}", &"X".repeat(65)] {
        let taken = books.take(Venue::Binance, &message(odd, &[touch(Side::Bid, 1, 1)]), 1);
        assert_eq!((taken.applied, taken.unmapped), (0, 1), "{odd:?}");
    }
    assert_eq!(books.name_counts().no_symbol, 6);
    for coin in 0..MAX_COINS {
        let name = format!("COIN{coin}");
        assert_eq!(books.take(Venue::Binance, &message(&name, &[touch(Side::Bid, 1, 1)]), 1).applied, 1);
    }
    let one_more = message("BTC-USD", &[touch(Side::Bid, 1, 1)]);
    assert_eq!(books.take(Venue::Coinbase, &one_more, 1).unmapped, 1);
    assert_eq!(books.name_counts().no_room, 1);
    assert_eq!(books.take(Venue::Binance, &message("COIN0", &[touch(Side::Bid, 2, 1)]), 1).applied, 1);
}

#[test]
fn a_declared_scale_leaves_out_what_is_finer() {
    let mut books = books();
    let at = 6_516_766_000_000;
    let changes = [
        set(Side::Bid, at, 543_832_000),
        set(Side::Bid, at + 1, 1_000),
        set(Side::Bid, at + 1_000_000, 1),
        touch(Side::Bid, at, 1_000),
        touch(Side::Ask, at + 1_000_000, 1_000),
    ];
    books.take(Venue::Binance, &message("BTCUSDT", &changes), 1);
    let &[index] = books.touched() else { panic!() };
    let state = books.market(index).unwrap();
    assert_eq!(state.scale(), Scale { price_decimals: 2, size_decimals: 5 });
    assert_eq!(levels(state.book(), Side::Bid), [level(6_516_766, 543_832)]);
    assert_eq!(state.counts().finer_than_declared, 2);
    assert_eq!(state.touch(Side::Ask), Some(level(6_516_767, 1)));
    assert!(books.suspicions(index).any(|suspicion| suspicion == Suspicion::Incomplete));
    books.take(Venue::Binance, &message("BTCUSDT", &[touch(Side::Ask, at + 1, 1_000)]), 2);
    let state = books.market(index).unwrap();
    assert_eq!((state.touch(Side::Ask), state.counts().finer_than_declared), (None, 3), "not a stale one");
    // The reference has one scale for all coins.
    let mut reference = Books::new(&registry(), Model::Basis);
    reference.take(Venue::Binance, &message("BTCUSDT", &[Change::Clear, set(Side::Bid, 6_516_766, 1)]), 1);
    let index = reference.touched()[0];
    assert_eq!(reference.market(index).unwrap().scale(), Scale::BASIS_COIN);
}

#[test]
fn diffs_go_on_where_they_ended() {
    let mut books = books();
    let bid = |size| [set(Side::Bid, 5, size)];
    books.take(Venue::Binance, &diff("ETHUSDT", 10, 12, &bid(1)), 1);
    let index = books.touched()[0];
    books.take(Venue::Binance, &diff("ETHUSDT", 13, 20, &bid(2)), 2);
    assert_eq!(books.market(index).unwrap().counts().diff_gaps, 0);
    let taken = books.take(Venue::Binance, &diff("ETHUSDT", 13, 20, &bid(9)), 3);
    assert_eq!((taken.repeated, taken.applied), (1, 0));
    books.take(Venue::Binance, &diff("ETHUSDT", 22, 23, &bid(3)), 4);
    books.take(Venue::Binance, &diff("SOLUSDT", 900, 901, &bid(3)), 5);
    // A touch has an id of its own, and takes none.
    books.take(Venue::Binance, &diff("ETHUSDT", 30, 30, &[touch(Side::Bid, 5, 5)]), 6);
    books.take(Venue::Binance, &diff("ETHUSDT", 24, 25, &bid(4)), 7);
    let state = books.market(index).unwrap();
    assert_eq!((state.counts().diff_gaps, state.counts().diffs_repeated), (1, 1));
    assert_eq!(state.book().best(Side::Bid), Some(level(5, 4)));
    assert_eq!(suspicions(&books, index), [Suspicion::NoSnapshot], "diffs alone make no book");
}

#[test]
fn coins_can_be_left_out() {
    let mut books = books().without_coins();
    let taken = books.take(Venue::Binance, &message("ETHUSDT", &[touch(Side::Bid, 1, 1)]), 1);
    assert_eq!((taken.applied, taken.unmapped), (0, 1));
    assert_eq!(books.name_counts(), Default::default());
}

#[test]
fn books_that_grow_beyond_all_room_are_given_up() {
    let mut books = books().with_room(1_000);
    let mut image = vec![Change::Clear];
    image.extend((0..300).map(|price| set(Side::Bid, price, 1)));
    let (one, other, third) = (message("A", &image), message("B", &image), message("C", &image[..30]));
    books.take(Venue::Coinbase, &one, 1);
    let first = books.touched()[0];
    assert!(books.take(Venue::Coinbase, &other, 2).unsound, "two have room for 512 levels each");
    let second = books.touched()[0];
    assert_eq!((book(&books, second).depth(Side::Bid), book(&books, second).room()), (0, 0));
    assert_eq!(suspicions(&books, second), [Suspicion::Incomplete]);
    assert_eq!(books.market(second).unwrap().counts().given_up, 1);
    assert!(books.is_sound(first));
    assert!(!books.take(Venue::Coinbase, &third, 3).unsound, "there is room for a small one");
    // It is whole again when it has become small enough.
    books.take(Venue::Coinbase, &message("B", &image[..30]), 4);
    assert!(books.is_sound(second));
}

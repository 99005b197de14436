//! One book, against a model of it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wakeline::market::book::{Effect, MAX_LEVELS, Shape};
use wakeline::market::{Book, Level, Price, Side, Size};

use crate::{level, levels};

/// A book as two maps, which is slow and plain.
#[derive(Default)]
struct Oracle {
    sides: [BTreeMap<i64, i64>; 2],
    loading: bool,
    not_there: u64,
    below_zero: u64,
}

impl Oracle {
    fn set(&mut self, side: Side, price: i64, size: i64) {
        let levels = &mut self.sides[side as usize];
        if size > 0 {
            levels.insert(price, size);
        } else if levels.remove(&price).is_none() && !self.loading {
            self.not_there += 1;
        }
    }

    fn add(&mut self, side: Side, price: i64, change: i64) {
        self.loading = false;
        let levels = &mut self.sides[side as usize];
        let before = levels.get(&price).copied();
        let size = before.unwrap_or(0).saturating_add(change);
        if size > 0 {
            levels.insert(price, size);
            return;
        }
        levels.remove(&price);
        self.below_zero += u64::from(size < 0);
        self.not_there += u64::from(size == 0 && before.is_none());
    }

    fn levels(&self, side: Side) -> Vec<Level> {
        let levels = self.sides[side as usize].iter().map(|(&price, &size)| level(price, size));
        match (self.loading, side) {
            (true, _) => Vec::new(),
            (false, Side::Bid) => levels.rev().collect(),
            (false, Side::Ask) => levels.collect(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Clear,
    Void,
    Settle,
    Set(Side, i64, i64),
    Add(Side, i64, i64),
}

fn step(price: impl Strategy<Value = i64>, size: impl Strategy<Value = i64>) -> impl Strategy<Value = Step> {
    let side = prop::bool::ANY.prop_map(|bid| if bid { Side::Bid } else { Side::Ask });
    (0..40_u8, side, price, size).prop_map(|(kind, side, price, size)| match kind {
        0 => Step::Clear,
        1 => Step::Void,
        2..=6 => Step::Settle,
        7..=25 => Step::Set(side, price, size),
        _ => Step::Add(side, price, size),
    })
}

fn assert_like_the_oracle(steps: &[Step]) {
    let (mut book, mut oracle) = (Book::new(), Oracle::default());
    for &step in steps {
        match step {
            Step::Clear => {
                book.clear();
                oracle.sides = Default::default();
                oracle.loading = true;
            }
            Step::Void => {
                book.void();
                oracle.sides = Default::default();
                oracle.loading = false;
            }
            Step::Settle => {
                book.settle();
                oracle.loading = false;
            }
            Step::Set(side, price, size) => {
                book.set(side, Price(price), Size(size));
                oracle.set(side, price, size);
            }
            Step::Add(side, price, change) => {
                book.add(side, Price(price), Size(change));
                oracle.add(side, price, change);
            }
        }
        for side in [Side::Bid, Side::Ask] {
            let expected = oracle.levels(side);
            assert_eq!(levels(&book, side), expected, "{step:?}");
            assert_eq!(book.depth(side), expected.len());
            assert_eq!(book.best(side), expected.first().copied());
            if let Some(deepest) = expected.last() {
                assert_eq!(book.size_at(side, deepest.price), Some(deepest.size));
            }
        }
        let best = |side| oracle.levels(side).first().map(|level| level.price.0);
        let both = best(Side::Bid).zip(best(Side::Ask));
        assert_eq!(book.mid_twice(), both.map(|(bid, ask)| bid.saturating_add(ask)));
        assert_eq!(book.spread(), both.map(|(bid, ask)| ask.saturating_sub(bid)));
        let shape = match both {
            None => Shape::OneSided,
            Some((bid, ask)) if bid < ask => Shape::TwoSided,
            Some((bid, ask)) if bid == ask => Shape::Locked,
            Some(_) => Shape::Crossed,
        };
        assert_eq!(book.shape(), shape);
        let counts = book.counts();
        assert_eq!((counts.not_there, counts.below_zero), (oracle.not_there, oracle.below_zero), "{step:?}");
    }
}

proptest! {
    #[test]
    fn a_book_is_two_sorted_maps(steps in prop::collection::vec(step(0..30_i64, -4..9_i64), 0..120)) {
        assert_like_the_oracle(&steps);
    }

    #[test]
    fn no_number_is_too_large_for_a_book(
        steps in prop::collection::vec(
            step(prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX), -2..2_i64], prop_oneof![
                any::<i64>(),
                Just(i64::MIN),
                Just(i64::MAX),
                0..3_i64,
            ]),
            0..60,
        )
    ) {
        assert_like_the_oracle(&steps);
    }

    #[test]
    fn a_snapshots_levels_may_come_in_any_order(
        levels in prop::collection::vec((0..60_i64, 0..5_i64), 0..60),
        sorting in 0..3_u8,
    ) {
        let mut levels = levels;
        match sorting {
            0 => levels.sort_unstable(),
            1 => levels.sort_unstable_by(|one, other| other.cmp(one)),
            _ => {}
        }
        let (mut book, mut oracle) = (Book::new(), BTreeMap::new());
        book.clear();
        for &(price, size) in &levels {
            book.set(Side::Ask, Price(price), Size(size));
            oracle.insert(price, size);
        }
        prop_assert_eq!(book.depth(Side::Ask), 0, "half a snapshot is not to be seen");
        book.settle();
        let distinct = oracle.len();
        oracle.retain(|_, size| *size > 0);
        let expected: Vec<_> = oracle.iter().map(|(&price, &size)| level(price, size)).collect();
        prop_assert_eq!(crate::levels(&book, Side::Ask), expected);
        let counts = book.counts();
        prop_assert_eq!(counts.repeated as usize, levels.len() - distinct);
        prop_assert_eq!(counts.without_size as usize, distinct - oracle.len());
    }
}

#[test]
fn a_change_tells_what_it_did() {
    let mut book = Book::new();
    let (bid, at) = (Side::Bid, Price(40));
    assert_eq!(book.set(bid, at, Size(0)), Effect::NotThere);
    assert_eq!(book.add(bid, at, Size(0)), Effect::NotThere);
    assert_eq!(book.add(bid, at, Size(-1)), Effect::BelowZero);
    assert_eq!(book.add(bid, at, Size(5)), Effect::Put);
    assert_eq!(book.add(bid, at, Size(-2)), Effect::Put);
    assert_eq!(book.size_at(bid, at), Some(Size(3)));
    assert_eq!(book.add(bid, at, Size(-3)), Effect::Removed);
    assert_eq!(book.set(bid, at, Size(5)), Effect::Put);
    assert_eq!(book.add(bid, at, Size(-6)), Effect::BelowZero);
    assert_eq!(book.depth(bid), 0, "a level below zero is gone");
}

#[test]
fn a_side_holds_so_many_levels_and_counts_the_rest() {
    let mut book = Book::new();
    book.clear();
    for price in 0..=MAX_LEVELS as i64 {
        book.set(Side::Bid, Price(price), Size(1));
    }
    book.settle();
    assert_eq!((book.depth(Side::Bid), book.counts().no_room), (MAX_LEVELS, 1));
    assert_eq!(book.set(Side::Bid, Price(-1), Size(1)), Effect::NoRoom);
    assert_eq!(book.add(Side::Bid, Price(-1), Size(1)), Effect::NoRoom);
    assert_eq!(book.set(Side::Bid, Price(7), Size(2)), Effect::Put, "a level that is there can change");
    assert_eq!((book.depth(Side::Bid), book.counts().no_room), (MAX_LEVELS, 3));
}

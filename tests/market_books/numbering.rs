//! Kalshi's numbering: what is lost, what comes twice, and which books can be trusted then.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wakeline::market::health::Suspicion;
use wakeline::market::model::SequenceKind;
use wakeline::market::subscriptions::{Continuity, MAX_SUBSCRIPTIONS};
use wakeline::market::{Books, Change, Model, Side, Venue};

use crate::market_support::{add, delta, message, numbered, registry, reply, set, snapshot, with_left_out};
use crate::{book, books, kalshi, level, suspicions};

#[test]
fn a_gap_makes_all_books_of_its_subscription_suspect_until_their_snapshots() {
    let mut books = books();
    let (oslo, rome) = (kalshi(&books, 0), kalshi(&books, 1));
    assert_eq!(suspicions(&books, oslo), [Suspicion::NoSnapshot]);
    for (number, market) in [(1, "K-OSLO"), (2, "K-ROME")] {
        let taken = books.take(Venue::Kalshi, &snapshot(market, 4, number), 1);
        assert!(!taken.gap && !taken.unsound);
    }
    let taken = books.take(Venue::Kalshi, &delta("K-OSLO", 4, 3, 5), 2);
    assert_eq!((taken.continuity, taken.unsound), (Some(Continuity::Next), false));

    let taken = books.take(Venue::Kalshi, &delta("K-OSLO", 4, 6, 5), 3);
    assert_eq!(taken.continuity, Some(Continuity::Gap { missing: 2 }));
    assert!(taken.gap && taken.unsound);
    assert_eq!(suspicions(&books, oslo), [Suspicion::SequenceGap]);
    assert_eq!(suspicions(&books, rome), [Suspicion::SequenceGap], "what was lost may have been of it");
    assert_eq!(book(&books, oslo).best(Side::Bid), Some(level(4_000, 20)), "it is stale, not empty");

    let taken = books.take(Venue::Kalshi, &snapshot("K-OSLO", 4, 7), 4);
    assert!(!taken.gap && !taken.unsound);
    assert!(books.is_sound(oslo) && !books.is_sound(rome));
    assert!(books.take(Venue::Kalshi, &delta("K-ROME", 4, 8, 1), 5).unsound);
    books.take(Venue::Kalshi, &snapshot("K-ROME", 4, 9), 6);
    assert!(books.is_sound(oslo) && books.is_sound(rome));
    let counts = books.sequence_counts();
    assert_eq!((counts.numbers, counts.gaps, counts.missing), (7, 1, 2));
    assert_eq!((counts.new_epochs, counts.repeated), (0, 0));
}

#[test]
fn replies_and_snapshots_of_live_books_take_numbers() {
    let mut books = books();
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 1), 1);
    assert_eq!(books.take(Venue::Kalshi, &reply(1, 2), 2).continuity, Some(Continuity::Next));
    assert!(!books.take(Venue::Kalshi, &delta("K-OSLO", 1, 3, 1), 3).gap);
    assert!(!books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 4), 4).gap);
    assert!(!books.take(Venue::Kalshi, &delta("K-OSLO", 1, 5, 1), 5).gap);
    assert!(books.is_sound(kalshi(&books, 0)));
    assert!(books.take(Venue::Kalshi, &reply(1, 7), 6).gap, "a reply shows a gap too");
    assert!(!books.is_sound(kalshi(&books, 0)));
    assert!(books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 9), 7).gap, "so does a snapshot");
    assert!(books.is_sound(kalshi(&books, 0)), "which is what its book stands on");
    // One subscription's numbers are nothing to another's.
    assert_eq!(books.take(Venue::Kalshi, &snapshot("K-ROME", 2, 50), 8).continuity, Some(Continuity::First));
    assert!(!books.take(Venue::Kalshi, &delta("K-OSLO", 1, 10, 1), 9).gap);
    assert_eq!(books.sequence_counts().gaps, 2);
}

#[test]
fn a_lower_number_is_a_new_epoch() {
    let mut books = books();
    let (oslo, rome) = (kalshi(&books, 0), kalshi(&books, 1));
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 1), 1);
    books.take(Venue::Kalshi, &snapshot("K-ROME", 1, 2), 2);
    // The venue was left and came back: it counts from 1.
    let taken = books.take(Venue::Kalshi, &snapshot("K-ROME", 1, 1), 3);
    assert_eq!((taken.continuity, taken.gap), (Some(Continuity::NewEpoch), false));
    assert!(books.is_sound(rome));
    assert_eq!(suspicions(&books, oslo), [Suspicion::SequenceGap], "its snapshot is of another life");
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 2), 4);
    assert!(books.is_sound(oslo) && books.is_sound(rome));
    // So is a snapshot that repeats a number: nothing else begins with one.
    assert_eq!(
        books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 2), 5).continuity,
        Some(Continuity::NewEpoch)
    );
    // And a delta.
    assert_eq!(
        books.take(Venue::Kalshi, &delta("K-OSLO", 1, 1, 1), 6).continuity,
        Some(Continuity::NewEpoch)
    );
    assert!(!books.is_sound(oslo) && !books.is_sound(rome));
    let counts = books.sequence_counts();
    assert_eq!((counts.new_epochs, counts.gaps), (3, 0));
}

#[test]
fn a_message_that_comes_again_is_not_applied_again() {
    let mut books = books();
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 1), 1);
    books.take(Venue::Kalshi, &delta("K-OSLO", 1, 2, 5), 2);
    let taken = books.take(Venue::Kalshi, &delta("K-OSLO", 1, 2, 5), 3);
    assert_eq!((taken.continuity, taken.repeated, taken.applied), (Some(Continuity::Repeated), 1, 0));
    assert!(books.touched().is_empty());
    let oslo = kalshi(&books, 0);
    assert_eq!(book(&books, oslo).best(Side::Bid), Some(level(4_000, 15)));
    assert!(books.is_sound(oslo));
    assert_eq!(books.sequence_counts().repeated, 1);
}

#[test]
fn a_book_stands_on_the_snapshot_of_its_own_subscription() {
    let mut books = books();
    let oslo = kalshi(&books, 0);
    assert!(books.take(Venue::Kalshi, &delta("K-OSLO", 1, 1, 5), 1).unsound, "there was no snapshot");
    assert_eq!(book(&books, oslo).best(Side::Bid), Some(level(4_000, 5)), "yet it is applied");
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 2), 2);
    assert!(books.is_sound(oslo));
    books.take(Venue::Kalshi, &delta("K-OSLO", 2, 1, 5), 3);
    assert_eq!(suspicions(&books, oslo), [Suspicion::NoSnapshot], "the snapshot was of subscription 1");
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 2, 2), 4);
    assert!(books.is_sound(oslo));
}

#[test]
fn a_snapshot_without_a_number_is_one_until_numbers_come() {
    let mut books = books();
    let oslo = kalshi(&books, 0);
    books.take(Venue::Kalshi, &message("K-OSLO", &[Change::Clear, set(Side::Bid, 4_000, 10)]), 1);
    assert!(books.is_sound(oslo));
    books.take(Venue::Kalshi, &message("K-OSLO", &[add(Side::Bid, 4_000, 1)]), 2);
    assert!(books.is_sound(oslo));
    books.take(Venue::Kalshi, &delta("K-OSLO", 3, 8, 1), 3);
    assert!(books.is_sound(oslo));
    books.take(Venue::Kalshi, &reply(3, 10), 4);
    assert_eq!(suspicions(&books, oslo), [Suspicion::SequenceGap]);
}

#[test]
fn what_was_lost_in_a_message_makes_its_books_suspect() {
    let mut books = books();
    let (oslo, rome) = (kalshi(&books, 0), kalshi(&books, 1));
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 1), 1);
    books.take(Venue::Kalshi, &with_left_out(snapshot("K-ROME", 1, 2), 1), 2);
    assert!(books.is_sound(oslo));
    assert_eq!(suspicions(&books, rome), [Suspicion::Incomplete]);
    books.take(Venue::Kalshi, &snapshot("K-ROME", 1, 3), 3);
    assert!(books.is_sound(rome));
    // A delta of which nothing is left was of nobody knows which market.
    let empty = numbered("", &[], 1, 4, SequenceKind::Delta);
    books.take(Venue::Kalshi, &with_left_out(empty, 1), 4);
    assert_eq!(suspicions(&books, oslo), [Suspicion::SequenceGap]);
    assert_eq!(suspicions(&books, rome), [Suspicion::SequenceGap]);
}

#[test]
fn a_delta_below_zero_makes_a_book_suspect() {
    let mut books = books();
    let oslo = kalshi(&books, 0);
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 1), 1);
    assert!(books.take(Venue::Kalshi, &delta("K-OSLO", 1, 2, -11), 2).unsound);
    assert_eq!(book(&books, oslo).depth(Side::Bid), 0, "the level is gone");
    assert_eq!(suspicions(&books, oslo), [Suspicion::BelowZero]);
    assert!(books.take(Venue::Kalshi, &delta("K-OSLO", 1, 3, 4), 3).unsound);
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 1, 4), 4);
    assert!(books.is_sound(oslo));
    assert_eq!(book(&books, oslo).counts().below_zero, 1);
}

#[test]
fn so_many_subscriptions_are_followed() {
    let mut books = books();
    let oslo = kalshi(&books, 0);
    for subscription in 0..MAX_SUBSCRIPTIONS as u64 {
        books.take(Venue::Kalshi, &reply(subscription, 1), 1);
    }
    let taken = books.take(Venue::Kalshi, &snapshot("K-OSLO", u64::MAX, 1), 2);
    assert_eq!((taken.continuity, taken.unsound), (Some(Continuity::NotFollowed), true));
    assert_eq!(books.sequence_counts().not_followed, 1);
    books.take(Venue::Kalshi, &snapshot("K-OSLO", 0, 2), 3);
    assert!(books.is_sound(oslo));
    books.take(Venue::Kalshi, &delta("K-OSLO", u64::MAX, 2, 1), 4);
    assert!(!books.is_sound(oslo));
}

#[test]
fn the_references_gaps_are_the_references() {
    let registry = registry();
    let mut books = Books::new(&registry, Model::Basis);
    let oslo = kalshi(&books, 0);
    let levels = |price| [Change::Clear, set(Side::Bid, price, 10)];
    let take = |books: &mut Books, market, changes: &[Change], number, kind| {
        let taken = books.take(Venue::Kalshi, &numbered(market, changes, 1, number, kind), 1);
        (taken.gap, taken.applied + taken.unmapped)
    };
    // The first delta of a market never seen in a snapshot, once per market, also of one that nobody knows.
    let bid = [add(Side::Bid, 40, 1)];
    assert_eq!(take(&mut books, "K-OSLO", &bid, 1, SequenceKind::Delta), (true, 2));
    assert_eq!(take(&mut books, "K-OSLO", &bid, 2, SequenceKind::Delta), (false, 1));
    assert_eq!(take(&mut books, "unknown", &bid, 3, SequenceKind::Delta), (true, 2));
    assert_eq!(take(&mut books, "unknown", &bid, 4, SequenceKind::Delta), (false, 1));
    assert_eq!(book(&books, oslo).best(Side::Bid), Some(level(40, 2)));
    // A snapshot is compared with nothing.
    assert_eq!(take(&mut books, "K-OSLO", &levels(40), 9, SequenceKind::Snapshot), (false, 2));
    assert_eq!(take(&mut books, "K-ROME", &levels(50), 3, SequenceKind::Snapshot), (false, 2));
    assert_eq!(take(&mut books, "K-ROME", &[add(Side::Bid, 50, 1)], 4, SequenceKind::Delta), (false, 1));
    // Replies take no number.
    books.take(Venue::Kalshi, &reply(1, 5), 1);
    assert_eq!(take(&mut books, "K-ROME", &[add(Side::Bid, 50, 1)], 5, SequenceKind::Delta), (false, 1));
    // Higher, equal or lower: a gap, which voids the book of this market alone.
    for number in [7, 7, 3] {
        assert_eq!(take(&mut books, "K-OSLO", &bid, number, SequenceKind::Delta), (true, 2));
        assert_eq!(crate::levels(book(&books, oslo), Side::Bid), [level(40, 1)]);
    }
    let rome = kalshi(&books, 1);
    assert_eq!(book(&books, rome).best(Side::Bid), Some(level(50, 12)));
    // It knows no suspicion.
    assert!(books.is_sound(oslo) && books.suspicions(oslo).next().is_none());
}

/// What a venue does with one subscription of two markets, and what becomes of the message on its way.
#[derive(Debug, Clone, Copy)]
enum Event {
    Snapshot {
        market: usize,
        fate: Fate,
    },
    Delta {
        market: usize,
        price: i64,
        change: i64,
        fate: Fate,
    },
    Reply {
        fate: Fate,
    },
    /// The venue counts from 1 again, and sends a snapshot of this market first.
    Reconnect {
        market: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Arrives,
    ArrivesTwice,
    IsLost,
}

fn event() -> impl Strategy<Value = Event> {
    let fate = prop_oneof![
        12 => Just(Fate::Arrives),
        1 => Just(Fate::ArrivesTwice),
        1 => Just(Fate::IsLost),
    ];
    (0..20_u8, 0..2_usize, 0..4_i64, -3..4_i64, fate).prop_map(|(kind, market, price, change, fate)| {
        match kind {
            0 => Event::Reconnect { market },
            1..=3 => Event::Snapshot { market, fate },
            4 => Event::Reply { fate },
            _ => Event::Delta { market, price, change, fate },
        }
    })
}

proptest! {
    /// Whatever is lost or comes twice: when a message has arrived, a book that is sound is the venue's.
    #[test]
    fn a_sound_book_is_the_venues(events in prop::collection::vec(event(), 0..80)) {
        let mut books = books();
        let markets = [(kalshi(&books, 0), "K-OSLO"), (kalshi(&books, 1), "K-ROME")];
        let mut venue: [BTreeMap<i64, i64>; 2] = Default::default();
        let mut number = 0;
        for event in events {
            if let Event::Reconnect { .. } = event {
                number = 0;
            }
            number += 1;
            let (message, fate) = match event {
                Event::Reply { fate } => (reply(1, number), fate),
                Event::Delta { market, price, change, fate } => {
                    // The venue has no level below zero.
                    let level = venue[market].entry(price).or_default();
                    let change = change.max(-*level);
                    *level += change;
                    let changes = [add(Side::Bid, price, change)];
                    (numbered(markets[market].1, &changes, 1, number, SequenceKind::Delta), fate)
                }
                Event::Snapshot { market, .. } | Event::Reconnect { market } => {
                    let mut changes = vec![Change::Clear];
                    let levels = venue[market].iter().filter(|(_, size)| **size > 0);
                    changes.extend(levels.map(|(&price, &size)| set(Side::Bid, price, size)));
                    let fate = if let Event::Snapshot { fate, .. } = event { fate } else { Fate::Arrives };
                    (numbered(markets[market].1, &changes, 1, number, SequenceKind::Snapshot), fate)
                }
            };
            let times = [Fate::IsLost, Fate::Arrives, Fate::ArrivesTwice].iter().position(|one| *one == fate);
            for _ in 0..times.unwrap() {
                books.take(Venue::Kalshi, &message, 1);
                for (levels, (index, _)) in venue.iter().zip(markets) {
                    if books.is_sound(index) {
                        let levels = levels.iter().rev().filter(|(_, size)| **size > 0);
                        let expected: Vec<_> = levels.map(|(&price, &size)| level(price, size)).collect();
                        prop_assert_eq!(crate::levels(book(&books, index), Side::Bid), expected);
                    }
                }
            }
        }
    }
}

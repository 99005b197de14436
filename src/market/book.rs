//! One venue's book of one market.

use super::ladder::{Ladder, Settled};
use super::model::{Price, Side, Size};

pub use super::ladder::MAX_LEVELS;

/// A price, and what rests there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Where.
    pub price: Price,
    /// How much; in a book more than nothing.
    pub size: Size,
}

/// What a change did to a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The level has a size, another one or the same.
    Put,
    /// The level was there and is gone.
    Removed,
    /// The level was to be removed, and wasn't there.
    NotThere,
    /// The change took away more than there was; the level, if there was one, is gone.
    BelowZero,
    /// A new level, for which there is no room: see [`MAX_LEVELS`].
    NoRoom,
}

/// How the two sides stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A side is empty.
    OneSided,
    /// The best bid is below the best ask.
    TwoSided,
    /// They are equal: both want to trade, and didn't.
    Locked,
    /// The best bid is above the best ask.
    Crossed,
}

/// What happened to a book that isn't said by its levels. None of it stops a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BookCounts {
    /// Snapshots.
    pub snapshots: u64,
    /// Removals of a level that wasn't there.
    pub not_there: u64,
    /// Changes that took a level below zero.
    pub below_zero: u64,
    /// Levels of snapshots that a later one of the same price replaced.
    pub repeated: u64,
    /// Levels of snapshots that had no size.
    pub without_size: u64,
    /// Levels there was no room for.
    pub no_room: u64,
}

/// Bids and asks.
///
/// A snapshot begins with [`Self::clear`]. The levels that follow it are seen together once it is whole: until
/// [`Self::settle`], or the first [`Self::add`], the book looks empty. So they may come in any order, and nobody sees
/// half a snapshot.
///
/// Sizes saturate at the limits of an `i64`. Nothing is allocated once a book has been as deep as it gets.
#[derive(Debug, Clone)]
pub struct Book {
    bids: Ladder,
    asks: Ladder,
    loading: bool,
    counts: BookCounts,
}

impl Default for Book {
    fn default() -> Self {
        Self::new()
    }
}

impl Book {
    /// An empty book.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bids: Ladder::new(Side::Bid),
            asks: Ladder::new(Side::Ask),
            loading: false,
            counts: BookCounts {
                snapshots: 0,
                not_there: 0,
                below_zero: 0,
                repeated: 0,
                without_size: 0,
                no_room: 0,
            },
        }
    }

    /// A snapshot begins: all levels are gone.
    pub fn clear(&mut self) {
        self.bids.clear();
        self.asks.clear();
        self.loading = true;
        self.counts.snapshots += 1;
    }

    /// All levels are gone, and no snapshot follows.
    pub fn void(&mut self) {
        self.bids.clear();
        self.asks.clear();
        self.loading = false;
    }

    /// As [`Self::void`], and gives its memory back.
    pub fn release(&mut self) {
        *self = Self { counts: self.counts, ..Self::new() };
    }

    /// How many levels it has memory for, those that are there included.
    #[must_use]
    pub const fn room(&self) -> usize {
        self.bids.room() + self.asks.room()
    }

    /// A level's size is this from now on; nothing, or less, removes it.
    pub fn set(&mut self, side: Side, price: Price, size: Size) -> Effect {
        let loading = self.loading;
        let ladder = self.side_mut(side);
        let effect = if loading { ladder.load(price, size) } else { ladder.set(price, size) };
        self.counted(effect)
    }

    /// A level's size changes by this; a level that comes to nothing, or less, is gone.
    pub fn add(&mut self, side: Side, price: Price, change: Size) -> Effect {
        self.settle();
        let effect = self.side_mut(side).add(price, change);
        self.counted(effect)
    }

    /// The message is over: the levels of a snapshot, if it was one, are seen from now on.
    #[inline]
    pub fn settle(&mut self) {
        if self.loading {
            self.settle_snapshot();
        }
    }

    fn settle_snapshot(&mut self) {
        self.loading = false;
        for Settled { repeated, without_size } in [self.bids.settle(), self.asks.settle()] {
            self.counts.repeated += repeated as u64;
            self.counts.without_size += without_size as u64;
        }
    }

    #[inline]
    fn counted(&mut self, effect: Effect) -> Effect {
        match effect {
            Effect::Put | Effect::Removed => {}
            Effect::NotThere => self.counts.not_there += 1,
            Effect::BelowZero => self.counts.below_zero += 1,
            Effect::NoRoom => self.counts.no_room += 1,
        }
        effect
    }

    /// The best level of a side.
    #[must_use]
    #[inline]
    pub fn best(&self, side: Side) -> Option<Level> {
        if self.loading { None } else { self.side(side).best() }
    }

    /// Twice the middle between best bid and best ask, in price units: exact, and an integer. `None` unless there are
    /// both.
    #[must_use]
    pub fn mid_twice(&self) -> Option<i64> {
        let (bid, ask) = (self.best(Side::Bid)?, self.best(Side::Ask)?);
        Some(bid.price.0.saturating_add(ask.price.0))
    }

    /// Best ask less best bid, in price units; below zero in a crossed book. `None` unless there are both.
    #[must_use]
    pub fn spread(&self) -> Option<i64> {
        let (bid, ask) = (self.best(Side::Bid)?, self.best(Side::Ask)?);
        Some(ask.price.0.saturating_sub(bid.price.0))
    }

    /// How the sides stand to each other.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match (self.best(Side::Bid), self.best(Side::Ask)) {
            (Some(bid), Some(ask)) if bid.price < ask.price => Shape::TwoSided,
            (Some(bid), Some(ask)) if bid.price == ask.price => Shape::Locked,
            (Some(_), Some(_)) => Shape::Crossed,
            _ => Shape::OneSided,
        }
    }

    /// A side's levels, best first.
    pub fn levels(&self, side: Side) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + '_ {
        let seen = if self.loading { 0 } else { self.depth(side) };
        self.side(side).iter().take(seen)
    }

    /// How many levels a side has.
    #[must_use]
    pub const fn depth(&self, side: Side) -> usize {
        if self.loading { 0 } else { self.side(side).len() }
    }

    /// What rests at a price, if anything does.
    #[must_use]
    pub fn size_at(&self, side: Side, price: Price) -> Option<Size> {
        if self.loading { None } else { self.side(side).size_at(price) }
    }

    /// What happened to it besides.
    #[must_use]
    pub const fn counts(&self) -> BookCounts {
        self.counts
    }

    const fn side(&self, side: Side) -> &Ladder {
        match side {
            Side::Bid => &self.bids,
            Side::Ask => &self.asks,
        }
    }

    const fn side_mut(&mut self, side: Side) -> &mut Ladder {
        match side {
            Side::Bid => &mut self.bids,
            Side::Ask => &mut self.asks,
        }
    }
}

//! One side of a book: its levels in order, the best at the end of a vector.

use super::book::{Effect, Level};
use super::model::{Price, Side, Size};

/// The most levels that a side holds. Prediction markets can't have more than 10,001; the deepest books of coins that
/// were seen have some 40,000.
pub const MAX_LEVELS: usize = 1 << 17;

/// A level, its price turned so that a higher rank is a better price on either side.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    rank: i64,
    size: i64,
}

/// Levels sorted by rank. Changes of a level that is there, by far the most, move nothing.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    levels: Vec<Ranked>,
    /// Turns a price into its rank and back: no bits for bids, all of them for asks, since `!price` falls as the price
    /// rises.
    turn: i64,
    /// Place of the latest change. Polymarket says everything twice, of the YES and of the NO token.
    latest: usize,
    /// Room to sort a snapshot in that comes in no order; never used by venues that send their levels in one.
    sorting: Vec<(i64, u32, i64)>,
}

/// What [`Ladder::settle`] found among the levels that were loaded.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settled {
    /// Levels that a later one of the same price replaced.
    pub(super) repeated: usize,
    /// Levels without a size.
    pub(super) without_size: usize,
}

impl Ladder {
    pub(super) const fn new(side: Side) -> Self {
        let turn = match side {
            Side::Bid => 0,
            Side::Ask => -1,
        };
        Self { levels: Vec::new(), turn, latest: 0, sorting: Vec::new() }
    }

    const fn rank(&self, price: Price) -> i64 {
        price.0 ^ self.turn
    }

    const fn level(&self, ranked: Ranked) -> Level {
        Level { price: Price(ranked.rank ^ self.turn), size: Size(ranked.size) }
    }

    pub(super) const fn len(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn clear(&mut self) {
        self.levels.clear();
    }

    /// Levels that there is memory for.
    pub(super) const fn room(&self) -> usize {
        self.levels.capacity() + self.sorting.capacity()
    }

    pub(super) fn best(&self) -> Option<Level> {
        self.levels.last().map(|&ranked| self.level(ranked))
    }

    /// Best first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + '_ {
        self.levels.iter().rev().map(|&ranked| self.level(ranked))
    }

    pub(super) fn size_at(&self, price: Price) -> Option<Size> {
        let at = self.find(self.rank(price)).ok()?;
        self.levels.get(at).map(|ranked| Size(ranked.size))
    }

    fn find(&self, rank: i64) -> Result<usize, usize> {
        match self.levels.get(self.latest) {
            Some(ranked) if ranked.rank == rank => Ok(self.latest),
            _ => self.levels.binary_search_by_key(&rank, |ranked| ranked.rank),
        }
    }

    pub(super) fn set(&mut self, price: Price, size: Size) -> Effect {
        let rank = self.rank(price);
        let found = self.find(rank);
        if size.0 <= 0 {
            return self.remove(found);
        }
        self.put(found, Ranked { rank, size: size.0 })
    }

    pub(super) fn add(&mut self, price: Price, change: Size) -> Effect {
        let rank = self.rank(price);
        let found = self.find(rank);
        let before = found.ok().and_then(|at| self.levels.get(at)).map_or(0, |ranked| ranked.size);
        let size = before.saturating_add(change.0);
        if size > 0 {
            return self.put(found, Ranked { rank, size });
        }
        self.remove(found);
        match (size, found) {
            (0, Ok(_)) => Effect::Removed,
            (0, Err(_)) => Effect::NotThere,
            _ => Effect::BelowZero,
        }
    }

    fn put(&mut self, found: Result<usize, usize>, ranked: Ranked) -> Effect {
        match found {
            Ok(at) => {
                self.latest = at;
                if let Some(level) = self.levels.get_mut(at) {
                    level.size = ranked.size;
                }
            }
            Err(_) if self.levels.len() >= MAX_LEVELS => return Effect::NoRoom,
            Err(at) => {
                self.latest = at;
                self.levels.insert(at, ranked);
            }
        }
        Effect::Put
    }

    fn remove(&mut self, found: Result<usize, usize>) -> Effect {
        match found {
            Ok(at) => {
                self.levels.remove(at);
                Effect::Removed
            }
            Err(_) => Effect::NotThere,
        }
    }

    /// Puts a level of a snapshot behind the others; nothing else but [`Self::clear`] may be called until
    /// [`Self::settle`].
    pub(super) fn load(&mut self, price: Price, size: Size) -> Effect {
        if self.levels.len() >= MAX_LEVELS {
            return Effect::NoRoom;
        }
        self.levels.push(Ranked { rank: self.rank(price), size: size.0 });
        Effect::Put
    }

    /// Sorts what was loaded: at no cost what came worst first, by turning it round what came best first. Of levels
    /// with the same price the last one counts.
    pub(super) fn settle(&mut self) -> Settled {
        self.latest = 0;
        let mut settled = Settled::default();
        if !self.levels.is_sorted_by(|one, next| one.rank < next.rank) {
            if self.levels.is_sorted_by(|one, next| one.rank > next.rank) {
                self.levels.reverse();
            } else {
                settled.repeated = self.sort();
            }
        }
        let loaded = self.levels.len();
        self.levels.retain(|ranked| ranked.size > 0);
        settled.without_size = loaded - self.levels.len();
        settled
    }

    /// Sorts by rank, without allocating once there is room; returns how many levels a later one replaced.
    fn sort(&mut self) -> usize {
        let loaded = self.levels.len();
        self.sorting.clear();
        // No more than `MAX_LEVELS`, so an order fits.
        self.sorting
            .extend(self.levels.drain(..).zip(0..).map(|(level, order)| (level.rank, order, level.size)));
        self.sorting.sort_unstable();
        for &(rank, _, size) in &self.sorting {
            match self.levels.last_mut() {
                Some(last) if last.rank == rank => last.size = size,
                _ => self.levels.push(Ranked { rank, size }),
            }
        }
        loaded - self.levels.len()
    }
}

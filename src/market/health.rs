//! How well a book is: whether it can be what the venue has, and for how long it was in a state no book should be in.
//!
//! A book is **sound** when it grew from a snapshot and nothing that came since speaks against it. What speaks against
//! it is a [`Suspicion`]; each lasts until the market's next snapshot, except that a market of Binance, whose snapshots
//! aren't part of its stream, is never sound (its touch is another matter). A book that isn't sound must publish no
//! signal.
//!
//! A book is crossed when its best bid is above its best ask, locked when they are equal. That alone makes no book
//! suspect: a quote that moves in several messages crosses for a moment. It is judged when a whole message has been
//! applied, never inside of one, and timed by receive stamps.

use super::book::{Book, Shape};
use super::model::{Price, Side};

/// Why a book can't be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suspicion {
    /// No snapshot came yet: neither in the recording nor, for Kalshi, in the subscription that now brings its changes.
    NoSnapshot,
    /// Its subscription lost a message, or counts afresh after a reconnect, since its snapshot.
    SequenceGap,
    /// A change took a level below zero, so something was lost before it.
    BelowZero,
    /// The venue said something of it that its scale, or its depth, can't hold.
    Incomplete,
}

/// How often something happened, and how long it lasted, ns of receive time. A clock that goes backwards makes a spell
/// of no length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spells {
    /// Spells that began.
    pub count: u64,
    /// Those that were over at the receive stamp at which they began.
    pub momentary: u64,
    /// Length of all that ended.
    pub total_ns: u64,
    /// Length of the longest that ended.
    pub longest_ns: u64,
    /// When the one that is on began.
    pub open_since_ns: Option<i64>,
}

impl Spells {
    /// At `at_ns` it is so, or isn't.
    #[inline]
    pub fn judge(&mut self, is_so: bool, at_ns: i64) {
        match (is_so, self.open_since_ns) {
            (true, None) => {
                self.count += 1;
                self.open_since_ns = Some(at_ns);
            }
            (false, Some(since)) => {
                self.close(since, at_ns);
                self.open_since_ns = None;
            }
            _ => {}
        }
    }

    fn close(&mut self, since_ns: i64, at_ns: i64) {
        let length = at_ns.saturating_sub(since_ns).try_into().unwrap_or(0);
        self.total_ns = self.total_ns.saturating_add(length);
        self.longest_ns = self.longest_ns.max(length);
        self.momentary += u64::from(length == 0);
    }

    /// As they are when the recording ends at `end_ns`: the one that is on has lasted until then, and is still said to
    /// be on.
    #[must_use]
    pub fn until(mut self, end_ns: i64) -> Self {
        if let Some(since) = self.open_since_ns {
            self.close(since, end_ns);
        }
        self
    }
}

/// What was seen of a book at the ends of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Health {
    /// Best bid above best ask.
    pub crossed: Spells,
    /// Best bid equal to best ask.
    pub locked: Spells,
    /// Messages after which a sound book had the best prices that the venue named in them.
    pub best_agreed: u64,
    /// Messages after which it hadn't.
    pub best_differed: u64,
}

impl Health {
    /// A message is over that may have changed the book.
    #[inline]
    pub fn judge(&mut self, book: &Book, at_ns: i64) {
        let shape = book.shape();
        self.crossed.judge(shape == Shape::Crossed, at_ns);
        self.locked.judge(shape == Shape::Locked, at_ns);
    }

    /// A message is over in which the venue named its best prices.
    pub fn compare(&mut self, book: &Book, bid: Option<Price>, ask: Option<Price>) {
        let best = |side| book.best(side).map(|level| level.price);
        if (best(Side::Bid), best(Side::Ask)) == (bid, ask) {
            self.best_agreed += 1;
        } else {
            self.best_differed += 1;
        }
    }
}

//! A book that is kept from a stream of diffs and the snapshots taken beside it.

use std::collections::VecDeque;

use super::book::Book;
use super::model::{Price, Side, Size, UpdateIds};
use super::sequencer::{Sequencer, SequencerCounts, Step};

/// The most diffs that wait for a snapshot: two hours of Binance's.
pub const MAX_WAITING_DIFFS: usize = 1 << 16;

/// The most levels in them.
pub const MAX_WAITING_LEVELS: usize = 1 << 20;

/// A level of a diff or a snapshot; without a size it is to be removed.
pub type DepthLevel = (Side, Price, Size);

/// What became of the diffs that waited: kept = applied + covered + dropped + still waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitingCounts {
    /// Diffs that were put to wait: those buffered, and those at which something was missing.
    pub kept: u64,
    /// Applied to the snapshot that came.
    pub applied: u64,
    /// Covered by the snapshot that came.
    pub covered: u64,
    /// Dropped, the oldest first, to make room.
    pub dropped: u64,
}

#[derive(Debug, Clone)]
struct Diff {
    ids: UpdateIds,
    levels: Box<[DepthLevel]>,
}

/// The book, what judges its diffs, and those that wait.
#[derive(Debug, Clone, Default)]
pub struct AnchoredBook {
    book: Book,
    sequencer: Sequencer,
    waiting: VecDeque<Diff>,
    waiting_levels: usize,
    waiting_counts: WaitingCounts,
    older_snapshots: u64,
}

impl AnchoredBook {
    /// A diff came; it was applied, is kept for the next snapshot, or is dropped, as the step says. One at which
    /// something is missing is kept too: the next snapshot may cover what is.
    pub fn diff(&mut self, ids: UpdateIds, levels: &[DepthLevel]) -> Step {
        let step = self.sequencer.diff(ids);
        match step {
            Step::Apply => apply(&mut self.book, levels),
            Step::Buffer | Step::Gap => self.keep(Diff { ids, levels: levels.into() }),
            Step::Discard => {}
        }
        step
    }

    /// A snapshot came: the book is what it says, and the diffs that waited follow. One older than what the book is
    /// whole up to says nothing, and is only counted; returns `false` then.
    pub fn snapshot(&mut self, last: u64, levels: &[DepthLevel]) -> bool {
        if self.sequencer.whole_up_to().is_some_and(|whole| last < whole) {
            self.older_snapshots += 1;
            return false;
        }
        self.sequencer.snapshot(last);
        self.book.clear();
        apply(&mut self.book, levels);
        self.book.settle();
        while let Some(diff) = self.waiting.front() {
            match self.sequencer.advance(diff.ids) {
                Step::Apply => {
                    apply(&mut self.book, &diff.levels);
                    self.waiting_counts.applied += 1;
                }
                Step::Discard => self.waiting_counts.covered += 1,
                Step::Gap | Step::Buffer => break,
            }
            self.forget_oldest();
        }
        true
    }

    fn keep(&mut self, diff: Diff) {
        self.waiting_counts.kept += 1;
        self.waiting_levels += diff.levels.len();
        self.waiting.push_back(diff);
        while self.waiting.len() > MAX_WAITING_DIFFS || self.waiting_levels > MAX_WAITING_LEVELS {
            self.forget_oldest();
            self.waiting_counts.dropped += 1;
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(oldest) = self.waiting.pop_front() {
            self.waiting_levels -= oldest.levels.len();
        }
    }

    /// The book; what the venue has only as long as [`Self::whole_up_to`] says so.
    #[must_use]
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// Up to which update id the book is whole; `None` before a snapshot, and after a gap until the next one.
    #[must_use]
    pub fn whole_up_to(&self) -> Option<u64> {
        self.sequencer.whole_up_to()
    }

    /// The update id that was reached last.
    #[must_use]
    pub const fn last(&self) -> u64 {
        self.sequencer.last()
    }

    /// What was done with diffs as they came.
    #[must_use]
    pub const fn counts(&self) -> SequencerCounts {
        self.sequencer.counts()
    }

    /// What became of the diffs that waited.
    #[must_use]
    pub const fn waiting_counts(&self) -> WaitingCounts {
        self.waiting_counts
    }

    /// Diffs that wait for a snapshot.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Snapshots that were older than the book, and changed nothing.
    #[must_use]
    pub const fn older_snapshots(&self) -> u64 {
        self.older_snapshots
    }
}

fn apply(book: &mut Book, levels: &[DepthLevel]) {
    for &(side, price, size) in levels {
        book.set(side, price, size);
    }
}

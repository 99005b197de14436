//! Joins a stream of diffs to a snapshot that was taken beside it, by update ids (Binance's `U`, `u` and
//! `lastUpdateId`).
//!
//! A [`Sequencer`] only judges. An [`AnchoredBook`](super::anchored::AnchoredBook) keeps what it is told to.

use super::model::UpdateIds;

/// What is to be done with a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Keep it: there is no snapshot to apply it to.
    Buffer,
    /// Apply it.
    Apply,
    /// Drop it: the book has it already.
    Discard,
    /// Something between the book and this diff is missing: a new snapshot is needed.
    Gap,
}

/// What was done with diffs and snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SequencerCounts {
    /// Diffs that came while there was no snapshot.
    pub buffered: u64,
    /// Diffs that were to be applied as they came.
    pub applied: u64,
    /// Diffs that were covered by the snapshot, or came again.
    pub discarded: u64,
    /// Times that something was missing.
    pub gaps: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// Those that were older than the first diff after them; each is a gap too.
    pub stale_snapshots: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    AwaitingSnapshot,
    /// There is a snapshot, and no diff was applied to it yet.
    Joining,
    Live,
    /// Something was missing.
    ResyncRequired,
}

/// The state machine.
///
/// 1. Without a snapshot, or after a gap: [`Step::Buffer`].
/// 2. After a snapshot, until something is applied: a diff that ends at its id or before is discarded, one that begins
///    above the id that follows shows that the snapshot is stale, any other is applied, also if it begins before.
/// 3. Then a diff that begins with the id after the last is applied, one that ends at the last or before is discarded,
///    and anything else is a gap.
#[derive(Debug, Clone)]
pub struct Sequencer {
    state: State,
    last: u64,
    counts: SequencerCounts,
}

impl Default for Sequencer {
    fn default() -> Self {
        Self { state: State::AwaitingSnapshot, last: 0, counts: SequencerCounts::default() }
    }
}

impl Sequencer {
    /// A diff came.
    pub fn diff(&mut self, ids: UpdateIds) -> Step {
        let step = self.advance(ids);
        match step {
            Step::Buffer => self.counts.buffered += 1,
            Step::Apply => self.counts.applied += 1,
            Step::Discard => self.counts.discarded += 1,
            // Counted by its kind.
            Step::Gap => {}
        }
        step
    }

    /// The same of a diff that was buffered, and counted as such.
    pub(super) fn advance(&mut self, UpdateIds { first, last }: UpdateIds) -> Step {
        let follows = self.last.checked_add(1);
        let step = match self.state {
            State::AwaitingSnapshot | State::ResyncRequired => return Step::Buffer,
            State::Joining | State::Live if last <= self.last => Step::Discard,
            State::Joining if follows.is_some_and(|follows| first > follows) => {
                self.counts.stale_snapshots += 1;
                Step::Gap
            }
            State::Live if follows != Some(first) => Step::Gap,
            State::Joining | State::Live => Step::Apply,
        };
        match step {
            Step::Apply => {
                self.state = State::Live;
                self.last = last;
            }
            Step::Gap => {
                self.state = State::ResyncRequired;
                self.counts.gaps += 1;
            }
            Step::Buffer | Step::Discard => {}
        }
        step
    }

    /// A snapshot came, with everything up to this id in it.
    pub fn snapshot(&mut self, last: u64) {
        self.counts.snapshots += 1;
        self.state = State::Joining;
        self.last = last;
    }

    /// Up to which id the book is whole; `None` before a snapshot, and after a gap.
    #[must_use]
    pub fn whole_up_to(&self) -> Option<u64> {
        matches!(self.state, State::Joining | State::Live).then_some(self.last)
    }

    /// The id that was reached last, whether or not something was missing since; 0 before a snapshot.
    #[must_use]
    pub const fn last(&self) -> u64 {
        self.last
    }

    /// What was done so far.
    #[must_use]
    pub const fn counts(&self) -> SequencerCounts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(first: u64, last: u64) -> UpdateIds {
        UpdateIds { first, last }
    }

    #[test]
    fn diffs_join_a_snapshot_and_go_on_from_there() {
        let mut sequencer = Sequencer::default();
        assert_eq!(sequencer.diff(ids(1, 5)), Step::Buffer);
        assert_eq!(sequencer.whole_up_to(), None);
        sequencer.snapshot(10);
        assert_eq!(sequencer.diff(ids(6, 10)), Step::Discard);
        assert_eq!(sequencer.diff(ids(9, 12)), Step::Apply, "it spans the snapshot's id");
        assert_eq!(sequencer.diff(ids(13, 13)), Step::Apply);
        assert_eq!(sequencer.diff(ids(12, 13)), Step::Discard, "it came again");
        assert_eq!(sequencer.diff(ids(13, 14)), Step::Gap, "it overlaps what was applied");
        assert_eq!((sequencer.whole_up_to(), sequencer.last()), (None, 13));
        assert_eq!(sequencer.diff(ids(15, 15)), Step::Buffer);
        sequencer.snapshot(14);
        assert_eq!(sequencer.diff(ids(15, 15)), Step::Apply, "it follows the snapshot's id");
        let counts = SequencerCounts {
            buffered: 2,
            applied: 3,
            discarded: 2,
            gaps: 1,
            snapshots: 2,
            stale_snapshots: 0,
        };
        assert_eq!(sequencer.counts(), counts);
    }

    #[test]
    fn a_snapshot_older_than_the_diffs_is_stale() {
        let mut sequencer = Sequencer::default();
        sequencer.snapshot(10);
        assert_eq!(sequencer.diff(ids(12, 14)), Step::Gap);
        assert_eq!((sequencer.counts().gaps, sequencer.counts().stale_snapshots), (1, 1));
        assert_eq!(sequencer.diff(ids(15, 16)), Step::Buffer);
    }

    #[test]
    fn ids_end_where_integers_end() {
        let mut sequencer = Sequencer::default();
        sequencer.snapshot(u64::MAX);
        assert_eq!(sequencer.diff(ids(0, u64::MAX)), Step::Discard);
    }
}

//! Kalshi's numbering: one counter for each subscription id, shared by all of its markets.
//!
//! # Exact
//!
//! Snapshots, deltas and the replies that carry a number all take the next one. A higher number is a gap: something was
//! lost, and it may have been of any of the subscription's markets. A lower one begins a new epoch: the venue counts
//! afresh after a reconnect. Either way all books of the subscription are suspect until each one's next snapshot, and
//! since a book remembers the epoch of its snapshot, that takes no walk over them. A snapshot that repeats a number
//! begins an epoch too; anything else that does is the same message again, and must not be applied twice.
//!
//! Don't show it malformed messages: one whose content is lost leaves the same hole as one that never came.
//!
//! # Basis
//!
//! As the reference counts: a snapshot sets the counter and is compared with nothing, a delta that isn't the next one
//! is a gap, all else takes no number.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::model::{Model, Sequence, SequenceKind};

/// The most subscriptions that are followed. Kalshi numbers a connection's from 1.
pub const MAX_SUBSCRIPTIONS: usize = 4_096;

/// The most markets of which the reference's model remembers whether they had a snapshot.
const MAX_REMEMBERED_MARKETS: usize = 65_536;

/// What a number means for those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuity {
    /// The subscription's first.
    First,
    /// The next one.
    Next,
    /// So many didn't come, at least one.
    Gap {
        /// How many.
        missing: u64,
    },
    /// The counting began anew.
    NewEpoch,
    /// The number before once more: the message was applied already.
    Repeated,
    /// Above [`MAX_SUBSCRIPTIONS`]; it isn't known what was lost.
    NotFollowed,
}

/// What numbers meant, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SequenceCounts {
    /// Numbers that were looked at.
    pub numbers: u64,
    /// Gaps.
    pub gaps: u64,
    /// Numbers that didn't come, in all gaps.
    pub missing: u64,
    /// Times that counting began anew.
    pub new_epochs: u64,
    /// Messages that came again.
    pub repeated: u64,
    /// Messages of subscriptions beyond [`MAX_SUBSCRIPTIONS`].
    pub not_followed: u64,
}

/// Where in a subscription's life something happened. Whatever was true of a book in one epoch isn't known in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch {
    subscription: u32,
    number: u64,
}

impl Epoch {
    /// Whether both are of one subscription.
    #[must_use]
    pub const fn same_subscription(self, other: Self) -> bool {
        self.subscription == other.subscription
    }
}

#[derive(Debug, Clone, Copy)]
struct Subscription {
    last: u64,
    epoch: u64,
}

/// All subscriptions of a recording.
#[derive(Debug)]
pub struct Subscriptions {
    model: Model,
    places: HashMap<u64, u32, FixedState>,
    followed: Vec<Subscription>,
    /// Markets that had a snapshot, or whose first delta without one was told.
    met: HashSet<Box<str>, FixedState>,
    counts: SequenceCounts,
}

impl Subscriptions {
    /// None yet.
    #[must_use]
    pub fn new(model: Model) -> Self {
        Self {
            model,
            places: HashMap::with_hasher(FixedState::default()),
            followed: Vec::new(),
            met: HashSet::with_hasher(FixedState::default()),
            counts: SequenceCounts::default(),
        }
    }

    /// Takes in a message's number; the epoch, for a book that the message anchors or changes, is `None` where none is
    /// known.
    pub fn see(&mut self, sequence: Sequence) -> (Continuity, Option<Epoch>) {
        if self.model == Model::Basis && sequence.kind == SequenceKind::Other {
            return (Continuity::Next, None);
        }
        self.counts.numbers += 1;
        let Some(place) = self.place(sequence) else {
            self.counts.not_followed += 1;
            return (Continuity::NotFollowed, None);
        };
        let (continuity, place) = match place {
            Place::New(place) => (Continuity::First, place),
            Place::Known(place) => (self.judge(place, sequence), place),
        };
        let Some(followed) = self.followed.get_mut(place as usize) else { return (continuity, None) };
        followed.last = sequence.number;
        match continuity {
            Continuity::Gap { missing } => {
                self.counts.gaps += 1;
                self.counts.missing = self.counts.missing.saturating_add(missing);
                followed.epoch += 1;
            }
            Continuity::NewEpoch => {
                self.counts.new_epochs += 1;
                followed.epoch += 1;
            }
            Continuity::Repeated => self.counts.repeated += 1,
            Continuity::First | Continuity::Next | Continuity::NotFollowed => {}
        }
        (continuity, Some(Epoch { subscription: place, number: followed.epoch }))
    }

    fn judge(&self, place: u32, Sequence { number, kind, .. }: Sequence) -> Continuity {
        let last = self.followed.get(place as usize).map_or(0, |followed| followed.last);
        if last.checked_add(1) == Some(number) {
            return Continuity::Next;
        }
        match (self.model, kind) {
            (Model::Basis, SequenceKind::Snapshot) => Continuity::Next,
            (Model::Basis, _) => Continuity::Gap { missing: number.saturating_sub(last).saturating_sub(1) },
            (Model::Exact, _) if number > last => Continuity::Gap { missing: number - last - 1 },
            (Model::Exact, kind) if number == last && kind != SequenceKind::Snapshot => Continuity::Repeated,
            (Model::Exact, _) => Continuity::NewEpoch,
        }
    }

    fn place(&mut self, sequence: Sequence) -> Option<Place> {
        if let Some(&place) = self.places.get(&sequence.subscription) {
            return Some(Place::Known(place));
        }
        if self.followed.len() >= MAX_SUBSCRIPTIONS {
            return None;
        }
        let place = u32::try_from(self.followed.len()).ok()?;
        self.places.insert(sequence.subscription, place);
        self.followed.push(Subscription { last: sequence.number, epoch: 0 });
        Some(Place::New(place))
    }

    /// Whether this is the first that is heard of a market, and no snapshot. Only the reference's model asks; it asks
    /// so for markets that the registry doesn't have, too.
    pub(super) fn is_first_delta(&mut self, market: &str, is_snapshot: bool) -> bool {
        if self.met.contains(market) || self.met.len() >= MAX_REMEMBERED_MARKETS {
            return false;
        }
        self.met.insert(market.into());
        !is_snapshot
    }

    /// Something of this epoch was lost in spite of its number: all books of the subscription are suspect, as after a
    /// gap.
    pub fn lose(&mut self, epoch: Epoch) {
        if let Some(followed) = self.followed.get_mut(epoch.subscription as usize) {
            followed.epoch += 1;
        }
    }

    /// Whether nothing was lost since.
    #[must_use]
    pub fn holds(&self, epoch: Epoch) -> bool {
        self.followed.get(epoch.subscription as usize).is_some_and(|followed| followed.epoch == epoch.number)
    }

    /// What the numbers meant so far.
    #[must_use]
    pub const fn counts(&self) -> SequenceCounts {
        self.counts
    }
}

enum Place {
    New(u32),
    Known(u32),
}

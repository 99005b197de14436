//! Everything that is known of one market of one venue: its book, its touch, its last trade, its grid, its health.

use super::book::{Book, Effect, Level};
use super::health::{Health, Suspicion};
use super::instruments::Coarser;
use super::model::{Change, Price, Scale, Side, Size, UpdateIds, Venue};
use super::subscriptions::{Epoch, Subscriptions};

/// What a market is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// An event: its place in the registry.
    Event(usize),
    /// A coin.
    Coin,
}

/// A trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trade {
    /// Its price.
    pub price: Price,
    /// Its size, where the venue said it.
    pub size: Option<Size>,
    /// The side of who took, where the venue said it.
    pub taker: Option<Side>,
}

/// The best prices as the venue named them; `None` for an empty side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedBest {
    /// The best bid.
    pub bid: Option<Price>,
    /// The best ask.
    pub ask: Option<Price>,
}

/// What happened to a market that neither its book nor its health says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarketCounts {
    /// Changes finer than the scale declared for it; they were left out.
    pub finer_than_declared: u64,
    /// Removals that only repeated, of the other token, one of the same message.
    pub mirrored_removals: u64,
    /// Times that update ids didn't go on where they had ended.
    pub diff_gaps: u64,
    /// Diffs that came again, and were not applied.
    pub diffs_repeated: u64,
    /// Times that its book was given up, for all books together had become too large.
    pub given_up: u64,
}

/// What a market's book stands on.
#[derive(Debug, Clone, Copy)]
enum Anchor {
    /// Nothing that could be relied on.
    Nothing,
    /// A snapshot, of a venue or a message without numbers.
    Snapshot,
    /// A snapshot in an epoch of its subscription.
    Epoch(Epoch),
}

/// What the message that brings a change said of its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numbering {
    /// Nothing.
    None,
    /// Something that isn't followed.
    NotFollowed,
    /// This.
    Epoch(Epoch),
}

/// One market of one venue; of an event, in the YES frame.
#[derive(Debug)]
pub struct Market {
    venue: Venue,
    owner: Owner,
    name: Box<str>,
    scale: Scale,
    coarser: Option<Coarser>,
    book: Book,
    touch: [Option<Level>; 2],
    last_trade: Option<Trade>,
    tick: Option<Price>,
    named_best: Option<NamedBest>,
    /// Whether the message that is being applied named it.
    best_is_new: bool,
    /// Whether the message that is being applied changed the book.
    book_changed: bool,
    anchor: Anchor,
    below_zero: bool,
    incomplete: bool,
    last_update_id: Option<u64>,
    /// What its book had room for when that was last counted.
    room: usize,
    changed_at_ns: Option<i64>,
    /// Whether the message that is being applied touched it.
    pub(super) touched: bool,
    health: Health,
    counts: MarketCounts,
}

impl Market {
    pub(super) fn new(venue: Venue, owner: Owner, name: &str, read: Scale, scale: Scale) -> Self {
        Self {
            venue,
            owner,
            name: name.into(),
            scale,
            coarser: Coarser::new(read, scale),
            book: Book::new(),
            touch: [None; 2],
            last_trade: None,
            tick: None,
            named_best: None,
            best_is_new: false,
            book_changed: false,
            anchor: Anchor::Nothing,
            below_zero: false,
            incomplete: false,
            last_update_id: None,
            room: 0,
            changed_at_ns: None,
            touched: false,
            health: Health::default(),
            counts: MarketCounts::default(),
        }
    }

    /// Where it is.
    #[must_use]
    pub const fn venue(&self) -> Venue {
        self.venue
    }

    /// What it is of.
    #[must_use]
    pub const fn owner(&self) -> Owner {
        self.owner
    }

    /// The event's id, or the coin's symbol at its venue.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its prices and sizes count.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// Its book.
    #[must_use]
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// A side's best level as the venue's ticker has it, apart from the book.
    #[must_use]
    pub const fn touch(&self, side: Side) -> Option<Level> {
        self.touch[side as usize]
    }

    /// Its latest trade.
    #[must_use]
    pub const fn last_trade(&self) -> Option<Trade> {
        self.last_trade
    }

    /// The price grid, since the venue last spoke of it.
    #[must_use]
    pub const fn tick(&self) -> Option<Price> {
        self.tick
    }

    /// The best prices that the venue named last.
    #[must_use]
    pub const fn named_best(&self) -> Option<NamedBest> {
        self.named_best
    }

    /// Receive stamp of the latest message that said something of it, ns.
    #[must_use]
    pub const fn changed_at_ns(&self) -> Option<i64> {
        self.changed_at_ns
    }

    /// Its book at the ends of messages.
    #[must_use]
    pub const fn health(&self) -> Health {
        self.health
    }

    /// What happened to it besides.
    #[must_use]
    pub const fn counts(&self) -> MarketCounts {
        self.counts
    }

    /// Removals of levels that weren't there, but for those that said of the NO token what the same message said of the
    /// YES token.
    #[must_use]
    pub const fn removals_not_there(&self) -> u64 {
        self.book.counts().not_there.saturating_sub(self.counts.mirrored_removals)
    }

    /// Everything that speaks against its book.
    pub(super) fn suspicions(
        &self,
        subscriptions: &Subscriptions,
    ) -> impl Iterator<Item = Suspicion> + use<> {
        let (no_snapshot, gap) = match self.anchor {
            Anchor::Nothing => (true, false),
            Anchor::Snapshot => (false, false),
            Anchor::Epoch(epoch) => (false, !subscriptions.holds(epoch)),
        };
        [
            (no_snapshot, Suspicion::NoSnapshot),
            (gap, Suspicion::SequenceGap),
            (self.below_zero, Suspicion::BelowZero),
            (self.incomplete, Suspicion::Incomplete),
        ]
        .into_iter()
        .filter_map(|(is_so, suspicion)| is_so.then_some(suspicion))
    }

    #[inline]
    pub(super) fn is_sound(&self, subscriptions: &Subscriptions) -> bool {
        let anchored = match self.anchor {
            Anchor::Nothing => false,
            Anchor::Snapshot => true,
            Anchor::Epoch(epoch) => subscriptions.holds(epoch),
        };
        anchored && !self.below_zero && !self.incomplete
    }

    /// Applies a change in the market's own frame; the effect is the book's.
    pub(super) fn apply(&mut self, change: Change, numbering: Numbering) -> Option<Effect> {
        let change = match self.coarser {
            None => change,
            Some(coarser) => match coarser.change(change) {
                Some(change) => change,
                None => {
                    self.leave_out(change);
                    return None;
                }
            },
        };
        let effect = match change {
            Change::Clear => {
                self.begin_snapshot(numbering);
                return None;
            }
            Change::Set { side, price, size } => self.book.set(side, price, size),
            Change::Add { side, price, change } => self.book.add(side, price, change),
            Change::Touch { side, price, size } => {
                self.touch[side as usize] = (size.0 > 0).then_some(Level { price, size });
                return None;
            }
            Change::Best { bid, ask } => {
                self.named_best = Some(NamedBest { bid, ask });
                self.best_is_new = true;
                return None;
            }
            Change::Trade { price, size, taker } => {
                self.last_trade = Some(Trade { price, size, taker });
                return None;
            }
            Change::TickSize { tick } => {
                self.tick = Some(tick);
                return None;
            }
        };
        match effect {
            Effect::BelowZero => self.below_zero = true,
            Effect::NoRoom => self.incomplete = true,
            Effect::Put | Effect::Removed | Effect::NotThere => {}
        }
        self.book_changed = true;
        self.follow(numbering);
        Some(effect)
    }

    fn begin_snapshot(&mut self, numbering: Numbering) {
        self.book.clear();
        self.book_changed = true;
        self.below_zero = false;
        self.incomplete = false;
        self.anchor = match numbering {
            Numbering::None => Anchor::Snapshot,
            Numbering::NotFollowed => Anchor::Nothing,
            Numbering::Epoch(epoch) => Anchor::Epoch(epoch),
        };
    }

    /// A change of the book stands on the snapshot of its own subscription only.
    #[inline]
    fn follow(&mut self, numbering: Numbering) {
        match (numbering, self.anchor) {
            (Numbering::None, _) => {}
            (Numbering::NotFollowed, _) => self.anchor = Anchor::Nothing,
            (Numbering::Epoch(epoch), Anchor::Epoch(anchor)) => {
                if !epoch.same_subscription(anchor) {
                    self.anchor = Anchor::Nothing;
                }
            }
            (Numbering::Epoch(epoch), Anchor::Snapshot) => self.anchor = Anchor::Epoch(epoch),
            (Numbering::Epoch(_), Anchor::Nothing) => {}
        }
    }

    fn leave_out(&mut self, change: Change) {
        self.counts.finer_than_declared += 1;
        match change {
            Change::Touch { side, .. } => self.touch[side as usize] = None,
            Change::Set { .. } | Change::Add { .. } => self.incomplete = true,
            Change::Best { .. } => self.named_best = None,
            Change::Clear | Change::Trade { .. } | Change::TickSize { .. } => {}
        }
    }

    /// The book is void, as the reference has it after a gap; what follows is no snapshot.
    pub(super) fn void_book(&mut self) {
        self.book.void();
        self.book_changed = true;
    }

    /// Something that the venue said of it couldn't be read.
    pub(super) const fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// A removal only repeated another one.
    pub(super) const fn count_mirrored(&mut self) {
        self.counts.mirrored_removals += 1;
    }

    /// Takes in the update ids of a diff; `false` if it came before, and must not be applied again.
    pub(super) fn continues(&mut self, UpdateIds { first, last }: UpdateIds) -> bool {
        if let Some(before) = self.last_update_id {
            if last <= before {
                self.counts.diffs_repeated += 1;
                return false;
            }
            if before.checked_add(1) != Some(first) {
                self.counts.diff_gaps += 1;
            }
        }
        self.last_update_id = Some(last);
        true
    }

    /// Keeps `held`, what all books have room for, up to date; gives this one up if they have more than `most`.
    #[inline]
    pub(super) fn count_room(&mut self, held: &mut usize, most: usize) {
        let room = self.book.room();
        if room == self.room {
            return;
        }
        *held = *held - self.room + room;
        self.room = room;
        if *held > most {
            self.book.release();
            self.incomplete = true;
            self.counts.given_up += 1;
            *held -= self.room;
            self.room = 0;
        }
    }

    /// The message is over; returns whether it changed a book that isn't sound.
    pub(super) fn end_message(&mut self, at_ns: i64, subscriptions: &Subscriptions) -> bool {
        self.changed_at_ns = Some(at_ns);
        let sound = self.is_sound(subscriptions);
        let changed = std::mem::take(&mut self.book_changed);
        if changed {
            self.book.settle();
            self.health.judge(&self.book, at_ns);
        }
        if std::mem::take(&mut self.best_is_new)
            && sound
            && let Some(NamedBest { bid, ask }) = self.named_best
        {
            self.health.compare(&self.book, bid, ask);
        }
        changed && !sound
    }
}

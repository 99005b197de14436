//! One record at a time: parse, apply, judge, publish.

use super::accounting::Accounting;
use super::signals::{Publish, Signals};
use crate::market::model::{Message, Model, Venue, Verdict};
use crate::market::parse::parse;
use crate::market::registry::Registry;
use crate::market::subscriptions::Continuity;
use crate::market::unified::Books;
use crate::measure::clock::monotonic_ns;

/// When parts of a record's way were over; for [`Pipeline::record_timed`].
#[derive(Debug, Clone, Copy)]
pub struct Stamps {
    /// Nanoseconds from the record in hand to its updates.
    pub parse_ns: u64,
    /// Nanoseconds from there until the last signal was published.
    pub rest_ns: u64,
}

/// Books, signals and the account of what came in.
///
/// Nothing is allocated for a record once every market was seen and no book or message is larger than those before it.
#[derive(Debug)]
pub struct Pipeline {
    model: Model,
    books: Books,
    signals: Signals,
    accounting: Accounting,
    message: Message<'static>,
}

impl Pipeline {
    /// With no record yet.
    #[must_use]
    pub fn new(registry: &Registry, model: Model) -> Self {
        let books = Books::new(registry, model);
        Self {
            model,
            // The reference's replay looks for events only.
            books: if model == Model::Basis { books.without_coins() } else { books },
            signals: Signals::new(registry),
            accounting: Accounting::default(),
            message: Message::default(),
        }
    }

    /// Takes in one record.
    #[inline]
    pub fn record(&mut self, recv_ns: i64, venue: Venue, payload: &[u8], subscriber: &mut impl Publish) {
        let mut message = std::mem::take(&mut self.message).recycle();
        let verdict = parse(venue, payload, self.model, &mut message);
        self.apply(recv_ns, venue, verdict, &message, subscriber);
        self.message = message.recycle();
    }

    /// The same, with a look at the clock between its parts.
    pub fn record_timed(
        &mut self,
        recv_ns: i64,
        venue: Venue,
        payload: &[u8],
        subscriber: &mut impl Publish,
    ) -> Stamps {
        let begun = monotonic_ns();
        let mut message = std::mem::take(&mut self.message).recycle();
        let verdict = parse(venue, payload, self.model, &mut message);
        let parsed = monotonic_ns();
        self.apply(recv_ns, venue, verdict, &message, subscriber);
        let done = monotonic_ns();
        self.message = message.recycle();
        Stamps { parse_ns: parsed - begun, rest_ns: done - parsed }
    }

    fn apply(
        &mut self,
        recv_ns: i64,
        venue: Venue,
        verdict: Verdict,
        message: &Message<'_>,
        subscriber: &mut impl Publish,
    ) {
        self.accounting.note(venue, verdict, message);
        if matches!(verdict, Verdict::Malformed(_)) {
            return;
        }
        let taken = self.books.take(venue, message, recv_ns);
        self.accounting.note_updates(message, &taken, self.model);
        if matches!(taken.continuity, Some(Continuity::Gap { .. } | Continuity::NewEpoch)) {
            self.signals.refresh(&self.books);
        }
        self.signals.message(&self.books, recv_ns, subscriber);
    }

    /// The books.
    #[must_use]
    pub const fn books(&self) -> &Books {
        &self.books
    }

    /// The signals.
    #[must_use]
    pub const fn signals(&self) -> &Signals {
        &self.signals
    }

    /// The account.
    #[must_use]
    pub const fn accounting(&self) -> &Accounting {
        &self.accounting
    }

    /// How exactly messages are read.
    #[must_use]
    pub const fn model(&self) -> Model {
        self.model
    }
}

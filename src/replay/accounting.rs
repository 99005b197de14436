//! What became of every record: each is in exactly one place, and the sum is checked.

use serde::Serialize;

use crate::market::model::{Change, Fault, Ignored, Message, Model, Venue, Verdict};
use crate::market::unified::Taken;

/// Counts of a replay's records, by what they came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// All of the record was understood.
    pub ok: u64,
    /// Some elements of its array were not.
    pub partial: u64,
    /// It says nothing of interest.
    pub ignored: u64,
    /// It is wrong.
    pub malformed: u64,
}

impl Verdicts {
    fn total(&self) -> u64 {
        self.ok + self.partial + self.ignored + self.malformed
    }
}

/// Why records were ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct IgnoredBy {
    /// `PING`, `PONG`, nothing.
    pub keep_alive: u64,
    /// Replies to a command.
    pub reply: u64,
    /// Errors that the venue reports.
    pub venue_error: u64,
    /// Types that are known and of no interest.
    pub of_no_interest: u64,
    /// Types, or forms of them, that aren't known: to be looked at.
    pub unknown: u64,
    /// Messages without a level or an element.
    pub empty: u64,
}

/// Why records, or elements of them, could not be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FaultBy {
    /// Not JSON.
    pub not_json: u64,
    /// JSON that is no message.
    pub not_a_message: u64,
    /// A field is missing.
    pub missing_field: u64,
    /// A field has the wrong type.
    pub wrong_type: u64,
    /// A number is none, or out of range.
    pub bad_number: u64,
    /// A word isn't known.
    pub bad_word: u64,
}

/// What the updates of a replay said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct UpdateCounts {
    /// Snapshots begun, levels set, levels changed: what the reference calls deltas.
    pub deltas: u64,
    /// Those of them whose market isn't known.
    pub unmapped_deltas: u64,
    /// A side's best level out of a ticker.
    pub touches: u64,
    /// Best prices that the venue named beside its levels.
    pub named_bests: u64,
    /// Trades.
    pub trades: u64,
    /// Changes of a tick size.
    pub tick_sizes: u64,
    /// Updates that are no deltas, of a market that isn't known.
    pub unmapped_others: u64,
    /// Updates of messages that had come before, not applied again.
    pub repeated: u64,
}

/// Hashes of snapshots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct HashCounts {
    /// Right.
    pub verified: u64,
    /// Wrong.
    pub mismatched: u64,
    /// Not everything that is hashed is in the message.
    pub unverifiable: u64,
}

/// Levels that are in no book.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOutCounts {
    /// Finer than the scale.
    pub finer_than_scale: u64,
    /// Beyond what an integer of the scale holds.
    pub out_of_range: u64,
    /// Without a size, in a snapshot.
    pub without_size: u64,
}

/// The account of a replay's records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Records taken in.
    pub records: u64,
    /// Records by venue, as [`Venue::ALL`] has them.
    pub by_venue: [u64; 4],
    /// What they came to.
    pub verdicts: Verdicts,
    /// Why some were ignored.
    pub ignored_by: IgnoredBy,
    /// Why some were malformed or partial.
    pub fault_by: FaultBy,
    /// What they said.
    pub updates: UpdateCounts,
    /// What their hashes came to.
    pub hashes: HashCounts,
    /// What isn't in any book.
    pub left_out: LeftOutCounts,
    /// Messages before which something was lost.
    pub gaps: u64,
    /// Messages that changed a book which isn't sound.
    pub unsound_messages: u64,
}

/// The account doesn't add up.
#[derive(Debug, thiserror::Error)]
#[error("{records} records came to {accounted} verdicts, a bug in wakeline, please report it")]
pub struct Unaccounted {
    records: u64,
    accounted: u64,
}

impl Accounting {
    /// Takes in one record and what it came to.
    pub fn note(&mut self, venue: Venue, verdict: Verdict, message: &Message<'_>) {
        self.records += 1;
        self.by_venue[venue as usize] += 1;
        match verdict {
            Verdict::Ok => self.verdicts.ok += 1,
            Verdict::Partial(fault) => {
                self.verdicts.partial += 1;
                self.note_fault(fault);
            }
            Verdict::Ignored(reason) => {
                self.verdicts.ignored += 1;
                self.note_ignored(reason);
            }
            Verdict::Malformed(fault) => {
                self.verdicts.malformed += 1;
                self.note_fault(fault);
            }
        }
        self.hashes.verified += u64::from(message.hashes.verified);
        self.hashes.mismatched += u64::from(message.hashes.mismatched);
        self.hashes.unverifiable += u64::from(message.hashes.unverifiable);
        self.left_out.finer_than_scale += u64::from(message.left_out.finer_than_scale);
        self.left_out.out_of_range += u64::from(message.left_out.out_of_range);
        self.left_out.without_size += u64::from(message.left_out.without_size);
    }

    /// Takes in what became of a message's updates; `basis` where only levels count, as the reference has it.
    pub fn note_updates(&mut self, message: &Message<'_>, taken: &Taken, model: Model) {
        let counts = &mut self.updates;
        counts.unmapped_deltas += taken.unmapped_deltas as u64;
        counts.unmapped_others += (taken.unmapped - taken.unmapped_deltas) as u64;
        counts.repeated += taken.repeated as u64;
        self.gaps += u64::from(taken.gap);
        self.unsound_messages += u64::from(taken.unsound);
        if model == Model::Basis {
            // A gap's voided book is a delta of the reference's, and in no message.
            counts.deltas += (taken.applied + taken.unmapped) as u64;
            return;
        }
        for update in &message.updates {
            *match update.change {
                Change::Clear | Change::Set { .. } | Change::Add { .. } => &mut counts.deltas,
                Change::Touch { .. } => &mut counts.touches,
                Change::Best { .. } => &mut counts.named_bests,
                Change::Trade { .. } => &mut counts.trades,
                Change::TickSize { .. } => &mut counts.tick_sizes,
            } += 1;
        }
    }

    /// Whether every record is accounted for.
    ///
    /// # Errors
    /// [`Unaccounted`], which only a bug brings about.
    pub fn check(&self) -> Result<(), Unaccounted> {
        let (records, accounted) = (self.records, self.verdicts.total());
        if records == accounted && records == self.by_venue.iter().sum::<u64>() {
            Ok(())
        } else {
            Err(Unaccounted { records, accounted })
        }
    }

    fn note_ignored(&mut self, reason: Ignored) {
        let IgnoredBy { keep_alive, reply, venue_error, of_no_interest, unknown, empty } =
            &mut self.ignored_by;
        *match reason {
            Ignored::KeepAlive => keep_alive,
            Ignored::Reply => reply,
            Ignored::VenueError => venue_error,
            Ignored::OfNoInterest => of_no_interest,
            Ignored::Unknown => unknown,
            Ignored::Empty => empty,
        } += 1;
    }

    fn note_fault(&mut self, fault: Fault) {
        let FaultBy { not_json, not_a_message, missing_field, wrong_type, bad_number, bad_word } =
            &mut self.fault_by;
        *match fault {
            Fault::NotJson => not_json,
            Fault::NotAMessage => not_a_message,
            Fault::MissingField => missing_field,
            Fault::WrongType => wrong_type,
            Fault::BadNumber => bad_number,
            Fault::BadWord => bad_word,
        } += 1;
    }
}

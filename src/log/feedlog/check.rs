//! Looks a capture through: what it holds, and what is wrong with it.

use std::collections::BTreeMap;
use std::io::Read;

use super::error::FeedlogError;
use super::kind::BookRecord;
use super::message::message_type;
use super::reader::Reader;
use crate::market::Venue;

/// Types of messages that are told apart, for each second column.
const MAX_TYPES: usize = 100;
/// Longest name of a type that is kept, characters.
const MAX_TYPE_LENGTH: usize = 40;
/// Where those beyond [`MAX_TYPES`] are counted.
const OTHER_TYPES: &str = "(other types)";

/// Counts records by their second column and their message's type.
///
/// The second columns that are known are those of the first record that has a known one: venues, or, where that is one of
/// [`BookRecord`]'s, those. Others are bad lines.
#[derive(Debug, Default)]
pub struct Check {
    family: Option<Family>,
    kinds: Vec<KindTally>,
}

/// The records of one second column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindTally {
    /// What stands there.
    pub name: &'static str,
    /// How many.
    pub records: u64,
    /// How many of each type of message; the types as the messages have them, with what can't be printed escaped.
    pub types: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Venues,
    Book,
}

impl Family {
    fn of(kind: &[u8]) -> Option<Self> {
        let venue = Venue::of_name(kind).map(|_| Self::Venues);
        venue.or_else(|| BookRecord::of_name(kind).map(|_| Self::Book))
    }

    fn name_of(self, kind: &[u8]) -> Option<&'static str> {
        match self {
            Self::Venues => Venue::of_name(kind).map(Venue::name),
            Self::Book => BookRecord::of_name(kind).map(BookRecord::name),
        }
    }
}

impl Check {
    /// Looks at the next record; `false` at the end.
    ///
    /// # Errors
    /// As [`Reader::next_record`]; what was counted stands.
    pub fn next<R: Read>(&mut self, reader: &mut Reader<R>) -> Result<bool, FeedlogError> {
        let mut family = self.family;
        let name = reader.advance(|kind| {
            family = family.or_else(|| Family::of(kind));
            family.and_then(|family| family.name_of(kind))
        })?;
        self.family = family;
        let Some((name, record)) = name.zip(reader.current()) else { return Ok(false) };
        self.count(name, record.payload);
        Ok(true)
    }

    /// The records by their second column, in the order in which those words are listed.
    #[must_use]
    pub fn kinds(&self) -> Vec<&KindTally> {
        let order = Venue::ALL.map(Venue::name).into_iter().chain(BookRecord::ALL.map(BookRecord::name));
        order.filter_map(|name| self.kinds.iter().find(|kind| kind.name == name)).collect()
    }

    fn count(&mut self, name: &'static str, payload: &[u8]) {
        let index = self.kinds.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            self.kinds.push(KindTally { name, records: 0, types: BTreeMap::new() });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[index];
        kind.records += 1;
        let found = message_type(payload);
        if let Some(count) = kind.types.get_mut(found.as_ref()) {
            *count += 1;
            return;
        }
        let short: String = found.chars().take(MAX_TYPE_LENGTH).collect();
        let mut word = short.escape_debug().to_string();
        if kind.types.len() >= MAX_TYPES && !kind.types.contains_key(&word) {
            OTHER_TYPES.clone_into(&mut word);
        }
        *kind.types.entry(word).or_default() += 1;
    }
}

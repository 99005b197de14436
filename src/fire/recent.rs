//! A bounded memory of the correlation ids seen last, to count repeats.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// How many ids are remembered.
const REMEMBERED: usize = 4_096;

/// Remembers the latest 4,096 ids by a keyed hash of 64 bits.
#[derive(Debug)]
pub struct RecentIds {
    hasher: RandomState,
    known: HashSet<u64>,
    order: Vec<u64>,
    oldest: usize,
}

impl Default for RecentIds {
    fn default() -> Self {
        Self::new()
    }
}

impl RecentIds {
    /// An empty memory, with all the room it will ever need.
    pub fn new() -> Self {
        Self {
            hasher: RandomState::new(),
            // Twice the room, so that erased slots never force the table to grow.
            known: HashSet::with_capacity(2 * REMEMBERED),
            order: Vec::with_capacity(REMEMBERED),
            oldest: 0,
        }
    }

    /// Whether `id` is among the ids remembered; remembers it in the place of the oldest otherwise.
    pub fn seen_before(&mut self, id: &str) -> bool {
        let hash = self.hasher.hash_one(id);
        if !self.known.insert(hash) {
            return true;
        }
        if self.order.len() < REMEMBERED {
            self.order.push(hash);
        } else {
            let forgotten = std::mem::replace(&mut self.order[self.oldest], hash);
            self.known.remove(&forgotten);
            self.oldest = (self.oldest + 1) % REMEMBERED;
        }
        false
    }
}

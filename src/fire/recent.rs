//! A bounded memory of the correlation ids seen last, to count repeats.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// How many ids are remembered.
const REMEMBERED: usize = 4_096;

/// Remembers the latest 4,096 ids by a keyed hash of 64 bits.
#[derive(Debug)]
pub struct RecentIds {
    hasher: RandomState,
    known: HashSet<u64, BuildHasherDefault<AsItIs>>,
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
            known: HashSet::with_capacity_and_hasher(2 * REMEMBERED, BuildHasherDefault::default()),
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

/// Takes a number for its own hash: these are keyed hashes already, which no peer can make collide.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    /// Not for this set, whose members are numbers; but right for any bytes.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_ids_are_known_and_older_ones_forgotten() {
        let mut recent = RecentIds::new();
        for id in 0..3 * REMEMBERED {
            assert!(!recent.seen_before(&id.to_string()), "{id}");
            assert!(recent.seen_before(&id.to_string()), "{id}");
            if id >= REMEMBERED - 1 {
                let oldest = id + 1 - REMEMBERED;
                assert!(recent.seen_before(&oldest.to_string()), "{oldest} at {id}");
            }
        }
        assert_eq!(recent.known.len(), REMEMBERED);
        assert!(!recent.seen_before("0"), "forgotten long ago");
    }
}

//! Letting other writers of this process in while a backlog is being written.
//!
//! Back-to-back transactions leave the lock free only for moments, and while the WAL is being moved; a waiter that
//! polls for it may wait for hundreds of milliseconds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How another connection of this process asks the telemetry writer to step aside. Cheap to clone.
///
/// Other processes can't ask: they get in between batches and during checkpoints.
#[derive(Debug, Clone, Default)]
pub struct Turn(Arc<AtomicUsize>);

impl Turn {
    /// Asks. The writer finishes the batch at hand (some 10 to 20 ms) and begins no other for up to 20 ms, or until
    /// the answer is dropped. To be held from before `BEGIN IMMEDIATE`, retried every millisecond or so, to the commit.
    #[must_use = "the request ends when this is dropped"]
    pub fn ask(&self) -> Asked {
        self.0.fetch_add(1, Ordering::AcqRel);
        Asked(Arc::clone(&self.0))
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }
}

/// A request that stands; see [`Turn::ask`].
#[derive(Debug)]
pub struct Asked(Arc<AtomicUsize>);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

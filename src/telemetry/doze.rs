//! The deep sleep of a writer that has had nothing to write for a while, and how a producer ends it.

use std::time::Duration;

use crate::memory::sync::OnceLock;
use crate::memory::sync::atomic::{AtomicBool, Ordering, fence};
use crate::memory::sync::thread::{self, Thread};

/// Says whether the writer sleeps so deeply that rows have to wake it.
#[derive(Debug, Default)]
pub(super) struct Doze {
    /// Only ever swapped: a change then follows the one before it on whichever thread that was, which nothing that is
    /// merely stored has to for the model.
    asleep: AtomicBool,
    writer: OnceLock<Thread>,
}

impl Doze {
    /// Sleeps on the writer's own thread, for `time` or until it is woken; not at all if there is something to do.
    pub(super) fn sleep(&self, time: Duration, nothing_to_do: impl FnOnce() -> bool) {
        self.writer.get_or_init(thread::current);
        self.asleep.swap(true, Ordering::AcqRel);
        // Pairs with the fence in `wake`: either the producer sees the flag, or we see its row.
        fence(Ordering::SeqCst);
        if nothing_to_do() {
            thread::park_timeout(time);
        }
        self.asleep.swap(false, Ordering::AcqRel);
    }

    /// Wakes the writer if it sleeps deeply: a fence and a read when it doesn't, one system call when it does.
    pub(super) fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed)
            && self.asleep.swap(false, Ordering::AcqRel)
            && let Some(writer) = self.writer.get()
        {
            writer.unpark();
        }
    }
}

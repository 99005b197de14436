//! How the writer is told to end, and how others learn that it did.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::OnFinished;

/// The deadline of the exit (none until asked for) and the flag at its end.
#[derive(Debug)]
pub(super) struct Shutdown {
    base: Instant,
    /// Nanoseconds after `base`; `u64::MAX` while nobody asked.
    deadline: AtomicU64,
    finished: AtomicBool,
    lock: Mutex<()>,
    ended: Condvar,
}

impl Shutdown {
    pub(super) fn new() -> Self {
        Self {
            base: Instant::now(),
            deadline: AtomicU64::new(u64::MAX),
            finished: AtomicBool::new(false),
            lock: Mutex::new(()),
            ended: Condvar::new(),
        }
    }

    /// Asks for the end by `deadline`; of several the earliest counts.
    pub(super) fn ask(&self, deadline: Instant) {
        let nanos = deadline.saturating_duration_since(self.base).as_nanos();
        self.deadline
            .fetch_min(u64::try_from(nanos).unwrap_or(u64::MAX - 1).min(u64::MAX - 1), Ordering::AcqRel);
    }

    pub(super) fn asked(&self) -> bool {
        self.deadline.load(Ordering::Acquire) != u64::MAX
    }

    /// Time until the deadline; `Duration::MAX` when nobody asked.
    pub(super) fn time_left(&self) -> Duration {
        match self.deadline.load(Ordering::Acquire) {
            u64::MAX => Duration::MAX,
            nanos => Duration::from_nanos(nanos).saturating_sub(self.base.elapsed()),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    /// Waits for the end, at most until `deadline`.
    pub(super) fn wait_until(&self, deadline: Instant) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_finished() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            guard = self.ended.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Says that the writer ended when it is dropped, so that a panic says so too.
pub(super) struct EndGuard {
    pub(super) shutdown: std::sync::Arc<Shutdown>,
    pub(super) on_finished: Option<OnFinished>,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        {
            let _guard = self.shutdown.lock.lock().unwrap_or_else(PoisonError::into_inner);
            self.shutdown.finished.store(true, Ordering::Release);
        }
        self.shutdown.ended.notify_all();
        if let Some(tell) = self.on_finished.take() {
            tell();
        }
    }
}

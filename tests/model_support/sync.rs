//! Loom's side of `memory::sync`.

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::sync::{Arc, atomic};

use atomic::{AtomicBool, Ordering};

/// Loom's threads, which sleep until they are woken, whatever the time.
pub(crate) mod thread {
    pub(crate) use loom::thread::{Thread, current};

    pub(crate) fn park_timeout(_: std::time::Duration) {
        loom::thread::park();
    }
}

/// The standard library's cell, as far as one thread fills it.
#[derive(Debug)]
pub(crate) struct OnceLock<T> {
    filled: AtomicBool,
    value: UnsafeCell<Option<T>>,
}

#[allow(unsafe_code, reason = "as in the standard library")]
// SAFETY: the value is written before the release store of `filled` and only read after an acquire load that saw it.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self { filled: AtomicBool::new(false), value: UnsafeCell::new(None) }
    }
}

impl<T> OnceLock<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        if !self.filled.load(Ordering::Acquire) {
            return None;
        }
        #[allow(unsafe_code, reason = "as in the standard library")]
        // SAFETY: it is filled, and nobody writes to it any more.
        self.value.with(|value| unsafe { (*value).as_ref() })
    }

    /// To be called by one thread only.
    pub(crate) fn get_or_init(&self, value: impl FnOnce() -> T) {
        if !self.filled.load(Ordering::Acquire) {
            #[allow(unsafe_code, reason = "as in the standard library")]
            // SAFETY: it isn't filled, so nobody reads it, and nobody else writes to it.
            self.value.with_mut(|place| unsafe { *place = Some(value()) });
            self.filled.store(true, Ordering::Release);
        }
    }
}

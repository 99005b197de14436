//! What two threads meet through, by the names that the loom crate has for it: `tests/model.rs` compiles the modules that
//! use it with loom's own in its place, and tries every order in which their threads can run.

pub(crate) use std::sync::{Arc, OnceLock, atomic};
pub(crate) use std::thread;

/// A place whose owner no type says. Whoever looks into it states why it is theirs.
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    /// Lends the place to be read.
    #[inline(always)]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    /// Lends the place to be written.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

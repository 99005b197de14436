//! Telling every connection that the daemon stops, at no cost to a connection that isn't told.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::task::Waker;

/// Says that the daemon stops, and wakes whoever waits on a socket.
#[derive(Debug, Default)]
pub(super) struct StopSignal {
    stopping: Cell<bool>,
    next: Cell<u64>,
    waiting: RefCell<BTreeMap<u64, Waker>>,
}

impl StopSignal {
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.get()
    }

    pub(super) fn stop(&self) {
        self.stopping.set(true);
        for waker in self.waiting.borrow().values() {
            waker.wake_by_ref();
        }
    }

    /// Registers a task to be woken; dropping the registration ends it.
    pub(super) fn register(&self, waker: &Waker) -> Registration<'_> {
        let id = self.next.get();
        self.next.set(id + 1);
        self.waiting.borrow_mut().insert(id, waker.clone());
        Registration { signal: self, id }
    }
}

/// One task's place among those to be woken.
#[derive(Debug)]
pub(super) struct Registration<'a> {
    signal: &'a StopSignal,
    id: u64,
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.signal.waiting.borrow_mut().remove(&self.id);
    }
}

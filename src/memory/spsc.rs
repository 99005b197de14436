//! A bounded ring between one producing thread and one consuming thread, whose slots are filled where they stand.
//!
//! A slot always holds a value, so a producer may write just the part of it that matters. Positions count up for ever;
//! their lower bits are the slot's index. Each side writes its own position and looks at the other's only when what it
//! saw of it last no longer does, so a push into a ring with room touches no line the consumer writes.

use std::{fmt, ptr};

use super::sync::atomic::{AtomicU64, Ordering};
use super::sync::{Arc, UnsafeCell};

/// A ring over `slots`, whose contents are of no importance; `None` unless their number is a power of two.
pub fn ring<T: Copy + Send>(slots: Vec<T>) -> Option<(Producer<T>, Consumer<T>)> {
    if !slots.len().is_power_of_two() {
        return None;
    }
    let slots = slots.into_iter().map(UnsafeCell::new).collect();
    let shared = Arc::new(Shared { pushed: Position::default(), popped: Position::default(), slots });
    let producer = Producer { shared: Arc::clone(&shared), pushed: 0, popped_at_least: 0 };
    Some((producer, Consumer { shared, popped: 0, pushed_at_least: 0 }))
}

/// How far ahead of the next push slots are fetched into the cache: it then finds its slot there, also when the
/// consumer's processor had it last. Fetching only the very next slot came too late for a burst of pushes.
const AHEAD: u64 = 3;

/// A position on cache lines of its own (two, since the prefetcher of x86 fetches pairs).
#[derive(Default)]
#[repr(align(128))]
struct Position(AtomicU64);

struct Shared<T> {
    /// Written by the producer alone. Slots at positions below it hold what was pushed.
    pushed: Position,
    /// Written by the consumer alone, never above `pushed`. Slots at positions below it may be filled anew.
    popped: Position,
    slots: Box<[UnsafeCell<T>]>,
}

#[expect(unsafe_code, reason = "two threads share the slots")]
// SAFETY: of a slot only the side that owns it makes a reference: the consumer at positions from `popped` to `pushed`, the
// producer at those from there to a whole ring above `popped`. Both ends are unique (neither can be cloned, and what
// touches a slot takes `&mut self`), and a slot passes over by a release store of a position that the other side has
// read by an acquire load. `T: Send` lets its value come from another thread.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn slot(&self, position: u64) -> &UnsafeCell<T> {
        // There are 2^n slots, at least one, so what the mask leaves of a position is an index of them.
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    fn len(&self) -> usize {
        // `popped` first: read later it could have overtaken the `pushed` at hand.
        let popped = self.popped.0.load(Ordering::Acquire);
        let pushed = self.pushed.0.load(Ordering::Acquire);
        // Seen from a third thread, both may have moved on in between, and more than a whole ring.
        (pushed.wrapping_sub(popped) as usize).min(self.slots.len())
    }
}

/// The end that pushes.
pub struct Producer<T> {
    shared: Arc<Shared<T>>,
    /// The shared position, which nobody else writes.
    pushed: u64,
    /// The consumer's position as it was seen last.
    popped_at_least: u64,
}

impl<T: Copy + Send> Producer<T> {
    /// Lets `fill` write into the next slot, where an older value stands; `false`, without calling it, when the ring is
    /// full.
    #[inline]
    pub fn push_with(&mut self, fill: impl FnOnce(&mut T)) -> bool {
        if self.is_full() {
            self.popped_at_least = self.shared.popped.0.load(Ordering::Acquire);
            if self.is_full() {
                return false;
            }
        }
        self.shared.slot(self.pushed).with_mut(|slot| {
            #[expect(unsafe_code, reason = "the slot is the producer's, which no type says")]
            // SAFETY: `pushed` is less than a whole ring above a position that the consumer has passed, so the consumer is
            // done with this slot (the acquire load above saw that) and won't touch it again before the store below. No
            // other producer exists, and `fill` can't reach this one.
            fill(unsafe { &mut *slot });
        });
        self.pushed = self.pushed.wrapping_add(1);
        self.shared.pushed.0.store(self.pushed, Ordering::Release);
        prefetch(ptr::from_ref(self.shared.slot(self.pushed.wrapping_add(AHEAD))));
        true
    }

    fn is_full(&self) -> bool {
        self.pushed.wrapping_sub(self.popped_at_least) >= self.shared.slots.len() as u64
    }

    /// What tells the ring's level from any thread.
    #[must_use]
    pub fn gauge(&self) -> Gauge<T> {
        Gauge { shared: Arc::clone(&self.shared) }
    }

    /// Values in the ring.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether the consumer has taken everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Has the first cache line of a value fetched in the background, where the target knows how.
#[inline(always)]
fn prefetch<T>(value: *const T) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "no safe function does it")]
    // SAFETY: SSE is part of every x86_64, and a prefetch reads and writes nothing as far as the program can tell.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(value.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// The end that pops.
pub struct Consumer<T> {
    shared: Arc<Shared<T>>,
    /// The shared position, which nobody else writes.
    popped: u64,
    /// The producer's position as it was seen last.
    pushed_at_least: u64,
}

impl<T: Copy + Send> Consumer<T> {
    /// Takes the oldest value.
    pub fn pop(&mut self) -> Option<T> {
        if self.popped == self.pushed_at_least {
            self.pushed_at_least = self.shared.pushed.0.load(Ordering::Acquire);
            if self.popped == self.pushed_at_least {
                return None;
            }
        }
        let value = self.shared.slot(self.popped).with(|slot| {
            #[expect(unsafe_code, reason = "the slot is the consumer's, which no type says")]
            // SAFETY: `popped` is below a position that the producer has published (the acquire load above saw what it
            // wrote), and the producer won't touch this slot again before the store below.
            unsafe {
                *slot
            }
        });
        self.popped = self.popped.wrapping_add(1);
        self.shared.popped.0.store(self.popped, Ordering::Release);
        Some(value)
    }

    /// Values in the ring, those included that were pushed since the last [`Self::pop`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether nothing is left to pop.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Tells a ring's level from any thread.
pub struct Gauge<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Gauge<T> {
    /// Values in the ring.
    #[must_use]
    pub fn level(&self) -> usize {
        self.shared.len()
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").field("capacity", &self.slots.len()).field("len", &self.len()).finish()
    }
}

impl<T> fmt::Debug for Producer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Producer").field(&self.shared).finish()
    }
}

impl<T> fmt::Debug for Consumer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Consumer").field(&self.shared).finish()
    }
}

impl<T> fmt::Debug for Gauge<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gauge").field(&self.shared).finish()
    }
}

//! A bounded ring between one producing thread and one consuming thread, whose slots are filled where they stand.
//!
//! A slot always holds a value, so a producer may write just the part of it that matters. Positions count up for ever;
//! their lower bits are the slot's index. Each side writes its own position and looks at the other's only when what it
//! saw of it last no longer does, so a push into a ring with room touches no line the consumer writes.

use std::cell::UnsafeCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
        self.pushed.0.load(Ordering::Acquire).wrapping_sub(popped) as usize
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
        let slot = self.shared.slot(self.pushed).get();
        #[expect(unsafe_code, reason = "the slot is the producer's, which no type says")]
        // SAFETY: `pushed` is less than a whole ring above a position that the consumer has passed, so the consumer is done
        // with this slot (the acquire load above saw that) and won't touch it again before the store below. No other
        // producer exists, and `fill` can't reach this one.
        fill(unsafe { &mut *slot });
        self.pushed = self.pushed.wrapping_add(1);
        self.shared.pushed.0.store(self.pushed, Ordering::Release);
        prefetch(self.shared.slot(self.pushed.wrapping_add(AHEAD)).get());
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
        let slot = self.shared.slot(self.popped).get();
        #[expect(unsafe_code, reason = "the slot is the consumer's, which no type says")]
        // SAFETY: `popped` is below a position that the producer has published (the acquire load above saw what it wrote),
        // and the producer won't touch this slot again before the store below.
        let value = unsafe { *slot };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn push(producer: &mut Producer<u64>, value: u64) -> bool {
        producer.push_with(|slot| *slot = value)
    }

    #[test]
    fn the_capacity_is_a_power_of_two() {
        for capacity in [0, 3, 1000] {
            assert!(ring(vec![0_u64; capacity]).is_none(), "{capacity}");
        }
    }

    #[test]
    fn what_goes_in_comes_out_in_order_and_a_full_ring_takes_nothing() {
        for capacity in [1, 2, 4, 64] {
            let (mut producer, mut consumer) = ring(vec![0; capacity]).unwrap();
            let gauge = producer.gauge();
            let (mut next, mut expected) = (0, 0);
            // Fills of every height, over many rounds of the ring.
            for height in (0..=capacity + 1).cycle().take(10 * (capacity + 2)) {
                let taken = (0..height)
                    .filter(|_| {
                        push(&mut producer, next) && {
                            next += 1;
                            true
                        }
                    })
                    .count();
                assert_eq!(taken, height.min(capacity));
                assert_eq!([producer.len(), consumer.len(), gauge.level()], [taken; 3]);
                while let Some(value) = consumer.pop() {
                    assert_eq!(value, expected);
                    expected += 1;
                }
                assert!(consumer.is_empty() && producer.is_empty());
            }
            assert_eq!(expected, next);
        }
    }

    #[test]
    fn a_fill_that_panics_pushes_nothing() {
        let (mut producer, mut consumer) = ring(vec![0_u64; 2]).unwrap();
        let attempt = std::panic::AssertUnwindSafe(|| producer.push_with(|_| panic!("no")));
        assert!(std::panic::catch_unwind(attempt).is_err());
        assert_eq!(consumer.pop(), None);
        assert!(push(&mut producer, 7));
        assert_eq!(consumer.pop(), Some(7));
    }

    /// Values of several cache lines: one that was read while it was written, or twice, or not at all, would show.
    #[test]
    fn two_threads_pass_whole_values_in_order() {
        let count: u64 = if cfg!(miri) { 200 } else { 300_000 };
        for capacity in [1, 2, 64, 1024] {
            let (mut producer, mut consumer) = ring(vec![[0_u64; 24]; capacity]).unwrap();
            let gauge = producer.gauge();
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    for value in 0..count {
                        while !producer.push_with(|slot| slot.fill(value)) {
                            std::thread::yield_now();
                        }
                    }
                });
                for expected in 0..count {
                    let value = loop {
                        match consumer.pop() {
                            Some(value) => break value,
                            None => std::thread::yield_now(),
                        }
                    };
                    assert_eq!(value, [expected; 24]);
                    assert!(gauge.level() <= capacity);
                }
                assert_eq!(consumer.pop(), None);
            });
        }
    }
}

//! One log line per kind and interval.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::clock::monotonic_ns;

/// Lets one event per interval through and counts the ones it held back. Shared by reference; usable as a `static`.
///
/// ```
/// use std::time::Duration;
/// use wakeline::measure::rate_limit::RateLimit;
///
/// static LOCKED: RateLimit = RateLimit::new(Duration::from_secs(10));
/// if let Some(suppressed) = LOCKED.admit() {
///     eprintln!("database locked ({suppressed} lines like this suppressed)");
/// }
/// ```
#[derive(Debug)]
pub struct RateLimit {
    interval_ns: u64,
    /// Monotonic nanoseconds from which the next event is admitted; 0 before the first.
    open_from: AtomicU64,
    suppressed: AtomicU64,
}

impl RateLimit {
    /// The interval of every recurring warning in this crate: one line per 10 s.
    pub const WARNINGS: Duration = Duration::from_secs(10);

    /// A limit of one event per `interval`. The first event is always admitted.
    #[must_use]
    pub const fn new(interval: Duration) -> Self {
        // 500 years of nanoseconds fit; a longer interval is no limit anyone means.
        let interval_ns =
            interval.as_secs().saturating_mul(1_000_000_000).saturating_add(interval.subsec_nanos() as u64);
        Self { interval_ns, open_from: AtomicU64::new(0), suppressed: AtomicU64::new(0) }
    }

    /// `Some(n)` when the event may be reported, `n` being how many were held back since the last report; else `None`.
    ///
    /// Costs a clock read. Of several threads that arrive at once exactly one is admitted.
    pub fn admit(&self) -> Option<u64> {
        self.admit_at(monotonic_ns())
    }

    fn admit_at(&self, now: u64) -> Option<u64> {
        let open_from = self.open_from.load(Ordering::Relaxed);
        let next = now.saturating_add(self.interval_ns);
        if now < open_from
            || self.open_from.compare_exchange(open_from, next, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            self.suppressed.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(self.suppressed.swap(0, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admits_one_per_interval_and_counts_the_rest() {
        let limit = RateLimit::new(Duration::from_nanos(100));
        assert_eq!(limit.admit_at(5), Some(0));
        assert_eq!(limit.admit_at(6), None);
        assert_eq!(limit.admit_at(104), None);
        assert_eq!(limit.admit_at(105), Some(2));
        assert_eq!(limit.admit_at(300), Some(0));
    }

    #[test]
    fn one_of_many_threads_is_admitted() {
        let limit = RateLimit::new(Duration::from_secs(3600));
        let admitted: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..1000).filter(|_| limit.admit().is_some()).count()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(admitted, 1);
        assert_eq!(limit.suppressed.load(Ordering::Relaxed), 7999);
    }
}

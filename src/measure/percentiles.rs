//! Type-7 percentiles, bit for bit as the Python harness computes them.
//!
//! Rank `(n - 1) * p`; between two neighbours the value is `low + (high - low) * fraction`, in that order of
//! operations: the algebraically equal `low * (1 - fraction) + high * fraction` differs in the last bit.

/// The `p`-th percentile (`p` from 0 to 1) of a sample that is already sorted in ascending order, in the sample's unit.
///
/// `None` for an empty sample or a `p` that isn't in `0.0..=1.0` (NaN included).
#[must_use]
pub fn percentile(sorted: &[f64], p: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    let last = sorted.len().checked_sub(1)?;
    let rank = last as f64 * p;
    let floor = rank.floor();
    let low = *sorted.get(floor as usize)?;
    let high = *sorted.get(rank.ceil() as usize)?;
    Some(low + (high - low) * (rank - floor))
}

/// The five figures a latency sample is quoted with, in the sample's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Sample size.
    pub count: usize,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile; below 1,000 samples it is little else than the maximum.
    pub p999: f64,
    /// Largest value.
    pub max: f64,
}

impl Summary {
    /// Sorts `sample` in place and summarises it; `None` when it is empty.
    #[must_use]
    pub fn of(sample: &mut [f64]) -> Option<Self> {
        sample.sort_unstable_by(f64::total_cmp);
        Some(Self {
            count: sample.len(),
            p50: percentile(sample, 0.5)?,
            p90: percentile(sample, 0.9)?,
            p99: percentile(sample, 0.99)?,
            p999: percentile(sample, 0.999)?,
            max: *sample.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_between_neighbours() {
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 0.75), Some(3.0));
        assert_eq!(percentile(&[7.5], 0.999), Some(7.5));
    }

    #[test]
    fn refuses_what_has_no_percentile() {
        assert_eq!(percentile(&[], 0.5), None);
        for p in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(percentile(&[1.0], p), None, "p = {p}");
        }
        assert_eq!(Summary::of(&mut []), None);
    }

    #[test]
    fn summary_sorts_its_sample() {
        let mut sample: Vec<f64> = (0..=1000).rev().map(f64::from).collect();
        let summary = Summary::of(&mut sample).unwrap();
        assert_eq!((summary.count, summary.p50, summary.p90), (1001, 500.0, 900.0));
        assert_eq!((summary.p99, summary.p999, summary.max), (990.0, 999.0, 1000.0));
    }
}

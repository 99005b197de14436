//! Tables of percentiles.

use std::fmt;

use crate::measure::percentiles::{Summary, percentile};

/// Samples of one kind, in nanoseconds and in the order they were taken.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) samples_ns: Vec<f64>,
}

/// Rows under one head, in microseconds.
#[derive(Debug)]
pub(super) struct Table<'a>(pub(super) &'a [Row]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        writeln!(f, "{:<width$}{:>10}{:>10}{:>10}{:>10}", "", "min", "p50", "p90", "p99")?;
        for row in self.0 {
            let mut sorted = row.samples_ns.clone();
            let Some(Summary { p50, p90, p99, .. }) = Summary::of(&mut sorted) else { continue };
            write!(f, "{:<width$}", row.name)?;
            for figure in [sorted[0], p50, p90, p99] {
                write!(f, "{:>10.1}", figure / 1e3)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Median and quartiles of ratios, each between two samples that were taken side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    median: f64,
    lower: f64,
    upper: f64,
}

impl Ratio {
    /// Of `ours` to `theirs`, pair by pair; `None` without pairs.
    pub(super) fn of(ours: &[f64], theirs: &[f64]) -> Option<Self> {
        let mut ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        ratios.sort_by(f64::total_cmp);
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|p| percentile(&ratios, p));
        Some(Self { median: median?, lower: lower?, upper: upper? })
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, lower, upper } = self;
        write!(f, "{median:.4} (half of them between {lower:.4} and {upper:.4})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_the_median_over_pairs() {
        let ratio = Ratio::of(&[1.0, 4.0, 9.0], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(ratio, Ratio { median: 2.0, lower: 1.5, upper: 2.5 });
        assert_eq!(Ratio::of(&[], &[]), None);
    }

    #[test]
    fn a_table_shows_microseconds() {
        let row = Row { name: "one".to_owned(), samples_ns: vec![3_000.0, 1_000.0, 2_000.0] };
        let table = Table(&[row]).to_string();
        assert_eq!(table.lines().nth(1).unwrap(), "one       1.0       2.0       2.8       3.0");
    }
}

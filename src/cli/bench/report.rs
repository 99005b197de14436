//! What a component measured.

use super::compare::Comparison;
use crate::measure::percentiles::Summary;

/// Samples from which a 99.9th percentile is more than another word for the maximum.
const SAMPLES_FOR_P999: usize = 10_000;

/// What the figures of a section are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Ns,
    Us,
    Ms,
    RowsPerSecond,
    PercentOfCore,
}

impl Unit {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::RowsPerSecond => "rows/s",
            Self::PercentOfCore => "% of a core",
        }
    }

    pub(super) const fn decimals(self) -> usize {
        match self {
            Self::Ns => 1,
            Self::Us | Self::Ms => 2,
            Self::RowsPerSecond => 0,
            Self::PercentOfCore => 3,
        }
    }

    /// A time in this unit.
    pub(super) fn of_ns(self, ns: f64) -> f64 {
        match self {
            Self::Us => ns / 1e3,
            Self::Ms => ns / 1e6,
            Self::Ns | Self::RowsPerSecond | Self::PercentOfCore => ns,
        }
    }
}

/// One table: kinds that were measured side by side.
#[derive(Debug)]
pub(super) struct Section {
    /// The name in the CSV.
    pub(super) benchmark: &'static str,
    /// What was measured, for people.
    pub(super) title: String,
    pub(super) unit: Unit,
    /// Samples of each run that count.
    pub(super) samples: u32,
    /// Samples of each run before those.
    pub(super) warm_up: u32,
    pub(super) series: Vec<Series>,
    pub(super) comparisons: Vec<Comparison>,
    /// What a reader must know to read the figures rightly.
    pub(super) notes: Vec<String>,
}

/// One kind's samples.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// The kind, for people.
    pub(super) name: String,
    /// The kind, for the CSV: `key=value` words.
    pub(super) config: String,
    /// Samples in the unit of the section and the order they were taken, run by run.
    pub(super) runs: Vec<Vec<f64>>,
}

impl Series {
    /// The figures of all runs together.
    pub(super) fn pooled(&self) -> Option<Figures> {
        Figures::of(self.runs.concat())
    }
}

/// What a sample is quoted with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub(super) min: f64,
    pub(super) summary: Summary,
}

impl Figures {
    /// `None` for an empty sample.
    pub(super) fn of(mut sample: Vec<f64>) -> Option<Self> {
        let summary = Summary::of(&mut sample)?;
        Some(Self { min: *sample.first()?, summary })
    }

    /// `None` when not even one sample lies beyond it.
    pub(super) fn p90(&self) -> Option<f64> {
        (self.summary.count >= 10).then_some(self.summary.p90)
    }

    /// `None` when not even one sample lies beyond it.
    pub(super) fn p99(&self) -> Option<f64> {
        (self.summary.count >= 100).then_some(self.summary.p99)
    }

    /// `None` when the sample is too small for it.
    pub(super) fn p999(&self) -> Option<f64> {
        (self.summary.count >= SAMPLES_FOR_P999).then_some(self.summary.p999)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_takes_samples_beyond_it() {
        let of = |count| Figures::of((0..count).map(f64::from).collect()).unwrap();
        assert_eq!(of(9_999).p999(), None);
        assert_eq!(of(10_001).p999(), Some(9_990.0));
        assert_eq!((of(9).p90(), of(11).p90()), (None, Some(9.0)));
        assert_eq!((of(99).p99(), of(101).p99()), (None, Some(99.0)));
        assert_eq!((of(101).min, of(101).summary.p50), (0.0, 50.0));
        assert_eq!(Figures::of(Vec::new()), None);
    }
}

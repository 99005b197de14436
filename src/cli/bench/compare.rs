//! Two kinds beside one another: never two lone figures, but what each pair of figures taken side by side says.

use std::cmp::Ordering;
use std::fmt;

use super::report::{Series, Unit};
use crate::measure::percentiles::percentile;

/// How one kind did beside another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    /// What was divided by what, or subtracted.
    pub(super) text: String,
    pub(super) spread: Spread,
    /// The unit of a difference; a ratio has none.
    pub(super) unit: Option<Unit>,
}

impl Comparison {
    /// Ratio of samples that were taken in the same turn.
    pub(super) fn by_sample(ours: &Series, theirs: &Series) -> Option<Self> {
        let pairs = ours.runs.iter().flatten().zip(theirs.runs.iter().flatten());
        let spread = Spread::of(pairs.map(|(ours, theirs)| ours / theirs).collect())?;
        Some(Self { text: format!("{} / {}", ours.name, theirs.name), spread, unit: None })
    }

    /// [`Self::by_sample`] of the first series to each of the others.
    pub(super) fn of_first(series: &[Series]) -> Vec<Self> {
        let Some((ours, others)) = series.split_first() else { return Vec::new() };
        others.iter().filter_map(|theirs| Self::by_sample(ours, theirs)).collect()
    }

    /// Ratio of medians of rounds, where each kind had a round of samples to itself.
    pub(super) fn by_round(ours: &Series, theirs: &Series, round: usize) -> Option<Self> {
        let in_rounds = |series: &Series| Series {
            runs: series.runs.iter().flat_map(|run| run.chunks(round)).map(<[f64]>::to_vec).collect(),
            ..series.clone()
        };
        let spread =
            Spread::of_runs(&in_rounds(ours), &in_rounds(theirs), 0.5, |ours, theirs| ours / theirs)?;
        Some(Self {
            text: format!("{} / {}, medians of rounds of {round}", ours.name, theirs.name),
            spread,
            unit: None,
        })
    }

    /// Ratio of a percentile of whole runs that were made one after the other.
    pub(super) fn by_run(ours: &Series, theirs: &Series, p: f64) -> Option<Self> {
        let text = format!("{} / {}, p{}", ours.name, theirs.name, p * 100.0);
        Some(Self {
            text,
            spread: Spread::of_runs(ours, theirs, p, |ours, theirs| ours / theirs)?,
            unit: None,
        })
    }

    /// How far a percentile of whole runs is above that of the runs beside them.
    pub(super) fn above_by_run(ours: &Series, theirs: &Series, p: f64, unit: Unit) -> Option<Self> {
        let text = format!("{} above {}, p{}, {}", ours.name, theirs.name, p * 100.0, unit.name());
        let spread = Spread::of_runs(ours, theirs, p, |ours, theirs| ours - theirs)?;
        Some(Self { text, spread, unit: Some(unit) })
    }
}

/// Two-sided p of a split of pairs of runs as uneven as theirs at a percentile, were both sides equally likely. Ties don't
/// count.
pub(super) fn sign_test(ours: &Series, theirs: &Series, p: f64) -> Option<f64> {
    let differences = differences(ours, theirs, p, |ours, theirs| ours - theirs)?;
    let (above, below) =
        differences.iter().fold((0_u32, 0_u32), |(above, below), difference| {
            match difference.total_cmp(&0.0) {
                Ordering::Greater => (above + 1, below),
                Ordering::Less => (above, below + 1),
                Ordering::Equal => (above, below),
            }
        });
    let trials = above + below;
    let (mut tail, mut term) = (0.0, 0.5_f64.powi(trials as i32));
    for hits in 0..=above.min(below) {
        tail += term;
        term *= f64::from(trials - hits) / f64::from(hits + 1);
    }
    Some((2.0 * tail).min(1.0))
}

/// What each pair of runs says at a percentile.
fn differences(
    ours: &Series,
    theirs: &Series,
    p: f64,
    compare: impl Fn(f64, f64) -> f64,
) -> Option<Vec<f64>> {
    let of = |run: &Vec<f64>| {
        let mut sorted = run.clone();
        sorted.sort_by(f64::total_cmp);
        percentile(&sorted, p)
    };
    let pairs = ours.runs.iter().zip(&theirs.runs);
    pairs.map(|(ours, theirs)| Some(compare(of(ours)?, of(theirs)?))).collect()
}

/// Median and quartiles of what pairs say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    pub(super) pairs: usize,
    pub(super) median: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, median, lower, upper } = self;
        write!(f, "{median:.3} (half of {pairs} pairs between {lower:.3} and {upper:.3})")
    }
}

impl Spread {
    fn of(mut figures: Vec<f64>) -> Option<Self> {
        figures.sort_by(f64::total_cmp);
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|p| percentile(&figures, p));
        Some(Self { pairs: figures.len(), median: median?, lower: lower?, upper: upper? })
    }

    fn of_runs(ours: &Series, theirs: &Series, p: f64, compare: impl Fn(f64, f64) -> f64) -> Option<Self> {
        Self::of(differences(ours, theirs, p, compare)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, runs: &[&[f64]]) -> Series {
        Series {
            name: name.to_owned(),
            config: String::new(),
            runs: runs.iter().map(|run| run.to_vec()).collect(),
        }
    }

    #[test]
    fn samples_are_compared_pair_by_pair() {
        let comparisons =
            Comparison::of_first(&[series("a", &[&[1.0, 4.0, 9.0]]), series("b", &[&[1.0, 2.0, 3.0]])]);
        assert_eq!(comparisons[0].spread, Spread { pairs: 3, median: 2.0, lower: 1.5, upper: 2.5 });
        assert_eq!(comparisons[0].text, "a / b");
        assert_eq!(comparisons[0].spread.to_string(), "2.000 (half of 3 pairs between 1.500 and 2.500)");
        assert_eq!(Comparison::by_sample(&series("a", &[&[]]), &series("b", &[&[]])), None);
    }

    #[test]
    fn rounds_are_compared_by_their_medians() {
        let (ours, theirs) = (series("a", &[&[2.0, 2.0, 6.0, 6.0]]), series("b", &[&[1.0, 1.0, 2.0, 2.0]]));
        let ratio = Comparison::by_round(&ours, &theirs, 2).unwrap();
        assert_eq!((ratio.spread.pairs, ratio.spread.median), (2, 2.5));
        assert_eq!(ratio.text, "a / b, medians of rounds of 2");
    }

    #[test]
    fn runs_are_compared_by_their_percentiles() {
        let (ours, theirs) =
            (series("a", &[&[3.0, 1.0, 2.0], &[9.0, 9.0, 9.0]]), series("b", &[&[1.0; 3], &[3.0; 3]]));
        let ratio = Comparison::by_run(&ours, &theirs, 0.5).unwrap();
        assert_eq!((ratio.spread.pairs, ratio.spread.median), (2, 2.5));
        let above = Comparison::above_by_run(&ours, &theirs, 0.5, Unit::Us).unwrap();
        assert_eq!((&above.text[..], above.spread.median), ("a above b, p50, us", 3.5));
    }

    #[test]
    fn the_sign_test_counts_sides() {
        let runs = |medians: &[f64]| medians.iter().map(|median| vec![*median]).collect();
        let of = |medians: &[f64]| Series { runs: runs(medians), ..series("", &[]) };
        for (above, below, ties, p) in [
            (11, 0, 0, 2.0 / 2_048.0),
            (1, 10, 0, 24.0 / 2_048.0),
            (9, 2, 5, 134.0 / 2_048.0),
            (3, 3, 0, 1.0),
            (0, 0, 4, 1.0),
            (500, 500, 0, 1.0),
        ] {
            let ours = [vec![2.0; above], vec![0.5; below], vec![1.0; ties]].concat();
            let theirs = vec![1.0; ours.len()];
            let found = sign_test(&of(&ours), &of(&theirs), 0.99).unwrap();
            assert!((found - p).abs() < 1e-9, "{above} {below}: {found}");
        }
    }
}

//! Tables for people.

use std::fmt;

use super::compare::Comparison;
use super::report::{Figures, Section};

const COLUMNS: [&str; 6] = ["min", "p50", "p90", "p99", "p99.9", "max"];
const WIDTH: usize = 11;

/// A section as text: title, figures, ratios, notes.
pub(super) struct Table<'a>(pub(super) &'a Section);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Section { benchmark, title, unit, series, comparisons, notes, .. } = self.0;
        writeln!(f, "{benchmark}: {title}")?;
        let head = format!("  {}", unit.name());
        let names = series.iter().map(|series| series.name.chars().count() + 2);
        let width = names.chain([head.len()]).max().unwrap_or(0);
        write!(f, "{head:<width$}")?;
        COLUMNS.iter().try_for_each(|column| write!(f, "{column:>WIDTH$}"))?;
        writeln!(f)?;
        for series in series {
            write!(f, "{:<width$}", format!("  {}", series.name))?;
            if let Some(figures) = series.pooled() {
                for figure in cells(&figures) {
                    match figure {
                        Some(figure) => write!(f, "{figure:>WIDTH$.*}", unit.decimals())?,
                        None => write!(f, "{:>WIDTH$}", "-")?,
                    }
                }
            }
            writeln!(f)?;
        }
        let width = comparisons.iter().map(|comparison| comparison.text.chars().count()).max().unwrap_or(0);
        for Comparison { text, spread, .. } in comparisons {
            writeln!(f, "  {text:<width$}  {spread}")?;
        }
        notes.iter().try_for_each(|note| writeln!(f, "  ({note})"))
    }
}

/// In the order of [`COLUMNS`].
fn cells(figures: &Figures) -> [Option<f64>; 6] {
    let summary = &figures.summary;
    let [min, p50, max] = [figures.min, summary.p50, summary.max].map(Some);
    [min, p50, figures.p90(), figures.p99(), figures.p999(), max]
}

#[cfg(test)]
mod tests {
    use super::super::report::{Series, Unit};
    use super::*;

    #[test]
    fn figures_stand_under_their_columns() {
        let one =
            Series { name: "one".to_owned(), config: String::new(), runs: vec![vec![3.0, 1.0], vec![2.0]] };
        let section = Section {
            benchmark: "b",
            title: "what".to_owned(),
            unit: Unit::Us,
            samples: 2,
            warm_up: 0,
            series: vec![one],
            comparisons: Vec::new(),
            notes: vec!["so".to_owned()],
        };
        let expected = "\
b: what
  us         min        p50        p90        p99      p99.9        max
  one       1.00       2.00          -          -          -       3.00
  (so)
";
        assert_eq!(Table(&section).to_string(), expected);
    }
}

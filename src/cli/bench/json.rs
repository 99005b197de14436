//! One JSON document for programs.

use serde_json::{Value, json};

use super::compare::{Comparison, Spread};
use super::receipt::Receipt;
use super::report::{Figures, Section, Series};

/// Everything that was measured, and where.
pub(super) fn document(receipt: &Receipt, sections: &[Section]) -> Value {
    let sections: Vec<Value> = sections.iter().map(section).collect();
    json!({ "receipt": receipt, "sections": sections })
}

fn section(section: &Section) -> Value {
    let Section { benchmark, title, unit, samples, warm_up, series, comparisons, notes } = section;
    json!({
        "benchmark": benchmark,
        "title": title,
        "unit": unit.name(),
        "samples": samples,
        "warm_up": warm_up,
        "series": series.iter().map(one_series).collect::<Vec<_>>(),
        "comparisons": comparisons.iter().map(comparison).collect::<Vec<_>>(),
        "notes": notes,
    })
}

fn one_series(series: &Series) -> Value {
    let Series { name, config, runs } = series;
    let runs: Vec<Value> = runs.iter().map(|run| figures(Figures::of(run.clone()))).collect();
    json!({ "name": name, "config": config, "pooled": figures(series.pooled()), "runs": runs })
}

fn figures(figures: Option<Figures>) -> Value {
    let Some(figures) = figures else { return Value::Null };
    let summary = figures.summary;
    json!({
        "n": summary.count,
        "min": figures.min,
        "p50": summary.p50,
        "p90": figures.p90(),
        "p99": figures.p99(),
        "p999": figures.p999(),
        "max": summary.max,
    })
}

fn comparison(comparison: &Comparison) -> Value {
    let Comparison { text, spread: Spread { pairs, median, lower, upper }, unit } = comparison;
    json!({
        "text": text,
        "unit": unit.map(|unit| unit.name()),
        "pairs": pairs,
        "median": median,
        "lower_quartile": lower,
        "upper_quartile": upper,
    })
}

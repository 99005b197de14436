//! A recorded session through the pipeline, stage by stage.
//!
//! Each stage is a pass of its own over the file that does all the stages before it too, so that no clock is read between
//! two records; what a stage costs is the difference.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::compare::Comparison;
use super::error::BenchError;
use super::plan::Plan;
use super::report::{Section, Series, Unit};
use crate::cli::Failure;
use crate::log::feedlog::Reader;
use crate::market::{Books, Message, Model, Registry, Verdict, parse};
use crate::measure::machine::peak_resident_kib;
use crate::memory::counting::allocations_on_this_thread;
use crate::replay::pipeline::Pipeline;
use crate::replay::run::run;

#[derive(Debug, Args)]
pub(super) struct ReplayBench {
    /// The capture, packed or not; it is read once a stage and round, so not standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Which markets are one event: a TOML file.
    #[arg(long, value_name = "FILE")]
    registry: PathBuf,
}

/// How far a pass goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Read,
    Parse,
    Books,
    Signals,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Read, Self::Parse, Self::Books, Self::Signals];

    const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Parse => "read, parse",
            Self::Books => "read, parse, books",
            Self::Signals => "read, parse, books, signals",
        }
    }

    const fn config(self) -> &'static str {
        match self {
            Self::Read => "stage=read",
            Self::Parse => "stage=parse",
            Self::Books => "stage=books",
            Self::Signals => "stage=signals",
        }
    }
}

/// What a pass came to.
#[derive(Debug, Clone, Copy)]
struct Pass {
    records: u64,
    ns_per_record: f64,
    /// Allocations of the second half of the records.
    late_allocations: u64,
}

pub(super) fn measure(plan: &Plan<'_>, what: &ReplayBench) -> Result<Section, Failure> {
    let registry = Registry::load(&what.registry)?;
    let rounds = plan.arguments.pairs;
    plan.progress.begin("replay", rounds * Stage::ALL.len() as u32);
    // The first pass warms the file's pages, and says how many records there are.
    let records = pass(plan, what, &registry, Stage::Read, 0)?.records;
    if records == 0 {
        return Err(BenchError::NoRecords { input: what.input.display().to_string() }.into());
    }
    let mut passes: [Vec<Pass>; 4] = Default::default();
    for round in 0..rounds as usize {
        for turn in 0..Stage::ALL.len() {
            let stage = Stage::ALL[(round + turn) % Stage::ALL.len()];
            passes[stage as usize].push(pass(plan, what, &registry, stage, records / 2)?);
            plan.progress.step()?;
        }
    }
    let peak_kib = peak_resident_kib();
    let series: Vec<Series> = Stage::ALL
        .into_iter()
        .zip(&passes)
        .map(|(stage, passes)| Series {
            name: stage.name().to_owned(),
            config: format!("{} records={records}", stage.config()),
            runs: passes.iter().map(|pass| vec![pass.ns_per_record]).collect(),
        })
        .collect();
    let mut notes = vec![format!("{records} records; each sample is a pass over the file, ns a record")];
    notes.extend(rates(&series));
    let late = passes.iter().flatten().map(|pass| pass.late_allocations).max().unwrap_or(0);
    notes.push(format!(
        "allocations in the second half of a pass: at most {late}, {:.6} a message",
        late as f64 / (records - records / 2) as f64
    ));
    if let Some(peak_kib) = peak_kib {
        notes.push(format!(
            "peak resident memory {:.1} MiB, the report's own included",
            peak_kib as f64 / 1024.0
        ));
    }
    notes.push(latency(what, &registry)?);
    let comparisons = series
        .windows(2)
        .filter_map(|pair| {
            let [less, more] = pair else { return None };
            Comparison::above_by_run(more, less, 0.5, Unit::Ns)
        })
        .collect();
    let title = format!("{} by the exact model, stage after stage", what.input.display());
    Ok(Section {
        benchmark: "replay",
        title,
        unit: Unit::Ns,
        samples: 1,
        warm_up: 0,
        series,
        comparisons,
        notes,
    })
}

/// Goes over the file once, up to a stage; counts allocations from the record `from` on.
fn pass(
    plan: &Plan<'_>,
    what: &ReplayBench,
    registry: &Registry,
    stage: Stage,
    from: u64,
) -> Result<Pass, Failure> {
    let mut reader = Reader::open(&what.input)?;
    let mut books = Books::new(registry, Model::Exact);
    let mut pipeline = Pipeline::new(registry, Model::Exact);
    let mut message = Message::default();
    let (mut records, mut bytes, mut before) = (0_u64, 0_usize, allocations_on_this_thread());
    let begun = Instant::now();
    while let Some((venue, record)) = reader.next_of_venue()? {
        if records == from {
            before = allocations_on_this_thread();
        }
        records += 1;
        match stage {
            Stage::Read => bytes += record.payload.len(),
            Stage::Parse | Stage::Books => {
                let mut own = message.recycle();
                let verdict = parse(venue, record.payload, Model::Exact, &mut own);
                bytes += own.updates.len();
                if stage == Stage::Books && !matches!(verdict, Verdict::Malformed(_)) {
                    bytes += books.take(venue, &own, record.recv_ns).applied;
                }
                message = own.recycle();
            }
            Stage::Signals => pipeline.record(record.recv_ns, venue, record.payload, &mut ()),
        }
        if records.is_multiple_of(1 << 14) {
            plan.progress.go_on()?;
        }
    }
    let elapsed = begun.elapsed();
    let late_allocations = allocations_on_this_thread() - before;
    // Nobody else looks at what was read, and without a look it needn't be.
    std::hint::black_box(bytes);
    let ns_per_record = elapsed.as_secs_f64() * 1e9 / records.max(1) as f64;
    Ok(Pass { records, ns_per_record, late_allocations })
}

/// Records a second, with the reading and without it.
fn rates(series: &[Series]) -> Option<String> {
    let median = |series: &Series| series.pooled().map(|figures| figures.summary.p50);
    let (read, all) = (median(series.first()?)?, median(series.last()?)?);
    Some(format!(
        "{:.2} million records/s from the file to the last signal, {:.2} million without reading and splitting it",
        1e3 / all,
        1e3 / (all - read).max(f64::MIN_POSITIVE)
    ))
}

fn latency(what: &ReplayBench, registry: &Registry) -> Result<String, Failure> {
    let mut pipeline = Pipeline::new(registry, Model::Exact);
    let ran = run(&mut Reader::open(&what.input)?, &mut pipeline, &mut (), false, |_| true);
    Ok(ran.timing.latency_us.map_or_else(String::new, |latency| {
        format!(
            "ingest to signal, us a record, a pass with the clock read around each: p50 {:.3}, p90 {:.3}, p99 {:.3}, max {:.1}",
            latency.p50, latency.p90, latency.p99, latency.max
        )
    }))
}

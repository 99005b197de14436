//! `wakeline replay`: a recorded session through the pipeline.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::interrupt::Interrupt;
use super::progress::Progress;
use super::{Outcome, stdout};
use crate::log::feedlog::{self, BASIS_LINE_BYTES, Reader};
use crate::market::Model;
use crate::market::registry::Registry;
use crate::replay::export::CsvExport;
use crate::replay::pipeline::Pipeline;
use crate::replay::run::{Run, run as replay};
use crate::replay::summary::report;

#[derive(Debug, Args)]
pub(super) struct ReplayArguments {
    /// The capture, packed by gzip or zstd or not; `-` for standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Which markets are one event: a TOML file.
    #[arg(long, value_name = "FILE")]
    registry: PathBuf,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Write each mid and basis that is published to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also tell parsing from the rest; reads the clock once more for each record.
    #[arg(long)]
    breakdown: bool,
    /// Read as another engine does, to be compared with it.
    #[arg(long, value_name = "ENGINE")]
    compat: Option<Compat>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Compat {
    /// The C++ engine basis: whole cents, whole contracts, its verdicts.
    Basis,
}

pub(super) const EXAMPLE: &str = "\
Example:
  wakeline synth session.feedlog
  wakeline replay session.feedlog --registry registry.toml

The registry of a synthetic session is
  [[event]]
  id = \"synthetic-demo\"
  kalshi = \"SYN-DEMO\"
  polymarket_token = \"1000001\"";

/// The signals can't be written.
#[derive(Debug, thiserror::Error)]
#[error("can't write {}: {source}; free some space or name another file in --csv", path.display())]
struct CsvError {
    path: PathBuf,
    source: io::Error,
}

pub(super) fn run(arguments: &ReplayArguments) -> Outcome {
    let ReplayArguments { input, registry, json, csv, breakdown, compat } = arguments;
    let registry = Registry::load(registry)?;
    let model = compat.map_or(Model::Exact, |Compat::Basis| Model::Basis);
    let interrupt = Interrupt::watch()?;
    let source = feedlog::open(input)?;
    let total = source.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    let mut reader = Reader::of_path(input, source);
    if model == Model::Basis {
        reader = reader.with_line_limit(BASIS_LINE_BYTES);
    }
    let mut pipeline = Pipeline::new(&registry, model);
    let mut progress = Progress::new(input.display().to_string(), total);
    let go_on = |position| {
        progress.step(|| position);
        !interrupt.came()
    };
    let run = match csv {
        None => replay(&mut reader, &mut pipeline, &mut (), *breakdown, go_on),
        Some(path) => {
            let failed = |source| CsvError { path: path.clone(), source };
            let file = File::create(path).map_err(failed)?;
            let mut export = CsvExport::new(BufWriter::new(file)).map_err(failed)?;
            let run = replay(&mut reader, &mut pipeline, &mut export, *breakdown, go_on);
            export.finish().map_err(failed)?;
            run
        }
    };
    drop(progress);
    let Run { fault, stopped, timing } = run;
    pipeline.accounting().check()?;
    if stopped {
        return Err(format!(
            "interrupted after {} records; nothing was printed",
            pipeline.accounting().records
        )
        .into());
    }
    let report = report(&registry, &pipeline, reader.counts(), fault.map(|fault| fault.to_string()), timing);
    if *json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?;
        stdout::print(&format!("{text}\n"))?;
    } else {
        stdout::print(&format!("{report}\n"))?;
    }
    if report.input_whole {
        return Ok(ExitCode::SUCCESS);
    }
    let what = report.input_fault.unwrap_or_else(|| {
        format!(
            "{}: {} bad lines, {}; wakeline log check names them",
            input.display(),
            report.malformed_lines,
            if report.ends_without_lf { "and its last line has no end" } else { "the rest was read" }
        )
    });
    Err(what.into())
}

//! `wakeline log check`: what captures hold, and what is wrong with them.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use super::input::{file_bytes, stdin_twice};
use crate::cli::progress::Progress;
use crate::cli::{Outcome, misused, say, stdout};
use crate::log::feedlog::{BadLine, Check, Counts, FeedlogError, Reader, Tally, open};
use crate::measure::utc::Utc;

pub(super) const NOTES: &str = "\
A capture is damaged when it has lines that are no records, when its last line has no line end, or when its packed data ends early or
is wrong. Time that goes backwards, and messages that aren't JSON, are counted and are no damage.

Exits with 0 if all captures are sound, with 1 if one is damaged or can't be read.";

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Captures, packed or not; `-` for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print one JSON document instead.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &CheckArguments) -> Outcome {
    if stdin_twice(arguments.files.iter().map(PathBuf::as_path)) {
        misused(Some("log"), "standard input (-) can be read only once; name it once");
    }
    let mut sound = true;
    let mut documents = Vec::new();
    for path in &arguments.files {
        let report = match Report::of(path) {
            Ok(report) => report,
            Err(fault) => {
                say(&format!("wakeline: {fault}"));
                documents.push(
                    json!({ "name": path.display().to_string(), "sound": false, "fault": fault.to_string() }),
                );
                sound = false;
                continue;
            }
        };
        sound &= report.is_sound();
        match arguments.json {
            true => documents.push(report.document()),
            false => stdout::print(&report.to_string())?,
        }
        if let Some(fault) = &report.fault {
            say(&format!("wakeline: {fault}"));
        }
    }
    if arguments.json {
        stdout::print(&format!("{:#}\n", json!({ "sound": sound, "captures": documents })))?;
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a look through one capture found.
struct Report {
    name: String,
    compression: String,
    counts: Counts,
    check: Check,
    /// Why it can't be read to its end.
    fault: Option<FeedlogError>,
}

impl Report {
    fn of(path: &Path) -> Result<Self, FeedlogError> {
        let file = open(path)?;
        let mut progress = Progress::new(path.display().to_string(), file_bytes(&file));
        let mut reader = Reader::of_path(path, file);
        let mut check = Check::default();
        let fault = loop {
            match check.next(&mut reader) {
                Ok(true) => progress.step(|| reader.packed_bytes()),
                Ok(false) => break None,
                Err(fault) => break Some(fault),
            }
        };
        Ok(Self {
            name: reader.name().to_owned(),
            compression: reader.compression().map_or_else(|| "unknown".to_owned(), |found| found.to_string()),
            counts: reader.counts().clone(),
            check,
            fault,
        })
    }

    fn is_sound(&self) -> bool {
        self.fault.is_none() && self.counts.bad.total() == 0 && !self.counts.ends_without_lf
    }

    /// `sound`, or what is wrong with it.
    fn verdict(&self) -> String {
        let bad = match self.counts.bad.total() {
            0 => None,
            1 => Some("1 bad line".to_owned()),
            bad => Some(format!("{bad} bad lines")),
        };
        let cut = self.counts.ends_without_lf.then(|| "no line end behind the last line".to_owned());
        let fault = self.fault.as_ref().map(|_| "can't be read to its end".to_owned());
        let wrong: Vec<_> = [bad, cut, fault].into_iter().flatten().collect();
        if wrong.is_empty() { "sound".to_owned() } else { format!("damaged: {}", wrong.join(", ")) }
    }

    fn document(&self) -> Value {
        let counts = &self.counts;
        let bad = BadLine::ALL.map(|kind| (kind.name().to_owned(), tally(counts.bad.of(kind))));
        let kinds = self
            .check
            .kinds()
            .into_iter()
            .map(|kind| (kind.name.to_owned(), json!({ "records": kind.records, "types": kind.types })));
        json!({
            "name": self.name,
            "sound": self.is_sound(),
            "fault": self.fault.as_ref().map(ToString::to_string),
            "compression": self.compression,
            "lines": counts.lines,
            "bytes": counts.bytes,
            "records": counts.records,
            "bad_lines": Map::from_iter(bad),
            "ends_without_lf": counts.ends_without_lf,
            "earliest_ns": counts.earliest_ns,
            "latest_ns": counts.latest_ns,
            "backwards": tally(&counts.backwards),
            "largest_step_back_ns": counts.largest_step_back_ns,
            "venues": Map::from_iter(kinds),
        })
    }
}

fn tally(tally: &Tally) -> Value {
    json!({ "count": tally.total(), "first_lines": tally.first_lines() })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        writeln!(f, "{}: {}", self.name, self.verdict())?;
        row(f, "packed", &self.compression)?;
        row(f, "bytes", &counts.bytes)?;
        row(f, "lines", &counts.lines)?;
        row(f, "records", &counts.records)?;
        row(f, "bad lines", &counts.bad.total())?;
        for kind in BadLine::ALL {
            let tally = counts.bad.of(kind);
            if tally.total() > 0 {
                row(f, &format!("  {kind}"), &format_args!("{}  {tally}", tally.total()))?;
            }
        }
        if let Some((earliest, latest)) = counts.earliest_ns.zip(counts.latest_ns) {
            let (from, to) = (Utc(earliest), Utc(latest));
            let ms = (latest - earliest + 500_000) / 1_000_000;
            row(f, "received", &format_args!("{from} to {to}, {}.{:03} s", ms / 1_000, ms % 1_000))?;
        }
        let mut backwards = counts.backwards.total().to_string();
        if counts.backwards.total() > 0 {
            let (lines, most) = (&counts.backwards, counts.largest_step_back_ns);
            write!(backwards, "  {lines}, at most by {}.{:06} ms", most / 1_000_000, most % 1_000_000)?;
        }
        row(f, "time backwards", &backwards)?;
        for kind in self.check.kinds() {
            row(f, kind.name, &kind.records)?;
            for (name, count) in &kind.types {
                row(f, &format!("  {name}"), count)?;
            }
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, value: &dyn fmt::Display) -> fmt::Result {
    writeln!(f, "  {name:<24} {value}")
}

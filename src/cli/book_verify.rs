//! `wakeline book-verify`: compares a book kept from diffs with what the venue says it is.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::progress::Progress;
use super::{Failure, Outcome, misused, stdout};
use crate::log::feedlog::{BookRecord, FeedlogError, Reader, open};
use crate::market::depth::{DepthError, DepthImage};
use crate::market::verify::{self, BookVerify};

pub(super) const NOTES: &str = "\
FILE has a record a line: receive time in ns, TAB, kind, TAB, JSON. Kinds are `diff` (Binance's depthUpdate without an
envelope), `snapshot` (a REST image to join) and `validation_snapshot` (a later one to compare with; the first counts).
It may be packed with gzip or zstd, and is read twice.

Levels beyond the joining snapshot's depth are known only if a diff changed them, so what differs there is told, and is
no divergence.

Exits with 0 if the book is exact wherever it can be compared, with 1 if it diverged or never reached the image, and if
FILE is damaged.";

#[derive(Debug, Args)]
pub(super) struct BookVerifyArguments {
    /// The recording.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How many levels a side are compared.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = depth())]
    levels: usize,
    /// Print one JSON document instead.
    #[arg(long)]
    json: bool,
}

fn depth() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=100_000)
}

pub(super) fn run(arguments: &BookVerifyArguments) -> Outcome {
    let BookVerifyArguments { file, levels, json } = arguments;
    if file.as_os_str() == "-" {
        misused(
            Some("book-verify"),
            "the recording is read twice, which standard input (-) can't be; name a file",
        );
    }
    let mut book = BookVerify::new(first_image(file)?, *levels);
    let damage = replay(file, &mut book)?;
    let report = book.report();
    stdout::print(&match json {
        true => format!("{}\n", serde_json::to_string(&report)?),
        false => report.to_string(),
    })?;
    match (report.outcome, damage) {
        (verify::Outcome::Diverged, _) => {
            Err("the book diverged from the image; look for lost diffs before the first divergence".into())
        }
        (verify::Outcome::NeverReached, _) => Err(format!(
            "the book never reached the image's update id {}; record a snapshot to join, and diffs up to the image",
            report.target
        )
        .into()),
        (_, Some(damage)) => Err(damage),
        (verify::Outcome::Exact | verify::Outcome::ExactWhereComparable, None) => Ok(ExitCode::SUCCESS),
    }
}

fn reader(path: &Path) -> Result<(Reader<File>, Option<u64>), FeedlogError> {
    let file = open(path)?;
    let bytes = file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
    Ok((Reader::of_path(path, file), bytes))
}

fn first_image(path: &Path) -> Result<DepthImage, Failure> {
    let (mut reader, bytes) = reader(path)?;
    if bytes.is_none() {
        return Err(format!("{} is no plain file, and is read twice; copy it to one", path.display()).into());
    }
    while let Some(kind) = reader.advance(BookRecord::of_name)? {
        if kind == BookRecord::ValidationSnapshot
            && let Some(record) = reader.current()
        {
            return DepthImage::of(record.payload).map_err(|error| wrong(&reader, kind, &error));
        }
    }
    Err(format!(
        "{} has no validation_snapshot to compare with; record one after the diffs began",
        path.display()
    )
    .into())
}

/// Returns what is wrong with the recording, if it can be read for all that.
fn replay(path: &Path, book: &mut BookVerify) -> Result<Option<Failure>, Failure> {
    let (mut reader, bytes) = reader(path)?;
    let mut progress = Progress::new(path.display().to_string(), bytes);
    let mut images = 0_u64;
    loop {
        let kind = match reader.advance(BookRecord::of_name) {
            Ok(Some(kind)) => kind,
            Ok(None) => break,
            Err(fault) => return Ok(Some(fault.into())),
        };
        let Some(record) = reader.current() else { break };
        let taken = match kind {
            BookRecord::Diff => book.diff(record.payload),
            BookRecord::Snapshot => book.snapshot(record.payload),
            BookRecord::ValidationSnapshot => {
                images += 1;
                if images > 1 {
                    book.count_image();
                }
                Ok(())
            }
        };
        taken.map_err(|error| wrong(&reader, kind, &error))?;
        progress.step(|| reader.packed_bytes());
    }
    let counts = reader.counts();
    let damage = match counts.bad.total() {
        0 if !counts.ends_without_lf => return Ok(None),
        0 => "a last line without its end".to_owned(),
        1 => format!("1 bad line: {}", counts.bad),
        bad => format!("{bad} bad lines: {}", counts.bad),
    };
    Ok(Some(format!("{} has {damage}; record it again, or mend it", path.display()).into()))
}

fn wrong(reader: &Reader<File>, kind: BookRecord, error: &DepthError) -> Failure {
    let (name, line, kind) = (reader.name(), reader.line_number(), kind.name());
    format!("{name}, line {line}: the {kind} is wrong: {error}; record it again").into()
}

//! `wakeline book-verify`: compares a book kept from diffs with what the venue says it is.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::{Failure, Outcome};
use crate::market::depth::DepthImage;
use crate::market::verify::{self, BookVerify};

pub(super) const NOTES: &str = "\
FILE has a record a line: receive time in ns, TAB, kind, TAB, JSON. Kinds are `diff` (Binance's depthUpdate without an
envelope), `snapshot` (a REST image to join) and `validation_snapshot` (a later one to compare with; the first counts).
It is read twice.

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
    let mut book = BookVerify::new(first_image(file)?, *levels);
    let bad_lines = replay(file, &mut book)?;
    let report = book.report();
    let text = if *json { format!("{}\n", serde_json::to_string(&report)?) } else { report.to_string() };
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| format!("can't write to stdout: {error}; what was printed is not to be used"))?;
    match report.outcome {
        verify::Outcome::Diverged => {
            Err("the book diverged from the image; look for lost diffs before the first divergence".into())
        }
        verify::Outcome::NeverReached => Err(format!(
            "the book never reached the image's update id {}; record a snapshot to join, and diffs up to the image",
            report.target
        )
        .into()),
        verify::Outcome::Exact | verify::Outcome::ExactWhereComparable if bad_lines > 0 => {
            let lines = if bad_lines == 1 { "line" } else { "lines" };
            Err(format!("{} has {bad_lines} bad {lines}; record it again, or remove them", file.display()).into())
        }
        verify::Outcome::Exact | verify::Outcome::ExactWhereComparable => Ok(ExitCode::SUCCESS),
    }
}

const IMAGE: &str = "validation_snapshot";

fn first_image(path: &Path) -> Result<DepthImage, Failure> {
    let mut records = Records::open(path)?;
    while let Some(Record { kind, payload, line }) = records.next()? {
        if kind == IMAGE.as_bytes() {
            return DepthImage::of(payload).map_err(|error| damaged(path, line, IMAGE, &error));
        }
    }
    Err(format!("{} has no {IMAGE} to compare with; record one after the diffs began", path.display()).into())
}

/// Returns how many lines are no records.
fn replay(path: &Path, book: &mut BookVerify) -> Result<u64, Failure> {
    let mut records = Records::open(path)?;
    let mut images = 0_u64;
    let mut unknown = 0;
    while let Some(Record { kind, payload, line }) = records.next()? {
        let (name, taken) = match kind {
            b"diff" => ("diff", book.diff(payload)),
            b"snapshot" => ("snapshot", book.snapshot(payload)),
            kind if kind == IMAGE.as_bytes() => {
                images += 1;
                if images > 1 {
                    book.count_image();
                }
                continue;
            }
            _ => {
                unknown += 1;
                continue;
            }
        };
        taken.map_err(|error| damaged(path, line, name, &error))?;
    }
    Ok(records.bad + unknown)
}

fn damaged(path: &Path, line: u64, kind: &str, error: &dyn std::error::Error) -> Failure {
    format!("{}, line {line}: the {kind} is {error}; record it again", path.display()).into()
}

struct Record<'r> {
    kind: &'r [u8],
    payload: &'r [u8],
    line: u64,
}

/// Longest line that is read, bytes.
const MAX_LINE_BYTES: u64 = 64 << 20;

struct Records {
    source: BufReader<File>,
    text: Vec<u8>,
    line: u64,
    bad: u64,
}

impl Records {
    fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path)
            .map_err(|error| format!("can't open {}: {error}; check the path", path.display()))?;
        Ok(Self { source: BufReader::new(file), text: Vec::new(), line: 0, bad: 0 })
    }

    fn next(&mut self) -> Result<Option<Record<'_>>, Failure> {
        loop {
            self.text.clear();
            if self.source.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut self.text)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if self.text.iter().filter(|&&byte| byte == b'\t').count() >= 2 {
                break;
            }
            self.bad += 1;
        }
        let mut columns = self.text.splitn(3, |&byte| byte == b'\t').skip(1);
        let (kind, payload) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        Ok(Some(Record { kind, payload, line: self.line }))
    }
}

//! `wakeline log cat`: prints records.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::input::stdin_twice;
use super::say_what_is_wrong;
use crate::cli::{Outcome, misused, say};
use crate::log::feedlog::{BookRecord, FeedlogError, Reader, Record};
use crate::market::Venue;

pub(super) const NOTES: &str = "\
Example:
  wakeline log cat monday.feedlog.zst --from 1790000000000000000 --to 1790000060000000000 --venue kalshi > minute.feedlog

Captures may be packed with gzip or zstd, whatever they are called; what is printed is not. Bad lines are left out, and counted on
stderr. A capture whose data is damaged is printed as far as it goes; the exit code is 1 then.";

#[derive(Debug, Args)]
pub(super) struct CatArguments {
    /// Captures, one after another; `-` for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only records received then or later, ns since the Unix epoch.
    #[arg(long, value_name = "NS", value_parser = clap::value_parser!(i64).range(0..))]
    from: Option<i64>,
    /// Only records received before, ns since the Unix epoch.
    #[arg(long, value_name = "NS", value_parser = clap::value_parser!(i64).range(0..))]
    to: Option<i64>,
    /// Only records of this venue (or of this kind, for the recording of a book); may be given several times.
    #[arg(long, value_name = "VENUE", value_parser = words())]
    venue: Vec<String>,
}

/// What the second column of a capture may be.
fn words() -> PossibleValuesParser {
    let words = Venue::ALL.map(Venue::name).into_iter().chain(BookRecord::ALL.map(BookRecord::name));
    PossibleValuesParser::new(words)
}

impl CatArguments {
    fn wants(&self, record: &Record<'_>) -> bool {
        self.from.is_none_or(|from| record.recv_ns >= from)
            && self.to.is_none_or(|to| record.recv_ns < to)
            && (self.venue.is_empty() || self.venue.iter().any(|venue| venue.as_bytes() == record.kind))
    }
}

pub(super) fn run(arguments: &CatArguments) -> Outcome {
    if stdin_twice(arguments.files.iter().map(PathBuf::as_path)) {
        misused(Some("log"), "standard input (-) can be read only once; name it once");
    }
    if let (Some(from), Some(to)) = (arguments.from, arguments.to)
        && from >= to
    {
        misused(Some("log"), &format!("no time is from {from} on and before {to}; swap --from and --to"));
    }
    let mut out = Out::stdout()?;
    let mut code = ExitCode::SUCCESS;
    for path in &arguments.files {
        match print(path, arguments, &mut out) {
            Ok(()) => {}
            Err(Stopped::Input(fault)) => {
                say(&format!("wakeline: {fault}"));
                code = ExitCode::FAILURE;
            }
            Err(Stopped::Output(error)) => return stopped(error, code),
        }
    }
    match out.file.flush() {
        Ok(()) => Ok(code),
        Err(error) => stopped(error, code),
    }
}

/// What came first.
enum Stopped {
    Input(FeedlogError),
    Output(io::Error),
}

/// A reader that has seen enough is no trouble.
fn stopped(error: io::Error, code: ExitCode) -> Outcome {
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(code),
        _ => Err(format!("can't write to standard output: {error}; what was printed is not whole").into()),
    }
}

fn print(path: &Path, arguments: &CatArguments, out: &mut Out) -> Result<(), Stopped> {
    let mut reader = Reader::open(path).map_err(Stopped::Input)?;
    let fault = loop {
        match reader.next_record() {
            Ok(Some(record)) if arguments.wants(&record) => out.record(&record).map_err(Stopped::Output)?,
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(fault) => break Some(fault),
        }
    };
    say_what_is_wrong(reader.name(), reader.counts());
    fault.map_or(Ok(()), |fault| Err(Stopped::Input(fault)))
}

struct Out {
    file: BufWriter<File>,
    /// The last line had no LF, so another one can't follow it as it is.
    open_line: bool,
}

impl Out {
    /// Around stdout itself: the standard library's would look for line ends once more.
    fn stdout() -> Result<Self, String> {
        let own = io::stdout().as_fd().try_clone_to_owned();
        let own = own.map_err(|error| format!("can't write to standard output: {error}; is it open?"))?;
        Ok(Self { file: BufWriter::with_capacity(256 * 1_024, File::from(own)), open_line: false })
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if std::mem::take(&mut self.open_line) {
            self.file.write_all(b"\n")?;
        }
        self.file.write_all(record.line)?;
        if record.ends_with_lf {
            return self.file.write_all(b"\n");
        }
        self.open_line = true;
        Ok(())
    }
}

//! `wakeline log merge`: several captures as one.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::input::{Interruptible, file_bytes, stdin_twice};
use super::say_what_is_wrong;
use crate::cli::interrupt::Interrupt;
use crate::cli::progress::Progress;
use crate::cli::{Outcome, misused, say, stdout};
use crate::log::feedlog::{Merge, OutputFile, Reader, Unfinished, WriteError, Writer, Written, open};

pub(super) const NOTES: &str = "\
Example:
  wakeline log merge kalshi.feedlog.zst polymarket.feedlog.zst -o both.feedlog.zst

Of equal times, records of the file named first come first, and those of one file stay in its order, also where its time goes
backwards. Bad lines are left out, and counted on stderr. Of a file whose data is damaged, what can be read is merged; the exit code
is 1 then. The output appears under its name when it is whole, so it may be one of the inputs.";

#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// Captures; `-` for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Where they go; packed if it ends in .gz or .zst, `-` for standard output.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

pub(super) fn run(arguments: &MergeArguments) -> Outcome {
    let MergeArguments { files, output } = arguments;
    if stdin_twice(files.iter().map(PathBuf::as_path)) {
        misused(Some("log"), "standard input (-) can be read only once; name it once");
    }
    // Opened before signals are caught: opening a pipe may wait for who writes into it.
    let opened = files.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let to_stdout = output.as_os_str() == "-";
    let total = opened.iter().map(file_bytes).sum::<Option<u64>>().filter(|_| !to_stdout);
    let interrupt = Interrupt::watch()?;
    let inputs = files
        .iter()
        .zip(opened)
        .map(|(path, file)| Reader::of_path(path, Interruptible::new(file, interrupt.clone())));
    let mut merge = Merge::new(inputs.collect());
    let writer = Writer::create(output, Unfinished::Remove)?;
    let written = match write(&mut merge, writer, &interrupt, total) {
        Ok(Some(written)) => written,
        Ok(None) => return Err(format!("interrupted; {} was not written", output.display()).into()),
        Err(error) if error.reader_went_away() => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(error.into()),
    };
    for input in merge.inputs() {
        say_what_is_wrong(input.name(), input.counts());
        let backwards = &input.counts().backwards;
        if backwards.total() > 0 {
            say(&format!(
                "wakeline: time goes backwards in {} at {backwards} ({} in all); its records kept their order",
                input.name(),
                backwards.total()
            ));
        }
    }
    if !to_stdout {
        let (records, bytes) = (written.records, written.bytes);
        stdout::print(&format!("{}: {records} records, {bytes} bytes\n", output.display()))?;
    }
    merge.faults().iter().for_each(|fault| say(&format!("wakeline: {fault}")));
    Ok(if merge.faults().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the merge; `None` when a signal came first.
fn write(
    merge: &mut Merge<Interruptible>,
    mut writer: Writer<OutputFile>,
    interrupt: &Interrupt,
    total: Option<u64>,
) -> Result<Option<Written>, WriteError> {
    let mut progress = Progress::new("merge".to_owned(), total);
    while let Some((_, record)) = merge.next_record() {
        writer.line(record.line)?;
        progress.step(|| merge.inputs().iter().map(Reader::packed_bytes).sum());
    }
    // A signal ends the inputs.
    if interrupt.came() {
        return Ok(None);
    }
    writer.finish().map(Some)
}

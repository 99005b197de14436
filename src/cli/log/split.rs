//! `wakeline log split`: one capture as several.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::input::{Interruptible, file_bytes};
use super::say_what_is_wrong;
use crate::cli::interrupt::Interrupt;
use crate::cli::progress::Progress;
use crate::cli::{Failure, Outcome, say, stdout};
use crate::log::feedlog::{
    Compression, Cuts, FeedlogError, OutputFile, Reader, Slice, Slicer, Unfinished, Writer, open,
};

/// The largest number that slices have in their names.
const MAX_NUMBER: u64 = 99_999;

pub(super) const NOTES: &str = "\
Example:
  wakeline log split monday.feedlog.zst --every 3600 --output-dir hours
  wakeline log merge hours/*.feedlog.zst -o monday.feedlog.zst

Slices are called PREFIX-00001.feedlog and so on, with .gz or .zst behind it if they are packed; the numbers count time, and a slice
without records has no file. A record received at a cut is behind it. Where time goes backwards the slice at hand goes on, so the
slices one after another are the capture. Bad lines are left out, and counted on stderr.";

#[derive(Debug, Args)]
pub(super) struct SplitArguments {
    /// The capture; `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    cuts: CutArguments,
    /// Where the slices go; made if it isn't there.
    #[arg(long, value_name = "DIR", default_value = ".")]
    output_dir: PathBuf,
    /// What their names begin with; by default the capture's name without its extensions.
    #[arg(long, value_name = "PREFIX", value_parser = prefix)]
    prefix: Option<String>,
    /// How they are packed; by default as the capture is.
    #[arg(long, value_name = "HOW", value_enum)]
    pack: Option<Pack>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct CutArguments {
    /// Cut every so many seconds, counted from the first record.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(1..=i64::MAX / 1_000_000_000))]
    every: Option<i64>,
    /// Cut at this time, ns since the Unix epoch; may be given several times.
    #[arg(long, value_name = "NS", value_parser = clap::value_parser!(i64).range(0..))]
    at: Vec<i64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Pack {
    Plain,
    Gzip,
    Zstd,
}

impl From<Pack> for Compression {
    fn from(pack: Pack) -> Self {
        match pack {
            Pack::Plain => Self::None,
            Pack::Gzip => Self::Gzip,
            Pack::Zstd => Self::Zstd,
        }
    }
}

fn prefix(text: &str) -> Result<String, String> {
    match text {
        "" => Err("it is empty".to_owned()),
        text if text.contains('/') => Err("it is a path; name the directory with --output-dir".to_owned()),
        text => Ok(text.to_owned()),
    }
}

pub(super) fn run(arguments: SplitArguments) -> Outcome {
    let SplitArguments { file: path, cuts, output_dir, prefix, pack } = arguments;
    let cuts = match cuts.every {
        Some(seconds) => Cuts::Every(seconds * 1_000_000_000),
        None => {
            let mut at = cuts.at;
            at.sort_unstable();
            Cuts::At(at)
        }
    };
    let prefix = prefix.unwrap_or_else(|| prefix_of(&path));
    let file = open(&path)?;
    let total = file_bytes(&file);
    let interrupt = Interrupt::watch()?;
    let mut reader = Reader::of_path(&path, Interruptible::new(file, interrupt.clone()));
    let mut slices = Slices { directory: output_dir, prefix, pack, current: None, whole: 0 };
    slices.make_room()?;

    let mut slicer = Slicer::new(cuts);
    let fault = cut(&mut reader, &mut slicer, &mut slices, total)?;
    if interrupt.came() {
        let whole = slices.whole;
        return Err(format!("interrupted; {whole} slices are whole, the one at hand was removed").into());
    }
    slices.finish()?;
    if slices.whole == 0 {
        say(&format!("wakeline: {} has no records, so no slice was made", reader.name()));
    }
    say_what_is_wrong(reader.name(), reader.counts());
    if slicer.late() > 0 {
        say(&format!(
            "wakeline: time goes backwards, and {} records stayed in the slice behind their own",
            slicer.late()
        ));
    }
    match fault {
        Some(fault) => Err(fault.into()),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Cuts until the capture ends, or can't be read on.
fn cut(
    reader: &mut Reader<Interruptible>,
    slicer: &mut Slicer,
    slices: &mut Slices,
    total: Option<u64>,
) -> Result<Option<FeedlogError>, Failure> {
    let mut progress = Progress::new("split".to_owned(), total);
    loop {
        match reader.advance(|_| Some(())) {
            Ok(Some(())) => {}
            Ok(None) => return Ok(None),
            Err(fault) => return Ok(Some(fault)),
        }
        let Some(record) = reader.current() else { return Ok(None) };
        if let Slice::Next(number) = slicer.slice(record.recv_ns) {
            if number > MAX_NUMBER {
                return Err(format!(
                    "line {} of {} was received at {}, and would be in slice {number} of at most {MAX_NUMBER}; is that time right? else take a longer --every",
                    reader.line_number(), reader.name(), record.recv_ns
                )
                .into());
            }
            slices.begin(number, reader.compression().unwrap_or_default())?;
        }
        slices.line(record.line)?;
        progress.step(|| reader.packed_bytes());
    }
}

/// What the capture's name is without `.gz`, `.zst` and `.feedlog`.
fn prefix_of(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "capture".to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    match name.strip_suffix(".feedlog").unwrap_or(name) {
        "" => "capture".to_owned(),
        stem => stem.to_owned(),
    }
}

/// The files.
struct Slices {
    directory: PathBuf,
    prefix: String,
    pack: Option<Pack>,
    current: Option<(PathBuf, Writer<OutputFile>)>,
    whole: u64,
}

impl Slices {
    /// Makes the directory, and refuses one that has slices of this name: a later merge would take them in.
    fn make_room(&self) -> Result<(), String> {
        let directory = self.directory.display();
        let failed =
            |error| format!("can't use the directory {directory}: {error}; choose another --output-dir");
        fs::create_dir_all(&self.directory).map_err(failed)?;
        for entry in fs::read_dir(&self.directory).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if self.is_slice(&name.to_string_lossy()) {
                return Err(format!(
                    "{directory} has slices of that name already, such as {}; remove them, or choose another --prefix or --output-dir",
                    name.display()
                ));
            }
        }
        Ok(())
    }

    fn is_slice(&self, name: &str) -> bool {
        let number = name
            .strip_prefix(&self.prefix)
            .and_then(|rest| rest.strip_prefix('-'))
            .and_then(|rest| rest.split_once(".feedlog"));
        number.is_some_and(|(number, extension)| {
            number.len() == 5
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && matches!(extension, "" | ".gz" | ".zst")
        })
    }

    fn begin(&mut self, number: u64, compression: Compression) -> Result<(), Failure> {
        self.finish()?;
        let compression = self.pack.map_or(compression, Compression::from);
        let name = format!("{}-{number:05}.feedlog{}", self.prefix, compression.extension());
        let path = self.directory.join(name);
        let writer = Writer::create(&path, Unfinished::Remove)?;
        self.current = Some((path, writer));
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Failure> {
        match &mut self.current {
            Some((_, writer)) => Ok(writer.line(line)?),
            None => Ok(()),
        }
    }

    /// Brings the slice at hand to its name.
    fn finish(&mut self) -> Result<(), Failure> {
        if let Some((path, writer)) = self.current.take() {
            let written = writer.finish()?;
            self.whole += 1;
            let (records, bytes) = (written.records, written.bytes);
            stdout::print(&format!("{}: {records} records, {bytes} bytes\n", path.display()))?;
        }
        Ok(())
    }
}

//! The command line: one file a subcommand, each a thin shell around the library.

mod bench;
mod book_verify;
mod demo;
mod interrupt;
mod kalshi;
mod kill_switch;
mod log;
mod logging;
mod progress;
mod replay;
mod serve;
mod spawned;
mod stderr;
mod stdout;
mod synth;

use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand};

/// A drop-in executor for a two-process prediction-market bot.
///
/// Without a subcommand it serves: `wakeline --socket PATH` is `wakeline serve --socket PATH`.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: Option<serve::ServeArguments>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve wakes on a Unix socket until SIGTERM or SIGINT.
    Serve(serve::ServeArguments),
    /// Engage, release or look at the kill switch that stops real fires.
    KillSwitch(kill_switch::KillSwitchArguments),
    /// Sign a request to Kalshi, or check a signature.
    Kalshi(kalshi::KalshiArguments),
    /// Look at captures of market data, print, cut and merge them.
    Log(log::LogArguments),
    /// Make a synthetic session of two venues, one of which leads the other by a known time.
    #[command(after_help = synth::EXAMPLE)]
    Synth(synth::SynthArguments),
    /// Put a recorded session through parsers, books and signals, and account for every record.
    #[command(after_help = replay::EXAMPLE)]
    Replay(replay::ReplayArguments),
    /// Measure what the parts cost.
    Bench(bench::BenchArguments),
    /// The floor under `bench`: serves one connection without looking at what comes.
    #[command(hide = true)]
    BenchEcho(bench::EchoArguments),
    /// Compare a book kept from diffs with what the venue says it is.
    #[command(after_help = book_verify::NOTES)]
    BookVerify(book_verify::BookVerifyArguments),
    /// Start a daemon, drive frames through it, and print what came of it.
    Demo(demo::DemoArguments),
}

/// What a command ends with: an exit code, or one clear sentence and exit code 1.
type Outcome = Result<ExitCode, Failure>;

/// Why a command failed, in one clear sentence.
type Failure = Box<dyn std::error::Error>;

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let Arguments { command, serve } = Arguments::parse();
    let outcome = match (command, serve) {
        (Some(Command::Serve(arguments)), _) | (None, Some(arguments)) => serve::run(arguments),
        (Some(Command::KillSwitch(arguments)), _) => kill_switch::run(arguments),
        (Some(Command::Kalshi(arguments)), _) => kalshi::run(arguments),
        (Some(Command::Log(arguments)), _) => log::run(arguments),
        (Some(Command::Synth(arguments)), _) => synth::run(&arguments),
        (Some(Command::Replay(arguments)), _) => replay::run(&arguments),
        (Some(Command::Bench(arguments)), _) => bench::run(&arguments),
        (Some(Command::BenchEcho(arguments)), _) => bench::run_echo(&arguments),
        (Some(Command::BookVerify(arguments)), _) => book_verify::run(&arguments),
        (Some(Command::Demo(arguments)), _) => demo::run(&arguments),
        (None, None) => misused(None, "--socket PATH or a subcommand is needed"),
    };
    outcome.unwrap_or_else(|error| {
        say(&format!("wakeline: {error}"));
        ExitCode::FAILURE
    })
}

/// Ends the process as clap ends it when something required is missing, with the usage of the subcommand if it is one.
fn misused(subcommand: Option<&str>, what: &str) -> ! {
    let mut root = Arguments::command();
    root.build();
    let command = match subcommand.and_then(|name| root.find_subcommand_mut(name)) {
        Some(command) => command,
        None => &mut root,
    };
    command.error(clap::error::ErrorKind::MissingRequiredArgument, what).exit()
}

/// How long a reader of stderr may take to make room for what must be said.
const SAY_PATIENCE: Duration = Duration::from_millis(500);

/// Writes a line to stderr, unless it is gone or nobody drains it.
fn say(line: &str) {
    stderr::write(format!("{line}\n").as_bytes(), SAY_PATIENCE);
}

//! `wakeline bench`: what the parts cost, each beside what it is to be measured against.

mod python;
mod sign;
mod table;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Outcome;

#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    #[command(subcommand)]
    component: Component,
}

#[derive(Debug, Subcommand)]
enum Component {
    /// A signature, beside the bare operation of the same OpenSSL and Python's `cryptography`.
    Sign(SignBench),
}

#[derive(Debug, Args)]
struct SignBench {
    /// Signatures of each kind that count.
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    samples: u32,
    /// Signatures of each kind before those, to warm up.
    #[arg(long, value_name = "N", default_value_t = 200)]
    warm_up: u32,
    /// The Python that has `cryptography` (python/requirements.txt).
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// Leave Python out.
    #[arg(long, conflicts_with = "python")]
    no_python: bool,
}

pub(super) fn run(arguments: BenchArguments) -> Outcome {
    match arguments.component {
        Component::Sign(arguments) => sign::run(&arguments),
    }
}

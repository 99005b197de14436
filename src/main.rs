//! The `wakeline` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    wakeline::cli::run()
}

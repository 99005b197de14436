//! `wakeline log`: looks at captures, prints, cuts and merges them.

mod cat;
mod check;
mod input;
mod merge;
mod split;

use clap::{Args, Subcommand};

use super::{Outcome, say};
use crate::log::feedlog::Counts;

#[derive(Debug, Args)]
pub(super) struct LogArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say what captures hold and what is wrong with them; exits with 1 if one is damaged.
    #[command(after_help = check::NOTES)]
    Check(check::CheckArguments),
    /// Print records byte for byte, all or those of some time or venue.
    #[command(after_help = cat::NOTES)]
    Cat(cat::CatArguments),
    /// Cut a capture into files by receive time.
    #[command(after_help = split::NOTES)]
    Split(split::SplitArguments),
    /// Merge captures by receive time.
    #[command(after_help = merge::NOTES)]
    Merge(merge::MergeArguments),
}

pub(super) fn run(arguments: LogArguments) -> Outcome {
    match arguments.action {
        Action::Check(arguments) => check::run(&arguments),
        Action::Cat(arguments) => cat::run(&arguments),
        Action::Split(arguments) => split::run(arguments),
        Action::Merge(arguments) => merge::run(&arguments),
    }
}

/// Says what of a capture was not passed on, or not as it was.
fn say_what_is_wrong(name: &str, counts: &Counts) {
    match counts.bad.total() {
        0 => {}
        1 => say(&format!("wakeline: 1 bad line of {name} was left out: {}", counts.bad)),
        bad => say(&format!("wakeline: {bad} bad lines of {name} were left out: {}", counts.bad)),
    }
    if counts.ends_without_lf {
        say(&format!("wakeline: the last line of {name} has no line end; it may have been cut"));
    }
}

//! `wakeline kill-switch`: the operator's hand on it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Outcome, misused};
use crate::fire::{KillSwitch, KillSwitchState, NO_REASON};

/// Exit code of `status` when it is engaged.
const ENGAGED: u8 = 3;

#[derive(Debug, Args)]
pub(super) struct KillSwitchArguments {
    #[command(subcommand)]
    action: Action,
    /// File whose existence engages it.
    #[arg(long, value_name = "FILE", global = true)]
    kill_switch: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Stop real fires from now on.
    Engage {
        /// Why, for whoever reads the log.
        reason: Vec<String>,
    },
    /// Let real fires go again.
    Release,
    /// Tell which it is; exits 0 when released, 3 when engaged.
    Status,
}

pub(super) fn run(arguments: KillSwitchArguments) -> Outcome {
    let Some(path) = arguments.kill_switch else {
        misused(Some("kill-switch"), "which kill switch? name it with --kill-switch FILE");
    };
    let kill_switch = KillSwitch::new(path)?;
    let mut out = std::io::stdout();
    match arguments.action {
        Action::Engage { reason } => {
            let reason = reason.join(" ");
            let reason = if reason.trim().is_empty() { NO_REASON } else { &reason };
            kill_switch.engage(reason)?;
            show(&kill_switch, &mut out)?;
        }
        Action::Release => {
            kill_switch.release()?;
            writeln!(out, "released")?;
        }
        Action::Status => {
            if show(&kill_switch, &mut out)? {
                return Ok(ExitCode::from(ENGAGED));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what a look at it finds; returns whether it is engaged.
fn show(kill_switch: &KillSwitch, out: &mut impl Write) -> std::io::Result<bool> {
    match kill_switch.look() {
        KillSwitchState::Released => writeln!(out, "released").map(|()| false),
        KillSwitchState::Engaged { reason } => writeln!(out, "engaged: {reason}").map(|()| true),
    }
}

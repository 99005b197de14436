//! How far a run is, on a terminal only, and whether it is to go on.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::error::BenchError;
use crate::cli::interrupt::Interrupt;

/// A bar on stderr. It is drawn between samples by the thread that measures, at most 20 times a second: a thread of its
/// own would compete with what is measured.
pub(super) struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl Progress {
    pub(super) fn new(interrupt: Interrupt) -> Self {
        // Draws nothing unless stderr is a terminal.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{msg:<28} {wide_bar} {percent:>3}%") {
            bar.set_style(style);
        }
        Self { bar, interrupt }
    }

    /// Begins a component of so many steps.
    pub(super) fn begin(&self, what: &'static str, steps: u32) {
        self.bar.reset();
        self.bar.set_length(u64::from(steps));
        self.bar.set_message(what);
    }

    /// Says that one step is done; an error when a signal wants the run to end.
    pub(super) fn step(&self) -> Result<(), BenchError> {
        self.bar.inc(1);
        self.go_on()
    }

    /// An error when a signal wants the run to end.
    pub(super) fn go_on(&self) -> Result<(), BenchError> {
        if self.interrupt.came() { Err(BenchError::Interrupted) } else { Ok(()) }
    }

    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Leaves the terminal to what is to be said.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

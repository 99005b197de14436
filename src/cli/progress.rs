//! A bar on stderr that shows how far a command is; on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Records between two looks at where a command is.
const RECORDS: u32 = 4_096;

/// Drawn by the thread that works, at most 20 times a second.
pub(super) struct Progress {
    bar: ProgressBar,
    records: u32,
}

impl Progress {
    /// Of so many bytes or steps; shows nothing when nobody knows how many.
    pub(super) fn new(what: String, total: Option<u64>) -> Self {
        let target = match total {
            Some(_) => ProgressDrawTarget::stderr(),
            None => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(total, target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{msg:<28} {wide_bar} {percent:>3}%") {
            bar.set_style(style);
        }
        Self { bar, records: 0 }
    }

    /// To be called for each record; asks where the command is only now and then.
    #[inline]
    pub(super) fn step(&mut self, position: impl FnOnce() -> u64) {
        self.records += 1;
        if self.records == RECORDS {
            self.records = 0;
            self.bar.set_position(position());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

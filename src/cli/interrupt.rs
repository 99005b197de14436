//! Ends a command in an orderly way when a signal asks for it: its processes and files are gone before it is.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Whether SIGINT, SIGTERM or SIGHUP has come.
#[derive(Debug, Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes the three signals over for the rest of the process.
    pub(super) fn watch() -> io::Result<Self> {
        let came = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&came))?;
        }
        Ok(Self(came))
    }

    pub(super) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

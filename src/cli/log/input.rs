//! Captures as commands read them.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::cli::interrupt::Interrupt;

/// Bytes of a capture as its file has them; `None` for a pipe or whatever else doesn't say.
pub(super) fn file_bytes(file: &File) -> Option<u64> {
    file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len())
}

/// Whether two paths that were asked for are both `-`, which can be read only once.
pub(super) fn stdin_twice<'p>(mut paths: impl Iterator<Item = &'p Path>) -> bool {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    paths.any(is_stdin) && paths.any(is_stdin)
}

/// A file that is read until a signal asks for the end, also while there is nothing to read: a command that has a file to remove at
/// its end must not wait for a pipe.
pub(super) struct Interruptible {
    file: File,
    interrupt: Interrupt,
}

impl Interruptible {
    pub(super) const fn new(file: File, interrupt: Interrupt) -> Self {
        Self { file, interrupt }
    }
}

impl Read for Interruptible {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        /// Between two looks at whether a signal came just before the wait.
        const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        loop {
            if self.interrupt.came() {
                return Err(io::Error::other("interrupted"));
            }
            let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut fds, Some(&PATIENCE)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => break,
                Err(error) => return Err(error.into()),
            }
        }
        match self.file.read(out) {
            // A signal that came first is seen at the next look.
            Err(error) if error.kind() == ErrorKind::Interrupted => self.read(out),
            outcome => outcome,
        }
    }
}

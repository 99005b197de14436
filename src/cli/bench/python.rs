//! The Python side of `sign`: a process that signs when it is told to.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use serde_json::json;

use crate::cli::interrupt::Interrupt;

const SCRIPT: &str = include_str!("../../../python/bench_sign.py");

/// Python could not be measured.
#[derive(Debug, thiserror::Error)]
pub(super) enum PythonError {
    #[error("can't run {}: {source}; name a Python with --python, or leave it out with --no-python", program.display())]
    Start { program: PathBuf, source: std::io::Error },
    #[error(
        "{} doesn't sign (its own words are above); install python/requirements.txt for it, name another with --python, or leave it out with --no-python",
        .0.display()
    )]
    Silent(PathBuf),
    #[error(
        "{} gave no answer within {} s; name another Python with --python, or leave it out with --no-python",
        program.display(),
        limit.as_secs_f64()
    )]
    Late { program: PathBuf, limit: Duration },
    #[error("interrupted")]
    Interrupted,
}

/// Far longer than a slow machine takes to import `cryptography`, or to sign a hundred times with a key of any size.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A Python that signs with `cryptography`.
pub(super) struct PythonSigner {
    program: PathBuf,
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    limit: Duration,
    interrupt: Interrupt,
    /// Versions of CPython, `cryptography` and its OpenSSL.
    pub(super) versions: String,
}

impl PythonSigner {
    /// Starts `program` and hands it the key. No answer may take longer than `limit`.
    pub(super) fn start(
        program: &Path,
        key_pem: &str,
        limit: Duration,
        interrupt: &Interrupt,
    ) -> Result<Self, PythonError> {
        let start_failed = |source| PythonError::Start { program: program.to_owned(), source };
        let mut child = Command::new(program)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(start_failed)?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(PythonError::Silent(program.to_owned()));
        };
        let (program, interrupt) = (program.to_owned(), interrupt.clone());
        let mut python = Self { program, child, to, from, limit, interrupt, versions: String::new() };
        let about: serde_json::Value = python.ask(&json!({ "key_pem": key_pem }).to_string())?;
        let of = |name: &str| about[name].as_str().unwrap_or("unknown").to_owned();
        python.versions =
            format!("cryptography {}, CPython {}, {}", of("cryptography"), of("python"), of("openssl"));
        Ok(python)
    }

    /// Has it sign `count` times; returns what each took, ns.
    pub(super) fn sign(&mut self, count: u32) -> Result<Vec<f64>, PythonError> {
        let samples: Vec<f64> = self.ask(&count.to_string())?;
        let sound = samples.len() == count as usize && samples.iter().all(|ns| *ns > 0.0);
        if sound { Ok(samples) } else { Err(self.silent()) }
    }

    fn ask<T: serde::de::DeserializeOwned>(&mut self, line: &str) -> Result<T, PythonError> {
        writeln!(self.to, "{line}").map_err(|_| self.silent())?;
        let answer = self.line()?;
        serde_json::from_slice(&answer).map_err(|_| self.silent())
    }

    /// What it says up to the end of a line.
    fn line(&mut self) -> Result<Vec<u8>, PythonError> {
        let (mut said, mut piece) = (Vec::new(), [0; 4_096]);
        let deadline = Instant::now() + self.limit;
        while !said.ends_with(b"\n") {
            self.wait(deadline)?;
            match self.from.read(&mut piece) {
                Ok(0) => return Err(self.silent()),
                Ok(count) => said.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.silent()),
            }
        }
        Ok(said)
    }

    /// Returns when there is something to be read, or it has ended.
    fn wait(&self, deadline: Instant) -> Result<(), PythonError> {
        loop {
            if self.interrupt.came() {
                return Err(PythonError::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(PythonError::Late { program: self.program.clone(), limit: self.limit });
            }
            // A signal that came before the call doesn't end it, so that it is looked for from time to time.
            let left = Timespec::try_from(left.min(Duration::from_millis(200)));
            let mut from = [PollFd::new(&self.from, PollFlags::IN)];
            match rustix::event::poll(&mut from, left.ok().as_ref()) {
                Ok(1..) => return Ok(()),
                Ok(0) | Err(Errno::INTR) => {}
                Err(_) => return Err(self.silent()),
            }
        }
    }

    fn silent(&self) -> PythonError {
        PythonError::Silent(self.program.clone())
    }
}

impl Drop for PythonSigner {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is what they are for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn start(lines: &str) -> Result<PythonSigner, PythonError> {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("python");
        std::fs::write(&program, format!("#!/bin/sh\n{lines}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        PythonSigner::start(&program, "a key", Duration::from_millis(300), &Interrupt::watch().unwrap())
    }

    #[test]
    fn nobody_is_waited_for_for_ever() {
        for lines in ["exec sleep 600", "printf {; exec sleep 600", "exec >&-; exec sleep 600"] {
            let begun = Instant::now();
            let error = start(lines).err().unwrap().to_string();
            assert!(begun.elapsed() < Duration::from_secs(60), "{lines}");
            let words = if lines.contains(">&-") { "doesn't sign" } else { "no answer within 0.3 s" };
            assert!(error.contains(words) && error.contains("--no-python"), "{lines}: {error}");
        }
    }

    #[test]
    fn a_time_is_above_zero() {
        let mut python = start("read key; echo {}; read count; echo '[5, 0]'; read more").unwrap();
        assert!(python.sign(2).unwrap_err().to_string().contains("doesn't sign"));
    }
}

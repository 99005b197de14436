//! The Python side of `sign`: a process that signs when it is told to.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::json;

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
}

/// A Python that signs with `cryptography`.
pub(super) struct PythonSigner {
    program: PathBuf,
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Versions of CPython, `cryptography` and its OpenSSL.
    pub(super) versions: String,
}

impl PythonSigner {
    /// Starts `program` and hands it the key.
    pub(super) fn start(program: &Path, key_pem: &str) -> Result<Self, PythonError> {
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
        let from = BufReader::new(from);
        let mut python = Self { program: program.to_owned(), child, to, from, versions: String::new() };
        let about: serde_json::Value = python.ask(&json!({ "key_pem": key_pem }).to_string())?;
        let of = |name: &str| about[name].as_str().unwrap_or("unknown").to_owned();
        python.versions =
            format!("cryptography {}, CPython {}, {}", of("cryptography"), of("python"), of("openssl"));
        Ok(python)
    }

    /// Has it sign `count` times; returns what each took, ns.
    pub(super) fn sign(&mut self, count: u32) -> Result<Vec<f64>, PythonError> {
        let samples: Vec<f64> = self.ask(&count.to_string())?;
        if samples.len() == count as usize { Ok(samples) } else { Err(self.silent()) }
    }

    fn ask<T: serde::de::DeserializeOwned>(&mut self, line: &str) -> Result<T, PythonError> {
        let mut answer = String::new();
        let asked = writeln!(self.to, "{line}").and_then(|()| self.from.read_line(&mut answer));
        let answered = asked.ok().and_then(|_| serde_json::from_str(&answer).ok());
        answered.ok_or_else(|| self.silent())
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

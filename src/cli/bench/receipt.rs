//! Where, when and with what figures were made.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::process::Command;

use memchr::memmem;
use serde::Serialize;

use super::arguments::BenchArguments;
use super::error::BenchError;
use super::peers;
use crate::measure::machine::{Conditions, Machine};
use crate::signer;

/// What must stand beside every figure.
#[derive(Debug, Serialize)]
pub(super) struct Receipt {
    pub(super) timestamp_utc: String,
    /// Processor, processors, AVX-512 IFMA, kernel.
    pub(super) platform: String,
    conditions: String,
    /// Of the working directory, if that is a checkout of this project; the binary may be older.
    pub(super) commit: String,
    /// What this binary is and was built with.
    pub(super) versions: String,
    pub(super) pin: Option<String>,
    /// Of each kind or run, before and after it is warm.
    warm_up: u32,
    samples: u32,
    /// Why the figures may mean something else than they seem to.
    warnings: Vec<String>,
}

impl Receipt {
    pub(super) fn of(arguments: &BenchArguments) -> Result<Self, BenchError> {
        Ok(Self {
            timestamp_utc: timestamp_utc()?,
            platform: Machine::here().to_string(),
            conditions: Conditions::now().to_string(),
            commit: commit(),
            versions: versions(),
            pin: arguments.pin.as_ref().map(ToString::to_string),
            warm_up: arguments.warm_up,
            samples: arguments.samples,
            warnings: warnings(),
        })
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { timestamp_utc, platform, conditions, commit, versions, pin, warm_up, samples, warnings } =
            self;
        writeln!(f, "{versions}")?;
        writeln!(f, "{platform}")?;
        writeln!(f, "{conditions}, pinned to {}", pin.as_deref().unwrap_or("nothing"))?;
        let commit = if commit.is_empty() { "no checkout" } else { commit };
        writeln!(f, "{timestamp_utc}, working directory at {commit}")?;
        writeln!(f, "{samples} samples of each kind after {warm_up} to warm up; percentiles of type 7")?;
        warnings.iter().try_for_each(|warning| writeln!(f, "\n*** {warning} ***"))
    }
}

/// Now, to the second. SQLite knows the calendar, so that no library has to be had for it.
fn timestamp_utc() -> rusqlite::Result<String> {
    let database = rusqlite::Connection::open_in_memory()?;
    database.query_row("SELECT strftime('%Y-%m-%dT%H:%M:%SZ')", [], |row| row.get(0))
}

fn versions() -> String {
    let profile = if cfg!(debug_assertions) { "debug build" } else { "release build" };
    let compiler = compiler().map(|version| format!(", rustc {version}")).unwrap_or_default();
    format!(
        "wakeline {}, {profile}{compiler}, {}, SQLite {}{}",
        env!("CARGO_PKG_VERSION"),
        signer::openssl_version(),
        rusqlite::version(),
        peers::versions()
    )
}

/// The compiler that made this binary, in the words it left there; `None` where they were stripped.
fn compiler() -> Option<String> {
    // In pieces, since a figure of peak memory may stand below.
    const PIECE: usize = 1 << 20;
    /// A mark and a version, with room to spare.
    const OVERLAP: usize = 64;
    let mut binary = File::open("/proc/self/exe").ok()?;
    let mut held = Vec::with_capacity(PIECE + OVERLAP);
    // The last one: compilers leave their words at the end, and the mark itself is among the strings of this very file.
    let mut latest = None;
    while binary.by_ref().take(PIECE as u64).read_to_end(&mut held).ok()? > 0 {
        latest = version_in(&held).or(latest);
        held.drain(..held.len().saturating_sub(OVERLAP));
    }
    latest
}

/// The last version behind a compiler's mark.
fn version_in(bytes: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"rustc version ";
    let versions = memmem::rfind_iter(bytes, MARK).map(|at| {
        let text = bytes[at + MARK.len()..].iter().map(|byte| char::from(*byte));
        text.take_while(|c| c.is_ascii_alphanumeric() || ".-".contains(*c)).collect::<String>()
    });
    let is_one = |version: &String| {
        version.split('.').count() == 3 && version.starts_with(|c: char| c.is_ascii_digit())
    };
    versions.into_iter().find(is_one)
}

/// The commit of the checkout around the working directory, `-dirty` when its files differ from it; empty elsewhere.
fn commit() -> String {
    // In another project's checkout the commit would be a lie.
    let ours = git(&["ls-files", "--error-unmatch", ":(top)src/cli/bench/mod.rs"]);
    let Some(head) = ours.and_then(|_| git(&["rev-parse", "--short=12", "HEAD"])) else {
        return String::new();
    };
    // Results are changed by being recorded.
    let changed = git(&[
        "status",
        "--porcelain",
        "-uno",
        "--",
        ":(top)",
        ":(top,exclude)bench/*.csv",
        ":(top,exclude)bench/*.svg",
    ]);
    if changed.is_some_and(|files| files.is_empty()) { head } else { format!("{head}-dirty") }
}

/// What git says; `None` when there is none or it fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| said.trim().to_owned())
}

fn warnings() -> Vec<String> {
    let mut warnings = Vec::new();
    if cfg!(debug_assertions) {
        warnings.push("A DEBUG BUILD: its figures mean nothing; build with --release".to_owned());
    }
    if let Ok(mask) = std::env::var("OPENSSL_ia32cap") {
        warnings.push(format!("OPENSSL_ia32cap={mask}: OpenSSL makes do without what this masks"));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_the_form_of_the_history() {
        let now = timestamp_utc().unwrap();
        assert_eq!((now.len(), &now[10..11], &now[19..]), (20, "T", "Z"), "{now}");
    }

    #[test]
    fn the_binary_names_its_compiler() {
        let compiler = compiler().unwrap();
        assert!(compiler.starts_with("1.") && versions().contains(&compiler), "{compiler}");
    }
}

//! A daemon in a temporary directory: started with extra flags, driven with raw bytes, stopped within a limit.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::peer::Peer;
use super::wakeline;

/// How long anything may take that must happen at all. Generous: the machine may be busy.
pub const LIMIT: Duration = Duration::from_secs(60);

/// From a stop signal to the end of the process: five seconds by contract, and one for a busy machine.
pub const STOP_LIMIT: Duration = Duration::from_secs(6);

/// Polls until `done`; panics with `what` after [`LIMIT`].
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < LIMIT, "not within {LIMIT:?}: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A directory for one test, with the usual names in it.
pub struct Place {
    directory: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { directory: tempfile::Builder::new().prefix("wakeline-test-").tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn socket(&self) -> PathBuf {
        self.at("wake.sock")
    }

    pub fn database(&self) -> PathBuf {
        self.at("telemetry.db")
    }

    /// The binary with `--socket`, to which a test adds what it needs.
    pub fn command(&self) -> Command {
        let mut command = Command::new(wakeline());
        command.arg("--socket").arg(self.socket());
        command
    }

    /// A daemon with further flags, listening.
    pub fn start(&self, flags: &[&str]) -> Daemon {
        let mut command = self.command();
        command.args(flags);
        Daemon::start(command, &self.socket())
    }

    /// A daemon that records into [`Self::database`], listening.
    pub fn start_recording(&self, flags: &[&str]) -> Daemon {
        let mut command = self.command();
        command.arg("--telemetry-db").arg(self.database()).args(flags);
        Daemon::start(command, &self.socket())
    }

    /// A daemon that ends by itself: how it did.
    pub fn refused(&self, flags: &[&str]) -> Exit {
        let mut command = self.command();
        command.args(flags);
        Daemon::spawn(command, &self.socket()).wait(LIMIT)
    }
}

/// A running daemon; killed when it is dropped.
pub struct Daemon {
    child: Child,
    socket: PathBuf,
    /// Its stderr, read at its end: no pipe that could fill up.
    stderr: TempDir,
}

impl Daemon {
    /// Spawns it and waits until its socket is there.
    pub fn start(command: Command, socket: &Path) -> Self {
        let mut daemon = Self::spawn(command, socket);
        until("the socket is there", || {
            if let Some(status) = daemon.child.try_wait().unwrap() {
                panic!("the daemon ended with {status}: {}", daemon.stderr());
            }
            std::fs::symlink_metadata(socket).is_ok()
        });
        daemon
    }

    /// Spawns it without waiting for anything.
    pub fn spawn(mut command: Command, socket: &Path) -> Self {
        let stderr = tempfile::tempdir().unwrap();
        let file = File::create(stderr.path().join("stderr")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn().unwrap();
        Self { child, socket: socket.into(), stderr }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said on stderr so far.
    pub fn stderr(&self) -> String {
        String::from_utf8(std::fs::read(self.stderr.path().join("stderr")).unwrap()).unwrap()
    }

    pub fn connect(&self) -> Peer {
        Peer::connect(&self.socket)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Ends it as an operator would, and expects it to end well.
    pub fn stop(self) -> Exit {
        self.signal(Signal::TERM);
        let exit = self.wait(LIMIT);
        assert!(exit.status.success(), "{}: {}", exit.status, exit.stderr);
        exit
    }

    /// Ends it as a crash would.
    pub fn kill_hard(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end, at most `limit`.
    pub fn wait(mut self, limit: Duration) -> Exit {
        let started = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => {
                    assert!(started.elapsed() < limit, "still running after {limit:?}: {}", self.stderr())
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        Exit::new(status, self.stderr())
    }

    /// CPU time used so far.
    pub fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        // Linux counts hundredths of a second for user space, whatever its own clock.
        Duration::from_millis(ticks * 10)
    }

    /// Figure of a line of `/proc/PID/status`, such as `VmRSS`.
    pub fn status_figure(&self, key: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a daemon ended.
#[derive(Debug)]
pub struct Exit {
    pub status: ExitStatus,
    pub stderr: String,
    counts: HashMap<String, u64>,
}

impl Exit {
    fn new(status: ExitStatus, stderr: String) -> Self {
        let lines =
            stderr.lines().filter(|line| line.starts_with("frames=") || line.starts_with("telemetry rows"));
        let pairs = lines.flat_map(|line| line.split(' ')).filter_map(|pair| pair.split_once('='));
        let counts = pairs.map(|(key, count)| (key.to_owned(), count.parse().unwrap())).collect();
        Self { status, stderr, counts }
    }

    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// A figure of the exit lines.
    pub fn count(&self, key: &str) -> u64 {
        *self.counts.get(key).unwrap_or_else(|| panic!("no {key} in {}", self.stderr))
    }

    pub fn has_both_lines(&self) -> bool {
        self.counts.contains_key("frames") && self.counts.contains_key("rows_written")
    }

    /// Asserts exit code 1 and one sentence on stderr that holds every one of `words`.
    pub fn assert_refused(&self, words: &[&str]) {
        assert_eq!(self.code(), Some(1), "{self:?}");
        self.assert_one_sentence(words);
    }

    pub fn assert_one_sentence(&self, words: &[&str]) {
        assert_one_sentence(&self.stderr, words);
    }
}

/// Asserts that what was said is one line for people.
pub fn assert_one_sentence(said: &str, words: &[&str]) {
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    for debris in ["panicked", "RUST_BACKTRACE", "Err(", "Some(", "Os {", "kind:"] {
        assert!(!said.contains(debris), "{said}");
    }
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
}

/// Says why a test proved nothing here.
pub fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A user that owns nothing.
pub const NOBODY: u32 = 65_534;

/// A copy of a program where every user can run it.
pub fn runnable_by_all(program: &Path, place: &Place) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let copy = place.at(&format!("program-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    // Not by this process: a child of another test that inherits the open copy would keep it from being run.
    assert!(Command::new("cp").arg(program).arg(&copy).status().unwrap().success());
    set_mode(&copy, 0o755);
    set_mode(place.path(), 0o755);
    copy
}

pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

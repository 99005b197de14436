//! Processes of this very binary that serve a socket, spawned by a command that drives them.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long such a process may take to listen.
const START_LIMIT: Duration = Duration::from_secs(10);

/// A process that serves didn't do as it was told.
#[derive(Debug, thiserror::Error)]
pub(super) enum SpawnedError {
    #[error("can't start the {name}: {source}; check the limits on processes and memory (ulimit -a)")]
    Start { name: &'static str, source: io::Error },
    #[error("the {name} ended before it listened ({status}); its own message is above")]
    EndedEarly { name: &'static str, status: ExitStatus },
    #[error("the {name} was not listening after {} s; try again on a machine that is less busy", START_LIMIT.as_secs())]
    NeverListened { name: &'static str },
    #[error("can't wait for the {name} to end: {source}")]
    Wait { name: &'static str, source: io::Error },
    #[error("the {name} ended with {status}; what it printed: {said}")]
    EndedBadly { name: &'static str, status: ExitStatus, said: String },
}

/// A process of this binary that listens; killed when it is dropped.
#[derive(Debug)]
pub(super) struct Spawned {
    name: &'static str,
    child: Child,
}

impl Spawned {
    /// A daemon at `socket` that records into `database` through a ring of `ring_rows`; its last words are its counters.
    pub(super) fn daemon(
        socket: &Path,
        database: &Path,
        ring_rows: u32,
        flags: &[&str],
    ) -> Result<Self, SpawnedError> {
        let configure = |command: &mut Command| {
            command.arg("serve").arg("--socket").arg(socket).arg("--telemetry-db").arg(database);
            command.arg("--telemetry-ring").arg(ring_rows.to_string()).args(flags).stderr(Stdio::piped());
        };
        Self::listening("daemon", socket, configure)
    }

    /// A process that `configure` gives its arguments, once there is something at `socket`. Of its standard output and
    /// error at most one may be a pipe: what comes out of it are its last words.
    pub(super) fn listening(
        name: &'static str,
        socket: &Path,
        configure: impl FnOnce(&mut Command),
    ) -> Result<Self, SpawnedError> {
        let start_failed = |source| SpawnedError::Start { name, source };
        let mut command = Command::new(std::env::current_exe().map_err(start_failed)?);
        configure(command.stdin(Stdio::null()));
        let mut spawned = Self { name, child: command.spawn().map_err(start_failed)? };
        let limit = Instant::now() + START_LIMIT;
        while !socket.exists() {
            if let Some(status) = spawned.child.try_wait().map_err(start_failed)? {
                spawned.forward_stderr();
                return Err(SpawnedError::EndedEarly { name, status });
            }
            if Instant::now() > limit {
                return Err(SpawnedError::NeverListened { name });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(spawned)
    }

    /// Stops it as an operator would; returns its last words.
    pub(super) fn stop(self) -> Result<String, SpawnedError> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)
            .map_err(|error| SpawnedError::Wait { name: self.name, source: error.into() })?;
        self.last_words()
    }

    /// Waits for it to end by itself; returns its last words.
    pub(super) fn last_words(mut self) -> Result<String, SpawnedError> {
        let name = self.name;
        let mut said = String::new();
        let read = match (self.child.stdout.take(), self.child.stderr.take()) {
            (Some(mut stdout), _) => stdout.read_to_string(&mut said),
            (None, Some(mut stderr)) => stderr.read_to_string(&mut said),
            (None, None) => Ok(0),
        };
        let ended = read.and_then(|_| self.child.wait());
        match ended.map_err(|source| SpawnedError::Wait { name, source })? {
            status if status.success() => Ok(said),
            status => Err(SpawnedError::EndedBadly { name, status, said: said.trim_end().to_owned() }),
        }
    }

    fn forward_stderr(&mut self) {
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = io::copy(&mut stderr, &mut io::stderr());
        }
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is what they are for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A daemon's own wake_recv durations in the order of their ids, ms.
pub(super) fn wake_recv_ms(database: &Path) -> rusqlite::Result<Vec<f64>> {
    let connection = rusqlite::Connection::open(database)?;
    let mut query =
        connection.prepare("SELECT duration_ms FROM latency_events WHERE stage = 'wake_recv' ORDER BY id")?;
    query.query_map([], |row| row.get(0))?.collect()
}

//! Accepting connections, answering signals, and the orderly stop.

use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::net::SocketFlags;
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::{Builder, LocalOptions};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{JoinError, JoinSet};

use super::connection::{self, Patience};
use super::endpoint::{BACKLOG, Endpoint, EndpointError};
use super::hot_path::HotPath;
use super::placement::{self, HotCpu, Pin, PlacementError};
use super::sink::Sink;
use super::spin::spin;
use super::stop::StopSignal;
use crate::fire::Fire;
use crate::measure::rate_limit::RateLimit;
use crate::telemetry::{FinalCounts, TelemetryError};

/// From the signal to the moment the telemetry gives up; the process is gone within five seconds of the signal.
const TELEMETRY_GIVES_UP: Duration = Duration::from_secs(4);

/// From the signal to the moment connections are dropped as they are.
const CONNECTIONS_END: Duration = Duration::from_millis(1_500);

/// Pause after an accept failed for want of descriptors or memory.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(50);

/// How the daemon is to run.
pub struct ServeOptions {
    /// Where it listens.
    pub socket: PathBuf,
    /// The SQLite file it records into, if any.
    pub telemetry_db: Option<PathBuf>,
    /// Rows between the hot path and the telemetry writer; a power of two.
    pub telemetry_ring_rows: usize,
    /// Polls instead of blocking, for people with a core to spare.
    pub spin: bool,
    /// The CPUs its threads run on; any, if this is `None`.
    pub pin: Option<Pin>,
    /// Locks the process's memory in RAM.
    pub mlock: bool,
    /// How long a peer may leave its acks unread while 64 KiB of them wait.
    pub stall: Duration,
    /// Called at each SIGHUP.
    pub on_hangup: Box<dyn Fn()>,
}

/// Why the daemon could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// It could not take its place.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// It could not open its database.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// Its threads or its memory can't be where they were to be.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// The limit on open files leaves no room for a connection.
    #[error(
        "the limit on open files is {limit} and at least {DESCRIPTORS_NEEDED} are needed; raise it with ulimit -n"
    )]
    FewDescriptors {
        /// The limit found.
        limit: u64,
    },
    /// The system refused something every daemon needs.
    #[error("can't start: {0}; check the limits on descriptors, memory and threads (ulimit -a)")]
    System(#[from] io::Error),
}

/// Open files the daemon needs before the first connection, with some to spare.
const DESCRIPTORS_NEEDED: u64 = 16;

/// What happened between start and stop, as the two exit lines.
#[derive(Debug)]
pub struct ServeReport {
    /// `frames=5 accepted=5 ...`.
    pub frames: String,
    /// `telemetry rows_written=5 ...`.
    pub telemetry: String,
}

impl ServeReport {
    /// The report of a daemon that was stopped before it listened.
    fn of_nothing(fire: Fire) -> Self {
        Self { frames: HotPath::new(fire, None).summary(), telemetry: FinalCounts::default().to_string() }
    }
}

/// Serves until SIGTERM or SIGINT. A second such signal ends it at once; what was lost is counted either way.
///
/// # Errors
/// [`ServeError`], only before the socket is there.
pub fn serve(options: ServeOptions, fire: Fire) -> Result<ServeReport, ServeError> {
    check_descriptor_limit()?;
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().build_local(LocalOptions::default())?;
    let report = runtime.block_on(run(options, fire));
    // Whatever still runs has been counted as lost.
    runtime.shutdown_background();
    report
}

async fn run(options: ServeOptions, fire: Fire) -> Result<ServeReport, ServeError> {
    // First of all, so that no signal finds its default handler once there is something to clean up.
    let mut stop_signals = StopSignals::new()?;
    let mut hangups = signal(SignalKind::hangup())?;
    let hot_cpu = options.pin.map(HotCpu::clear).transpose()?;
    let mut endpoint = Endpoint::claim(&options.socket)?;
    let (mut telemetry, recorder) = match options.telemetry_db.clone() {
        None => (None, None),
        Some(path) => {
            let opening = Sink::open_aside(path, options.telemetry_ring_rows)?;
            tokio::select! {
                opened = opening => {
                    let (sink, recorder) = opened.map_err(io::Error::other)??;
                    (Some(sink), Some(recorder))
                }
                () = stop_signals.next() => return Ok(ServeReport::of_nothing(fire)),
            }
        }
    };
    let server = Server {
        hot_path: Rc::new(HotPath::new(fire, recorder)),
        stop: Rc::default(),
        patience: Patience { spin: options.spin, stall: options.stall },
        accept_failures: RateLimit::new(RateLimit::WARNINGS),
        foreign_peers: RateLimit::new(RateLimit::WARNINGS),
    };
    if let Some(hot_cpu) = hot_cpu {
        hot_cpu.take()?;
    }
    if options.mlock {
        placement::lock_memory()?;
    }
    let listener = UnixListener::from_std(endpoint.publish()?)?;
    tracing::info!(socket = %options.socket.display(), "listening");

    let spinner = options.spin.then(|| tokio::task::spawn_local(spin()));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = stop_signals.next() => break,
            _ = hangups.recv() => (options.on_hangup)(),
            () = writer_end(telemetry.as_mut()) => {
                tracing::error!("the telemetry writer ended, a bug in wakeline, please report it; rows are lost from now on");
            }
            // Before the accept: who connects and leaves in a loop must not pile up.
            Some(ended) = connections.join_next(), if !connections.is_empty() => server.note_end(&ended),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    server.admit(stream, &mut connections);
                    // The runtime would go on accepting for as long as there is anyone; those that are in come first.
                    tokio::task::yield_now().await;
                }
                Err(error) => server.back_off(&error).await,
            },
        }
    }

    let stopped_at = Instant::now();
    tracing::info!("stopping");
    server.admit_backlog(&listener, &mut connections);
    drop(listener);
    endpoint.withdraw();
    if let Some(spinner) = spinner {
        spinner.abort();
    }
    server.stop.stop();
    let hurried = tokio::select! {
        () = stop_signals.next() => true,
        () = tokio::time::sleep(CONNECTIONS_END) => false,
        () = async { while let Some(ended) = connections.join_next().await { server.note_end(&ended) } } => false,
    };
    connections.shutdown().await;
    let frames = server.hot_path.summary();
    let counts = match telemetry {
        None => FinalCounts::default(),
        Some(sink) if hurried => sink.abandon(),
        Some(sink) => sink.drain(stopped_at + TELEMETRY_GIVES_UP, stop_signals.next()).await,
    };
    Ok(ServeReport { frames, telemetry: counts.to_string() })
}

/// What every connection is given.
struct Server {
    hot_path: Rc<HotPath>,
    stop: Rc<StopSignal>,
    patience: Patience,
    accept_failures: RateLimit,
    foreign_peers: RateLimit,
}

impl Server {
    fn admit(&self, stream: UnixStream, connections: &mut JoinSet<()>) {
        self.hot_path.counters.connections.add(1);
        if !is_ours_or_root(&stream) {
            self.hot_path.counters.refused_peer.add(1);
            if let Some(suppressed) = self.foreign_peers.admit() {
                tracing::warn!(suppressed, "a connection of another user was closed");
            }
            return;
        }
        let (hot_path, stop, patience) = (self.hot_path.clone(), self.stop.clone(), self.patience);
        connections.spawn_local(async move { connection::serve(stream, &hot_path, &stop, patience).await });
    }

    /// Lets in who connected before the daemon stopped and waits to be accepted: what it sent counts as received.
    fn admit_backlog(&self, listener: &UnixListener, connections: &mut JoinSet<()>) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // The kernel holds one more than it was asked for.
        for _ in 0..=BACKLOG {
            let accepted =
                rustix::net::accept_with(listener, flags).map(std::os::unix::net::UnixStream::from);
            match accepted.map(UnixStream::from_std) {
                Ok(Ok(stream)) => self.admit(stream, connections),
                Err(rustix::io::Errno::AGAIN) => return,
                _ => return self.hot_path.counters.accept_errors.add(1),
            }
        }
    }

    /// A connection's task that panicked takes nobody else with it, but it must not go unnoticed.
    fn note_end(&self, ended: &Result<(), JoinError>) {
        if let Err(error) = ended {
            self.hot_path.counters.internal_errors.add(1);
            tracing::error!("a connection was lost to a bug in wakeline, please report it: {error}");
        }
    }

    async fn back_off(&self, error: &io::Error) {
        self.hot_path.counters.accept_errors.add(1);
        if let Some(suppressed) = self.accept_failures.admit() {
            tracing::warn!(suppressed, "can't accept a connection: {error}; still serving the others");
        }
        tokio::time::sleep(ACCEPT_BACK_OFF).await;
    }
}

fn is_ours_or_root(stream: &UnixStream) -> bool {
    let ours = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == ours || peer.uid() == 0)
}

/// The runtime's own set-up doesn't survive a want of descriptors, so it is asked about first.
fn check_descriptor_limit() -> Result<(), ServeError> {
    match rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
        Some(limit) if limit < DESCRIPTORS_NEEDED => Err(ServeError::FewDescriptors { limit }),
        _ => Ok(()),
    }
}

/// Waits for the telemetry writer to end; for ever when there is none.
async fn writer_end(telemetry: Option<&mut Sink>) {
    match telemetry {
        Some(sink) => sink.writer_end().await,
        None => std::future::pending().await,
    }
}

struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

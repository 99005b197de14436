//! The daemon's telemetry: opened without making a stop signal wait, watched while it runs, drained at the end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::telemetry::{FinalCounts, Options, Recorder, Telemetry, TelemetryError};

/// How long past its deadline the writer may take to say that it ended; stuck inside the database it is left behind.
const GRACE: Duration = Duration::from_millis(400);

/// What opening comes to.
type Opened = Result<(Sink, Recorder), TelemetryError>;

/// The telemetry, and word of its writer's end.
pub(super) struct Sink {
    telemetry: Telemetry,
    /// `None` once that word has come.
    ended: Option<oneshot::Receiver<()>>,
}

impl Sink {
    /// Opens it, and the end its rows go into, on a thread of its own, since a locked database can take seconds.
    pub(super) fn open_aside(
        path: PathBuf,
        ring_rows: usize,
    ) -> Result<oneshot::Receiver<Opened>, TelemetryError> {
        let (done, opened) = oneshot::channel();
        let opening = move || {
            // Nobody waits any more when the daemon was stopped meanwhile.
            let _ = done.send(Self::open(&path, ring_rows));
        };
        let thread = std::thread::Builder::new().name("telemetry-open".to_owned()).spawn(opening);
        thread.map(|_| opened).map_err(TelemetryError::Thread)
    }

    fn open(path: &Path, ring_rows: usize) -> Opened {
        let (end, ended) = oneshot::channel();
        let on_finished = Box::new(move || {
            // Nobody listens any more when the wait was cut short.
            let _ = end.send(());
        });
        let options =
            Options { ring_capacity: ring_rows, on_finished: Some(on_finished), ..Options::default() };
        let (telemetry, recorder) = Telemetry::start(path, options)?;
        Ok((Self { telemetry, ended: Some(ended) }, recorder))
    }

    /// Waits for the writer to end, which it should not; for ever when it has ended already.
    pub(super) async fn writer_end(&mut self) {
        match self.ended.as_mut() {
            Some(ended) => {
                // Its end is its end, told or not.
                let _ = ended.await;
                self.ended = None;
            }
            None => std::future::pending().await,
        }
    }

    /// Waits until every row is committed, the deadline has passed, or `hurry` is over; then settles the account.
    pub(super) async fn drain(mut self, deadline: Instant, hurry: impl Future<Output = ()>) -> FinalCounts {
        self.telemetry.begin_shutdown(deadline);
        if !self.telemetry.is_finished() {
            tokio::select! {
                () = self.writer_end() => {}
                () = tokio::time::sleep_until((deadline + GRACE).into()) => {}
                () = hurry => {}
            }
        }
        self.telemetry.finish(Instant::now())
    }

    /// Settles the account as it stands.
    pub(super) fn abandon(self) -> FinalCounts {
        self.telemetry.finish(Instant::now())
    }
}

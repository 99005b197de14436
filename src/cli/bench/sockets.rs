//! Wakes through a real socket: the daemon, in a process of its own with a database, and a bare echo in its place.
//!
//! Runs of both are made in pairs. The client is the same, blocking, and waits for each ack before it sends the next wake.

use std::path::Path;
use std::process::{Command, Stdio};

use super::compare::{self, Comparison};
use super::error::{BenchError, FEWER_ROWS};
use super::plan::Plan;
use super::report::{Section, Series, Unit};
use super::wake;
use crate::cli::Failure;
use crate::cli::spawned::{Spawned, wake_recv_ms};
use crate::executor::client::{Client, ClientError};
use crate::measure::clock::monotonic_ns;
use crate::telemetry::DEFAULT_RING_CAPACITY;
use crate::wire::{Decoder, Status, encode};

/// Pairs of runs from which a sign test can say something about a p99.
const PAIRS_FOR_P99: u32 = 11;

/// A busy telemetry writer keeps the daemon and its client on one CPU, where the echo and its client have two, or the other
/// way round: the daemon can even come out ahead of its floor.
const UNPINNED: &str = "the scheduler may have placed the two differently: quote a ratio of round trips from a run with \
    --pin 0,0 or --pin 0,1";

/// The two spans of the same runs.
pub(super) struct Sections {
    pub(super) roundtrip: Section,
    pub(super) wake_recv: Section,
}

/// Samples of one run, us, those to warm up left out.
struct Run {
    trips: Vec<f64>,
    spans: Vec<f64>,
}

/// What takes a turn.
#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    /// The daemon, with further flags.
    Daemon(&'a str),
    /// The bare echo.
    Echo,
}

impl Kind<'_> {
    fn name(self) -> String {
        match self {
            Self::Daemon("") => "wakeline".to_owned(),
            Self::Daemon(flags) => format!("wakeline {flags}"),
            Self::Echo => "bare echo".to_owned(),
        }
    }

    /// As the history has it.
    fn config(self) -> String {
        match self {
            Self::Daemon("") => "kind=wakeline".to_owned(),
            Self::Daemon(flags) => {
                format!("kind=wakeline flags={}", flags.split_whitespace().collect::<Vec<_>>().join("_"))
            }
            Self::Echo => "kind=echo".to_owned(),
        }
    }

    fn run(self, plan: &Plan<'_>) -> Result<Run, Failure> {
        match self {
            Self::Daemon(flags) => against_daemon(plan, flags),
            Self::Echo => against_echo(plan),
        }
    }
}

pub(super) fn measure(plan: &Plan<'_>) -> Result<Sections, Failure> {
    let mut kinds = vec![Kind::Daemon("")];
    kinds.extend(plan.arguments.beside.as_deref().map(Kind::Daemon));
    kinds.push(Kind::Echo);
    let pairs = plan.arguments.pairs as usize;
    plan.progress.begin("roundtrip, wake_recv", kinds.len() as u32 * plan.arguments.pairs * plan.turns());
    let mut runs: Vec<Vec<Run>> = kinds.iter().map(|_| Vec::with_capacity(pairs)).collect();
    for pair in 0..pairs {
        // Who is first changes, so that a machine that slows down favours nobody.
        for turn in 0..kinds.len() {
            let whose = (pair + turn) % kinds.len();
            if let (Some(kind), Some(runs)) = (kinds.get(whose), runs.get_mut(whose)) {
                runs.push(kind.run(plan)?);
            }
        }
    }
    let (mut trips, mut spans) = (Vec::new(), Vec::new());
    for (kind, runs) in kinds.iter().zip(runs) {
        let (own_trips, own_spans) = runs.into_iter().map(|run| (run.trips, run.spans)).unzip();
        trips.push(series(plan, *kind, own_trips));
        spans.push(series(plan, *kind, own_spans));
    }
    Ok(Sections { roundtrip: roundtrip(plan, trips), wake_recv: wake_recv(plan, spans) })
}

type Runs = Vec<Vec<f64>>;

fn roundtrip(plan: &Plan<'_>, series: Vec<Series>) -> Section {
    section(plan, "roundtrip", "a wake's write begun until its ack was read, by the client's clock", series)
}

fn wake_recv(plan: &Plan<'_>, series: Vec<Series>) -> Section {
    let title = "a frame's read returned until its ack was written, from the rows in SQLite and the echo's own stamps";
    let mut section = section(plan, "wake_recv", title, series);
    if let Some((floor, daemons)) = section.series.split_last() {
        let above = daemons.iter().filter_map(|ours| Comparison::above_by_run(ours, floor, 0.5, Unit::Us));
        section.comparisons.extend(above.collect::<Vec<_>>());
    }
    section.notes.push("how long a frame waited to be read is in the round trip only".to_owned());
    section
}

fn series(plan: &Plan<'_>, kind: Kind<'_>, runs: Runs) -> Series {
    let wait = if plan.arguments.spin { "spin" } else { "block" };
    let config = format!("{} wait={wait} pause_us={}", kind.config(), plan.arguments.pause_us);
    Series { name: kind.name(), config, runs }
}

/// Of series whose last one is the floor; each other is compared with it, and with the first.
fn section(plan: &Plan<'_>, benchmark: &'static str, title: &str, series: Vec<Series>) -> Section {
    let mut compared: Vec<(&Series, &Series)> = Vec::new();
    if let Some((floor, daemons)) = series.split_last() {
        compared.extend(daemons.iter().map(|ours| (ours, floor)));
        compared.extend(
            daemons
                .split_first()
                .into_iter()
                .flat_map(|(plain, flagged)| flagged.iter().map(move |ours| (ours, plain))),
        );
    }
    let comparisons = compared
        .iter()
        .flat_map(|(ours, theirs)| [0.5, 0.9, 0.99].map(|p| Comparison::by_run(ours, theirs, p)))
        .flatten()
        .collect();
    let sign_tests: Vec<String> = compared
        .iter()
        .filter_map(|(ours, theirs)| {
            let p = compare::sign_test(ours, theirs, 0.99)?;
            Some(format!("{} / {} p = {p:.2}", ours.name, theirs.name))
        })
        .collect();
    let waits = if plan.arguments.spin { "both spin" } else { "both block" };
    let pairs = plan.arguments.pairs;
    let note = format!(
        "{pairs} pairs of runs, figures over all of them; {waits}, the client blocks and pauses {} us between two wakes",
        plan.arguments.pause_us
    );
    let mut section = plan.section(benchmark, title.to_owned(), Unit::Us, series, vec![note]);
    section.comparisons = comparisons;
    if plan.arguments.pin.is_none() {
        section.notes.push(UNPINNED.to_owned());
    }
    section.notes.push(if pairs >= PAIRS_FOR_P99 && !sign_tests.is_empty() {
        format!(
            "p99: two-sided sign tests over the pairs, {}; no claim about p99 holds from 0.05 on",
            sign_tests.join(", ")
        )
    } else {
        format!("fewer than {PAIRS_FOR_P99} pairs: no claim about p99 holds")
    });
    section
}

fn against_daemon(plan: &Plan<'_>, further: &str) -> Result<Run, Failure> {
    let directory = plan.directory()?;
    let (socket, database) = (directory.path().join("wake.sock"), directory.path().join("telemetry.db"));
    // Back to back, wakes come faster than rows can be written: what isn't the default is enough for all of them.
    let ring_rows = plan.turns().next_power_of_two().max(DEFAULT_RING_CAPACITY as u32);
    let flags: Vec<&str> =
        plan.arguments.spin.then_some("--spin").into_iter().chain(further.split_whitespace()).collect();
    let daemon = plan.placement.spawn(|| Spawned::daemon(&socket, &database, ring_rows, &flags))??;
    let trips = drive(plan, &socket, true).map_err(|source| broke_off("daemon", source))?;
    check_counters(&daemon.stop()?, u64::from(plan.turns()))?;
    let spans = wake_recv_ms(&database).map_err(BenchError::Sqlite)?;
    let ns = spans.into_iter().map(|ms| ms * 1e6).collect();
    Ok(Run { trips: counted(plan, trips), spans: counted(plan, ns) })
}

fn against_echo(plan: &Plan<'_>) -> Result<Run, Failure> {
    let directory = plan.directory()?;
    let socket = directory.path().join("echo.sock");
    let configure = |command: &mut Command| {
        command.arg("bench-echo").arg("--socket").arg(&socket).arg("--frames").arg(plan.turns().to_string());
        command.args(plan.arguments.spin.then_some("--spin")).stdout(Stdio::piped());
    };
    let echo = plan.placement.spawn(|| Spawned::listening("echo", &socket, configure))??;
    let trips = drive(plan, &socket, false).map_err(|source| broke_off("echo", source))?;
    let said = echo.last_words()?;
    let spans = said.lines().map_while(|line| line.parse().ok()).collect();
    Ok(Run { trips: counted(plan, trips), spans: counted(plan, spans) })
}

/// Says whose run it was, and what that means for it.
fn broke_off(who: &'static str, failure: Failure) -> Failure {
    match failure.downcast::<ClientError>() {
        Ok(source) => BenchError::BrokeOff { who, source: *source }.into(),
        Err(other) => other,
    }
}

/// Without the warm-up, us.
fn counted(plan: &Plan<'_>, ns: Vec<f64>) -> Vec<f64> {
    ns.into_iter().skip(plan.arguments.warm_up as usize).map(|ns| Unit::Us.of_ns(ns)).collect()
}

/// Sends wakes one by one and looks at each ack; returns the round trips, ns.
fn drive(plan: &Plan<'_>, socket: &Path, names_the_wake: bool) -> Result<Vec<f64>, Failure> {
    let mut client = Client::connect(socket)?;
    let (mut decoder, mut frame) = (Decoder::new(), Vec::new());
    let mut trips = Vec::with_capacity(plan.turns() as usize);
    let pause_ns = plan.arguments.pause_us * 1_000;
    for index in 0..plan.turns() as usize {
        let id = format!("{index:032x}");
        write_frame(&mut frame, &id)?;
        let start = monotonic_ns();
        let body = client.exchange(&frame)?;
        let end = monotonic_ns();
        trips.push((end - start) as f64);
        let ack = decoder.ack(body)?;
        if ack.status != Status::Accepted || names_the_wake && ack.correlation_id != id {
            let reason = ack.reason.unwrap_or("its ack names another").to_owned();
            return Err(BenchError::NotAccepted { index, reason }.into());
        }
        plan.progress.step()?;
        while monotonic_ns() < end + pause_ns {
            std::hint::spin_loop();
        }
    }
    Ok(trips)
}

/// Writes the frame of the benchmark's wake into `out`, in place of what was there.
pub(super) fn write_frame(out: &mut Vec<u8>, correlation_id: &str) -> Result<(), BenchError> {
    out.clear();
    if encode::wake_frame(out, &wake::wake(correlation_id)) { Ok(()) } else { Err(BenchError::NoWake) }
}

/// Sees that a daemon's exit lines account for so many wakes, and for nothing lost.
fn check_counters(said: &str, wakes: u64) -> Result<(), BenchError> {
    let right = [
        ("frames", wakes),
        ("accepted", wakes),
        ("fired", wakes),
        ("rejected", 0),
        ("rows_written", wakes),
        ("dropped_ring_full", 0),
        ("dropped_oversized_id", 0),
        ("dropped_write_failed", 0),
        ("rows_orphaned", 0),
    ];
    for (key, wanted) in right {
        let mut pairs = said.split_ascii_whitespace().filter_map(|pair| pair.split_once('='));
        let found = pairs.find(|(name, _)| *name == key).map_or("nothing", |(_, count)| count);
        if found != wanted.to_string() {
            let (who, found) = ("daemon", found.to_owned());
            return Err(BenchError::Miscounted { who, key, found, wanted, advice: FEWER_ROWS });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "frames=5 accepted=5 rejected=0 fired=5 connections=1\n\
        telemetry rows_written=5 dropped_ring_full=0 dropped_oversized_id=0 dropped_write_failed=0 rows_orphaned=0\n";

    #[test]
    fn counters_must_account_for_every_wake() {
        check_counters(SAID, 5).unwrap();
        let wrong = [
            ("accepted=5 rejected=0", "accepted=4 rejected=1", "accepted=4 where 5 is right"),
            ("rows_written=5 dropped_ring_full=0", "rows_written=4 dropped_ring_full=1", "rows_written=4"),
            ("rows_orphaned=0", "rows_orphaned=5", "rows_orphaned=5 where 0"),
            ("dropped_ring_full=0", "", "dropped_ring_full=nothing"),
        ];
        for (part, other, words) in wrong {
            let error = check_counters(&SAID.replace(part, other), 5).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("nothing was recorded"), "{error}");
        }
        assert!(check_counters("", 0).is_err());
    }
}

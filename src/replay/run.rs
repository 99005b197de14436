//! A capture through a pipeline, from its first record to its last, with the time that takes.

use std::io::Read;
use std::time::Instant;

use hdrhistogram::Histogram;

use super::pipeline::{Pipeline, Stamps};
use super::report::{Breakdown, LatencyReport, PipelineReport, Timing};
use super::signals::Publish;
use crate::log::feedlog::{FeedlogError, Reader};
use crate::measure::clock::monotonic_ns;

/// Significant digits of a latency that are kept.
const DIGITS: u8 = 3;

/// The longest record's way that is told apart from longer ones, ns: a minute.
const LONGEST_NS: u64 = 60_000_000_000;

/// What a run came to beside what is in the pipeline.
#[derive(Debug)]
pub struct Run {
    /// Why the capture wasn't read to its end.
    pub fault: Option<FeedlogError>,
    /// Whether it was ended before.
    pub stopped: bool,
    /// The time it took.
    pub timing: Timing,
}

/// Has `pipeline` take in every record of `reader`; `go_on` is asked now and then, with the bytes read so far.
///
/// With `breakdown` the clock is read once more for each record.
pub fn run<R: Read>(
    reader: &mut Reader<R>,
    pipeline: &mut Pipeline,
    subscriber: &mut impl Publish,
    breakdown: bool,
    mut go_on: impl FnMut(u64) -> bool,
) -> Run {
    /// Records between two questions.
    const PACE: u64 = 1 << 12;
    let begun = Instant::now();
    let mut ways = Ways::default();
    let (mut records, mut stopped) = (0_u64, false);
    let fault = loop {
        let (venue, record) = match reader.next_of_venue() {
            Ok(Some(next)) => next,
            Ok(None) => break None,
            Err(fault) => break Some(fault),
        };
        if breakdown {
            let Stamps { parse_ns, rest_ns } =
                pipeline.record_timed(record.recv_ns, venue, record.payload, subscriber);
            ways.parse_ns += parse_ns;
            ways.note(parse_ns + rest_ns);
        } else {
            let start = monotonic_ns();
            pipeline.record(record.recv_ns, venue, record.payload, subscriber);
            ways.note(monotonic_ns() - start);
        }
        records += 1;
        if records.is_multiple_of(PACE) && !go_on(reader.counts().bytes) {
            stopped = true;
            break None;
        }
    };
    let mut timing = ways.timing(records, breakdown);
    timing.wall_ms = begun.elapsed().as_secs_f64() * 1e3;
    Run { fault, stopped, timing }
}

/// How long records took.
struct Ways {
    histogram: Option<Histogram<u64>>,
    sum_ns: u64,
    parse_ns: u64,
}

impl Default for Ways {
    fn default() -> Self {
        Self { histogram: Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).ok(), sum_ns: 0, parse_ns: 0 }
    }
}

impl Ways {
    #[inline]
    fn note(&mut self, ns: u64) {
        self.sum_ns += ns;
        if let Some(histogram) = &mut self.histogram {
            histogram.saturating_record(ns);
        }
    }

    fn timing(&self, records: u64, breakdown: bool) -> Timing {
        let Some(histogram) = self.histogram.as_ref().filter(|_| records > 0) else {
            return Timing::default();
        };
        let us = |p| histogram.value_at_quantile(p) as f64 / 1e3;
        let latency =
            LatencyReport { p50: us(0.5), p90: us(0.9), p99: us(0.99), max: histogram.max() as f64 / 1e3 };
        let pipeline = PipelineReport {
            ms: self.sum_ns as f64 / 1e6,
            records_per_sec: records as f64 * 1e9 / self.sum_ns.max(1) as f64,
        };
        let each = |ns: u64| ns as f64 / records as f64;
        let breakdown = breakdown.then(|| Breakdown {
            parse_ns_per_record: each(self.parse_ns),
            rest_ns_per_record: each(self.sum_ns - self.parse_ns),
            parse_share: self.parse_ns as f64 / self.sum_ns.max(1) as f64,
        });
        Timing { latency_us: Some(latency), pipeline: Some(pipeline), breakdown, wall_ms: 0.0 }
    }
}

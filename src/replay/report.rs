//! What a replay came to, as people read it and as JSON.
//!
//! All but `timing` depends on the records, the registry and the model alone, to the byte.

use serde::Serialize;

use super::accounting::{FaultBy, HashCounts, IgnoredBy, LeftOutCounts, UpdateCounts};

/// A replay's report. Field names that the reference engine has too mean what they mean there.
#[derive(Debug, Serialize)]
pub struct Report {
    /// `exact`, or `basis` when read as the reference engine reads.
    pub model: &'static str,
    /// Whether everything of the input was there and readable as records.
    pub input_whole: bool,
    /// What kept it from being read to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_fault: Option<String>,
    /// Lines, bad ones included.
    pub lines: u64,
    /// Lines that are records.
    pub records: u64,
    /// Records of Kalshi.
    pub kalshi_messages: u64,
    /// Records of Polymarket; in the reference's model of every venue but Kalshi.
    pub polymarket_messages: u64,
    /// Records of Binance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binance_messages: Option<u64>,
    /// Records of Coinbase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coinbase_messages: Option<u64>,
    /// Records that were understood.
    pub ok: u64,
    /// Arrays of which some elements were.
    pub partial: u64,
    /// Records of no interest.
    pub ignored: u64,
    /// Records that are wrong.
    pub malformed: u64,
    /// Why records were ignored.
    pub ignored_by: IgnoredBy,
    /// Why records were malformed or partial.
    pub faults: FaultBy,
    /// Lines that are no records.
    pub malformed_lines: u64,
    /// The same by kind, with the first lines of each.
    pub bad_lines: Vec<BadLineReport>,
    /// The last line has no LF.
    pub ends_without_lf: bool,
    /// Records received before the record in front of them.
    pub backward_steps: u64,
    /// What the records said.
    #[serde(flatten)]
    pub updates: UpdateCounts,
    /// Messages before which something was lost.
    pub gaps: u64,
    /// Messages that changed a book which isn't sound.
    pub unsound_messages: u64,
    /// Kalshi's numbering.
    pub sequence: SequenceReport,
    /// Hashes of snapshots.
    pub hashes: HashCounts,
    /// Levels that are in no book.
    pub left_out: LeftOutCounts,
    /// Messages in which the venue named its best prices, of a sound book.
    pub venue_best_checked: u64,
    /// Those after which the book had the same.
    pub venue_best_agree: u64,
    /// Seconds between the first and the last receive time.
    pub session: SessionReport,
    /// Over all markets that had both sides, the mean of their mean spreads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread_mean_cents: Option<f64>,
    /// Each market of an event that messages spoke of, in the registry's order; then each coin's as they came.
    pub markets: Vec<MarketReport>,
    /// Each basket at each venue, in the registry's order.
    pub baskets: Vec<BasketReport>,
    /// What depends on the machine.
    pub timing: Timing,
}

/// Bad lines of one kind.
#[derive(Debug, Serialize)]
pub struct BadLineReport {
    /// Its name.
    pub kind: &'static str,
    /// How many.
    pub count: u64,
    /// The first of them, counted from 1.
    pub first_lines: Vec<u64>,
    /// The kind in words, for people.
    #[serde(skip)]
    pub words: String,
}

/// What became of Kalshi's numbers.
#[derive(Debug, Serialize)]
pub struct SequenceReport {
    /// Numbers seen.
    pub numbers: u64,
    /// Holes in them.
    pub gaps: u64,
    /// Numbers that are missing.
    pub missing: u64,
    /// Times that counting began anew.
    pub new_epochs: u64,
    /// Messages that came again.
    pub repeated: u64,
    /// Messages of subscriptions beyond those followed.
    pub not_followed: u64,
}

/// A session's extent.
#[derive(Debug, Serialize)]
pub struct SessionReport {
    /// From the earliest to the latest receive time.
    pub span_seconds: f64,
    /// Records a second of it.
    pub ingest_per_sec: f64,
}

/// A market at the end, and over the session.
#[derive(Debug, Serialize)]
pub struct MarketReport {
    /// The event's id, or the coin's symbol.
    pub event_id: String,
    /// Its venue.
    pub venue: &'static str,
    /// Messages that spoke of it.
    pub messages: u64,
    /// Those after which its book was sound and had both sides, or a ticker named both.
    pub two_sided: u64,
    /// The mean of its spread after those, cents.
    pub spread_mean_cents: Option<f64>,
    /// The best bid at the end, dollars.
    pub best_bid: Option<String>,
    /// And its size.
    pub best_bid_size: Option<String>,
    /// The best ask at the end, dollars.
    pub best_ask: Option<String>,
    /// And its size.
    pub best_ask_size: Option<String>,
    /// Where the two come from: `book`, or `ticker`.
    pub top_of: &'static str,
    /// Levels of its book.
    pub bid_levels: usize,
    /// Levels of its book.
    pub ask_levels: usize,
    /// What speaks against its book at the end; nothing if it is sound.
    pub suspicions: Vec<&'static str>,
    /// Best bid above best ask.
    pub crossed: SpellsReport,
    /// Best bid equal to best ask.
    pub locked: SpellsReport,
    /// Snapshots.
    pub snapshots: u64,
    /// Changes that took a level below zero.
    pub below_zero: u64,
    /// Removals of levels that weren't there.
    pub removals_not_there: u64,
    /// Times that the update ids of its diffs didn't go on.
    pub diff_gaps: u64,
    /// Diffs that came again.
    pub diffs_repeated: u64,
    /// Changes finer than the scale declared for it.
    pub finer_than_declared: u64,
    /// Messages after which its book had the best prices that the venue named.
    pub venue_best_agree: u64,
    /// Messages after which it hadn't.
    pub venue_best_differ: u64,
}

/// How often a book was in a state that no book should be in.
#[derive(Debug, Serialize)]
pub struct SpellsReport {
    /// Spells.
    pub count: u64,
    /// Those that ended at the receive stamp at which they began.
    pub momentary: u64,
    /// All of them together, ms.
    pub total_ms: f64,
    /// The longest, ms.
    pub longest_ms: f64,
    /// Whether it is so at the end.
    pub open: bool,
}

/// A basket at one venue.
#[derive(Debug, Serialize)]
pub struct BasketReport {
    /// Its name.
    pub basket_id: String,
    /// The venue.
    pub venue: &'static str,
    /// Its members.
    pub members: usize,
    /// Messages of a member after which all members had both sides.
    pub samples: u64,
    /// Most members that ever had both sides at once.
    pub max_two_sided: usize,
    /// Mean over the samples of the sum of mids, dollars.
    pub mid_sum_mean_dollars: Option<f64>,
    /// The least.
    pub mid_sum_min_dollars: Option<f64>,
    /// The most.
    pub mid_sum_max_dollars: Option<f64>,
    /// The largest sum of best bids; above a dollar it was free money.
    pub bid_sum_max_dollars: Option<f64>,
}

/// Everything that isn't the same from run to run.
#[derive(Debug, Default, Serialize)]
pub struct Timing {
    /// From a record in hand until its last signal was published, us.
    pub latency_us: Option<LatencyReport>,
    /// The pipeline as a whole.
    pub pipeline: Option<PipelineReport>,
    /// Its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<Breakdown>,
    /// From the first byte read to the report, ms.
    pub wall_ms: f64,
}

/// Percentiles of a record's way, us; exact ranks of values kept to three digits.
#[derive(Debug, Serialize)]
pub struct LatencyReport {
    /// Half of them.
    pub p50: f64,
    /// Nine of ten.
    pub p90: f64,
    /// All but one of a hundred.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// All records' ways together.
#[derive(Debug, Serialize)]
pub struct PipelineReport {
    /// Their sum, ms.
    pub ms: f64,
    /// Records a second of it.
    pub records_per_sec: f64,
}

/// The pipeline's two parts.
#[derive(Debug, Serialize)]
pub struct Breakdown {
    /// Parsing, ns a record.
    pub parse_ns_per_record: f64,
    /// Books, health and signals, ns a record.
    pub rest_ns_per_record: f64,
    /// Parsing's share.
    pub parse_share: f64,
}

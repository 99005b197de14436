//! A synthetic session: two venues quote one event, and one of them follows the other by a time that is known.
//!
//! The bytes are those of the reference engine `basis` for the same arguments, so that both can be run on one session.

use std::collections::VecDeque;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::ops::RangeInclusive;

use super::mt19937::Mt19937;
use crate::market::Venue;

/// The event's name at Kalshi.
pub const TICKER: &str = "SYN-DEMO";
/// The event's YES token at Polymarket.
pub const TOKEN: &str = "1000001";
/// When a session begins, ns since the Unix epoch: 2026-01-01T00:00:00Z.
pub const START_NS: i64 = 1_767_225_600_000_000_000;
/// From one step to the next, ns.
pub const STEP_NS: i64 = 100_000_000;
/// How many steps a session may have.
pub const STEPS: RangeInclusive<u32> = 1..=100_000_000;
/// How far one venue may lead, ms: a day.
pub const LEAD_MS: RangeInclusive<i64> = -86_400_000..=86_400_000;

/// How far from its step a quote may move, ns.
const JITTER_NS: i64 = 20_000_000;
/// Standard deviation of the latent price's step, cents.
const STEP_CENTS: f64 = 0.6;
/// Contracts at each level.
const LEVEL_CONTRACTS: i64 = 100;
/// The first bid, cents.
const FIRST_BID: i64 = 49;
/// Between bid and ask, cents.
const SPREAD: i64 = 2;
/// Messages of a venue for each move of its quote.
const MESSAGES_OF_A_MOVE: u64 = 4;

/// What session to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Steps of the latent price after the opening; see [`STEPS`].
    pub steps: u32,
    /// How much later Polymarket moves than Kalshi, ms; negative when it moves first. See [`LEAD_MS`].
    pub lead_ms: i64,
    /// What the random numbers begin with.
    pub seed: u32,
}

impl Default for Plan {
    fn default() -> Self {
        Self { steps: 5_000, lead_ms: 400, seed: 42 }
    }
}

/// A record of a session, lent until the next one is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SynthRecord<'s> {
    /// When it would have been received, ns since the Unix epoch.
    pub recv_ns: i64,
    /// Kalshi or Polymarket.
    pub venue: Venue,
    /// The venue's message.
    pub payload: &'s str,
}

/// Makes the records of a session one after another, in the order of their times; of equal times, the move made first comes first,
/// and Kalshi before Polymarket. Of the session it holds what lies between the venues: the moves of the lead's time.
#[derive(Debug)]
pub struct Session {
    lead_ns: i64,
    walk: Walk,
    /// Moves that one of the venues has not shown yet.
    moves: VecDeque<Move>,
    kalshi: Cursor,
    polymarket: Cursor,
    payload: String,
}

/// A change of the quote; number 0 is the opening.
#[derive(Debug, Clone, Copy)]
struct Move {
    number: u64,
    /// When Kalshi shows it.
    at_ns: i64,
    old_bid: i64,
    new_bid: i64,
}

impl Move {
    const fn messages(self) -> u64 {
        if self.number == 0 { 1 } else { MESSAGES_OF_A_MOVE }
    }
}

/// How far a venue is.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// Place of its move among those that are held.
    index: usize,
    /// Messages of it that were shown.
    shown: u64,
}

impl Session {
    /// The session of a plan. Steps and lead beyond their ranges are taken as the nearest within.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let steps = plan.steps.clamp(*STEPS.start(), *STEPS.end());
        let lead_ms = plan.lead_ms.clamp(*LEAD_MS.start(), *LEAD_MS.end());
        Self {
            lead_ns: lead_ms * 1_000_000,
            walk: Walk::new(steps, plan.seed),
            moves: VecDeque::new(),
            kalshi: Cursor::default(),
            polymarket: Cursor::default(),
            payload: String::with_capacity(256),
        }
    }

    /// Steps of the latent price that were made so far: to show how far a session is.
    #[must_use]
    pub const fn steps_done(&self) -> u32 {
        self.walk.step
    }

    /// The next record, or `None` at the end.
    pub fn next_record(&mut self) -> Option<SynthRecord<'_>> {
        let kalshi = self.move_at(self.kalshi.index);
        let polymarket = self.move_at(self.polymarket.index);
        let kalshi_first = match (kalshi, polymarket) {
            (None, None) => return None,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(kalshi), Some(polymarket)) => {
                // What a stable sort of the session by time gives.
                let kalshi = (kalshi.at_ns, kalshi.number);
                kalshi <= (polymarket.at_ns + self.lead_ns, polymarket.number)
            }
        };
        let (venue, of_move, delay_ns) = match kalshi_first {
            true => (Venue::Kalshi, kalshi?, 0),
            false => (Venue::Polymarket, polymarket?, self.lead_ns),
        };
        let cursor = if kalshi_first { &mut self.kalshi } else { &mut self.polymarket };
        let shown = cursor.shown;
        cursor.shown += 1;
        if cursor.shown == of_move.messages() {
            *cursor = Cursor { index: cursor.index + 1, shown: 0 };
            self.forget();
        }
        let recv_ns = of_move.at_ns + delay_ns;
        self.payload.clear();
        // Writing to a string can't fail.
        let _ = match venue {
            Venue::Kalshi => kalshi_message(&mut self.payload, of_move, shown),
            _ => polymarket_message(&mut self.payload, of_move, shown, recv_ns / 1_000_000),
        };
        Some(SynthRecord { recv_ns, venue, payload: &self.payload })
    }

    fn move_at(&mut self, index: usize) -> Option<Move> {
        while self.moves.len() <= index {
            self.moves.push_back(self.walk.next_move()?);
        }
        self.moves.get(index).copied()
    }

    /// Lets go of the move that both venues have shown.
    fn forget(&mut self) {
        if self.kalshi.index > 0 && self.polymarket.index > 0 {
            self.moves.pop_front();
            self.kalshi.index -= 1;
            self.polymarket.index -= 1;
        }
    }
}

/// The latent price, and the quote around it.
#[derive(Debug)]
struct Walk {
    random: Mt19937,
    steps: u32,
    step: u32,
    /// Moves made so far, the opening included.
    made: u64,
    latent: f64,
    bid: i64,
}

impl Walk {
    fn new(steps: u32, seed: u32) -> Self {
        Self { random: Mt19937::new(seed), steps, step: 0, made: 0, latent: 50.0, bid: FIRST_BID }
    }

    fn next_move(&mut self) -> Option<Move> {
        let mut next = Move { number: self.made, at_ns: START_NS, old_bid: self.bid, new_bid: self.bid };
        while self.made > 0 {
            if self.step == self.steps {
                return None;
            }
            self.step += 1;
            self.latent = (self.latent + self.normal()).clamp(5.0, 95.0);
            let bid = self.latent.round() as i64 - 1;
            if bid != self.bid {
                // Drawn for moves only.
                next.at_ns += i64::from(self.step) * STEP_NS + self.jitter();
                next.new_bid = bid;
                self.bid = bid;
                break;
            }
        }
        self.made += 1;
        Some(next)
    }

    /// Box and Muller's first variate; the second one isn't used.
    fn normal(&mut self) -> f64 {
        let (one, other) = (self.uniform(), self.uniform());
        STEP_CENTS * (-2.0 * (1.0 - one).ln()).sqrt() * (TAU * other).cos()
    }

    fn uniform(&mut self) -> f64 {
        f64::from(self.random.draw()) / 4_294_967_296.0
    }

    fn jitter(&mut self) -> i64 {
        const WIDTH: u64 = 2 * JITTER_NS as u64 + 1;
        (self.random.draw_u64() % WIDTH) as i64 - JITTER_NS
    }
}

/// Kalshi names both sides' bids: an ask is a bid for NO at what is left of a dollar.
fn kalshi_message(out: &mut String, of_move: Move, index: u64) -> std::fmt::Result {
    let Move { number, old_bid, new_bid, .. } = of_move;
    let no_price = |bid: i64| 100 - (bid + SPREAD);
    if number == 0 {
        return write!(
            out,
            r#"{{"type":"orderbook_snapshot","sid":1,"seq":1,"msg":{{"market_ticker":"{TICKER}","yes":[[{new_bid},{LEVEL_CONTRACTS}]],"no":[[{},{LEVEL_CONTRACTS}]]}}}}"#,
            no_price(new_bid),
        );
    }
    let (price, delta, side) = match index {
        0 => (old_bid, -LEVEL_CONTRACTS, "yes"),
        1 => (new_bid, LEVEL_CONTRACTS, "yes"),
        2 => (no_price(old_bid), -LEVEL_CONTRACTS, "no"),
        _ => (no_price(new_bid), LEVEL_CONTRACTS, "no"),
    };
    let seq = 2 + (number - 1) * MESSAGES_OF_A_MOVE + index;
    write!(
        out,
        r#"{{"type":"orderbook_delta","sid":1,"seq":{seq},"msg":{{"market_ticker":"{TICKER}","price":{price},"delta":{delta},"side":"{side}"}}}}"#
    )
}

fn polymarket_message(out: &mut String, of_move: Move, index: u64, timestamp_ms: i64) -> std::fmt::Result {
    let Move { number, old_bid, new_bid, .. } = of_move;
    if number == 0 {
        let ask = new_bid + SPREAD;
        return write!(
            out,
            r#"{{"event_type":"book","asset_id":"{TOKEN}","market":"0xsynthetic","bids":[{{"price":"0.{new_bid:02}","size":"{LEVEL_CONTRACTS}"}}],"asks":[{{"price":"0.{ask:02}","size":"{LEVEL_CONTRACTS}"}}],"timestamp":"{timestamp_ms}","hash":"synthetic"}}"#
        );
    }
    let (price, size, side) = match index {
        0 => (old_bid, 0, "BUY"),
        1 => (new_bid, LEVEL_CONTRACTS, "BUY"),
        2 => (old_bid + SPREAD, 0, "SELL"),
        _ => (new_bid + SPREAD, LEVEL_CONTRACTS, "SELL"),
    };
    write!(
        out,
        r#"{{"event_type":"price_change","market":"0xsynthetic","price_changes":[{{"asset_id":"{TOKEN}","price":"0.{price:02}","size":"{size}","side":"{side}","hash":"synthetic"}}],"timestamp":"{timestamp_ms}"}}"#
    )
}

#[cfg(test)]
mod tests {
    use openssl::sha::Sha256;

    use super::*;
    use crate::log::feedlog::{Compression, Writer};

    /// Records, bytes and SHA-256 of the capture of a session.
    fn capture(plan: Plan) -> (u64, u64, String) {
        struct Digest(Sha256);
        impl std::io::Write for Digest {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut writer = Writer::new("a session", Digest(Sha256::new()), Compression::None).unwrap();
        let mut session = Session::new(&plan);
        while let Some(record) = session.next_record() {
            writer.record(record.recv_ns, record.venue.name(), record.payload.as_bytes()).unwrap();
        }
        let (digest, written) = writer.into_inner().unwrap();
        let digest: String = digest.0.finish().iter().map(|byte| format!("{byte:02x}")).collect();
        (written.records, written.bytes, digest)
    }

    #[test]
    fn sessions_are_those_of_the_reference_byte_for_byte() {
        let known = [
            (1_000, 400, Some(3_858), "8c626b1cbc94b8ff284cd10f0e5f4d4c94437c582ac494201baa6f35b13b3d57"),
            (5_000, 400, Some(17_994), "9370a12816dd7262483849661feb9a0427c611f5acf610439b9022530b43a034"),
            (20_000, 400, Some(72_418), "e626b7fa81a66b490ad8ed8889030004dba5982fbb5697c6d9b6d0ca26ce55dc"),
            (5_000, -400, Some(17_994), "227fded28986ad16513b526107e4610751ac4080513a876d1e231bb1c97905c4"),
        ];
        for (steps, lead_ms, records, digest) in known {
            let made = capture(Plan { steps, lead_ms, seed: 42 });
            assert_eq!(Some(made.0), records, "{steps} steps, lead {lead_ms}");
            assert_eq!(made.2, digest, "{steps} steps, lead {lead_ms}");
        }
    }

    #[test]
    fn the_longest_known_session_is_the_reference_s_too() {
        if std::env::var_os("WAKELINE_LONG_TESTS").is_none_or(|value| value != "1") {
            return;
        }
        let (records, bytes, digest) = capture(Plan { steps: 200_000, ..Plan::default() });
        assert_eq!((records, bytes), (724_298, 129_699_837));
        assert_eq!(digest, "a38b5cbc358d6caa78d61e97fe1ca69b2a48a8fe178100f2ae04f0d123c99ea4");
    }

    #[test]
    fn a_session_holds_no_more_than_the_lead_s_moves() {
        for lead_ms in [-5_000, 0, 5_000] {
            let mut session = Session::new(&Plan { steps: 10_000, lead_ms, seed: 1 });
            let mut before = i64::MIN;
            while let Some(record) = session.next_record() {
                assert!(record.recv_ns >= before);
                before = record.recv_ns;
                assert!(session.moves.len() <= 53, "{lead_ms}: {} moves are held", session.moves.len());
            }
            assert_eq!(session.steps_done(), 10_000);
        }
    }
}

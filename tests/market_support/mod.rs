//! Messages as parsers make them, for tests of what takes them.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};

use wakeline::market::model::{LeftOut, Sequence, SequenceKind, UpdateIds};
use wakeline::market::{Change, Message, Price, Registry, Side, Size, Update};

/// Where recordings of the venues lie; `None`, with a loud word, where they are absent.
pub fn captures() -> Option<PathBuf> {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/captures");
    if !captures.exists() {
        crate::common::loudly_skipped(&captures);
        return None;
    }
    Some(captures)
}

/// Two events of both venues, the first with a NO token, and a third without Kalshi.
pub fn registry() -> Registry {
    let text = "\
[[event]]
id = \"oslo\"
kalshi = \"K-OSLO\"
polymarket_token = \"8801\"
polymarket_no_token = \"8802\"
[[event]]
id = \"rome\"
kalshi = \"K-ROME\"
polymarket_token = \"9901\"
[[event]]
id = \"bern\"
polymarket_token = \"7701\"
polymarket_no_token = \"7702\"
[[instrument]]
venue = \"binance\"
symbol = \"BTCUSDT\"
price_decimals = 2
size_decimals = 5
";
    Registry::from_toml(text.as_bytes()).expect("a registry")
}

pub const fn set(side: Side, price: i64, size: i64) -> Change {
    Change::Set { side, price: Price(price), size: Size(size) }
}

pub const fn add(side: Side, price: i64, change: i64) -> Change {
    Change::Add { side, price: Price(price), change: Size(change) }
}

pub const fn touch(side: Side, price: i64, size: i64) -> Change {
    Change::Touch { side, price: Price(price), size: Size(size) }
}

/// A message of changes, all of one market.
pub fn message<'p>(market: &'p str, changes: &[Change]) -> Message<'p> {
    let updates = changes.iter().map(|&change| Update { market, change }).collect();
    Message { updates, ..Message::default() }
}

/// The same with a number of a subscription.
pub fn numbered<'p>(
    market: &'p str,
    changes: &[Change],
    subscription: u64,
    number: u64,
    kind: SequenceKind,
) -> Message<'p> {
    let sequence = Some(Sequence { subscription, number, kind });
    Message { sequence, ..message(market, changes) }
}

/// A snapshot of Kalshi: a bid at 40 and an ask at 60 cents.
pub fn snapshot(market: &str, subscription: u64, number: u64) -> Message<'_> {
    let levels = [Change::Clear, set(Side::Bid, 4_000, 10), set(Side::Ask, 6_000, 10)];
    numbered(market, &levels, subscription, number, SequenceKind::Snapshot)
}

/// A delta of Kalshi: so much more of the bid at 40 cents.
pub fn delta(market: &str, subscription: u64, number: u64, change: i64) -> Message<'_> {
    let change = [add(Side::Bid, 4_000, change)];
    numbered(market, &change, subscription, number, SequenceKind::Delta)
}

/// A reply of Kalshi that takes a number.
pub fn reply(subscription: u64, number: u64) -> Message<'static> {
    numbered("", &[], subscription, number, SequenceKind::Other)
}

/// A diff of Binance.
pub fn diff<'p>(symbol: &'p str, first: u64, last: u64, changes: &[Change]) -> Message<'p> {
    Message { update_ids: Some(UpdateIds { first, last }), ..message(symbol, changes) }
}

/// The message with so many levels left out for being too fine.
pub fn with_left_out(message: Message<'_>, finer_than_scale: u32) -> Message<'_> {
    Message { left_out: LeftOut { finer_than_scale, ..LeftOut::default() }, ..message }
}

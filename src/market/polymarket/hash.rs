//! The hash a snapshot carries: SHA-1 of the book as minified JSON with its members in a fixed order, `hash` itself empty.
//!
//! Of that JSON, snapshots don't carry everything. Those sent after the first lack the tick and the last trade's price and can't be verified;
//! the smallest order is taken as 5 where it is absent, and whether the market is one of several exclusive ones is tried both ways.
//! A wrong hash is a diagnosis, no reason to drop the book: it may depend on a trade that arrives later.

use openssl::sha::Sha1;

use super::event::Level;
use crate::market::json::Scanner;
use crate::market::model::{Fault, Hashes};

/// What the hash is made of, strings as they stand in the message, and the hash itself.
#[derive(Debug)]
pub(super) struct Hashed<'p> {
    pub hash: &'p str,
    pub market: Option<&'p str>,
    pub asset_id: Option<&'p str>,
    pub timestamp: Option<&'p str>,
    /// A checked array.
    pub bids: Option<&'p str>,
    /// A checked array.
    pub asks: Option<&'p str>,
    pub min_order_size: Option<&'p str>,
    pub tick_size: Option<&'p str>,
    pub last_trade_price: Option<&'p str>,
}

/// The smallest order where a snapshot has none.
const MIN_ORDER_SIZE: &str = "5";

impl Hashed<'_> {
    /// Counts what becomes of the hash.
    pub(super) fn count(&self, hashes: &mut Hashes) {
        match self.is_right() {
            Some(true) => hashes.verified += 1,
            Some(false) => hashes.mismatched += 1,
            None => hashes.unverifiable += 1,
        }
    }

    /// Whether the hash is right; `None` when the snapshot lacks something that it is made of.
    fn is_right(&self) -> Option<bool> {
        let (market, asset_id, timestamp) = (self.market?, self.asset_id?, self.timestamp?);
        let (tick_size, last_trade_price) = (self.tick_size?, self.last_trade_price?);
        let (bids, asks) = (self.bids?, self.asks?);
        let min_order_size = self.min_order_size.unwrap_or(MIN_ORDER_SIZE);
        let mut book = Sha1::new();
        let put =
            |book: &mut Sha1, parts: &[&str]| parts.iter().for_each(|part| book.update(part.as_bytes()));
        put(&mut book, &["{\"market\":\"", market, "\",\"asset_id\":\"", asset_id]);
        put(&mut book, &["\",\"timestamp\":\"", timestamp, "\",\"hash\":\"\",\"bids\":["]);
        put_levels(&mut book, bids).ok()?;
        put(&mut book, &["],\"asks\":["]);
        put_levels(&mut book, asks).ok()?;
        put(&mut book, &["],\"min_order_size\":\"", min_order_size, "\",\"tick_size\":\"", tick_size]);
        put(&mut book, &["\",\"neg_risk\":"]);
        let right = ["true", "false"].into_iter().any(|neg_risk| {
            let mut book = book.clone();
            put(&mut book, &[neg_risk, ",\"last_trade_price\":\"", last_trade_price, "\"}"]);
            is_hex_of(self.hash, &book.finish())
        });
        Some(right)
    }
}

fn put_levels(book: &mut Sha1, levels: &str) -> Result<(), Fault> {
    let mut separator = "";
    Scanner::new(levels).array(|scanner| {
        let level = Level::read(scanner)?;
        let (price, size) = (level.price.string()?.raw, level.size.string()?.raw);
        for part in [separator, "{\"price\":\"", price, "\",\"size\":\"", size, "\"}"] {
            book.update(part.as_bytes());
        }
        separator = ",";
        Ok(())
    })
}

/// Whether a text is these bytes in lower-case hexadecimal.
fn is_hex_of(text: &str, bytes: &[u8]) -> bool {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits =
        bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]).map(|digit| DIGITS[usize::from(digit)]);
    text.bytes().eq(digits)
}

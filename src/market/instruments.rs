//! What venues call things: names to markets, coins in a scale of their own, and the pair of coins that a symbol is.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::model::{Change, Price, Scale, Size, Venue};

/// The most coins' markets that are followed, of all venues together.
pub const MAX_COINS: usize = 4_096;

/// Longest symbol of a coin's market, bytes.
pub const MAX_SYMBOL_BYTES: usize = 64;

/// Place of a market in [`Books`](super::unified::Books).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarketIndex(pub(super) u32);

impl MarketIndex {
    /// The place as an index, counted from 0.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// What a venue's name of something stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The market.
    pub market: MarketIndex,
    /// Whether it is the market's NO token, which is told in the YES frame: see [`fold`](super::yes_frame::fold).
    pub folded: bool,
}

/// The names of each venue. A map is only ever asked for a name, never walked, so its order is nowhere to be seen.
#[derive(Debug, Default)]
pub(super) struct Names {
    venues: [HashMap<Box<str>, Target, FixedState>; Venue::ALL.len()],
}

impl Names {
    pub(super) fn insert(&mut self, venue: Venue, name: &str, target: Target) {
        self.venues[venue as usize].insert(name.into(), target);
    }

    #[inline]
    pub(super) fn find(&self, venue: Venue, name: &str) -> Option<Target> {
        self.venues[venue as usize].get(name).copied()
    }
}

/// The text that a string of JSON stands for; `None` if its escapes are none, or it has none.
pub(super) fn unescaped(name: &str) -> Option<String> {
    if !name.contains('\\') {
        return None;
    }
    serde_json::from_str(&format!("\"{name}\"")).ok()
}

/// Whether a coin's market may be made of a name: short, and fit for print.
pub(super) fn is_symbol(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    !name.is_empty() && name.len() <= MAX_SYMBOL_BYTES && name.bytes().all(fits)
}

/// Brings what was read in one scale to a coarser one that was declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coarser {
    price: i64,
    size: i64,
}

impl Coarser {
    /// `None` if both are the same, so that there is nothing to do.
    pub(super) fn new(read: Scale, declared: Scale) -> Option<Self> {
        let factor = |read: u8, declared: u8| 10_i64.pow(u32::from(read.saturating_sub(declared)));
        let price = factor(read.price_decimals, declared.price_decimals);
        let size = factor(read.size_decimals, declared.size_decimals);
        (read != declared).then_some(Self { price, size })
    }

    fn price(self, Price(value): Price) -> Option<Price> {
        (value % self.price == 0).then_some(Price(value / self.price))
    }

    fn size(self, Size(value): Size) -> Option<Size> {
        (value % self.size == 0).then_some(Size(value / self.size))
    }

    /// The change in the declared scale; `None` if something of it is finer.
    pub(super) fn change(self, change: Change) -> Option<Change> {
        // A price that isn't there fits; one that is finer doesn't.
        let optional = |price: Option<Price>| price.map_or(Some(None), |price| self.price(price).map(Some));
        Some(match change {
            Change::Clear => Change::Clear,
            Change::Set { side, price, size } => {
                Change::Set { side, price: self.price(price)?, size: self.size(size)? }
            }
            Change::Add { side, price, change } => {
                Change::Add { side, price: self.price(price)?, change: self.size(change)? }
            }
            Change::Touch { side, price, size } => {
                Change::Touch { side, price: self.price(price)?, size: self.size(size)? }
            }
            Change::Best { bid, ask } => Change::Best { bid: optional(bid)?, ask: optional(ask)? },
            Change::Trade { price, size, taker } => {
                let size = size.map_or(Some(None), |size| self.size(size).map(Some))?;
                Change::Trade { price: self.price(price)?, size, taker }
            }
            Change::TickSize { tick } => Change::TickSize { tick: self.price(tick)? },
        })
    }
}

/// Quote currencies that are taken as dollars, in the order in which a symbol's end is compared with them.
const DOLLARS: [&str; 5] = ["FDUSD", "BUSD", "USDT", "USDC", "USD"];

/// The pair that a symbol is, as `BASE/USD`, by which markets of two venues are known to be the same: `BTCUSDT` and
/// `BTC-USD` are `BTC/USD`. `None` for other quote currencies, and for venues without coins.
#[must_use]
pub fn pair_of(venue: Venue, symbol: &str) -> Option<String> {
    let symbol = symbol.to_ascii_uppercase();
    let base = match venue {
        Venue::Binance => DOLLARS.iter().find_map(|dollars| symbol.strip_suffix(dollars)),
        Venue::Coinbase => {
            symbol.split_once('-').filter(|(_, quote)| DOLLARS.contains(quote)).map(|(base, _)| base)
        }
        Venue::Kalshi | Venue::Polymarket => None,
    }?;
    let sound = !base.is_empty() && base.bytes().all(|byte| byte.is_ascii_alphanumeric());
    sound.then(|| format!("{base}/USD"))
}

#[cfg(test)]
mod tests {
    use super::super::model::Side;
    use super::*;

    #[test]
    fn two_venues_symbols_meet_in_one_pair() {
        let pairs = [
            (Venue::Binance, "BTCUSDT", Some("BTC/USD")),
            (Venue::Binance, "btcfdusd", Some("BTC/USD")),
            (Venue::Binance, "ETHUSDC", Some("ETH/USD")),
            (Venue::Binance, "SOLUSD", Some("SOL/USD")),
            (Venue::Binance, "1000SATSUSDT", Some("1000SATS/USD")),
            (Venue::Binance, "ETHBTC", None),
            (Venue::Binance, "USDT", None),
            (Venue::Binance, "BTC-USDT", None),
            (Venue::Coinbase, "BTC-USD", Some("BTC/USD")),
            (Venue::Coinbase, "eth-usdt", Some("ETH/USD")),
            (Venue::Coinbase, "BTC-EUR", None),
            (Venue::Coinbase, "BTCUSD", None),
            (Venue::Coinbase, "-USD", None),
            (Venue::Kalshi, "BTCUSD", None),
        ];
        for (venue, symbol, pair) in pairs {
            assert_eq!(pair_of(venue, symbol).as_deref(), pair, "{venue} {symbol}");
        }
    }

    #[test]
    fn what_a_coarser_scale_cant_hold_is_told() {
        let cents = Scale { price_decimals: 2, size_decimals: 4 };
        assert!(Coarser::new(Scale::COIN, Scale::COIN).is_none());
        let coarser = Coarser::new(Scale::COIN, cents).unwrap();
        let set = |price, size| Change::Set { side: Side::Bid, price: Price(price), size: Size(size) };
        assert_eq!(coarser.change(set(1_234_000_000, 50_000)), Some(set(1_234, 5)));
        assert_eq!(coarser.change(set(1_234_000_001, 50_000)), None);
        assert_eq!(coarser.change(set(1_234_000_000, 50_001)), None);
        let best = Change::Best { bid: None, ask: Some(Price(5_000_000)) };
        assert_eq!(coarser.change(best), Some(Change::Best { bid: None, ask: Some(Price(5)) }));
        assert_eq!(coarser.change(Change::Best { bid: Some(Price(1)), ask: None }), None);
    }
}

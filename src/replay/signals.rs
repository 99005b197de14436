//! What a replay publishes of a market after each message, and what it keeps of it: spreads, mids, baskets.
//!
//! Sums are of integers, so no order of additions changes them, and nothing kept grows with the recording.

use crate::market::instruments::MarketIndex;
use crate::market::model::{Scale, Side, Venue};
use crate::market::registry::Registry;
use crate::market::state::{Market, Owner};
use crate::market::unified::Books;

/// Best bid and best ask of a market, in its own price units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Top {
    /// The best bid.
    pub bid: i64,
    /// The best ask.
    pub ask: i64,
}

impl Top {
    /// Of a market whose book is sound and has both sides; of a coin that a ticker speaks of, its touch.
    pub fn of(books: &Books, index: MarketIndex) -> Option<Self> {
        let market = books.market(index)?;
        if let (Some(bid), Some(ask)) = (market.touch(Side::Bid), market.touch(Side::Ask)) {
            return Some(Self { bid: bid.price.0, ask: ask.price.0 });
        }
        if !books.is_sound(index) {
            return None;
        }
        let best = |side| market.book().best(side).map(|level| level.price.0);
        Some(Self { bid: best(Side::Bid)?, ask: best(Side::Ask)? })
    }

    /// Twice the mid, so that it is an integer.
    #[must_use]
    pub const fn mid_twice(self) -> i64 {
        self.bid.saturating_add(self.ask)
    }
}

/// A value that changed or was confirmed by a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal<'a> {
    /// Receive stamp of the message, ns since the Unix epoch.
    pub recv_ns: i64,
    /// The event's id, or a coin's symbol.
    pub event: &'a str,
    /// What of it: `kalshi_mid`, `poly_mid`, `binance_mid`, `coinbase_mid`, or `basis`, the first less the second.
    pub field: &'static str,
    /// The value, in cents for an event and in dollars for a coin, as an integer of the `decimals`-th decimal place.
    pub value: i64,
    /// Decimal places of `value`.
    pub decimals: u8,
}

/// Who is told of signals.
pub trait Publish {
    /// Takes one in.
    fn publish(&mut self, signal: &Signal<'_>);
}

/// Tells nobody.
impl Publish for () {
    #[inline]
    fn publish(&mut self, _: &Signal<'_>) {}
}

/// What is kept of one market.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarketSums {
    /// Messages that said something of it.
    pub messages: u64,
    /// Those after which it had both sides and was sound.
    pub two_sided: u64,
    /// The sum of its spreads after those, price units.
    pub spread_sum: i128,
    /// Its latest top, while it has one.
    pub top: Option<Top>,
}

/// What is kept of a basket at one venue.
#[derive(Debug, Clone, Copy, Default)]
pub struct BasketSums {
    /// How many members there are.
    pub members: usize,
    /// Members with both sides now.
    pub two_sided: usize,
    /// The largest number of them ever.
    pub most_two_sided: usize,
    /// Sum of their mids, each twice, now.
    mid_twice: i64,
    /// Sum of their best bids now.
    bids: i64,
    /// Messages of a member after which all of them had both sides.
    pub samples: u64,
    /// Sum over those of the mids' sum, twice.
    pub mid_twice_sum: i128,
    /// Smallest and largest mids' sum, twice.
    pub mid_twice_range: Option<(i64, i64)>,
    /// Largest sum of best bids.
    pub most_bids: Option<i64>,
}

/// Signals of all markets.
#[derive(Debug)]
pub struct Signals {
    markets: Vec<MarketSums>,
    /// For each basket, one for each venue.
    baskets: Vec<[BasketSums; Venue::ALL.len()]>,
    basket_of: Vec<Option<usize>>,
}

impl Signals {
    /// None yet.
    #[must_use]
    pub fn new(registry: &Registry) -> Self {
        Self {
            markets: Vec::new(),
            baskets: registry
                .baskets()
                .iter()
                .map(|basket| [BasketSums::of(basket.members.len()); 4])
                .collect(),
            basket_of: registry.events().iter().map(|event| event.basket).collect(),
        }
    }

    /// Takes in what a message did to the markets it touched, and publishes what they are at now.
    pub fn message(&mut self, books: &Books, recv_ns: i64, subscriber: &mut impl Publish) {
        for &index in books.touched() {
            let Some(market) = books.market(index) else { continue };
            self.market(books, index, market);
            self.publish(books, index, market, recv_ns, subscriber);
        }
    }

    /// To be called when a subscription lost something: books became suspect that no message touched.
    pub fn refresh(&mut self, books: &Books) {
        for (index, market) in books.markets() {
            let now = Top::of(books, index);
            let Some(sums) = self.markets.get_mut(index.get()) else { continue };
            let before = std::mem::replace(&mut sums.top, now);
            if let Some(sums) = self.basket_mut(market) {
                sums.replace(before, now);
            }
        }
    }

    fn market(&mut self, books: &Books, index: MarketIndex, market: &Market) {
        if self.markets.len() <= index.get() {
            self.markets.resize(index.get() + 1, MarketSums::default());
        }
        let Some(sums) = self.markets.get_mut(index.get()) else { return };
        let top = Top::of(books, index);
        let before = std::mem::replace(&mut sums.top, top);
        sums.messages += 1;
        if let Some(Top { bid, ask }) = top {
            sums.two_sided += 1;
            sums.spread_sum += i128::from(ask) - i128::from(bid);
        }
        if let Some(sums) = self.basket_mut(market) {
            sums.replace(before, top);
            sums.sample();
        }
    }

    fn basket_mut(&mut self, market: &Market) -> Option<&mut BasketSums> {
        let Owner::Event(event) = market.owner() else { return None };
        let basket = self.basket_of.get(event).copied().flatten()?;
        self.baskets.get_mut(basket).map(|sums| &mut sums[market.venue() as usize])
    }

    fn publish(
        &self,
        books: &Books,
        index: MarketIndex,
        market: &Market,
        recv_ns: i64,
        subscriber: &mut impl Publish,
    ) {
        let event = market.name();
        let venue = market.venue();
        let mid = self.top(index).map(Top::mid_twice);
        if let Some(mid) = mid {
            let (field, decimals) = (mid_field(venue), half_decimals(market.scale(), market.owner()));
            // Five times twice the mid is ten times the mid.
            subscriber.publish(&Signal { recv_ns, event, field, value: mid.saturating_mul(5), decimals });
        }
        let Owner::Event(place) = market.owner() else { return };
        let mid_of = |venue| self.top(books.event_market(place, venue)?).map(Top::mid_twice);
        if let (Some(kalshi), Some(polymarket)) = (mid_of(Venue::Kalshi), mid_of(Venue::Polymarket)) {
            let (value, decimals) =
                ((kalshi - polymarket).saturating_mul(5), half_decimals(market.scale(), market.owner()));
            subscriber.publish(&Signal { recv_ns, event, field: "basis", value, decimals });
        }
    }

    fn top(&self, index: MarketIndex) -> Option<Top> {
        self.markets.get(index.get())?.top
    }

    /// What was kept of a market.
    #[must_use]
    pub fn sums(&self, index: MarketIndex) -> MarketSums {
        self.markets.get(index.get()).copied().unwrap_or_default()
    }

    /// What was kept of a basket, by its place in the registry.
    #[must_use]
    pub fn basket(&self, basket: usize, venue: Venue) -> BasketSums {
        self.baskets.get(basket).map_or_else(BasketSums::default, |sums| sums[venue as usize])
    }
}

impl BasketSums {
    fn of(members: usize) -> Self {
        Self { members, ..Self::default() }
    }

    fn replace(&mut self, before: Option<Top>, now: Option<Top>) {
        if let Some(top) = before {
            self.two_sided -= 1;
            self.mid_twice -= top.mid_twice();
            self.bids -= top.bid;
        }
        if let Some(top) = now {
            self.two_sided += 1;
            self.mid_twice += top.mid_twice();
            self.bids += top.bid;
        }
    }

    fn sample(&mut self) {
        self.most_two_sided = self.most_two_sided.max(self.two_sided);
        if self.two_sided < self.members {
            return;
        }
        self.samples += 1;
        self.mid_twice_sum += i128::from(self.mid_twice);
        let (least, most) = self.mid_twice_range.unwrap_or((self.mid_twice, self.mid_twice));
        self.mid_twice_range = Some((least.min(self.mid_twice), most.max(self.mid_twice)));
        self.most_bids = Some(self.most_bids.map_or(self.bids, |most| most.max(self.bids)));
    }
}

const fn mid_field(venue: Venue) -> &'static str {
    match venue {
        Venue::Kalshi => "kalshi_mid",
        Venue::Polymarket => "poly_mid",
        Venue::Binance => "binance_mid",
        Venue::Coinbase => "coinbase_mid",
    }
}

/// Decimal places of ten times a price in cents, or for a coin in dollars.
const fn half_decimals(scale: Scale, owner: Owner) -> u8 {
    match owner {
        Owner::Event(_) => scale.price_decimals.saturating_sub(2) + 1,
        Owner::Coin => scale.price_decimals + 1,
    }
}

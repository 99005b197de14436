//! Orders: the parts that never change for a market and side are prepared once and looked up afterwards.

use std::collections::HashMap;
use std::fmt::{self, Write};

use crate::wire::{Direction, WakeMessage};

/// Contracts of every order while nothing sizes them.
pub const FIXED_CONTRACTS: u32 = 1;

/// Templates kept at once; a peer that names more markets makes the cache start over.
const MAX_TEMPLATES: usize = 512;

/// Longest ticker that is kept; a longer one is prepared anew at each wake.
const MAX_CACHED_TICKER_BYTES: usize = 128;

/// What every order of this executor has in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderPolicy {
    /// `fill_or_kill`, `good_till_canceled` or `immediate_or_cancel`.
    pub time_in_force: String,
    /// `taker_at_cross` or `maker`.
    pub self_trade_prevention_type: String,
}

impl Default for OrderPolicy {
    fn default() -> Self {
        Self { time_in_force: "fill_or_kill".into(), self_trade_prevention_type: "taker_at_cross".into() }
    }
}

/// The constant parts of an order's request body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderTemplate {
    before_client_order_id: String,
    before_count: String,
    before_exchange_index: String,
}

impl OrderTemplate {
    /// Prepares the parts for one market and side. A "no" position sells YES, so its side is `ask`.
    pub fn new(ticker: &str, direction: Direction, policy: &OrderPolicy) -> Self {
        let side = match direction {
            Direction::Yes => "bid",
            Direction::No => "ask",
        };
        let OrderPolicy { time_in_force, self_trade_prevention_type } = policy;
        let post_only = time_in_force == "good_till_canceled";
        let mut quoted = Vec::new();
        crate::wire::encode::string(&mut quoted, ticker);
        Self {
            before_client_order_id: format!(
                "{{\"ticker\":{},\"client_order_id\":\"",
                String::from_utf8_lossy(&quoted)
            ),
            before_count: format!("\",\"side\":\"{side}\",\"count\":\""),
            before_exchange_index: format!(
                "\",\"time_in_force\":\"{time_in_force}\",\
                 \"self_trade_prevention_type\":\"{self_trade_prevention_type}\",\
                 \"post_only\":{post_only},\"exchange_index\":"
            ),
        }
    }

    /// An order of this template.
    pub fn fill<'a>(&'a self, contracts: u32, price_dollars: f64, wake: &'a WakeMessage<'a>) -> Order<'a> {
        Order { template: self, contracts, price_dollars, wake }
    }
}

/// An order that every stage has let through.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    template: &'a OrderTemplate,
    /// Whole contracts.
    pub contracts: u32,
    /// YES-side price on the market's grid, dollars.
    pub price_dollars: f64,
    /// The wake that asked for it.
    pub wake: &'a WakeMessage<'a>,
}

impl Order<'_> {
    /// Writes the request body, keys in the order of the venue's reference: count with two decimals, price with four.
    ///
    /// # Errors
    /// Whatever `out` reports.
    pub fn write_body(&self, client_order_id: &str, out: &mut impl Write) -> fmt::Result {
        let OrderTemplate { before_client_order_id, before_count, before_exchange_index } = self.template;
        write!(
            out,
            "{before_client_order_id}{client_order_id}{before_count}{}.00\",\"price\":\"{:.4}{before_exchange_index}{}}}",
            self.contracts, self.price_dollars, self.wake.exchange_index
        )
    }
}

/// Templates by market and side.
#[derive(Debug, Default)]
pub struct OrderTemplates {
    policy: OrderPolicy,
    kept: HashMap<String, [Option<OrderTemplate>; 2]>,
    unkept: Option<OrderTemplate>,
}

impl OrderTemplates {
    /// An empty cache of templates that follow `policy`.
    pub fn new(policy: OrderPolicy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// The template for a market and side, prepared at first sight.
    pub fn get(&mut self, ticker: &str, direction: Direction) -> &OrderTemplate {
        let Self { policy, kept, unkept } = self;
        if ticker.len() > MAX_CACHED_TICKER_BYTES {
            return unkept.insert(OrderTemplate::new(ticker, direction, policy));
        }
        if !kept.contains_key(ticker) {
            if kept.len() >= MAX_TEMPLATES {
                kept.clear();
            }
            kept.insert(ticker.to_owned(), [None, None]);
        }
        let side = match direction {
            Direction::Yes => 0,
            Direction::No => 1,
        };
        match kept.get_mut(ticker) {
            Some(sides) => sides[side].get_or_insert_with(|| OrderTemplate::new(ticker, direction, policy)),
            None => unkept.insert(OrderTemplate::new(ticker, direction, policy)),
        }
    }
}

//! The two messages of the protocol, borrowing their strings and price ranges from whoever holds the bytes.

/// Version the poller and the executor speak today; versions 1 to 3 decode too.
pub const SCHEMA_VERSION: i64 = 4;

/// Price ranges of a market that sends none: a cent grid from 0 to 1 dollar.
pub const DEFAULT_PRICE_RANGES: &[PriceRange] = &[PriceRange { start: 0.0, end: 1.0, step: 0.01 }];

/// Outcome side of a wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The market resolves to YES.
    Yes,
    /// The market resolves to NO.
    No,
}

impl Direction {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "yes" => Some(Self::Yes),
            "no" => Some(Self::No),
            _ => None,
        }
    }
}

/// What an ack says of its wake: parsed or not. Never "order placed".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The wake decoded.
    Accepted,
    /// The wake was refused; the reason says why.
    Rejected,
}

impl Status {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "accepted" => Some(Self::Accepted),
            "rejected" => Some(Self::Rejected),
            _ => None,
        }
    }
}

/// One stretch of a market's price grid, in dollars, as the wire sends it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceRange {
    /// Lowest price of the stretch, inclusive.
    pub start: f64,
    /// Highest price of the stretch, inclusive.
    pub end: f64,
    /// Distance of two prices of the grid.
    pub step: f64,
}

/// Poller to executor: a decision to act on. Field order is wire order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WakeMessage<'a> {
    /// 4 today; 1 to 3 lack the later fields, which then have their defaults.
    pub schema_version: i64,
    /// Joins telemetry across processes.
    pub correlation_id: &'a str,
    /// Kalshi market ticker.
    pub market_ticker: &'a str,
    /// Such as "BTC", for logs.
    pub asset: &'a str,
    /// Outcome side.
    pub direction: Direction,
    /// Effective cost in (0,1) dollars, for logs and sizing; never the price sent.
    pub kalshi_price: f64,
    /// The model's probability, for logs.
    pub model_probability: f64,
    /// Taker fee at `kalshi_price`, dollars.
    pub fee: f64,
    /// Signed edge, dollars per contract.
    pub edge: f64,
    /// Decision time, wall clock ms.
    pub decision_ts_ms: i64,
    /// When the poller sent it, wall clock ms.
    pub sent_at_ms: i64,
    /// When the poller sent it, its monotonic clock, ns.
    pub sent_at_ns: i64,
    /// Poller's monotonic ns at market-data receipt; 0 = never stamped.
    pub recv_ns: i64,
    /// Host and boot identity of the poller's monotonic clock; "" = not comparable.
    pub clock_domain: &'a str,
    /// Shadow fire: the whole path, no order.
    pub dry_run: bool,
    /// YES-side price to send, dollars; 0.0 is a refusal, not a price.
    pub wire_price_yes_dollars: f64,
    /// Exchange shard; -1 = let the exchange route.
    pub exchange_index: i64,
    /// Resting size at the level, contracts; 0.0 = unknown.
    pub available_size_contracts: f64,
    /// The market's price grid.
    pub price_ranges: &'a [PriceRange],
    /// Exposure group; "" = unknown, the group cap is skipped.
    pub correlation_group: &'a str,
}

/// Executor to poller: the wake was parsed, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WakeAck<'a> {
    /// Always 4 in an ack this executor makes, whatever the wake's was.
    pub schema_version: i64,
    /// The wake's, or "" when the wake didn't decode.
    pub correlation_id: &'a str,
    /// Executor's wall clock after the read returned, ms.
    pub received_at_ms: i64,
    /// Parsed or not.
    pub status: Status,
    /// Why it was rejected; `None` when accepted.
    pub reason: Option<&'a str>,
}

//! The model every venue is brought to: integer prices and sizes, a market's name, what happens to it.

use std::fmt;

/// Where a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Venue {
    /// Kalshi, `trade-api/ws/v2`.
    Kalshi,
    /// Polymarket's CLOB, market channel.
    Polymarket,
    /// Binance, combined streams.
    Binance,
    /// Coinbase Exchange.
    Coinbase,
}

impl Venue {
    /// All of them, in the order in which reports name them.
    pub const ALL: [Self; 4] = [Self::Kalshi, Self::Polymarket, Self::Binance, Self::Coinbase];

    /// The word a capture has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kalshi => "kalshi",
            Self::Polymarket => "polymarket",
            Self::Binance => "binance",
            Self::Coinbase => "coinbase",
        }
    }

    /// The venue of a capture's word: lower case, nothing around it.
    #[must_use]
    pub fn of_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|venue| venue.name().as_bytes() == name)
    }

    /// Whether prices are probabilities, between nothing and a dollar.
    #[must_use]
    pub const fn is_prediction(self) -> bool {
        matches!(self, Self::Kalshi | Self::Polymarket)
    }
}

impl fmt::Display for Venue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A side of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Who buys.
    Bid,
    /// Who sells.
    Ask,
}

impl Side {
    /// The other one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Bid => Self::Ask,
            Self::Ask => Self::Bid,
        }
    }
}

/// A price, in units of a [`Scale`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Price(pub i64);

/// A size or, where a message says so, a change of one; in units of a [`Scale`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Size(pub i64);

/// How many decimal places of a dollar a [`Price`] counts, and of a contract or coin a [`Size`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scale {
    /// Decimal places of a price.
    pub price_decimals: u8,
    /// Decimal places of a size.
    pub size_decimals: u8,
}

impl Scale {
    /// Prediction markets: both venues have ticks of 0.001 dollars, and sizes with up to 6 decimals.
    pub const PREDICTION: Self = Self { price_decimals: 4, size_decimals: 6 };
    /// Coins: eight decimals of either hold whatever Binance and Coinbase quote.
    pub const COIN: Self = Self { price_decimals: 8, size_decimals: 8 };
    /// What the reference engine has for prediction markets: whole cents and whole contracts.
    pub const BASIS_PREDICTION: Self = Self { price_decimals: 2, size_decimals: 0 };
    /// What the reference engine has for coins.
    pub const BASIS_COIN: Self = Self { price_decimals: 2, size_decimals: 8 };

    /// A dollar as a [`Price`]; of a prediction market, the price of certainty.
    #[must_use]
    pub const fn dollar(self) -> Price {
        Price(10_i64.pow(self.price_decimals as u32))
    }
}

/// How exactly messages are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Model {
    /// At full precision, by the venues' rules of today.
    #[default]
    Exact,
    /// As the reference engine `basis` reads them, to be compared with it: its cent grid, its rounding, its verdicts.
    Basis,
}

impl Model {
    /// The scale in which a venue's messages are read.
    #[must_use]
    pub const fn scale(self, venue: Venue) -> Scale {
        match (self, venue.is_prediction()) {
            (Self::Exact, true) => Scale::PREDICTION,
            (Self::Exact, false) => Scale::COIN,
            (Self::Basis, true) => Scale::BASIS_PREDICTION,
            (Self::Basis, false) => Scale::BASIS_COIN,
        }
    }
}

/// What happens to one market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A snapshot begins: what was known of the book is void, the levels follow as [`Change::Set`].
    Clear,
    /// A level's size is this; nothing removes it.
    Set {
        /// The level's side.
        side: Side,
        /// The level's price.
        price: Price,
        /// Its size from now on.
        size: Size,
    },
    /// A level's size changes by so much; at nothing or less it is gone.
    Add {
        /// The level's side.
        side: Side,
        /// The level's price.
        price: Price,
        /// The change.
        change: Size,
    },
    /// The best level of a side as a ticker has it, apart from any book; a size of nothing says that the side is empty.
    Touch {
        /// The side.
        side: Side,
        /// The best price.
        price: Price,
        /// The size there.
        size: Size,
    },
    /// The best prices the venue itself sees once the whole message is applied; `None` for an empty side. To check a book
    /// with, no part of it.
    Best {
        /// The best bid.
        bid: Option<Price>,
        /// The best ask.
        ask: Option<Price>,
    },
    /// A trade happened.
    Trade {
        /// Its price.
        price: Price,
        /// Its size, where the message has one.
        size: Option<Size>,
        /// The side of who took, where the message has one.
        taker: Option<Side>,
    },
    /// The price grid is this from now on.
    TickSize {
        /// The new tick.
        tick: Price,
    },
}

impl Change {
    /// Whether it is of a book's levels: what the reference calls a delta.
    #[must_use]
    pub const fn is_delta(&self) -> bool {
        matches!(self, Self::Clear | Self::Set { .. } | Self::Add { .. })
    }
}

/// One thing that a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update<'p> {
    /// The venue's name of the market (ticker, token, symbol), as it stands between the quotes of the message. A backslash in it begins
    /// a JSON escape: look a name up as it stands first, and unescape it only when nothing is found.
    pub market: &'p str,
    /// What happens to it.
    pub change: Change,
}

/// Place in a subscription's numbering (Kalshi's `sid` and `seq`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequence {
    /// The subscription.
    pub subscription: u64,
    /// The message's number in it.
    pub number: u64,
    /// What the number means for those before it.
    pub kind: SequenceKind,
}

/// What kind of message carries a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceKind {
    /// A snapshot.
    Snapshot,
    /// A change of a book: must follow the number before.
    Delta,
    /// A reply or another message that takes a number (`ok`, `unsubscribed`, a trade).
    Other,
}

/// Range of update ids that a diff covers (Binance's `U` and `u`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateIds {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

/// Why a message holds nothing for a book and is not wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ignored {
    /// Keep-alives: `PING`, `PONG`, nothing but white space, a heartbeat.
    KeepAlive,
    /// A reply to a command: subscribed, ok, unsubscribed.
    Reply,
    /// The venue reports an error.
    VenueError,
    /// A type that is known and of no interest.
    OfNoInterest,
    /// A type, or a form of a known type, that nobody here has heard of.
    Unknown,
    /// A known type that says nothing: no level, no element.
    Empty,
}

/// Why a message, or an element of one, can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// Not JSON, or not UTF-8.
    NotJson,
    /// JSON of another type than the venue sends.
    NotAMessage,
    /// A field that must be there isn't.
    MissingField,
    /// A field of another type than it has.
    WrongType,
    /// A number that isn't one, or out of its range.
    BadNumber,
    /// A word that isn't among those known, such as a side.
    BadWord,
}

/// What a message came to; exactly one for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All of it was understood, and it says something.
    Ok,
    /// Some elements of an array were understood, others not.
    Partial(Fault),
    /// Nothing of interest.
    Ignored(Ignored),
    /// Wrong; it gives no updates.
    Malformed(Fault),
}

/// How many snapshots carried the hash of what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hashes {
    /// And it is right.
    pub verified: u32,
    /// And it is wrong.
    pub mismatched: u32,
    /// But not everything that it is made of.
    pub unverifiable: u32,
}

/// Values that were left out of the updates; counted, since a book without them isn't all the venue said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Levels with a price or size finer than the scale.
    pub finer_than_scale: u32,
    /// Levels with a price or size beyond what an integer of the scale holds.
    pub out_of_range: u32,
    /// Levels of a snapshot that had no size.
    pub without_size: u32,
}

/// What a parser makes of one message. Its buffer is used again for the next one, see [`Message::recycle`].
#[derive(Debug, Default)]
pub struct Message<'p> {
    /// In the order in which they are to be applied; empty unless the verdict is ok or partial.
    pub updates: Vec<Update<'p>>,
    /// The venue's own clock, ns since the Unix epoch.
    pub venue_time_ns: Option<i64>,
    /// Its place in a subscription's numbering; also of some messages that are ignored.
    pub sequence: Option<Sequence>,
    /// The update ids it covers.
    pub update_ids: Option<UpdateIds>,
    /// What became of its hashes.
    pub hashes: Hashes,
    /// What the updates don't hold.
    pub left_out: LeftOut,
}

impl Message<'_> {
    /// Empties it, and keeps its buffer.
    pub fn reset(&mut self) {
        let mut updates = std::mem::take(&mut self.updates);
        updates.clear();
        *self = Self { updates, ..Self::default() };
    }

    /// An empty message for another payload, with this one's buffer.
    #[must_use]
    pub fn recycle<'q>(self) -> Message<'q> {
        let mut updates = self.updates;
        updates.clear();
        // Collecting an emptied vector in place keeps its buffer and changes what it may borrow from.
        let updates =
            updates.into_iter().map(|Update { change, .. }| Update { market: "", change }).collect();
        Message { updates, ..Message::default() }
    }
}

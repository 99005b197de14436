//! Binance's depth as recordings of one book have it: a `depthUpdate` without an envelope, and a REST image.
//!
//! For tools that look at a book, not for the pipeline: it builds what it reads.

use serde::Deserialize;

use super::anchored::DepthLevel;
use super::decimal::{NotExact, exact};
use super::model::{Price, Scale, Side, Size, UpdateIds};

/// Why a payload is no depth.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DepthError {
    /// Not the JSON that it should be.
    #[error("not as Binance sends it: {0}")]
    Form(#[from] serde_json::Error),
    /// A price or size that is no number of eight decimal places at most.
    #[error("{text:?} is no price or size of eight decimal places at most")]
    Number {
        /// What it says.
        text: String,
    },
    /// Ids that end before they begin.
    #[error("its update ids go from {first} to {last}, which is backwards")]
    Backwards {
        /// `U`.
        first: u64,
        /// `u`.
        last: u64,
    },
}

/// Wire form of a level: price and size.
type Pair<'p> = (&'p str, &'p str);

/// A change of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthDiff {
    /// The update ids that it covers.
    pub ids: UpdateIds,
    /// The levels that changed.
    pub levels: Vec<DepthLevel>,
}

impl DepthDiff {
    /// Reads a `depthUpdate`.
    ///
    /// # Errors
    /// See [`DepthError`].
    pub fn of(payload: &[u8]) -> Result<Self, DepthError> {
        #[derive(Deserialize)]
        struct Wire<'p> {
            #[serde(rename = "U")]
            first: u64,
            #[serde(rename = "u")]
            last: u64,
            #[serde(borrow, rename = "b", default)]
            bids: Vec<Pair<'p>>,
            #[serde(borrow, rename = "a", default)]
            asks: Vec<Pair<'p>>,
        }
        let Wire { first, last, bids, asks } = serde_json::from_slice(payload)?;
        if first > last {
            return Err(DepthError::Backwards { first, last });
        }
        Ok(Self { ids: UpdateIds { first, last }, levels: levels(&bids, &asks)? })
    }
}

/// A book as it stood, down to some depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthImage {
    /// The last update id in it.
    pub last: u64,
    /// Its levels: bids, then asks, each in the order of the wire.
    pub levels: Vec<DepthLevel>,
}

impl DepthImage {
    /// Reads a REST image.
    ///
    /// # Errors
    /// See [`DepthError`].
    pub fn of(payload: &[u8]) -> Result<Self, DepthError> {
        #[derive(Deserialize)]
        struct Wire<'p> {
            #[serde(rename = "lastUpdateId")]
            last: u64,
            #[serde(borrow)]
            bids: Vec<Pair<'p>>,
            #[serde(borrow)]
            asks: Vec<Pair<'p>>,
        }
        let Wire { last, bids, asks } = serde_json::from_slice(payload)?;
        Ok(Self { last, levels: levels(&bids, &asks)? })
    }

    /// The worst price of a side: what lies beyond isn't in the image. `None` for an empty side.
    #[must_use]
    pub fn worst(&self, side: Side) -> Option<Price> {
        let prices = self.levels.iter().filter(|level| level.0 == side).map(|level| level.1);
        match side {
            Side::Bid => prices.min(),
            Side::Ask => prices.max(),
        }
    }
}

fn levels(bids: &[Pair<'_>], asks: &[Pair<'_>]) -> Result<Vec<DepthLevel>, DepthError> {
    let bids = bids.iter().map(|pair| (Side::Bid, pair));
    let asks = asks.iter().map(|pair| (Side::Ask, pair));
    bids.chain(asks)
        .map(|(side, &(price, size))| {
            let number = |text: &str, decimals| {
                exact(text, decimals).map_err(|_: NotExact| DepthError::Number { text: text.to_owned() })
            };
            let price = Price(number(price, Scale::COIN.price_decimals)?);
            Ok((side, price, Size(number(size, Scale::COIN.size_decimals)?)))
        })
        .collect()
}

//! Books: levels against a model of them, NO tokens in the YES frame, numbering, health, coins, and what a real recording
//! makes of it all.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../market_support/mod.rs"]
mod market_support;

mod allocation;
mod book;
mod coins;
mod health;
mod names;
mod numbering;
mod recording;

use market_support::registry;
use wakeline::market::health::Suspicion;
use wakeline::market::instruments::MarketIndex;
use wakeline::market::{Book, Books, Level, Model, Price, Side, Size, Venue};
use wakeline::memory::counting::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const fn level(price: i64, size: i64) -> Level {
    Level { price: Price(price), size: Size(size) }
}

fn levels(book: &Book, side: Side) -> Vec<Level> {
    book.levels(side).collect()
}

fn books() -> Books {
    Books::new(&registry(), Model::Exact)
}

fn kalshi(books: &Books, event: usize) -> MarketIndex {
    books.event_market(event, Venue::Kalshi).unwrap()
}

fn polymarket(books: &Books, event: usize) -> MarketIndex {
    books.event_market(event, Venue::Polymarket).unwrap()
}

fn book(books: &Books, index: MarketIndex) -> &Book {
    books.market(index).unwrap().book()
}

fn suspicions(books: &Books, index: MarketIndex) -> Vec<Suspicion> {
    let suspicions: Vec<_> = books.suspicions(index).collect();
    assert_eq!(suspicions.is_empty(), books.is_sound(index));
    suspicions
}

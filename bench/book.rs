//! What a change of a book costs, and a snapshot, beside two other ways to keep one: `cargo bench --bench book`, times
//! by divan.
//!
//! On an AMD EPYC virtual machine a change takes 15 ns here, 38 in trees and 6 in the ladder, and a snapshot of 10,000
//! levels 50 to 57 us (570 in no order), 860 (1,870) and 66. The ladder is not the book: it takes 160 kB a market where
//! these levels take some 5, can't hold a coin's prices, and the 20 ns a message that it saves are a fortieth of what
//! it takes to read the message.
//!
//! The other two are two `BTreeMap`s, as the reference engine has them, and a ladder with a slot for each of the 10,001
//! prices of a prediction market and words of bits for the occupied ones.
//!
//! Prices and distances from the top are like those of a 30-minute recording of Polymarket (13 markets): 20 to 320
//! levels a side on a grid of 0.001, half of the changes more than 30 levels from the top, each told twice, a seventh a
//! level that comes or goes.
#![allow(clippy::expect_used, reason = "a benchmark that can't start has nobody to tell but its reader")]

use std::collections::BTreeMap;
use std::hint::black_box;

use divan::Bencher;
use wakeline::market::{
    Book, Books, Change as Happening, Message, Model, Price, Registry, Side, Size, Update, Venue,
};

fn main() {
    divan::main();
}

/// A way to keep a book; prices are in 1e-4 dollars.
trait Keep {
    fn new() -> Self;
    fn clear(&mut self);
    fn set(&mut self, side: Side, price: i64, size: i64);
    fn settle(&mut self) {}
    fn best(&self, side: Side) -> Option<(i64, i64)>;
}

impl Keep for Book {
    fn new() -> Self {
        Self::new()
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn set(&mut self, side: Side, price: i64, size: i64) {
        self.set(side, Price(price), Size(size));
    }

    fn settle(&mut self) {
        self.settle();
    }

    fn best(&self, side: Side) -> Option<(i64, i64)> {
        self.best(side).map(|level| (level.price.0, level.size.0))
    }
}

/// Two trees.
struct Tree([BTreeMap<i64, i64>; 2]);

impl Keep for Tree {
    fn new() -> Self {
        Self([BTreeMap::new(), BTreeMap::new()])
    }

    fn clear(&mut self) {
        self.0.iter_mut().for_each(BTreeMap::clear);
    }

    fn set(&mut self, side: Side, price: i64, size: i64) {
        let levels = &mut self.0[side as usize];
        if size > 0 {
            levels.insert(price, size);
        } else {
            levels.remove(&price);
        }
    }

    fn best(&self, side: Side) -> Option<(i64, i64)> {
        let levels = &self.0[side as usize];
        let best = if side == Side::Bid { levels.last_key_value() } else { levels.first_key_value() };
        best.map(|(&price, &size)| (price, size))
    }
}

const SLOTS: usize = 10_001;
const WORDS: usize = SLOTS.div_ceil(64);

/// A slot for each price, best at the highest rank; a bit for each slot, and a bit for each word of those.
struct DenseSide {
    sizes: Box<[i64; SLOTS]>,
    words: [u64; WORDS],
    summary: [u64; WORDS.div_ceil(64)],
}

struct Dense([DenseSide; 2]);

fn rank(side: Side, price: i64) -> usize {
    let price = price as usize;
    if side == Side::Bid { price } else { SLOTS - 1 - price }
}

impl Keep for Dense {
    fn new() -> Self {
        Self([(); 2].map(|()| DenseSide {
            sizes: Box::new([0; SLOTS]),
            words: [0; WORDS],
            summary: [0; WORDS.div_ceil(64)],
        }))
    }

    fn clear(&mut self) {
        for side in &mut self.0 {
            for (place, word) in side.words.iter_mut().enumerate() {
                while *word != 0 {
                    side.sizes[place * 64 + word.trailing_zeros() as usize] = 0;
                    *word &= *word - 1;
                }
            }
            side.summary.fill(0);
        }
    }

    fn set(&mut self, side: Side, price: i64, size: i64) {
        let rank = rank(side, price);
        let side = &mut self.0[side as usize];
        side.sizes[rank] = size;
        let (word, bit) = (rank / 64, 1 << (rank % 64));
        if size > 0 {
            side.words[word] |= bit;
            side.summary[word / 64] |= 1 << (word % 64);
        } else {
            side.words[word] &= !bit;
            if side.words[word] == 0 {
                side.summary[word / 64] &= !(1 << (word % 64));
            }
        }
    }

    fn best(&self, side: Side) -> Option<(i64, i64)> {
        let kept = &self.0[side as usize];
        let top = |words: &[u64]| {
            let place = words.iter().rposition(|word| *word != 0)?;
            Some(place * 64 + 63 - words[place].leading_zeros() as usize)
        };
        let word = top(&kept.summary)?;
        let slot = word * 64 + 63 - kept.words[word].leading_zeros() as usize;
        let price = rank(side, slot as i64) as i64;
        Some((price, kept.sizes[slot]))
    }
}

/// Repeats itself.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

const BOOKS: usize = 13;
const TICK: i64 = 10;
const CHANGES: usize = 8_192;

type Change = (usize, Side, i64, i64);

fn depth(book: usize, side: Side) -> i64 {
    let bids = [47, 16, 23, 51, 127, 12, 20, 51, 89, 31, 232, 6, 58];
    let asks = [288, 246, 253, 247, 295, 229, 241, 325, 307, 276, 241, 106, 10];
    if side == Side::Bid { bids[book] } else { asks[book] }
}

/// The best bid of a book; there are as many prices below it as it has bids, and more.
fn top(book: usize) -> i64 {
    depth(book, Side::Bid) * TICK + 200
}

fn price(book: usize, side: Side, distance: i64) -> i64 {
    if side == Side::Bid { top(book) - distance * TICK } else { top(book) + (distance + 1) * TICK }
}

/// Changes of all books, in pairs that say the same.
fn changes(near_top: bool) -> Vec<Change> {
    let mut random = Random(7);
    let mut changes = Vec::with_capacity(CHANGES);
    while changes.len() < CHANGES {
        let book = random.below(BOOKS as u64) as usize;
        let side = if random.below(2) == 0 { Side::Bid } else { Side::Ask };
        let spread = if near_top { 3 } else { 1 << random.below(7) };
        let distance = (random.below(spread) + random.below(spread)) as i64 % depth(book, side);
        let size = if random.below(7) == 0 { 0 } else { 1_000_000 * (1 + random.below(5_000) as i64) };
        let change = (book, side, price(book, side, distance), size);
        changes.extend([change, change]);
    }
    changes
}

fn filled<K: Keep>() -> Vec<K> {
    let mut books: Vec<K> = (0..BOOKS).map(|_| K::new()).collect();
    for (book, kept) in books.iter_mut().enumerate() {
        kept.clear();
        for side in [Side::Bid, Side::Ask] {
            for distance in (0..depth(book, side)).rev() {
                kept.set(side, price(book, side, distance), 5_000_000);
            }
        }
        kept.settle();
    }
    books
}

/// Two changes, and a look at both sides: a `price_change` of Polymarket.
fn change<K: Keep>(bencher: Bencher<'_, '_>, near_top: bool) {
    let (mut books, changes) = (filled::<K>(), changes(near_top));
    bencher.bench_local(|| {
        for pair in changes.chunks_exact(2) {
            for &(book, side, price, size) in black_box(pair) {
                books[book].set(side, price, size);
            }
            let book = &books[pair[0].0];
            black_box((book.best(Side::Bid), book.best(Side::Ask)));
        }
    });
}

#[divan::bench(types = [Book, Tree, Dense], sample_count = 200)]
fn changes_4096<K: Keep>(bencher: Bencher<'_, '_>) {
    change::<K>(bencher, false);
}

#[divan::bench(types = [Book, Tree, Dense], sample_count = 200)]
fn changes_near_top_4096<K: Keep>(bencher: Bencher<'_, '_>) {
    change::<K>(bencher, true);
}

/// How a snapshot's levels come.
#[derive(Debug, Clone, Copy)]
enum Order {
    WorstFirst,
    BestFirst,
    None,
}

/// A snapshot of `levels` levels a side onto the same one.
fn snapshot<K: Keep>(bencher: Bencher<'_, '_>, levels: i64, order: Order) {
    let mut prices: Vec<i64> = (0..levels).collect();
    match order {
        Order::BestFirst => {}
        Order::WorstFirst => prices.reverse(),
        Order::None => {
            let mut random = Random(11);
            for place in (1..prices.len()).rev() {
                prices.swap(place, random.below(place as u64 + 1) as usize);
            }
        }
    }
    let mut book = K::new();
    bencher.bench_local(|| {
        book.clear();
        for &distance in black_box(&prices) {
            book.set(Side::Bid, 10_000 - distance, 1_000_000);
        }
        for &distance in black_box(&prices) {
            book.set(Side::Ask, distance, 1_000_000);
        }
        book.settle();
        black_box((book.best(Side::Bid), book.best(Side::Ask)));
    });
}

const ORDERS: [Order; 3] = [Order::WorstFirst, Order::BestFirst, Order::None];

#[divan::bench(types = [Book, Tree, Dense], args = ORDERS, sample_count = 100)]
fn snapshot_of_10000<K: Keep>(bencher: Bencher<'_, '_>, order: Order) {
    snapshot::<K>(bencher, 10_000, order);
}

#[divan::bench(types = [Book, Tree, Dense], args = ORDERS, sample_count = 1_000)]
fn snapshot_of_100<K: Keep>(bencher: Bencher<'_, '_>, order: Order) {
    snapshot::<K>(bencher, 100, order);
}

/// The same changes as messages: names looked up, NO tokens folded, health judged.
#[divan::bench(sample_count = 200)]
fn messages_4096(bencher: Bencher<'_, '_>) {
    let tokens: Vec<String> = (0..2 * BOOKS).map(|token| format!("{token:077}")).collect();
    let mut text = String::new();
    for (event, pair) in tokens.chunks_exact(2).enumerate() {
        text.push_str(&format!(
            "[[event]]\nid = \"{event}\"\npolymarket_token = \"{}\"\npolymarket_no_token = \"{}\"\n",
            pair[0], pair[1]
        ));
    }
    let registry = Registry::from_toml(text.as_bytes()).expect("a registry");
    let mut books = Books::new(&registry, Model::Exact);
    for (book, pair) in tokens.chunks_exact(2).enumerate() {
        let mut image = Message::default();
        image.updates.push(Update { market: &pair[0], change: Happening::Clear });
        for side in [Side::Bid, Side::Ask] {
            for distance in 0..depth(book, side) {
                let price = Price(price(book, side, distance));
                let change = Happening::Set { side, price, size: Size(5_000_000) };
                image.updates.push(Update { market: &pair[0], change });
            }
        }
        books.take(Venue::Polymarket, &image, 1);
    }
    let messages: Vec<Message<'_>> = changes(false)
        .chunks_exact(2)
        .map(|pair| {
            let (book, side, price, size) = pair[0];
            let (price, size) = (Price(price), Size(size));
            let no = Price(10_000 - price.0);
            let yes_best = Happening::Best { bid: Some(Price(1)), ask: Some(Price(2)) };
            let no_best = Happening::Best { bid: Some(Price(9_998)), ask: Some(Price(9_999)) };
            let [yes_token, no_token] = [&tokens[2 * book], &tokens[2 * book + 1]].map(String::as_str);
            Message {
                updates: vec![
                    Update { market: yes_token, change: Happening::Set { side, price, size } },
                    Update { market: yes_token, change: yes_best },
                    Update {
                        market: no_token,
                        change: Happening::Set { side: side.opposite(), price: no, size },
                    },
                    Update { market: no_token, change: no_best },
                ],
                ..Message::default()
            }
        })
        .collect();
    bencher.bench_local(|| {
        for message in black_box(&messages) {
            black_box(books.take(Venue::Polymarket, message, 2));
        }
    });
}

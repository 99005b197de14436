//! Nothing is allocated once all markets were seen.

use wakeline::market::{Change, Side, Venue};
use wakeline::memory::counting::allocations_on_this_thread;

use crate::books;
use crate::market_support::{delta, message, set, snapshot, touch};

#[test]
fn a_warm_session_allocates_nothing() {
    let mut books = books();
    let levels = |prices: &mut dyn Iterator<Item = i64>| {
        let mut changes = vec![Change::Clear];
        changes.extend(prices.map(|price| set(Side::Bid, price, 1)));
        changes
    };
    let mut messages = vec![
        (Venue::Kalshi, snapshot("K-OSLO", 1, 1)),
        (Venue::Polymarket, message("8801", &levels(&mut (0..900)))),
        (Venue::Polymarket, message("8801", &levels(&mut (0..900).rev()))),
        (Venue::Polymarket, message("8802", &levels(&mut (0..900).map(|price| price * 7 % 900)))),
        (Venue::Polymarket, message("unknown", &[set(Side::Bid, 4_000, 1)])),
        (Venue::Binance, message("ETHUSDT", &[touch(Side::Bid, 1, 1), touch(Side::Ask, 2, 1)])),
        (Venue::Coinbase, message("ETH-USD", &[Change::Clear, set(Side::Bid, 1, 1)])),
    ];
    for step in 0..400_i64 {
        let price = 3_000 + step % 50;
        let pair = [set(Side::Bid, price, step % 3), set(Side::Bid, price, step % 3)];
        messages.push((Venue::Polymarket, message("8801", &pair)));
        messages.push((Venue::Kalshi, delta("K-OSLO", 1, 2 + step as u64, 1)));
    }
    let mut run = |at| {
        for (venue, message) in &messages {
            books.take(*venue, message, at);
        }
    };
    run(1);
    let before = allocations_on_this_thread();
    run(2);
    assert_eq!(allocations_on_this_thread() - before, 0);
}

//! A real recording of Polymarket, and what the venue itself says of its books.

use wakeline::log::feedlog::Reader;
use wakeline::market::{Books, Change, Model, Price, Registry, Side, Size, Update, Venue, decimal};

use crate::market_support::{captures, message};

/// What the Polymarket recording says of books, read plainly.
fn polymarket_message(payload: &str) -> Vec<(String, Change)> {
    let number =
        |value: &serde_json::Value, decimals| decimal::exact(value.as_str().unwrap(), decimals).unwrap();
    let price = |value: &serde_json::Value| Price(number(value, 4));
    let mut updates = Vec::new();
    let parsed: serde_json::Value = serde_json::from_str(payload).unwrap();
    let events = match parsed {
        serde_json::Value::Array(events) => events,
        event => vec![event],
    };
    for event in &events {
        let token = |of: &serde_json::Value| of["asset_id"].as_str().unwrap().to_owned();
        match event["event_type"].as_str().unwrap() {
            "book" => {
                updates.push((token(event), Change::Clear));
                for (side, key) in [(Side::Bid, "bids"), (Side::Ask, "asks")] {
                    for level in event[key].as_array().unwrap() {
                        let size = Size(number(&level["size"], 6));
                        updates
                            .push((token(event), Change::Set { side, price: price(&level["price"]), size }));
                    }
                }
            }
            "price_change" => {
                for change in event["price_changes"].as_array().unwrap() {
                    let side = if change["side"] == "BUY" { Side::Bid } else { Side::Ask };
                    let size = Size(number(&change["size"], 6));
                    updates.push((token(change), Change::Set { side, price: price(&change["price"]), size }));
                    let best =
                        |key: &str, empty: i64| Some(price(&change[key])).filter(|best| best.0 != empty);
                    let best = Change::Best { bid: best("best_bid", 0), ask: best("best_ask", 10_000) };
                    updates.push((token(change), best));
                }
            }
            _ => {}
        }
    }
    updates
}

#[test]
fn the_polymarket_recording_agrees_with_what_the_venue_names() {
    let Some(captures) = captures() else { return };
    let mut reader = Reader::open(&captures.join("live-poly-30min.feedlog.gz")).unwrap();
    let registry = Registry::load(&captures.join("contracts.toml")).unwrap();
    let mut books = Books::new(&registry, Model::Exact);
    let (mut applied, mut unmapped, mut unsound, mut last_ns) = (0, 0, 0, 0);
    while let Some((venue, record)) = reader.next_of_venue().unwrap() {
        last_ns = record.recv_ns;
        let updates = polymarket_message(std::str::from_utf8(record.payload).unwrap());
        let mut message = message("", &[]);
        message.updates.extend(updates.iter().map(|(market, change)| Update { market, change: *change }));
        let taken = books.take(venue, &message, last_ns);
        applied += taken.applied;
        unmapped += taken.unmapped;
        unsound += usize::from(taken.unsound);
    }
    let mut sums = [0_u64; 8];
    for (index, market) in books.markets().filter(|(_, market)| market.venue() == Venue::Polymarket) {
        let (health, counts) = (market.health(), market.book().counts());
        let crossed = health.crossed.until(last_ns);
        let parts = [
            u64::from(books.is_sound(index)),
            counts.snapshots,
            health.best_agreed,
            health.best_differed,
            crossed.count,
            health.locked.count,
            market.removals_not_there(),
            counts.repeated,
        ];
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    }
    assert_eq!((applied, unmapped, unsound), (334_089, 0, 0));
    // Of 33,746 price changes, the book agrees with the best prices named in all but 72.
    assert_eq!(sums, [13, 539, 33_674, 72, 4, 19, 19, 0]);
}

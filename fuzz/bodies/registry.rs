//! What must hold of any bytes that are taken for a registry: for the fuzzer, and for the properties of
//! `tests/market_registry.rs`.

use std::collections::BTreeSet;

use wakeline::market::instruments::Target;
use wakeline::market::registry::Registry;
use wakeline::market::{Books, Model, Venue};

/// Any text is refused in one sentence that names a line it has, or gives a registry whose names are found.
pub(crate) fn check(text: &[u8]) {
    let registry = match Registry::from_toml(text) {
        Ok(registry) => registry,
        Err(fault) => {
            let lines = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
            assert!((1..=lines).contains(&fault.line), "{fault}");
            assert!(!fault.to_string().chars().any(char::is_control), "{fault}");
            return;
        }
    };
    let mut books = Books::new(&registry, Model::Exact);
    let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
    for (place, event) in registry.events().iter().enumerate() {
        assert!(!event.id.trim().is_empty() && ids.insert(&event.id));
        let markets = [
            (Venue::Kalshi, &event.kalshi, false),
            (Venue::Polymarket, &event.polymarket_yes, false),
            (Venue::Polymarket, &event.polymarket_no, true),
        ];
        for (venue, name, folded) in markets {
            let Some(name) = name else { continue };
            assert!(names.insert((venue, name)), "{name:?} is mapped twice");
            let market = books.event_market(place, venue).expect("an event has a book where it has a market");
            assert_eq!(books.resolve(venue, name), Some(Target { market, folded }));
        }
        if let Some(basket) = event.basket {
            assert!(registry.baskets()[basket].members.contains(&place));
        }
    }
    for (place, basket) in registry.baskets().iter().enumerate() {
        assert!(basket.members.len() >= 2);
        assert!(basket.members.iter().all(|&member| registry.events()[member].basket == Some(place)));
    }
    assert!(registry.kalshi_tickers().count() + registry.polymarket_tokens().count() <= names.len());
}

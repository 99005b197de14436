//! Order templates and the bounded memories of the fire path.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use wakeline::fire::{OrderPolicy, OrderTemplate, OrderTemplates, RecentIds};
use wakeline::wire::message::DEFAULT_PRICE_RANGES;
use wakeline::wire::{Direction, WakeMessage};

const ID: &str = "0123456789abcdef0123456789abcdef";

fn wake(exchange_index: i64) -> WakeMessage<'static> {
    WakeMessage {
        schema_version: 4,
        correlation_id: "one",
        market_ticker: "unread: the template has it",
        asset: "BTC",
        direction: Direction::Yes,
        kalshi_price: 0.42,
        model_probability: 0.515,
        fee: 0.0171,
        edge: 0.0779,
        decision_ts_ms: 1,
        sent_at_ms: 2,
        sent_at_ns: 3,
        recv_ns: 0,
        clock_domain: "",
        dry_run: false,
        wire_price_yes_dollars: 0.42,
        exchange_index,
        available_size_contracts: 0.0,
        price_ranges: DEFAULT_PRICE_RANGES,
        correlation_group: "",
    }
}

fn body(template: &OrderTemplate, contracts: u32, price_dollars: f64, exchange_index: i64) -> String {
    let (wake, mut body) = (wake(exchange_index), String::new());
    template.fill(contracts, price_dollars, &wake).write_body(ID, &mut body).unwrap();
    body
}

#[test]
fn the_body_has_the_venue_s_keys_in_their_order() {
    let yes = OrderTemplate::new("KXBTCD-26NOV3017-T98249.99", Direction::Yes, &OrderPolicy::default());
    assert_eq!(
        body(&yes, 5, 0.56, -1),
        r#"{"ticker":"KXBTCD-26NOV3017-T98249.99","client_order_id":"0123456789abcdef0123456789abcdef","side":"bid","count":"5.00","price":"0.5600","time_in_force":"fill_or_kill","self_trade_prevention_type":"taker_at_cross","post_only":false,"exchange_index":-1}"#
    );
    let resting = OrderPolicy {
        time_in_force: "good_till_canceled".into(),
        self_trade_prevention_type: "maker".into(),
    };
    let no = OrderTemplate::new("odd \"ticker\"\n", Direction::No, &resting);
    assert_eq!(
        body(&no, 1, 0.37, 3),
        r#"{"ticker":"odd \"ticker\"\n","client_order_id":"0123456789abcdef0123456789abcdef","side":"ask","count":"1.00","price":"0.3700","time_in_force":"good_till_canceled","self_trade_prevention_type":"maker","post_only":true,"exchange_index":3}"#
    );
}

#[test]
fn the_price_has_four_decimals_as_printf_rounds_them() {
    let template = OrderTemplate::new("T", Direction::Yes, &OrderPolicy::default());
    // Texts by CPython's `"%.4f" % price`.
    for (price, text) in [
        (0.001, "0.0010"),
        (0.57, "0.5700"),
        (0.29 + 0.01, "0.3000"),
        (0.00005, "0.0001"),
        (0.00015, "0.0001"),
        (0.12345, "0.1235"),
        (0.99995, "1.0000"),
    ] {
        let body = body(&template, 1, price, -1);
        assert!(body.contains(&format!("\"price\":\"{text}\"")), "{price}: {body}");
    }
}

#[test]
fn a_template_is_prepared_once_and_looked_up_afterwards() {
    let mut templates = OrderTemplates::new(OrderPolicy::default());
    let first: *const OrderTemplate = templates.get("A", Direction::Yes);
    assert_ne!(first, std::ptr::from_ref(templates.get("A", Direction::No)), "one a side");
    assert_eq!(first, std::ptr::from_ref(templates.get("A", Direction::Yes)));
}

#[test]
fn markets_without_end_and_tickers_without_end_get_templates_too() {
    let mut templates = OrderTemplates::new(OrderPolicy::default());
    let policy = OrderPolicy::default();
    for index in 0..3_000 {
        let ticker = format!("T-{index}");
        assert_eq!(
            *templates.get(&ticker, Direction::Yes),
            OrderTemplate::new(&ticker, Direction::Yes, &policy)
        );
    }
    for letter in ["x", "y"] {
        let ticker = letter.repeat(60_000);
        assert_eq!(
            *templates.get(&ticker, Direction::No),
            OrderTemplate::new(&ticker, Direction::No, &policy)
        );
    }
}

#[test]
fn the_latest_4096_ids_are_remembered_and_older_ones_forgotten() {
    let mut recent = RecentIds::new();
    let id = |index: usize| format!("id-{index}");
    assert!((0..4_096).all(|index| !recent.seen_before(&id(index))));
    assert!((0..4_096).all(|index| recent.seen_before(&id(index))), "a repeat forgets nothing");
    assert!(!recent.seen_before(&id(4_096)));
    assert!(!recent.seen_before(&id(0)), "the oldest made room");
    assert!(recent.seen_before(&id(2)), "id-1 made room for id-0");
    assert!(!recent.seen_before(&id(1)));
}

//! What happens to sessions, each with the exact account of it.

use super::{Place, assert_counts, market};

/// Kalshi's snapshot of today, prices and sizes as strings.
fn snapshot(sid: u64, seq: u64, ticker: &str, yes: &str, no: &str) -> (&'static str, String) {
    let text = format!(
        r#"{{"type":"orderbook_snapshot","sid":{sid},"seq":{seq},"msg":{{"market_ticker":"{ticker}","market_id":"m","yes_dollars_fp":[{yes}],"no_dollars_fp":[{no}]}}}}"#
    );
    ("kalshi", text)
}

fn delta(sid: u64, seq: u64, ticker: &str, price: &str, change: &str, side: &str) -> (&'static str, String) {
    let text = format!(
        r#"{{"type":"orderbook_delta","sid":{sid},"seq":{seq},"msg":{{"market_ticker":"{ticker}","market_id":"m","price_dollars":"{price}","delta_fp":"{change}","side":"{side}","ts_ms":1790000000000}}}}"#
    );
    ("kalshi", text)
}

/// Two books of one subscription: RAIN 0.30 to 0.40, SNOW 0.10 to 0.20.
fn two_books() -> Vec<(&'static str, String)> {
    vec![
        snapshot(1, 1, "RAIN", r#"["0.3000","10.00"]"#, r#"["0.6000","10.00"]"#),
        snapshot(1, 2, "SNOW", r#"["0.1000","5.00"]"#, r#"["0.8000","5.00"]"#),
    ]
}

fn polymarket(text: &str) -> (&'static str, String) {
    ("polymarket", text.to_owned())
}

#[test]
fn a_gap_makes_every_book_of_its_subscription_suspect_until_its_snapshot() {
    let mut records = two_books();
    records.push(delta(1, 3, "RAIN", "0.3100", "4.00", "yes"));
    // Number 4 is lost; it may have been of either book.
    records.push(delta(1, 5, "RAIN", "0.3200", "4.00", "yes"));
    records.push(delta(1, 6, "SNOW", "0.1100", "1.00", "yes"));
    records.push(snapshot(1, 7, "RAIN", r#"["0.3300","1.00"]"#, r#"["0.6000","1.00"]"#));
    records.push(delta(1, 8, "RAIN", "0.3400", "2.50", "yes"));
    let report = Place::of(&records).report(&[]);
    assert_counts(
        &report,
        &[
            ("records", 7),
            ("ok", 7),
            ("gaps", 1),
            ("sequence.numbers", 7),
            ("sequence.gaps", 1),
            ("sequence.missing", 1),
            ("unsound_messages", 2),
            // Three snapshots with a level a side, four changes.
            ("deltas", 13),
        ],
    );
    let rain = market(&report, "rain", "kalshi");
    assert_eq!(rain["suspicions"].as_array().unwrap().len(), 0);
    assert_eq!((rain["best_bid"].as_str(), rain["best_bid_size"].as_str()), (Some("0.34"), Some("2.5")));
    // Its two messages of a suspect book gave no spread.
    assert_counts(rain, &[("messages", 5), ("two_sided", 4), ("snapshots", 2)]);
    let snow = market(&report, "snow", "kalshi");
    assert_eq!(snow["suspicions"][0], "sequence_gap");
    assert_counts(snow, &[("messages", 2), ("two_sided", 1)]);
}

#[test]
fn a_reconnect_counts_afresh_and_is_no_gap() {
    let mut records = two_books();
    records.push(snapshot(1, 1, "RAIN", r#"["0.3000","10.00"]"#, r#"["0.6000","10.00"]"#));
    records.push(delta(1, 2, "RAIN", "0.3500", "1.00", "yes"));
    let report = Place::of(&records).report(&[]);
    assert_counts(&report, &[("ok", 4), ("gaps", 0), ("sequence.new_epochs", 1), ("unsound_messages", 0)]);
    assert_eq!(market(&report, "rain", "kalshi")["suspicions"].as_array().unwrap().len(), 0);
    // What was said of this one before the reconnect isn't known to hold.
    assert_eq!(market(&report, "snow", "kalshi")["suspicions"][0], "sequence_gap");
}

#[test]
fn replies_take_a_number_and_are_ignored() {
    let mut records = two_books();
    records.push((
        "kalshi",
        r#"{"id":5,"sid":1,"seq":3,"type":"ok","msg":{"market_tickers":["RAIN"]}}"#.to_owned(),
    ));
    records.push(delta(1, 4, "RAIN", "0.3100", "4.00", "yes"));
    let report = Place::of(&records).report(&[]);
    assert_counts(
        &report,
        &[("ok", 3), ("ignored", 1), ("ignored_by.reply", 1), ("gaps", 0), ("sequence.numbers", 4)],
    );
}

#[test]
fn both_generations_of_kalshi_stand_in_one_session() {
    let old = r#"{"type":"orderbook_snapshot","sid":2,"seq":1,"msg":{"market_ticker":"SNOW","yes":[[10,5]],"no":[[80,5]]}}"#;
    let records = [
        snapshot(1, 1, "RAIN", r#"["0.3000","10.00"]"#, r#"["0.6055","10.25"]"#),
        ("kalshi", old.to_owned()),
        ("kalshi", r#"{"type":"orderbook_delta","sid":2,"seq":2,"msg":{"market_ticker":"SNOW","price":11,"delta":3,"side":"yes"}}"#.to_owned()),
    ];
    let report = Place::of(&records).report(&[]);
    assert_counts(&report, &[("ok", 3), ("deltas", 7), ("gaps", 0)]);
    let rain = market(&report, "rain", "kalshi");
    assert_eq!((rain["best_ask"].as_str(), rain["best_ask_size"].as_str()), (Some("0.3945"), Some("10.25")));
    let snow = market(&report, "snow", "kalshi");
    assert_eq!((snow["best_bid"].as_str(), snow["best_ask"].as_str()), (Some("0.11"), Some("0.2")));
}

#[test]
fn a_bad_element_of_an_array_loses_itself_alone() {
    let book = |asset: &str, bids: &str| {
        format!(
            r#"{{"event_type":"book","asset_id":"{asset}","market":"0x","bids":{bids},"asks":[{{"price":"0.5","size":"7"}}],"timestamp":"1790000000000"}}"#
        )
    };
    let good = book("11", r#"[{"price":"0.4","size":"1"}]"#);
    let bad = book("21", r#"[{"price":0.4,"size":"1"}]"#);
    let report = Place::of(&[polymarket(&format!("[{bad},{good}]"))]).report(&[]);
    assert_counts(
        &report,
        &[
            ("records", 1),
            ("ok", 0),
            ("partial", 1),
            ("malformed", 0),
            ("faults.wrong_type", 1),
            ("deltas", 3),
        ],
    );
    assert_eq!(market(&report, "rain", "polymarket")["best_bid"], "0.4");
    // The reference loses all of it.
    let basis = Place::of(&[polymarket(&format!("[{bad},{good}]"))]).report(&["--compat", "basis"]);
    assert_counts(&basis, &[("partial", 0), ("malformed", 1), ("deltas", 0)]);
}

#[test]
fn a_crossed_spell_is_counted_and_timed() {
    let mut records = two_books();
    // For 2 ms somebody bids 0.45 where 0.40 is asked, then for one both are 0.40.
    records.push(delta(1, 3, "RAIN", "0.4500", "1.00", "yes"));
    records.push(delta(1, 4, "SNOW", "0.1200", "1.00", "yes"));
    records.push(delta(1, 5, "RAIN", "0.4500", "-1.00", "yes"));
    records.push(delta(1, 6, "RAIN", "0.4000", "1.00", "yes"));
    records.push(delta(1, 7, "RAIN", "0.4000", "-1.00", "yes"));
    let report = Place::of(&records).report(&[]);
    let rain = market(&report, "rain", "kalshi");
    assert_counts(rain, &[("crossed.count", 1), ("locked.count", 1), ("below_zero", 0)]);
    assert_eq!(rain["crossed"]["total_ms"], 2.0);
    assert_eq!((&rain["locked"]["longest_ms"], &rain["locked"]["open"]), (&1.0.into(), &false.into()));
}

#[test]
fn a_change_below_zero_makes_a_book_suspect() {
    let mut records = two_books();
    records.push(delta(1, 3, "RAIN", "0.3000", "-54.00", "yes"));
    records.push(delta(1, 4, "RAIN", "0.2900", "1.00", "yes"));
    let report = Place::of(&records).report(&[]);
    let rain = market(&report, "rain", "kalshi");
    assert_counts(rain, &[("below_zero", 1), ("two_sided", 1), ("bid_levels", 1)]);
    assert_eq!(rain["suspicions"][0], "below_zero");
    assert_counts(&report, &[("unsound_messages", 2), ("gaps", 0)]);
}

#[test]
fn keep_alives_and_unknown_types_are_told_apart() {
    let records = [
        polymarket("PONG"),
        polymarket(""),
        polymarket(r#"{"event_type":"new_kind_of_event","asset_id":"11"}"#),
        polymarket("[]"),
        polymarket("{"),
        polymarket(
            r#"{"event_type":"price_change","market":"0x","price_changes":[{"asset_id":"99","price":"0.4","size":"1","side":"BUY"}]}"#,
        ),
    ];
    let report = Place::of(&records).report(&[]);
    assert_counts(
        &report,
        &[
            ("records", 6),
            ("ok", 1),
            ("ignored", 4),
            ("ignored_by.keep_alive", 2),
            ("ignored_by.unknown", 1),
            ("ignored_by.empty", 1),
            ("malformed", 1),
            ("faults.not_json", 1),
            ("deltas", 1),
            ("unmapped_deltas", 1),
        ],
    );
}

#[test]
fn a_basket_is_summed_while_all_of_it_is_sound() {
    let mut records = two_books();
    records.push(delta(1, 3, "RAIN", "0.3200", "4.00", "yes"));
    records.push(delta(1, 5, "RAIN", "0.3400", "4.00", "yes"));
    records.push(delta(1, 6, "SNOW", "0.1100", "4.00", "yes"));
    let report = Place::of(&records).report(&[]);
    let basket = &report["baskets"][0];
    assert_eq!((basket["basket_id"].as_str(), basket["venue"].as_str()), (Some("weather"), Some("kalshi")));
    // Mids 0.35 + 0.15, then 0.36 + 0.15; not after the gap.
    assert_counts(basket, &[("members", 2), ("samples", 2), ("max_two_sided", 2)]);
    assert_eq!((&basket["mid_sum_min_dollars"], &basket["mid_sum_max_dollars"]), (&0.5.into(), &0.51.into()));
    assert_eq!(basket["bid_sum_max_dollars"], 0.42);
}

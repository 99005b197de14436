//! The contract registry: what is taken, and what is refused with the line that is wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;
mod market_support;

#[path = "../fuzz/bodies/registry.rs"]
mod body;

use proptest::prelude::*;
use wakeline::market::registry::{MAX_REGISTRY_BYTES, Registry, RegistryError};
use wakeline::market::{Scale, Venue};

const OSLO: &str = "\
# Rain in Oslo.
[[event]]
id = \"rain-oslo\"
basket = \"rain\"
description = \"at least 1 mm\"
kalshi = \"RAIN-27JAN-OSL\" # the ticker
polymarket_token = \"8801\"
polymarket_no_token = \"8802\"
polymarket_market = \"0xfeed\"
";

#[test]
fn an_event_has_its_markets() {
    let registry = Registry::from_toml(OSLO.as_bytes()).unwrap();
    let [event] = registry.events() else { panic!("{registry:?}") };
    assert_eq!(event.id, "rain-oslo");
    assert_eq!(event.kalshi.as_deref(), Some("RAIN-27JAN-OSL"));
    assert_eq!(event.polymarket_yes.as_deref(), Some("8801"));
    assert_eq!(event.polymarket_no.as_deref(), Some("8802"));
    assert_eq!(event.basket, None, "a basket of one says nothing");
    assert!(registry.baskets().is_empty());
    assert_eq!(registry.dropped_baskets(), ["rain"]);
}

#[test]
fn baskets_and_subscriptions_are_in_the_files_order() {
    let text = "\
[[event]]
id = \"z\"
basket = \"two\"
kalshi = \"K-Z\"
[[event]]
id = \"y\"
basket = \"alone\"
polymarket_token = \"3\"
[[event]]
id = \"x\"
basket = \"one\"
kalshi = \"K-X\"
polymarket_token = \"2\"
[[event]]
id = \"w\"
basket = \"one\"
kalshi = \"K-W\"
[[event]]
id = \"v\"
basket = \"two\"
polymarket_token = \"1\"
polymarket_no_token = \"9\"
";
    let registry = Registry::from_toml(text.as_bytes()).unwrap();
    let baskets: Vec<_> =
        registry.baskets().iter().map(|basket| (basket.id.as_str(), basket.members.as_slice())).collect();
    assert_eq!(baskets, [("two", [0, 4].as_slice()), ("one", &[2, 3])]);
    assert_eq!(registry.dropped_baskets(), ["alone"]);
    let of: Vec<_> = registry.events().iter().map(|event| event.basket).collect();
    assert_eq!(of, [Some(0), None, Some(1), Some(1), Some(0)]);
    assert_eq!(registry.kalshi_tickers().collect::<Vec<_>>(), ["K-Z", "K-X", "K-W"]);
    assert_eq!(registry.polymarket_tokens().collect::<Vec<_>>(), ["3", "2", "1"]);
}

#[test]
fn coins_have_the_scale_that_is_declared() {
    let text = "\
[[instrument]]
venue = \"binance\"
symbol = \"BTCUSDT\"
price_decimals = 2
size_decimals = 5

[[instrument]]
venue = \"coinbase\"
symbol = \"BTC-USD\"
price_decimals = 2
";
    let registry = Registry::from_toml(text.as_bytes()).unwrap();
    let declared: Vec<_> =
        registry.instruments().iter().map(|coin| (coin.venue, coin.symbol.as_str(), coin.scale)).collect();
    let scale = |price_decimals, size_decimals| Scale { price_decimals, size_decimals };
    assert_eq!(
        declared,
        [(Venue::Binance, "BTCUSDT", scale(2, 5)), (Venue::Coinbase, "BTC-USD", scale(2, 8))]
    );
}

#[test]
fn faults_are_told_with_their_line() {
    let event = "[[event]]\nid = \"a\"\n";
    let instrument = "[[instrument]]\nvenue = \"binance\"\nsymbol = \"BTCUSDT\"\n";
    // What follows an event (or stands alone), the line, words of the sentence.
    let faults: [(String, usize, &[&str]); 34] = [
        ("[[event]]\nkalshi = \"K\"\n".into(), 1, &["without id", "add id"]),
        (format!("{event}\n[[event]]\nid = \"a\"\n"), 5, &["\"a\"", "line 2", "its own"]),
        ("[[event]]\nid = \"\"\n".into(), 2, &["id is empty"]),
        (format!("{event}kalshi = \"  \"\n"), 3, &["kalshi is empty"]),
        (format!("{event}basket = \"\"\n"), 3, &["basket is empty"]),
        (
            format!("{event}kalshi = \"K\"\n[[event]]\nid = \"b\"\nkalshi = \"K\"\n"),
            6,
            &["kalshi \"K\"", "line 3"],
        ),
        (
            format!("{event}polymarket_token = \"1\"\n[[event]]\nid = \"b\"\npolymarket_token = \"1\"\n"),
            6,
            &["polymarket_token \"1\"", "line 3", "one event"],
        ),
        (
            format!(
                "{event}polymarket_no_token = \"1\"\n[[event]]\nid = \"b\"\npolymarket_no_token = \"1\"\n"
            ),
            6,
            &["polymarket_no_token \"1\"", "line 3"],
        ),
        (
            format!("{event}polymarket_token = \"1\"\n[[event]]\nid = \"b\"\npolymarket_no_token = \"1\"\n"),
            6,
            &["polymarket_no_token here", "polymarket_token in line 3", "one role"],
        ),
        (
            format!("{event}polymarket_token = \"1\"\npolymarket_no_token = \"1\"\n"),
            4,
            &["polymarket_no_token here", "polymarket_token in line 3"],
        ),
        (
            format!("{event}kalshi_ticker = \"K\"\n"),
            3,
            &["\"kalshi_ticker\" is unknown", "use one of id, kalshi"],
        ),
        ("id = \"a\"\n[[event]]\n".into(), 1, &["\"id\" stands outside", "[[event]]"]),
        ("list = [1]\n".into(), 1, &["\"list\" stands outside"]),
        ("event = 5\n".into(), 1, &["\"event\" stands outside"]),
        ("event = [5]\n".into(), 1, &["[[event]] with two brackets"]),
        ("\n[event]\nid = \"a\"\n".into(), 2, &["[[event]] with two brackets"]),
        (format!("{event}[fees]\nx = 1\n"), 3, &["\"fees\" is unknown"]),
        (format!("{event}[[market]]\nx = 1\n"), 3, &["\"market\" is unknown"]),
        (
            format!("{event}polymarket_token = 8801\n"),
            3,
            &["polymarket_token must be a string", "integer", "quotes"],
        ),
        (format!("{event}kalshi = [\"K\"]\n"), 3, &["kalshi must be a string", "array"]),
        ("[[event]]\nid = true\n".into(), 2, &["id must be a string", "boolean"]),
        (format!("{event}kalshi = \"K\\\\1\"\n"), 3, &["backslash", "correct it"]),
        (format!("{event}kalshi = \"K\\\"1\"\n"), 3, &["a quote"]),
        (format!("{event}kalshi = \"K\\u00011\"\n"), 3, &["control character", "\"K\\u{1}1\""]),
        ("[[event]]\nid = \"\"\"a\nb\"\"\"\n".into(), 2, &["control character"]),
        (format!("{event}kalshi = K\n"), 3, &["not TOML", "key = \"value\""]),
        (format!("{event}kalshi\n"), 3, &["not TOML"]),
        (format!("{event}id = \"b\"\n"), 3, &["not TOML"]),
        (format!("{instrument}price_decimals = 9\n"), 4, &["price_decimals", "from 0 to 8"]),
        (format!("{instrument}size_decimals = \"5\"\n"), 4, &["size_decimals", "from 0 to 8"]),
        (
            format!("{instrument}[[instrument]]\nvenue = \"binance\"\nsymbol = \"BTCUSDT\"\n"),
            6,
            &["declared already", "line 3"],
        ),
        (
            "[[instrument]]\nvenue = \"kalshi\"\nsymbol = \"K\"\n".into(),
            2,
            &["\"kalshi\" has no instruments"],
        ),
        ("[[instrument]]\nvenue = \"binance\"\n".into(), 1, &["an [[instrument]] without symbol"]),
        (
            "[[instrument]]\nvenue = \"binance\"\ntick = 1\n".into(),
            3,
            &["\"tick\" is unknown", "price_decimals"],
        ),
    ];
    for (text, line, words) in faults {
        let fault = Registry::from_toml(text.as_bytes()).expect_err(&text);
        assert_eq!(fault.line, line, "{fault}\n{text}");
        let said = fault.to_string();
        assert!(!said.contains('\n'), "{said}");
        for word in words {
            assert!(said.contains(word), "no {word:?} in {said}");
        }
        body::check(text.as_bytes());
    }
    let not_utf8 = Registry::from_toml(b"[[event]]\n# \xff\n").unwrap_err();
    assert_eq!((not_utf8.line, not_utf8.to_string().contains("UTF-8")), (2, true));
}

#[test]
fn a_registry_is_read_from_a_file_of_sensible_size() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("contracts.toml");
    std::fs::write(&path, OSLO.replace('\n', "\r\n")).unwrap();
    assert_eq!(Registry::load(&path).unwrap().events().len(), 1);

    std::fs::write(&path, "[[event]]\nname = \"a\"\n").unwrap();
    let said = Registry::load(&path).unwrap_err().to_string();
    assert!(said.contains(path.to_str().unwrap()) && said.contains("line 2: "), "{said}");

    let file = std::fs::File::create(&path).unwrap();
    file.set_len(MAX_REGISTRY_BYTES + 1).unwrap();
    assert!(matches!(Registry::load(&path), Err(RegistryError::TooLarge { .. })));
    assert!(matches!(Registry::load(directory.path()), Err(RegistryError::Read { .. })));
    let said = Registry::load(&directory.path().join("none")).unwrap_err().to_string();
    assert!(said.contains("can't read") && said.contains("[[event]]"), "{said}");
}

#[test]
fn the_references_registries_load() {
    let Some(captures) = market_support::captures() else { return };
    let contracts = Registry::load(&captures.join("contracts.toml")).unwrap();
    assert_eq!(contracts.events().len(), 14);
    let baskets: Vec<_> =
        contracts.baskets().iter().map(|basket| (basket.id.as_str(), basket.members.len())).collect();
    assert_eq!(baskets, [("fed-2026-07", 2), ("wc26-winner", 12)]);
    assert_eq!((contracts.kalshi_tickers().count(), contracts.polymarket_tokens().count()), (14, 14));
    body::check(&std::fs::read(captures.join("contracts.toml")).unwrap());
    let synthetic = Registry::load(&captures.join("synthetic.toml")).unwrap();
    assert_eq!(synthetic.kalshi_tickers().collect::<Vec<_>>(), ["SYN-DEMO"]);
    assert_eq!(synthetic.polymarket_tokens().collect::<Vec<_>>(), ["1000001"]);
}

/// Lines of which registries are made, and some that break them.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "id",
        "kalshi",
        "polymarket_token",
        "polymarket_no_token",
        "basket",
        "description",
        "venue",
        "symbol",
        "price_decimals",
        "other",
    ]);
    let value = prop_oneof![
        6 => "[a-c]{1,2}".prop_map(|name| format!("\"{name}\"")),
        1 => "[ -~]{0,6}".prop_map(|name| format!("\"{name}\"")),
        1 => (0..12_i64).prop_map(|number| number.to_string()),
        1 => Just("[\"a\"]".to_owned()),
        1 => Just("\"binance\"".to_owned()),
        1 => any::<String>(),
    ];
    prop_oneof![
        4 => Just("[[event]]".to_owned()),
        1 => Just("[[instrument]]".to_owned()),
        1 => Just("[event]".to_owned()),
        12 => (key, value).prop_map(|(key, value)| format!("{key} = {value}")),
        1 => any::<String>(),
    ]
}

proptest! {
    #[test]
    fn any_text_is_a_registry_or_is_refused(lines in prop::collection::vec(line(), 0..12)) {
        body::check(lines.join("\n").as_bytes());
    }

    #[test]
    fn any_bytes_are_a_registry_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        body::check(&bytes);
    }
}

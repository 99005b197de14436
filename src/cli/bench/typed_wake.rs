//! The wake, for a general-purpose decoder; `bench/` has this very file as a module too.
#![allow(dead_code, reason = "some decode it and look at nothing")]

use std::borrow::Cow;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Yes,
    No,
}

/// Every field in its own type, strings borrowed where they have no escapes, unknown keys refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wake<'a> {
    pub(crate) schema_version: i64,
    #[serde(borrow)]
    pub(crate) correlation_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) market_ticker: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) asset: Cow<'a, str>,
    pub(crate) direction: Direction,
    pub(crate) kalshi_price: f64,
    pub(crate) model_probability: f64,
    pub(crate) fee: f64,
    pub(crate) edge: f64,
    pub(crate) decision_ts_ms: i64,
    pub(crate) sent_at_ms: i64,
    pub(crate) sent_at_ns: i64,
    #[serde(default)]
    pub(crate) recv_ns: i64,
    #[serde(borrow, default)]
    pub(crate) clock_domain: Cow<'a, str>,
    #[serde(default)]
    pub(crate) dry_run: bool,
    #[serde(default)]
    pub(crate) wire_price_yes_dollars: f64,
    #[serde(default = "no_index")]
    pub(crate) exchange_index: i64,
    #[serde(default)]
    pub(crate) available_size_contracts: f64,
    #[serde(default = "cent_grid")]
    pub(crate) price_ranges: Vec<[f64; 3]>,
    #[serde(borrow, default)]
    pub(crate) correlation_group: Cow<'a, str>,
}

fn no_index() -> i64 {
    -1
}

fn cent_grid() -> Vec<[f64; 3]> {
    vec![[0.0, 1.0, 0.01]]
}

//! Makes the report of a pipeline and a reader that have come to their end.

use super::pipeline::Pipeline;
use super::report::{
    BadLineReport, BasketReport, MarketReport, Report, SequenceReport, SessionReport, SpellsReport, Timing,
};
use super::signals::{BasketSums, MarketSums};
use crate::log::feedlog::{BadLine, Counts};
use crate::market::decimal;
use crate::market::health::{Spells, Suspicion};
use crate::market::instruments::MarketIndex;
use crate::market::model::{Model, Scale, Side, Venue};
use crate::market::registry::Registry;
use crate::market::state::Market;

/// The report of what `pipeline` made of the records that `input` counts.
#[must_use]
pub fn report(
    registry: &Registry,
    pipeline: &Pipeline,
    input: &Counts,
    fault: Option<String>,
    timing: Timing,
) -> Report {
    let accounting = pipeline.accounting();
    let markets: Vec<MarketReport> = pipeline
        .books()
        .markets()
        .filter_map(|(index, market)| market_report(pipeline, index, market, input.latest_ns.unwrap_or(0)))
        .collect();
    let sequence = pipeline.books().sequence_counts();
    let span_ns = input.latest_ns.unwrap_or(0) - input.earliest_ns.unwrap_or(0);
    let span_seconds = span_ns as f64 / 1e9;
    let [kalshi, polymarket, binance, coinbase] = accounting.by_venue;
    let basis = pipeline.model() == Model::Basis;
    Report {
        model: if basis { "basis" } else { "exact" },
        input_whole: fault.is_none() && input.bad.total() == 0 && !input.ends_without_lf,
        input_fault: fault,
        lines: input.lines,
        records: accounting.records,
        kalshi_messages: kalshi,
        // The reference knows two kinds of records.
        polymarket_messages: if basis { polymarket + binance + coinbase } else { polymarket },
        binance_messages: (!basis).then_some(binance),
        coinbase_messages: (!basis).then_some(coinbase),
        ok: accounting.verdicts.ok,
        partial: accounting.verdicts.partial,
        ignored: accounting.verdicts.ignored,
        malformed: accounting.verdicts.malformed,
        ignored_by: accounting.ignored_by,
        faults: accounting.fault_by,
        malformed_lines: input.bad.total(),
        bad_lines: bad_lines(input),
        ends_without_lf: input.ends_without_lf,
        backward_steps: input.backwards.total(),
        updates: accounting.updates,
        gaps: accounting.gaps,
        unsound_messages: accounting.unsound_messages,
        sequence: SequenceReport {
            numbers: sequence.numbers,
            gaps: sequence.gaps,
            missing: sequence.missing,
            new_epochs: sequence.new_epochs,
            repeated: sequence.repeated,
            not_followed: sequence.not_followed,
        },
        hashes: accounting.hashes,
        left_out: accounting.left_out,
        venue_best_checked: markets
            .iter()
            .map(|market| market.venue_best_agree + market.venue_best_differ)
            .sum(),
        venue_best_agree: markets.iter().map(|market| market.venue_best_agree).sum(),
        session: SessionReport {
            span_seconds: rounded(span_seconds, 3),
            ingest_per_sec: if span_ns > 0 {
                rounded(accounting.records as f64 / span_seconds, 1)
            } else {
                0.0
            },
        },
        spread_mean_cents: mean(markets.iter().filter_map(|market| market.spread_mean_cents)),
        baskets: baskets(registry, pipeline),
        markets,
        timing,
    }
}

fn bad_lines(input: &Counts) -> Vec<BadLineReport> {
    let there = BadLine::ALL.into_iter().filter(|kind| input.bad.of(*kind).total() > 0);
    there
        .map(|kind| {
            let tally = input.bad.of(kind);
            let first_lines = tally.first_lines().to_vec();
            BadLineReport {
                kind: kind.name(),
                count: tally.total(),
                first_lines,
                words: format!("{} {kind} ({tally})", tally.total()),
            }
        })
        .collect()
}

/// Of a market that any message spoke of.
fn market_report(
    pipeline: &Pipeline,
    index: MarketIndex,
    market: &Market,
    end_ns: i64,
) -> Option<MarketReport> {
    let sums = pipeline.signals().sums(index);
    if sums.messages == 0 {
        return None;
    }
    let (books, scale) = (pipeline.books(), market.scale());
    let touch = |side| market.touch(side);
    let by_ticker = touch(Side::Bid).is_some() || touch(Side::Ask).is_some();
    let best = |side| if by_ticker { touch(side) } else { market.book().best(side) };
    let price = |side| best(side).map(|level| decimal::text(level.price.0, scale.price_decimals));
    let size = |side| best(side).map(|level| decimal::text(level.size.0, scale.size_decimals));
    let counts = market.book().counts();
    Some(MarketReport {
        event_id: market.name().to_owned(),
        venue: market.venue().name(),
        messages: sums.messages,
        two_sided: sums.two_sided,
        spread_mean_cents: spread_mean_cents(sums, scale),
        best_bid: price(Side::Bid),
        best_bid_size: size(Side::Bid),
        best_ask: price(Side::Ask),
        best_ask_size: size(Side::Ask),
        top_of: if by_ticker { "ticker" } else { "book" },
        bid_levels: market.book().levels(Side::Bid).len(),
        ask_levels: market.book().levels(Side::Ask).len(),
        suspicions: books.suspicions(index).map(suspicion).collect(),
        crossed: spells(market.health().crossed.until(end_ns)),
        locked: spells(market.health().locked.until(end_ns)),
        snapshots: counts.snapshots,
        below_zero: counts.below_zero,
        removals_not_there: market.removals_not_there(),
        diff_gaps: market.counts().diff_gaps,
        diffs_repeated: market.counts().diffs_repeated,
        finer_than_declared: market.counts().finer_than_declared,
        venue_best_agree: market.health().best_agreed,
        venue_best_differ: market.health().best_differed,
    })
}

fn spread_mean_cents(sums: MarketSums, scale: Scale) -> Option<f64> {
    let cents = 10_f64.powi(i32::from(scale.price_decimals) - 2);
    (sums.two_sided > 0).then(|| rounded(sums.spread_sum as f64 / sums.two_sided as f64 / cents, 6))
}

const fn suspicion(suspicion: Suspicion) -> &'static str {
    match suspicion {
        Suspicion::NoSnapshot => "no_snapshot",
        Suspicion::SequenceGap => "sequence_gap",
        Suspicion::BelowZero => "below_zero",
        Suspicion::Incomplete => "incomplete",
    }
}

fn spells(spells: Spells) -> SpellsReport {
    SpellsReport {
        count: spells.count,
        momentary: spells.momentary,
        total_ms: spells.total_ns as f64 / 1e6,
        longest_ms: spells.longest_ns as f64 / 1e6,
        open: spells.open_since_ns.is_some(),
    }
}

fn baskets(registry: &Registry, pipeline: &Pipeline) -> Vec<BasketReport> {
    let mut reports = Vec::new();
    for (place, basket) in registry.baskets().iter().enumerate() {
        for venue in [Venue::Kalshi, Venue::Polymarket] {
            let sums = pipeline.signals().basket(place, venue);
            if sums.most_two_sided > 0 {
                let dollar = pipeline.model().scale(venue).dollar().0;
                reports.push(basket_report(&basket.id, venue, sums, dollar as f64));
            }
        }
    }
    reports
}

fn basket_report(id: &str, venue: Venue, sums: BasketSums, dollar: f64) -> BasketReport {
    let dollars = |value: f64| rounded(value / dollar, 6);
    let mids = |value: i64| dollars(value as f64 / 2.0);
    BasketReport {
        basket_id: id.to_owned(),
        venue: venue.name(),
        members: sums.members,
        samples: sums.samples,
        max_two_sided: sums.most_two_sided,
        mid_sum_mean_dollars: (sums.samples > 0)
            .then(|| dollars(sums.mid_twice_sum as f64 / 2.0 / sums.samples as f64)),
        mid_sum_min_dollars: sums.mid_twice_range.map(|(least, _)| mids(least)),
        mid_sum_max_dollars: sums.mid_twice_range.map(|(_, most)| mids(most)),
        bid_sum_max_dollars: sums.most_bids.map(|bids| dollars(bids as f64)),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| rounded(sum / f64::from(count), 6))
}

/// To so many decimal places, so that a report shows no digits that mean nothing.
fn rounded(value: f64, places: i32) -> f64 {
    let one = 10_f64.powi(places);
    (value * one).round() / one
}

//! What a fire computes: the price on the market's grid, the order from its template.

use std::hint::black_box;

use super::plan::Plan;
use super::report::{Section, Unit};
use super::turns::{self, Kind};
use super::wake;
use crate::cli::Failure;
use crate::fire::{FIXED_CONTRACTS, OrderPolicy, OrderTemplates, snap_to_grid};
use crate::wire::PriceRange;
use crate::wire::message::DEFAULT_PRICE_RANGES;

/// Finer at both ends, as some markets have it; a price near 1 is found in the last range.
const THREE_RANGES: &[PriceRange] = &[
    PriceRange { start: 0.0, end: 0.1, step: 0.001 },
    PriceRange { start: 0.1, end: 0.9, step: 0.01 },
    PriceRange { start: 0.9, end: 1.0, step: 0.001 },
];

pub(super) fn snap(plan: &Plan<'_>) -> Result<Section, Failure> {
    let one = Kind::small("one range", "ranges=1", || {
        black_box(snap_to_grid(black_box(0.4237), black_box(DEFAULT_PRICE_RANGES)));
    });
    let three = Kind::small("the last of three ranges", "ranges=3", || {
        black_box(snap_to_grid(black_box(0.9537), black_box(THREE_RANGES)));
    });
    let series = turns::take(plan, "snap", Unit::Ns, vec![one, three], None)?;
    let title = "a price onto the market's grid".to_owned();
    Ok(plan.section("snap", title, Unit::Ns, series, vec![turns::batch_note()]))
}

pub(super) fn template(plan: &Plan<'_>) -> Result<Section, Failure> {
    const CLIENT_ORDER_ID: &str = "0f2c6d0e-9b8a-4c7d-8e1f-23456789abcd";
    let wake = wake::wake(wake::ID);
    let [mut kept, mut written] = [(); 2].map(|()| OrderTemplates::new(OrderPolicy::default()));
    let mut body = String::with_capacity(512);
    let fill = Kind::small("looked up and filled", "kind=fill", || {
        let wake = black_box(&wake);
        let template = kept.get(wake.market_ticker, wake.direction);
        black_box(template.fill(FIXED_CONTRACTS, black_box(0.42), wake));
    });
    let write = Kind::small("the same, and its body written", "kind=fill-and-write", || {
        let wake = black_box(&wake);
        let template = written.get(wake.market_ticker, wake.direction);
        body.clear();
        let order = template.fill(FIXED_CONTRACTS, black_box(0.42), wake);
        // A string takes whatever it is given.
        let _ = order.write_body(CLIENT_ORDER_ID, &mut body);
        black_box(&body);
    });
    let series = turns::take(plan, "template", Unit::Ns, vec![fill, write], None)?;
    let title = "an order from the template of its market and side".to_owned();
    let notes =
        vec![turns::batch_note(), "no order is sent yet, so the daemon fills and doesn't write".to_owned()];
    Ok(plan.section("template", title, Unit::Ns, series, notes))
}

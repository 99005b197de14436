//! The market's price grid, bit for bit as CPython's `round` gives it.

use crate::wire::PriceRange;

/// Step of a price that no range holds, dollars.
const DEFAULT_STEP_DOLLARS: f64 = 0.01;

/// The price of the market's grid nearest to `price_dollars`: by the first range that has a positive step and holds the
/// price, else by a step of a cent. Not clamped: 0.004 on a cent grid is 0.0.
pub fn snap_to_grid(price_dollars: f64, ranges: &[PriceRange]) -> f64 {
    let holds =
        |range: &&PriceRange| range.step > 0.0 && range.start <= price_dollars && price_dollars <= range.end;
    let step = ranges.iter().find(holds).map_or(DEFAULT_STEP_DOLLARS, |range| range.step);
    round_half_even_to_step(price_dollars, step)
}

/// The multiple of `step` nearest to `value`, a tie going to the even multiple: one division, one rounding, one
/// multiplication, as the reference computes it.
pub fn round_half_even_to_step(value: f64, step: f64) -> f64 {
    // Python rounds to an integer, which has no negative zero; adding zero drops the sign.
    ((value / step).round_ties_even() + 0.0) * step
}

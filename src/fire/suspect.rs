//! Values that decode but can't be meant. They are accepted as the reference accepts them, and counted.

use crate::wire::{PriceRange, WakeMessage};

/// Whether any value of the wake can't be meant.
pub fn has_suspect_values(wake: &WakeMessage<'_>) -> bool {
    !(1..=4).contains(&wake.schema_version)
        || !(0.0..=1.0).contains(&wake.model_probability)
        || wake.price_ranges.iter().any(is_unsound)
}

/// Whether the grid price of `price_dollars` depends on a range that can't be meant: such a range spans the price, or no
/// sound one holds it while there are unsound ones.
pub fn grid_is_suspect_at(price_dollars: f64, ranges: &[PriceRange]) -> bool {
    let spans = |range: &PriceRange| {
        let (low, high) = (range.start.min(range.end), range.start.max(range.end));
        low <= price_dollars && price_dollars <= high
    };
    let mut held = false;
    let mut any_unsound = false;
    for range in ranges {
        if is_unsound(range) {
            if spans(range) {
                return true;
            }
            any_unsound = true;
        } else {
            held |= spans(range);
        }
    }
    any_unsound && !held
}

fn is_unsound(range: &PriceRange) -> bool {
    range.step <= 0.0 || range.start > range.end
}

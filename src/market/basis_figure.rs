//! Prices and sizes as the reference engine rounds them, see [`Model::Basis`](super::model::Model::Basis).
//!
//! It reads coins' figures as C's `strtod` does and multiplies doubles. Here the digits themselves are rounded, so what only
//! `strtod` takes (exponents, hexadecimal, leading blanks, signs) is a fault, and sizes above 2^53 units keep their last digits.

use super::decimal::{self, NotExact};
use super::figure::{Figure, Unfit};
use super::model::Fault;

const BAD: Figure = Err(Unfit::Fault(Fault::BadNumber));

/// Most digits in front of the point of a prediction market's figure.
const MOST_WHOLE_DIGITS: usize = 15;

/// Text of a coin's figure is shorter than this.
const CHARACTERS_OF_A_COIN_FIGURE: usize = 64;

/// Highest price of a coin in cents.
const MOST_CENTS: i64 = 2_000_000_000;

/// Largest size of a coin in units of 1e-8.
const MOST_UNITS: i64 = 9_000_000_000_000_000_000;

/// A price of a prediction market: whole cents, half of one upwards, a dollar at most.
pub(super) fn probability(text: &str) -> Figure {
    match half_up(text, 2) {
        Ok(Rounded { value: cents @ 0..=100, .. }) if whole_digits(text) <= MOST_WHOLE_DIGITS => Ok(cents),
        _ => BAD,
    }
}

/// A size in whole contracts, half of one upwards, but at least one if there is anything.
pub(super) fn contracts(text: &str) -> Figure {
    match half_up(text, 0) {
        Ok(Rounded { value, nothing }) if whole_digits(text) <= MOST_WHOLE_DIGITS => {
            Ok(if nothing { 0 } else { value.max(1) })
        }
        _ => BAD,
    }
}

/// A price of a coin: cents, from which it may be a millionth of one apart.
pub(super) fn coin_price(text: &str) -> Figure {
    // A millionth of a cent is a unit of the eighth decimal place.
    const CENT: i64 = 1_000_000;
    if text.len() >= CHARACTERS_OF_A_COIN_FIGURE {
        return BAD;
    }
    let Truncated { value, rest } = truncated(text, 8)?;
    let (cents, apart) = (value / CENT, value % CENT);
    let cents = match apart {
        0 => cents,
        1 if rest == Rest::Nothing => cents,
        999_999 => cents + 1,
        _ if cents >= MOST_CENTS => return Err(Unfit::OutOfRange),
        _ => return BAD,
    };
    if cents > MOST_CENTS { Err(Unfit::OutOfRange) } else { Ok(cents) }
}

/// A size of a coin: units of the eighth decimal place, rounded.
pub(super) fn coin_size(text: &str) -> Figure {
    match half_up(text, 8) {
        Ok(Rounded { value: units @ ..=MOST_UNITS, .. }) if text.len() < CHARACTERS_OF_A_COIN_FIGURE => {
            Ok(units)
        }
        _ => BAD,
    }
}

struct Rounded {
    value: i64,
    /// Not only rounded to 0, but 0.
    nothing: bool,
}

/// A decimal rounded to a place, half upwards.
fn half_up(text: &str, decimals: u8) -> Result<Rounded, NotExact> {
    let Truncated { value, rest } = truncated(text, decimals)?;
    let up = i64::from(rest == Rest::HalfOrMore);
    let nothing = value == 0 && rest == Rest::Nothing;
    Ok(Rounded { value: value.checked_add(up).ok_or(NotExact::TooLarge)?, nothing })
}

struct Truncated {
    value: i64,
    rest: Rest,
}

/// What truncation cut off, against a unit of the last place.
#[derive(PartialEq, Eq)]
enum Rest {
    Nothing,
    LessThanHalf,
    HalfOrMore,
}

fn truncated(text: &str, decimals: u8) -> Result<Truncated, NotExact> {
    match decimal::exact(text, decimals) {
        Ok(value) => Ok(Truncated { value, rest: Rest::Nothing }),
        // There is a point, and a digit other than 0 somewhere behind the last place.
        Err(NotExact::Finer) => {
            let point = text.find('.').unwrap_or(text.len());
            let (kept, cut) = text.split_at_checked(point + 1 + usize::from(decimals)).unwrap_or((text, ""));
            // Of `.5` to the nearest whole nothing is kept but the point.
            let value = decimal::exact(kept, decimals).unwrap_or(0);
            let half = matches!(cut.as_bytes(), [b'5'..=b'9', ..]);
            Ok(Truncated { value, rest: if half { Rest::HalfOrMore } else { Rest::LessThanHalf } })
        }
        Err(other) => Err(other),
    }
}

/// Digits in front of the point.
fn whole_digits(text: &str) -> usize {
    text.find('.').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUT_OF_RANGE: Figure = Err(Unfit::OutOfRange);

    #[test]
    fn probabilities_are_rounded_half_up_to_cents() {
        for (text, cents) in [
            ("0.455", 46),
            ("0.4549", 45),
            ("0.45499999999999999999999", 45),
            (".5", 50),
            ("1.", 100),
            ("0", 0),
            ("0.004", 0),
            ("0.005", 1),
            ("1.0049", 100),
            ("000000000000000.31", 31),
            ("1", 100),
        ] {
            assert_eq!(probability(text), Ok(cents), "{text}");
        }
        for text in ["1.005", "2", "", ".", "-0.5", "0.5 ", "1e-1", "0000000000000000.31", "0.5\\u0030"] {
            assert_eq!(probability(text), BAD, "{text}");
        }
    }

    #[test]
    fn contracts_are_rounded_half_up_and_never_to_nothing() {
        for (text, contracts_of_it) in [
            ("120.5", 121),
            ("120.49", 120),
            ("0.2", 1),
            (".5", 1),
            ("0.000000000000000000001", 1),
            ("0.000", 0),
            ("999999999999999.9", 1_000_000_000_000_000),
            ("5.", 5),
        ] {
            assert_eq!(contracts(text), Ok(contracts_of_it), "{text}");
        }
        for text in ["1000000000000000", "", ".", "-1", "1.x"] {
            assert_eq!(contracts(text), BAD, "{text}");
        }
    }

    #[test]
    fn a_coin_s_price_is_a_millionth_of_a_cent_from_a_whole_one() {
        for (text, cents) in [
            ("65167.66000000", 6_516_766),
            ("0.00", 0),
            ("12.33000001", 1_233),
            ("12.339999990", 1_234),
            ("12.33999999999", 1_234),
            ("20000000", 2_000_000_000),
            ("20000000.000000001", 2_000_000_000),
        ] {
            assert_eq!(coin_price(text), Ok(cents), "{text}");
        }
        for text in ["12.335", "12.33000002", "12.330000011", "12.339999979", "-1", "", " 1", "1e3", "0x1"] {
            assert_eq!(coin_price(text), BAD, "{text}");
        }
        assert_eq!(coin_price(&format!("1.{}", "0".repeat(62))), BAD);
        assert_eq!(coin_price(&format!("1.{}", "0".repeat(61))), Ok(100));
        for text in ["20000000.01", "20000000.005", "9999999999999999999999"] {
            assert_eq!(coin_price(text), OUT_OF_RANGE, "{text}");
        }
    }

    #[test]
    fn a_coin_s_size_is_rounded_to_its_eighth_place() {
        assert_eq!(coin_size("4.5"), Ok(450_000_000));
        assert_eq!((coin_size("0.000000005"), coin_size("0.0000000049")), (Ok(1), Ok(0)));
        assert_eq!(coin_size("90000000000"), Ok(MOST_UNITS));
        for text in ["90000000000.00000001", "92233720369", "-1", "", "1e3"] {
            assert_eq!(coin_size(text), BAD, "{text}");
        }
    }
}

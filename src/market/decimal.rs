//! Decimal text (`0.455`, `.48`, `-54.00`, `65167.66000000`) to integers of a scale.

/// Why a text is no number of a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotExact {
    /// Not digits with at most one point among or around them.
    NotDecimal,
    /// A digit other than 0 beyond the scale's last place.
    Finer,
    /// More than an `i64` of the scale holds.
    TooLarge,
}

/// The value of `text` in units of its `decimals`-th decimal place: digits with at most one point (`12`, `.5`, `5.`), no sign, blank or
/// exponent.
///
/// # Errors
/// See [`NotExact`]; a text that isn't decimal is reported as such even if it is also too large or too fine.
#[inline]
pub fn exact(text: &str, decimals: u8) -> Result<i64, NotExact> {
    let mut value: i64 = 0;
    let (mut overflowed, mut finer) = (false, false);
    let mut digits = 0_usize;
    // Decimal places that are still to come; `None` in front of the point.
    let mut places: Option<u8> = None;
    for &byte in text.as_bytes() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            if byte != b'.' || places.is_some() {
                return Err(NotExact::NotDecimal);
            }
            places = Some(decimals);
            continue;
        }
        digits += 1;
        match &mut places {
            Some(0) => finer |= digit != 0,
            places => {
                if let Some(left) = places {
                    *left -= 1;
                }
                match value.checked_mul(10).and_then(|value| value.checked_add(i64::from(digit))) {
                    Some(next) => value = next,
                    None => overflowed = true,
                }
            }
        }
    }
    if digits == 0 {
        return Err(NotExact::NotDecimal);
    }
    let scaled = 10_i64.checked_pow(u32::from(places.unwrap_or(decimals)));
    match scaled.and_then(|scaled| value.checked_mul(scaled)) {
        Some(value) if !overflowed => match finer {
            false => Ok(value),
            true => Err(NotExact::Finer),
        },
        _ => Err(NotExact::TooLarge),
    }
}

/// As [`exact`], with a minus sign in front of it or not.
///
/// # Errors
/// As [`exact`].
pub fn exact_signed(text: &str, decimals: u8) -> Result<i64, NotExact> {
    match text.strip_prefix('-') {
        Some(magnitude) => exact(magnitude, decimals).map(|value| -value),
        None => exact(text, decimals),
    }
}

/// The text of a value in units of its `decimals`-th decimal place, with no zeros at its end: `65167.66`, `0.455`,
/// `-54`.
#[must_use]
pub fn text(value: i64, decimals: u8) -> String {
    let mut text = Vec::new();
    write(&mut text, value, decimals);
    text.into_iter().map(char::from).collect()
}

/// Appends what [`text`] says.
pub fn write(out: &mut Vec<u8>, value: i64, decimals: u8) {
    let one = 10_u64.checked_pow(u32::from(decimals)).unwrap_or(u64::MAX);
    let magnitude = value.unsigned_abs();
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(itoa::Buffer::new().format(magnitude / one).as_bytes());
    let mut rest = magnitude % one;
    if rest == 0 {
        return;
    }
    out.push(b'.');
    let mut place = one / 10;
    while rest > 0 {
        let digit = (rest / place) as u8;
        out.push(b'0' + digit);
        rest %= place;
        place /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        let right = [
            ("0.455", 4, 4_550),
            (".48", 4, 4_800),
            ("5.", 4, 50_000),
            ("1", 4, 10_000),
            ("0.0000", 4, 0),
            ("0.1200000", 4, 1_200),
            ("007.5", 2, 750),
            ("65167.66000000", 8, 6_516_766_000_000),
            ("12", 0, 12),
            ("12.000", 0, 12),
            ("9223372036854775807", 0, i64::MAX),
            ("92233720368.54775807", 8, i64::MAX),
        ];
        for (text, decimals, value) in right {
            assert_eq!(exact(text, decimals), Ok(value), "{text}");
        }
        assert_eq!(exact_signed("-54.00", 6), Ok(-54_000_000));
        assert_eq!(exact_signed("54.00", 6), Ok(54_000_000));
    }

    #[test]
    fn what_is_not_exact_is_told_apart() {
        for text in ["", ".", "-1", "+1", "1e2", " 1", "1 ", "1.2.3", "0x1", "1,5", "NaN", "\u{0661}"] {
            assert_eq!(exact(text, 4), Err(NotExact::NotDecimal), "{text}");
        }
        assert_eq!(exact_signed("--1", 4), Err(NotExact::NotDecimal));
        assert_eq!(exact("0.12345", 4), Err(NotExact::Finer));
        assert_eq!(exact("0.5", 0), Err(NotExact::Finer));
        assert_eq!(exact("9223372036854775808", 0), Err(NotExact::TooLarge));
        assert_eq!(exact("99999999999", 8), Err(NotExact::TooLarge));
        assert_eq!(exact("99999999999.123456789", 8), Err(NotExact::TooLarge));
    }

    #[test]
    fn values_are_written_as_they_are_read() {
        let right = [
            (6_516_766_000_000, 8, "65167.66"),
            (4_550, 4, "0.455"),
            (-54_000_000, 6, "-54"),
            (-1, 2, "-0.01"),
            (0, 8, "0"),
            (120, 0, "120"),
            (i64::MIN, 8, "-92233720368.54775808"),
        ];
        for (value, decimals, text) in right {
            assert_eq!(super::text(value, decimals), text);
        }
    }
}

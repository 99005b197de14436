//! The decoder's fast path: the twenty keys in wire order without whitespace, as orjson writes a wake, or as many of them
//! as an older version had. It only ever accepts what the general path accepts, with the same values; on anything unforeseen it gives up without a verdict.

use super::digits::{POWERS_OF_TEN, ZEROS, eight_digits, leading_digits, not_digits};
use super::message::{DEFAULT_PRICE_RANGES, Direction, PriceRange, WakeMessage};
use super::{number, scan};

/// A wake whose price ranges are in the caller's buffer.
pub(super) struct Predicted<'a> {
    without_ranges: WakeMessage<'a>,
}

impl<'a> Predicted<'a> {
    /// The message, with its ranges lent by the buffer that [`wake`] filled.
    pub(super) fn message<'b>(self, ranges: &'b [PriceRange]) -> WakeMessage<'b>
    where
        'a: 'b,
    {
        WakeMessage { price_ranges: ranges, ..self.without_ranges }
    }
}

/// Decodes a wake laid out as predicted, or gives up. A body it accepts is UTF-8: its keys are compared byte by byte and
/// its strings are checked.
pub(super) fn wake<'a>(body: &'a [u8], ranges: &mut Vec<PriceRange>) -> Option<Predicted<'a>> {
    let mut cursor = Cursor { rest: body };
    cursor.literal(b"{\"schema_version\":")?;
    let schema_version = cursor.integer()?;
    cursor.literal(b",\"correlation_id\":\"")?;
    let correlation_id = cursor.string()?;
    cursor.literal(b"\",\"market_ticker\":\"")?;
    let market_ticker = cursor.string()?;
    cursor.literal(b"\",\"asset\":\"")?;
    let asset = cursor.string()?;
    cursor.literal(b"\",\"direction\":\"")?;
    let direction = Direction::parse(cursor.string()?)?;
    cursor.literal(b"\",\"kalshi_price\":")?;
    let kalshi_price = cursor.double()?;
    cursor.literal(b",\"model_probability\":")?;
    let model_probability = cursor.double()?;
    cursor.literal(b",\"fee\":")?;
    let fee = cursor.double()?;
    cursor.literal(b",\"edge\":")?;
    let edge = cursor.double()?;
    cursor.literal(b",\"decision_ts_ms\":")?;
    let decision_ts_ms = cursor.integer()?;
    cursor.literal(b",\"sent_at_ms\":")?;
    let sent_at_ms = cursor.integer()?;
    cursor.literal(b",\"sent_at_ns\":")?;
    let sent_at_ns = cursor.integer()?;
    let mut wake = WakeMessage {
        schema_version,
        correlation_id,
        market_ticker,
        asset,
        direction,
        kalshi_price,
        model_probability,
        fee,
        edge,
        decision_ts_ms,
        sent_at_ms,
        sent_at_ns,
        recv_ns: 0,
        clock_domain: "",
        dry_run: false,
        wire_price_yes_dollars: 0.0,
        exchange_index: -1,
        available_size_contracts: 0.0,
        price_ranges: &[],
        correlation_group: "",
    };
    // An older version ends where the next one brought further keys.
    if cursor.literal(b",\"recv_ns\":").is_none() {
        set_default(ranges);
        return cursor.end(wake);
    }
    wake.recv_ns = cursor.integer()?;
    cursor.literal(b",\"clock_domain\":\"")?;
    wake.clock_domain = cursor.string()?;
    cursor.literal(b"\",\"dry_run\":")?;
    wake.dry_run = cursor.boolean()?;
    if cursor.literal(b",\"wire_price_yes_dollars\":").is_none() {
        set_default(ranges);
        return cursor.end(wake);
    }
    wake.wire_price_yes_dollars = cursor.double()?;
    cursor.literal(b",\"exchange_index\":")?;
    wake.exchange_index = cursor.integer()?;
    cursor.literal(b",\"available_size_contracts\":")?;
    wake.available_size_contracts = cursor.double()?;
    cursor.literal(b",\"price_ranges\":[")?;
    cursor.price_ranges(ranges)?;
    if cursor.literal(b",\"correlation_group\":\"").is_none() {
        return cursor.end(wake);
    }
    wake.correlation_group = cursor.string()?;
    cursor.literal(b"\"")?;
    cursor.end(wake)
}

#[cold]
fn set_default(ranges: &mut Vec<PriceRange>) {
    ranges.clear();
    ranges.extend_from_slice(DEFAULT_PRICE_RANGES);
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn literal<const N: usize>(&mut self, literal: &[u8; N]) -> Option<()> {
        let (found, rest) = self.rest.split_first_chunk::<N>()?;
        if found != literal {
            return None;
        }
        self.rest = rest;
        Some(())
    }

    /// A string whose opening quote is consumed, up to its closing one or to whatever else stands in its way.
    #[inline(always)]
    fn string(&mut self) -> Option<&'a str> {
        let (string, rest) = scan::split_plain(self.rest)?;
        self.rest = rest;
        Some(string)
    }

    /// The message, if nothing but its closing brace is left.
    #[inline(always)]
    fn end(&self, without_ranges: WakeMessage<'a>) -> Option<Predicted<'a>> {
        (self.rest == b"}").then_some(Predicted { without_ranges })
    }

    #[inline(always)]
    fn boolean(&mut self) -> Option<bool> {
        if self.literal(b"true").is_some() {
            return Some(true);
        }
        self.literal(b"false").map(|()| false)
    }

    /// An integer of at most eighteen digits.
    #[inline(always)]
    fn integer(&mut self) -> Option<i64> {
        let negative = self.literal(b"-").is_some();
        let (value, digits) = leading_digits(self.rest);
        if digits == 0 || digits > 18 || (digits > 1 && self.rest[0] == b'0') {
            return None;
        }
        self.rest = self.rest.get(digits..)?;
        // Up to eighteen digits fit an i64 with room to spare.
        let value = value as i64;
        Some(if negative { -value } else { value })
    }

    /// A number, by way of a decimal fraction if it can be.
    #[inline(always)]
    fn double(&mut self) -> Option<f64> {
        if let Some((value, length)) = short_fraction(self.rest) {
            self.rest = self.rest.get(length..)?;
            return Some(value);
        }
        match decimal_fraction(self.rest) {
            Some((value, length)) => {
                self.rest = self.rest.get(length..)?;
                Some(value)
            }
            None => self.any_double(),
        }
    }

    #[cold]
    fn any_double(&mut self) -> Option<f64> {
        let length = self
            .rest
            .iter()
            .take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let (number, rest) = self.rest.split_at_checked(length.count())?;
        let number = std::str::from_utf8(number).ok()?;
        self.rest = rest;
        (number::scan(number, 0).ok()?.end == number.len()).then(|| number::double(number))
    }

    /// The rest of the list whose opening bracket is consumed.
    #[inline(always)]
    fn price_ranges(&mut self, ranges: &mut Vec<PriceRange>) -> Option<()> {
        ranges.clear();
        if self.literal(DEFAULT_PRICE_RANGES_REST).is_some() {
            ranges.extend_from_slice(DEFAULT_PRICE_RANGES);
            return Some(());
        }
        if self.literal(b"]").is_some() {
            return Some(());
        }
        loop {
            self.literal(b"[")?;
            let start = self.double()?;
            self.literal(b",")?;
            let end = self.double()?;
            self.literal(b",")?;
            let step = self.double()?;
            ranges.push(PriceRange { start, end, step });
            if self.literal(b"]]").is_some() {
                return Some(());
            }
            self.literal(b"],")?;
        }
    }
}

/// [`DEFAULT_PRICE_RANGES`] behind the opening bracket, as most markets send them.
const DEFAULT_PRICE_RANGES_REST: &[u8; 15] = b"[0.0,1.0,0.01]]";

/// Value and length of the number that `bytes` begins with, if it has one digit before its point, one to five behind it
/// and no exponent, as prices have. It is judged by a single load of eight bytes.
#[inline(always)]
fn short_fraction(bytes: &[u8]) -> Option<(f64, usize)> {
    let word = u64::from_le_bytes(*bytes.first_chunk()?);
    let [first, point, ..] = word.to_le_bytes();
    let whole = u64::from(first.wrapping_sub(b'0'));
    if whole > 9 || point != b'.' {
        return None;
    }
    // The six bytes behind the point, above them zeros, which count as digits.
    let digits = (word ^ ZEROS) >> 16;
    let others = not_digits(digits) & 0x0000_ffff_ffff_ffff;
    let found = (others.trailing_zeros() / 8) as usize;
    if others == 0 || found == 0 || matches!(word.to_le_bytes()[2 + found], b'e' | b'E') {
        return None;
    }
    // Shifted to the top, the digits found stand behind as many zeros as are missing.
    let mantissa = whole * POWERS_OF_TEN[found] + eight_digits(digits << (64 - 8 * found));
    // Both operands are exact doubles, so the division rounds once: it is the nearest double.
    Some((mantissa as u32 as f64 / SMALL_POWERS_OF_TEN[found], 2 + found))
}

const SMALL_POWERS_OF_TEN: [f64; 6] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5];

/// Value and length of the number that `bytes` begins with, if it has a fraction and no exponent and its digits fit a
/// double's mantissa.
#[inline]
fn decimal_fraction(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let digits = &bytes[usize::from(negative)..];
    let (whole, whole_digits) = match digits {
        [digit @ b'0'..=b'9', b'.', ..] => (u64::from(digit - b'0'), 1),
        [b'1'..=b'9', ..] => leading_digits(digits),
        _ => return None,
    };
    let fraction = digits.get(whole_digits..)?.strip_prefix(b".")?;
    let (fraction, fraction_digits) = leading_digits(fraction);
    let length = whole_digits + 1 + fraction_digits;
    if fraction_digits == 0 || length > 19 || matches!(digits.get(length), Some(b'e' | b'E')) {
        return None;
    }
    let power = POWERS_OF_TEN[fraction_digits];
    let mantissa = whole * power + fraction;
    if mantissa > 1 << 53 {
        return None;
    }
    // Both operands are exact doubles, so the division rounds once: it is the nearest double.
    let value = mantissa as f64 / power as f64;
    Some((if negative { -value } else { value }, length + usize::from(negative)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The value by the standard library, and the length, where the grammar has a short fraction at the beginning.
    fn by_the_book(text: &str) -> Option<(f64, usize)> {
        let fraction = text.strip_prefix(|first: char| first.is_ascii_digit())?.strip_prefix('.')?;
        let places = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let exponent = fraction[places..].starts_with(['e', 'E']);
        let fits = (1..=5).contains(&places) && !exponent && text.len() >= 8;
        fits.then(|| (text[..2 + places].parse().unwrap(), 2 + places))
    }

    #[test]
    fn every_short_fraction_is_the_nearest_double() {
        for whole in 0..10 {
            for places in 1..=5 {
                for fraction in 0..10_u32.pow(places) {
                    let text = format!("{whole}.{fraction:0width$},\"fee\"", width = places as usize);
                    let (value, length) = short_fraction(text.as_bytes()).unwrap();
                    let expected: f64 = text[..length].parse().unwrap();
                    assert_eq!(
                        (value.to_bits(), length),
                        (expected.to_bits(), 2 + places as usize),
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_predicted_ranges_are_the_default_ones() {
        let mut ranges = Vec::new();
        let mut cursor = Cursor { rest: &DEFAULT_PRICE_RANGES_REST[..] };
        assert_eq!(cursor.price_ranges(&mut ranges), Some(()));
        assert_eq!((ranges.as_slice(), cursor.rest.len()), (DEFAULT_PRICE_RANGES, 0));
        // More than these are read one by one.
        let body = [&DEFAULT_PRICE_RANGES_REST[..14], b",[0.0,1.0,0.01]]"].concat();
        let mut cursor = Cursor { rest: &body };
        assert_eq!(cursor.price_ranges(&mut ranges), Some(()));
        assert_eq!(ranges, [DEFAULT_PRICE_RANGES, DEFAULT_PRICE_RANGES].concat());
    }

    proptest! {
        #[test]
        fn a_short_fraction_is_found_where_there_is_one(text in "[0-9]{0,2}[.,]?[0-9]{0,7}[eE.,:/-]?[\\x00-\\x7f]{0,8}") {
            let bits = |(value, length): (f64, usize)| (value.to_bits(), length);
            prop_assert_eq!(short_fraction(text.as_bytes()).map(bits), by_the_book(&text).map(bits), "{}", text);
        }

        #[test]
        fn a_short_fraction_needs_no_text(bytes in any::<[u8; 12]>()) {
            if let Some((_, length)) = short_fraction(&bytes) {
                prop_assert!((3..=7).contains(&length));
                prop_assert!(by_the_book(&String::from_utf8_lossy(&bytes)).is_some());
            }
        }
    }
}

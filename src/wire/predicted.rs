//! The decoder's fast path: the twenty keys in wire order without whitespace, as orjson writes a wake. It only ever
//! accepts what the general path accepts, with the same values; on anything unforeseen it gives up without a verdict.

use super::message::{Direction, PriceRange, WakeMessage};
use super::number;
use super::text;

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

/// Decodes a wake laid out as predicted, or gives up.
pub(super) fn wake<'a>(text: &'a str, ranges: &mut Vec<PriceRange>) -> Option<Predicted<'a>> {
    let mut cursor = Cursor { text, at: 0 };
    cursor.literal(b"{\"schema_version\":")?;
    let schema_version = cursor.integer()?;
    cursor.literal(b",\"correlation_id\":\"")?;
    let correlation_id = cursor.string()?;
    cursor.literal(b",\"market_ticker\":\"")?;
    let market_ticker = cursor.string()?;
    cursor.literal(b",\"asset\":\"")?;
    let asset = cursor.string()?;
    cursor.literal(b",\"direction\":\"")?;
    let direction = Direction::parse(cursor.string()?)?;
    cursor.literal(b",\"kalshi_price\":")?;
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
    cursor.literal(b",\"recv_ns\":")?;
    let recv_ns = cursor.integer()?;
    cursor.literal(b",\"clock_domain\":\"")?;
    let clock_domain = cursor.string()?;
    cursor.literal(b",\"dry_run\":")?;
    let dry_run = cursor.boolean()?;
    cursor.literal(b",\"wire_price_yes_dollars\":")?;
    let wire_price_yes_dollars = cursor.double()?;
    cursor.literal(b",\"exchange_index\":")?;
    let exchange_index = cursor.integer()?;
    cursor.literal(b",\"available_size_contracts\":")?;
    let available_size_contracts = cursor.double()?;
    cursor.literal(b",\"price_ranges\":[")?;
    cursor.price_ranges(ranges)?;
    cursor.literal(b",\"correlation_group\":\"")?;
    let correlation_group = cursor.string()?;
    cursor.literal(b"}")?;
    let without_ranges = WakeMessage {
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
        recv_ns,
        clock_domain,
        dry_run,
        wire_price_yes_dollars,
        exchange_index,
        available_size_contracts,
        price_ranges: &[],
        correlation_group,
    };
    (cursor.at == text.len()).then_some(Predicted { without_ranges })
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[inline(always)]
    fn literal<const N: usize>(&mut self, literal: &[u8; N]) -> Option<()> {
        if self.rest().first_chunk::<N>()? != literal {
            return None;
        }
        self.at += N;
        Some(())
    }

    /// The rest of a string whose opening quote is consumed.
    #[inline]
    fn string(&mut self) -> Option<&'a str> {
        let end = text::plain_run_end(self.text.as_bytes(), self.at);
        let string = self.text.get(self.at..end)?;
        self.at = end;
        self.literal(b"\"")?;
        Some(string)
    }

    #[inline]
    fn boolean(&mut self) -> Option<bool> {
        if self.literal(b"true").is_some() {
            return Some(true);
        }
        self.literal(b"false").map(|()| false)
    }

    /// An integer of at most eighteen digits.
    #[inline]
    fn integer(&mut self) -> Option<i64> {
        let negative = self.literal(b"-").is_some();
        let (value, digits) = leading_digits(self.rest());
        if digits == 0 || digits > 18 || (digits > 1 && self.rest()[0] == b'0') {
            return None;
        }
        self.at += digits;
        // Up to eighteen digits fit an i64 with room to spare.
        let value = value as i64;
        Some(if negative { -value } else { value })
    }

    #[inline]
    fn double(&mut self) -> Option<f64> {
        let start = self.at;
        let negative = self.literal(b"-").is_some();
        let rest = self.rest();
        let (whole, whole_digits) = leading_digits(rest);
        if rest.get(whole_digits) == Some(&b'.') {
            let (fraction, fraction_digits) = leading_digits(&rest[whole_digits + 1..]);
            let end = whole_digits + 1 + fraction_digits;
            let plain = !matches!(rest.get(end), Some(b'e' | b'E'));
            let zero_led = whole_digits > 1 && rest[0] == b'0';
            if whole_digits > 0 && fraction_digits > 0 && whole_digits + fraction_digits <= 18 && plain && !zero_led {
                let power = POWERS_OF_TEN[fraction_digits];
                let mantissa = whole * power + fraction;
                if mantissa <= 1 << 53 {
                    self.at += end;
                    // Both operands are exact doubles, so the division rounds once: it is the nearest double.
                    let value = mantissa as f64 / power as f64;
                    return Some(if negative { -value } else { value });
                }
            }
        }
        let number = number::scan(self.text, start).ok()?;
        self.at = number.end;
        Some(number::double(&self.text[start..number.end]))
    }

    /// The rest of the list whose opening bracket is consumed.
    #[inline]
    fn price_ranges(&mut self, ranges: &mut Vec<PriceRange>) -> Option<()> {
        ranges.clear();
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
            self.literal(b"]")?;
            ranges.push(PriceRange { start, end, step });
            if self.literal(b"]").is_some() {
                return Some(());
            }
            self.literal(b",")?;
        }
    }
}

const POWERS_OF_TEN: [u64; 19] = {
    let mut powers = [1; 19];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// Value (modulo 2^64) and count of the digits that `bytes` begins with.
#[inline(always)]
fn leading_digits(bytes: &[u8]) -> (u64, usize) {
    let mut value = 0_u64;
    let mut count = 0;
    while let Some(chunk) = bytes.get(count..).and_then(<[u8]>::first_chunk::<8>) {
        let Some(eight) = eight_digits(u64::from_le_bytes(*chunk)) else { break };
        value = value.wrapping_mul(100_000_000).wrapping_add(eight);
        count += 8;
    }
    while let Some(digit) = bytes.get(count).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (value, count)
}

/// Value of eight ASCII digits read as a little-endian word, or `None` when one of them isn't a digit.
#[inline(always)]
fn eight_digits(word: u64) -> Option<u64> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let digits = word ^ ZEROS;
    // A byte above 9 gets its high nibble set by adding 0x76 (to bit 7) or has it set already.
    if (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let quads = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    Some((quads.wrapping_mul(10_000).wrapping_add(quads >> 32)) & 0xffff_ffff)
}

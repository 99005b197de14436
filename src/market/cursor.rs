//! The cursor of the predicted paths: it reads a message laid out as its venue writes it, without a blank too many, and gives up
//! (`None`) on anything else, which the general paths then judge.

use crate::wire::digits::{POWERS_OF_TEN, leading_digits};
use crate::wire::scan;

/// What is left of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'p> {
    rest: &'p [u8],
}

impl<'p> Cursor<'p> {
    #[inline(always)]
    pub(super) fn new(payload: &'p [u8]) -> Self {
        Self { rest: payload }
    }

    /// Consumes exactly these bytes.
    #[inline(always)]
    pub(super) fn literal<const N: usize>(&mut self, literal: &[u8; N]) -> Option<()> {
        let (found, rest) = self.rest.split_first_chunk::<N>()?;
        if found != literal {
            return None;
        }
        self.rest = rest;
        Some(())
    }

    /// Consumes a blank, if there is one.
    #[inline(always)]
    pub(super) fn blank(&mut self) {
        let blank = self.rest.first() == Some(&b' ');
        self.rest = self.rest.get(usize::from(blank)..).unwrap_or_default();
    }

    /// Consumes a comma, a blank if there is one, and these bytes.
    #[inline(always)]
    pub(super) fn next<const N: usize>(&mut self, literal: &[u8; N]) -> Option<()> {
        self.literal(b",")?;
        self.blank();
        self.literal(literal)
    }

    /// The next byte, not consumed.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Whether nothing is left.
    #[inline(always)]
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Where the cursor stands, to measure what it consumes from here on.
    #[inline(always)]
    pub(super) fn rest(&self) -> &'p [u8] {
        self.rest
    }

    /// The rest of a string without escapes whose opening quote is consumed, and its closing quote.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Option<&'p str> {
        let (string, rest) = scan::split_plain(self.rest)?;
        self.rest = rest;
        self.literal(b"\"")?;
        Some(string)
    }

    /// An integer of at most eighteen digits that isn't negative.
    #[inline(always)]
    pub(super) fn unsigned(&mut self) -> Option<u64> {
        let (value, digits) = leading_digits(self.rest);
        if digits == 0 || digits > 18 || (digits > 1 && self.peek() == Some(b'0')) {
            return None;
        }
        self.rest = self.rest.get(digits..)?;
        Some(value)
    }

    /// An integer of at most eighteen digits.
    #[inline(always)]
    pub(super) fn integer(&mut self) -> Option<i64> {
        let negative = self.literal(b"-").is_some();
        let value = self.unsigned()? as i64;
        Some(if negative { -value } else { value })
    }

    /// The rest of a string that holds a decimal, in units of its `DECIMALS`-th place, and the closing quote. Gives up on a decimal
    /// that begins or ends with its point, is finer or has more digits than any that is seen.
    #[inline(always)]
    pub(super) fn decimal<const DECIMALS: usize>(&mut self) -> Option<i64> {
        let (whole, digits) = leading_digits(self.rest);
        // With the decimals behind them at most eighteen digits, which an i64 holds.
        if digits == 0 || digits > 18 - DECIMALS {
            return None;
        }
        let rest = self.rest.get(digits..)?;
        let (value, rest) = match rest.split_first()? {
            (b'"', rest) => (whole * POWERS_OF_TEN[DECIMALS], rest),
            (b'.', rest) => {
                let (fraction, places) = leading_digits(rest);
                if places == 0 || places > DECIMALS {
                    return None;
                }
                let value = whole * POWERS_OF_TEN[DECIMALS] + fraction * POWERS_OF_TEN[DECIMALS - places];
                (value, rest.get(places..)?.strip_prefix(b"\"")?)
            }
            _ => return None,
        };
        self.rest = rest;
        Some(value as i64)
    }

    /// As [`Cursor::decimal`], with a minus sign in front or not.
    #[inline(always)]
    pub(super) fn signed_decimal<const DECIMALS: usize>(&mut self) -> Option<i64> {
        let negative = self.literal(b"-").is_some();
        let value = self.decimal::<DECIMALS>()?;
        Some(if negative { -value } else { value })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::market::decimal;

    proptest! {
        #[test]
        fn a_decimal_is_what_it_is_by_the_slow_way(
            text in "-?[0-9]{0,13}[.]?[0-9]{0,9}",
            rest in "\"[\\x00-\\x7f]{0,20}",
        ) {
            let whole = format!("{text}{rest}");
            let mut cursor = Cursor::new(whole.as_bytes());
            match cursor.signed_decimal::<6>() {
                Some(value) => {
                    prop_assert_eq!(decimal::exact_signed(&text, 6), Ok(value));
                    prop_assert_eq!(cursor.rest(), &rest.as_bytes()[1..]);
                }
                None => {
                    let usual = text.trim_start_matches('-').split_once('.').is_some_and(|(whole, fraction)| {
                        (1..=12).contains(&whole.len()) && (1..=6).contains(&fraction.len())
                    });
                    prop_assert!(!usual, "given up on {}", text);
                }
            }
        }

        #[test]
        fn an_integer_is_what_it_is_by_the_slow_way(text in "-?[0-9]{0,20}", rest in "([,}][\\x00-\\x7f]{0,12})?") {
            let whole = format!("{text}{rest}");
            let mut cursor = Cursor::new(whole.as_bytes());
            match cursor.integer() {
                Some(value) => {
                    prop_assert_eq!(text.parse(), Ok(value));
                    prop_assert_eq!(cursor.rest(), rest.as_bytes());
                }
                None => {
                    let digits = text.trim_start_matches('-');
                    let usual = digits.len() <= 18 && digits.parse::<u64>().is_ok_and(|value| value.to_string() == digits);
                    prop_assert!(!usual, "given up on {}", text);
                }
            }
        }
    }

    #[test]
    fn a_cursor_takes_what_is_predicted_and_nothing_else() {
        let mut cursor = Cursor::new(b"{\"a\":\"b\", \"c\":7}");
        assert_eq!(cursor.literal(b"{\"a\":\""), Some(()));
        assert_eq!(cursor.string(), Some("b"));
        assert_eq!(cursor.literal(b"}"), None);
        assert_eq!(cursor.next(b"\"c\":"), Some(()));
        assert_eq!(cursor.unsigned(), Some(7));
        assert_eq!((cursor.peek(), cursor.is_at_end()), (Some(b'}'), false));
        assert_eq!(cursor.literal(b"}"), Some(()));
        assert!(cursor.is_at_end());
        assert_eq!(Cursor::new(b"a\\n\"").string(), None);
        assert_eq!(Cursor::new(b"\xff\"").string(), None);
        assert_eq!(Cursor::new(b"a").string(), None);
    }
}

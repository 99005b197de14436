//! JSON numbers: their grammar as orjson judges it, and their exact values.

use super::refusal::SyntaxError;

/// A number found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// Offset behind its last character.
    pub end: usize,
    /// No fraction and no exponent.
    pub integer: bool,
}

/// Whether a value that begins with `byte` is read as a number (and refused as one, for `+` and `.`).
pub(super) fn begins_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.')
}

/// Checks the number that begins at `start`.
///
/// # Errors
/// What is wrong, and at which byte; the caller turns an error at the end of the text into "unexpected end of data".
pub(super) fn scan(text: &str, start: usize) -> Result<Number, (SyntaxError, usize)> {
    let bytes = text.as_bytes();
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    let whole = at;
    at = digits_end(bytes, at);
    if at == whole {
        return Err((SyntaxError::NoDigitAfterSign, at));
    }
    if at > whole + 1 && bytes[whole] == b'0' {
        return Err((SyntaxError::LeadingZero, whole));
    }
    let whole_end = at;
    if bytes.get(at) == Some(&b'.') {
        let fraction = at + 1;
        at = digits_end(bytes, fraction);
        if at == fraction {
            return Err((SyntaxError::NoDigitAfterPoint, at));
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let digits = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = digits_end(bytes, digits);
        if at == digits {
            return Err((SyntaxError::NoDigitAfterExponent, at));
        }
    }
    // A double has at most 309 digits before its point, so a shorter integer can't be infinite.
    let may_overflow = at != whole_end || whole_end - whole >= 309;
    if may_overflow && double(&text[start..at]).is_infinite() {
        return Err((SyntaxError::Infinity, start));
    }
    Ok(Number { end: at, integer: at == whole_end })
}

/// The double nearest to a number that [`scan`] has checked. The integer `-0` is Python's `0`, so its sign is dropped.
pub(super) fn double(number: &str) -> f64 {
    if number == "-0" {
        return 0.0;
    }
    number.parse().unwrap_or(f64::NAN)
}

fn digits_end(bytes: &[u8], from: usize) -> usize {
    let digits = bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit());
    from + digits.count()
}

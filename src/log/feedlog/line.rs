//! One line of a capture: `recv_ns TAB kind TAB payload`.

use std::ops::Range;

use super::counts::BadLine;

/// A record, lent out of a reader's buffer until the next one is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'b> {
    /// When it was received, ns since the Unix epoch; not negative.
    pub recv_ns: i64,
    /// The second column: a venue, or what kind of record it is.
    pub kind: &'b [u8],
    /// The message, byte for byte; it may hold tabs, and a CR at its end. May be empty.
    pub payload: &'b [u8],
    /// The whole line without its LF.
    pub line: &'b [u8],
    /// Whether it had an LF; only the last line of a cut file has none.
    pub ends_with_lf: bool,
}

/// Where the columns of a line are; places count from the line's first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) recv_ns: i64,
    pub(super) kind: Range<usize>,
    /// First byte of the payload, which goes to the line's end.
    pub(super) payload: usize,
}

/// Digits of a receive time between 2001 and 2262.
const USUAL_DIGITS: usize = 19;

/// Takes a line apart.
#[inline]
pub(super) fn columns(line: &[u8]) -> Result<Columns, BadLine> {
    let usual = match line.get(USUAL_DIGITS) {
        Some(b'\t') => recv_ns(&line[..USUAL_DIGITS]),
        _ => None,
    };
    let (first_tab, recv_ns) = match usual {
        Some(_) => (USUAL_DIGITS, usual),
        None => of_unusual_length(line)?,
    };
    let kind = first_tab + 1;
    let length = memchr::memchr(b'\t', &line[kind..]).ok_or(BadLine::NoTwoTabs)?;
    let kind = kind..kind + length;
    let recv_ns = recv_ns.ok_or(BadLine::BadTime)?;
    Ok(Columns { recv_ns, payload: kind.end + 1, kind })
}

/// The first tab, and the time in front of it if there is one.
#[cold]
fn of_unusual_length(line: &[u8]) -> Result<(usize, Option<i64>), BadLine> {
    match memchr::memchr(b'\t', line) {
        Some(tab) => Ok((tab, recv_ns(&line[..tab]))),
        None if line.is_empty() => Err(BadLine::Empty),
        None => Err(BadLine::NoTwoTabs),
    }
}

/// The value of digits and nothing else, within an `i64`.
#[inline]
fn recv_ns(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || digits.len() > USUAL_DIGITS {
        return of_many_digits(digits);
    }
    // Nineteen digits always fit a u64.
    let mut value = 0_u64;
    let mut eights = digits.chunks_exact(8);
    for eight in &mut eights {
        let eight = eight.first_chunk().and_then(|eight| eight_digits(u64::from_le_bytes(*eight)))?;
        value = value * 100_000_000 + eight;
    }
    for &byte in eights.remainder() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    i64::try_from(value).ok()
}

/// The value of eight ASCII digits, the first in the lowest byte.
#[inline]
fn eight_digits(text: u64) -> Option<u64> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let digits = text ^ ZEROS;
    // Adding 118 carries a byte into its high bit just when it is above 9.
    let above_nine = digits.wrapping_add(0x7676_7676_7676_7676) | digits;
    if above_nine & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    // Neighbours are joined: digits to pairs, pairs to fours, fours to the whole.
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff)
}

/// A time with leading zeros, or one that is none.
#[cold]
fn of_many_digits(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_i64, |value, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(i64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_digits_within_an_i64() {
        let right = [
            ("0", 0),
            ("7", 7),
            ("12345678", 12_345_678),
            ("123456789", 123_456_789),
            ("1767225600000000000", 1_767_225_600_000_000_000),
            ("9223372036854775807", i64::MAX),
            ("0000000000000000000000000000042", 42),
            ("09223372036854775807", i64::MAX),
        ];
        for (text, value) in right {
            assert_eq!(recv_ns(text.as_bytes()), Some(value), "{text}");
        }
        for text in [
            "",
            "-1",
            "+1",
            " 1",
            "1 ",
            "1e9",
            "1.5",
            "0x10",
            "9223372036854775808",
            "9999999999999999999",
            "18446744073709551617",
            "99999999999999999999999999",
            "1234567/",
            "1234567:",
            "12345\u{b2}8",
            "\u{0661}",
        ] {
            assert_eq!(recv_ns(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn each_byte_that_is_no_digit_is_seen_wherever_it_stands() {
        let right = b"1767225600000000000";
        for at in 0..right.len() {
            for byte in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                let mut text = *right;
                text[at] = byte;
                assert_eq!(recv_ns(&text), None, "{byte:#x} at {at}");
            }
        }
    }

    #[test]
    fn a_line_is_taken_apart_at_its_first_two_tabs() {
        let line = b"1767225600000000000\tkalshi\ta\tb\r";
        let columns = columns(line).unwrap();
        assert_eq!(columns.recv_ns, 1_767_225_600_000_000_000);
        assert_eq!(&line[columns.kind], b"kalshi");
        assert_eq!(&line[columns.payload..], b"a\tb\r");
        let short = super::columns(b"5\t\t").unwrap();
        assert_eq!((short.recv_ns, short.kind, short.payload), (5, 2..2, 3));
    }

    #[test]
    fn a_bad_line_is_named_for_its_first_fault() {
        let bad: [(&[u8], BadLine); 9] = [
            (b"", BadLine::Empty),
            (b"\r", BadLine::NoTwoTabs),
            (b"5", BadLine::NoTwoTabs),
            (b"x\tkalshi", BadLine::NoTwoTabs),
            (b"5\tkalshi {}", BadLine::NoTwoTabs),
            (b"1767225600000000000\tkalshi", BadLine::NoTwoTabs),
            (b"x\tkalshi\t{}", BadLine::BadTime),
            (b"\tkalshi\t{}", BadLine::BadTime),
            (b"9999999999999999999\tkalshi\t{}", BadLine::BadTime),
        ];
        for (line, why) in bad {
            assert_eq!(columns(line), Err(why), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn a_second_or_third_tab_where_the_first_usually_stands_misleads_nobody() {
        for line in ["12345678\tpolymarket\t{}", "12\tkalshi\t012345678\t", "1\tpolymarket\t012345\t\t"] {
            assert_eq!(line.as_bytes()[USUAL_DIGITS], b'\t');
            let columns = columns(line.as_bytes()).unwrap();
            let mut parts = line.splitn(3, '\t');
            assert_eq!(columns.recv_ns.to_string(), parts.next().unwrap());
            assert_eq!(&line[columns.kind], parts.next().unwrap());
            assert_eq!(&line[columns.payload..], parts.next().unwrap());
        }
    }
}

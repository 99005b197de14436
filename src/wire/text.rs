//! JSON string contents: finding their end, writing and reading their escapes.

use super::scan;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Offset at or after `from` of the first byte that ends or interrupts a run of plain string content: a quote, a
/// backslash or a control character. `bytes.len()` when there is none.
pub(super) fn plain_run_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        // In each term a borrow reaches only bytes above a true hit, so the lowest flagged byte is exact.
        let hits = (zero_bytes(word ^ (ONES * u64::from(b'"')))
            | zero_bytes(word ^ (ONES * u64::from(b'\\')))
            | (word.wrapping_sub(ONES * 0x20) & !word))
            & HIGHS;
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        at += 1;
    }
    at
}

fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word
}

/// Appends `content` quoted and escaped as orjson does it: the short escapes, `\u00xx` for the other bytes below 0x20,
/// everything else raw.
pub(super) fn quote(out: &mut Vec<u8>, content: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = content.as_bytes();
    out.push(b'"');
    let mut written = 0;
    loop {
        let stop = written + scan::plain_length(&bytes[written..]);
        out.extend_from_slice(&bytes[written..stop]);
        let Some(&byte) = bytes.get(stop) else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => out.extend_from_slice(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 0xf)],
            ]),
        }
        written = stop + 1;
    }
    out.push(b'"');
}

/// Appends the text that a syntactically valid string content (between its quotes) stands for.
pub(super) fn unescape(content: &str, out: &mut String) {
    let mut rest = content;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let Some((character, after)) = unescaped(escape) else { return };
        out.push(character);
        rest = after;
    }
    out.push_str(rest);
}

/// The character of a syntactically valid escape (its backslash already taken), and what follows it.
pub(crate) fn unescaped(escape: &str) -> Option<(char, &str)> {
    let mut characters = escape.chars();
    let character = match characters.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return Some(escaped_char(characters.as_str())),
        literal => literal,
    };
    Some((character, characters.as_str()))
}

/// The character of a `\u` escape (its `\u` already taken), joined with the low surrogate that follows a high one.
fn escaped_char(after_u: &str) -> (char, &str) {
    let unit = hex4(after_u.as_bytes()).unwrap_or(0);
    let rest = after_u.get(4..).unwrap_or("");
    if !(0xd800..0xdc00).contains(&unit) {
        return (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), rest);
    }
    let low = rest.get(2..).and_then(|low| hex4(low.as_bytes())).unwrap_or(0);
    let joined = 0x1_0000 + ((unit - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
    (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), rest.get(6..).unwrap_or(""))
}

/// The four hexadecimal digits at the start of `bytes`.
pub(super) fn hex4(bytes: &[u8]) -> Option<u32> {
    let digits: &[u8; 4] = bytes.first_chunk()?;
    digits.iter().try_fold(0, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))
}

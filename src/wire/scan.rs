//! Finding the end of plain string content sixteen bytes at a time, and learning on the way whether it is ASCII.

use super::text;

/// The beginning of some bytes up to the first one that ends or interrupts plain string content: a quote, a backslash or
/// a control character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// Its length.
    length: usize,
    /// Whether it is known to be ASCII; `false` says nothing.
    ascii: bool,
}

/// Length of the plain run that `bytes` begin with; all of them when nothing interrupts it.
#[inline]
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    run(bytes).length
}

/// The plain run that `bytes` begin with and what follows it, or `None` when the run isn't UTF-8.
#[inline(always)]
pub(crate) fn split_plain(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let Run { length, ascii } = run(bytes);
    let (plain, rest) = bytes.split_at_checked(length)?;
    let plain = if ascii {
        #[expect(unsafe_code, reason = "checking again what the scan has seen costs a third of it")]
        // SAFETY: `run` says so only if it saw that no byte of `plain` has its high bit; such bytes are UTF-8.
        unsafe {
            std::str::from_utf8_unchecked(plain)
        }
    } else {
        std::str::from_utf8(plain).ok()?
    };
    Some((plain, rest))
}

#[inline(always)]
fn run(bytes: &[u8]) -> Run {
    let mut ascii = true;
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let Flags { stops, highs } = flags(chunk);
        if stops != 0 {
            let length = stops.trailing_zeros();
            // The bits below the lowest one that is set: the bytes in front of the stop.
            let before = stops ^ (stops - 1);
            return Run { length: at + length as usize, ascii: ascii & (highs & before == 0) };
        }
        ascii &= highs == 0;
        at += 16;
    }
    match bytes.last_chunk() {
        _ if at == bytes.len() => Run { length: at, ascii },
        // Of the last sixteen those scanned before are plain, so they change nothing.
        Some(chunk) => {
            let Flags { stops, highs } = flags(chunk);
            let length = if stops == 0 { 16 } else { stops.trailing_zeros() as usize };
            Run { length: bytes.len() - 16 + length, ascii: ascii & (highs == 0) }
        }
        None => Run { length: text::plain_run_end(bytes, 0), ascii: false },
    }
}

/// A bit for each of sixteen bytes, the first one's lowest.
#[derive(Debug, PartialEq, Eq)]
struct Flags {
    /// It ends or interrupts plain content.
    stops: u32,
    /// It has its high bit set.
    highs: u32,
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn flags(chunk: &[u8; 16]) -> Flags {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    #[expect(unsafe_code, reason = "a load through a pointer")]
    // SAFETY: the load reads the sixteen bytes of `chunk` and needs no alignment; SSE2 is part of every x86_64.
    let bytes = unsafe { _mm_loadu_si128(chunk.as_ptr().cast()) };
    #[expect(unsafe_code, reason = "instructions of SSE2")]
    // SAFETY: these only compute, and SSE2 is part of every x86_64.
    unsafe {
        let quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
        let backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
        // Unsigned: what isn't above 0x1f is its own minimum with it.
        let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        let stops = _mm_or_si128(_mm_or_si128(quotes, backslashes), controls);
        Flags { stops: _mm_movemask_epi8(stops) as u32, highs: _mm_movemask_epi8(bytes) as u32 }
    }
}

#[cfg(not(target_arch = "x86_64"))]
use portable_flags as flags;

/// What [`flags`] says, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn portable_flags(chunk: &[u8; 16]) -> Flags {
    let mask = |is: fn(u8) -> bool| {
        chunk.iter().enumerate().fold(0, |mask, (place, &byte)| mask | (u32::from(is(byte)) << place))
    };
    Flags {
        stops: mask(|byte| byte == b'"' || byte == b'\\' || byte < 0x20),
        highs: mask(|byte| byte >= 0x80),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes as strings have them, with now and then one that interrupts.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            40 => 0x20..=0x7f_u8,
            1 => any::<u8>(),
            1 => prop::sample::select(vec![b'"', b'\\', 0, 0x1f, 0x20, 0x7f, 0x80, 0xff]),
        ];
        prop::collection::vec(byte, 0..100)
    }

    #[test]
    fn every_byte_at_every_place_is_judged_alike() {
        for place in 0..16 {
            for byte in 0..=u8::MAX {
                for other in [b'a', 0xc3] {
                    let mut chunk = [other; 16];
                    chunk[place] = byte;
                    assert_eq!(flags(&chunk), portable_flags(&chunk), "{byte} at {place}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn flags_are_those_of_the_portable_way(chunk in any::<[u8; 16]>()) {
            prop_assert_eq!(flags(&chunk), portable_flags(&chunk));
        }

        #[test]
        fn a_run_ends_where_a_plain_look_finds_its_end(bytes in bytes()) {
            let stop = bytes.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
            let length = stop.unwrap_or(bytes.len());
            prop_assert_eq!(plain_length(&bytes), length);
            prop_assert_eq!(text::plain_run_end(&bytes, 0), length);
            let expected = std::str::from_utf8(&bytes[..length]).ok().map(|plain| (plain, &bytes[length..]));
            prop_assert_eq!(split_plain(&bytes), expected);
            if run(&bytes).ascii {
                prop_assert!(bytes[..length].is_ascii());
            }
        }

        #[test]
        fn any_text_is_split_at_its_first_quote(text in "\\PC{0,60}", rest in any::<String>()) {
            let whole = format!("{}\"{rest}", text.replace(['"', '\\'], ""));
            let plain = whole.split('"').next().unwrap();
            prop_assert_eq!(split_plain(whole.as_bytes()), Some((plain, &whole.as_bytes()[plain.len()..])));
        }
    }
}

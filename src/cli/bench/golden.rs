//! The golden frames, built into the binary.

use super::error::BenchError;
use crate::wire::frame::{MAX_FRAME_BYTES, PREFIX_BYTES};

const FRAMES: &str = include_str!("../../../golden/frames.tsv");

/// A body by its name.
#[derive(Debug)]
pub(super) struct Golden {
    pub(super) name: &'static str,
    pub(super) body: Vec<u8>,
}

impl Golden {
    pub(super) fn is_ack(&self) -> bool {
        self.name.starts_with("ack_")
    }

    /// Whether a decoder must refuse it.
    pub(super) fn is_refused(&self) -> bool {
        self.name.ends_with("_nonfinite")
    }
}

/// Every golden frame whose prefix lets it reach a decoder.
pub(super) fn frames() -> Result<Vec<Golden>, BenchError> {
    let lines = FRAMES.lines().enumerate().filter(|(_, text)| !text.starts_with('#'));
    let parsed = lines.map(|(index, text)| golden(text).ok_or(BenchError::NoFrame { line: index + 1 }));
    let parsed = parsed.collect::<Result<Vec<_>, _>>()?;
    Ok(parsed.into_iter().filter(|golden| golden.body.len() <= MAX_FRAME_BYTES).collect())
}

fn golden(line: &'static str) -> Option<Golden> {
    let (name, hex) = line.split_once('\t')?;
    let pairs = hex.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    let body = bytes.skip(PREFIX_BYTES).collect::<Option<_>>()?;
    Some(Golden { name, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_frames_are_there_but_the_oversize_one() {
        let frames = frames().unwrap();
        assert_eq!(frames.len(), 42);
        assert!(frames.iter().all(|golden| golden.body.starts_with(b"{") && golden.body.ends_with(b"}")));
        assert_eq!(frames.iter().filter(|golden| golden.is_refused()).count(), 1);
    }
}

//! Any capture is read as a plain split of its lines says, plain or packed, however it is cut and where it is damaged. The first six
//! bytes say how, the rest is the capture.
#![no_main]

#[path = "../bodies/feedlog.rs"]
mod body;

use body::{Damage, Way};
use libfuzzer_sys::fuzz_target;
use wakeline::log::feedlog::Compression;

fuzz_target!(|data: &[u8]| {
    let Some((&[how, cut, limit, low, high, bits], text)) = data.split_first_chunk() else { return };
    let at = usize::from(u16::from_le_bytes([low, high]));
    let way = Way {
        cut: usize::from(cut) + 1,
        // Also a limit that no input reaches.
        limit: if limit < 0x80 { usize::from(limit) + 1 } else { 64 << 20 },
        packed: [Compression::None, Compression::Gzip, Compression::Zstd][usize::from(how % 3)],
        damage: match how / 3 % 3 {
            0 => Damage::None,
            1 => Damage::Shorten(at),
            _ => Damage::Flip(at, bits),
        },
    };
    body::check(text, way);
});

//! A stream gives the same frames however it is cut: the first byte says how, the rest is the stream.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wakeline::wire::FrameBuffer;

fuzz_target!(|data: &[u8]| {
    let Some((&cut, stream)) = data.split_first() else { return };
    assert_eq!(frames(stream, usize::from(cut) + 1), frames(stream, usize::MAX));
});

fn frames(mut stream: &[u8], cut: usize) -> (Vec<Vec<u8>>, bool) {
    let mut buffer = FrameBuffer::new();
    let mut frames = Vec::new();
    while !stream.is_empty() {
        let spare = buffer.spare();
        let count = stream.len().min(spare.len()).min(cut);
        spare[..count].copy_from_slice(&stream[..count]);
        stream = &stream[count..];
        buffer.advance(count);
        loop {
            match buffer.next_frame() {
                Ok(Some(body)) => frames.push(body.to_vec()),
                Ok(None) => break,
                Err(_) => return (frames, true),
            }
        }
    }
    (frames, false)
}

//! The runs that callgrind counts, for `bench/instructions.sh`.
#![allow(clippy::expect_used, reason = "a count that can't start has nobody to tell but its reader")]

/// Something that can be run again and again.
pub(crate) type Part = Box<dyn FnMut()>;

/// A part's name, and what sets it up.
pub(crate) type NamedPart = (&'static str, fn() -> Part);

/// Runs before those that count: buffers have grown and templates are there.
const WARM_UP: u64 = 200;

/// The oldest processor this build runs on, which is what `-C target-cpu` and `target-feature` chose.
const TARGET_CPU: &str = if cfg!(target_feature = "avx512f") {
    "x86-64-v4"
} else if cfg!(target_feature = "avx2") {
    "x86-64-v3"
} else if cfg!(target_feature = "sse4.2") {
    "x86-64-v2"
} else {
    std::env::consts::ARCH
};

/// With `WAKELINE_BENCH_COUNT=PART:N`, runs that part N times after a warm-up, says what it was built for, and returns
/// `true`. The part alone is set up, so that no other leaves a thread or a heap behind.
pub(crate) fn counted_instead(parts: &[NamedPart]) -> bool {
    let Ok(count) = std::env::var("WAKELINE_BENCH_COUNT") else { return false };
    let (name, times) = count.split_once(':').expect("PART:N");
    let times = times.parse().expect("a number of runs");
    let (_, set_up) = parts.iter().find(|(part, _)| *part == name).expect("the name of a part");
    let mut part = set_up();
    (0..WARM_UP).for_each(|_| part());
    counted(&mut part, times);
    println!("{TARGET_CPU}");
    true
}

/// What callgrind is told to count, by this name.
#[inline(never)]
fn counted(part: &mut Part, times: u64) {
    (0..times).for_each(|_| part());
}

//! Memory the hot path may use, and proof of what it does use.
//!
//! * [`counting`]: an allocator that counts, for tests and measurements;
//! * [`spsc`]: a bounded ring between two threads.

pub mod counting;
pub mod spsc;
pub(crate) mod sync;

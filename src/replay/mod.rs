//! Sessions of market data: recorded ones replayed, and synthetic ones made.
//!
//! - [`synth`]: a session in which one venue leads the other by a known time.

mod mt19937;
pub mod synth;

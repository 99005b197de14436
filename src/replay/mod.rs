//! Sessions of market data: recorded ones replayed, and synthetic ones made.
//!
//! - [`pipeline`]: what happens to one record. [`signals`]: what is published of it, and kept. [`accounting`]: what became of each.
//! - [`run`]: a whole capture, and its time. [`summary`] makes the [`report`] of it, `text` prints it; [`export`] writes signals.
//! - [`synth`]: a session in which one venue leads the other by a known time.

pub mod accounting;
pub mod export;
mod mt19937;
pub mod pipeline;
pub mod report;
pub mod run;
pub mod signals;
pub mod summary;
pub mod synth;
mod text;

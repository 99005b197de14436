//! Clocks, percentiles, and the machine they were measured on.
//!
//! - [`clock`]: the wall clock, the monotonic clock, and the token that tells whether two processes share the latter.
//! - [`machine`]: which machine a figure comes from.
//! - [`percentiles`]: the one estimator every wake and sign figure is quoted with.
//! - [`rate_limit`]: one log line per kind and interval, with the number of lines it stands for.
//! - [`utc`]: times as people read them.

pub mod clock;
pub mod machine;
pub mod percentiles;
pub mod rate_limit;
pub mod utc;

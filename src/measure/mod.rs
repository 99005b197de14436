//! Clocks and percentiles.
//!
//! - [`clock`]: the wall clock, the monotonic clock, and the token that tells whether two processes share the latter.
//! - [`percentiles`]: the one estimator every wake and sign figure is quoted with.
//! - [`rate_limit`]: one log line per kind and interval, with the number of lines it stands for.

pub mod clock;
pub mod percentiles;
pub mod rate_limit;

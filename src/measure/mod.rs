//! Clocks and percentiles.

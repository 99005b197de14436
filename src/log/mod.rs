//! Recordings of market data: read, written, checked, cut and merged.
//!
//! [`feedlog`] is the format that captures of the venues come in.

pub mod feedlog;

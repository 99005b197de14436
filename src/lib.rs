//! wakeline: the executor half of a two-process prediction-market bot, and what surrounds it.
//!
//! A poller decides; it sends a *wake* over a Unix socket. The executor acks it, records how long that took, and fires.
//! This crate is that executor, a drop-in replacement of the Python one.
//!
//! # Map of the house
//!
//! Each module uses only those below it (`tests/layers.rs` checks that):
//!
//! | module | what it is |
//! |---|---|
//! | [`cli`] | the command line, one file a subcommand |
//! | [`executor`] | the daemon: socket, connections, the hot path, the orderly stop |
//! | [`fire`] | what follows an ack: refusals, price grid, kill switch, order, dispatch |
//! | [`replay`] | recorded sessions replayed, and synthetic ones made |
//! | [`log`] | captures of market data: read, written, checked, cut and merged |
//! | [`market`] | market data of four venues: messages, books |
//! | [`telemetry`] | latency rows into the SQLite file both processes share |
//! | [`signer`] | signatures of Kalshi requests, made and checked |
//! | [`wire`] | frames, and the JSON in them, byte for byte as the reference has it |
//! | [`memory`] | an allocator that counts, a ring between two threads |
//! | [`measure`] | clocks, percentiles, rate limits |
//!
//! Start reading at [`executor::HotPath::frame`]: it is what happens to one wake.

pub mod cli;
pub mod executor;
pub mod fire;
pub mod log;
pub mod market;
pub mod measure;
pub mod memory;
pub mod replay;
pub mod signer;
pub mod telemetry;
pub mod wire;

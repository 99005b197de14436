//! The daemon: one thread accepts every connection, acks every frame, and fires.
//!
//! * [`endpoint`]: the socket's path, its lock, and how it appears only when it is listening;
//! * [`server`]: accepting, signals, the orderly stop;
//! * `connection`: one peer's frames in, acks out;
//! * `hot_path`: what happens to one frame;
//! * [`placement`]: the CPUs its threads run on, its memory in RAM;
//! * [`client`]: a plain blocking client, for the demo and for measurements.

pub mod client;
mod connection;
mod counters;
pub mod endpoint;
mod hot_path;
mod outbox;
pub mod placement;
pub mod server;
mod sink;
pub(crate) mod spin;
mod stop;

pub use counters::Counters;
pub use endpoint::{Endpoint, EndpointError};
pub use hot_path::HotPath;
pub use placement::{Pin, PlacementError};
pub use server::{ServeError, ServeOptions, ServeReport, serve};

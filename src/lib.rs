//! wakeline: the executor half of a two-process prediction-market bot.

pub mod cli;
pub mod executor;
pub mod fire;
pub mod measure;
pub mod telemetry;
pub mod wire;

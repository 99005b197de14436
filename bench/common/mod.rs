//! The bodies every benchmark decodes, and the runs that callgrind counts.
#![allow(dead_code, reason = "each benchmark uses its own part")]

pub(crate) mod bodies;
pub(crate) mod counting;
#[path = "../../src/cli/bench/wake.rs"]
pub(crate) mod wake;

use wakeline::wire;

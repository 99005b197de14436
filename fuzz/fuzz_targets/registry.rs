//! Any bytes are a registry, or are refused with the line that is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/registry.rs"]
mod body;

fuzz_target!(|text: &[u8]| body::check(text));

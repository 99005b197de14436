//! The `wakeline` binary.

use std::process::ExitCode;

use wakeline::memory::counting::CountingAllocator;

/// The system's, with a count of allocations that `wakeline bench replay` quotes.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    wakeline::cli::run()
}

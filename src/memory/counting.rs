//! An allocator that counts each thread's allocations, to pin that a path makes none.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting. Installed with `#[global_allocator]` by whoever wants to count.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

/// Allocations and reallocations this thread has made since it started; 0 for ever unless [`CountingAllocator`] is the
/// global allocator.
pub fn allocations_on_this_thread() -> u64 {
    ALLOCATIONS.get()
}

fn count() {
    // A thread that is being torn down has no counter left; its last allocations are nobody's hot path.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

#[expect(unsafe_code, reason = "an allocator can't be written without it")]
// SAFETY: every call is passed on to `System` unchanged, which upholds `GlobalAlloc`'s contract; the counting neither
// allocates (a const-initialised `Cell` without a destructor) nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are exactly the ones `System.alloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are exactly the ones `System.alloc_zeroed` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: `block` came from `System` with this layout, as every block of this allocator does.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` came from `System` with this layout, as every block of this allocator does.
        unsafe { System.dealloc(block, layout) }
    }
}

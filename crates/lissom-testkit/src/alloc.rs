//! A global allocator that counts.
//!
//! A test binary installs it once:
//!
//! ```
//! use lissom_testkit::alloc::{CountingAllocator, assert_no_alloc};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! let mut sum = 0;
//! assert_no_alloc(|| sum += 1);
//! ```
#![allow(
    unsafe_code,
    reason = "GlobalAlloc is an unsafe trait; every call goes to the system's allocator as it is"
)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
};

/// The system's allocator, counted: allocations and growths, for each thread and for all; and how many bytes each
/// thread holds.
pub struct CountingAllocator;

/// Every allocation of every thread so far.
static EVERYWHERE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// This thread's allocations so far. `const`, so that reading it never allocates.
    static HERE: Cell<u64> = const { Cell::new(0) };
    /// Bytes that this thread took and did not give back, and the most it ever was. Memory that one thread takes
    /// and another gives back makes the second count go below zero: both are right as differences.
    static HELD: Cell<Held> = const { Cell::new(Held { now: 0, peak: 0 }) };
}

#[derive(Clone, Copy)]
struct Held {
    now: i64,
    peak: i64,
}

fn count() {
    EVERYWHERE.fetch_add(1, Ordering::Relaxed);
    // A thread that is being torn down has no cell any more; the global count still has it.
    let _ = HERE.try_with(|n| n.set(n.get() + 1));
}

fn hold(taken: usize, given_back: usize) {
    let _ = HELD.try_with(|held| {
        let Held { now, peak } = held.get();
        let now = now + taken as i64 - given_back as i64;
        held.set(Held { now, peak: if now > peak { now } else { peak } });
    });
}

// SAFETY: every method hands its arguments to `System` unchanged and returns what `System` returns, so the
// contract that callers keep towards us is the contract kept towards `System`. `count` and `hold` neither
// allocate nor unwind.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        hold(layout.size(), 0);
        // SAFETY: `layout` is the caller's, of non-zero size by the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        hold(layout.size(), 0);
        // SAFETY: `layout` is the caller's, of non-zero size by the caller's contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        hold(new_size, layout.size());
        // SAFETY: `ptr` came from `System` with this `layout`, and `new_size` is the caller's.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        hold(0, layout.size());
        // SAFETY: `ptr` came from `System` with this `layout`.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Allocations of this thread so far.
#[must_use]
pub fn allocations_here() -> u64 {
    HERE.with(Cell::get)
}

/// Allocations of all threads so far.
#[must_use]
pub fn allocations_everywhere() -> u64 {
    EVERYWHERE.load(Ordering::Relaxed)
}

/// Runs `f` and panics if this thread allocated meanwhile.
///
/// # Panics
///
/// Also if [`CountingAllocator`] is not installed: an assertion that cannot fail is worth nothing.
pub fn assert_no_alloc<T>(f: impl FnOnce() -> T) -> T {
    assert_installed();
    let before = allocations_here();
    let result = f();
    let count = allocations_here() - before;
    assert_eq!(count, 0, "{count} allocations on this thread where none is allowed");
    result
}

/// Runs `f` and panics if any thread allocated meanwhile. Other tests of the same binary run on other
/// threads: use it in a binary with a single test, or with `--test-threads 1`.
///
/// # Panics
///
/// Also if [`CountingAllocator`] is not installed.
pub fn assert_no_alloc_anywhere<T>(f: impl FnOnce() -> T) -> T {
    assert_installed();
    let before = allocations_everywhere();
    let result = f();
    let count = allocations_everywhere() - before;
    assert_eq!(count, 0, "{count} allocations on all threads where none is allowed");
    result
}

/// Runs `f` and says how many bytes this thread held at most, beyond what it held before.
///
/// # Panics
///
/// If [`CountingAllocator`] is not installed.
pub fn peak_bytes<T>(f: impl FnOnce() -> T) -> (T, u64) {
    assert_installed();
    let before = HELD.with(|held| {
        let now = held.get().now;
        held.set(Held { now, peak: now });
        now
    });
    let result = f();
    let peak = HELD.with(Cell::get).peak - before;
    (result, peak.unsigned_abs())
}

fn assert_installed() {
    let before = allocations_here();
    drop(black_box(Box::new(0_u8)));
    assert!(allocations_here() > before, "CountingAllocator is not this binary's #[global_allocator]");
}

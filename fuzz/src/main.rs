//! The fuzzer: one program for every target, so that CI builds and links once.
//!
//! The variable `LISSOM_FUZZ` names a target of `lissom_testkit::hostile`, where bodies, bounds and seeds are and where
//! the ordinary tests run them too; or `golden-hashes`, which runs every job on the widest backend. `cargo xtask fuzz` sets it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lissom_testkit::{alloc::CountingAllocator, conformance, hostile};
use std::sync::LazyLock;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static NAME: LazyLock<String> =
    LazyLock::new(|| std::env::var("LISSOM_FUZZ").expect("LISSOM_FUZZ names a target"));

fuzz_target!(|bytes: &[u8]| {
    if *NAME == "golden-hashes" {
        conformance::check_widest().expect("the golden hashes are met");
    } else {
        hostile::check(hostile::target(&NAME), bytes);
    }
});

//! The fuzz targets' common half. Bodies, bounds and seeds are in `lissom_testkit::hostile`, where the ordinary
//! tests run them too.

pub use libfuzzer_sys::fuzz_target;
pub use lissom_testkit::{alloc::CountingAllocator, hostile};

/// A fuzz target by its name in [`hostile::TARGETS`], with the allocator that counts.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        #[global_allocator]
        static ALLOCATOR: $crate::CountingAllocator = $crate::CountingAllocator;

        $crate::fuzz_target!(|bytes: &[u8]| {
            $crate::hostile::check($crate::hostile::target($name), bytes);
        });
    };
}

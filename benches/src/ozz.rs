//! What ozz-animation takes for the same work, and how far below it we mean to be.
//!
//! Recorded figures of ozz-animation 0.16 (release build, AVX2 and FMA) on one machine: Xeon, Golden Cove core, one
//! thread, quiet, minimum of many rounds. [`CALIBRATION_NS`] was taken in the same hour; a quotient compares
//! figures through it, so that it means something on another machine of the same kind and at another clock.

use lissom::math::simd::Backend;

/// One step of the calibration loop where ozz was measured.
const CALIBRATION_NS: f64 = 2.31;

/// A figure of ozz in nanoseconds a joint or vertex, and what part of it is our goal.
#[derive(Clone, Copy)]
pub struct Goal {
    ozz_ns: f64,
    avx512: f64,
    avx2: f64,
}

pub const LOCAL_TO_MODEL: Goal = Goal { ozz_ns: 6.27, avx512: 0.5, avx2: 0.72 };
/// Of 2, 3 and 4 layers.
pub const BLEND: [Goal; 3] = [
    Goal { ozz_ns: 2.51, avx512: 0.5, avx2: 0.73 },
    Goal { ozz_ns: 3.57, avx512: 0.5, avx2: 0.73 },
    Goal { ozz_ns: 4.60, avx512: 0.5, avx2: 0.73 },
];
/// Of positions, with normals, with tangents too.
pub const SKIN_4: [Goal; 3] = [
    Goal { ozz_ns: 4.14, avx512: 0.77, avx2: 0.92 },
    Goal { ozz_ns: 5.13, avx512: 0.70, avx2: 0.87 },
    Goal { ozz_ns: 6.39, avx512: 0.63, avx2: 0.82 },
];
pub const SKIN_1_SHARED: [Goal; 3] = [
    Goal { ozz_ns: 1.35, avx512: 0.5, avx2: 1.0 },
    Goal { ozz_ns: 2.4, avx512: 0.5, avx2: 1.0 },
    Goal { ozz_ns: 3.6, avx512: 0.5, avx2: 1.0 },
];
pub const SKIN_1_MIXED: [Goal; 3] = [
    Goal { ozz_ns: 1.35, avx512: 0.75, avx2: 1.0 },
    Goal { ozz_ns: 2.4, avx512: 0.75, avx2: 1.0 },
    Goal { ozz_ns: 3.6, avx512: 0.75, avx2: 1.0 },
];

impl Goal {
    /// Our nanoseconds through ozz's, each in steps of the calibration loop.
    pub fn quotient(self, ns: f64, calibration_ns: f64) -> f64 {
        (ns / calibration_ns) / (self.ozz_ns / CALIBRATION_NS)
    }

    /// The quotient we mean to reach on a backend: ozz itself has four lanes.
    pub fn of(self, backend: Backend) -> f64 {
        match backend.name() {
            "avx512" => self.avx512,
            "avx2" => self.avx2,
            "scalar" | "sse2" => 3.0,
            _ => 1.0,
        }
    }
}

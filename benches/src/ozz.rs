//! What ozz-animation takes for the same work, and how far below it we mean to be.
//!
//! Recorded figures of ozz-animation 0.16 (release build, AVX2 and FMA) on one machine: Xeon, Golden Cove core, one
//! thread, quiet, minimum of many rounds. The calibration loop was timed in the same hour; a quotient compares
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
    /// On what has four lanes, as ozz has.
    four: f64,
}

/// A joint.
pub const LOCAL_TO_MODEL: Goal = Goal::new(6.27, 0.5, 0.8);
/// Of 2, 3 and 4 layers.
pub const BLEND: [Goal; 3] = [
    Goal::new(2.51, 0.5, 0.8).on_four(1.2),
    Goal::new(3.57, 0.5, 0.8).on_four(1.2),
    Goal::new(4.60, 0.5, 0.8).on_four(1.2),
];
/// Of positions, with normals, with tangents too.
pub const SKIN_4: [Goal; 3] = [
    Goal::new(4.14, 0.77, 1.0).on_four(1.6),
    Goal::new(5.13, 0.70, 0.95).on_four(1.6),
    Goal::new(6.39, 0.63, 0.9).on_four(1.6),
];
/// One influence, where neighbours share the joint.
pub const SKIN_1_SHARED: [Goal; 3] =
    [Goal::new(1.35, 0.5, 1.0), Goal::new(2.4, 0.5, 1.0), Goal::new(3.6, 0.5, 1.0)];
/// The same where each has its own.
pub const SKIN_1_MIXED: [Goal; 3] =
    [Goal::new(1.35, 0.75, 1.0), Goal::new(2.4, 0.75, 1.0), Goal::new(3.6, 0.75, 1.0)];

/// ozz's own walk, 67 joints: forward, backward, same time, random.
pub const WALK: [Goal; 4] = [
    Goal::new(7.46, 0.38, 0.45),
    Goal::new(7.48, 0.42, 0.5),
    Goal::new(2.17, 0.55, 0.6),
    Goal::new(34.7, 0.38, 0.5),
];
/// Of the sets of raw clips: the parts for AVX-512 and AVX2; ozz's figures stand in a table beside the clips.
pub const CMU: [[f64; 2]; 4] = [[0.28, 0.5], [0.32, 0.55], [0.55, 0.8], [0.35, 0.7]];
/// Likewise.
pub const GLTF: [[f64; 2]; 4] = [[0.38, 0.5], [0.42, 0.55], [0.6, 0.8], [0.35, 0.6]];
/// A call.
pub const TWO_BONE: Goal = Goal::new(172.0, 1.0, 1.0);
/// A call for one joint.
pub const AIM: Goal = Goal::new(72.0, 1.5, 1.5).on_four(1.5);
/// A chain of many that are solved side by side.
pub const TWO_BONE_IN_LANES: Goal = Goal::new(172.0, 0.25, 0.25);
/// Likewise.
pub const AIM_IN_LANES: Goal = Goal::new(72.0, 0.25, 0.25);
/// Three samples of the walk, a blend and model matrices, in all.
pub const CHARACTER: Goal = Goal::new(2440.0, 0.45, 0.5);

impl Goal {
    /// A figure of ozz, and what part of it is our goal on AVX-512 and on AVX2.
    #[must_use]
    pub const fn new(ozz_ns: f64, avx512: f64, avx2: f64) -> Self {
        Self { ozz_ns, avx512, avx2, four: 1.0 }
    }

    /// What part is the goal on four lanes, where that is not ozz's own time.
    #[must_use]
    pub const fn on_four(self, four: f64) -> Self {
        Self { four, ..self }
    }

    /// Our nanoseconds through ozz's, each in steps of the calibration loop.
    #[must_use]
    pub fn quotient(self, ns: f64, calibration_ns: f64) -> f64 {
        (ns / calibration_ns) / (self.ozz_ns / CALIBRATION_NS)
    }

    /// The quotient we mean to reach on a backend: ozz itself has four lanes.
    #[must_use]
    pub fn of(self, backend: Backend) -> f64 {
        match backend.name() {
            "avx512" | "avx2" | "scalar" | "sse2" => part(backend, [self.avx512, self.avx2]),
            _ => self.four,
        }
    }
}

/// What is asked for on a backend, where two are given for AVX-512 and AVX2.
#[must_use]
pub fn part(backend: Backend, [avx512, avx2]: [f64; 2]) -> f64 {
    match backend.name() {
        "avx512" => avx512,
        "avx2" => avx2,
        "scalar" | "sse2" => 3.0,
        _ => 1.0,
    }
}

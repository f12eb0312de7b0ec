//! What the job tests share: random data that is the same in every run, and comparison of bits.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::needless_range_loop, reason = "several lists share an index")]

use lissom::{
    Skeleton, SkeletonParts,
    math::{
        Mat4, Mat34, Quat, Transform, Vec3,
        scalar::quat_normalize,
        soa::{self, SoaTransform},
    },
};

pub mod clips;
pub mod meshes;
pub mod oracle;
pub mod stage;

/// Random numbers that are the same in every run.
#[derive(Clone)]
pub struct Random(lissom_testkit::rng::Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(lissom_testkit::rng::Rng::new(seed))
    }

    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n
    }

    /// In [-1, 1).
    pub fn unit(&mut self) -> f32 {
        self.bits() as f32 / 2_147_483_648.0 - 1.0
    }

    pub fn vec3(&mut self, size: f32) -> Vec3 {
        Vec3::new(self.unit() * size, self.unit() * size, self.unit() * size)
    }

    pub fn quat(&mut self) -> Quat {
        quat_normalize(Quat::from_xyzw(self.unit(), self.unit(), self.unit(), self.unit()))
    }

    /// Any rotation, uneven scale around 1, sometimes mirrored.
    pub fn transform(&mut self) -> Transform {
        let s = self.vec3(0.4);
        let flip = if self.below(8) == 0 { -1.0 } else { 1.0 };
        Transform {
            translation: self.vec3(0.5),
            rotation: self.quat(),
            scale: Vec3::new((1.0 + s.x) * flip, 1.0 + s.y, 1.0 + s.z),
        }
    }

    /// A rotation and a translation.
    pub fn rigid(&mut self) -> Transform {
        Transform { scale: Vec3::ONE, ..self.transform() }
    }

    pub fn pose(&mut self, joints: usize) -> Vec<SoaTransform> {
        soa::pack(&(0..joints).map(|_| self.transform()).collect::<Vec<_>>())
    }

    /// A skeleton with chains, fans and more than one root.
    pub fn skeleton(&mut self, joints: usize) -> Skeleton {
        let mut parents: Vec<Option<u16>> = Vec::new();
        for j in 0..joints {
            // Walk up from the joint before by a random number of steps.
            let mut at = (j as u16).checked_sub(1);
            for _ in 0..self.below(4) {
                at = at.and_then(|a| parents[usize::from(a)]);
            }
            if self.below(40) == 0 {
                at = None;
            }
            parents.push(at);
        }
        let names: Vec<_> = (0..joints).map(|j| format!("j{j}")).collect();
        let rest: Vec<_> = (0..joints).map(|_| self.rigid()).collect();
        Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).unwrap()
    }
}

/// Bits, with every NaN the same.
pub fn bits(v: f32) -> u32 {
    if v.is_nan() { f32::NAN.to_bits() } else { v.to_bits() }
}

/// Floats as bits, for comparison.
pub fn all_bits(v: impl IntoIterator<Item = f32>) -> Vec<u32> {
    v.into_iter().map(bits).collect()
}

/// The bits of the first `joints` joints of a pose.
pub fn pose_bits(pose: &[SoaTransform], joints: usize) -> Vec<u32> {
    all_bits((0..joints).flat_map(|j| soa::lane(pose, j).to_array()))
}

/// The bits of matrices.
pub fn mat4_bits(m: &[Mat4]) -> Vec<u32> {
    all_bits(m.iter().flat_map(|m| m.to_cols_array()))
}

/// The bits of matrices.
pub fn mat34_bits(m: &[Mat34]) -> Vec<u32> {
    all_bits(m.iter().flat_map(|m| m.columns.into_iter().flatten()))
}

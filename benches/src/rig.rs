//! A rig of 67 joints, the size of the character the peers were measured on, and poses for it.

use lissom::{
    Skeleton, SkeletonParts,
    math::{Quat, Transform, Vec3, scalar::quat_normalize, soa},
};

/// Random numbers that are the same in every run.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    /// In [-1, 1).
    pub fn unit(&mut self) -> f32 {
        self.bits() as f32 / 2_147_483_648.0 - 1.0
    }

    /// In 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n
    }

    /// A joint's local transform: any rotation, a bone's length, scale 1.
    pub fn transform(&mut self) -> Transform {
        let q = Quat::from_xyzw(self.unit(), self.unit(), self.unit(), self.unit());
        Transform {
            translation: Vec3::new(self.unit() * 0.3, self.unit() * 0.3, self.unit() * 0.3),
            rotation: quat_normalize(q),
            scale: Vec3::ONE,
        }
    }
}

/// Parents of a humanoid of 67 joints, depth-first: hips, a spine of four, head, two arms with five fingers
/// of four, two legs.
#[must_use]
pub fn parents() -> Vec<Option<u16>> {
    let mut parents = vec![None];
    let chain = |parents: &mut Vec<Option<u16>>, from: u16, length: usize| {
        let mut at = from;
        for _ in 0..length {
            parents.push(Some(at));
            at = parents.len() as u16 - 1;
        }
        at
    };
    for _ in 0..2 {
        chain(&mut parents, 0, 4);
    }
    let chest = chain(&mut parents, 0, 4);
    chain(&mut parents, chest, 3);
    for _ in 0..2 {
        let hand = chain(&mut parents, chest, 4);
        for _ in 0..5 {
            chain(&mut parents, hand, 4);
        }
    }
    while parents.len() < 67 {
        parents.push(Some(0));
    }
    parents
}

/// The rig.
#[must_use]
pub fn skeleton() -> Skeleton {
    let parents = parents();
    let names: Vec<_> = (0..parents.len()).map(|j| format!("j{j}")).collect();
    let mut random = Random::new(1);
    let rest: Vec<_> = parents.iter().map(|_| random.transform()).collect();
    Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).expect("a fixed table")
}

/// A pose of any number of joints.
#[must_use]
pub fn pose(joints: usize, seed: u64) -> Vec<soa::SoaTransform> {
    let mut random = Random::new(seed);
    let joints: Vec<_> = (0..joints).map(|_| random.transform()).collect();
    soa::pack(&joints)
}

//! What the clip tests share.

use lissom::{
    Skeleton, SkeletonParts,
    math::{
        Transform,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{
    cook::{ClipPlan, Jumps, PlanChannel, PlanKeys, PlanTrack, TimePoints},
    exact::{Q4, V3},
    raw::Curve,
};

/// The kit's generator, and what clips need of it.
pub struct Rng(lissom_testkit::rng::Rng);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(lissom_testkit::rng::Rng::new(seed))
    }
    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.below(n as usize) as u64
    }
    pub fn unit(&mut self) -> f64 {
        self.0.unit_f64()
    }
    pub fn signed(&mut self) -> f64 {
        self.0.range_f64(-1.0, 1.0)
    }
    pub fn v3(&mut self, scale: f64) -> V3 {
        V3::new(self.signed() * scale, self.signed() * scale, self.signed() * scale)
    }
}

/// A chain of joints with a rest pose that differs from joint to joint.
pub fn skeleton(joints: usize) -> Skeleton {
    let parents: Vec<_> = (0..joints as u16).map(|j| j.checked_sub(1)).collect();
    let names: Vec<_> = (0..joints).map(|j| format!("joint {j}")).collect();
    let rest: Vec<_> = (0..joints)
        .map(|j| Transform { translation: V3::new(0.0, j as f64, 0.5).to_f32(), ..Transform::IDENTITY })
        .collect();
    Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).unwrap()
}

/// Every joint turns, every third one moves too; keys on a third of the rows.
pub fn long_plan(rng: &mut Rng, skeleton: &Skeleton, seconds: f64, jump_s: f64) -> ClipPlan {
    let rows = (seconds * 30.0) as u32 + 1;
    let mut channels = Vec::new();
    for joint in 0..skeleton.joint_count() as u16 {
        let keyed = |rng: &mut Rng| -> Vec<u32> {
            (0..rows).filter(|r| *r == 0 || *r == rows - 1 || rng.below(3) == 0).collect()
        };
        if joint % 3 == 0 {
            let keys = keyed(rng).into_iter().map(|r| (r, rng.v3(1.0))).collect();
            let track = PlanTrack { curve: Curve::Linear, keys, tolerance: 1e-3 };
            channels.push(PlanChannel { joint, keys: PlanKeys::Translation(track) });
        }
        let mut q = Q4::IDENTITY;
        let turn = |r: u32, rng: &mut Rng| {
            q = (q * Q4::from_axis_angle(rng.v3(1.0).normalize_or(V3::X), 0.2)).normalize();
            (r, q)
        };
        let mut turn = turn;
        let keys = keyed(rng).into_iter().map(|r| turn(r, rng)).collect();
        let curve = if joint % 4 == 1 { Curve::Hermite } else { Curve::Linear };
        let track = PlanTrack { curve, keys, tolerance: 1e-3 };
        channels.push(PlanChannel { joint, keys: PlanKeys::Rotation(track) });
    }
    ClipPlan {
        name: "long".into(),
        looping: false,
        times: TimePoints::Uniform { rate: 30.0, count: rows },
        joint_count: skeleton.joint_count(),
        skeleton_identity: skeleton.identity(),
        channels,
        jumps: Jumps::Every(jump_s),
    }
}

pub fn assert_same_bits(a: &[SoaTransform], b: &[SoaTransform], joints: usize, what: &str) {
    for j in 0..joints {
        let bits = |p: &[SoaTransform]| soa::lane(p, j).to_array().map(f32::to_bits);
        assert_eq!(bits(a), bits(b), "{what}, joint {j}: {:?} / {:?}", soa::lane(a, j), soa::lane(b, j));
    }
}

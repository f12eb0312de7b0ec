//! Many chains that look at a target each.

use super::{numbered, put_matrix, put_vector};
use crate::job::{
    JobError,
    error::at_least,
    ik::aim::{AimCorrection, AimIkJob, check},
    kernel::turn_wide::{WideTurn, across, any, any_across, direction, share, unit},
};
use lissom_math::{
    Mat34, Vec3, dispatch,
    simd::{Backend, LEN, Simd, WideMat34, WideQuat, WideVec3, load, prelude::*, splat},
    soa::{GROUP, Lanes, SoaMat34, SoaQuat, SoaVec3},
};

/// A chain for an [`AimBatchJob`]: the inputs of an [`AimIkJob`], where they are described.
#[derive(Clone, Copy, Debug)]
pub struct AimChain<'a> {
    /// The joints in model space, the one that looks first.
    pub joints: &'a [Mat34],
    /// How much each joint turns.
    pub weights: &'a [f32],
    /// What to look at, in model space.
    pub target: Vec3,
    /// Where the first joint looks, in its space.
    pub forward: Vec3,
    /// Where it looks from, in its space.
    pub offset: Vec3,
    /// What is up, in its space.
    pub up: Vec3,
    /// Where up shall be, in model space.
    pub pole: Vec3,
    /// Radians about the line to the target.
    pub twist: f32,
}

impl<'a> AimChain<'a> {
    /// Looks along z, up is y.
    #[must_use]
    pub fn new(joints: &'a [Mat34], weights: &'a [f32], target: Vec3) -> Self {
        let (forward, up) = (Vec3::Z, Vec3::Y);
        Self { joints, weights, target, forward, offset: Vec3::ZERO, up, pole: up, twist: 0.0 }
    }

    /// The job that solves this chain alone.
    #[must_use]
    pub fn job<'b>(&self, output: &'b mut [AimCorrection]) -> AimIkJob<'b>
    where
        'a: 'b,
    {
        let Self { joints, weights, target, forward, offset, up, pole, twist } = *self;
        AimIkJob { joints, weights, target, forward, offset, up, pole, twist, output }
    }
}

/// [`AimIkJob`] for many chains: the heads of a crowd.
///
/// | field | | |
/// |---|---|---|
/// | `chains` | in | any number of chains, of the same or of other numbers of joints |
/// | `output` | out | the corrections of the first chain's joints, then those of the second, and so on |
///
/// Each correction has the bits that [`AimIkJob`] gives for the chain alone, whatever stands beside it.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `output` is shorter than all joints, or a chain has fewer weights than joints.
/// - [`JobError::Value`]: as of [`AimIkJob`]; `index` is the number of the chain.
///
/// # Cost and determinism
///
/// As many chains as the backend has lanes are solved together, joint by joint up to the longest chain among them: chains of
/// equal length belong side by side. `BENCHMARKS.md` has figures. No allocation, the same bits on every backend.
#[derive(Debug)]
pub struct AimBatchJob<'a> {
    /// The chains.
    pub chains: &'a [AimChain<'a>],
    /// What to turn, a joint each.
    pub output: &'a mut [AimCorrection],
}

impl<'a> AimBatchJob<'a> {
    /// Chains, and room for the corrections of all their joints.
    #[must_use]
    pub fn new(chains: &'a [AimChain<'a>], output: &'a mut [AimCorrection]) -> Self {
        Self { chains, output }
    }

    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`AimBatchJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let joints = self.chains.iter().map(|chain| chain.joints.len()).sum();
        at_least("output", "joints", self.output.len(), joints)?;
        self.chains.iter().enumerate().try_for_each(|(i, chain)| numbered(check(chain), i))
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`AimBatchJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`AimBatchJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        dispatch!(backend, s => aim_all(s, self.chains, self.output));
        Ok(())
    }
}

/// The inputs of as many chains as there are lanes.
struct Room {
    /// A joint of each, and the one before it.
    joint: SoaMat34,
    before: SoaMat34,
    weight: Lanes,
    target: SoaVec3,
    gaze: [SoaVec3; 3],
    pole: SoaVec3,
    twist: Lanes,
}

#[inline(always)]
fn aim_all<S: Simd>(s: S, chains: &[AimChain<'_>], mut output: &mut [AimCorrection]) {
    let (zero, none, one) = (SoaVec3::ZERO, Lanes::splat(0.0), SoaMat34::IDENTITY);
    let mut room = Room {
        joint: one,
        before: one,
        weight: none,
        target: zero,
        gaze: [zero; 3],
        pole: zero,
        twist: none,
    };
    for chains in chains.chunks(LEN::<S>()) {
        let (mut longest, mut all, mut starts) = (0, 0, [0; GROUP]);
        for (lane, chain) in chains.iter().enumerate() {
            put_vector(&mut room.target, lane, chain.target);
            put_vector(&mut room.gaze[0], lane, chain.forward);
            put_vector(&mut room.gaze[1], lane, chain.offset);
            put_vector(&mut room.gaze[2], lane, chain.up);
            put_vector(&mut room.pole, lane, chain.pole);
            room.twist.0[lane] = chain.twist;
            starts[lane] = all;
            all += chain.joints.len();
            longest = longest.max(chain.joints.len());
        }
        let (here, rest) = output.split_at_mut(all);
        output = rest;
        let wide = WideAim {
            target: WideVec3::load(s, &room.target, 0),
            pole: WideVec3::load(s, &room.pole, 0),
            twist: load(s, &room.twist, 0),
        };
        let [forward, offset, up] = &room.gaze;
        let mut gaze = WideGaze {
            forward: WideVec3::load(s, forward, 0),
            offset: WideVec3::load(s, offset, 0),
            up: WideVec3::load(s, up, 0),
        };
        let mut met = S::mask32s::from_bitmask(s, 0);
        for i in 0..longest {
            if i > 0 {
                room.before = room.joint;
            }
            for (lane, chain) in chains.iter().enumerate() {
                if let (Some(joint), Some(weight)) = (chain.joints.get(i), chain.weights.get(i)) {
                    put_matrix(&mut room.joint, lane, joint);
                    room.weight.0[lane] = *weight;
                }
            }
            let joint = WideMat34::load(s, &room.joint, 0);
            if i > 0 {
                gaze = gaze.carried(s, WideMat34::load(s, &room.before, 0), joint);
            }
            let (rotation, reached) = wide.solve(s, joint, gaze, load(s, &room.weight, 0), met);
            gaze = gaze.turned(rotation);
            met = reached;
            let mut turns = SoaQuat::IDENTITY;
            rotation.store(&mut turns, 0);
            let reached = reached.to_bitmask();
            for (lane, chain) in chains.iter().enumerate() {
                if i < chain.joints.len() {
                    let reached = reached >> lane & 1 != 0;
                    here[starts[lane] + i] = AimCorrection { rotation: turns.lane(lane), reached };
                }
            }
        }
    }
}

/// What an [`AimIkJob`] has for all joints of a chain, in every lane.
struct WideAim<S: Simd> {
    target: WideVec3<S>,
    pole: WideVec3<S>,
    twist: S::f32s,
}

impl<S: Simd> WideAim<S> {
    #[inline(always)]
    fn solve(
        &self,
        s: S,
        joint: WideMat34<S>,
        gaze: WideGaze<S>,
        weight: S::f32s,
        met: S::mask32s,
    ) -> (WideQuat<S>, S::mask32s) {
        let zero = splat(s, 0.0);
        let none = WideVec3::splat(s, Vec3::ZERO);
        let (into, mut ok) = joint.inverse(s);
        let target = into.mul_point(self.target);
        let (forward, has) = direction(s, gaze.forward);
        ok &= has;
        let (to, has_to) = direction(s, target);
        let aside = across(gaze.offset, forward);
        let left = target.dot(target) - aside.dot(aside);
        let ahead = left.simd_gt(zero).select(left, zero).sqrt();
        let (along, has) = direction(s, aside + forward.scale(ahead));
        let along = WideVec3::select(has, along, forward);
        let in_front = left.simd_ge(zero) & ahead.simd_ge(gaze.offset.dot(forward));
        let (pole, has) = direction(s, into.mul_vector(self.pole));
        let mut pole = WideVec3::select(has, pole, none);
        let (mut side, has) = direction(s, across(gaze.up, along));
        if any::<S>(!has) {
            side = WideVec3::select(has, side, any_across(s, along));
            pole = WideVec3::select(has, pole, none);
        }
        let target = WideVec3::select(has_to, to, along);
        let turn = WideTurn { along, side, target, pole, twist: self.twist }.rotation(s);
        let rotation = share(s, turn, unit(s, weight));
        ok &= rotation.is_finite(s);
        let reached = ok & in_front & has_to & (weight.simd_ge(splat(s, 1.0)) | met);
        (WideQuat::select(ok, rotation, WideQuat::identity(s)), reached)
    }
}

/// `Gaze` of the plain code, in every lane.
#[derive(Clone, Copy)]
struct WideGaze<S: Simd> {
    forward: WideVec3<S>,
    offset: WideVec3<S>,
    up: WideVec3<S>,
}

impl<S: Simd> WideGaze<S> {
    #[inline(always)]
    fn carried(self, s: S, from: WideMat34<S>, to: WideMat34<S>) -> Self {
        let (into, ok) = to.inverse(s);
        let forward = into.mul_vector(from.mul_vector(self.forward));
        let offset = into.mul_point(from.mul_point(self.offset));
        let up = into.mul_vector(from.mul_vector(self.up));
        Self {
            forward: WideVec3::select(ok, forward, self.forward),
            offset: WideVec3::select(ok, offset, self.offset),
            up: WideVec3::select(ok, up, self.up),
        }
    }

    #[inline(always)]
    fn turned(self, q: WideQuat<S>) -> Self {
        Self { forward: q.rotate(self.forward), offset: q.rotate(self.offset), up: q.rotate(self.up) }
    }
}

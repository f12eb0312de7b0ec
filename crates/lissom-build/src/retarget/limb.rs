//! An arm or a leg of the target that reaches for where the source's ends.

use crate::{
    exact::{M34, Q4, Trs, V3, clamp, smaller},
    raw::RawSkeleton,
};

/// Nearly straight: a limb that is stretched whole snaps.
const MAX_REACH: f64 = 0.9995;

/// Three joints below each other, and whose place they reach for.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    /// Of the source: the joint at the end.
    pub(super) source: usize,
    /// Where that is on the target.
    pub(super) reach: Reach,
    /// Of the target: shoulder, elbow, hand; hip, knee, ankle.
    pub(super) chain: [usize; 3],
    /// About which a straight limb bends, in the space of the middle joint; positive turns open it.
    pub(super) axis: V3,
}

/// Where a limb of the target ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// A foot, 0 is left: where the source's is, in the measure of the legs, from the ground.
    Ground(usize),
    /// A hand: as seen from between the shoulders, in the measure of the arms.
    Shoulders {
        /// The source's.
        source: [usize; 2],
        /// The target's.
        target: [usize; 2],
        /// How much longer the target's arms are.
        ratio: f64,
    },
}

/// A leg of the source, for whether it carries: a knee on the ground does, not the foot behind it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Knee {
    /// The knee.
    pub(super) joint: usize,
    /// Heels and toes of both feet; some may be there twice.
    pub(super) feet: [usize; 4],
    /// From the knee to the ankle.
    pub(super) shin: f64,
}

/// Of the shin: so high above the lowest foot a knee is on the ground, and so high it is not.
pub(super) const KNEELS: [f64; 2] = [0.25, 0.5];

impl Knee {
    /// 1 where the foot carries, 0 where the knee does, by how high joints are.
    pub(super) fn upright(&self, height: impl Fn(usize) -> f64) -> f64 {
        let lowest = self.feet.iter().map(|joint| height(*joint)).fold(f64::INFINITY, smaller);
        let [low, high] = KNEELS;
        smooth((height(self.joint) - lowest - low * self.shin) / ((high - low) * self.shin))
    }
}

/// From 0 to 1, without a kink.
pub(super) fn smooth(x: f64) -> f64 {
    let x = clamp(x, 0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

impl Limb {
    /// Turns the chain so that it ends at a goal; what hangs on its end keeps its direction. `models` and `turns` are those of the
    /// target's pose.
    pub(super) fn reach(
        &self,
        skeleton: &RawSkeleton,
        models: &[M34],
        turns: &[Q4],
        goal: V3,
        pose: &mut [Trs],
    ) {
        let [start, mid, end] = self.chain;
        let [a, b, c] = self.chain.map(|joint| models[joint].columns[3]);
        let (upper, lower) = (a.distance(b), b.distance(c));
        let way = goal - a;
        if upper < 1e-9 || lower < 1e-9 || way.length() < 1e-9 {
            return;
        }
        let (up, down) = ((a - b).normalize_or(V3::X), (c - b).normalize_or(V3::X));
        let across = up.cross(down);
        let axis =
            if across.length() > 1e-3 { across.normalize_or(V3::X) } else { turns[mid].rotate(self.axis) };
        // The law of cosines, for the angle that the limb has and the one that it needs.
        let distance = clamp(way.length(), (upper - lower).abs() * 1.001, (upper + lower) * MAX_REACH);
        let cosine = (upper * upper + lower * lower - distance * distance) / (2.0 * upper * lower);
        let (is, shall) = (libm::acos(clamp(up.dot(down), -1.0, 1.0)), libm::acos(clamp(cosine, -1.0, 1.0)));
        let bend = Q4::from_axis_angle(axis, shall - is);
        let bent = b + bend.rotate(c - b);
        let swing = Q4::from_arc((bent - a).normalize_or(V3::X), way.normalize_or(V3::X));
        // From turns in model space to local ones, joint by joint; those between keep theirs.
        let above = |joint: usize| skeleton.joints[joint].parent.map_or(Q4::IDENTITY, |parent| turns[parent]);
        let local = |parent: Q4, turn: Q4| (parent.conjugate() * turn).normalize();
        pose[start].rotation = local(above(start), swing * turns[start]);
        pose[mid].rotation = local(swing * above(mid), swing * bend * turns[mid]);
        pose[end].rotation = local(swing * bend * above(end), turns[end]);
    }
}

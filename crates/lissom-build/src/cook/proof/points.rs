//! Where the error of a joint is looked at: points that hang on it, in its own space.
//!
//! The error of a point that one joint moves is the length of an affine function of the point, so it is convex: over
//! a set of points it is largest at a corner of their hull. A vertex that several joints move is off by a mean of what
//! each of them is off there, so never by more than the worst of them. Hence, if every vertex is within the precision
//! under every joint that it follows, alone, then the skin is.

use super::skin::SkinReach;
use crate::exact::{M34, Trs, V3, larger, smaller};
use lissom::Skeleton;

/// What the shell distance of a joint is a length of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShellSpace {
    /// Model space in the rest pose, whatever scales stand above the joint: what people see.
    #[default]
    Model,
    /// The joint's own units, moved by its matrix with all scales in it. The joint's origin and the skin are not looked
    /// at. That is how ACL measures, and only for figures beside its own.
    Joint,
}

/// The points of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPoints {
    /// What a search looks at. Without a skin that is all there is: the origin and the shell; else few points of all,
    /// chosen to stick out.
    few: Vec<V3>,
    /// All that the proof looks at beside the few, in clusters.
    rest: Vec<Cluster>,
    /// From the joint's origin to the farthest of all.
    reach: f64,
}

/// Points that lie near each other, and a ball around them.
#[derive(Clone, Debug, PartialEq)]
struct Cluster {
    points: Vec<V3>,
    centre: V3,
    radius: f64,
}

/// Points that a search looks at, at most, where there is a skin.
const CORNERS: usize = 5;
/// Points of a cluster, at most.
const CLUSTER: usize = 48;

impl JointPoints {
    /// Of every joint of a skeleton, in its order. One shell distance a joint.
    #[must_use]
    pub fn of_skeleton(
        skeleton: &Skeleton,
        shell: &[f64],
        space: ShellSpace,
        skin: Option<&SkinReach>,
    ) -> Vec<Self> {
        if space == ShellSpace::Joint {
            return shell.iter().map(|s| Self::new(axes(*s, [1.0; 3]).to_vec(), &[])).collect();
        }
        let s = skeleton;
        let mut models: Vec<M34> = Vec::with_capacity(s.joint_count());
        let mut points = Vec::with_capacity(s.joint_count());
        for (j, distance) in shell.iter().enumerate() {
            let local = Trs::from_f32(s.rest(j)).to_m34();
            let model = s.parent(j).map_or(local, |p| models[p].mul(&local));
            let mut own = vec![V3::ZERO];
            own.extend(axes(*distance, sizes(&model)));
            points.push(Self::new(own, skin.map_or(&[], |s| s.joint(j))));
            models.push(model);
        }
        points
    }

    /// The joint's own points, and those of the skin.
    fn new(own: Vec<V3>, skin: &[V3]) -> Self {
        let mut all = own;
        all.extend_from_slice(skin);
        let reach = all.iter().fold(0.0, |far, p| larger(p.length(), far));
        if skin.is_empty() {
            return Self { few: all, rest: Vec::new(), reach };
        }
        let few = corners(&all, reach);
        let mut rest = Vec::new();
        split(all, &mut rest);
        Self { few, rest, reach }
    }

    /// What a search looks at: never empty.
    pub(crate) fn few(&self) -> &[V3] {
        &self.few
    }

    /// From the joint's origin to the farthest point, in the joint's own units.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// The largest error of all points; `off` is one model matrix less another.
    #[must_use]
    pub fn worst(&self, off: &M34) -> f64 {
        self.worst_above(off, self.worst_of_few(off))
    }

    /// The largest error of the few; `off` is the decoded model matrix less the source's.
    pub(crate) fn worst_of_few(&self, off: &M34) -> f64 {
        self.few.iter().fold(0.0, |worst, p| larger(off.mul_point(*p).length(), worst))
    }

    /// The largest error of all points if it is above `known`, else `known`. Clusters that cannot be above it are
    /// not looked at.
    pub(crate) fn worst_above(&self, off: &M34, known: f64) -> f64 {
        let [x, y, z, _] = off.columns;
        let turn = (x.dot(x) + y.dot(y) + z.dot(z)).sqrt();
        let mut worst = known;
        for cluster in &self.rest {
            let most = off.mul_point(cluster.centre).length() + turn * cluster.radius;
            // The comparison is also false where something is not a number.
            if most <= worst {
                continue;
            }
            worst = cluster.points.iter().fold(worst, |worst, p| larger(off.mul_point(*p).length(), worst));
        }
        worst
    }
}

/// Points on the axes, `distance` away where the axes have these lengths.
fn axes(distance: f64, sizes: [f64; 3]) -> [V3; 3] {
    let [x, y, z] = sizes.map(|s| distance / s);
    [V3::X * x, V3::Y * y, V3::Z * z]
}

/// The lengths of a matrix's axes; those of no length get that of the longest, and 1 where there is none.
fn sizes(model: &M34) -> [f64; 3] {
    let longest = model.stretch();
    let longest = if longest > TINY { longest } else { 1.0 };
    let size = |axis: usize| {
        let own = model.columns[axis].length();
        let own = if own > longest * TINY { own } else { longest };
        // Rotations leave a size of 1 a rounding away from it.
        if (own - 1.0).abs() < 1e-9 { 1.0 } else { own }
    };
    [size(0), size(1), size(2)]
}

/// Sizes below this, or below this part of the largest, are none.
const TINY: f64 = 1e-6;

/// Points that stick out: each is the farthest from those before it, and the first from the origin.
fn corners(all: &[V3], reach: f64) -> Vec<V3> {
    let mut few = Vec::with_capacity(CORNERS);
    let mut gaps: Vec<f64> = all.iter().map(|p| p.length()).collect();
    while few.len() < CORNERS {
        let farthest = gaps.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let Some((at, gap)) = farthest else { break };
        if !few.is_empty() && *gap <= 0.1 * reach {
            break;
        }
        let corner = all[at];
        few.push(corner);
        for (gap, p) in gaps.iter_mut().zip(all) {
            *gap = smaller(*gap, p.distance(corner));
        }
    }
    few
}

/// Halves points along their longest side until they are few.
fn split(mut points: Vec<V3>, out: &mut Vec<Cluster>) {
    let Some(first) = points.first().copied() else { return };
    let (mut low, mut high) = (first, first);
    for p in &points {
        low = V3::new(smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z));
        high = V3::new(larger(p.x, high.x), larger(p.y, high.y), larger(p.z, high.z));
    }
    let centre = (low + high) * 0.5;
    if points.len() <= CLUSTER {
        let radius = points.iter().fold(0.0, |far, p| larger(p.distance(centre), far));
        out.push(Cluster { points, centre, radius });
        return;
    }
    let side = high - low;
    let along = |p: &V3| {
        if side.x >= side.y && side.x >= side.z {
            p.x
        } else if side.y >= side.z {
            p.y
        } else {
            p.z
        }
    };
    points.sort_unstable_by(|a, b| along(a).total_cmp(&along(b)));
    let upper = points.split_off(points.len() / 2);
    split(points, out);
    split(upper, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BuiltSkeleton, SkeletonBuilder,
        exact::Q4,
        raw::{RawJoint, RawSkeleton},
    };

    fn scaled(scale: f64) -> BuiltSkeleton {
        let rest = Trs { scale: V3::new(scale, scale, scale), ..Trs::IDENTITY };
        let joints = vec![
            RawJoint { name: "armature".into(), parent: None, rest },
            RawJoint { name: "hips".into(), parent: Some(0), rest: Trs::IDENTITY },
        ];
        SkeletonBuilder::build(&RawSkeleton { joints }).unwrap()
    }

    /// Points that look random and are the same in every run.
    fn cloud(count: usize) -> Vec<V3> {
        let unit = |i: usize| {
            let bits = (i as u32).wrapping_mul(2_654_435_761).rotate_left(11);
            f64::from(bits) / f64::from(u32::MAX) - 0.5
        };
        (0..count).map(|i| V3::new(unit(3 * i), unit(3 * i + 1), unit(3 * i + 2))).collect()
    }

    #[test]
    fn shells_are_lengths_of_model_space_whatever_the_scale_above() {
        for scale in [0.01, 1.0, 100.0] {
            let points =
                JointPoints::of_skeleton(&scaled(scale).skeleton, &[0.03; 2], ShellSpace::Model, None);
            for p in &points[1].few()[1..] {
                assert!((p.length() * scale - 0.03).abs() < 1e-9, "{scale}: {p:?}");
            }
            assert_eq!(points[1].few()[0], V3::ZERO);
            let own = JointPoints::of_skeleton(&scaled(scale).skeleton, &[0.03; 2], ShellSpace::Joint, None);
            assert_eq!(own[1].few(), [V3::X * 0.03, V3::Y * 0.03, V3::Z * 0.03]);
        }
    }

    #[test]
    fn a_scale_of_nothing_leaves_points_that_are_numbers() {
        let points = JointPoints::of_skeleton(&scaled(0.0).skeleton, &[0.03; 2], ShellSpace::Model, None);
        assert!(points.iter().flat_map(JointPoints::few).all(|p| p.is_finite()));
    }

    #[test]
    fn the_worst_of_all_points_is_found_without_looking_at_all() {
        let skin = cloud(5_000);
        let points = JointPoints::new(vec![V3::ZERO], &skin);
        assert!(points.few().len() > 3 && points.few().len() <= CORNERS);
        for turn in [0.001, 0.3] {
            let q = Q4::from_axis_angle(V3::new(0.6, 0.0, 0.8), turn);
            let turned = Trs { rotation: q, translation: V3::new(0.01, 0.0, 0.02), ..Trs::IDENTITY }.to_m34();
            let mut off = turned;
            off.columns[0] = off.columns[0] - V3::X;
            off.columns[1] = off.columns[1] - V3::Y;
            off.columns[2] = off.columns[2] - V3::Z;
            let plain = skin.iter().map(|p| (turned.mul_point(*p) - *p).length()).fold(0.0, larger);
            let found = points.worst_above(&off, points.worst_of_few(&off));
            assert!((found - plain).abs() <= 1e-12 * plain, "{found} {plain}");
            // What is known to be larger stays.
            assert_eq!(points.worst_above(&off, plain * 2.0), plain * 2.0);
        }
    }

    #[test]
    fn a_matrix_that_is_not_a_number_is_never_a_small_error() {
        let points = JointPoints::new(vec![V3::ZERO], &cloud(100));
        let off = M34 { columns: [V3::new(f64::NAN, 0.0, 0.0), V3::ZERO, V3::ZERO, V3::ZERO] };
        assert!(points.worst_above(&off, 0.5).is_nan());
        assert!(points.worst_of_few(&off).is_nan());
    }
}

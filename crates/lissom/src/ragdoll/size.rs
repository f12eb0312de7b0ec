//! How large bodies are: capsules around the vertices that follow their joints.

use super::{Capsule, RagdollError};
use crate::{Skeleton, archive::MeshView, job::kernel::turn::point};
use alloc::{string::String, vec, vec::Vec};
use lissom_math::{
    Mat34, Transform, Vec3,
    scalar::{add, dot, is_finite, length, mul, normalize_or, scale, sub},
    trig,
};

/// Of the vertices along a capsule, as large a part lies beyond each end.
const BEYOND: f32 = 0.02;
/// A body belongs to a vertex that it moves by more than this.
const MOST: f32 = 0.5;

impl Capsule {
    /// Its volume.
    #[must_use]
    pub fn volume(&self) -> f32 {
        let r = self.radius;
        core::f32::consts::PI * r * r * (length(sub(self.b, self.a)) + r * (4.0 / 3.0))
    }

    /// Its middle, where its centre of mass is.
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        scale(add(self.a, self.b), 0.5)
    }

    /// How far a point is from its surface; below 0 inside.
    #[must_use]
    pub fn distance(&self, to: Vec3) -> f32 {
        let (along, from) = (sub(self.b, self.a), sub(to, self.a));
        let squared = dot(along, along);
        let share = if squared > 0.0 { dot(from, along) / squared } else { 0.0 };
        let share = crate::job::kernel::turn::unit(share);
        length(sub(from, scale(along, share))) - self.radius
    }
}

/// A capsule for each body.
pub(super) fn capsules(
    skeleton: &Skeleton,
    joints: &[usize],
    parents: &[Option<usize>],
    rest: &[(Transform, Mat34)],
    meshes: &[MeshView<'_>],
) -> Result<Vec<Capsule>, RagdollError> {
    let flesh = flesh(skeleton, joints, rest, meshes)?;
    let capsule = |(body, points): (usize, &Vec<Vec3>)| {
        if points.is_empty() {
            return Err(RagdollError::NoFlesh { joint: String::from(skeleton.name(joints[body])) });
        }
        // A bone goes to what hangs on it, if that is one.
        let mut below = (0..joints.len()).filter(|at| parents[*at] == Some(body));
        let end = match (below.next(), below.next()) {
            (Some(only), None) => Some(point(&rest[body].1, rest[only].0.translation)),
            _ => None,
        };
        Ok(around(points, end))
    };
    flesh.iter().enumerate().map(capsule).collect()
}

/// The vertices of each body, in its space.
fn flesh(
    skeleton: &Skeleton,
    joints: &[usize],
    rest: &[(Transform, Mat34)],
    meshes: &[MeshView<'_>],
) -> Result<Vec<Vec<Vec3>>, RagdollError> {
    let owner = owners(skeleton, joints);
    let mut flesh: Vec<Vec<Vec3>> = vec![Vec::new(); joints.len()];
    let mut shares: Vec<f32> = vec![0.0; joints.len()];
    for (at, mesh) in meshes.iter().enumerate() {
        let wrong = |reason| Err(RagdollError::Mesh { mesh: at, reason });
        if mesh.skeleton_identity != skeleton.identity() {
            return wrong("it belongs to another skeleton");
        }
        let each = mesh.per_vertex;
        let needed = mesh.positions.len().checked_mul(each);
        if each == 0 || needed != Some(mesh.joints.len()) || needed != Some(mesh.weights.len()) {
            return wrong("positions, joints and weights differ in length");
        }
        if mesh.inverse_binds.len() != skeleton.joint_count() {
            return wrong("there is not one inverse bind matrix for each joint");
        }
        let follows = mesh.joints.chunks_exact(each).zip(mesh.weights.chunks_exact(each));
        for (position, (followed, weights)) in mesh.positions.iter().zip(follows) {
            shares.fill(0.0);
            for (joint, weight) in followed.iter().zip(weights) {
                match owner.get(usize::from(*joint)) {
                    None => return wrong("a vertex follows a joint that there is not"),
                    Some(Some(body)) => shares[*body] += weight,
                    Some(None) => {}
                }
            }
            let Some(body) = shares.iter().position(|share| *share > MOST) else { continue };
            let own = point(&mesh.inverse_binds[joints[body]], Vec3::from_array(*position));
            let own = mul(own, rest[body].0.scale);
            if !is_finite(own) {
                return wrong("a position or an inverse bind matrix is not finite");
            }
            flesh[body].push(own);
        }
    }
    Ok(flesh)
}

/// The body that each joint belongs to: that of the nearest joint above it, or its own.
fn owners(skeleton: &Skeleton, joints: &[usize]) -> Vec<Option<usize>> {
    let mut owners: Vec<Option<usize>> = Vec::with_capacity(skeleton.joint_count());
    for joint in skeleton.depth_first() {
        let inherited = skeleton.parent(joint).and_then(|parent| owners[parent]);
        owners.push(joints.binary_search(&joint).ok().or(inherited));
    }
    owners
}

/// The capsule of some points: along the bone if there is one, else along what is longest. A bone lies in it from end to end.
fn around(points: &[Vec3], end: Option<Vec3>) -> Capsule {
    let share = 1.0 / points.len() as f32;
    let middle = points.iter().fold(Vec3::ZERO, |sum, at| add(sum, scale(*at, share)));
    let along = match end {
        Some(end) => normalize_or(end, Vec3::X),
        None => longest(points, middle),
    };
    let out = |at: &Vec3| {
        let from = sub(*at, middle);
        length(sub(from, scale(along, dot(from, along))))
    };
    let radius = points.iter().map(out).fold(0.0, |sum, v| sum + v * share);
    let mut places: Vec<f32> = points.iter().map(|at| dot(sub(*at, middle), along)).collect();
    places.sort_by(f32::total_cmp);
    let skipped = (points.len() as f32 * BEYOND) as usize;
    let (mut low, mut high) = (places[skipped], places[places.len() - 1 - skipped]);
    // Both ends of the bone: where they are along it, and how far from its line.
    let bone = end.map(|end| [Vec3::ZERO, end].map(|at| (dot(sub(at, middle), along), out(&at))));
    for (place, _) in bone.into_iter().flatten() {
        low = if place < low { place } else { low };
        high = if place > high { place } else { high };
    }
    // What is flat, or one point, is still a body.
    let least = (high - low) * 0.05;
    let radius = if radius > least { radius } else { least };
    let radius = if radius > SMALLEST { radius } else { SMALLEST };
    let radius =
        bone.into_iter().flatten().fold(radius, |most, (_, off)| if off > most { off } else { most });
    let (a, b) = (low + radius, high - radius);
    let (mut a, mut b) = if a < b { (a, b) } else { ((low + high) * 0.5, (low + high) * 0.5) };
    for (place, off) in bone.into_iter().flatten() {
        let squared = radius * radius - off * off;
        let room = if squared > 0.0 { trig::sqrt(squared) } else { 0.0 };
        a = if place + room < a { place + room } else { a };
        b = if place - room > b { place - room } else { b };
    }
    Capsule { a: add(middle, scale(along, a)), b: add(middle, scale(along, b)), radius }
}

/// The least radius.
const SMALLEST: f32 = 1.0e-4;

/// The direction in which points are spread most: the covariance, multiplied often.
fn longest(points: &[Vec3], middle: Vec3) -> Vec3 {
    let mut rows = [Vec3::ZERO; 3];
    for at in points {
        let from = sub(*at, middle);
        for (row, v) in rows.iter_mut().zip(from.to_array()) {
            *row = add(*row, scale(from, v));
        }
    }
    let spread = [rows[0].x, rows[1].y, rows[2].z];
    let mut along = if spread[0] >= spread[1] && spread[0] >= spread[2] {
        Vec3::X
    } else if spread[1] >= spread[2] {
        Vec3::Y
    } else {
        Vec3::Z
    };
    for _ in 0..64 {
        let next = Vec3::new(dot(rows[0], along), dot(rows[1], along), dot(rows[2], along));
        along = normalize_or(next, along);
    }
    along
}

//! A motion as BVH: what motion capture tools read.
//!
//! BVH has no rest rotations and no scale. Offsets are those of the rest pose as each parent sees them, in metres, scales
//! above a joint worked in; rotations are whole. So joints stand where they stood, and whoever reads the file back gets
//! the same motion on a skeleton without rest rotations.

use crate::{
    exact::{M34, Q4, Trs, V3, clamp},
    mesh::model_matrices,
    raw::{RawAnimation, RawAnimationError, RawSkeleton, RawSkeletonError},
};
use std::fmt::Write;

/// Samples a second where the motion does not lie on an even rate.
const RATE_HZ: f64 = 60.0;
/// Metres that a joint must move from its parent to get a place in every frame.
const MOVES_M: f64 = 1e-6;

/// Why there is no BVH.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhWriteError {
    /// The skeleton is not valid.
    #[error(transparent)]
    Skeleton(#[from] RawSkeletonError),
    /// The motion is not valid.
    #[error(transparent)]
    Animation(#[from] RawAnimationError),
}

/// A pose without scale: where each joint is, and how it is turned.
struct Rigid {
    places: Vec<V3>,
    turns: Vec<Q4>,
}

/// The text of a BVH file, in metres, y up, with frames at the even rate that the motion's keys lie on, else 60 a second.
///
/// # Errors
///
/// Every case of [`BvhWriteError`].
pub fn write_bvh(skeleton: &RawSkeleton, motion: &RawAnimation) -> Result<String, BvhWriteError> {
    skeleton.validate()?;
    motion.validate(skeleton.joints.len())?;
    let order = skeleton.depth_first();
    let rest: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
    let rest = Rigid::of(skeleton, &rest);
    let (frames, frame_s) = frames(motion);
    let poses: Vec<Rigid> =
        (0..frames).map(|f| Rigid::of(skeleton, &motion.pose(skeleton, f as f64 * frame_s))).collect();
    let parent = |j: usize| skeleton.joints[j].parent;
    let moves: Vec<bool> = (0..skeleton.joints.len())
        .map(|j| {
            let own = rest.offset(j, parent(j));
            parent(j).is_none() || poses.iter().any(|p| p.offset(j, parent(j)).distance(own) > MOVES_M)
        })
        .collect();

    let mut out = String::from("HIERARCHY\n");
    // Several roots hang on one that stands still.
    let roots: Vec<usize> = order.iter().copied().filter(|j| parent(*j).is_none()).collect();
    let several = roots.len() > 1;
    if several {
        out.push_str("ROOT roots\n{\n  OFFSET 0 0 0\n  CHANNELS 0\n");
    }
    let mut open: Vec<usize> = Vec::new();
    let close = |out: &mut String, depth: usize| {
        let _ = writeln!(out, "{}}}", "  ".repeat(depth));
    };
    let shift = usize::from(several);
    for (at, joint) in order.iter().copied().enumerate() {
        while open.last().is_some_and(|last| Some(*last) != parent(joint)) {
            open.pop();
            close(&mut out, open.len() + shift);
        }
        let depth = open.len() + shift;
        let indent = "  ".repeat(depth);
        let kind = if depth == 0 { "ROOT" } else { "JOINT" };
        let name = word(&skeleton.joints[joint].name, joint);
        let o = rest.offset(joint, parent(joint));
        let _ = writeln!(
            out,
            "{indent}{kind} {name}\n{indent}{{\n{indent}  OFFSET {} {} {}",
            Short(o.x),
            Short(o.y),
            Short(o.z)
        );
        let channels = if moves[joint] {
            "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
        } else {
            "3 Zrotation Xrotation Yrotation"
        };
        let _ = writeln!(out, "{indent}  CHANNELS {channels}");
        open.push(joint);
        let is_leaf = order.get(at + 1).is_none_or(|next| parent(*next) != Some(joint));
        if is_leaf {
            let _ = writeln!(out, "{indent}  End Site\n{indent}  {{\n{indent}    OFFSET 0 0 0\n{indent}  }}");
        }
    }
    while open.pop().is_some() {
        close(&mut out, open.len() + shift);
    }
    if several {
        close(&mut out, 0);
    }
    let _ = writeln!(out, "MOTION\nFrames: {frames}\nFrame Time: {frame_s}");
    for pose in &poses {
        let mut line = Vec::new();
        for joint in order.iter().copied() {
            if moves[joint] {
                let p = pose.offset(joint, parent(joint));
                line.extend([p.x, p.y, p.z]);
            }
            let above = parent(joint).map_or(Q4::IDENTITY, |p| pose.turns[p]);
            line.extend(zxy_degrees(above.conjugate().times(pose.turns[joint])));
        }
        let line: Vec<String> = line.into_iter().map(|v| Short(v).to_string()).collect();
        out.push_str(&line.join(" "));
        out.push('\n');
    }
    Ok(out)
}

impl Rigid {
    fn of(skeleton: &RawSkeleton, locals: &[Trs]) -> Self {
        let models = model_matrices(skeleton, locals);
        let turns = models.iter().map(turn_of).collect();
        Self { places: models.iter().map(|m| m.mul_point(V3::ZERO)).collect(), turns }
    }

    /// Where a joint is as its parent sees it.
    fn offset(&self, joint: usize, parent: Option<usize>) -> V3 {
        match parent {
            Some(p) => self.turns[p].conjugate().rotate(self.places[joint] - self.places[p]),
            None => self.places[joint],
        }
    }
}

/// The rotation of a matrix, its scale left out; of a mirror, that of the matrix turned right side out.
fn turn_of(m: &M34) -> Q4 {
    let [x, y, ..] = m.columns;
    let x = x.normalize_or(V3::X);
    let y = (y - x * y.dot(x)).normalize_or(V3::Y);
    Q4::from_axes(x, y, x.cross(y))
}

/// How many frames, and how far apart in seconds.
fn frames(motion: &RawAnimation) -> (usize, f64) {
    let mut times: Vec<f64> = Vec::new();
    for track in &motion.tracks {
        times.extend(track.translation.keys.iter().map(|k| k.time_s));
        times.extend(track.rotation.keys.iter().map(|k| k.time_s));
        times.extend(track.scale.keys.iter().map(|k| k.time_s));
    }
    times.push(0.0);
    times.push(motion.duration_s);
    times.sort_by(f64::total_cmp);
    times.dedup();
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 1e-4);
    let least = gaps.fold(motion.duration_s, |a, b| if b < a { b } else { a });
    let count = (motion.duration_s / least).round();
    let step = motion.duration_s / count;
    let is_even = times.iter().all(|t| (t / step - (t / step).round()).abs() < 0.01);
    let count = if is_even && step < 0.2 { count } else { (motion.duration_s * RATE_HZ).round() };
    let count = if count >= 1.0 { count } else { 1.0 };
    (count as usize + 1, motion.duration_s / count)
}

/// Degrees about z, then x, then y, as the joint turns with them.
fn zxy_degrees(q: Q4) -> [f64; 3] {
    let [x, y, z] = [V3::X, V3::Y, V3::Z].map(|axis| q.rotate(axis));
    // R = Rz Rx Ry: its third row and second column hold all three.
    let sin = clamp(y.z, -1.0, 1.0);
    let about_x = libm::asin(sin);
    let (about_z, about_y) = if sin.abs() < 1.0 - 1e-12 {
        (libm::atan2(-y.x, y.y), libm::atan2(-x.z, z.z))
    } else {
        // Straight up or down z and y are one turn.
        (libm::atan2(x.y, x.x), 0.0)
    };
    [about_z.to_degrees(), about_x.to_degrees(), about_y.to_degrees()]
}

/// A name without white space.
fn word(name: &str, joint: usize) -> String {
    let name: String =
        name.chars().map(|c| if c.is_whitespace() || "{}".contains(c) { '_' } else { c }).collect();
    if name.is_empty() { format!("joint_{joint}") } else { name }
}

/// A number with what f32 can tell, and no more than is needed.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.7}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_give_the_rotation_back() {
        for k in 0..200 {
            let axis = V3::new(f64::from(k % 7) - 3.0, f64::from(k % 5) - 2.1, f64::from(k % 3) - 0.9);
            let q = Q4::from_axis_angle(axis.normalize_or(V3::X), f64::from(k) * 0.37);
            let [z, x, y] = zxy_degrees(q).map(f64::to_radians);
            let turn = |axis, angle| Q4::from_axis_angle(axis, angle);
            let back = turn(V3::Z, z) * turn(V3::X, x) * turn(V3::Y, y);
            assert!(q.dot(back).abs() > 1.0 - 1e-9, "{k}");
        }
        let up = Q4::from_axis_angle(V3::X, core::f64::consts::FRAC_PI_2);
        assert!((zxy_degrees(up)[1] - 90.0).abs() < 1e-6);
    }
}

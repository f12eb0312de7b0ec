//! NumPy archives (`.npz`) with the motion of an SMPL body: AMASS, and what text-to-motion and video models write.
//!
//! | what | names | shape |
//! |---|---|---|
//! | rotations | `poses`, `pose`, `fullpose`, `smpl_poses`, `rotations`, `rot6d`; or `root_orient` or `global_orient`, `pose_body` or `body_pose`, and perhaps `pose_hand` | frames × joints × 3 (axis and angle), × 6 (the first two columns of a matrix) or × 3 × 3; the last two or three may be one |
//! | way of the pelvis | `trans`, `transl`, `translation`, `root_translation` | frames × 3, metres |
//! | frames per second | `mocap_framerate`, `mocap_frame_rate`, `fps`, `framerate`, `frame_rate` | a number |
//!
//! There are 22 joints (the body), 24 (SMPL), 52 (SMPL-H) or 55 (SMPL-X). Such files have no bones: those of an adult of
//! 1.7 m are taken, and a warning says so. AMASS has z up; elsewhere the pelvis tells which of y and z it is. Pickled
//! objects are never read.

mod body;
mod npy;
mod zip;

use super::{ImportError, ImportLimits, Place, budget::Budget};
use crate::{
    exact::{Q4, V3},
    raw::{Channel, Curve, RawAnimation, RawTrack},
    scene::{Scene, SceneAnimation, SceneSkeleton},
};
use npy::Array;
use zip::Archive;

const ROTATIONS: [&str; 6] = ["poses", "pose", "fullpose", "smpl_poses", "rotations", "rot6d"];
const ROOT: [&str; 2] = ["root_orient", "global_orient"];
const BODY: [&str; 2] = ["pose_body", "body_pose"];
const HANDS: [&str; 1] = ["pose_hand"];
const WAY: [&str; 4] = ["trans", "transl", "translation", "root_translation"];
/// The first two are AMASS's, where z is up.
const RATE: [&str; 5] = ["mocap_framerate", "mocap_frame_rate", "fps", "framerate", "frame_rate"];
/// Frames per second where the file does not say.
const PLAIN_RATE: f64 = 30.0;
/// Numbers of joints, and what such a body is.
const JOINTS: [usize; 4] = [22, 24, 52, 55];

/// Reads a `.npz` with the motion of an SMPL body.
///
/// # Errors
///
/// [`ImportError::NotThisFormat`] if it is no ZIP archive; otherwise the member and what is wrong with it.
pub fn read(bytes: &[u8], limits: &ImportLimits) -> Result<Scene, ImportError> {
    let length = bytes.len() as u64;
    if length > limits.max_bytes {
        return Err(ImportError::Limit {
            place: Place::Byte(0),
            what: "the size in bytes",
            found: length,
            allowed: limits.max_bytes,
        });
    }
    let archive = Archive::open(bytes)?;
    let mut budget = Budget::with_eighths(limits, length, 6);
    let mut scene = Scene::default();
    let (rotations, frames) = rotations(&archive, &mut budget)?;
    let joints = rotations.len().checked_div(frames).unwrap_or_default();
    let way = match first(&archive, &WAY, &mut budget)? {
        Some(way) => {
            if way.shape != [frames, 3] {
                return Err(wrong(
                    &way.name,
                    format!("its shape is {:?}; [{frames}, 3] was expected", way.shape),
                ));
            }
            way.values
        }
        None => {
            scene.warn("", "the file does not say where the pelvis goes; it stays in place");
            vec![0.0; frames.saturating_mul(3)]
        }
    };
    let rate = match first(&archive, &RATE, &mut budget)? {
        Some(rate) => {
            let good = |r: &f64| (1.0..=10_000.0).contains(r);
            let found = rate.values.first().copied().filter(good).filter(|_| rate.values.len() == 1);
            found.ok_or_else(|| wrong(&rate.name, "it must be one number from 1 to 10,000".into()))?
        }
        None => {
            scene.warn("", format!("the file does not say its frames per second; {PLAIN_RATE} were taken"));
            PLAIN_RATE
        }
    };
    if archive.has("betas") {
        scene.warn("betas", "the shape of the body was left out: its bones are those of an adult of 1.7 m");
    } else {
        scene.warn("", "the file has no bones: those of an adult of 1.7 m were taken");
    }
    let amass = RATE.iter().take(2).any(|name| archive.has(name));
    let z_up = amass || stands_along_z(&rotations, joints);
    let motion = Motion { rotations: &rotations, way: &way, joints, rate, z_up };
    let (skeleton, pelvis) = body::skeleton(joints);
    budget.take(frames as u64, joints.saturating_mul(64), || Place::Path("poses".into()))?;
    let motion = motion.animation(pelvis);
    let valid = motion.validate(joints);
    valid.map_err(|source| ImportError::Animation { place: Place::Path("poses".into()), source })?;
    scene.skeletons.push(SceneSkeleton { name: "SMPL".into(), skeleton, ..Default::default() });
    scene.animations.push(SceneAnimation { skeleton: Some(0), motion, ..Default::default() });
    Ok(scene)
}

fn wrong(member: &str, reason: String) -> ImportError {
    ImportError::Format { place: Place::Path(member.to_owned()), reason }
}

/// The first of these members that is there.
fn first(archive: &Archive<'_>, names: &[&str], budget: &mut Budget) -> Result<Option<Array>, ImportError> {
    match names.iter().find(|name| archive.has(name)) {
        Some(name) => npy::read(archive, name, budget).map(Some),
        None => Ok(None),
    }
}

/// Every frame's rotations, and how many frames there are.
fn rotations(archive: &Archive<'_>, budget: &mut Budget) -> Result<(Vec<Q4>, usize), ImportError> {
    if let Some(all) = first(archive, &ROTATIONS, budget)? {
        let (all, frames, joints) = turns(&all, budget)?;
        if !JOINTS.contains(&joints) {
            return Err(wrong("poses", format!("{joints} joints; a body of SMPL has 22, 24, 52 or 55")));
        }
        return Ok((all, frames));
    }
    let (root, body) = (first(archive, &ROOT, budget)?, first(archive, &BODY, budget)?);
    let (Some(root), Some(body)) = (root, body) else {
        let reason = format!(
            "there are no rotations of a body (poses, or root_orient and pose_body); there is {}",
            archive.listed()
        );
        return Err(ImportError::Format { place: Place::Path("the archive".into()), reason });
    };
    let mut pieces = vec![root, body];
    pieces.extend(first(archive, &HANDS, budget)?);
    let mut read = Vec::new();
    for piece in &pieces {
        read.push((&piece.name, turns(piece, budget)?));
    }
    let frames = read.first().map_or(0, |(_, (_, frames, _))| *frames);
    if let Some((name, (_, found, _))) = read.iter().find(|(_, (_, own, _))| *own != frames) {
        return Err(wrong(name, format!("{found} frames, but {frames} before")));
    }
    let joints = read.iter().fold(0_usize, |sum, (_, (.., own))| sum.saturating_add(*own));
    if !JOINTS.contains(&joints) {
        return Err(wrong(
            "pose_body",
            format!("{joints} joints in all; a body of SMPL has 22, 24, 52 or 55"),
        ));
    }
    budget.take(frames as u64, joints.saturating_mul(size_of::<Q4>()), || Place::Path("poses".into()))?;
    let mut out = Vec::with_capacity(frames.saturating_mul(joints));
    for frame in 0..frames {
        for (_, (all, _, own)) in &read {
            let start = frame.saturating_mul(*own);
            out.extend_from_slice(all.get(start..start.saturating_add(*own)).unwrap_or_default());
        }
    }
    Ok((out, frames))
}

/// The rotations of an array, its frames, and the joints of each.
fn turns(from: &Array, budget: &mut Budget) -> Result<(Vec<Q4>, usize, usize), ImportError> {
    let unknown = || {
        let reason = format!(
            "its shape is {:?}; frames by joints by 3 (axis and angle), 6 (two columns) or 3 by 3 was expected",
            from.shape
        );
        wrong(&from.name, reason)
    };
    let (frames, joints, each) = match *from.shape.as_slice() {
        [frames, joints, 3, 3] => (frames, joints, 9),
        [frames, joints, each @ (3 | 6)] => (frames, joints, each),
        // A whole body, or what is left of one without its pelvis, or the pelvis or the hands alone.
        [frames, width] => {
            let of = |each: usize| {
                let joints = width.checked_div(each).filter(|_| width.is_multiple_of(each));
                joints.filter(|j| JOINTS.contains(j) || [1, 21, 23, 30, 51, 54].contains(j))
            };
            let by_three = of(3).map(|joints| (frames, joints, 3));
            by_three.or_else(|| of(6).map(|joints| (frames, joints, 6))).ok_or_else(unknown)?
        }
        _ => return Err(unknown()),
    };
    if frames == 0 || joints == 0 {
        return Err(unknown());
    }
    budget.take(from.values.len() as u64, size_of::<Q4>(), || Place::Path(from.name.clone()))?;
    let turn = |numbers: &[f64]| match *numbers {
        [x, y, z] => Some(axis_angle(V3::new(x, y, z))),
        [a, b, c, d, e, f] => columns(V3::new(a, b, c), V3::new(d, e, f)),
        [a, b, _, d, e, _, g, h, _] => columns(V3::new(a, d, g), V3::new(b, e, h)),
        _ => None,
    };
    let mut out = Vec::with_capacity(frames.saturating_mul(joints));
    for (at, numbers) in from.values.chunks_exact(each).enumerate() {
        let found = numbers.iter().all(|v| v.is_finite()).then(|| turn(numbers)).flatten();
        let (frame, joint) = (at.checked_div(joints).unwrap_or(0), at.checked_rem(joints).unwrap_or(0));
        out.push(found.ok_or_else(|| {
            wrong(&from.name, format!("frame {frame}, joint {joint}: this is no rotation"))
        })?);
    }
    Ok((out, frames, joints))
}

fn axis_angle(v: V3) -> Q4 {
    let angle = v.length();
    if angle < 1e-9 {
        return Q4::new(v.x * 0.5, v.y * 0.5, v.z * 0.5, 1.0).normalize();
    }
    let (sin, cos) = libm::sincos(angle * 0.5);
    let by = sin / angle;
    Q4::new(v.x * by, v.y * by, v.z * by, cos).normalize()
}

/// From the first two columns of a matrix, which need be neither of unit length nor at right angles.
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
fn columns(first: V3, second: V3) -> Option<Q4> {
    let x = first.normalize_or(V3::ZERO);
    let y = (second - x.scaled(x.dot(second))).normalize_or(V3::ZERO);
    (x != V3::ZERO && y != V3::ZERO).then(|| Q4::from_axes(x, y, x.cross(y)))
}

/// Whether the pelvis stands along z rather than y, in the mean.
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
fn stands_along_z(rotations: &[Q4], joints: usize) -> bool {
    let mut sum = V3::ZERO;
    for pelvis in rotations.iter().step_by(joints.max(1)) {
        sum = sum + pelvis.rotate(V3::Y);
    }
    sum.z.abs() > sum.y.abs()
}

/// What a file says of a motion.
struct Motion<'m> {
    rotations: &'m [Q4],
    way: &'m [f64],
    joints: usize,
    rate: f64,
    z_up: bool,
}

impl Motion<'_> {
    /// In metres, y up. `pelvis` is where the pelvis of a body at rest is in the model's own space.
    #[allow(clippy::arithmetic_side_effects, reason = "floats")]
    fn animation(&self, pelvis: V3) -> RawAnimation {
        let half = core::f64::consts::FRAC_1_SQRT_2;
        let upright = if self.z_up { Q4::new(-half, 0.0, 0.0, half) } else { Q4::IDENTITY };
        let frames = self.rotations.len().checked_div(self.joints.max(1)).unwrap_or_default();
        let time = |frame: usize| frame as f64 / self.rate;
        let track = |joint: usize| {
            let own = self.rotations.iter().skip(joint).step_by(self.joints.max(1)).enumerate();
            let turned = |q: Q4| if joint == 0 { upright.times(q) } else { q };
            let mut before = Q4::IDENTITY;
            let keys = own.map(|(frame, q)| {
                let q = turned(*q);
                // Neighbours on one side of the sphere.
                before = if q.dot(before) < 0.0 { Q4::new(-q.x, -q.y, -q.z, -q.w) } else { q };
                (time(frame), before)
            });
            let rotation = Channel::new(Curve::Slerp, keys);
            let mut track = RawTrack { rotation, ..RawTrack::default() };
            if joint == 0 {
                let places = self.way.as_chunks::<3>().0.iter().enumerate();
                let keys = places
                    .map(|(frame, [x, y, z])| (time(frame), upright.rotate(pelvis + V3::new(*x, *y, *z))));
                track.translation = Channel::new(Curve::Linear, keys);
            }
            track
        };
        RawAnimation {
            name: String::new(),
            duration_s: frames.saturating_sub(1).max(1) as f64 / self.rate,
            looping: false,
            additive: false,
            tracks: (0..self.joints).map(track).collect(),
        }
    }
}

//! How far joints may turn: as far as they do in the clips.

use super::{Capsule, RagdollError, RagdollJoint, RagdollRule};
use crate::{
    Cursor, Skeleton,
    clip::{ClipView, SampleTime},
    job::{
        LocalToModelJob, Models, SampleJob, decompose,
        kernel::turn::{any_across, basis, direction, point},
    },
};
use alloc::{vec, vec::Vec};
use core::f32::consts::PI;
use lissom_math::{
    Mat34, Quat, Transform, Vec3,
    scalar::{
        normalize_or, quat_conjugate, quat_from_axis_angle, quat_from_columns, quat_mul, quat_normalize, sub,
    },
    soa::SoaTransform,
    trig,
};

/// The frame is turned so often towards the middle of what was found.
const CENTRED: usize = 8;

impl RagdollJoint {
    /// How far the frames are turned against each other, by the rotations of both bodies: twist, swing about y, swing about z, in radians.
    /// The swing is the rotation vector of what is left without the twist.
    #[must_use]
    pub fn angles(&self, parent: Quat, own: Quat) -> [f32; 3] {
        let between = quat_mul(quat_conjugate(parent), own);
        angles(quat_mul(quat_conjugate(self.parent_frame), quat_mul(between, self.frame)))
    }

    /// True if the limits allow these rotations of both bodies.
    #[must_use]
    pub fn allows(&self, parent: Quat, own: Quat) -> bool {
        let [twist, y, z] = self.angles(parent, own);
        (self.twist[0]..=self.twist[1]).contains(&twist) && self.ellipse(y, z) <= 1.0
    }

    /// How far a swing is on its way to the limit, squared.
    fn ellipse(&self, y: f32, z: f32) -> f32 {
        let share = |v: f32, most: f32| {
            if most > 0.0 {
                v / most
            } else if v == 0.0 {
                0.0
            } else {
                f32::INFINITY
            }
        };
        let (y, z) = (share(y, self.swing[0]), share(z, self.swing[1]));
        y * y + z * z
    }
}

/// Twist about x, and the rotation vector of what is left, about y and z.
fn angles(q: Quat) -> [f32; 3] {
    let q = if q.w < 0.0 { Quat::from_xyzw(-q.x, -q.y, -q.z, -q.w) } else { q };
    let around = trig::sqrt(q.x * q.x + q.w * q.w);
    let twist = if around > 0.0 { 2.0 * trig::atan2(q.x, q.w) } else { 0.0 };
    let turn = quat_normalize(Quat::from_xyzw(q.x, 0.0, 0.0, q.w));
    let swing = quat_mul(q, quat_conjugate(turn));
    let out = trig::sqrt(swing.y * swing.y + swing.z * swing.z);
    let per = if out > 0.0 { 2.0 * trig::atan2(out, around) / out } else { 0.0 };
    [twist, swing.y * per, swing.z * per]
}

/// How each body hangs on its parent.
pub(super) fn holds<'a>(
    skeleton: &Skeleton,
    joints: &[usize],
    parents: &[Option<usize>],
    rest: &[(Transform, Mat34)],
    capsules: &[Capsule],
    clips: impl IntoIterator<Item = ClipView<'a>>,
    rule: &RagdollRule,
) -> Result<Vec<Option<RagdollJoint>>, RagdollError> {
    let found = turns(skeleton, joints, parents, rest, clips, rule)?;
    let hold = |body: usize| {
        let parent = parents[body]?;
        let (carries, own) = (&rest[parent], &rest[body]);
        let anchor = point(&carries.1, own.0.translation);
        // Along the bone: from the joint to the middle of the body.
        let along = direction(capsules[body].middle())
            .or_else(|| direction(sub(capsules[body].b, capsules[body].a)))
            .unwrap_or(Vec3::X);
        let side = any_across(along);
        let [x, y, z] = basis(along, side).map(|axis| axis.to_array());
        let frame = quat_from_columns([x, y, z]);
        let between = quat_mul(quat_conjugate(carries.0.rotation), own.0.rotation);
        let parent_frame = quat_normalize(quat_mul(between, frame));
        let hold = RagdollJoint { anchor, parent_frame, frame, twist: [0.0; 2], swing: [0.0; 2] };
        Some(hold.around(&found[body], rule.margin))
    };
    Ok((0..joints.len()).map(hold).collect())
}

impl RagdollJoint {
    /// With limits around these rotations between both bodies, and the frame of the one that carries in their middle.
    fn around(mut self, turns: &[Quat], margin: f32) -> Self {
        for _ in 0..CENTRED {
            let [twist, y, z] = self.ranges(turns).map(|[low, high]| (low + high) * 0.5);
            let swing = Vec3::new(0.0, y, z);
            let size = trig::sqrt(y * y + z * z);
            let swing = quat_from_axis_angle(normalize_or(swing, Vec3::Y), size);
            let twist = quat_from_axis_angle(Vec3::X, twist);
            self.parent_frame = quat_normalize(quat_mul(self.parent_frame, quat_mul(swing, twist)));
        }
        let ranges = self.ranges(turns);
        let most = |[low, high]: [f32; 2]| {
            let far = if -low > high { -low } else { high };
            // A joint that never turns has an ellipse, too.
            if far > 1.0e-4 { far } else { 1.0e-4 }
        };
        self.twist = ranges[0];
        self.swing = [most(ranges[1]), most(ranges[2])];
        // The ellipse in the box of the ranges is too small by at most the root of two.
        let mut beyond = 1.0;
        for turn in turns {
            let [_, y, z] = self.angles(Quat::IDENTITY, *turn);
            let own = self.ellipse(y, z);
            beyond = if own > beyond { own } else { beyond };
        }
        let by = trig::sqrt(beyond);
        let within = |v: f32| if v < PI { v } else { PI };
        self.swing = self.swing.map(|v| within(v * by + margin));
        self.twist = [-within(margin - self.twist[0]), within(self.twist[1] + margin)];
        self
    }

    /// The least and the greatest of each angle.
    fn ranges(&self, turns: &[Quat]) -> [[f32; 2]; 3] {
        let mut ranges: Option<[[f32; 2]; 3]> = None;
        for turn in turns {
            let angles = self.angles(Quat::IDENTITY, *turn);
            let ranges = ranges.get_or_insert(angles.map(|v| [v, v]));
            for (range, v) in ranges.iter_mut().zip(angles) {
                range[0] = if v < range[0] { v } else { range[0] };
                range[1] = if v > range[1] { v } else { range[1] };
            }
        }
        ranges.unwrap_or_default()
    }
}

/// How each body is turned against its parent, at rest and in all clips.
fn turns<'a>(
    skeleton: &Skeleton,
    joints: &[usize],
    parents: &[Option<usize>],
    rest: &[(Transform, Mat34)],
    clips: impl IntoIterator<Item = ClipView<'a>>,
    rule: &RagdollRule,
) -> Result<Vec<Vec<Quat>>, RagdollError> {
    let mut turns: Vec<Vec<Quat>> = vec![Vec::new(); joints.len()];
    let mut add = |rotations: &[Quat]| {
        for (body, parent) in parents.iter().enumerate() {
            let Some(parent) = parent else { continue };
            turns[body].push(quat_mul(quat_conjugate(rotations[*parent]), rotations[body]));
        }
    };
    let mut rotations: Vec<Quat> = rest.iter().map(|(place, _)| place.rotation).collect();
    add(&rotations);
    let mut locals = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut models = vec![Mat34::IDENTITY; skeleton.joint_count()];
    let mut cursor = Cursor::new();
    for clip in clips {
        let duration_s = clip.duration_s();
        let steps = (duration_s * rule.rate) as u64 + 1;
        for step in 0..=steps {
            let time = SampleTime::Ratio(step as f64 / steps as f64);
            SampleJob::new(skeleton, clip, &mut cursor, &mut locals).at(time).run()?;
            let job = LocalToModelJob::new(skeleton, &locals, &mut []);
            LocalToModelJob { models: Models::Mat34(&mut models), ..job }.run()?;
            for (rotation, joint) in rotations.iter_mut().zip(joints) {
                *rotation = decompose(&models[*joint]).0.rotation;
            }
            add(&rotations);
        }
    }
    Ok(turns)
}

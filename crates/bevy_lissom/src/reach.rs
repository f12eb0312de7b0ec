//! How far a character's mesh gets from where it stands, in any pose that is made of its clips: a box for skins that nobody poses on the
//! CPU.
//!
//! As long as no joint above it turns or grows in any clip, a joint stays in the box of its translations: hips do. From there on every
//! joint is at most as far from the one above as its longest translation, however the ones above turn.
#![allow(clippy::disallowed_methods, reason = "a bound with room to spare, not a pose")]

use bevy_camera::primitives::Aabb;
use bevy_math::{DMat3, DQuat, DVec3, Vec3};
use lissom::{
    Skeleton,
    archive::MeshView,
    clip::{Clip, Cursor, SampleTime},
    job::{JobError, SampleJob},
    math::{
        Transform,
        soa::{self, SoaTransform},
    },
};

/// Times in a second at which clips are looked at.
const RATE: f64 = 15.0;
/// What lies between these times, and what transitions by inertia add: a share of every way.
const ROOM: f64 = 1.1;
/// Turns and growths that are smaller than this are none.
const STILL: f64 = 1.0e-3;

/// Where the joints of a skeleton can be.
#[derive(Debug)]
pub(crate) struct Reach(Vec<Spot>);

/// Where a joint can be: as far from the box, and things on it are as many times larger than in its own space.
#[derive(Clone, Copy, Debug)]
struct Spot {
    min: DVec3,
    max: DVec3,
    far: f64,
    scale: f64,
    /// What it does to vectors, if that is always the same.
    fixed: Option<DMat3>,
}

/// What clips do with a joint in the space of the one above.
#[derive(Clone, Copy, Debug)]
struct Way {
    min: DVec3,
    max: DVec3,
    /// The longest translation.
    long: f64,
    /// What clips that are differences add to it.
    added: f64,
    turn: Option<DQuat>,
    scale: Option<DVec3>,
    /// The largest scale.
    large: f64,
}

impl Way {
    fn of(rest: &Transform) -> Self {
        let (place, scale) = (rest.translation.as_dvec3(), rest.scale.as_dvec3());
        Self {
            min: place,
            max: place,
            long: place.length(),
            added: 0.0,
            turn: Some(rest.rotation.as_dquat().normalize()),
            scale: Some(scale),
            large: scale.abs().max_element(),
        }
    }

    fn add(&mut self, local: &Transform, is_difference: bool) {
        let (place, turn, scale) =
            (local.translation.as_dvec3(), local.rotation.as_dquat().normalize(), local.scale.as_dvec3());
        let apart = |a: DQuat, b: DQuat| 1.0 - a.dot(b).abs() > 0.5 * STILL * STILL;
        if is_difference {
            self.added = self.added.max(place.length());
            self.turn = self.turn.filter(|_| !apart(turn, DQuat::IDENTITY));
            self.scale = self.scale.filter(|_| (scale - DVec3::ONE).abs().max_element() < STILL);
            self.large *= scale.abs().max_element().max(1.0);
            return;
        }
        (self.min, self.max) = (self.min.min(place), self.max.max(place));
        self.long = self.long.max(place.length());
        self.turn = self.turn.filter(|own| !apart(turn, *own));
        self.scale =
            self.scale.filter(|own| (scale - *own).abs().max_element() < STILL * own.abs().max_element());
        self.large = self.large.max(scale.abs().max_element());
    }
}

impl Reach {
    /// Of a skeleton with these clips; those that are differences are added to poses.
    pub fn new<'a>(
        skeleton: &Skeleton,
        clips: impl Iterator<Item = (&'a Clip, bool)>,
    ) -> Result<Self, JobError> {
        let joints = 0..skeleton.joint_count();
        let rest = skeleton.rest_pose();
        let mut ways: Vec<Way> = joints.clone().map(|joint| Way::of(&soa::lane(rest, joint))).collect();
        let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
        for (clip, is_difference) in clips {
            let mut cursor = Cursor::default();
            let duration_s = clip.view().duration_s();
            let times = (duration_s * RATE).ceil().max(1.0);
            for at in 0..=times as usize {
                let time = SampleTime::Clamped(duration_s * at as f64 / times);
                SampleJob::new(skeleton, clip.view(), &mut cursor, &mut pose).at(time).run()?;
                for (joint, way) in ways.iter_mut().enumerate() {
                    way.add(&soa::lane(&pose, joint), is_difference);
                }
            }
        }
        let mut spots: Vec<Spot> = Vec::with_capacity(ways.len());
        for (joint, way) in ways.iter().enumerate() {
            let root = Spot {
                min: DVec3::ZERO,
                max: DVec3::ZERO,
                far: 0.0,
                scale: 1.0,
                fixed: Some(DMat3::IDENTITY),
            };
            // Joints above stand before.
            let above = skeleton.parent(joint).map_or(root, |above| spots[above]);
            spots.push(above.below(way));
        }
        Ok(Self(spots))
    }

    /// A box that no vertex of a mesh leaves; its morph targets may move vertices as far as this.
    pub fn around(&self, mesh: &MeshView<'_>, morphs: f64) -> Option<Aabb> {
        let mut far: Vec<Option<f64>> = vec![None; self.0.len()];
        let influences =
            mesh.joints.chunks_exact(mesh.per_vertex).zip(mesh.weights.chunks_exact(mesh.per_vertex));
        for (position, (joints, weights)) in mesh.positions.iter().zip(influences) {
            for (joint, _) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                let Some((bind, far)) =
                    mesh.inverse_binds.get(usize::from(*joint)).zip(far.get_mut(usize::from(*joint)))
                else {
                    continue;
                };
                let at = Vec3::from_array(bind.mul_point(*position)).as_dvec3().length();
                let grown = bind.columns[..3].iter().map(|c| Vec3::from_array(*c).as_dvec3().length());
                let at = at + morphs * grown.fold(0.0, f64::max);
                *far = Some(far.map_or(at, |far| far.max(at)));
            }
        }
        let boxes = self.0.iter().zip(far).filter_map(|(spot, far)| {
            let room = DVec3::splat(ROOM * (spot.far + spot.scale * far?));
            Some((spot.min - room, spot.max + room))
        });
        let (min, max) = boxes.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some(Aabb::from_min_max(min.as_vec3(), max.as_vec3()))
    }
}

impl Spot {
    /// A joint that hangs on this one.
    fn below(&self, way: &Way) -> Self {
        let scale = self.scale * way.large;
        let Some(own) = self.fixed else {
            return Self { far: self.far + self.scale * (way.long + way.added), scale, ..*self };
        };
        // The corners of a box that is turned.
        let half = 0.5 * ROOM * (way.max - way.min);
        let (middle, half) = (own * (0.5 * (way.min + way.max)), own.abs() * half + self.scale * way.added);
        let fixed = way.turn.zip(way.scale);
        let fixed = fixed.map(|(turn, scale)| own * DMat3::from_quat(turn) * DMat3::from_diagonal(scale));
        Self { min: self.min + middle - half, max: self.max + middle + half, far: self.far, scale, fixed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_build::{
        SkeletonBuilder,
        cook::ClipBuilder,
        mannequin::{self, Motion},
    };

    #[test]
    fn hips_stay_in_their_box_and_hands_within_an_arms_length() {
        let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
        let clips: Vec<Clip> = [Motion::Idle, Motion::Walk]
            .map(|motion| {
                let bytes = ClipBuilder::default().build(&built, &mannequin::clip(motion)).unwrap().bytes;
                Clip::from_bytes(&bytes).unwrap()
            })
            .into();
        let reach = Reach::new(&built.skeleton, clips.iter().map(|clip| (clip, false))).unwrap();
        let spot = |name| reach.0[built.skeleton.find(name).unwrap()];
        let hips = spot("hips");
        assert!(hips.far == 0.0 && (hips.max - hips.min).x < 0.1 && hips.max.y < 1.0, "{hips:?}");
        // The walk travels.
        assert!(hips.max.z > 1.4 && spot("root").fixed.is_some() && hips.fixed.is_none());
        let hand = spot("hand_l");
        assert!((1.1..1.25).contains(&hand.far) && hand.min == hips.min, "{hand:?}");
        // Twice as large below a joint that doubles.
        let twice = Spot { fixed: Some(DMat3::from_diagonal(DVec3::splat(2.0))), scale: 2.0, ..hips };
        let below = twice.below(&Way::of(&Transform::from_translation([0.0, 1.0, 0.0].into())));
        assert!((below.min.y - hips.min.y - 2.0).abs() < 1e-9 && below.scale == 2.0, "{below:?}");
    }
}

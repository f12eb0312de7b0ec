//! What is played: the mannequin, walking and running, as Bevy's curves and as an archive.

use bevy_animation::{AnimationClip, AnimationTargetId, animated_field, animation_curves::AnimatableCurve};
use bevy_curve::{ConstantCurve, Interval, UnevenSampleAutoCurve};
use bevy_ecs::name::Name;
use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    exact::{Q4, V3},
    mannequin::{self, Detail, Motion},
    raw::{Channel, RawAnimation, RawSkeleton},
};

pub const MOTIONS: [Motion; 2] = [Motion::Walk, Motion::Run];

pub struct Rig {
    pub skeleton: RawSkeleton,
    pub motions: Vec<RawAnimation>,
    pub archive: Vec<u8>,
    clip_bytes: usize,
}

fn vec3(v: V3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

fn quat(q: Q4) -> Quat {
    Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32)
}

impl Rig {
    pub fn new() -> Self {
        let made = "the mannequin is valid";
        let skeleton = mannequin::skeleton();
        let built = SkeletonBuilder::build(&skeleton).expect(made);
        let mut mesh = mannequin::mesh(&Detail::default()).expect(made);
        mesh.name = "body".into();
        let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).expect(made);
        writer = writer.mesh(&mesh, &built).expect(made);
        let (mut motions, mut clip_bytes) = (Vec::new(), 0);
        for motion in MOTIONS {
            let clip = mannequin::clip(motion);
            let bytes = ClipBuilder::default().build(&built, &clip).expect(made).bytes;
            clip_bytes += bytes.len();
            writer = writer.clip(u16::from(bytes[4]), &clip.name, bytes).expect(made);
            motions.push(clip);
        }
        Self {
            skeleton,
            motions,
            archive: writer.finish().expect(made),
            clip_bytes: clip_bytes / MOTIONS.len(),
        }
    }

    pub fn joints(&self) -> usize {
        self.skeleton.joints.len()
    }

    pub fn archive_kb(&self) -> f64 {
        self.clip_bytes as f64 / 1e3
    }

    /// Times and values of the curves, without what holds them.
    pub fn curve_kb(&self) -> f64 {
        let keys = |clip: &RawAnimation| -> usize {
            clip.tracks.iter().map(|t| t.rotation.keys.len() * 20 + t.translation.keys.len() * 16).sum()
        };
        self.motions.iter().map(keys).sum::<usize>() as f64 / 1e3 / MOTIONS.len() as f64
    }

    /// The rest pose of a joint.
    pub fn rest(&self, joint: usize) -> Transform {
        let rest = self.skeleton.joints[joint].rest;
        Transform {
            translation: vec3(rest.translation),
            rotation: quat(rest.rotation),
            scale: vec3(rest.scale),
        }
    }

    pub fn name(&self, joint: usize) -> Name {
        Name::new(self.skeleton.joints[joint].name.clone())
    }

    /// As `bevy_gltf` names it: the path from the root.
    pub fn target(&self, joint: usize) -> AnimationTargetId {
        let mut path = vec![self.name(joint)];
        let mut at = joint;
        while let Some(parent) = self.skeleton.joints[at].parent {
            path.push(self.name(parent));
            at = parent;
        }
        AnimationTargetId::from_names(path.iter().rev())
    }

    /// As `bevy_gltf` makes it: linear curves, a constant where there is one key.
    pub fn clip(&self, motion: usize) -> AnimationClip {
        let mut clip = AnimationClip::default();
        for (joint, track) in self.motions[motion].tracks.iter().enumerate() {
            let target = self.target(joint);
            fn keys<T: Copy, V>(channel: &Channel<T>, value: fn(T) -> V) -> Vec<(f32, V)> {
                channel.keys.iter().map(|key| (key.time_s as f32, value(key.value))).collect()
            }
            macro_rules! add {
                ($field:expr, $keys:expr) => {
                    let keys = $keys;
                    if let [(_, value)] = keys[..] {
                        let curve = ConstantCurve::new(Interval::EVERYWHERE, value);
                        clip.add_curve_to_target(target, AnimatableCurve::new($field, curve));
                    } else if let Ok(curve) = UnevenSampleAutoCurve::new(keys) {
                        clip.add_curve_to_target(target, AnimatableCurve::new($field, curve));
                    }
                };
            }
            add!(animated_field!(Transform::rotation), keys(&track.rotation, quat));
            add!(animated_field!(Transform::translation), keys(&track.translation, vec3));
        }
        clip
    }
}

//! Joints that swing after the motion: hair, a tail, a cape.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    components::Character,
    crowds::Crowds,
    hands::put,
    ik::matrix,
    problem::{Concern, LissomError, Problems, fails},
    systems::joint_called,
};
use bevy_ecs::{entity::MapEntities, prelude::*, reflect::ReflectComponent};
use bevy_math::Vec3;
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::helper::TransformHelper;
use lissom::{
    job::{JobError, SpringBone, SpringCollider},
    math::{
        Mat34,
        scalar::{length, sub},
    },
    pose::{Pose, Springs},
};
use std::sync::{Mutex, PoisonError};

/// Joints of a character that swing after its motion, each with all that hangs on it: `JointSprings::new(["tail_01", "hair_01"])`.
/// They swing in the world, so a character that is moved, or walks by root motion, drags them along. How they swing is part of a
/// [`CharacterSave`](crate::CharacterSave).
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct JointSprings {
    /// What swings.
    pub springs: Vec<JointSpring>,
    /// What it stays out of.
    #[entities]
    pub bodies: Vec<SpringBody>,
    /// A character that moves farther than this in one step was put elsewhere: nothing swings after it. In metres.
    pub teleport_m: f32,
}

impl Default for JointSprings {
    fn default() -> Self {
        Self { springs: Vec::new(), bodies: Vec::new(), teleport_m: 2.0 }
    }
}

impl JointSprings {
    /// These joints.
    #[must_use]
    pub fn new<'a>(joints: impl IntoIterator<Item = &'a str>) -> Self {
        Self { springs: joints.into_iter().map(JointSpring::new).collect(), ..Self::default() }
    }

    /// Out of this ball or capsule.
    #[must_use]
    pub fn out_of(mut self, body: SpringBody) -> Self {
        self.bodies.push(body);
        self
    }
}

/// A joint that swings, with all that hangs on it.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[reflect(Default, Debug, PartialEq)]
pub struct JointSpring {
    /// The joint; the last part of its name is enough.
    pub joint: String,
    /// What pulls each bone to where the motion has it, in 1/s²: 400 swings three times a second.
    pub stiffness: f32,
    /// What slows each bone, in 1/s. Twice the root of the stiffness stops it without a swing; in a long chain not below half of that.
    pub damping: f32,
    /// How much of gravity pulls at it.
    pub gravity: f32,
    /// How near a bone's end comes to a [`SpringBody`], in metres.
    pub radius: f32,
}

impl Default for JointSpring {
    fn default() -> Self {
        Self::new("")
    }
}

impl JointSpring {
    /// As three swings a second, of which each is a quarter of the one before.
    #[must_use]
    pub fn new(joint: impl Into<String>) -> Self {
        let SpringBone { stiffness, damping, weight, radius } = SpringBone::default();
        Self { joint: joint.into(), stiffness, damping, gravity: weight, radius }
    }

    fn bone(&self) -> SpringBone {
        let &Self { stiffness, damping, gravity, radius, .. } = self;
        SpringBone { stiffness, damping, weight: gravity, radius }
    }
}

/// What swinging joints stay out of: a ball about an entity, or a capsule along its Y axis. For a leg or a chest it is a child of the
/// character with a [`JointSocket`](crate::JointSocket).
#[derive(Clone, Copy, Debug, MapEntities, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
pub struct SpringBody {
    /// Where it is.
    #[entities]
    pub entity: Entity,
    /// In metres.
    pub radius: f32,
    /// Half the length of the capsule's straight part, in metres; 0 for a ball.
    pub half_length: f32,
}

/// The springs of a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Swing {
    springs: Vec<Springs>,
    /// Where the character is.
    world: Option<Mat34>,
    /// What the member has played since it was posed last, in seconds.
    waited_s: f32,
}

impl Swing {
    pub fn wait(&mut self, step_s: f64) {
        self.waited_s += step_s as f32;
    }

    pub fn apply(&mut self, pose: &mut Pose<'_>) -> Result<(), JobError> {
        let Some(world) = self.world else { return Ok(()) };
        let step_s = std::mem::take(&mut self.waited_s);
        self.springs.iter_mut().try_for_each(|springs| pose.swing(springs, &world, step_s))
    }

    /// How each spring swings.
    #[cfg(feature = "serde")]
    pub fn to_numbers(&self) -> Vec<Vec<f32>> {
        self.springs.iter().map(Springs::to_numbers).collect()
    }

    /// Swings on as saved.
    #[cfg(feature = "serde")]
    pub fn set_numbers(&mut self, all: &[Vec<f32>]) -> Result<(), JobError> {
        if all.len() != self.springs.len() {
            let (field, unit, found) = ("springs", "springs", all.len());
            return Err(JobError::Mismatch { field, unit, found, expected: self.springs.len() });
        }
        self.springs.iter_mut().zip(all).try_for_each(|(springs, numbers)| springs.set_numbers(numbers))
    }

    /// Takes over how another one swings; if that has other joints, it starts at rest.
    pub fn go_on(&mut self, other: Option<&Self>) {
        let chains =
            |swing: &Self| swing.springs.iter().map(|one| one.chains().collect()).collect::<Vec<Vec<_>>>();
        match other.filter(|other| chains(other) == chains(self)) {
            Some(other) => self.clone_from(other),
            None => self.springs.iter_mut().for_each(Springs::settle),
        }
    }

    /// Of a member of a crowd, on its way into a save.
    pub fn of(all: &[Option<Mutex<Self>>], at: usize) -> Option<Self> {
        let swing = all.get(at)?.as_ref()?;
        Some(swing.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// The same into a save that is there.
    pub fn save_to(all: &[Option<Mutex<Self>>], at: usize, save: &mut Option<Self>) {
        match (all.get(at).and_then(Option::as_ref), save) {
            (Some(swing), Some(save)) => {
                save.clone_from(&swing.lock().unwrap_or_else(PoisonError::into_inner))
            }
            (_, save) => *save = Self::of(all, at),
        }
    }
}

/// Finds the joints that swing where the component or the character is new; then brings what they swing in up to date.
pub(crate) fn swing(
    all: Query<(Entity, Ref<Character>, Ref<JointSprings>, Option<&LissomError>)>,
    mut removed: RemovedComponents<JointSprings>,
    characters: Query<&Character>,
    places: TransformHelper,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for entity in removed.read().filter(|entity| !all.contains(*entity)) {
        commands.mend(entity, Concern::Springs);
        let Ok(character) = characters.get(entity) else { continue };
        if let Some(crowd_of) = crowds.get_mut(&character.key) {
            put(&mut crowd_of.hands.swings, character.member.index(), None);
        }
    }
    for (entity, character, own, error) in &all {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        let at = character.member.index();
        if own.is_changed() || character.is_changed() {
            let mut refused = Vec::new();
            let mut new = Swing::default();
            for spring in &own.springs {
                match joint_called(crowd_of.crowd.skeleton(), &spring.joint) {
                    Ok(joint) => {
                        let mut springs = Springs::below(crowd_of.crowd.skeleton(), joint);
                        springs.bone = spring.bone();
                        new.springs.push(springs);
                    }
                    Err(why) => refused.push(why.to_string()),
                }
            }
            // An inspector that changes a number does not stop what swings.
            if let Some(before) = Swing::of(&crowd_of.hands.swings, at) {
                let bones: Vec<SpringBone> = new.springs.iter().map(|springs| springs.bone).collect();
                new.go_on(Some(&before));
                new.springs.iter_mut().zip(bones).for_each(|(springs, bone)| springs.bone = bone);
            }
            put(&mut crowd_of.hands.swings, at, Some(Mutex::new(new)));
            if !refused.is_empty() {
                commands.tell(entity, Concern::Springs, refused.join("; "));
            } else if fails(error, Concern::Springs) {
                commands.mend(entity, Concern::Springs);
            }
        }
        let Some(Some(swing)) = crowd_of.hands.swings.get_mut(at) else { continue };
        let swing = swing.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Ok(place) = places.compute_global_transform(entity) else { continue };
        let world = matrix(&place.affine());
        let way = swing.world.map_or(0.0, |before| length(sub(world.translation(), before.translation())));
        if way > own.teleport_m {
            swing.springs.iter_mut().for_each(Springs::settle);
        }
        swing.world = Some(world);
        let collider = |body: &SpringBody| {
            // What is gone is in nobody's way.
            let place = matrix(&places.compute_global_transform(body.entity).ok()?.affine());
            let end = |y: f32| Vec3::from_array(place.mul_point([0.0, y, 0.0]));
            let (from, to) = (end(-body.half_length), end(body.half_length));
            Some(SpringCollider { from, to, radius: body.radius })
        };
        let colliders: Vec<SpringCollider> = own.bodies.iter().filter_map(collider).collect();
        swing.springs.iter_mut().for_each(|springs| springs.colliders.clone_from(&colliders));
    }
}

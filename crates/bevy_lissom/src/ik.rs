//! A hand on the pose: characters look at entities, hold them, and stand on uneven ground.
//!
//! Before a crowd is updated, what characters aim at is brought into their own space. The crowd then lends the pose of each of them.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    components::Character,
    crowds::{CrowdOf, Crowds},
    hands::{Hands, put},
    problem::{Concern, LissomError, Problems, fails},
};
use bevy_ecs::{entity::MapEntities, prelude::*, reflect::ReflectComponent};
use bevy_math::{Affine3A, Vec3};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::helper::TransformHelper;
use lissom::{
    Skeleton,
    bones::Side,
    job::{Ground, JobError},
    math::{
        Mat34,
        scalar::{dot, normalize_or},
    },
    pose::{Gaze, Legs, Limb, Pose, RigError},
};

/// A character looks at an entity: head, neck and chest share the turn. The joints are found by their names.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Debug, PartialEq)]
pub struct LookAt {
    /// What it looks at.
    #[entities]
    pub target: Entity,
    /// How much of the turn, in [0, 1].
    pub weight: f32,
}

impl LookAt {
    /// All of the turn.
    #[must_use]
    pub fn new(target: Entity) -> Self {
        Self { target, weight: 1.0 }
    }
}

/// Hands of a character reach for entities, or hold them. The joints are found by their names.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct HandIk {
    /// Of the left hand.
    #[entities]
    pub left: Option<HandTarget>,
    /// Of the right hand.
    #[entities]
    pub right: Option<HandTarget>,
}

/// What a hand reaches for.
#[derive(Clone, Copy, Debug, MapEntities, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
pub struct HandTarget {
    /// An entity with a `Transform`.
    #[entities]
    pub target: Entity,
    /// True if the hand takes the entity's axes, too: a grip. Else it only goes there.
    pub holds: bool,
    /// How much of the way, in [0, 1].
    pub weight: f32,
}

impl HandTarget {
    /// The hand goes there, and keeps its own turn.
    #[must_use]
    pub fn reach(target: Entity) -> Self {
        Self { target, holds: false, weight: 1.0 }
    }

    /// The hand goes there, and turns as the entity does.
    #[must_use]
    pub fn hold(target: Entity) -> Self {
        Self { target, holds: true, weight: 1.0 }
    }
}

/// Feet of a character stand on the ground below them, as the game finds it: the hips follow the lower foot, knees bend, soles lie flat. The
/// joints are found by their names.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FootIk {
    /// Below the left foot; `None`: the foot is left alone.
    pub left: Option<FootGround>,
    /// Below the right foot.
    pub right: Option<FootGround>,
    /// How much of it, in [0, 1].
    pub weight: f32,
}

/// The ground below a foot, in world space.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct FootGround {
    /// A place on it.
    pub place: Vec3,
    /// Its direction up.
    pub normal: Vec3,
}

impl Default for FootIk {
    fn default() -> Self {
        Self { left: None, right: None, weight: 1.0 }
    }
}

/// The joints of a human that IK moves; made once per crowd.
#[derive(Debug)]
pub(crate) struct Human {
    gaze: Result<Gaze, RigError>,
    arms: [Result<Limb, RigError>; 2],
    legs: Result<Legs, RigError>,
}

impl Human {
    pub fn of(skeleton: &Skeleton) -> Self {
        Self {
            gaze: Gaze::of(skeleton),
            arms: [Side::Left, Side::Right].map(|side| Limb::arm(skeleton, side)),
            legs: Legs::of(skeleton),
        }
    }
}

/// What a character aims at, in its own space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aims {
    look: Option<(Vec3, f32)>,
    hands: [Option<(Mat34, bool, f32)>; 2],
    grounds: Option<([Option<Ground>; 2], f32)>,
}

impl Aims {
    /// Changes the pose of a character.
    pub fn apply(&self, human: &Human, pose: &mut Pose<'_>) -> Result<(), JobError> {
        if let (Some((grounds, weight)), Ok(legs)) = (self.grounds, &human.legs) {
            pose.stand(legs, &grounds, weight)?;
        }
        if let (Some((target, weight)), Ok(gaze)) = (self.look, &human.gaze) {
            pose.look_at(gaze, target, weight)?;
        }
        for (hand, arm) in self.hands.iter().zip(&human.arms) {
            let (Some((grip, holds, weight)), Ok(arm)) = (hand, arm) else { continue };
            if *holds {
                pose.hold(arm, grip, *weight)?;
            } else {
                pose.reach(arm, grip.translation(), *weight)?;
            }
        }
        Ok(())
    }
}

/// Brings what characters aim at into their own space.
pub(crate) fn aim(
    all: Query<(Entity, &Character, Option<&LookAt>, Option<&HandIk>, Option<&FootIk>, Option<&LissomError>)>,
    places: TransformHelper,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    crowds.iter_mut().for_each(|crowd_of| crowd_of.hands.aims.clear());
    for (entity, character, look, hands, feet, failed) in &all {
        if look.is_none() && hands.is_none() && feet.is_none() {
            if fails(failed, Concern::Ik) {
                commands.mend(entity, Concern::Ik);
            }
            continue;
        }
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        let CrowdOf { crowd, hands: Hands { human, aims, .. }, .. } = crowd_of;
        let human = human.get_or_insert_with(|| Human::of(crowd.skeleton()));
        let missing = [
            human.gaze.as_ref().err().filter(|_| look.is_some()),
            human.arms[0].as_ref().err().filter(|_| hands.is_some_and(|hands| hands.left.is_some())),
            human.arms[1].as_ref().err().filter(|_| hands.is_some_and(|hands| hands.right.is_some())),
            human.legs.as_ref().err().filter(|_| feet.is_some()),
        ];
        match missing.into_iter().flatten().next() {
            Some(why) if !fails(failed, Concern::Ik) => commands.tell(entity, Concern::Ik, why),
            None if fails(failed, Concern::Ik) => commands.mend(entity, Concern::Ik),
            _ => {}
        }
        let Ok(own) = places.compute_global_transform(entity) else { continue };
        let own = matrix(&own.affine());
        let Some(into) = own.inverse() else { continue };
        // An entity that is gone is not aimed at.
        let there = |target: Entity| Some(matrix(&places.compute_global_transform(target).ok()?.affine()));
        let look = look.and_then(|look| Some((point(&into, there(look.target)?.translation()), look.weight)));
        let hand = |hand: Option<HandTarget>| {
            let HandTarget { target, holds, weight } = hand?;
            Some((grip(&into.mul(&there(target)?)), holds, weight))
        };
        let ground = |ground: FootGround| {
            // A plane's direction goes by the inverse transpose, which of the inverse is the transpose.
            let along = |axis: usize| dot(Vec3::from_array(own.columns[axis]), ground.normal);
            Ground { place: point(&into, ground.place), normal: Vec3::new(along(0), along(1), along(2)) }
        };
        let aimed = Aims {
            look,
            hands: hands.map_or([None; 2], |hands| [hand(hands.left), hand(hands.right)]),
            grounds: feet.map(|feet| ([feet.left.map(ground), feet.right.map(ground)], feet.weight)),
        };
        put(aims, character.member.index(), Some(aimed));
    }
}

// The engine's own arithmetic rounds otherwise from machine to machine.

pub(crate) fn matrix(place: &Affine3A) -> Mat34 {
    let bevy_math::Mat3A { x_axis, y_axis, z_axis } = place.matrix3;
    Mat34 { columns: [x_axis, y_axis, z_axis, place.translation].map(|column| column.to_array()) }
}

fn point(into: &Mat34, place: Vec3) -> Vec3 {
    Vec3::from_array(into.mul_point(place.to_array()))
}

/// With axes of length 1: what is held may be scaled, hands are not.
fn grip(place: &Mat34) -> Mat34 {
    let [x, y, z, at] = place.columns;
    let axis = |axis: [f32; 3]| normalize_or(Vec3::from_array(axis), Vec3::ZERO).to_array();
    Mat34 { columns: [axis(x), axis(y), axis(z), at] }
}

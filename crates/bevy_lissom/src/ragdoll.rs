//! Bodies of a physics engine move joints of a character.
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
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::{components::Transform, helper::TransformHelper};
use lissom::{
    job::{JobError, decompose},
    math::{
        Mat34, Transform as Local,
        scalar::{lerp, quat_nlerp},
    },
    pose::Pose,
};

/// Entities of a physics engine move joints of a character: a ragdoll, or an arm that hangs. Joints without a body keep what the graph
/// or the clip says, relative to the joint above them. The character goes on below it, and is seen again where the weight is less than 1.
///
/// To get up again: [`Characters::keep_pose`](crate::Characters::keep_pose), remove the component, and
/// [`Characters::blend_from`](crate::Characters::blend_from).
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Ragdoll {
    /// Which bodies move which joints.
    #[entities]
    pub bodies: Vec<RagdollBody>,
    /// How much of it, in [0, 1].
    pub weight: f32,
}

impl Default for Ragdoll {
    fn default() -> Self {
        Self { bodies: Vec::new(), weight: 1.0 }
    }
}

impl Ragdoll {
    /// Moved by these bodies alone.
    #[must_use]
    pub fn new(bodies: impl Into<Vec<RagdollBody>>) -> Self {
        Self { bodies: bodies.into(), ..Self::default() }
    }
}

/// A body, and the joint that it moves.
#[derive(Clone, Debug, MapEntities, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
pub struct RagdollBody {
    /// The joint; the last part of its name is enough.
    pub joint: String,
    /// An entity with a `Transform`.
    #[entities]
    pub body: Entity,
    /// Where the joint is in the body's space. Bodies have their middle elsewhere.
    pub offset: Transform,
}

impl RagdollBody {
    /// A body whose origin and axes are those of the joint.
    #[must_use]
    pub fn new(joint: impl Into<String>, body: Entity) -> Self {
        Self { joint: joint.into(), body, offset: Transform::IDENTITY }
    }

    /// Where the joint is in the body's space.
    #[must_use]
    pub fn offset(self, offset: Transform) -> Self {
        Self { offset, ..self }
    }
}

/// Where the joints of a member are to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limp {
    /// The joints by number with the places of their bodies in the component, joints above first.
    joints: Vec<(usize, usize)>,
    /// In the character's space, in the same order; what is gone moves nobody.
    targets: Vec<Option<Mat34>>,
    weight: f32,
}

impl Limp {
    /// Changes the pose of a character.
    pub fn apply(&self, pose: &mut Pose<'_>) -> Result<(), JobError> {
        let mut own: Vec<(usize, Local)> = Vec::new();
        for ((joint, _), target) in self.joints.iter().zip(&self.targets) {
            let Some(target) = target else { continue };
            let above = match pose.skeleton().parent(*joint) {
                Some(above) => pose.model(above)?,
                None => Mat34::IDENTITY,
            };
            let Some(into) = above.inverse() else { continue };
            let before = pose.local(*joint)?;
            let (local, _) = decompose(&into.mul(target));
            own.push((*joint, before));
            pose.set_local(*joint, Local { scale: before.scale, ..local })?;
        }
        if self.weight >= 1.0 {
            return Ok(());
        }
        for (joint, before) in own {
            let limp = pose.local(joint)?;
            pose.set_local(
                joint,
                Local {
                    translation: lerp(before.translation, limp.translation, self.weight),
                    rotation: quat_nlerp(before.rotation, limp.rotation, self.weight),
                    scale: before.scale,
                },
            )?;
        }
        Ok(())
    }
}

/// Finds the joints where the component or the character is new; then brings the bodies into the character's space.
pub(crate) fn limp(
    all: Query<(Entity, Ref<Character>, Ref<Ragdoll>, Option<&LissomError>)>,
    mut removed: RemovedComponents<Ragdoll>,
    characters: Query<&Character>,
    places: TransformHelper,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for entity in removed.read().filter(|entity| !all.contains(*entity)) {
        commands.mend(entity, Concern::Ragdoll);
        let Ok(character) = characters.get(entity) else { continue };
        if let Some(crowd_of) = crowds.get_mut(&character.key) {
            put(&mut crowd_of.hands.limp, character.member.index(), None);
        }
    }
    for (entity, character, own, error) in &all {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        let at = character.member.index();
        if own.is_changed() || character.is_changed() {
            let mut refused = Vec::new();
            let mut joints = Vec::new();
            for (number, body) in own.bodies.iter().enumerate() {
                match joint_called(crowd_of.crowd.skeleton(), &body.joint) {
                    Ok(joint) => joints.push((joint, number)),
                    Err(why) => refused.push(why.to_string()),
                }
            }
            joints.sort_unstable();
            if !(0.0..=1.0).contains(&own.weight) {
                refused.push(format!("the weight is {}; it must be in [0, 1]", own.weight));
            }
            let targets = vec![None; joints.len()];
            let weight = if own.weight >= 0.0 { own.weight } else { 0.0 };
            put(&mut crowd_of.hands.limp, at, Some(Limp { joints, targets, weight }));
            if !refused.is_empty() {
                commands.tell(entity, Concern::Ragdoll, refused.join("; "));
            } else if fails(error, Concern::Ragdoll) {
                commands.mend(entity, Concern::Ragdoll);
            }
        }
        let Some(Some(limp)) = crowd_of.hands.limp.get_mut(at) else { continue };
        let world = |entity: Entity| Some(matrix(&places.compute_global_transform(entity).ok()?.affine()));
        let into = world(entity).and_then(|world| world.inverse());
        let target = |body: &RagdollBody| {
            let place = world(body.body)?.mul(&matrix(&body.offset.compute_affine()));
            Some(into.as_ref()?.mul(&place))
        };
        for ((_, number), place) in limp.joints.iter().zip(&mut limp.targets) {
            *place = own.bodies.get(*number).and_then(target);
        }
    }
}

//! Scenes whose joints are entities, as `bevy_gltf` spawns them: they follow a character.
//!
//! Joints get their `GlobalTransform` from the crowd, in one pass over Bevy's tables, and are marked changed only where it
//! is another. Bevy's propagation does not see them, since it asks for [`TransformTreeChanged`], which they lose; what hangs on
//! a joint without being one (a sword, a camera, a rider with joints of its own) is carried along here, by Bevy's rule.
#![allow(clippy::too_many_arguments, clippy::type_complexity, reason = "a system says what it asks for")]

use crate::{
    components::{Character, Plays},
    crowds::{CrowdOf, Crowds},
    morph::Morphs,
    transform::Marks,
};
use bevy_asset::Assets;
use bevy_ecs::{entity::EntityHashSet, prelude::*, reflect::ReflectComponent};
use bevy_math::Affine3A;
use bevy_mesh::{Mesh, morph::MorphWeights, skinning::SkinnedMesh};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::{
    StaticTransformOptimizations,
    components::{GlobalTransform, Transform, TransformTreeChanged},
};
use lissom::{Skeleton, math::Mat4};
use lissom_motion::crowd::Member;

/// The joints of a scene below this character follow it. The plugin finds them by their `Name`s when the scene is spawned, and again
/// when it is spawned anew. It does not read their own `Transform`s while they follow.
///
/// ```ignore
/// commands.spawn((
///     WorldAssetRoot(server.load(GltfAssetLabel::Scene(0).from_asset("hero.glb"))),
///     Plays::clip(server.load("hero.lsm"), "walk"),
///     SceneJoints::default(),
/// ));
/// ```
#[derive(Component, Debug, Default, Reflect)]
#[reflect(Component, Default, Debug)]
pub struct SceneJoints {
    #[reflect(ignore)]
    found: Option<Found>,
}

impl SceneJoints {
    /// The entities that follow, in no order; none until the scene is there.
    #[must_use]
    pub fn joints(&self) -> &[Entity] {
        self.found.as_ref().map_or(&[], |found| &found.joints)
    }
}

#[derive(Debug)]
struct Found {
    /// The identity of the skeleton they were looked up in.
    skeleton: u64,
    row: u32,
    /// Whose space the character's matrices are in.
    base: Entity,
    joints: Vec<Entity>,
}

/// An entity that follows a joint of a character with [`SceneJoints`]. Added and removed by the plugin.
#[derive(Component, Clone, Copy, Debug, Reflect)]
#[reflect(from_reflect = false)]
#[component(clone_behavior = Ignore)]
pub struct SceneJoint {
    row: u32,
    joint: u16,
}

/// A joint with a child that is none.
#[derive(Component, Reflect)]
#[reflect(from_reflect = false)]
pub(crate) struct Carries;

/// The characters whose joints are entities, by the rows that the joints know.
#[derive(Resource, Default, Debug)]
pub(crate) struct SceneRows {
    rows: Vec<SceneRow>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct SceneRow {
    /// None: it is free.
    character: Option<Entity>,
    /// The update whose matrices its joints have, and the base that they were placed by.
    seen: Option<(u64, Affine3A)>,
}

impl SceneRows {
    fn take(&mut self, character: Entity) -> u32 {
        let row = SceneRow { character: Some(character), seen: None };
        if let Some(free) = self.free.pop() {
            self.rows[free as usize] = row;
            return free;
        }
        self.rows.push(row);
        (self.rows.len() - 1) as u32
    }

    fn give_back(&mut self, row: u32) {
        self.rows[row as usize].character = None;
        self.free.push(row);
    }
}

/// Finds the joints of characters whose scene was spawned since the last frame.
pub(crate) fn find_joints(
    mut characters: Query<(Entity, &Character, &mut SceneJoints)>,
    tree: Query<(Option<&Children>, Option<&Name>, Option<&SkinnedMesh>, Has<Plays>)>,
    weights: Query<(Option<&Name>, &MorphWeights)>,
    parents: Query<&ChildOf>,
    meshes: Res<Assets<Mesh>>,
    crowds: Res<Crowds>,
    mut rows: ResMut<SceneRows>,
    mut commands: Commands,
) {
    for (entity, character, mut scene) in &mut characters {
        let Some(crowd_of) = crowds.get(&character.key) else { continue };
        let skeleton = crowd_of.crowd.skeleton();
        if let Some(found) = &scene.found {
            if found.skeleton != skeleton.identity() {
                // Another file: they are looked for anew when these are free.
                release(&mut scene, &mut rows, &mut commands);
            }
            continue;
        }
        let (joints, below) = matched(entity, skeleton, &tree);
        let base = joints.iter().find(|(joint, _)| skeleton.parent(*joint).is_none());
        let base = base.and_then(|(_, root)| parents.get(*root).ok()).map_or(entity, ChildOf::parent);
        if joints.is_empty() {
            // The scene is not there yet.
            continue;
        }
        for (node, (name, weights)) in below.iter().filter_map(|node| Some((*node, weights.get(*node).ok()?)))
        {
            let first = weights.first_mesh().and_then(|mesh| meshes.get(mesh));
            let targets = first.and_then(|mesh| mesh.try_morph_target_names().ok()?);
            if let Some(mesh) = mesh_of(name, targets, crowd_of) {
                commands.entity(node).try_insert(Morphs { character: entity, mesh: mesh.into() });
            }
        }
        let row = rows.take(entity);
        let entities = joints.iter().map(|(_, entity)| *entity).collect();
        scene.found = Some(Found { skeleton: skeleton.identity(), row, base, joints: entities });
        commands.queue(move |world: &mut World| follow(world, row, &joints));
    }
}

/// The mesh that a node of a scene shows: the one with targets of the same names, or of the node's name.
fn mesh_of<'a>(node: Option<&Name>, targets: Option<&[String]>, crowd_of: &'a CrowdOf) -> Option<&'a str> {
    let names = targets.map(|targets| targets.iter().map(|name| &**name));
    let alike =
        |own: &[Box<str>]| names.clone().is_some_and(|names| names.eq(own.iter().map(|name| &**name)));
    let called = |mesh: &str| node.is_some_and(|name| name.as_str() == mesh);
    let found = crowd_of.morphed().find(|(_, own)| alike(own));
    found.or_else(|| crowd_of.morphed().find(|(mesh, _)| called(mesh))).map(|(mesh, _)| mesh)
}

/// Descendants of a character whose `Name` is that of a joint, and all its descendants. Entities that a skinned mesh lists win over
/// others of the same name. Descendants of another character below this one belong to that character.
fn matched(
    character: Entity,
    skeleton: &Skeleton,
    tree: &Query<(Option<&Children>, Option<&Name>, Option<&SkinnedMesh>, Has<Plays>)>,
) -> (Vec<(usize, Entity)>, Vec<Entity>) {
    let (mut stack, mut named, mut listed) = (vec![character], Vec::new(), EntityHashSet::default());
    let mut below = Vec::new();
    while let Some(entity) = stack.pop() {
        let Ok((children, name, skin, animated)) = tree.get(entity) else { continue };
        if animated && entity != character {
            continue;
        }
        below.push(entity);
        listed.extend(skin.into_iter().flat_map(|skin| skin.joints.iter().copied()));
        named.extend(name.filter(|_| entity != character).map(|name| (entity, name)));
        // Depth first, as the joints of a skeleton: of two that are called the same, the first stays the first.
        stack.extend(children.into_iter().flat_map(|children| children.iter().rev()));
    }
    named.sort_by_key(|(entity, _)| !listed.contains(entity));
    let mut taken = vec![false; skeleton.joint_count()];
    let mut joints = Vec::new();
    for (entity, name) in named {
        if let Some(joint) = skeleton.find_all(name).find(|joint| !taken[*joint]) {
            taken[joint] = true;
            joints.push((joint, entity));
        }
    }
    (joints, below)
}

/// Entities become joints, in one go: who among them carries what is known only when all are.
fn follow(world: &mut World, row: u32, joints: &[(usize, Entity)]) {
    for (joint, entity) in joints {
        // It may have been despawned meanwhile.
        let Ok(mut entity) = world.get_entity_mut(*entity) else { continue };
        entity.insert(SceneJoint { row, joint: *joint as u16 }).remove::<TransformTreeChanged>();
    }
    for (_, entity) in joints {
        let other = |child: Entity| world.get::<SceneJoint>(child).is_none();
        if world.get::<Children>(*entity).is_some_and(|children| children.iter().any(other)) {
            world.entity_mut(*entity).insert(Carries);
        }
    }
}

/// The joints are Bevy's again.
fn release(scene: &mut SceneJoints, rows: &mut SceneRows, commands: &mut Commands) {
    let Some(Found { row, joints, .. }) = scene.found.take() else { return };
    rows.give_back(row);
    commands.queue(move |world: &mut World| {
        for joint in joints {
            // It may have been despawned.
            let Ok(mut joint) = world.get_entity_mut(joint) else { continue };
            joint.remove::<(SceneJoint, Carries)>();
            if let Some(mut transform) = joint.get_mut::<Transform>() {
                transform.set_changed();
                joint.insert(TransformTreeChanged);
            }
        }
    });
}

/// A character or its scene went.
pub(crate) fn lose<C: Component>(
    lost: On<Remove<C>>,
    mut scenes: Query<&mut SceneJoints>,
    mut rows: ResMut<SceneRows>,
    mut commands: Commands,
) {
    if let Ok(mut scene) = scenes.get_mut(lost.entity) {
        release(&mut scene, &mut rows, &mut commands);
    }
}

/// A scene that is spawned anew: what is left of it is let go, and looked for again.
pub(crate) fn lose_joint(
    lost: On<Remove<SceneJoint>>,
    joints: Query<&SceneJoint>,
    mut scenes: Query<&mut SceneJoints>,
    mut rows: ResMut<SceneRows>,
    mut commands: Commands,
) {
    let Ok(joint) = joints.get(lost.entity) else { return };
    let Some(SceneRow { character: Some(character), .. }) = rows.rows.get(joint.row as usize) else { return };
    // A joint that was released may name a row that belongs to another character already.
    if let Ok(mut scene) = scenes.get_mut(*character)
        && scene.joints().contains(&lost.entity)
    {
        release(&mut scene, &mut rows, &mut commands);
    }
}

/// Something was hung on a joint.
pub(crate) fn hang(
    hung: On<Insert<ChildOf>>,
    others: Query<&ChildOf, Without<SceneJoint>>,
    joints: Query<(), (With<SceneJoint>, Without<Carries>)>,
    mut commands: Commands,
) {
    if let Ok(child_of) = others.get(hung.entity)
        && joints.contains(child_of.parent())
    {
        commands.entity(child_of.parent()).try_insert(Carries);
    }
}

/// Something was taken off.
pub(crate) fn take_off(
    taken: On<Discard<ChildOf>>,
    others: Query<&ChildOf, Without<SceneJoint>>,
    carriers: Query<&Children, With<Carries>>,
    mut commands: Commands,
) {
    let Ok(joint) = others.get(taken.entity).map(ChildOf::parent) else { return };
    if let Ok(children) = carriers.get(joint)
        && !children.iter().any(|child| child != taken.entity && others.contains(child))
    {
        commands.entity(joint).try_remove::<Carries>();
    }
}

/// If at most one character in this many moves, its joints are looked up one by one. Otherwise all joints are visited in memory order.
const FEW: usize = 4;

/// What the joints of a row need to know.
struct Drive<'a> {
    /// How many characters carry this one.
    depth: usize,
    base: Entity,
    joints: &'a [Entity],
    models: &'a [Mat4],
    crowd_of: &'a CrowdOf,
    member: Member,
    /// The update that made them.
    posed_in: u64,
}

impl Drive<'_> {
    fn model(&self, joint: usize) -> Option<Affine3A> {
        let all = self.crowd_of.own[self.member.index()].care.level == 0;
        let model = if all { *self.models.get(joint)? } else { self.crowd_of.model(self.member, joint)? };
        Some(Affine3A::from_mat4(model))
    }
}

/// Joints follow, and carry what hangs on them. A character that another one carries is placed after that one.
pub(crate) fn drive(
    mut joints: Query<(&SceneJoint, Mut<GlobalTransform>)>,
    mut others: Query<
        (&Transform, Mut<GlobalTransform>, Ref<TransformTreeChanged>, Option<&Children>),
        Without<SceneJoint>,
    >,
    carriers: Query<(Entity, &SceneJoint, &Children), With<Carries>>,
    characters: Query<(&Character, &SceneJoints)>,
    parents: Query<&ChildOf>,
    crowds: Res<Crowds>,
    mut rows: ResMut<SceneRows>,
    optimizations: Option<Res<StaticTransformOptimizations>>,
    marks: Option<Res<Marks>>,
) {
    if rows.rows.len() == rows.free.len() {
        return;
    }
    let drives: Vec<Option<Drive<'_>>> = rows
        .rows
        .iter()
        .map(|row| {
            let entity = row.character?;
            let (character, scene) = characters.get(entity).ok()?;
            let crowd_of = crowds.get(&character.key)?;
            let (crowd, member) = (&crowd_of.crowd, character.member);
            let posed_in = crowd.posed_in(character.member).ok()?;
            let models = crowd.models(character.member).ok()??;
            let above = parents.iter_ancestors(entity);
            let mut carrying: Vec<u32> = above.filter_map(|e| Some(joints.get(e).ok()?.0.row)).collect();
            carrying.dedup();
            let Found { base, joints, .. } = scene.found.as_ref()?;
            Some(Drive { depth: carrying.len(), base: *base, joints, models, crowd_of, member, posed_in })
        })
        .collect();
    let always = optimizations.is_some_and(|optimizations| !optimizations.is_enabled());
    let deepest = drives.iter().flatten().map(|drive| drive.depth).max().unwrap_or_default();
    let mut stack = Vec::new();
    for depth in 0..=deepest {
        let places: Vec<Option<(Affine3A, &Drive<'_>)>> = drives
            .iter()
            .zip(&mut rows.rows)
            .map(|(drive, row)| {
                let drive = drive.as_ref().filter(|drive| drive.depth == depth)?;
                let base = others.get(drive.base).ok()?.1.affine();
                let seen = Some((drive.posed_in, base));
                let moved = std::mem::replace(&mut row.seen, seen) != seen;
                moved.then_some((base, drive))
            })
            .collect();
        let place = |joint: &SceneJoint, mut global: Mut<GlobalTransform>| {
            let row = places.get(joint.row as usize).and_then(Option::as_ref);
            let model = row.and_then(|(base, drive)| Some((base, drive.model(usize::from(joint.joint))?)));
            if let Some((base, model)) = model {
                global.set_if_neq(GlobalTransform::from(*base * model));
            }
        };
        let moved = places.iter().flatten().count();
        if moved * FEW > drives.len() {
            joints.par_iter_mut().for_each(|(joint, global)| place(joint, global));
        } else {
            let moved = drives.iter().zip(&places).filter(|(_, place)| place.is_some());
            for joint in moved.flat_map(|(drive, _)| drive.as_ref().map_or(&[][..], |drive| drive.joints)) {
                // It may have been despawned.
                if let Ok((joint, global)) = joints.get_mut(*joint) {
                    place(joint, global);
                }
            }
        }
        for (entity, joint, children) in &carriers {
            let own = drives.get(joint.row as usize).and_then(Option::as_ref);
            if own.is_none_or(|drive| drive.depth != depth) {
                continue;
            }
            let Ok((_, global)) = joints.get(entity) else { continue };
            stack.extend(children.iter().map(|child| (child, *global, global.is_changed())));
            while let Some((entity, above, moved)) = stack.pop() {
                let Ok((transform, mut global, tree, children)) = others.get_mut(entity) else { continue };
                let marked = || marks.as_ref().map_or(tree.is_changed(), |marks| marks.contains(entity));
                if !(moved || always || marked()) {
                    continue;
                }
                let moved = global.set_if_neq(above.mul_transform(*transform));
                stack.extend(children.into_iter().flatten().map(|child| (*child, *global, moved)));
            }
        }
    }
}

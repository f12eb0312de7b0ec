//! Meshes that characters move without an entity a joint.
//!
//! ```text
//!  Skin (component) ──▶ dress: Mesh3d, SkinnedMesh of placeholders, Aabb, SkinPalette      once
//!  crowd: models ──▶ pose_skins: PaletteJob, bounds, the world ──▶ SkinPalette, Aabb       LissomSystems::Place
//!                     feature `render`: copied into Bevy's skins after `extract_skins`
//! ```
//!
//! The crowd's own palettes are not what Bevy wants: they are of one mesh, and are written before anybody knows where in the
//! world the characters are, since root motion and sockets come from the same update. Its matrices are there for sockets anyway; one
//! wide product a joint makes of them the palette of any mesh.
//!
//! Bevy gives every skin a range of its buffer by the number of its joints, whoever they are, and fills it from the joints'
//! entities and the inverse bind matrices. Here there are none of either, so it fills in nothing, and what is copied there
//! stays.
#![allow(clippy::disallowed_methods, reason = "places in Bevy's world are made with the engine's arithmetic")]
#![allow(clippy::too_many_arguments, clippy::type_complexity, reason = "a system says what it asks for")]

use crate::{
    archive::LissomArchive,
    components::Character,
    crowds::Crowds,
    mesh::targets_of,
    morph::Morphs,
    names::{NameError, called},
    problem::{Concern, LissomError, Problems, fails},
    rig::Rig,
};
use bevy_asset::{Assets, Handle};
use bevy_camera::{
    primitives::Aabb,
    visibility::{NoAutoAabb, Visibility},
};
use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_math::{Affine3A, Mat4, Vec3};
use bevy_mesh::{
    Mesh3d,
    morph::MeshMorphWeights,
    skinning::{SkinnedMesh, SkinnedMeshInverseBindposes},
};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::components::{GlobalTransform, Transform};
use lissom::{
    archive::{ArchiveError, SectionKind},
    job::PaletteJob,
    mesh::MeshError,
};
use std::sync::Arc;

/// A mesh of the character's archive, on the character's entity or on one below it. The plugin adds `Mesh3d`; the material is yours.
///
/// ```ignore
/// commands.spawn((
///     Plays::clip(server.load("hero.lsm"), "walk"),
///     Skin::new("body"),
///     MeshMaterial3d(materials.add(Color::WHITE)),
/// ));
/// ```
///
/// It is drawn where the character is, whatever its own `Transform` says.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, Visibility)]
pub struct Skin {
    mesh: String,
}

impl Skin {
    /// The mesh of this name.
    #[must_use]
    pub fn new(mesh: impl Into<String>) -> Self {
        Self { mesh: mesh.into() }
    }

    /// The mesh's name.
    #[must_use]
    pub fn mesh(&self) -> &str {
        &self.mesh
    }
}

/// The skinning matrices of a [`Skin`], in the world, one a joint of the skeleton. Added by the plugin, written in
/// [`LissomSystems::Place`](crate::LissomSystems::Place).
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(from_reflect = false)]
#[component(clone_behavior = Ignore)]
pub struct SkinPalette {
    matrices: Vec<Mat4>,
    #[reflect(ignore)]
    character: Entity,
    #[reflect(ignore)]
    rig: Arc<Rig>,
    /// The update whose matrices these are, where the character was, and where the mesh.
    #[reflect(ignore)]
    seen: Option<(u64, GlobalTransform, GlobalTransform)>,
}

impl SkinPalette {
    /// As the GPU takes them.
    #[must_use]
    pub fn matrices(&self) -> &[Mat4] {
        &self.matrices
    }

    /// Whose mesh it is.
    pub(crate) fn character(&self) -> Entity {
        self.character
    }

    /// Which mesh, by its whole name.
    pub(crate) fn mesh(&self) -> &str {
        &self.rig.mesh
    }
}

/// Why a mesh cannot be drawn.
#[derive(Debug, thiserror::Error)]
enum SkinError {
    #[error("{0}")]
    Name(#[from] NameError),
    #[error("{0}")]
    Archive(#[from] ArchiveError),
    #[error("{0}")]
    Mesh(#[from] MeshError),
    #[error("mesh {0:?} is for another skeleton")]
    OtherSkeleton(String),
    #[error("the archive was not loaded from a file, so its mesh {0:?} is no asset")]
    NoAsset(String),
}

/// Skins that are new, or whose character or file is: they get all that Bevy draws.
pub(crate) fn dress(
    skins: Query<(Entity, Ref<Skin>, Option<&SkinPalette>, Option<&LissomError>)>,
    characters: Query<Ref<Character>>,
    parents: Query<&ChildOf>,
    archives: Res<Assets<LissomArchive>>,
    mut crowds: ResMut<Crowds>,
    mut poses: ResMut<Assets<SkinnedMeshInverseBindposes>>,
    mut no_poses: Local<Option<Handle<SkinnedMeshInverseBindposes>>>,
    #[cfg(not(feature = "render"))] cameras: Query<(), With<bevy_camera::Camera>>,
    #[cfg(not(feature = "render"))] names: Query<&Name>,
    #[cfg(not(feature = "render"))] mut told: Local<bool>,
    mut commands: Commands,
) {
    #[cfg(not(feature = "render"))]
    if let Some((entity, ..)) = skins.iter().next().filter(|_| !*told && !cameras.is_empty()) {
        *told = true;
        let name =
            names.get(entity).map_or_else(|_| entity.to_string(), |name| format!("\"{name}\" ({entity})"));
        tracing::error!(
            "{name} and all other skins are not drawn: bevy_lissom was built without its feature `render`, which is on by default"
        );
    }
    for (entity, skin, palette, failed) in &skins {
        let owner = std::iter::once(entity)
            .chain(parents.iter_ancestors(entity))
            .find_map(|above| Some((above, characters.get(above).ok()?)));
        let Some((owner, character)) = owner else {
            if palette.is_some() {
                commands.entity(entity).try_remove::<SkinPalette>();
            }
            continue;
        };
        let known = palette.map_or(fails(failed, Concern::Skin), |palette| palette.character == owner);
        if known && !skin.is_changed() && !character.is_changed() {
            continue;
        }
        match dressed(&skin.mesh, &character, &archives, &mut crowds) {
            Ok((mesh, rig)) => {
                let joints = rig.inverse_binds.len();
                let inverse_bindposes = no_poses.get_or_insert_with(|| poses.add(Vec::<Mat4>::new())).clone();
                let matrices = vec![Mat4::IDENTITY; joints];
                let mut dressed = commands.entity(entity);
                let crowd_of = crowds.get(&character.key);
                match crowd_of.and_then(|crowd_of| crowd_of.morph_weights(character.member, &rig.mesh)) {
                    Some(weights) => {
                        let morphs = Morphs { character: owner, mesh: rig.mesh.clone() };
                        let weights = weights.to_vec();
                        dressed.try_insert((morphs, MeshMorphWeights::Value { weights }));
                    }
                    None => drop(dressed.try_remove::<(Morphs, MeshMorphWeights)>()),
                }
                dressed.try_insert((
                    Mesh3d(mesh),
                    SkinnedMesh { inverse_bindposes, joints: vec![Entity::PLACEHOLDER; joints] },
                    SkinPalette { matrices, character: owner, rig, seen: None },
                    Aabb::default(),
                    NoAutoAabb,
                ));
                if fails(failed, Concern::Skin) {
                    commands.mend(entity, Concern::Skin);
                }
            }
            Err(why) => {
                commands
                    .entity(entity)
                    .try_remove::<(Mesh3d, SkinnedMesh, SkinPalette, Morphs, MeshMorphWeights)>();
                commands.tell(entity, Concern::Skin, why);
            }
        }
    }
}

fn dressed(
    name: &str,
    character: &Character,
    archives: &Assets<LissomArchive>,
    crowds: &mut Crowds,
) -> Result<(Handle<bevy_mesh::Mesh>, Arc<Rig>), SkinError> {
    let no_asset = || SkinError::NoAsset(name.to_owned());
    let LissomArchive { archive, meshes, .. } = archives.get(&character.archive).ok_or_else(no_asset)?;
    // The last part of its name is enough.
    let names = || archive.names(SectionKind::Mesh);
    let name = names().nth(called("mesh", names(), name)?).unwrap_or(name);
    let mesh = archive.mesh(name)?;
    let crowd_of = crowds.get_mut(&character.key).ok_or_else(no_asset)?;
    if mesh.view().skeleton_identity != crowd_of.crowd.skeleton().identity() {
        return Err(SkinError::OtherSkeleton(name.to_owned()));
    }
    let handle = meshes.get(name).ok_or_else(no_asset)?.clone();
    let rig = match crowd_of.rigs.get(name) {
        Some(rig) => rig.clone(),
        None => {
            let rig = Rig::new(name, &mesh, &targets_of(archive, name)?)?;
            crowd_of.rigs.entry(name.into()).or_insert(Arc::new(rig)).clone()
        }
    };
    Ok((handle, rig))
}

/// Matrices and boxes of the characters that moved.
pub(crate) fn pose_skins(
    mut skins: Query<(&mut SkinPalette, &mut Aabb, &GlobalTransform)>,
    characters: Query<(&Character, &GlobalTransform)>,
    crowds: Res<Crowds>,
) {
    skins.par_iter_mut().for_each(|(mut palette, mut bounds, own)| {
        let SkinPalette { matrices, character: owner, rig, seen } = palette.bypass_change_detection();
        let Ok((character, place)) = characters.get(*owner) else { return };
        let Some(crowd_of) = crowds.get(&character.key) else { return };
        let Character { member, .. } = *character;
        let (Ok(posed), Ok(Some(models))) = (crowd_of.crowd.posed_in(member), crowd_of.crowd.models(member))
        else {
            return;
        };
        let before = seen.replace((posed, *place, *own));
        if before == *seen {
            return;
        }
        // There are as many of each as the skeleton has joints.
        if PaletteJob::new(models, &rig.inverse_binds, matrices).run().is_err() {
            return;
        }
        let care = crowd_of.own[member.index()].care;
        if let Some(joints) = crowd_of.crowd.level_joints(care.level) {
            // What the level leaves out moves with the joint above, which stands before it.
            for (joint, on) in joints.iter().enumerate() {
                matrices[joint] = matrices[usize::from(*on)];
            }
        }
        // Who is not posed has a box for any pose.
        let anew = before.is_none_or(|(before, ..)| before != posed);
        let weights = crowd_of.morph_weights(member, &rig.mesh).unwrap_or_default();
        // A mesh of nothing has no box, and there is a matrix a joint and a weight a target.
        if care.posed
            && (anew || own != place)
            && let Ok(Some(around)) = rig.bounds.linear(matrices, weights)
        {
            let around = Aabb::from_min_max(Vec3::from_array(around.min), Vec3::from_array(around.max));
            bounds.set_if_neq(if own == place { around } else { seen_from(own, place, around) });
        }
        let world = place.affine();
        for matrix in matrices {
            *matrix = Mat4::from(world * Affine3A::from_mat4(*matrix));
        }
        palette.set_changed();
    });
}

/// A box in the character's space, in that of an entity that stands elsewhere.
pub(crate) fn seen_from(
    own: &GlobalTransform,
    place: &GlobalTransform,
    Aabb { center, half_extents }: Aabb,
) -> Aabb {
    let from = own.affine().inverse() * place.affine();
    let axes = from.matrix3;
    let half = axes.x_axis.abs() * half_extents.x
        + axes.y_axis.abs() * half_extents.y
        + axes.z_axis.abs() * half_extents.z;
    Aabb { center: from.transform_point3a(center), half_extents: half }
}

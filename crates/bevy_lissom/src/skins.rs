//! A whole character: every mesh of its archive, with its material.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    archive::LissomArchive,
    components::Character,
    crowds::Crowds,
    material::SkinMaterial,
    names::called,
    problem::{Concern, LissomError, Problems, fails},
    skin::Skin,
};
use bevy_asset::Assets;
use bevy_camera::visibility::Visibility;
use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::components::Transform;

/// Dresses a character: every mesh of its archive becomes a child with a [`Skin`] and a [`SkinMaterial`], the material that its file has.
/// With feature `render` Bevy's `StandardMaterial` is made of that; what a game puts in its place stays. Children follow the component
/// and the file; they go with the component.
///
/// ```ignore
/// commands.spawn((Plays::clip(server.load("hero.lsm"), "walk"), Skins::all()));
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, Visibility)]
pub struct Skins {
    /// Only these meshes, each by the last part of its name; empty: all.
    pub only: Vec<String>,
    /// True if children get no `StandardMaterial`, because a system of the game gives them materials of its own.
    pub bare: bool,
}

impl Skins {
    /// Every mesh.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Some meshes: a body, and one of several hats.
    #[must_use]
    pub fn only<'a>(meshes: impl IntoIterator<Item = &'a str>) -> Self {
        Self { only: meshes.into_iter().map(str::to_owned).collect(), ..Self::default() }
    }

    /// Without a `StandardMaterial`: a system of the game makes materials of the [`SkinMaterial`]s.
    #[must_use]
    pub fn bare(self) -> Self {
        Self { bare: true, ..self }
    }
}

/// A child that [`Skins`] spawned. A scene that keeps it brings it back as such, and it is worn again.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default)]
pub(crate) struct Worn;

/// Spawns and despawns children where the component, the character or its file is new.
pub(crate) fn wear(
    all: Query<(Entity, Ref<Skins>, Ref<Character>, Option<&Children>, Option<&LissomError>)>,
    worn: Query<&Skin, With<Worn>>,
    archives: Res<Assets<LissomArchive>>,
    crowds: Res<Crowds>,
    mut commands: Commands,
) {
    for (entity, skins, character, children, error) in &all {
        if !skins.is_changed() && !character.is_changed() {
            continue;
        }
        let Some(LissomArchive { archive, materials, .. }) = archives.get(&character.archive) else {
            continue;
        };
        let Some(crowd_of) = crowds.get(&character.key) else { continue };
        // Those that were made for its skeleton.
        let mut meshes: Vec<&str> = crowd_of.crowd.mesh_names().collect();
        if !skins.only.is_empty() {
            let found: Result<Vec<usize>, _> =
                skins.only.iter().map(|name| called("mesh", meshes.iter().copied(), name)).collect();
            match found {
                Ok(found) => meshes = found.into_iter().map(|at| meshes[at]).collect(),
                Err(why) => {
                    commands.tell(entity, Concern::Skin, why);
                    continue;
                }
            }
        }
        if fails(error, Concern::Skin) {
            commands.mend(entity, Concern::Skin);
        }
        let own = children.into_iter().flatten().filter_map(|child| Some((*child, worn.get(*child).ok()?)));
        let mut there: Vec<(Entity, &Skin)> = own.collect();
        for mesh in meshes {
            let material = archive.mesh(mesh).ok().map(|mesh| mesh.view().material.to_owned());
            let material = SkinMaterial(material.and_then(|name| materials.get(&*name).cloned()));
            if let Some(at) = there.iter().position(|(_, skin)| skin.mesh() == mesh) {
                let (child, _) = there.swap_remove(at);
                commands.entity(child).try_insert(material);
            } else {
                commands.spawn((
                    Name::new(mesh.to_owned()),
                    Skin::new(mesh),
                    material,
                    Worn,
                    ChildOf(entity),
                ));
            }
        }
        for (gone, _) in there {
            commands.entity(gone).try_despawn();
        }
    }
}

/// The component went.
pub(crate) fn take_off(
    lost: On<Remove<Skins>>,
    children: Query<&Children>,
    worn: Query<(), With<Worn>>,
    mut commands: Commands,
) {
    let own = children.get(lost.entity).into_iter().flatten().filter(|child| worn.contains(**child));
    own.for_each(|child| commands.entity(*child).try_despawn());
    commands.mend(lost.entity, Concern::Skin);
}

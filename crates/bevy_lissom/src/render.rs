//! Palettes of skins on their way to the GPU (feature `render`).
//!
//! ```text
//!  SkinPalette ──▶ copy_palettes: staging buffer ──▶ Bevy's prepare_skins ──▶ buffer of this frame
//!                        │ skins whose range is new in this frame              buffer of the frame before
//!                        ▼                                                        ▲
//!                     Newcomers ──▶ stand_still_before ───────────────────────────┘
//! ```
//!
//! Bevy swaps its two buffers and uploads the whole staging buffer, in every frame. Both are read at the same range, so what was copied
//! here in one frame is what motion vectors compare with in the next: for as long as a skin keeps its range, which it does
//! while it is seen. A skin that comes into sight gets a range with other data, which Bevy would take for its last pose. So its own
//! palette is written there too, as if it had not moved.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{scatter::scatter_palettes, skin::SkinPalette};
use bevy_app::App;
use bevy_camera::visibility::ViewVisibility;
use bevy_ecs::prelude::*;
use bevy_math::Mat4;
use bevy_mesh::skinning::SkinnedMesh;
use bevy_pbr::{
    MaterialExtractionSystems, RenderMaterialInstances, SkinUniforms, extract_skins, prepare_skins,
};
use bevy_render::{
    Extract, ExtractSchedule, Render, RenderApp, RenderSystems, renderer::RenderQueue, sync_world::MainEntity,
};
use std::ops::Range;
use tracing::{error, warn};

/// In an app that draws, palettes follow Bevy's own skins into their buffers.
pub(crate) fn connect(app: &mut App) {
    if let Some(render) = app.get_sub_app_mut(RenderApp) {
        render
            .init_resource::<Newcomers>()
            .add_systems(
                ExtractSchedule,
                (copy_palettes.after(extract_skins), tell_of_bare_skins.after(MaterialExtractionSystems)),
            )
            .add_systems(
                Render,
                stand_still_before.in_set(RenderSystems::PrepareResources).after(prepare_skins),
            );
    }
}

/// Ranges of the staging buffer that were given in this frame.
#[derive(Resource, Default)]
struct Newcomers(Vec<Range<usize>>);

/// Bevy has given every skin that is seen a range, and has filled it anew where the skin or its visibility changed. Nothing else is
/// ever written there, so palettes that stay as they are need no second copy.
fn copy_palettes(
    skins: Option<ResMut<SkinUniforms>>,
    palettes: Extract<
        Query<
            (Entity, &SkinPalette, Ref<ViewVisibility>, Ref<SkinnedMesh>),
            Or<(Changed<SkinPalette>, Changed<ViewVisibility>, Changed<SkinnedMesh>)>,
        >,
    >,
    mut newcomers: ResMut<Newcomers>,
    mut told: Local<bool>,
) {
    newcomers.0.clear();
    let Some(mut skins) = skins else { return };
    let mut places: Vec<(usize, &[Mat4])> = Vec::new();
    for (entity, palette, visibility, mesh) in &palettes {
        let Some(start) = skins.skin_index(MainEntity::from(entity)) else { continue };
        let (start, matrices) = (start as usize, palette.matrices());
        places.push((start, matrices));
        if visibility.is_changed() || mesh.is_changed() {
            newcomers.0.push(start..start + matrices.len());
        }
    }
    let left_out = scatter_palettes(&mut skins.current_staging_buffer, &mut places);
    if left_out > 0 && !std::mem::replace(&mut *told, true) {
        warn!(
            "{left_out} skins are not drawn as they stand: their `SkinnedMesh` has fewer joints than they have"
        );
    }
}

/// Frames between two looks at the skins.
const LOOK_EACH: u32 = 64;

/// Who looks for skins that nobody sees.
#[derive(Default)]
struct Lookout {
    frames: u32,
    /// One that had no material when it was looked at last.
    suspect: Option<Entity>,
    told: bool,
}

/// A skin in sight that has no material of any kind is not drawn: said once. A game may give it one some frames after it spawned it.
fn tell_of_bare_skins(
    skins: Extract<Query<(Entity, &ViewVisibility, Option<&Name>), With<SkinPalette>>>,
    materials: Option<Res<RenderMaterialInstances>>,
    mut lookout: Local<Lookout>,
) {
    let Some(materials) = materials.filter(|_| !lookout.told) else { return };
    lookout.frames += 1;
    if !lookout.frames.is_multiple_of(LOOK_EACH) {
        return;
    }
    let is_bare = |entity: Entity, seen: &ViewVisibility| {
        seen.get() && !materials.instances.contains_key(&MainEntity::from(entity))
    };
    let still = lookout.suspect.and_then(|suspect| skins.get(suspect).ok());
    if let Some((entity, _, name)) = still.filter(|(entity, seen, _)| is_bare(*entity, seen)) {
        lookout.told = true;
        let name = name.map_or_else(|| entity.to_string(), |name| format!("\"{name}\" ({entity})"));
        error!(
            "{name} has a `Skin` and no material, so it is not drawn: give it a `MeshMaterial3d`, or dress the character with \
             `Skins::all()`, which brings the materials of the file"
        );
        return;
    }
    lookout.suspect =
        skins.iter().find(|(entity, seen, _)| is_bare(*entity, seen)).map(|(entity, ..)| entity);
}

/// Writes the palettes of new skins into the buffer of the frame before.
fn stand_still_before(newcomers: Res<Newcomers>, skins: Option<Res<SkinUniforms>>, queue: Res<RenderQueue>) {
    let Some(skins) = skins else { return };
    for range in &newcomers.0 {
        // A skin that was left out has none.
        let Some(palette) = skins.current_staging_buffer.get(range.clone()) else { continue };
        let offset = (range.start * size_of::<Mat4>()) as u64;
        queue.write_buffer(&skins.prev_buffer, offset, bytemuck::cast_slice(palette));
    }
}

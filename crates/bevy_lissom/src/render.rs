//! Palettes of skins on their way to the GPU (feature `render`).

use crate::{scatter::scatter_palettes, skin::SkinPalette};
use bevy_app::App;
use bevy_camera::visibility::ViewVisibility;
use bevy_ecs::prelude::*;
use bevy_math::Mat4;
use bevy_mesh::skinning::SkinnedMesh;
use bevy_pbr::{SkinUniforms, extract_skins};
use bevy_render::{Extract, ExtractSchedule, RenderApp, sync_world::MainEntity};
use tracing::warn;

/// In an app that draws, palettes follow Bevy's own skins into their buffer.
pub(crate) fn connect(app: &mut App) {
    if let Some(render) = app.get_sub_app_mut(RenderApp) {
        render.add_systems(ExtractSchedule, copy_palettes.after(extract_skins));
    }
}

/// Bevy has given every skin that is seen a range, and has filled it anew where the skin or its visibility changed. What it
/// uploads is the whole buffer, in every frame; the one of the frame before is kept by itself, for motion vectors.
fn copy_palettes(
    skins: Option<ResMut<SkinUniforms>>,
    palettes: Extract<
        Query<
            (Entity, &SkinPalette),
            Or<(Changed<SkinPalette>, Changed<ViewVisibility>, Changed<SkinnedMesh>)>,
        >,
    >,
    mut told: Local<bool>,
) {
    let Some(mut skins) = skins else { return };
    let mut places: Vec<(usize, &[Mat4])> = palettes
        .iter()
        .filter_map(|(entity, palette)| {
            let start = skins.skin_index(MainEntity::from(entity))?;
            Some((start as usize, palette.matrices()))
        })
        .collect();
    let left_out = scatter_palettes(&mut skins.current_staging_buffer, &mut places);
    if left_out > 0 && !std::mem::replace(&mut *told, true) {
        warn!(
            "{left_out} skins are not drawn as they stand: their `SkinnedMesh` has fewer joints than they have"
        );
    }
}

//! Bevy's own material of what a file says (feature `render`).
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    material::{LissomMaterial, MaterialTexture, SkinMaterial},
    skin::dress,
    skins::{Skins, wear},
};
use bevy_app::{App, PostUpdate};
use bevy_asset::{AssetEvent, AssetId, Assets, Handle};
use bevy_color::LinearRgba;
use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_material::AlphaMode;
use bevy_math::{Affine2, Vec2};
use bevy_mesh::UvChannel;
use bevy_pbr::{MeshMaterial3d, StandardMaterial};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use lissom::archive;
use std::collections::HashMap;

/// In an app with [`StandardMaterial`]s, skins of [`Skins`](crate::Skins) are painted with them.
pub(crate) fn connect(app: &mut App) {
    if app.world().contains_resource::<Assets<StandardMaterial>>() {
        app.register_type::<Painted>()
            .init_resource::<Made>()
            .add_systems(PostUpdate, (follow, paint).chain().after(wear).before(dress));
    }
}

/// The materials that were made, by what they were made of; `None`: where a file says nothing.
#[derive(Resource, Default)]
struct Made(HashMap<Option<AssetId<LissomMaterial>>, Handle<StandardMaterial>>);

/// The material that a child was given here: what a game puts in its place stays.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default)]
struct Painted(Handle<StandardMaterial>);

/// Materials of files that changed change in place.
fn follow(
    mut events: MessageReader<AssetEvent<LissomMaterial>>,
    sources: Res<Assets<LissomMaterial>>,
    mut made: ResMut<Made>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for event in events.read() {
        match event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } => {
                let own = made.0.get(&Some(*id)).zip(sources.get(*id));
                if let Some((handle, source)) = own
                    && let Some(mut material) = materials.get_mut(handle)
                {
                    *material = standard(source);
                }
            }
            AssetEvent::Removed { id } => drop(made.0.remove(&Some(*id))),
            _ => {}
        }
    }
}

/// Children with a new [`SkinMaterial`] get the material that was made of it.
fn paint(
    new: Query<
        (Entity, &SkinMaterial, &ChildOf, Option<&MeshMaterial3d<StandardMaterial>>, Option<&Painted>),
        Changed<SkinMaterial>,
    >,
    skins: Query<&Skins>,
    sources: Res<Assets<LissomMaterial>>,
    mut made: ResMut<Made>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut commands: Commands,
) {
    for (entity, SkinMaterial(source), child_of, has, painted) in &new {
        if has.map(|has| &has.0) != painted.map(|painted| &painted.0) {
            continue;
        }
        if skins.get(child_of.parent()).is_ok_and(|skins| skins.bare) {
            commands.entity(entity).try_remove::<(MeshMaterial3d<StandardMaterial>, Painted)>();
            continue;
        }
        let key = source.as_ref().map(Handle::id);
        let handle = made.0.entry(key).or_insert_with(|| {
            let source = key.and_then(|key| sources.get(key));
            materials.add(source.map(standard).unwrap_or_default())
        });
        commands.entity(entity).try_insert((MeshMaterial3d(handle.clone()), Painted(handle.clone())));
    }
}

impl From<&LissomMaterial> for StandardMaterial {
    fn from(source: &LissomMaterial) -> Self {
        standard(source)
    }
}

fn standard(source: &LissomMaterial) -> StandardMaterial {
    let image = |used: &Option<MaterialTexture>| used.as_ref().map(|used| used.image.clone());
    let channel = |used: &Option<MaterialTexture>| match used {
        Some(MaterialTexture { uv_set: 1, .. }) => UvChannel::Uv1,
        _ => UvChannel::Uv0,
    };
    let [red, green, blue, alpha] = source.base_color;
    let [r, g, b] = source.emissive;
    let factor = |extension, field| number(source, extension, field);
    let strength = factor("KHR_materials_emissive_strength", "emissiveStrength").unwrap_or(1.0);
    let plain = StandardMaterial::default();
    StandardMaterial {
        base_color: LinearRgba::new(red, green, blue, alpha).into(),
        base_color_texture: image(&source.base_color_texture),
        base_color_channel: channel(&source.base_color_texture),
        metallic: source.metallic,
        perceptual_roughness: source.roughness,
        metallic_roughness_texture: image(&source.metallic_roughness_texture),
        metallic_roughness_channel: channel(&source.metallic_roughness_texture),
        normal_map_texture: image(&source.normal_texture),
        normal_map_channel: channel(&source.normal_texture),
        occlusion_texture: image(&source.occlusion_texture),
        occlusion_channel: channel(&source.occlusion_texture),
        emissive: LinearRgba::rgb(r * strength, g * strength, b * strength),
        emissive_texture: image(&source.emissive_texture),
        emissive_channel: channel(&source.emissive_texture),
        alpha_mode: match source.alpha {
            archive::AlphaMode::Mask => AlphaMode::Mask(source.alpha_cutoff),
            archive::AlphaMode::Blend => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        double_sided: source.double_sided,
        cull_mode: plain.cull_mode.filter(|_| !source.double_sided),
        unlit: source.unlit,
        ior: factor("KHR_materials_ior", "ior").unwrap_or(plain.ior),
        clearcoat: factor("KHR_materials_clearcoat", "clearcoatFactor").unwrap_or(plain.clearcoat),
        clearcoat_perceptual_roughness: factor("KHR_materials_clearcoat", "clearcoatRoughnessFactor")
            .unwrap_or(plain.clearcoat_perceptual_roughness),
        uv_transform: transform(source),
        ..plain
    }
}

/// Bevy moves all textures of a material alike: as the first that is moved.
fn transform(source: &LissomMaterial) -> Affine2 {
    let moved = source.textures().find_map(|used| used.transform);
    moved.map_or(Affine2::IDENTITY, |[x, y, rotation, u, v]| {
        Affine2::from_scale_angle_translation(Vec2::new(u, v), -rotation, Vec2::new(x, y))
    })
}

/// A number of an extension. A file's word is not trusted: what is no number is not there.
fn number(source: &LissomMaterial, extension: &str, field: &str) -> Option<f32> {
    let (_, json) = source.extensions.iter().find(|(name, _)| name == extension)?;
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    Some(value.get(field)?.as_f64()? as f32)
}

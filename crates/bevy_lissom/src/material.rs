//! Materials of an archive: assets that any renderer can read, with their images.

use bevy_asset::{Asset, Handle, LoadContext, RenderAssetUsages};
use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_image::{
    CompressedImageFormats, Image, ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor,
    ImageType,
};
use bevy_reflect::{Reflect, TypePath, std_traits::ReflectDefault};
use lissom::archive::{
    AlphaMode, Archive, ArchiveError, ArchiveView, Limits, MaterialView, SectionKind, TextureUseView,
};
use std::collections::{HashMap, HashSet};
use tracing::warn;

/// A metallic-roughness material of an archive, as glTF has them. Colours are linear.
#[derive(Asset, TypePath, Clone, Debug, PartialEq)]
pub struct LissomMaterial {
    /// As its file calls it.
    pub name: String,
    /// Red, green, blue, alpha.
    pub base_color: [f32; 4],
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// Red, green, blue.
    pub emissive: [f32; 3],
    /// How strong the normal texture is.
    pub normal_scale: f32,
    /// How strong the occlusion texture is.
    pub occlusion_strength: f32,
    /// Of [`AlphaMode::Mask`].
    pub alpha_cutoff: f32,
    /// What alpha means.
    pub alpha: AlphaMode,
    /// Drawn from behind too.
    pub double_sided: bool,
    /// No light falls on it (`KHR_materials_unlit`).
    pub unlit: bool,
    /// Times the base colour.
    pub base_color_texture: Option<MaterialTexture>,
    /// Roughness in green, metallic in blue.
    pub metallic_roughness_texture: Option<MaterialTexture>,
    /// In tangent space.
    pub normal_texture: Option<MaterialTexture>,
    /// In red.
    pub occlusion_texture: Option<MaterialTexture>,
    /// Times the emissive colour.
    pub emissive_texture: Option<MaterialTexture>,
    /// Extensions of the file by name, and their JSON.
    pub extensions: Vec<(String, String)>,
}

impl LissomMaterial {
    /// The textures that it has.
    pub fn textures(&self) -> impl Iterator<Item = &MaterialTexture> {
        [
            &self.base_color_texture,
            &self.metallic_roughness_texture,
            &self.normal_texture,
            &self.occlusion_texture,
            &self.emissive_texture,
        ]
        .into_iter()
        .flatten()
    }
}

/// A texture of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTexture {
    /// Decoded.
    pub image: Handle<Image>,
    /// Which set of the mesh's texture coordinates.
    pub uv_set: u32,
    /// Offset x and y, rotation in radians, scale x and y.
    pub transform: Option<[f32; 5]>,
}

/// The material that its file has for a skin of [`Skins`](crate::Skins); `None`: the file says nothing. With feature `render` Bevy's
/// `StandardMaterial` is made of it.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct SkinMaterial(pub Option<Handle<LissomMaterial>>);

/// The materials of an archive.
#[derive(Default)]
pub(crate) struct Materials {
    /// As assets, by name.
    pub handles: HashMap<Box<str>, Handle<LissomMaterial>>,
    /// Those with a normal texture.
    pub bumpy: HashSet<Box<str>>,
}

/// All materials of an archive, as assets. Images are decoded into one of these formats; `None`: they are not wanted.
pub(crate) fn all(
    archive: &Archive,
    images: Option<CompressedImageFormats>,
    context: &mut LoadContext<'_>,
) -> Result<Materials, ArchiveError> {
    let mut materials = Materials::default();
    if archive.names(SectionKind::Material).next().is_none() {
        return Ok(materials);
    }
    let view = ArchiveView::read(archive.bytes(), &Limits::default())?;
    let mut decoded = Images { view: &view, formats: images, known: HashMap::new() };
    for name in archive.names(SectionKind::Material) {
        let material = material_of(&view.material(name)?, &mut decoded, context);
        if material.normal_texture.is_some() {
            materials.bumpy.insert(name.into());
        }
        let handle = context.add_labeled_asset(format!("material/{name}"), material);
        materials.handles.insert(name.into(), handle);
    }
    Ok(materials)
}

fn material_of(
    own: &MaterialView<'_>,
    images: &mut Images<'_>,
    context: &mut LoadContext<'_>,
) -> LissomMaterial {
    let mut texture = |used: Option<TextureUseView>, srgb| {
        let TextureUseView { texture, uv_set, transform } = used?;
        let image = images.get(own, texture, srgb, context)?;
        Some(MaterialTexture { image, uv_set, transform })
    };
    LissomMaterial {
        name: own.name.into(),
        base_color: own.base_color,
        metallic: own.metallic,
        roughness: own.roughness,
        emissive: own.emissive,
        normal_scale: own.normal_scale,
        occlusion_strength: own.occlusion_strength,
        alpha_cutoff: own.alpha_cutoff,
        alpha: own.alpha,
        double_sided: own.double_sided,
        unlit: own.extensions.iter().any(|(name, _)| *name == "KHR_materials_unlit"),
        base_color_texture: texture(own.base_color_texture, true),
        metallic_roughness_texture: texture(own.metallic_roughness_texture, false),
        normal_texture: texture(own.normal_texture, false),
        occlusion_texture: texture(own.occlusion_texture, false),
        emissive_texture: texture(own.emissive_texture, true),
        extensions: own.extensions.iter().map(|(name, json)| ((*name).into(), (*json).into())).collect(),
    }
}

/// An image as a texture uses it: its section, whether it has colours, and its sampler.
type Use = (String, bool, [u32; 4]);

/// The images of an archive that were decoded. What cannot be decoded is told once.
struct Images<'a> {
    view: &'a ArchiveView<'a>,
    /// What a GPU reads as it is; `None`: images are not wanted.
    formats: Option<CompressedImageFormats>,
    known: HashMap<Use, Option<Handle<Image>>>,
}

impl Images<'_> {
    fn get(
        &mut self,
        material: &MaterialView<'_>,
        texture: usize,
        srgb: bool,
        context: &mut LoadContext<'_>,
    ) -> Option<Handle<Image>> {
        let (texture, formats) = material.textures.get(texture).zip(self.formats)?;
        // One that needs no extension, where there are several.
        let plain = texture.images.iter().find(|(extension, _)| extension.is_empty());
        let (_, name) = plain.or(texture.images.first())?;
        let key = (String::from(*name), srgb, texture.sampler);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let decoded = self.decoded(name, srgb, texture.sampler, formats);
        let image = match decoded {
            Ok(image) => {
                let number = self.known.keys().filter(|(own, ..)| own == name).count();
                let label =
                    if number == 0 { format!("image/{name}") } else { format!("image/{name}/{number}") };
                Some(context.add_labeled_asset(label, image))
            }
            Err(why) => {
                warn!("{}: image {name:?} of material {:?}: {why}", context.path(), material.name);
                None
            }
        };
        self.known.insert(key, image.clone());
        image
    }

    fn decoded(
        &self,
        name: &str,
        srgb: bool,
        sampler: [u32; 4],
        formats: CompressedImageFormats,
    ) -> Result<Image, String> {
        let image = self.view.image(name).map_err(|why| why.to_string())?;
        let kind =
            ImageType::MimeType(if image.mime_type.is_empty() { "image/png" } else { image.mime_type });
        let usages = RenderAssetUsages::default();
        Image::from_buffer(image.bytes, kind, formats, srgb, sampler_of(sampler), usages)
            .map_err(|why| format!("{why}; Bevy reads PNG, JPEG, WebP and KTX2 with a feature of each"))
    }
}

/// As glTF numbers them: magnification and minification filter, wrap along u and v.
fn sampler_of([magnified, minified, u, v]: [u32; 4]) -> ImageSampler {
    let wrap = |number| match number {
        33071 => ImageAddressMode::ClampToEdge,
        33648 => ImageAddressMode::MirrorRepeat,
        _ => ImageAddressMode::Repeat,
    };
    let filter = |nearest: bool| if nearest { ImageFilterMode::Nearest } else { ImageFilterMode::Linear };
    ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: wrap(u),
        address_mode_v: wrap(v),
        mag_filter: filter(magnified == 9728),
        min_filter: filter(matches!(minified, 9728 | 9984 | 9986)),
        mipmap_filter: filter(matches!(minified, 9984 | 9985)),
        ..ImageSamplerDescriptor::default()
    })
}

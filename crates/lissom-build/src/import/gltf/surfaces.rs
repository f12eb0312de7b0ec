//! Materials, textures, images: carried as they are. Whatever is wrong with one is told and leaves it out; no material
//! can refuse a file.

use super::{
    super::{ImportError, Place},
    accessor::Source,
    budget::Budget,
    document::{self, Document, Text},
    files,
    names::place,
};
use crate::{
    mesh::material::{AlphaMode, Image, ImageHeader, Material, Texture, TextureTransform, TextureUse},
    scene::Scene,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use std::{borrow::Cow, collections::BTreeMap};

/// Extensions that give a texture another image.
const OTHER_IMAGES: [&str; 4] =
    ["KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds"];
/// Memory for each byte of an extension's JSON while textures in it get their numbers.
const TREE: usize = 32;

#[derive(Deserialize)]
struct ImageJson<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    uri: Option<Text<'a>>,
    #[serde(borrow, rename = "mimeType")]
    mime_type: Option<Text<'a>>,
    #[serde(rename = "bufferView")]
    view: Option<u32>,
}

#[derive(Deserialize)]
struct TextureJson<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    sampler: Option<u32>,
    source: Option<u32>,
    #[serde(borrow, default)]
    extensions: BTreeMap<Cow<'a, str>, &'a RawValue>,
}

#[derive(Deserialize)]
struct SourceJson {
    source: u32,
}

#[derive(Deserialize, Default)]
struct SamplerJson {
    #[serde(default, rename = "magFilter")]
    mag: u32,
    #[serde(default, rename = "minFilter")]
    min: u32,
    #[serde(default, rename = "wrapS")]
    wrap_s: u32,
    #[serde(default, rename = "wrapT")]
    wrap_t: u32,
}

#[derive(Deserialize)]
struct MaterialJson<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(default, rename = "pbrMetallicRoughness")]
    pbr: Pbr,
    #[serde(rename = "normalTexture")]
    normal: Option<TextureInfo>,
    #[serde(rename = "occlusionTexture")]
    occlusion: Option<TextureInfo>,
    #[serde(rename = "emissiveTexture")]
    emissive: Option<TextureInfo>,
    #[serde(default, rename = "emissiveFactor")]
    emissive_factor: [f64; 3],
    #[serde(borrow, rename = "alphaMode")]
    alpha: Option<Text<'a>>,
    #[serde(rename = "alphaCutoff")]
    cutoff: Option<f64>,
    #[serde(default, rename = "doubleSided")]
    double_sided: bool,
    #[serde(borrow, default)]
    extensions: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow)]
    extras: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Pbr {
    #[serde(rename = "baseColorFactor")]
    base: Option<[f64; 4]>,
    #[serde(rename = "baseColorTexture")]
    base_texture: Option<TextureInfo>,
    #[serde(rename = "metallicFactor")]
    metallic: Option<f64>,
    #[serde(rename = "roughnessFactor")]
    roughness: Option<f64>,
    #[serde(rename = "metallicRoughnessTexture")]
    texture: Option<TextureInfo>,
}

#[derive(Deserialize)]
struct TextureInfo {
    index: u32,
    #[serde(default, rename = "texCoord")]
    uv_set: u32,
    scale: Option<f64>,
    strength: Option<f64>,
    #[serde(default)]
    extensions: InfoExtensions,
}

#[derive(Deserialize, Default)]
struct InfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    transform: Option<TransformJson>,
}

#[derive(Deserialize)]
struct TransformJson {
    offset: Option<[f64; 2]>,
    rotation: Option<f64>,
    scale: Option<[f64; 2]>,
    #[serde(rename = "texCoord")]
    uv_set: Option<u32>,
}

/// Views that images stand in.
pub(super) fn views(document: &Document<'_>) -> Vec<u32> {
    let parsed = |raw: &RawValue| serde_json::from_str::<ImageJson<'_>>(raw.get()).ok()?.view;
    document::list(document.images).into_iter().filter_map(parsed).collect()
}

/// Reads all images; gives the place of each in the scene, if it was read.
pub(super) fn images(
    source: &Source<'_>,
    files: &mut super::buffers::Files<'_>,
    strict: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Vec<Option<usize>>, ImportError> {
    let all = document::list(source.document.images);
    budget.take(all.len() as u64, size_of::<[Image; 2]>(), || Place::Path("images".into()))?;
    let mut out = Vec::with_capacity(all.len());
    for (index, raw) in all.into_iter().enumerate() {
        let at = || Place::Path(format!("image {index}"));
        let image = serde_json::from_str::<ImageJson<'_>>(raw.get())
            .map_err(|e| ImportError::Format { place: at(), reason: document::reason(&e) })
            .and_then(|json| image(source, &json, index, files, budget));
        match image {
            Ok(image) => {
                if let Some(text) = image.complaint() {
                    scene.warn(place("image", index, Some(&image.name)), text);
                }
                out.push(Some(scene.images.len()));
                let header = ImageHeader::of(&image.bytes);
                let mime_type = header.map_or(image.mime_type, |h| h.mime_type.into());
                scene.images.push(Image { mime_type, ..image });
            }
            Err(error) => {
                super::spare(error, "the image was left out", strict, budget, scene)?;
                out.push(None);
            }
        }
    }
    Ok(out)
}

fn image(
    source: &Source<'_>,
    json: &ImageJson<'_>,
    index: usize,
    files: &mut super::buffers::Files<'_>,
    budget: &mut Budget,
) -> Result<Image, ImportError> {
    let at = || Place::Path(format!("image {index}"));
    let mut mime_type = json.mime_type.as_deref().unwrap_or_default().to_owned();
    let mut name = json.name.as_deref().unwrap_or_default().to_owned();
    let bytes = match (json.view, json.uri.as_deref()) {
        (Some(view), _) => {
            let (bytes, _) = source.buffers.view(source.document, view)?;
            budget.take(bytes.len() as u64, 1, at)?;
            bytes.to_vec()
        }
        (None, Some(uri)) => {
            if let Some(decoded) = files::data_uri(uri, at) {
                let decoded = decoded?;
                budget.take(decoded.capacity() as u64, 1, at)?;
                if mime_type.is_empty() {
                    let head = uri.split([';', ',']).next().unwrap_or_default();
                    head.strip_prefix("data:").unwrap_or_default().clone_into(&mut mime_type);
                }
                decoded
            } else {
                let bytes = files(uri)?;
                budget.add_file(bytes.len() as u64);
                if name.is_empty() {
                    let file = uri.rsplit('/').next().unwrap_or_default();
                    file.split('.').next().unwrap_or_default().clone_into(&mut name);
                }
                if mime_type.is_empty() {
                    ImageHeader::of(&bytes).map_or("", |h| h.mime_type).clone_into(&mut mime_type);
                }
                bytes
            }
        }
        (None, None) => {
            let reason = "it has neither a uri nor a bufferView".into();
            return Err(ImportError::Format { place: at(), reason });
        }
    };
    Ok(Image { name: name.chars().take(255).collect(), mime_type, bytes })
}

/// Reads all materials; gives the place of each in the scene, if it was read.
pub(super) fn materials(
    document: &Document<'_>,
    images: &[Option<usize>],
    strict: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Vec<Option<usize>>, ImportError> {
    let here = || Place::Path("materials".into());
    let textures = document::list(document.textures);
    let samplers = document::list(document.samplers);
    let all = document::list(document.materials);
    budget.take(all.len() as u64, size_of::<[Material; 2]>(), here)?;
    budget.take(textures.len().saturating_add(samplers.len()) as u64, 32, here)?;
    let mut out = Vec::with_capacity(all.len());
    for (index, raw) in all.into_iter().enumerate() {
        budget.take(raw.get().len() as u64, 4, here)?;
        let at = || Place::Path(format!("material {index}"));
        let parsed = serde_json::from_str::<MaterialJson<'_>>(raw.get());
        let mut maker = Maker {
            textures: &textures,
            samplers: &samplers,
            images,
            known: BTreeMap::new(),
            missing: 0,
            out: Material::default(),
        };
        let made = match parsed {
            Ok(json) => maker.material(&json, budget),
            Err(e) => Err(ImportError::Format { place: at(), reason: document::reason(&e) }),
        };
        let Maker { missing, out: material, .. } = maker;
        let sound = made.and_then(|()| {
            let reason = "a number in it is larger than f32 can hold".into();
            if material.is_valid() { Ok(()) } else { Err(ImportError::Format { place: at(), reason }) }
        });
        match sound {
            Ok(()) => {
                if missing > 0 {
                    let here = place("material", index, Some(&material.name));
                    scene.warn(here, format!("{missing} of its textures do not exist; they were left out"));
                }
                out.push(Some(scene.materials.len()));
                scene.materials.push(material);
            }
            Err(error) => {
                super::spare(error, "the material was left out", strict, budget, scene)?;
                out.push(None);
            }
        }
    }
    Ok(out)
}

/// One material in the making.
struct Maker<'m, 'a> {
    textures: &'m [&'a RawValue],
    samplers: &'m [&'a RawValue],
    images: &'m [Option<usize>],
    /// Where a texture of the file stands among the material's own.
    known: BTreeMap<u32, usize>,
    missing: usize,
    out: Material,
}

impl Maker<'_, '_> {
    fn material(&mut self, json: &MaterialJson<'_>, budget: &mut Budget) -> Result<(), ImportError> {
        let narrow = |v: f64| v as f32;
        let pbr = &json.pbr;
        let base_color_texture = self.used(pbr.base_texture.as_ref(), budget)?;
        let metallic_roughness_texture = self.used(pbr.texture.as_ref(), budget)?;
        let normal_texture = self.used(json.normal.as_ref(), budget)?;
        let occlusion_texture = self.used(json.occlusion.as_ref(), budget)?;
        let emissive_texture = self.used(json.emissive.as_ref(), budget)?;
        let mut extensions = Vec::with_capacity(json.extensions.len());
        for (name, raw) in &json.extensions {
            extensions.push((name.clone().into_owned(), self.extension(raw, budget)?));
        }
        self.out = Material {
            name: json.name.as_deref().unwrap_or_default().chars().take(255).collect(),
            base_color: pbr.base.unwrap_or([1.0; 4]).map(narrow),
            base_color_texture,
            metallic: narrow(pbr.metallic.unwrap_or(1.0)),
            roughness: narrow(pbr.roughness.unwrap_or(1.0)),
            metallic_roughness_texture,
            normal_texture,
            normal_scale: narrow(json.normal.as_ref().and_then(|t| t.scale).unwrap_or(1.0)),
            occlusion_texture,
            occlusion_strength: narrow(json.occlusion.as_ref().and_then(|t| t.strength).unwrap_or(1.0)),
            emissive: json.emissive_factor.map(narrow),
            emissive_texture,
            alpha: match json.alpha.as_deref() {
                Some("MASK") => AlphaMode::Mask,
                Some("BLEND") => AlphaMode::Blend,
                _ => AlphaMode::Opaque,
            },
            alpha_cutoff: narrow(json.cutoff.unwrap_or(0.5)),
            double_sided: json.double_sided,
            textures: core::mem::take(&mut self.out.textures),
            extensions,
            extras: document::text(json.extras),
        };
        Ok(())
    }

    fn used(
        &mut self,
        info: Option<&TextureInfo>,
        budget: &mut Budget,
    ) -> Result<Option<TextureUse>, ImportError> {
        let Some(info) = info else { return Ok(None) };
        let Some(texture) = self.texture(info.index, budget)? else { return Ok(None) };
        let own = info.extensions.transform.as_ref();
        let transform = own.map(|t| TextureTransform {
            offset: t.offset.unwrap_or_default().map(|v| v as f32),
            rotation: t.rotation.unwrap_or_default() as f32,
            scale: t.scale.unwrap_or([1.0; 2]).map(|v| v as f32),
        });
        let uv_set = own.and_then(|t| t.uv_set).unwrap_or(info.uv_set);
        Ok(Some(TextureUse { texture, uv_set, transform }))
    }

    /// The material's own number of a texture; `None` if there is none.
    fn texture(&mut self, index: u32, budget: &mut Budget) -> Result<Option<usize>, ImportError> {
        if let Some(known) = self.known.get(&index) {
            return Ok(Some(*known));
        }
        let raw = self.textures.get(index as usize);
        let json = raw.and_then(|r| serde_json::from_str::<TextureJson<'_>>(r.get()).ok());
        let Some(json) = json else {
            self.missing = self.missing.saturating_add(1);
            return Ok(None);
        };
        // A texture of the file may be used by every material, and each has its own.
        let length = raw.map_or(0, |r| r.get().len()) as u64;
        budget.take(length, 2, || Place::Path(format!("texture {index}")))?;
        budget.take(1, size_of::<[Texture; 4]>(), || Place::Path(format!("texture {index}")))?;
        let mut images = Vec::new();
        let mut add = |kind: &str, image: u32| {
            if let Some(Some(image)) = self.images.get(image as usize) {
                images.push((kind.to_owned(), *image));
            }
        };
        if let Some(image) = json.source {
            add("", image);
        }
        for kind in OTHER_IMAGES {
            let other = json.extensions.get(kind);
            if let Some(other) = other.and_then(|r| serde_json::from_str::<SourceJson>(r.get()).ok()) {
                add(kind, other.source);
            }
        }
        let sampler = json.sampler.and_then(|s| self.samplers.get(s as usize));
        let sampler = sampler.and_then(|r| serde_json::from_str::<SamplerJson>(r.get()).ok());
        let SamplerJson { mag, min, wrap_s, wrap_t } = sampler.unwrap_or_default();
        let number = self.out.textures.len();
        let name = json.name.as_deref().unwrap_or_default().chars().take(255).collect();
        self.out.textures.push(Texture { name, sampler: [mag, min, wrap_s, wrap_t], images });
        self.known.insert(index, number);
        Ok(Some(number))
    }

    /// The JSON of an extension, its textures with the material's own numbers.
    fn extension(&mut self, raw: &RawValue, budget: &mut Budget) -> Result<String, ImportError> {
        let text = raw.get();
        budget.take(text.len() as u64, TREE, || Place::Path("materials".into()))?;
        if !text.contains("exture") {
            return Ok(text.to_owned());
        }
        let Ok(mut tree) = serde_json::from_str::<Value>(text) else { return Ok(text.to_owned()) };
        self.renumber(&mut tree, budget)?;
        Ok(tree.to_string())
    }

    /// Everywhere in extensions of materials a texture is an object with an `index`, under a name that ends in
    /// `Texture`. The depth is bounded by the parser.
    fn renumber(&mut self, tree: &mut Value, budget: &mut Budget) -> Result<(), ImportError> {
        match tree {
            Value::Array(list) => list.iter_mut().try_for_each(|v| self.renumber(v, budget)),
            Value::Object(fields) => {
                let mut gone = Vec::new();
                for (name, value) in fields.iter_mut() {
                    let texture = name.ends_with("Texture") || name.ends_with("texture");
                    let index = value.get("index").and_then(Value::as_u64).filter(|_| texture);
                    let Some(index) = index else {
                        self.renumber(value, budget)?;
                        continue;
                    };
                    let own = self.texture(u32::try_from(index).unwrap_or(u32::MAX), budget)?;
                    match (own, value.get_mut("index")) {
                        (Some(own), Some(slot)) => *slot = Value::from(own),
                        _ => gone.push(name.clone()),
                    }
                }
                gone.iter().for_each(|name| drop(fields.remove(name)));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

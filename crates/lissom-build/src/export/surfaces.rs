//! Materials, textures, samplers and images. Equal textures of several materials are written once.

use super::binary::Binary;
use crate::{
    mesh::material::{AlphaMode, ImageHeader, Material, Texture, TextureUse},
    scene::Scene,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What the file lists.
#[derive(Default)]
pub(super) struct Surfaces {
    materials: Vec<Value>,
    textures: Vec<Value>,
    samplers: Vec<Value>,
    images: Vec<Value>,
    known: BTreeMap<Texture, usize>,
    known_samplers: BTreeMap<[u32; 4], usize>,
    used: BTreeSet<String>,
    required: BTreeSet<String>,
}

/// The JSON number that is shortest and reads back as the same f32.
pub(super) fn short(v: f32) -> f64 {
    v.to_string().parse().unwrap_or_else(|_| f64::from(v))
}

fn shorts(list: &[f32]) -> Value {
    list.iter().map(|v| short(*v)).collect()
}

/// The JSON of an extra; `None` if there is none.
pub(super) fn extras(text: &str) -> Option<Value> {
    if text.is_empty() { None } else { serde_json::from_str(text).ok() }
}

impl Surfaces {
    pub(super) fn of(scene: &Scene, binary: &mut Binary) -> Self {
        let mut out = Self::default();
        for image in &scene.images {
            let header = ImageHeader::of(&image.bytes).map_or("application/octet-stream", |h| h.mime_type);
            let mime = if image.mime_type.is_empty() { header } else { &image.mime_type };
            let mut json = json!({ "mimeType": mime, "bufferView": binary.view(&image.bytes, None) });
            if !image.name.is_empty() {
                json["name"] = json!(image.name);
            }
            out.images.push(json);
        }
        for material in &scene.materials {
            let json = out.material(material);
            out.materials.push(json);
        }
        out
    }

    /// Notes an extension without which the file cannot be read.
    pub(super) fn require(&mut self, extension: &str) {
        self.used.insert(extension.to_owned());
        self.required.insert(extension.to_owned());
    }

    /// Puts the lists that are not empty into the file.
    pub(super) fn add_to(self, file: &mut Value) {
        for (name, list) in [
            ("materials", self.materials),
            ("textures", self.textures),
            ("samplers", self.samplers),
            ("images", self.images),
        ] {
            if !list.is_empty() {
                file[name] = Value::Array(list);
            }
        }
        for (name, set) in [("extensionsUsed", self.used), ("extensionsRequired", self.required)] {
            if !set.is_empty() {
                file[name] = set.into_iter().collect();
            }
        }
    }

    fn material(&mut self, m: &Material) -> Value {
        // Every texture of the material, whether an extension or the core uses it.
        let numbers: Vec<usize> = m.textures.iter().map(|t| self.texture(t)).collect();
        let plain = Material::default();
        let mut pbr = Map::new();
        let mut out = Map::new();
        if m.base_color != plain.base_color {
            pbr.insert("baseColorFactor".into(), shorts(&m.base_color));
        }
        for (name, value, plain) in [
            ("metallicFactor", m.metallic, plain.metallic),
            ("roughnessFactor", m.roughness, plain.roughness),
        ] {
            if value != plain {
                pbr.insert(name.into(), json!(short(value)));
            }
        }
        let mut put = |to: &mut Map<String, Value>,
                       name: &str,
                       slot: Option<TextureUse>,
                       factor: Option<(&str, f32)>| {
            let Some(mut info) = slot.and_then(|s| self.texture_info(s, &numbers)) else { return };
            if let Some((name, factor)) = factor.filter(|(_, f)| *f != 1.0) {
                info[name] = json!(short(factor));
            }
            to.insert(name.into(), info);
        };
        put(&mut pbr, "baseColorTexture", m.base_color_texture, None);
        put(&mut pbr, "metallicRoughnessTexture", m.metallic_roughness_texture, None);
        put(&mut out, "normalTexture", m.normal_texture, Some(("scale", m.normal_scale)));
        put(&mut out, "occlusionTexture", m.occlusion_texture, Some(("strength", m.occlusion_strength)));
        put(&mut out, "emissiveTexture", m.emissive_texture, None);
        if !m.name.is_empty() {
            out.insert("name".into(), json!(m.name));
        }
        if !pbr.is_empty() {
            out.insert("pbrMetallicRoughness".into(), Value::Object(pbr));
        }
        if m.emissive != plain.emissive {
            out.insert("emissiveFactor".into(), shorts(&m.emissive));
        }
        match m.alpha {
            AlphaMode::Opaque => {}
            AlphaMode::Mask => {
                out.insert("alphaMode".into(), json!("MASK"));
                out.insert("alphaCutoff".into(), json!(short(m.alpha_cutoff)));
            }
            AlphaMode::Blend => {
                out.insert("alphaMode".into(), json!("BLEND"));
            }
        }
        if m.double_sided {
            out.insert("doubleSided".into(), json!(true));
        }
        let mut extensions = Map::new();
        for (name, text) in &m.extensions {
            let Some(mut tree) = extras(text) else { continue };
            self.renumber(&mut tree, &numbers);
            self.used.insert(name.clone());
            extensions.insert(name.clone(), tree);
        }
        if !extensions.is_empty() {
            out.insert("extensions".into(), Value::Object(extensions));
        }
        if let Some(extras) = extras(&m.extras) {
            out.insert("extras".into(), extras);
        }
        Value::Object(out)
    }

    fn texture_info(&mut self, slot: TextureUse, numbers: &[usize]) -> Option<Value> {
        let mut info = json!({ "index": numbers.get(slot.texture)? });
        if slot.uv_set != 0 {
            info["texCoord"] = json!(slot.uv_set);
        }
        if let Some(transform) = slot.transform {
            let mut json = Map::new();
            if transform.offset != [0.0; 2] {
                json.insert("offset".into(), shorts(&transform.offset));
            }
            if transform.rotation != 0.0 {
                json.insert("rotation".into(), json!(short(transform.rotation)));
            }
            if transform.scale != [1.0; 2] {
                json.insert("scale".into(), shorts(&transform.scale));
            }
            info["extensions"] = json!({ "KHR_texture_transform": json });
            self.used.insert("KHR_texture_transform".into());
        }
        Some(info)
    }

    fn texture(&mut self, texture: &Texture) -> usize {
        if let Some(known) = self.known.get(texture) {
            return *known;
        }
        let mut json = Map::new();
        if !texture.name.is_empty() {
            json.insert("name".into(), json!(texture.name));
        }
        if texture.sampler != [0; 4] {
            json.insert("sampler".into(), json!(self.sampler(texture.sampler)));
        }
        let plain = texture.images.iter().any(|(kind, _)| kind.is_empty());
        let mut extensions = Map::new();
        for (kind, image) in &texture.images {
            if kind.is_empty() {
                json.insert("source".into(), json!(image));
                continue;
            }
            extensions.insert(kind.clone(), json!({ "source": image }));
            self.used.insert(kind.clone());
            if !plain {
                self.required.insert(kind.clone());
            }
        }
        if !extensions.is_empty() {
            json.insert("extensions".into(), Value::Object(extensions));
        }
        self.textures.push(Value::Object(json));
        let number = self.textures.len() - 1;
        self.known.insert(texture.clone(), number);
        number
    }

    fn sampler(&mut self, sampler: [u32; 4]) -> usize {
        if let Some(known) = self.known_samplers.get(&sampler) {
            return *known;
        }
        let names = ["magFilter", "minFilter", "wrapS", "wrapT"];
        let said = names.iter().zip(sampler).filter(|(_, v)| *v != 0);
        let fields: Map<String, Value> = said.map(|(name, v)| ((*name).to_owned(), json!(v))).collect();
        self.samplers.push(Value::Object(fields));
        let number = self.samplers.len() - 1;
        self.known_samplers.insert(sampler, number);
        number
    }

    /// Gives textures in the JSON of an extension the file's numbers, and notes the extensions inside of it.
    fn renumber(&mut self, tree: &mut Value, numbers: &[usize]) {
        match tree {
            Value::Array(list) => list.iter_mut().for_each(|v| self.renumber(v, numbers)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    if name == "extensions"
                        && let Some(inner) = value.as_object()
                    {
                        self.used.extend(inner.keys().cloned());
                    }
                    let texture = name.ends_with("Texture") || name.ends_with("texture");
                    let own = value.get("index").and_then(Value::as_u64).filter(|_| texture);
                    let own = own.and_then(|own| numbers.get(usize::try_from(own).ok()?));
                    if let (Some(number), Some(slot)) = (own, value.get_mut("index")) {
                        *slot = json!(number);
                    }
                    self.renumber(value, numbers);
                }
            }
            _ => {}
        }
    }
}

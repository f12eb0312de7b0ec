//! A glTF file as JSON that can be compared: textures by what they show, defaults spelt out.

use anyhow::{Result, anyhow};
use lissom_testkit::gltf::{Reference, base64};
use serde_json::{Map, Value, json};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

/// A document and where its files are.
pub(super) struct File<'a> {
    pub(super) doc: Reference,
    beside: &'a Path,
}

pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Numbers as f32 has them.
fn narrow(value: &Value) -> Value {
    match value {
        Value::Number(n) => json!(n.as_f64().unwrap_or_default() as f32),
        Value::Array(all) => all.iter().map(narrow).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(k, v)| (k.clone(), narrow(v))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

impl<'a> File<'a> {
    pub(super) fn open(bytes: &[u8], beside: &'a Path) -> Result<Self> {
        let read = |uri: &str| fs::read(beside.join(uri.replace("%20", " "))).ok();
        Ok(Self { doc: Reference::open(bytes, read).map_err(|e| anyhow!(e))?, beside })
    }

    pub(super) fn json(&self) -> &Value {
        self.doc.json()
    }

    /// The bytes of an image, if they are there.
    pub(super) fn image(&self, index: usize) -> Option<Vec<u8>> {
        let image = &self.json()["images"][index];
        if let Some(view) = image["bufferView"].as_u64() {
            let view = &self.json()["bufferViews"][view as usize];
            let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
            let length = view["byteLength"].as_u64()? as usize;
            let buffer = self.doc.buffer(view["buffer"].as_u64()? as usize)?;
            return buffer.get(start..start + length).map(<[u8]>::to_vec);
        }
        let uri = image["uri"].as_str()?;
        match uri.split_once(";base64,") {
            Some((_, digits)) if uri.starts_with("data:") => Some(base64(digits)),
            _ => fs::read(self.beside.join(uri.replace("%20", " "))).ok(),
        }
    }

    /// What stands for an image: its bytes, whatever its number; null if nobody has them.
    fn shown(&self, source: &Value) -> Value {
        let Some(bytes) = source.as_u64().and_then(|index| self.image(index as usize)) else {
            return Value::Null;
        };
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        json!(format!("{} bytes, {:016x}", bytes.len(), hasher.finish()))
    }

    /// A texture by what it shows and how; nothing about numbers.
    fn texture(&self, index: u64) -> Value {
        let texture = &self.json()["textures"][index as usize];
        let mut out = json!({ "name": texture["name"].as_str().unwrap_or_default() });
        out["sampler"] = texture["sampler"].as_u64().map_or(json!({}), |s| {
            let mut sampler = self.json()["samplers"][s as usize].clone();
            sampler.as_object_mut().map(|fields| fields.remove("name"));
            sampler
        });
        out["source"] = self.shown(&texture["source"]);
        for (name, extension) in texture["extensions"].as_object().into_iter().flatten() {
            out[name] = self.shown(&extension["source"]);
        }
        out
    }

    /// Resolves textures, drops what is the default anyway.
    fn canonical(&self, value: &Value, under: &str) -> Value {
        match value {
            Value::Array(all) => all.iter().map(|v| self.canonical(v, "")).collect(),
            Value::Object(fields) => {
                let mut out = Map::new();
                for (key, value) in fields {
                    out.insert(key.clone(), self.canonical(value, key));
                }
                if under.ends_with("Texture")
                    && let Some(index) = fields.get("index").and_then(Value::as_u64)
                {
                    let transform =
                        &fields.get("extensions").unwrap_or(&Value::Null)["KHR_texture_transform"];
                    let set = transform["texCoord"].as_u64().or(value["texCoord"].as_u64()).unwrap_or(0);
                    out.insert("index".into(), self.texture(index));
                    out.insert("texCoord".into(), json!(set));
                    if let Some(own) =
                        out.get_mut("extensions").and_then(|e| e.get_mut("KHR_texture_transform"))
                    {
                        own.as_object_mut().map(|fields| fields.remove("texCoord"));
                    }
                }
                Value::Object(out)
            }
            Value::Number(n) => json!(n.as_f64().unwrap_or_default() as f32),
            other => other.clone(),
        }
    }

    pub(super) fn material(&self, material: &Value) -> Value {
        let mut out = self.canonical(material, "");
        let defaults = json!({
            "name": "", "emissiveFactor": [0.0, 0.0, 0.0], "alphaMode": "OPAQUE", "doubleSided": false,
            "pbrMetallicRoughness": { "baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 1.0, "roughnessFactor": 1.0 },
        });
        fill(&mut out, &narrow(&defaults));
        // A cutoff counts for masks alone.
        if out["alphaMode"] == "MASK" {
            fill(&mut out, &json!({ "alphaCutoff": 0.5 }));
        } else if let Some(fields) = out.as_object_mut() {
            fields.remove("alphaCutoff");
        }
        for (slot, factor) in [("normalTexture", "scale"), ("occlusionTexture", "strength")] {
            if out[slot].is_object() {
                fill(&mut out[slot], &json!({ factor: 1.0 }));
            }
        }
        // Transforms that do nothing may be spelt out or not.
        tidy(&mut out);
        out
    }
}

fn fill(to: &mut Value, from: &Value) {
    for (key, value) in from.as_object().into_iter().flatten() {
        if to[key].is_null() {
            to[key] = value.clone();
        } else if value.is_object() {
            fill(&mut to[key], value);
        }
    }
}

fn tidy(value: &mut Value) {
    if let Value::Object(fields) = value {
        if let Some(transform) = fields.get_mut("KHR_texture_transform") {
            fill(transform, &json!({ "offset": [0.0, 0.0], "rotation": 0.0, "scale": [1.0, 1.0] }));
        }
        fields.values_mut().for_each(tidy);
        fields.retain(|key, value| key != "extensions" || value.as_object().is_none_or(|e| !e.is_empty()));
    } else if let Value::Array(all) = value {
        all.iter_mut().for_each(tidy);
    }
}

//! Small glTF files made in code: JSON that any test may bend, and one buffer that grows.

use serde_json::{Value, json};

/// A file in the making.
#[derive(Clone, Debug)]
pub struct Builder {
    /// The document. Buffers, views and accessors are filled in by the methods here.
    pub json: Value,
    /// The one buffer.
    pub bytes: Vec<u8>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            json: json!({
                "asset": { "version": "2.0" }, "nodes": [], "accessors": [], "bufferViews": [],
            }),
            bytes: Vec::new(),
        }
    }
}

impl Builder {
    /// Appends to a list of the document and returns the index.
    ///
    /// # Panics
    ///
    /// If `key` is something else than a list.
    pub fn push(&mut self, key: &str, value: Value) -> usize {
        if self.json[key].is_null() {
            self.json[key] = json!([]);
        }
        let list = self.json[key].as_array_mut().expect("a list");
        list.push(value);
        list.len() - 1
    }

    /// Appends a node.
    pub fn node(&mut self, node: Value) -> usize {
        self.push("nodes", node)
    }

    /// A view over new bytes, aligned to 4.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    /// An accessor of f32 (`kind` is `SCALAR`, `VEC3`...).
    pub fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(kind, 5126, values.len(), &bytes, json!({}))
    }

    /// An accessor of any numbers, `count` of them in all; `more` is added to it.
    ///
    /// # Panics
    ///
    /// If `kind` is unknown.
    pub fn accessor(
        &mut self,
        kind: &str,
        component: u32,
        numbers: usize,
        bytes: &[u8],
        more: Value,
    ) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("accessor type {other}"),
        };
        let view = self.view(bytes);
        let mut accessor =
            json!({ "bufferView": view, "componentType": component, "count": numbers / width, "type": kind });
        for (key, value) in more.as_object().into_iter().flatten() {
            accessor[key] = value.clone();
        }
        self.push("accessors", accessor)
    }

    /// Adds a channel to the last animation (made if there is none): the node's `path` from keys.
    ///
    /// # Panics
    ///
    /// If the document's animations are no list.
    pub fn channel(&mut self, node: usize, path: &str, interpolation: &str, times: &[f32], values: &[f32]) {
        let kind = match path {
            "rotation" => "VEC4",
            "weights" => "SCALAR",
            _ => "VEC3",
        };
        let (input, output) = (self.floats("SCALAR", times), self.floats(kind, values));
        self.channel_of(node, path, interpolation, input, output);
    }

    /// Adds a channel that reads given accessors.
    ///
    /// # Panics
    ///
    /// If the document's animations are no list.
    pub fn channel_of(&mut self, node: usize, path: &str, interpolation: &str, input: usize, output: usize) {
        if self.json["animations"].is_null() {
            self.push("animations", json!({ "channels": [], "samplers": [] }));
        }
        let animation =
            self.json["animations"].as_array_mut().and_then(|a| a.last_mut()).expect("an animation");
        let samplers = animation["samplers"].as_array_mut().expect("samplers");
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        let sampler = samplers.len() - 1;
        let channels = animation["channels"].as_array_mut().expect("channels");
        channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// A mesh of one triangle with these extra attributes, and the primitive's other fields.
    pub fn triangle(&mut self, attributes: Value, more: Value) -> usize {
        let positions = self.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let mut primitive = json!({ "attributes": { "POSITION": positions } });
        for (key, value) in attributes.as_object().into_iter().flatten() {
            primitive["attributes"][key] = value.clone();
        }
        for (key, value) in more.as_object().into_iter().flatten() {
            primitive[key] = value.clone();
        }
        self.push("meshes", json!({ "primitives": [primitive] }))
    }

    /// The file as a `.glb`.
    #[must_use]
    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.bytes.is_empty() && json["buffers"].is_null() {
            json["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        }
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut binary = self.bytes.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut out = b"glTF\x02\0\0\0".to_vec();
        let total = 12 + 8 + text.len() + 8 + binary.len();
        out.extend((total as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &binary)] {
            out.extend((chunk.len() as u32).to_le_bytes());
            out.extend(kind);
            out.extend(chunk);
        }
        out
    }
}

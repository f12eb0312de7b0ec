//! A copy of a glTF file in which only the animations were replaced. Everything else stays as its author wrote it:
//! materials, extensions and numbers that we know nothing of.
//!
//! Accessors and views that nothing but old animations used make room for the new ones; no other index changes. All
//! buffers become the one of the `.glb`.

use super::{
    animation::{Morphed, animation},
    binary::{Binary, to_glb},
    straight,
};
use crate::{
    import::{
        self, ImportError, ImportLimits, MatchError, Place,
        gltf::{self, container},
    },
    mesh::material::ImageHeader,
    scene::{Scene, SceneMesh, Warning},
};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OntoError {
    /// The file cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Its nodes are not those of the motions.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// It has no nodes.
    #[error("the file has no nodes that could move")]
    NoNodes,
    /// The file would be larger than 4 GiB, which a `.glb` cannot be.
    #[error("the file would be larger than 4 GiB")]
    TooLarge,
}

/// Asks for a file by its URI.
type Files<'f> = dyn FnMut(&str) -> Result<Vec<u8>, ImportError> + 'f;

/// A copy of `source`, a `.glb` or `.gltf`, with the animations of the scene in place of its own, and what was odd about
/// that. Joints find their nodes by name; a scene that rests otherwise is re-based, or refused. `files` gives the bytes
/// of files that the source names: they are taken in.
///
/// # Errors
///
/// Every case of [`OntoError`].
pub fn write_glb_onto(
    source: &[u8],
    files: &mut Files<'_>,
    scene: &Scene,
) -> Result<(Vec<u8>, Vec<Warning>), OntoError> {
    let body = gltf::read(source, files, &ImportLimits::default())?;
    let target = body.skeletons.first().ok_or(OntoError::NoNodes)?;
    let mut moved = Scene {
        skeletons: scene.skeletons.clone(),
        animations: scene.animations.clone(),
        ..Scene::default()
    };
    import::retarget(&mut moved, target)?;

    let parts = container::split(source)?;
    let mut file: Map<String, Value> = serde_json::from_slice(parts.json)
        .map_err(|e| ImportError::Format { place: Place::Path("JSON".into()), reason: e.to_string() })?;
    let node_of = |joint: usize| target.nodes.get(joint).and_then(|n| n.index).map(|n| n as usize);
    let morphed = morphed(&body, &file);
    let mut binary = Binary::default();
    let reach = straight::reach(&body, 0);
    let animations: Vec<Value> = moved
        .animations
        .iter()
        .map(|a| animation(a, &target.skeleton, &node_of, &reach, &morphed, &mut binary))
        .collect();
    plain_transforms(&mut file, &animations, &body);
    let old = file.remove("animations");

    let mut copy = Copy { file, bytes: Vec::new(), warnings: moved.warnings };
    let free = copy.free(old.as_ref());
    copy.take_in(parts.binary, files, &free)?;
    let animations = copy.add(binary, animations, &free);
    let mut file = copy.file;
    if !animations.is_empty() {
        file.insert("animations".into(), Value::Array(animations));
    }
    if let Some(graphs) = super::graphs::extras(scene) {
        let own = file.entry("extras").or_insert_with(|| Value::Object(Map::new()));
        if let (Some(own), Value::Object(graphs)) = (own.as_object_mut(), graphs) {
            own.extend(graphs);
        }
    }
    let bytes = to_glb(&Value::Object(file), &copy.bytes).ok_or(OntoError::TooLarge)?;
    Ok((bytes, copy.warnings))
}

/// The meshes with morph targets and their nodes, as tracks of the scene call them. Meshes stand in the order of their
/// nodes, each node's under a name of its own: so nodes that share a name are told apart.
fn morphed<'a>(body: &'a Scene, file: &Map<String, Value>) -> Vec<Morphed<'a>> {
    let carriers = list(file, "nodes").iter().enumerate().filter(|(_, node)| node.get("mesh").is_some());
    let mut meshes: &[SceneMesh] = &body.meshes;
    let mut out = Vec::new();
    for (node, carrier) in carriers {
        let name: String = carrier["name"].as_str().unwrap_or_default().chars().take(255).collect();
        // One whose mesh was left out has none of its name before that of the next node.
        let Some(own) = meshes.first().filter(|m| m.node == name) else { continue };
        let parts = meshes.iter().take_while(|m| m.mesh.name == own.mesh.name).count();
        meshes = meshes.get(parts..).unwrap_or_default();
        if !own.morphs.is_empty() {
            out.push(Morphed { node, name: &own.mesh.name, morphs: &own.morphs });
        }
    }
    out
}

/// A node that moves has no matrix: it gets the three parts that the matrix was taken apart into.
fn plain_transforms(file: &mut Map<String, Value>, animations: &[Value], body: &Scene) {
    let targets = animations.iter().flat_map(|a| a["channels"].as_array().into_iter().flatten());
    let moving: BTreeSet<usize> = targets.filter_map(|c| index(&c["target"]["node"])).collect();
    let joints = body.skeletons.iter().flat_map(|s| s.skeleton.joints.iter().zip(&s.nodes));
    for (joint, source) in joints {
        let Some(node) = source.index.map(|n| n as usize).filter(|n| moving.contains(n)) else { continue };
        let node = file.get_mut("nodes").and_then(|n| n.get_mut(node)).and_then(Value::as_object_mut);
        let Some(node) = node.filter(|n| n.contains_key("matrix")) else { continue };
        node.remove("matrix");
        let (t, r, s) = (joint.rest.translation, joint.rest.rotation.normalize(), joint.rest.scale);
        node.insert("translation".into(), json!([t.x, t.y, t.z]));
        node.insert("rotation".into(), json!([r.x, r.y, r.z, r.w]));
        node.insert("scale".into(), json!([s.x, s.y, s.z]));
    }
}

fn list<'v>(file: &'v Map<String, Value>, name: &str) -> &'v [Value] {
    file.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// Every whole number in a part of the file: whatever it means, it may be an accessor.
fn numbers(value: &Value, found: &mut BTreeSet<usize>) {
    match value {
        Value::Array(values) => values.iter().for_each(|v| numbers(v, found)),
        Value::Object(fields) => fields.values().for_each(|v| numbers(v, found)),
        _ => found.extend(index(value)),
    }
}

/// Every whole number inside of extensions.
fn numbers_of_extensions(value: &Value, found: &mut BTreeSet<usize>) {
    match value {
        Value::Array(values) => values.iter().for_each(|v| numbers_of_extensions(v, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == "extensions" {
                    numbers(value, found);
                } else {
                    numbers_of_extensions(value, found);
                }
            }
        }
        _ => {}
    }
}

/// Places that only old animations used.
struct Free {
    accessors: BTreeSet<usize>,
    views: BTreeSet<usize>,
}

/// Extensions whose views name compressed bytes.
const COMPRESSED: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The compressed bytes that a view names.
fn compressed(view: &Value) -> impl Iterator<Item = &Value> {
    COMPRESSED.iter().filter_map(|name| view.get("extensions")?.get(name))
}

/// The old buffers.
struct Buffers {
    /// `None` is one without bytes: what compressed views are decompressed into.
    bytes: Vec<Option<Vec<u8>>>,
    /// The first that names the same file, which has its bytes.
    first: Vec<usize>,
}

impl Buffers {
    fn read(all: &[Value], chunk: Option<&[u8]>, files: &mut Files<'_>) -> Result<Self, ImportError> {
        let mut out = Self { bytes: Vec::new(), first: Vec::new() };
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, buffer) in all.iter().enumerate() {
            let uri = buffer.get("uri").and_then(Value::as_str);
            let known = uri.and_then(|uri| named.get(uri)).copied();
            out.first.push(known.unwrap_or(at));
            out.bytes.push(match uri {
                None => chunk.filter(|_| at == 0).map(<[u8]>::to_vec),
                Some(_) if known.is_some() => None,
                Some(uri) => {
                    named.insert(uri, at);
                    Some(gltf::bytes_of(uri, files)?)
                }
            });
        }
        Ok(out)
    }

    /// The buffer of a view and its place there; `None` if the buffer has no bytes.
    fn of(&self, view: &Value, at: usize) -> Result<Option<(usize, Range<usize>)>, ImportError> {
        let place = || Place::Path(format!("bufferView {at}"));
        let number = |name: &str| view.get(name).and_then(index);
        let Some(buffer) = number("buffer").and_then(|b| self.first.get(b)).copied() else {
            return Err(ImportError::Format { place: place(), reason: "its buffer does not exist".into() });
        };
        let Some(Some(bytes)) = self.bytes.get(buffer) else { return Ok(None) };
        let start = number("byteOffset").unwrap_or_default();
        let end = start.saturating_add(number("byteLength").unwrap_or_default());
        if end > bytes.len() {
            let (needed, left) = (end as u64, bytes.len() as u64);
            return Err(ImportError::Truncated { place: place(), what: "the view", needed, left });
        }
        Ok(Some((buffer, start..end)))
    }
}

/// Bytes of an old buffer, from `start` on, that now stand at `place`.
struct Kept {
    start: usize,
    place: usize,
}

/// Gives a view its place in the one buffer; false if there are no bytes to move.
fn move_view(
    view: &mut Value,
    at: usize,
    buffers: &Buffers,
    kept: &[Vec<Kept>],
) -> Result<bool, ImportError> {
    let Some((buffer, range)) = buffers.of(view, at)? else { return Ok(false) };
    let all = kept.get(buffer).map_or(&[][..], Vec::as_slice);
    // The last that starts before it holds it.
    let own = all.partition_point(|k| k.start <= range.start).checked_sub(1).and_then(|i| all.get(i));
    let place = own.map_or(0, |k| k.place + (range.start - k.start));
    view["buffer"] = json!(0);
    view["byteOffset"] = json!(place);
    Ok(true)
}

/// The copy while it is made.
struct Copy {
    file: Map<String, Value>,
    bytes: Vec<u8>,
    warnings: Vec<Warning>,
}

impl Copy {
    fn free(&self, old: Option<&Value>) -> Free {
        let samplers = old.and_then(Value::as_array).into_iter().flatten();
        let samplers = samplers.flat_map(|a| a["samplers"].as_array().into_iter().flatten());
        let mut accessors: BTreeSet<usize> =
            samplers.flat_map(|s| [index(&s["input"]), index(&s["output"])]).flatten().collect();
        let mut used = BTreeSet::new();
        for part in ["meshes", "skins", "extensions"] {
            self.file.get(part).into_iter().for_each(|v| numbers(v, &mut used));
        }
        self.file.values().for_each(|v| numbers_of_extensions(v, &mut used));
        let all = list(&self.file, "accessors");
        accessors.retain(|a| *a < all.len() && !used.contains(a));

        let views_of = |accessor: &Value| {
            let sparse = &accessor["sparse"];
            let views =
                [&accessor["bufferView"], &sparse["indices"]["bufferView"], &sparse["values"]["bufferView"]];
            views.into_iter().filter_map(index).collect::<Vec<_>>()
        };
        let (mut views, mut kept) = (BTreeSet::new(), used);
        for (at, accessor) in all.iter().enumerate() {
            let to = if accessors.contains(&at) { &mut views } else { &mut kept };
            to.extend(views_of(accessor));
        }
        list(&self.file, "images").iter().for_each(|i| kept.extend(index(&i["bufferView"])));
        let count = list(&self.file, "bufferViews").len();
        views.retain(|v| *v < count && !kept.contains(v));
        Free { accessors, views }
    }

    /// Puts bytes at the end; gives their place.
    fn put(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        at
    }

    /// Moves every view that stays, and every image beside the file, into the one buffer.
    fn take_in(
        &mut self,
        chunk: Option<&[u8]>,
        files: &mut Files<'_>,
        free: &Free,
    ) -> Result<(), ImportError> {
        let buffers = Buffers::read(list(&self.file, "buffers"), chunk, files)?;
        let mut views = match self.file.remove("bufferViews") {
            Some(Value::Array(views)) => views,
            _ => Vec::new(),
        };
        let stays = |at: &usize| !free.views.contains(at);
        let mut wanted: Vec<Vec<Range<usize>>> = vec![Vec::new(); buffers.bytes.len()];
        for (at, view) in views.iter().enumerate().filter(|(at, _)| stays(at)) {
            for part in compressed(view).chain([view]) {
                if let Some((buffer, range)) = buffers.of(part, at)?
                    && let Some(list) = wanted.get_mut(buffer)
                {
                    list.push(range);
                }
            }
        }
        let kept: Vec<Vec<Kept>> = wanted
            .into_iter()
            .zip(&buffers.bytes)
            .map(|(ranges, bytes)| self.keep(ranges, bytes.as_deref().unwrap_or_default()))
            .collect();
        let mut others = Vec::new();
        let old = self.file.remove("buffers");
        for (at, view) in views.iter_mut().enumerate().filter(|(at, _)| stays(at)) {
            for name in COMPRESSED {
                if let Some(part) = view.get_mut("extensions").and_then(|e| e.get_mut(name)) {
                    move_view(part, at, &buffers, &kept)?;
                }
            }
            if !move_view(view, at, &buffers, &kept)? {
                // What it is decompressed into stays a buffer without bytes.
                let was = index(&view["buffer"]).unwrap_or_default();
                let place = others.iter().position(|o| *o == was).unwrap_or_else(|| {
                    others.push(was);
                    others.len() - 1
                });
                view["buffer"] = json!(place + 1);
            }
        }
        let mut buffers = vec![json!({ "byteLength": 0 })];
        let old = old.as_ref().and_then(Value::as_array);
        buffers.extend(others.iter().filter_map(|o| old.and_then(|all| all.get(*o)).cloned()));
        let mut images = match self.file.remove("images") {
            Some(Value::Array(images)) => images,
            _ => Vec::new(),
        };
        // A file that several images name is taken in once.
        let mut taken: BTreeMap<String, (usize, Option<&str>)> = BTreeMap::new();
        for (at, image) in images.iter_mut().enumerate() {
            let uri = image.get("uri").and_then(Value::as_str).filter(|u| !u.starts_with("data:"));
            let Some(uri) = uri.map(str::to_owned) else { continue };
            let found = match taken.get(&uri) {
                Some(known) => Ok(*known),
                None => files(&uri).map(|bytes| {
                    let place = self.put(&bytes);
                    views.push(json!({ "buffer": 0, "byteOffset": place, "byteLength": bytes.len() }));
                    (views.len() - 1, ImageHeader::of(&bytes).map(|h| h.mime_type))
                }),
            };
            match found {
                Ok((view, mime)) => {
                    if let Some(fields) = image.as_object_mut() {
                        fields.remove("uri");
                        fields.insert("bufferView".into(), json!(view));
                        if let Some(mime) = mime {
                            fields.entry("mimeType").or_insert_with(|| json!(mime));
                        }
                    }
                    taken.insert(uri, (view, mime));
                }
                Err(error) => {
                    let text = format!("{error}; the copy still names the file");
                    self.warnings.push(Warning { place: format!("image {at}"), text });
                }
            }
        }
        for (name, values) in [("bufferViews", views), ("buffers", buffers), ("images", images)] {
            if !values.is_empty() {
                self.file.insert(name.into(), Value::Array(values));
            }
        }
        Ok(())
    }

    /// Takes in the bytes of views. Views may overlap, or be many of the same bytes: each byte is taken once.
    fn keep(&mut self, mut ranges: Vec<Range<usize>>, bytes: &[u8]) -> Vec<Kept> {
        ranges.sort_by_key(|r| (r.start, r.end));
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            // What was aligned stays aligned.
            let start = range.start - range.start % 4;
            match merged.last_mut().filter(|last| start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => merged.push(start..range.end),
            }
        }
        let one = |range: Range<usize>| Kept {
            place: self.put(bytes.get(range.clone()).unwrap_or_default()),
            start: range.start,
        };
        merged.into_iter().map(one).collect()
    }

    /// Places of a list that nothing uses any more: those at its end go, the others hold next to nothing.
    fn leave(&mut self, name: &str, left: BTreeSet<usize>, nothing: &Value) {
        let Some(all) = self.file.get_mut(name).and_then(Value::as_array_mut) else { return };
        while all.len().checked_sub(1).is_some_and(|last| left.contains(&last)) {
            all.pop();
        }
        for place in left {
            if let Some(slot) = all.get_mut(place) {
                *slot = nothing.clone();
            }
        }
    }

    /// Adds the bytes of the new animations; gives these with the numbers that their accessors now have.
    fn add(&mut self, binary: Binary, mut animations: Vec<Value>, free: &Free) -> Vec<Value> {
        let start = self.put(&binary.bytes);
        let mut places = free.views.iter().copied();
        let views = binary.views.into_iter().map(|mut view| {
            view["byteOffset"] = json!(start + index(&view["byteOffset"]).unwrap_or_default());
            view
        });
        let views = fill(&mut self.file, "bufferViews", views, &mut places);
        // Nothing reads what is left over; four bytes are the least that is valid.
        self.leave("bufferViews", places.collect(), &json!({ "buffer": 0, "byteLength": 4 }));
        let mut places = free.accessors.iter().copied();
        let accessors = binary.accessors.into_iter().map(|mut accessor| {
            if let Some(view) = accessor.get("bufferView").and_then(index).and_then(|v| views.get(v)) {
                accessor["bufferView"] = json!(view);
            }
            accessor
        });
        let accessors = fill(&mut self.file, "accessors", accessors, &mut places);
        let nothing = json!({ "componentType": 5126, "count": 1, "type": "SCALAR" });
        self.leave("accessors", places.collect(), &nothing);
        for sampler in animations.iter_mut().filter_map(|a| a["samplers"].as_array_mut()).flatten() {
            for field in ["input", "output"] {
                if let Some(accessor) = index(&sampler[field]).and_then(|a| accessors.get(a)) {
                    sampler[field] = json!(accessor);
                }
            }
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        if self.bytes.is_empty() && list(&self.file, "bufferViews").is_empty() {
            self.file.remove("buffers");
        } else {
            self.bytes.resize(self.bytes.len().max(4), 0);
            self.file["buffers"][0]["byteLength"] = json!(self.bytes.len());
        }
        animations
    }
}

/// Puts values into free places of a list, then at its end; gives the place of each.
fn fill(
    file: &mut Map<String, Value>,
    name: &str,
    values: impl Iterator<Item = Value>,
    free: &mut impl Iterator<Item = usize>,
) -> Vec<usize> {
    let entry = file.entry(name).or_insert_with(|| json!([]));
    let Some(all) = entry.as_array_mut() else { return Vec::new() };
    let mut places = Vec::new();
    for value in values {
        match free.next().filter(|place| *place < all.len()) {
            Some(place) => {
                all[place] = value;
                places.push(place);
            }
            None => {
                all.push(value);
                places.push(all.len() - 1);
            }
        }
    }
    if all.is_empty() {
        file.remove(name);
    }
    places
}

//! The JSON of a glTF file. What neither motion nor meshes need (materials, textures, images) stays text until it is
//! asked for, so nothing in it can refuse a file. Numbers are f64, as JSON has them.
//!
//! Every index is only a number here: nothing says that what it names exists.

use super::super::{ImportError, Place};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::BTreeMap};

#[derive(Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub(super) asset: &'a RawValue,
    pub(super) scene: Option<u32>,
    #[serde(borrow, default)]
    pub(super) scenes: Vec<SceneNodes<'a>>,
    #[serde(borrow, default)]
    pub(super) nodes: Vec<Node<'a>>,
    #[serde(borrow, default)]
    pub(super) meshes: Vec<Mesh<'a>>,
    #[serde(borrow, default)]
    pub(super) skins: Vec<Skin<'a>>,
    #[serde(borrow, default)]
    pub(super) animations: Vec<Animation<'a>>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(borrow, default, rename = "bufferViews")]
    pub(super) views: Vec<View<'a>>,
    #[serde(borrow, default)]
    pub(super) buffers: Vec<Buffer<'a>>,
    #[serde(borrow, default, rename = "extensionsRequired")]
    pub(super) required: Vec<Text<'a>>,
    #[serde(borrow, default, rename = "extensionsUsed")]
    pub(super) used: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(super) materials: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) textures: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) images: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) samplers: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) cameras: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

/// Text that is borrowed from the file where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl core::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[derive(Deserialize)]
pub(super) struct Asset<'a> {
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    #[serde(borrow, rename = "minVersion")]
    pub(super) least: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct SceneNodes<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default)]
    pub(super) nodes: Vec<u32>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

/// Boxed where most nodes have nothing: `{}` is a node too, and there may be very many.
#[derive(Deserialize)]
pub(super) struct Node<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default)]
    pub(super) children: Vec<u32>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<Box<[f64; 3]>>,
    pub(super) rotation: Option<Box<[f64; 4]>>,
    pub(super) scale: Option<Box<[f64; 3]>>,
    pub(super) mesh: Option<u32>,
    pub(super) skin: Option<u32>,
    pub(super) weights: Option<Box<[f64]>>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Mesh<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) primitives: Vec<Primitive<'a>>,
    pub(super) weights: Option<Vec<f64>>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Primitive<'a> {
    pub(super) attributes: BTreeMap<String, u32>,
    pub(super) indices: Option<u32>,
    pub(super) mode: Option<u32>,
    pub(super) material: Option<u32>,
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, u32>>,
    #[serde(borrow, default)]
    pub(super) extensions: PrimitiveExtensions<'a>,
}

#[derive(Deserialize, Default)]
pub(super) struct PrimitiveExtensions<'a> {
    #[serde(borrow, rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<&'a RawValue>,
}

/// Vertices and triangles in one stream.
#[derive(Deserialize)]
#[cfg_attr(not(feature = "draco"), allow(dead_code, reason = "only named, not read"))]
pub(super) struct Draco {
    #[serde(rename = "bufferView")]
    pub(super) view: u32,
    /// The stream's own number of each attribute.
    pub(super) attributes: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
pub(super) struct Skin<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(rename = "inverseBindMatrices")]
    pub(super) binds: Option<u32>,
    pub(super) joints: Vec<u32>,
    pub(super) skeleton: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Animation<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) channels: Vec<Channel<'a>>,
    pub(super) samplers: Vec<Sampler>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Channel<'a> {
    pub(super) sampler: u32,
    #[serde(borrow)]
    pub(super) target: Target<'a>,
}

#[derive(Deserialize)]
pub(super) struct Target<'a> {
    pub(super) node: Option<u32>,
    pub(super) path: Path,
    #[serde(borrow)]
    pub(super) extensions: Option<Box<TargetExtensions<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct TargetExtensions<'a> {
    #[serde(borrow, rename = "KHR_animation_pointer")]
    pub(super) pointer: Option<Pointer<'a>>,
}

/// What a channel moves, as a path through the document.
#[derive(Deserialize)]
pub(super) struct Pointer<'a> {
    #[serde(borrow)]
    pub(super) pointer: Text<'a>,
}

/// What a channel moves.
pub(super) enum Aim {
    /// Part of a node.
    Node(u32, Path),
    /// The weights of a mesh, on whatever nodes it stands.
    Mesh(u32),
    /// Nothing that is told.
    Nothing,
    /// Something else: a material, a light.
    Elsewhere,
}

impl Target<'_> {
    pub(super) fn aim(&self) -> Aim {
        let pointer = self.extensions.as_ref().and_then(|e| e.pointer.as_ref());
        let Some(pointer) = pointer else {
            return match self.node {
                _ if self.path == Path::Unknown => Aim::Elsewhere,
                Some(node) => Aim::Node(node, self.path),
                None => Aim::Nothing,
            };
        };
        let mut parts = pointer.pointer.split('/');
        let mut next = || parts.next().unwrap_or_default();
        let (front, list, index, what) = (next(), next(), next().parse(), next());
        let (Ok(index), "", None) = (index, front, parts.next()) else { return Aim::Elsewhere };
        match (list, what) {
            ("nodes", "translation") => Aim::Node(index, Path::Translation),
            ("nodes", "rotation") => Aim::Node(index, Path::Rotation),
            ("nodes", "scale") => Aim::Node(index, Path::Scale),
            ("nodes", "weights") => Aim::Node(index, Path::Weights),
            ("meshes", "weights") => Aim::Mesh(index),
            _ => Aim::Elsewhere,
        }
    }
}

/// What a channel moves.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(super) enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub(super) input: u32,
    pub(super) output: u32,
    #[serde(default)]
    pub(super) interpolation: Interpolation,
}

/// How values between keys are found.
#[derive(Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Interpolation {
    #[serde(rename = "STEP")]
    Step,
    #[default]
    #[serde(rename = "LINEAR")]
    Linear,
    #[serde(rename = "CUBICSPLINE")]
    Cubic,
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
pub(super) struct Accessor {
    #[serde(rename = "bufferView")]
    pub(super) view: Option<u32>,
    #[serde(default, rename = "byteOffset")]
    pub(super) offset: u64,
    #[serde(rename = "componentType")]
    pub(super) component: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    pub(super) sparse: Option<Box<Sparse>>,
}

/// How many numbers an element has.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    #[serde(rename = "SCALAR")]
    Scalar,
    #[serde(rename = "VEC2")]
    Vec2,
    #[serde(rename = "VEC3")]
    Vec3,
    #[serde(rename = "VEC4")]
    Vec4,
    #[serde(rename = "MAT4")]
    Mat4,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Deserialize)]
pub(super) struct SparseIndices {
    #[serde(rename = "bufferView")]
    pub(super) view: u32,
    #[serde(default, rename = "byteOffset")]
    pub(super) offset: u64,
    #[serde(rename = "componentType")]
    pub(super) component: u32,
}

#[derive(Deserialize)]
pub(super) struct SparseValues {
    #[serde(rename = "bufferView")]
    pub(super) view: u32,
    #[serde(default, rename = "byteOffset")]
    pub(super) offset: u64,
}

#[derive(Deserialize)]
pub(super) struct View<'a> {
    pub(super) buffer: u32,
    #[serde(default, rename = "byteOffset")]
    pub(super) offset: u64,
    #[serde(rename = "byteLength")]
    pub(super) length: u64,
    #[serde(rename = "byteStride")]
    pub(super) stride: Option<u64>,
    #[serde(borrow, default)]
    pub(super) extensions: ViewExtensions<'a>,
}

#[derive(Deserialize, Default)]
pub(super) struct ViewExtensions<'a> {
    #[serde(borrow, rename = "EXT_meshopt_compression")]
    pub(super) ext_meshopt: Option<Box<Meshopt<'a>>>,
    #[serde(borrow, rename = "KHR_meshopt_compression")]
    pub(super) khr_meshopt: Option<Box<Meshopt<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct Meshopt<'a> {
    pub(super) buffer: u32,
    #[serde(default, rename = "byteOffset")]
    pub(super) offset: u64,
    #[serde(rename = "byteLength")]
    pub(super) length: u64,
    #[serde(rename = "byteStride")]
    pub(super) stride: u64,
    pub(super) count: u64,
    #[serde(borrow)]
    pub(super) mode: Text<'a>,
    #[serde(borrow)]
    pub(super) filter: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Text<'a>>,
    #[serde(rename = "byteLength")]
    pub(super) length: u64,
}

impl<'a> ViewExtensions<'a> {
    /// The two have the same fields and the same meaning.
    pub(super) fn meshopt(&self) -> Option<&Meshopt<'a>> {
        self.khr_meshopt.as_deref().or(self.ext_meshopt.as_deref())
    }
}

impl<'a> Document<'a> {
    /// Reads the JSON. Its depth is bounded by the parser, so no text can exhaust the stack.
    pub(super) fn parse(json: &'a [u8]) -> Result<Self, ImportError> {
        // Some programs put a byte order mark in front.
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let text = core::str::from_utf8(json).map_err(|e| {
            let reason = "the JSON is not UTF-8".into();
            ImportError::Format { place: Place::Byte(e.valid_up_to() as u64), reason }
        })?;
        serde_json::from_str(text).map_err(|e| {
            let place = Place::Path(format!("JSON line {}, column {}", e.line(), e.column()));
            ImportError::Format { place, reason: format!("not a glTF document: {}", reason(&e)) }
        })
    }

    /// What the file says of itself.
    pub(super) fn asset(&self) -> Result<Asset<'a>, ImportError> {
        serde_json::from_str(self.asset.get()).map_err(|e| {
            let place = Place::Path("asset".into());
            ImportError::Format { place, reason: format!("not a glTF document: {}", reason(&e)) }
        })
    }

    fn primitives(&self) -> u64 {
        let each = |m: &Mesh<'_>| m.primitives.capacity().saturating_mul(size_of::<Primitive<'_>>()) as u64;
        self.meshes.iter().map(each).fold(0, u64::saturating_add)
    }

    /// Bytes that the lists take, to be held against the limits.
    pub(super) fn size(&self) -> u64 {
        let list = |len: usize, each: usize| (len as u64).saturating_mul(each as u64);
        let mut size = list(self.nodes.capacity(), size_of::<Node<'_>>());
        for node in &self.nodes {
            size = size.saturating_add(list(node.children.capacity(), 4));
        }
        size.saturating_add(list(self.accessors.capacity(), size_of::<Accessor>()))
            .saturating_add(list(self.views.capacity(), size_of::<View<'_>>()))
            .saturating_add(list(self.animations.capacity(), size_of::<Animation<'_>>()))
            .saturating_add(list(self.meshes.capacity(), size_of::<Mesh<'_>>()))
            .saturating_add(self.primitives())
    }
}

/// What the parser complains of, without its place.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    whole.split(" at line ").next().unwrap_or(&whole).to_owned()
}

/// Elements of a list that stayed text; none if it is no list.
pub(super) fn list(raw: Option<&RawValue>) -> Vec<&RawValue> {
    raw.and_then(|r| serde_json::from_str(r.get()).ok()).unwrap_or_default()
}

/// The text of an extra; nothing if there is none.
pub(super) fn text(raw: Option<&RawValue>) -> String {
    raw.map(|r| r.get().to_owned()).unwrap_or_default()
}

/// What our own exporter notes about an animation.
#[derive(Deserialize, Default)]
pub(super) struct AnimationExtras<'a> {
    pub(super) looping: Option<bool>,
    pub(super) additive: Option<bool>,
    pub(super) duration_s: Option<f64>,
    /// Whatever it is, it does not spoil the others.
    #[serde(default, borrow)]
    pub(super) markers: Option<&'a RawValue>,
}

/// A named moment.
#[derive(Deserialize)]
pub(super) struct MarkerNote {
    pub(super) name: String,
    pub(super) time_s: f64,
    #[serde(default)]
    pub(super) duration_s: f64,
}

/// Where our exporter puts graphs ([`crate::export`]): each is a text.
#[derive(Deserialize, Default)]
pub(super) struct FileExtras<'a> {
    #[serde(borrow, default, rename = "lissom_graphs")]
    pub(super) graphs: BTreeMap<String, Text<'a>>,
}

/// Where exporters put the names of morph targets.
#[derive(Deserialize, Default)]
pub(super) struct MeshExtras {
    #[serde(default, rename = "targetNames")]
    pub(super) target_names: Vec<Option<String>>,
}

/// `extras` may be anything: what does not fit counts as absent.
pub(super) fn extras<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    raw.and_then(|r| serde_json::from_str(r.get()).ok()).unwrap_or_default()
}

//! The JSON of a glTF file: the parts that motion and meshes need. Materials, textures and cameras are passed over
//! unread, so nothing in them can refuse a file. Numbers are f64, as JSON has them.
//!
//! Every index is only a number here: nothing says that what it names exists.

use super::super::{ImportError, Place};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::BTreeMap};

#[derive(Deserialize)]
pub(super) struct Document<'a> {
    pub(super) asset: Asset<'a>,
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
    pub(super) weights: Option<Vec<f64>>,
}

#[derive(Deserialize)]
pub(super) struct Mesh<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    pub(super) primitives: Vec<Primitive>,
    pub(super) weights: Option<Vec<f64>>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, u32>,
    pub(super) indices: Option<u32>,
    pub(super) mode: Option<u32>,
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, u32>>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

#[derive(Deserialize, Default)]
pub(super) struct PrimitiveExtensions {
    #[serde(default, rename = "KHR_draco_mesh_compression", deserialize_with = "present")]
    pub(super) draco: bool,
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
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<Sampler>,
    #[serde(borrow)]
    pub(super) extras: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: u32,
    pub(super) target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<u32>,
    pub(super) path: Path,
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

/// True if the field is there, whatever it holds.
fn present<'de, D: Deserializer<'de>>(d: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(d).map(|_| true)
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
            let whole = e.to_string();
            let reason = whole.split(" at line ").next().unwrap_or(&whole);
            ImportError::Format { place, reason: format!("not a glTF document: {reason}") }
        })
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
    }
}

/// What our own exporter notes about an animation.
#[derive(Deserialize, Default)]
pub(super) struct AnimationExtras<'a> {
    pub(super) looping: Option<bool>,
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

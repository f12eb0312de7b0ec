//! Skeleton, skinned mesh and animations as one `.glb`.

use super::binary::{ARRAY, Binary, pack};
use crate::exact::{M34, Q4, V3};
use crate::mesh::{RawMesh, RawMeshError};
use crate::raw::{
    Channel, Curve, RawAnimation, RawAnimationError, RawSkeleton, RawSkeletonError, Tangents,
    Value as KeyValue,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What goes into a file.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Of the scene.
    pub name: &'a str,
    /// One node a joint, in raw order.
    pub skeleton: &'a RawSkeleton,
    /// Bound to the skeleton.
    pub mesh: Option<&'a RawMesh>,
    /// Of the skeleton.
    pub animations: &'a [RawAnimation],
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The skeleton is not valid.
    #[error("the skeleton is not valid")]
    Skeleton(#[from] RawSkeletonError),
    /// The mesh is not valid.
    #[error("the mesh is not valid")]
    Mesh(#[from] RawMeshError),
    /// An animation is not valid.
    #[error("animation {index} \"{name}\" is not valid")]
    Animation {
        /// Which one.
        index: usize,
        /// Its name.
        name: String,
        /// Why.
        source: RawAnimationError,
    },
    /// The file would be larger than 4 GiB, which a `.glb` cannot be.
    #[error("the file would be larger than 4 GiB")]
    TooLarge,
}

/// The bytes of a `.glb`: glTF 2.0, metres, Y up. Rotations are written normalised. Linear and slerp channels
/// become LINEAR (which glTF turns at constant speed), Hermite ones CUBICSPLINE with their tangents spelt out.
/// Whether an animation loops, and its duration, are in the animation's `extras`.
///
/// # Errors
///
/// Every case of [`ExportError`].
pub fn write_glb(scene: &Scene<'_>) -> Result<Vec<u8>, ExportError> {
    let joints = scene.skeleton.joints.len();
    scene.skeleton.validate()?;
    if let Some(mesh) = scene.mesh {
        mesh.validate(joints)?;
    }
    for (index, a) in scene.animations.iter().enumerate() {
        let named = |source| ExportError::Animation { index, name: a.name.clone(), source };
        a.validate(joints).map_err(named)?;
    }
    let mut binary = Binary::default();
    let (mut nodes, mut top) = joint_nodes(scene.skeleton);
    let root = top[0];
    let mut file = json!({
        "asset": { "version": "2.0", "generator": concat!("lissom ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
    });
    if let Some(mesh) = scene.mesh {
        top.push(nodes.len());
        nodes.push(json!({ "name": mesh.name, "mesh": 0, "skin": 0 }));
        let binds: Vec<[f32; 16]> = mesh.inverse_binds.iter().map(columns).collect();
        let binds = binary.floats("MAT4", &binds, None, false);
        let all: Vec<usize> = (0..joints).collect();
        file["skins"] = json!([{ "inverseBindMatrices": binds, "skeleton": root, "joints": all }]);
        file["meshes"] = json!([{ "name": mesh.name, "primitives": [primitive(mesh, &mut binary)] }]);
        file["materials"] = json!([{
            "name": "plaster",
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.69, 0.64, 0.56, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.75,
            },
        }]);
    }
    if !scene.animations.is_empty() {
        let all = scene.animations.iter().map(|a| animation(a, scene.skeleton, &mut binary));
        file["animations"] = Value::Array(all.collect());
    }
    file["nodes"] = Value::Array(nodes);
    file["scenes"] = json!([{ "name": scene.name, "nodes": top }]);
    if binary.bytes.is_empty() {
        // A bare skeleton: an empty buffer is not allowed, so there is none, and the chunk stays empty.
        return pack(&file, &[]).ok_or(ExportError::TooLarge);
    }
    file["buffers"] = json!([{ "byteLength": binary.bytes.len() }]);
    file["bufferViews"] = Value::Array(binary.views);
    file["accessors"] = Value::Array(binary.accessors);
    pack(&file, &binary.bytes).ok_or(ExportError::TooLarge)
}

/// One node a joint; several roots get a common one above them, which a skin needs.
fn joint_nodes(skeleton: &RawSkeleton) -> (Vec<Value>, Vec<usize>) {
    let mut children = vec![Vec::new(); skeleton.joints.len()];
    let mut roots = Vec::new();
    for (i, joint) in skeleton.joints.iter().enumerate() {
        match joint.parent {
            Some(parent) => children[parent].push(i),
            None => roots.push(i),
        }
    }
    let mut nodes: Vec<Value> = skeleton
        .joints
        .iter()
        .zip(children)
        .map(|(joint, children)| {
            let rest = joint.rest;
            let mut node = json!({ "name": joint.name });
            if rest.translation != V3::ZERO {
                node["translation"] = json!(wide(&place(rest.translation)));
            }
            if rest.rotation != Q4::IDENTITY {
                node["rotation"] = json!(wide(&turn(rest.rotation.normalize())));
            }
            if rest.scale != V3::ONE {
                node["scale"] = json!(wide(&place(rest.scale)));
            }
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            node
        })
        .collect();
    if roots.len() > 1 {
        nodes.push(json!({ "name": "roots", "children": roots }));
        roots = vec![nodes.len() - 1];
    }
    (nodes, roots)
}

fn primitive(mesh: &RawMesh, binary: &mut Binary) -> Value {
    json!({
        "attributes": {
            "POSITION": binary.floats("VEC3", &mesh.positions, ARRAY, true),
            "NORMAL": binary.floats("VEC3", &mesh.normals, ARRAY, false),
            "TANGENT": binary.floats("VEC4", &mesh.tangents, ARRAY, false),
            "JOINTS_0": binary.joints(&mesh.joints),
            "WEIGHTS_0": binary.floats("VEC4", &mesh.weights, ARRAY, false),
        },
        "indices": binary.indices(&mesh.indices),
        "material": 0,
        "mode": 4,
    })
}

fn animation(animation: &RawAnimation, skeleton: &RawSkeleton, binary: &mut Binary) -> Value {
    let mut out = Channels { binary, times: BTreeMap::new(), samplers: Vec::new(), channels: Vec::new() };
    for (node, track) in animation.tracks.iter().enumerate() {
        out.add(node, "translation", "VEC3", &track.translation, place);
        out.add(node, "rotation", "VEC4", &track.rotation, turn);
        out.add(node, "scale", "VEC3", &track.scale, place);
    }
    if out.channels.is_empty() {
        // glTF has no animation without channels: the first joint rests.
        let rest = Channel::constant(skeleton.joints[0].rest.rotation);
        out.add(0, "rotation", "VEC4", &rest, turn);
    }
    json!({
        "name": animation.name,
        "samplers": out.samplers,
        "channels": out.channels,
        "extras": { "looping": animation.looping, "duration_s": animation.duration_s },
    })
}

/// The channels of one animation. Equal lists of times are written once.
struct Channels<'a> {
    binary: &'a mut Binary,
    times: BTreeMap<Vec<u32>, usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Channels<'_> {
    fn add<V: KeyValue, const N: usize>(
        &mut self,
        node: usize,
        path: &str,
        kind: &str,
        channel: &Channel<V>,
        narrow: fn(V) -> [f32; N],
    ) {
        // Times that are one in f32 count once: the later key stands.
        let mut kept: Vec<usize> = Vec::with_capacity(channel.keys.len());
        for (i, key) in channel.keys.iter().enumerate() {
            if kept.last().is_some_and(|k| channel.keys[*k].time_s as f32 >= key.time_s as f32) {
                kept.pop();
            }
            kept.push(i);
        }
        if kept.is_empty() {
            return;
        }
        let times: Vec<[f32; 1]> = kept.iter().map(|k| [channel.keys[*k].time_s as f32]).collect();
        let bits: Vec<u32> = times.iter().map(|t| t[0].to_bits()).collect();
        let input = match self.times.get(&bits) {
            Some(accessor) => *accessor,
            None => *self.times.entry(bits).or_insert(self.binary.floats("SCALAR", &times, None, true)),
        };
        let tangents = if kept.len() < 2 { None } else { tangents(channel) };
        let (interpolation, rows) = match (channel.curve, tangents) {
            (Curve::Cubic | Curve::Hermite, Some((values, tangents))) => {
                let rows = kept.iter().flat_map(|k| [tangents[*k].into, values[*k], tangents[*k].out]);
                ("CUBICSPLINE", rows.map(narrow).collect())
            }
            (curve, _) => {
                let rows: Vec<[f32; N]> =
                    kept.iter().map(|k| narrow(channel.keys[*k].value.settle())).collect();
                (if curve == Curve::Step { "STEP" } else { "LINEAR" }, rows)
            }
        };
        let output = self.binary.floats(kind, &rows, None, false);
        self.channels
            .push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
}

/// Values and slopes for a cubic curve; for [`Curve::Hermite`] the slopes that its rule gives. `None` for
/// other curves.
fn tangents<V: KeyValue>(channel: &Channel<V>) -> Option<(Vec<V>, Vec<Tangents<V>>)> {
    let keys = &channel.keys;
    match channel.curve {
        Curve::Cubic => Some((keys.iter().map(|k| k.value).collect(), channel.tangents.clone())),
        Curve::Hermite => {
            let mut values: Vec<V> = Vec::with_capacity(keys.len());
            for key in keys {
                let settled = key.value.settle();
                values.push(values.last().map_or(settled, |before| settled.near(*before)));
            }
            let slopes = (0..keys.len()).map(|i| {
                let (a, b) = (i.saturating_sub(1), (i + 1).min(keys.len() - 1));
                let k = 1.0 / (keys[b].time_s - keys[a].time_s);
                let slope = V::mix(values[b], k, values[a], -k);
                Tangents { into: slope, out: slope }
            });
            let slopes = slopes.collect();
            Some((values, slopes))
        }
        Curve::Step | Curve::Linear | Curve::Slerp => None,
    }
}

fn place(v: V3) -> [f32; 3] {
    v.to_f32().to_array()
}

fn turn(q: Q4) -> [f32; 4] {
    [q.x as f32, q.y as f32, q.z as f32, q.w as f32]
}

/// JSON numbers that read back as the same f32.
fn wide(v: &[f32]) -> Vec<f64> {
    v.iter().map(|c| f64::from(*c)).collect()
}

fn columns(m: &M34) -> [f32; 16] {
    let [x, y, z, t] = m.columns.map(place);
    [x[0], x[1], x[2], 0.0, y[0], y[1], y[2], 0.0, z[0], z[1], z[2], 0.0, t[0], t[1], t[2], 1.0]
}

//! Meshes: every primitive on every node becomes one mesh of the scene.

use super::{
    super::{ImportError, Place},
    accessor::{Source, Values},
    budget::Budget,
    document::{Kind, Mesh, Node, Primitive},
    influences::{self, Influences},
    morphs::{MeshName, MeshNames},
    names::place,
    nodes::Skeleton,
    shape,
    skins::{self, Binding},
};
use crate::{
    exact::{M34, Trs},
    mesh::RawMesh,
    scene::{Morph, Scene, SceneMesh},
};

/// What every mesh needs to know.
pub(super) struct Stage<'s, 'a> {
    pub(super) source: &'s Source<'a>,
    pub(super) skeleton: &'s Skeleton,
    pub(super) bindings: &'s [Binding],
    pub(super) names: &'s MeshNames,
}

/// Reads all meshes into the scene.
pub(super) fn read(stage: &Stage<'_, '_>, budget: &mut Budget, scene: &mut Scene) -> Result<(), ImportError> {
    let rest = skins::rest_inverses(stage.skeleton);
    let document = stage.source.document;
    for (index, node) in document.nodes.iter().enumerate() {
        let (Some(mesh_index), Some(name)) = (node.mesh, stage.names.get(&(index as u32))) else { continue };
        let Some(mesh) = document.meshes.get(mesh_index as usize) else { continue };
        let here = place("node", index, node.name.as_deref());
        let binding = binding(stage, node, &here, scene)?;
        let on = Carrier { node: index as u32, binding, name, rest: &rest };
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            // Few nodes and few primitives can be very many together: each pair takes its share.
            if !budget.fits(1, PAIR) {
                scene.warn(here, "here the memory ended that a file of this size may take; this mesh and all after it were left out");
                return Ok(());
            }
            let at = format!(
                "{here}, {}, primitive {number}",
                place("mesh", mesh_index as usize, mesh.name.as_deref())
            );
            if let Some(made) = one(stage, mesh, primitive, &on, &at, budget, scene)? {
                scene.meshes.push(made);
            }
        }
    }
    Ok(())
}

/// The node that a mesh is on.
struct Carrier<'c> {
    node: u32,
    binding: Option<&'c Binding>,
    name: &'c MeshName,
    rest: &'c [M34],
}

fn binding<'s>(
    stage: &Stage<'s, '_>,
    node: &Node<'_>,
    here: &str,
    scene: &mut Scene,
) -> Result<Option<&'s Binding>, ImportError> {
    let Some(skin) = node.skin else { return Ok(None) };
    let Some(binding) = stage.bindings.get(skin as usize) else {
        let reason = format!("there is no skin {skin}; there are {}", stage.bindings.len());
        return Err(ImportError::Format { place: Place::Path(here.into()), reason });
    };
    if binding.joints.is_empty() {
        scene.warn(here, format!("skin {skin} has no joints; the mesh follows its node"));
        return Ok(None);
    }
    let own = Trs::IDENTITY;
    let v3 =
        |v: &Option<Box<[f64; 3]>>, plain: f64| v.as_ref().is_some_and(|v| v.iter().any(|c| *c != plain));
    let turned = node.rotation.as_ref().is_some_and(|r| **r != [0.0, 0.0, 0.0, own.rotation.w]);
    let placed = node.matrix.as_ref().is_some_and(|m| {
        let (m, _) = super::matrix::from_columns(m);
        m != M34::IDENTITY
    });
    if v3(&node.translation, 0.0) || v3(&node.scale, 1.0) || turned || placed {
        scene.warn(here, "its mesh is skinned, so its own transform plays no part, as glTF says");
    }
    Ok(Some(binding))
}

/// Bytes that a primitive on a node takes beside its vertices: names, places, warnings.
const PAIR: usize = 1024;
/// Bytes that a vertex of a mesh takes.
const VERTEX: usize = size_of::<[f32; 3]>() * 2 + size_of::<[f32; 4]>() * 2 + size_of::<[u16; 4]>();
const MORPH: usize = size_of::<[f32; 3]>() * 3;

fn one(
    stage: &Stage<'_, '_>,
    mesh: &Mesh<'_>,
    primitive: &Primitive,
    on: &Carrier<'_>,
    at: &str,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Option<SceneMesh>, ImportError> {
    if primitive.extensions.draco {
        scene.warn(at, "it is compressed with Draco, which is not read; the mesh was left out");
        return Ok(None);
    }
    let mode = primitive.mode.unwrap_or(shape::TRIANGLES);
    if !shape::is_surface(mode) {
        scene.warn(
            at,
            format!("its mode is {mode}: points, lines or unknown, not triangles; it was left out"),
        );
        return Ok(None);
    }
    let Some(positions) = primitive.attributes.get("POSITION") else {
        scene.warn(at, "it has no POSITION; it was left out");
        return Ok(None);
    };
    let positions = stage.source.open(*positions, &[Kind::Vec3], budget)?;
    let indices = match primitive.indices {
        Some(accessor) => Some(stage.source.open(accessor, &[Kind::Scalar], budget)?),
        None => None,
    };
    let too_large = "it needs more memory than a file of this size may take; it was left out";
    let corners = indices.as_ref().map_or(positions.len(), Values::len);
    // Bytes a corner: strips and fans have up to three times as many indices as corners; the list is copied once.
    let growth = if mode == shape::TRIANGLES { 8 } else { 24 };
    if !budget.fits(corners as u64, growth) {
        scene.warn(at, too_large);
        return Ok(None);
    }
    let triangles = shape::triangles(mode, indices.as_ref(), positions.len());
    if triangles.dropped > 0 {
        let text =
            format!("{} triangles name vertices that do not exist; they were left out", triangles.dropped);
        scene.warn(at, text);
    }
    let (used, indices) = shape::compact(triangles.indices, positions.len());
    if indices.is_empty() {
        scene.warn(at, "it has no triangles; it was left out");
        return Ok(None);
    }
    let targets = primitive.targets.len();
    let each = VERTEX.saturating_add(MORPH.saturating_mul(targets));
    let joints = stage.skeleton.raw.joints.len() as u64;
    if !budget.fits(used.len() as u64, each) || !budget.fits(joints, size_of::<M34>()) {
        scene.warn(at, too_large);
        return Ok(None);
    }
    let positions: Vec<[f32; 3]> =
        used.iter().map(|v| positions.get::<3>(*v as usize).map(|c| c as f32)).collect();
    if let Some(bad) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        scene.warn(
            at,
            format!(
                "the position of vertex {} is not finite; the mesh was left out",
                used.get(bad).unwrap_or(&0)
            ),
        );
        return Ok(None);
    }
    let open = |name: &str, kinds: &[Kind], budget: &mut Budget| match primitive.attributes.get(name) {
        Some(accessor) => stage.source.open(*accessor, kinds, budget).map(Some),
        None => Ok(None),
    };
    let normals = open("NORMAL", &[Kind::Vec3], budget)?;
    // Without normals, glTF says, tangents count for nothing.
    let tangents = if normals.is_some() { open("TANGENT", &[Kind::Vec4], budget)? } else { None };
    let vertices = shape::Vertices { used: &used, positions: &positions, indices: &indices };
    let (normals, bad_normals) = vertices.normals(normals.as_ref());
    if bad_normals > 0 {
        scene.warn(at, format!("{bad_normals} normals have no direction; they follow from the triangles"));
    }
    let tangents = vertices.tangents(tangents.as_ref(), &normals);
    let Influences { joints, weights, binds } = match on.binding {
        Some(binding) => {
            let sets = influences::open(stage.source, primitive, budget)?;
            if sets.is_empty() {
                scene.warn(at, "it has a skin but no JOINTS_0 and WEIGHTS_0; it follows its node");
                rigid(stage, on, used.len())
            } else {
                influences::read(&sets, &used, binding, on.rest, at, scene)
            }
        }
        None => rigid(stage, on, used.len()),
    };
    let morphs = morphs(stage, primitive, on.name, &used, at, budget, scene)?;
    let name = on.name.name.clone();
    let mesh_out =
        RawMesh { name, positions, normals, tangents, joints, weights, indices, inverse_binds: binds };
    if let Err(error) = mesh_out.validate(stage.skeleton.raw.joints.len()) {
        // Nothing known gets here; whatever does is left out rather than handed on.
        scene.warn(
            at,
            format!("{error}; the mesh {:?} was left out", mesh.name.as_deref().unwrap_or_default()),
        );
        return Ok(None);
    }
    Ok(Some(SceneMesh { skeleton: 0, mesh: mesh_out, morphs }))
}

/// Every vertex follows the node, in whose space it is.
fn rigid(stage: &Stage<'_, '_>, on: &Carrier<'_>, vertices: usize) -> Influences {
    let joint = stage.skeleton.joint(on.node).unwrap_or_default();
    let mut binds = on.rest.to_vec();
    if let Some(own) = binds.get_mut(joint) {
        *own = M34::IDENTITY;
    }
    Influences {
        joints: vec![[joint as u16, 0, 0, 0]; vertices],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; vertices],
        binds,
    }
}

fn morphs(
    stage: &Stage<'_, '_>,
    primitive: &Primitive,
    names: &MeshName,
    used: &[u32],
    at: &str,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Vec<Morph>, ImportError> {
    let mut out = Vec::with_capacity(primitive.targets.len());
    let mut broken = 0_usize;
    for ((index, target), name) in primitive.targets.iter().enumerate().zip(&names.targets) {
        let mut list = |attribute: &str| -> Result<Option<Vec<[f32; 3]>>, ImportError> {
            let Some(accessor) = target.get(attribute) else { return Ok(None) };
            let values = stage.source.open(*accessor, &[Kind::Vec3], budget)?;
            let rows = used.iter().map(|v| {
                let row = values.get::<3>(*v as usize).map(|c| c as f32);
                if row.iter().all(|c| c.is_finite()) {
                    return row;
                }
                broken = broken.saturating_add(1);
                [0.0; 3]
            });
            Ok(Some(rows.collect()))
        };
        out.push(Morph {
            name: name.clone(),
            weight: names.weights.get(index).copied().unwrap_or_default(),
            positions: list("POSITION")?.unwrap_or_else(|| vec![[0.0; 3]; used.len()]),
            normals: list("NORMAL")?.unwrap_or_default(),
            tangents: list("TANGENT")?.unwrap_or_default(),
        });
    }
    if broken > 0 {
        scene.warn(at, format!("{broken} vectors of its morph targets are not finite; they were taken as 0"));
    }
    Ok(out)
}

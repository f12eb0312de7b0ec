//! Meshes: every primitive on every node becomes one mesh of the scene.

use super::{
    super::{ImportError, Place},
    accessor::{Source, Values},
    budget::Budget,
    document::{self, Kind, Mesh, Node, Primitive},
    geometry::Geometry,
    influences::{self, Bound},
    morphs::{MeshName, MeshNames},
    names::place,
    nodes::Skeleton,
    shape,
    skins::{self, Binding},
    spare,
};
use crate::{
    exact::M34,
    mesh::{Influences, RawMesh},
    scene::{Morph, Scene, SceneMesh},
};

/// What every mesh needs to know.
pub(super) struct Stage<'s, 'a> {
    pub(super) source: &'s Source<'a>,
    pub(super) skeleton: &'s Skeleton,
    pub(super) bindings: &'s [Option<Binding>],
    pub(super) names: &'s MeshNames,
    /// Where each material of the file stands in the scene.
    pub(super) materials: &'s [Option<usize>],
    pub(super) strict: bool,
}

/// Reads all meshes into the scene.
pub(super) fn read(stage: &Stage<'_, '_>, budget: &mut Budget, scene: &mut Scene) -> Result<(), ImportError> {
    let rest = skins::rest_inverses(stage.skeleton);
    let document = stage.source.document;
    for (index, node) in document.nodes.iter().enumerate() {
        let (Some(mesh_index), Some(name)) = (node.mesh, stage.names.get(&(index as u32))) else { continue };
        let Some(mesh) = document.meshes.get(mesh_index as usize) else { continue };
        let here = place("node", index, node.name.as_deref());
        let binding = match binding(stage, node, &here, scene) {
            Ok(binding) => binding,
            Err(error) => {
                spare(error, "its mesh was left out", stage.strict, budget, scene)?;
                continue;
            }
        };
        let extras = document::text(mesh.extras);
        let node_name = node.name.as_deref().unwrap_or_default().chars().take(255).collect();
        let on = Carrier { node: index as u32, node_name, extras, binding, name, rest: &rest };
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            // Few nodes and few primitives can be very many together: each pair takes its share.
            let texts = on.extras.len().saturating_add(on.node_name.len());
            if !budget.fits(1, PAIR.saturating_add(texts)) {
                scene.warn(here, "here the memory ended that a file of this size may take; this mesh and all after it were left out");
                return Ok(());
            }
            let at = format!(
                "{here}, {}, primitive {number}",
                place("mesh", mesh_index as usize, mesh.name.as_deref())
            );
            match one(stage, mesh, primitive, &on, &at, budget, scene) {
                Ok(made) => scene.meshes.extend(made),
                Err(error) => {
                    let what = format!("{at} was left out");
                    spare(error, &what, stage.strict, budget, scene)?;
                }
            }
        }
    }
    Ok(())
}

/// The node that a mesh is on.
struct Carrier<'c> {
    node: u32,
    node_name: String,
    /// Of the mesh.
    extras: String,
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
    let Some(Some(binding)) = stage.bindings.get(skin as usize) else {
        let reason = match stage.bindings.len() {
            count if skin as usize >= count => format!("there is no skin {skin}; there are {count}"),
            _ => format!("skin {skin} cannot be read"),
        };
        return Err(ImportError::Format { place: Place::Path(here.into()), reason });
    };
    if binding.joints.is_empty() {
        scene.warn(here, format!("skin {skin} has no joints; the mesh follows its node"));
        return Ok(None);
    }
    Ok(Some(binding))
}

/// Bytes that a primitive on a node takes beside its vertices: names, places, warnings.
const PAIR: usize = 1024;
/// Bytes that a vertex of a mesh takes.
const VERTEX: usize = size_of::<[f32; 3]>() * 2 + size_of::<[f32; 4]>() + 8;
/// Sets of texture coordinates, and of colours, that are read at most.
const MOST_SETS: usize = 16;
const MORPH: usize = size_of::<[f32; 3]>() * 3;

fn one(
    stage: &Stage<'_, '_>,
    mesh: &Mesh<'_>,
    primitive: &Primitive<'_>,
    on: &Carrier<'_>,
    at: &str,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Option<SceneMesh>, ImportError> {
    let mode = primitive.mode.unwrap_or(shape::TRIANGLES);
    if !shape::is_surface(mode) {
        scene.warn(
            at,
            format!("its mode is {mode}: points, lines or unknown, not triangles; it was left out"),
        );
        return Ok(None);
    }
    let geometry = Geometry::new(stage.source, primitive, at, budget)?;
    let Some(positions) = geometry.open("POSITION", &[Kind::Vec3], budget)? else {
        scene.warn(at, "it has no POSITION; it was left out");
        return Ok(None);
    };
    let indices = geometry.indices(budget)?;
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
    let (uv_sets, color_sets) = (geometry.sets("TEXCOORD", MOST_SETS), geometry.sets("COLOR", MOST_SETS));
    let each = VERTEX
        .saturating_add(MORPH.saturating_mul(targets))
        .saturating_add(uv_sets.saturating_mul(size_of::<[f32; 2]>()))
        .saturating_add(color_sets.saturating_mul(size_of::<[f32; 4]>()));
    let joints = stage.skeleton.raw.joints.len() as u64;
    if !budget.fits(used.len() as u64, each) || !budget.fits(joints, size_of::<M34>()) {
        scene.warn(at, too_large);
        return Ok(None);
    }
    let whole_positions = positions.is_whole();
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
    let normals = geometry.open("NORMAL", &[Kind::Vec3], budget)?;
    // Without normals, glTF says, tangents count for nothing.
    let tangents = if normals.is_some() { geometry.open("TANGENT", &[Kind::Vec4], budget)? } else { None };
    let quantised = whole_positions || normals.as_ref().is_some_and(Values::is_whole);
    let vertices = shape::Vertices { used: &used, positions: &positions, indices: &indices };
    let (normals, bad_normals) = vertices.normals(normals.as_ref());
    if bad_normals > 0 {
        scene.warn(at, format!("{bad_normals} normals have no direction; they follow from the triangles"));
    }
    let tangents = tangents.map(|stored| vertices.tangents(Some(&stored), &normals)).unwrap_or_default();
    let mut broken = 0_usize;
    let mut uvs = Vec::with_capacity(uv_sets);
    for set in 0..uv_sets {
        let stored = geometry.open(&format!("TEXCOORD_{set}"), &[Kind::Vec2], budget)?;
        uvs.push(finite::<2>(stored.as_ref(), &used, [0.0; 2], &mut broken));
    }
    let mut colors = Vec::with_capacity(color_sets);
    for set in 0..color_sets {
        let stored = geometry.open(&format!("COLOR_{set}"), &[Kind::Vec3, Kind::Vec4], budget)?;
        let mut list = finite::<4>(stored.as_ref(), &used, [1.0; 4], &mut broken);
        if stored.is_some_and(|s| s.kind() == Kind::Vec3) {
            list.iter_mut().for_each(|[.., alpha]| *alpha = 1.0);
        }
        colors.push(list);
    }
    if broken > 0 {
        scene.warn(
            at,
            format!("{broken} texture coordinates or colours are not finite; they were taken as 0"),
        );
    }
    let sets = match on.binding {
        Some(_) => influences::open(&geometry, budget)?,
        None => Vec::new(),
    };
    let bound = match on.binding {
        Some(binding) if !sets.is_empty() => {
            influences::read(&sets, &used, binding, on.rest, at, (&mut *budget, &mut *scene))
        }
        skin => {
            if skin.is_some() {
                scene.warn(at, "it has a skin but no JOINTS_0 and WEIGHTS_0; it follows its node");
            }
            Some(rigid(stage, on, used.len()))
        }
    };
    let Some(Bound { influences, binds }) = bound else {
        scene.warn(at, too_large);
        return Ok(None);
    };
    let morphs = morphs(stage, primitive, on.name, &used, at, budget, scene)?;
    let name = on.name.name.clone();
    let mesh_out = RawMesh {
        name,
        positions,
        normals,
        tangents,
        influences,
        indices,
        inverse_binds: binds,
        uvs,
        colors,
        order: Vec::new(),
    };
    if let Err(error) = mesh_out.validate(stage.skeleton.raw.joints.len()) {
        // Nothing known gets here; whatever does is left out rather than handed on.
        scene.warn(
            at,
            format!("{error}; the mesh {:?} was left out", mesh.name.as_deref().unwrap_or_default()),
        );
        return Ok(None);
    }
    let material = primitive.material.and_then(|m| stage.materials.get(m as usize).copied().flatten());
    Ok(Some(SceneMesh {
        skeleton: 0,
        mesh: mesh_out,
        morphs,
        material,
        source: mesh.name.as_deref().unwrap_or_default().chars().take(255).collect(),
        node: on.node_name.clone(),
        extras: on.extras.clone(),
        quantised,
    }))
}

/// Numbers of the used vertices; `plain` where nothing is stored, 0 where they are not finite.
fn finite<const N: usize>(
    stored: Option<&Values<'_>>,
    used: &[u32],
    plain: [f32; N],
    broken: &mut usize,
) -> Vec<[f32; N]> {
    let Some(stored) = stored else { return vec![plain; used.len()] };
    let row = |v: &u32| {
        let row = stored.get::<N>(*v as usize).map(|c| c as f32);
        if row.iter().all(|c| c.is_finite()) {
            return row;
        }
        *broken = broken.saturating_add(1);
        [0.0; N]
    };
    used.iter().map(row).collect()
}

/// Every vertex follows the node, in whose space it is.
fn rigid(stage: &Stage<'_, '_>, on: &Carrier<'_>, vertices: usize) -> Bound {
    let joint = stage.skeleton.joint(on.node).unwrap_or_default();
    let mut binds = on.rest.to_vec();
    if let Some(own) = binds.get_mut(joint) {
        *own = M34::IDENTITY;
    }
    Bound { influences: Influences::rigid(joint as u16, vertices), binds }
}

fn morphs(
    stage: &Stage<'_, '_>,
    primitive: &Primitive<'_>,
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

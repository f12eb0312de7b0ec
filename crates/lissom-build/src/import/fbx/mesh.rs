//! Meshes: triangles, one vertex for corners that are the same, in the space of the rest pose.

use super::{super::budget::Budget, m34, nodes::Nodes, path, skin, surfaces::Surfaces, take, v3};
use crate::{
    exact::{M34, V3},
    import::{
        ImportError,
        names::{self, Names},
    },
    mesh::fill,
    mesh::{RawMesh, RawMeshError, model_matrices},
    scene::{Morph, Scene, SceneMesh},
};
use std::collections::HashMap;

/// A morph whose weight may be animated.
pub(super) struct ShapeTarget {
    /// The element of the file that has the weight.
    pub(super) channel: u32,
    /// The weight at which the shape is whole; 1 is 100 %.
    pub(super) full: f64,
    /// The name of the track: `morph/MESH/TARGET`.
    pub(super) track: String,
}

/// Sets of texture coordinates that are read at most.
const MOST_SETS: usize = 4;
/// What tells a corner: its vertex, normal, tangent, colour and texture coordinates.
type Corner = [u32; 12 + 2 * MOST_SETS];
/// Memory that a corner may take while its mesh is made: the vertex and its source, twice while lists grow, and its
/// place in the table of corners.
const CORNER: usize = 2 * (64 + 16 + 8 * MOST_SETS + 24) + 2 * size_of::<(Corner, u32)>();

/// Reads the mesh of every node that has one, a mesh of the scene for each material, and gives the morphs.
pub(super) fn read(
    file: &ufbx::Scene,
    nodes: &Nodes,
    surfaces: &mut Surfaces<'_>,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Vec<ShapeTarget>, ImportError> {
    let rest: Vec<_> = nodes.skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(&nodes.skeleton, &rest);
    let mut mesh_names = Names::default();
    let mut targets = Vec::new();
    for node in &file.nodes {
        let (Some(mesh), Some(joint)) = (node.mesh.as_deref(), nodes.joint(node)) else { continue };
        let place = names::place("node", node.element.typed_id as usize, Some(&node.element.name));
        if mesh.num_triangles == 0 {
            scene.warn(place, "its mesh has no triangles; it was left out");
            continue;
        }
        let wanted = Some(&*mesh.element.name).filter(|n| !n.is_empty()).or(Some(&*node.element.name));
        let name = mesh_names.unique(wanted, || format!("mesh_{}", mesh.element.typed_id));
        let on = Carrier { mesh, node, joint, models: &models, name: &name, place: &place };
        let mut first = true;
        for (number, part) in mesh.material_parts.iter().enumerate().filter(|(_, p)| p.num_triangles > 0) {
            let place = match mesh.material_parts.count {
                0 | 1 => place.clone(),
                _ => format!("{place}, material {number}"),
            };
            let on = Carrier { place: &place, ..on };
            let mut made = one(&on, part, first, nodes, &mut targets, budget, scene)?;
            let own = node.materials.get(number).or_else(|| mesh.materials.get(number));
            if let (Some(made), Some(own)) = (&mut made, own) {
                made.material = Some(surfaces.material(own, mesh, budget, scene)?);
            }
            first &= made.is_none();
            scene.meshes.extend(made);
        }
        if mesh.uv_sets.count > MOST_SETS {
            let more = mesh.uv_sets.count.saturating_sub(MOST_SETS);
            scene.warn(place, format!("{more} of its sets of texture coordinates were left out"));
        }
    }
    Ok(targets)
}

/// A mesh on a node.
#[derive(Clone, Copy)]
struct Carrier<'c> {
    mesh: &'c ufbx::Mesh,
    node: &'c ufbx::Node,
    joint: u16,
    models: &'c [M34],
    name: &'c str,
    place: &'c str,
}

/// The faces of one material; `None` if they are no triangles. All that share a mesh have the same morphs, and the first
/// says which tracks they follow.
fn one(
    on: &Carrier<'_>,
    part: &ufbx::MeshPart,
    first: bool,
    nodes: &Nodes,
    targets: &mut Vec<ShapeTarget>,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Option<SceneMesh>, ImportError> {
    let &Carrier { mesh, node, joint, models, name, place } = on;
    take(budget, models.len(), size_of::<M34>())?;
    take(budget, part.num_triangles.saturating_mul(3), CORNER)?;
    let to_world = m34(&node.geometry_to_world);
    let faces = part.face_indices.iter().filter_map(|f| mesh.faces.get(*f as usize));
    let Corners { mesh: mut raw, sources } = corners(mesh, faces, &to_world);
    raw.name = name.to_owned();
    let bind = skin::Bind { mesh, node, joint, models, to_world: &to_world };
    skin::bind(&mut raw, &sources, &bind, nodes, place, (&mut *budget, &mut *scene))?;
    match raw.validate(models.len()) {
        Ok(()) => {}
        Err(RawMeshError::Empty) => {
            scene.warn(place, "its mesh has no triangles; it was left out");
            return Ok(None);
        }
        Err(error) => {
            return Err(ImportError::Format { place: path(place), reason: error.to_string() });
        }
    }
    let mut own = Vec::new();
    let morphs = morphs(mesh, &raw, &sources, &to_world, first, place, (&mut own, budget, scene))?;
    if first {
        targets.append(&mut own);
    }
    let cut = |name: &str| name.chars().take(255).collect::<String>();
    Ok(Some(SceneMesh {
        mesh: raw,
        morphs,
        source: cut(&mesh.element.name),
        node: cut(&node.element.name),
        ..Default::default()
    }))
}

/// A mesh without its skin, and the vertex of the file that each of its vertices came from.
struct Corners {
    mesh: RawMesh,
    sources: Vec<u32>,
}

/// Triangles in world space. Corners with the same vertex, normal, tangent, colour and texture coordinates are one.
fn corners<'f>(mesh: &ufbx::Mesh, faces: impl Iterator<Item = &'f ufbx::Face>, to_world: &M34) -> Corners {
    let mut out = Corners { mesh: RawMesh::default(), sources: Vec::new() };
    let normal_matrix = NormalMatrix::of(to_world);
    let mirrored = normal_matrix.mirrors;
    let sets = mesh.uv_sets.count.min(MOST_SETS);
    let mut uvs: Vec<Vec<[f32; 2]>> = vec![Vec::new(); sets];
    let mut colors: Vec<[f32; 4]> = Vec::new();
    let mut known: HashMap<Corner, u32> = HashMap::new();
    let mut corners = vec![0; mesh.max_face_triangles.saturating_mul(3)];
    for face in faces {
        let count = mesh.triangulate_face(&mut corners, *face) as usize;
        for triangle in corners.as_chunks::<3>().0.iter().take(count) {
            let [a, b, c] = *triangle;
            // A mirror turns triangles round.
            for corner in if mirrored { [a, c, b] } else { [a, b, c] } {
                let corner = corner as usize;
                let source = mesh.vertex_indices.get(corner).copied().unwrap_or_default();
                let position = to_world.mul_point(vector(&mesh.vertex_position, corner));
                let normal = fill::unit(normal_matrix.apply(vector(&mesh.vertex_normal, corner)));
                let tangent = tangent(mesh, corner, to_world);
                let color = color(mesh, corner);
                let mut own_uvs = [[0.0; 2]; MOST_SETS];
                for (to, set) in own_uvs.iter_mut().zip(&mesh.uv_sets) {
                    *to = uv(&set.vertex_uv, corner);
                }
                let mut key = [source; _];
                let words = normal.unwrap_or_default().into_iter();
                let words = words.chain(tangent.unwrap_or_default()).chain(color);
                let words = words.chain(own_uvs.into_iter().flatten());
                key.iter_mut().skip(1).zip(words).for_each(|(to, word)| *to = word.to_bits());
                let next = out.sources.len() as u32;
                let index = *known.entry(key).or_insert(next);
                out.mesh.indices.push(index);
                if index == next {
                    out.sources.push(source);
                    out.mesh.positions.push([position.x as f32, position.y as f32, position.z as f32]);
                    out.mesh.normals.push(normal.unwrap_or_default());
                    if mesh.vertex_tangent.exists {
                        out.mesh.tangents.push(tangent.unwrap_or_default());
                    }
                    uvs.iter_mut().zip(own_uvs).for_each(|(set, uv)| set.push(uv));
                    colors.push(color);
                }
            }
        }
    }
    let raw = &mut out.mesh;
    if raw.normals.contains(&[0.0; 3]) {
        let computed = fill::normals(&raw.positions, &raw.indices);
        for (to, from) in raw.normals.iter_mut().zip(computed) {
            *to = if *to == [0.0; 3] { from } else { *to };
        }
    }
    // Files without tangents stay without: who has a normal map to shade computes them from it.
    if raw.tangents.contains(&[0.0; 4]) {
        let plain = vec![[0.0; 2]; raw.positions.len()];
        let uvs = uvs.first().unwrap_or(&plain);
        let computed = fill::tangents(&raw.positions, &raw.normals, uvs, &raw.indices);
        for (to, from) in raw.tangents.iter_mut().zip(computed) {
            *to = if *to == [0.0; 4] { from } else { *to };
        }
    }
    let finite = |set: &Vec<[f32; 2]>| set.iter().flatten().all(|c| c.is_finite());
    if uvs.iter().all(finite) {
        // FBX counts v from below, everyone else from above.
        let turn = |set: Vec<[f32; 2]>| set.into_iter().map(|[u, v]| [u, 1.0 - v]).collect();
        raw.uvs = uvs.into_iter().map(turn).collect();
    }
    if mesh.vertex_color.exists && colors.iter().flatten().all(|c| c.is_finite()) {
        raw.colors = vec![colors];
    }
    out
}

/// A corner's value; zero where the file has none.
fn vector(values: &ufbx::VertexVec3, corner: usize) -> V3 {
    let index = values.indices.get(corner).copied().unwrap_or(u32::MAX);
    values.values.get(index as usize).map_or(V3::ZERO, |v| v3(*v))
}

fn uv(values: &ufbx::VertexVec2, corner: usize) -> [f32; 2] {
    let index = values.indices.get(corner).copied().unwrap_or(u32::MAX);
    values.values.get(index as usize).map_or([0.0; 2], |v| [v.x as f32, v.y as f32])
}

/// White where the file has none.
fn color(mesh: &ufbx::Mesh, corner: usize) -> [f32; 4] {
    let index = mesh.vertex_color.indices.get(corner).copied().unwrap_or(u32::MAX);
    let found = mesh.vertex_color.values.get(index as usize);
    found.map_or([1.0; 4], |c| [c.x, c.y, c.z, c.w].map(|v| v as f32))
}

/// The tangent that the file has for a corner.
fn tangent(mesh: &ufbx::Mesh, corner: usize, to_world: &M34) -> Option<[f32; 4]> {
    if !mesh.vertex_tangent.exists {
        return None;
    }
    let tangent = vector(&mesh.vertex_tangent, corner);
    let [x, y, z] = fill::unit(to_world.mul_vector(tangent))?;
    let bitangent = vector(&mesh.vertex_bitangent, corner);
    let left = vector(&mesh.vertex_normal, corner).cross(tangent).dot(bitangent) < 0.0;
    Some([x, y, z, if left { -1.0 } else { 1.0 }])
}

/// What turns normals: the inverse transpose, up to a factor.
struct NormalMatrix {
    columns: [V3; 3],
    mirrors: bool,
}

impl NormalMatrix {
    fn of(m: &M34) -> Self {
        let [x, y, z, _] = m.columns;
        let mirrors = x.cross(y).dot(z) < 0.0;
        Self { columns: [y.cross(z), z.cross(x), x.cross(y)], mirrors }
    }

    #[allow(clippy::arithmetic_side_effects, reason = "floats")]
    fn apply(&self, n: V3) -> V3 {
        let [x, y, z] = self.columns;
        let turned = x * n.x + y * n.y + z * n.z;
        // The cofactors of a mirror point the other way.
        if self.mirrors { -turned } else { turned }
    }
}

/// The blend shapes of a mesh. In-between shapes are left out.
fn morphs(
    mesh: &ufbx::Mesh,
    raw: &RawMesh,
    sources: &[u32],
    to_world: &M34,
    first: bool,
    place: &str,
    (targets, budget, scene): (&mut Vec<ShapeTarget>, &mut Budget, &mut Scene),
) -> Result<Vec<Morph>, ImportError> {
    let normal_matrix = NormalMatrix::of(to_world);
    let mut names = Names::default();
    let mut out = Vec::new();
    for channel in mesh.blend_deformers.into_iter().flat_map(|d| &d.channels) {
        let Some(last) = channel.keyframes.last() else { continue };
        let wanted =
            Some(&*channel.element.name).filter(|n| !n.is_empty()).or(Some(&*last.shape.element.name));
        let name = names.unique(wanted, || format!("target_{}", out.len()));
        if first && channel.keyframes.len() > 1 {
            let others = channel.keyframes.len().saturating_sub(1);
            scene.warn(place, format!("blend shape {name:?}: {others} in-between shapes were left out"));
        }
        let shape = &*last.shape;
        let with_normals = shape.normal_offsets.len() == shape.position_offsets.len();
        take(budget, sources.len(), if with_normals { 24 } else { 12 })?;
        let offset_of = |source: u32| shape.offset_vertices.binary_search(&source).ok();
        let mut morph = Morph { name, ..Morph::default() };
        let full = if last.target_weight > 0.0 { last.target_weight } else { 1.0 };
        morph.weight = channel.weight / full;
        for (vertex, source) in sources.iter().enumerate() {
            let offset = offset_of(*source);
            let moved = offset.and_then(|o| shape.position_offsets.get(o));
            let moved = to_world.mul_vector(moved.map_or(V3::ZERO, |v| v3(*v)));
            morph.positions.push([moved.x as f32, moved.y as f32, moved.z as f32]);
            if with_normals {
                let turned = offset.and_then(|o| shape.normal_offsets.get(o)).map(|v| v3(*v));
                morph.normals.push(turned_normal(raw.normals.get(vertex), turned, to_world, &normal_matrix));
            }
        }
        if !morph.positions.as_flattened().iter().all(|v| v.is_finite()) {
            let reason = format!("blend shape {:?} has an offset that is not finite", morph.name);
            return Err(ImportError::Format { place: path(place), reason });
        }
        let track = format!("morph/{}/{}", raw.name, morph.name);
        targets.push(ShapeTarget { channel: channel.element.element_id, full, track });
        out.push(morph);
    }
    Ok(out)
}

/// What a shape adds to a normal, in world space: the turned sum less the turned normal.
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
fn turned_normal(
    base: Option<&[f32; 3]>,
    offset: Option<V3>,
    to_world: &M34,
    matrix: &NormalMatrix,
) -> [f32; 3] {
    let (Some([x, y, z]), Some(offset)) = (base, offset) else { return [0.0; 3] };
    let base = V3::new(f64::from(*x), f64::from(*y), f64::from(*z));
    // Back to the file's space, where the offset is.
    let [cx, cy, cz, _] = to_world.columns;
    let local = V3::new(cx.dot(base), cy.dot(base), cz.dot(base)).normalize_or(V3::ZERO);
    let Some([tx, ty, tz]) = fill::unit(matrix.apply(local + offset)) else { return [0.0; 3] };
    [tx - *x, ty - *y, tz - *z]
}

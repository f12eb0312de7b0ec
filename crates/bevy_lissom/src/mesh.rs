//! Meshes and morph targets of an archive, as Bevy's meshes.

use bevy_asset::RenderAssetUsages;
use bevy_math::Vec3;
use bevy_mesh::{Indices, Mesh, PrimitiveTopology, VertexAttributeValues, morph::MorphAttributes};
use lissom::{
    archive::{Archive, ArchiveError, MeshView, Morph, MorphView, SectionKind},
    mesh::MorphTarget,
};

/// Joints that a vertex of Bevy's follows.
const INFLUENCES: usize = 4;

/// A mesh, and how many of its vertices follow more joints than Bevy's do: of those the heaviest four are left, and weigh as
/// much as all did. A bumpy one has a normal texture: Bevy draws that with tangents alone, which most files leave out.
pub(crate) fn mesh_of(view: &MeshView<'_>, targets: Vec<(String, Morph)>, bumpy: bool) -> (Mesh, usize) {
    let (joints, weights, cut) = influences(view);
    let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_indices(Indices::U32(view.indices.to_vec()))
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, view.positions.to_vec())
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, view.normals.to_vec())
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, VertexAttributeValues::Uint16x4(joints))
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights);
    for (set, attribute) in [Mesh::ATTRIBUTE_UV_0, Mesh::ATTRIBUTE_UV_1].into_iter().enumerate() {
        if let Some(uvs) = view.uv(set) {
            mesh.insert_attribute(attribute, uvs.to_vec());
        }
    }
    if !view.tangents.is_empty() {
        mesh.insert_attribute(Mesh::ATTRIBUTE_TANGENT, view.tangents.to_vec());
    } else if bumpy {
        add_tangents(&mut mesh);
    }
    if let Some(colors) = view.color(0) {
        mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, colors.to_vec());
    }
    if !targets.is_empty() {
        let displaced = targets.iter().flat_map(|(_, target)| displacements(&target.view()));
        mesh.set_morph_targets(displaced.collect());
        mesh.set_morph_target_names(targets.into_iter().map(|(name, _)| name).collect());
    }
    (mesh, cut)
}

/// Made as `bevy_gltf` makes them. A mesh for which there are none, having no texture coordinates, is drawn smooth.
#[cfg(feature = "render")]
fn add_tangents(mesh: &mut Mesh) {
    if let Err(why) = mesh.generate_tangents() {
        tracing::warn!("a normal texture is not drawn: {why}");
    }
}

/// Nobody draws it.
#[cfg(not(feature = "render"))]
fn add_tangents(_: &mut Mesh) {}

/// The morph targets of a mesh, in file order, by name.
pub(crate) fn targets_of(archive: &Archive, mesh: &str) -> Result<Vec<(String, Morph)>, ArchiveError> {
    archive
        .morphs()
        .filter_map(|(full_name, morph)| {
            let (owner, name) = archive.owner(SectionKind::Mesh, full_name)?;
            (owner == mesh).then(|| Ok((name.to_owned(), morph?)))
        })
        .collect()
}

/// How far targets move a vertex together, each at a weight of 1.
pub(crate) fn morphs_reach(targets: &[(String, Morph)]) -> f64 {
    let long = |delta: &[f32; 3]| delta.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>();
    let farthest = |(_, target): &(String, Morph)| {
        target.view().target.positions.iter().map(long).fold(0.0, |a: f64, b| if b > a { b } else { a })
    };
    targets.iter().map(|target| farthest(target).sqrt()).sum()
}

/// What a target adds to each vertex.
fn displacements(target: &MorphView<'_>) -> Vec<MorphAttributes> {
    let mut all = vec![MorphAttributes::default(); target.vertex_count];
    let MorphTarget { vertices, positions, normals, tangents } = target.target;
    let delta = |deltas: &[[f32; 3]], i: usize| deltas.get(i).map_or(Vec3::ZERO, |d| Vec3::from_array(*d));
    for (i, vertex) in vertices.iter().enumerate() {
        all[*vertex as usize] =
            MorphAttributes::new(delta(positions, i), delta(normals, i), delta(tangents, i));
    }
    all
}

fn influences(view: &MeshView<'_>) -> (Vec<[u16; INFLUENCES]>, Vec<[f32; INFLUENCES]>, usize) {
    let each = view.per_vertex;
    let mut cut = 0;
    let mut heaviest: Vec<(u16, f32)> = Vec::with_capacity(each);
    let vertices = view.joints.chunks_exact(each).zip(view.weights.chunks_exact(each));
    let (joints, weights) = vertices
        .map(|(joints, weights)| {
            heaviest.clear();
            heaviest.extend(joints.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w != 0.0));
            let mut scale = 1.0;
            if heaviest.len() > INFLUENCES {
                cut += 1;
                let all: f32 = heaviest.iter().map(|(_, weight)| weight).sum();
                // Stable: of two that weigh the same, the first stays.
                heaviest.sort_by(|a, b| b.1.total_cmp(&a.1));
                heaviest.truncate(INFLUENCES);
                scale = all / heaviest.iter().map(|(_, weight)| weight).sum::<f32>();
            }
            let mut vertex = ([0; INFLUENCES], [0.0; INFLUENCES]);
            for (i, (joint, weight)) in heaviest.iter().enumerate() {
                (vertex.0[i], vertex.1[i]) = (*joint, weight * scale);
            }
            vertex
        })
        .unzip();
    (joints, weights, cut)
}

//! The meshes of a document on the GPU.

use super::{
    frame::Look,
    layouts::{Fixed, Moved},
    lists::{WIDTH, fill, list_texture, rows, texture_of},
    pictures::Pictures,
    pipelines::Sides,
};
use crate::{
    document::Document,
    failure::Failure,
    lines::Stand,
    settings::SkinOn,
    shown::Comparison,
    surfaces::{MapKind, Opacity, Surface},
};
use egui_wgpu::RenderState;
use lissom::{archive::MeshView, math::Vec3, player::Body};
use std::collections::BTreeSet;
use wgpu::util::DeviceExt;

/// What a draw says; `shaders/mesh.wgsl` says what each is.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct DrawUniform {
    color: [f32; 4],
    emissive: [f32; 4],
    place: [f32; 4],
    metallic: f32,
    roughness: f32,
    occlusion: f32,
    cutoff: f32,
    palette: u32,
    skinned: u32,
    vivid: f32,
    opaque: f32,
    maps: [[f32; 4]; 10],
}

/// A vertex that has its own colour.
const NO_TINT: f32 = -1.0;
/// How much of its colour a mesh keeps when another is to stand out.
const FAINT: f32 = 0.12;

/// Why vertices are tinted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tint {
    None,
    /// Anew in every frame.
    Errors,
    /// By how much they follow this joint.
    Weights(usize),
}

pub(super) struct GpuMesh {
    name: String,
    /// Targets bend it before joints do: it is moved here, on the CPU.
    morphs: bool,
    double_sided: bool,
    mapped: bool,
    opacity: Opacity,
    /// So large that it can only be what is behind.
    is_backdrop: bool,
    vertices: wgpu::Buffer,
    fixed: wgpu::Buffer,
    tints: wgpu::Buffer,
    indices: wgpu::Buffer,
    index_count: u32,
    /// Each edge once; made when they are to be seen.
    edges: Option<(wgpu::Buffer, u32)>,
    draw: DrawUniform,
    uniform: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// At rest, in `vertices` while the GPU moves them.
    at_rest: Vec<Moved>,
    is_at_rest: bool,
    is_hidden: bool,
    tinted: Tint,
    /// Where its middle is, for what is seen through.
    middle: Vec3,
}

pub(super) struct Meshes {
    meshes: Vec<GpuMesh>,
    palette: wgpu::Texture,
    /// Whole rows of texels.
    matrices: Vec<[f32; 4]>,
    moved: Vec<Moved>,
    tints: Vec<f32>,
}

impl Meshes {
    pub fn new(
        state: &RenderState,
        layout: &wgpu::BindGroupLayout,
        pictures: &mut Pictures,
        document: &Document,
    ) -> Result<Self, Failure> {
        let joints = document.player.skeleton().joint_count() as u32;
        let texels = (document.surfaces.len() as u32).saturating_mul(joints).saturating_mul(3);
        room(state, texels, "matrices of its meshes")?;
        let mut meshes = Vec::new();
        for (index, surface) in document.surfaces.iter().enumerate() {
            let mesh = document.archive.mesh(&surface.mesh)?;
            let base = index as u32 * joints;
            let mut made = GpuMesh::new(state, layout, pictures, &mesh.view(), surface, base)?;
            made.morphs = !document.player.morph_weights(&surface.mesh)?.is_empty();
            made.is_backdrop = document.backdrop == Some(index);
            meshes.push(made);
        }
        let palette = list_texture(&state.device, texels);
        let matrices = vec![[0.0; 4]; (palette.width() * palette.height()) as usize];
        Ok(Self { meshes, palette, matrices, moved: Vec::new(), tints: Vec::new() })
    }

    pub fn palette(&self) -> &wgpu::Texture {
        &self.palette
    }

    /// Vertices that the last frame moved on the CPU.
    pub fn moved_on_cpu(&self) -> usize {
        self.meshes.iter().filter(|mesh| !mesh.is_at_rest).map(|mesh| mesh.at_rest.len()).sum()
    }

    /// Uploads the pose that the document's player is in, where it is to stand.
    pub fn update(
        &mut self,
        state: &RenderState,
        document: &mut Document,
        look: &Look<'_>,
        stand: Stand,
        comparison: Option<&Comparison>,
    ) -> Result<(), Failure> {
        let mut any = false;
        for (index, mesh) in self.meshes.iter_mut().enumerate() {
            let on_gpu = look.skin_on == SkinOn::Gpu && !mesh.morphs && comparison.is_none();
            mesh.draw.skinned = u32::from(on_gpu);
            mesh.draw.place = stand.offset.extend(stand.scale).to_array();
            mesh.is_hidden = look.hidden.contains(&index);
            mesh.draw.vivid = if look.vivid.is_none_or(|vivid| vivid == index) { 1.0 } else { FAINT };
            state.queue.write_buffer(&mesh.uniform, 0, bytemuck::bytes_of(&mesh.draw));
            mesh.tint(state, document, look, comparison, &mut self.tints)?;
            if look.wire && mesh.edges.is_none() {
                mesh.edges = Some(edges(state, document.archive.mesh(&mesh.name)?.view().indices));
            }
            if on_gpu {
                let from = mesh.draw.palette as usize * 3;
                let palette = document.body_mut().palette(&mesh.name)?;
                let to = self.matrices[from..].chunks_exact_mut(3);
                palette.iter().zip(to).for_each(|(m, to)| to.copy_from_slice(&rows(m)));
                any = true;
                if !mesh.is_at_rest {
                    state.queue.write_buffer(&mesh.vertices, 0, bytemuck::cast_slice(&mesh.at_rest));
                    mesh.is_at_rest = true;
                }
            } else {
                let skinned = document.body_mut().skin_mesh(&mesh.name)?;
                self.moved.clear();
                let both = skinned.positions.iter().zip(skinned.normals).enumerate();
                let tangent = |i: usize| skinned.tangents.get(i).copied().unwrap_or_default();
                self.moved.extend(both.map(|(i, (p, n))| Moved {
                    position: *p,
                    normal: *n,
                    tangent: tangent(i),
                }));
                if let Some(comparison) = comparison {
                    apart(document.body_mut(), &mesh.name, comparison, &mut self.moved)?;
                }
                state.queue.write_buffer(&mesh.vertices, 0, bytemuck::cast_slice(&self.moved));
                mesh.is_at_rest = false;
            }
        }
        if any {
            fill(&state.queue, &self.palette, bytemuck::cast_slice(&self.matrices), 16);
        }
        Ok(())
    }

    fn some(&self, which: impl Fn(&GpuMesh) -> bool) -> impl Iterator<Item = &GpuMesh> {
        self.meshes.iter().filter(move |mesh| mesh.index_count > 0 && !mesh.is_hidden && which(mesh))
    }

    pub fn draw_shadows(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        pass.set_pipeline(pipeline);
        self.some(|m| !m.is_backdrop).for_each(|mesh| mesh.draw(pass, 1));
    }

    pub fn draw_backdrops(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        pass.set_pipeline(pipeline);
        self.some(|m| m.is_backdrop).for_each(|mesh| mesh.draw(pass, 1));
    }

    pub fn draw_solid(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Sides) {
        for mesh in self.some(|m| !m.is_backdrop && m.opacity != Opacity::Blend) {
            mesh.draw_by(pass, pipelines);
        }
    }

    /// What is seen through: what is farthest first.
    pub fn draw_clear(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Sides, eye: Vec3) {
        let mut clear: Vec<&GpuMesh> = self.some(|m| !m.is_backdrop && m.opacity == Opacity::Blend).collect();
        clear.sort_by(|a, b| (b.middle - eye).length().total_cmp(&(a.middle - eye).length()));
        clear.into_iter().for_each(|mesh| mesh.draw_by(pass, pipelines));
    }

    pub fn draw_wire(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        pass.set_pipeline(pipeline);
        for mesh in self.some(|m| !m.is_backdrop) {
            if let Some((edges, count)) = &mesh.edges {
                mesh.bind(pass);
                pass.set_index_buffer(edges.slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..*count, 0, 0..1);
            }
        }
    }

    pub fn draw_normals(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        pass.set_pipeline(pipeline);
        for mesh in self.some(|m| !m.is_backdrop) {
            mesh.bind(pass);
            pass.draw(0..2, 0..mesh.at_rest.len() as u32);
        }
    }
}

/// Draws vertices as far from where they were as the comparison says.
fn apart(body: &mut Body, mesh: &str, comparison: &Comparison, moved: &mut [Moved]) -> Result<(), Failure> {
    let cooked = body.models().to_vec();
    body.models_mut().copy_from_slice(comparison.models());
    let done = body.skin_mesh(mesh).map(|source| {
        for (vertex, source) in moved.iter_mut().zip(source.positions) {
            let (source, cooked) = (Vec3::from_array(*source), Vec3::from_array(vertex.position));
            vertex.position = comparison.drawn(source, cooked).to_array();
        }
    });
    body.models_mut().copy_from_slice(&cooked);
    Ok(done?)
}

/// The error of each vertex, as a colour.
fn errors(body: &mut Body, mesh: &str, comparison: &Comparison, tints: &mut Vec<f32>) -> Result<(), Failure> {
    let now: Vec<[f32; 3]> = body.skin_mesh(mesh)?.positions.to_vec();
    let cooked = body.models().to_vec();
    body.models_mut().copy_from_slice(comparison.models());
    let done = body.skin_mesh(mesh).map(|source| {
        let both = source.positions.iter().zip(&now);
        tints.extend(both.map(|(a, b)| comparison.share(Vec3::from_array(*a), Vec3::from_array(*b))));
    });
    body.models_mut().copy_from_slice(&cooked);
    Ok(done?)
}

/// Every edge once, as pairs of vertices.
fn edges(state: &RenderState, indices: &[u32]) -> (wgpu::Buffer, u32) {
    let pairs: BTreeSet<[u32; 2]> = edges_of(indices);
    let flat: Vec<u32> = pairs.into_iter().flatten().collect();
    let buffer = state.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("edges"),
        contents: bytemuck::cast_slice(&flat),
        usage: wgpu::BufferUsages::INDEX,
    });
    (buffer, flat.len() as u32)
}

fn edges_of(indices: &[u32]) -> BTreeSet<[u32; 2]> {
    let (triangles, _) = indices.as_chunks::<3>();
    triangles
        .iter()
        .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect()
}

/// An error if the GPU has no room for a list of this number of texels.
pub(super) fn room(state: &RenderState, texels: u32, what: &str) -> Result<(), Failure> {
    let most = WIDTH.saturating_mul(state.device.limits().max_texture_dimension_2d);
    if texels > most {
        return Err(Failure(format!(
            "this graphics device has no room for the {what}: {texels} of at most {most}"
        )));
    }
    Ok(())
}

impl GpuMesh {
    fn bind(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_bind_group(1, &self.group, &[]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(1, self.fixed.slice(..));
        pass.set_vertex_buffer(2, self.tints.slice(..));
    }

    /// Draws it `times` times.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, times: u32) {
        self.bind(pass);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.index_count, 0, 0..times);
    }

    fn draw_by(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Sides) {
        pass.set_pipeline(self.pipeline(pipelines));
        self.draw(pass, 1);
    }

    /// The one that draws it as it is.
    pub fn pipeline<'p>(&self, pipelines: &'p Sides) -> &'p wgpu::RenderPipeline {
        &pipelines[usize::from(self.mapped)][usize::from(self.double_sided)]
    }

    pub fn new(
        state: &RenderState,
        layout: &wgpu::BindGroupLayout,
        pictures: &mut Pictures,
        mesh: &MeshView<'_>,
        surface: &Surface,
        palette: u32,
    ) -> Result<Self, Failure> {
        let device = &state.device;
        let tangent = |i: usize| mesh.tangents.get(i).copied().unwrap_or_default();
        let both = mesh.positions.iter().zip(mesh.normals).enumerate();
        let at_rest: Vec<Moved> =
            both.map(|(i, (p, n))| Moved { position: *p, normal: *n, tangent: tangent(i) }).collect();
        // Weights of nothing are left out: most vertices follow one or two joints.
        let mut influences: Vec<[f32; 2]> = Vec::new();
        let mut fixed = Vec::with_capacity(at_rest.len());
        let uvs = [0, 1].map(|set| mesh.uv(set).unwrap_or_default());
        let colors = mesh.color(0).unwrap_or_default();
        for vertex in 0..at_rest.len() {
            let first = influences.len() as u32;
            let own = vertex * mesh.per_vertex..(vertex + 1) * mesh.per_vertex;
            let pairs = mesh.joints[own.clone()].iter().zip(&mesh.weights[own]);
            influences.extend(pairs.filter(|(_, w)| **w > 0.0).map(|(j, w)| [f32::from(*j), *w]));
            let [[a, b], [c, d]] = uvs.map(|uv| uv.get(vertex).copied().unwrap_or_default());
            let color = colors.get(vertex).copied().unwrap_or([1.0; 4]);
            fixed.push(Fixed {
                uv: [a, b, c, d],
                influences: [first, influences.len() as u32 - first],
                color: color.map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8),
            });
        }
        room(state, u32::try_from(influences.len()).unwrap_or(u32::MAX), "influences of a mesh")?;
        let list = texture_of(device, influences.len() as u32, wgpu::TextureFormat::Rg32Float);
        influences.resize((list.width() * list.height()) as usize, [0.0; 2]);
        fill(&state.queue, &list, bytemuck::cast_slice(&influences), 8);
        let draw = uniform_of(surface, palette);
        let buffer = |label, contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        let (vertex, copied) = (wgpu::BufferUsages::VERTEX, wgpu::BufferUsages::COPY_DST);
        let uniform = buffer("draw", bytemuck::bytes_of(&draw), wgpu::BufferUsages::UNIFORM | copied);
        let list = list.create_view(&wgpu::TextureViewDescriptor::default());
        // What is not lit shows its base colour as what it gives off.
        let shown = |kind: MapKind| match (surface.unlit, kind) {
            (true, MapKind::Glow) => surface.map(MapKind::Base),
            _ => surface.map(kind),
        };
        let views = MapKind::ALL.map(|kind| pictures.view(kind, shown(kind)));
        let sampler = pictures.sampler_of(&surface.maps);
        let mut entries = vec![
            wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&list) },
            wgpu::BindGroupEntry { binding: 7, resource: wgpu::BindingResource::Sampler(&sampler) },
        ];
        entries.extend(views.iter().zip(2..).map(|(view, binding)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        }));
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("draw"),
            layout,
            entries: &entries,
        });
        let sum = mesh.positions.iter().fold(Vec3::ZERO, |sum, p| sum + Vec3::from_array(*p));
        Ok(Self {
            name: surface.mesh.clone(),
            morphs: false,
            double_sided: surface.double_sided,
            mapped: surface.maps.iter().any(Option::is_some),
            opacity: surface.opacity,
            is_backdrop: false,
            vertices: buffer("moved", bytemuck::cast_slice(&at_rest), vertex | copied),
            fixed: buffer("fixed", bytemuck::cast_slice(&fixed), vertex),
            tints: buffer("tints", bytemuck::cast_slice(&vec![NO_TINT; at_rest.len()]), vertex | copied),
            indices: buffer("indices", bytemuck::cast_slice(mesh.indices), wgpu::BufferUsages::INDEX),
            index_count: mesh.indices.len() as u32,
            edges: None,
            draw,
            uniform,
            group,
            middle: sum / at_rest.len().max(1) as f32,
            at_rest,
            is_at_rest: true,
            is_hidden: false,
            tinted: Tint::None,
        })
    }

    /// Gives vertices the colours that are asked for, if they do not have them.
    fn tint(
        &mut self,
        state: &RenderState,
        document: &mut Document,
        look: &Look<'_>,
        comparison: Option<&Comparison>,
        tints: &mut Vec<f32>,
    ) -> Result<(), Failure> {
        let asked = match (comparison.filter(|c| c.colors), look.weights_of) {
            (Some(_), _) => Tint::Errors,
            (None, Some(joint)) => Tint::Weights(joint),
            (None, None) => Tint::None,
        };
        if asked == self.tinted && asked != Tint::Errors {
            return Ok(());
        }
        tints.clear();
        match (asked, comparison) {
            (Tint::Errors, Some(comparison)) => errors(document.body_mut(), &self.name, comparison, tints)?,
            (Tint::Weights(joint), _) => {
                let mesh = document.archive.mesh(&self.name)?;
                let mesh = mesh.view();
                let pairs = mesh
                    .joints
                    .iter()
                    .zip(mesh.weights)
                    .map(|(j, w)| if usize::from(*j) == joint { *w } else { 0.0 });
                let pairs: Vec<f32> = pairs.collect();
                tints.extend(pairs.chunks(mesh.per_vertex.max(1)).map(|own| own.iter().sum::<f32>()));
            }
            _ => tints.resize(self.at_rest.len(), NO_TINT),
        }
        state.queue.write_buffer(&self.tints, 0, bytemuck::cast_slice(tints));
        self.tinted = asked;
        Ok(())
    }
}

fn uniform_of(surface: &Surface, palette: u32) -> DrawUniform {
    let mut maps = [[0.0; 4]; 10];
    for kind in MapKind::ALL {
        let (map, at) = (surface.map(kind), kind as usize * 2);
        let [x, y] = map.map_or([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], |map| map.rows);
        let set = map.map_or(0.0, |map| map.uv_set as f32);
        maps[at] = [x[0], x[1], x[2], set];
        maps[at + 1] = [y[0], y[1], y[2], 0.0];
    }
    let [r, g, b, a] = surface.color;
    let (color, emissive) = if surface.unlit {
        maps[8] = maps[0];
        maps[9] = maps[1];
        ([0.0, 0.0, 0.0, a], [r, g, b])
    } else {
        ([r, g, b, a], surface.emissive)
    };
    DrawUniform {
        color,
        emissive: [emissive[0], emissive[1], emissive[2], surface.normal_scale],
        place: [0.0, 0.0, 0.0, 1.0],
        metallic: if surface.unlit { 0.0 } else { surface.metallic },
        roughness: if surface.unlit { 1.0 } else { surface.roughness },
        occlusion: if surface.map(MapKind::Open).is_some() { surface.occlusion } else { 0.0 },
        cutoff: if let Opacity::Mask(cutoff) = surface.opacity { cutoff } else { 0.0 },
        palette,
        skinned: 1,
        vivid: 1.0,
        opaque: if surface.opacity == Opacity::Blend { 0.0 } else { 1.0 },
        maps,
    }
}

#[cfg(test)]
mod tests {
    use super::edges_of;

    #[test]
    fn two_triangles_share_an_edge() {
        let edges = edges_of(&[0, 1, 2, 2, 1, 3]);
        assert!(edges.into_iter().eq([[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]));
    }
}

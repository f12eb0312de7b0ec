//! The meshes of a document on the GPU.

use super::lists::{WIDTH, fill, list_texture, rows, texture_of};
use crate::{
    document::{Document, Surface},
    failure::Failure,
    settings::SkinOn,
    shown::Comparison,
};
use egui_wgpu::RenderState;
use lissom::{archive::MeshView, math::Vec3, player::Body};
use wgpu::util::DeviceExt;

/// What moves when vertices are moved before they are uploaded.
pub(super) const MOVED: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Moved>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 7 => Float32],
};

/// What stays.
pub(super) const FIXED: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Fixed>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![2 => Float32x2, 3 => Uint32x2],
};

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Moved {
    position: [f32; 3],
    normal: [f32; 3],
    /// From 0 to 1 as a colour; below 0 the mesh has its own.
    error: f32,
}

/// No error is shown.
const NO_ERROR: f32 = -1.0;

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Fixed {
    uv: [f32; 2],
    /// The first influence and how many.
    influences: [u32; 2],
}

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct DrawUniform {
    color: [f32; 4],
    palette: u32,
    skinned: u32,
    cutoff: f32,
    textured: f32,
}

pub(super) struct GpuMesh {
    name: String,
    /// Targets bend it before joints do: it is moved here, on the CPU.
    morphs: bool,
    double_sided: bool,
    vertices: wgpu::Buffer,
    fixed: wgpu::Buffer,
    indices: wgpu::Buffer,
    index_count: u32,
    draw: DrawUniform,
    uniform: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// At rest, in `vertices` while the GPU moves them.
    at_rest: Vec<Moved>,
    is_at_rest: bool,
}

pub(super) struct Meshes {
    meshes: Vec<GpuMesh>,
    palette: wgpu::Texture,
    /// Whole rows of texels.
    matrices: Vec<[f32; 4]>,
    moved: Vec<Moved>,
}

impl Meshes {
    pub fn new(
        state: &RenderState,
        layout: &wgpu::BindGroupLayout,
        document: &Document,
    ) -> Result<Self, Failure> {
        let joints = document.player.skeleton().joint_count() as u32;
        let texels = (document.surfaces.len() as u32).saturating_mul(joints).saturating_mul(3);
        room(state, texels, "matrices of its meshes")?;
        let mut meshes = Vec::new();
        for (index, surface) in document.surfaces.iter().enumerate() {
            let mesh = document.archive.mesh(&surface.mesh)?;
            let morphs = !document.player.morph_weights(&surface.mesh)?.is_empty();
            let base = index as u32 * joints;
            meshes.push(GpuMesh::new(state, layout, &mesh.view(), surface, morphs, base)?);
        }
        let palette = list_texture(&state.device, texels);
        let matrices = vec![[0.0; 4]; (palette.width() * palette.height()) as usize];
        Ok(Self { meshes, palette, matrices, moved: Vec::new() })
    }

    pub fn palette(&self) -> &wgpu::Texture {
        &self.palette
    }

    /// Vertices that the last frame moved on the CPU.
    pub fn moved_on_cpu(&self) -> usize {
        self.meshes.iter().filter(|mesh| !mesh.is_at_rest).map(|mesh| mesh.at_rest.len()).sum()
    }

    /// Uploads the pose that the document's player is in.
    pub fn update(
        &mut self,
        state: &RenderState,
        document: &mut Document,
        on: SkinOn,
        comparison: Option<&Comparison>,
    ) -> Result<(), Failure> {
        let mut any = false;
        for mesh in &mut self.meshes {
            let on_gpu = on == SkinOn::Gpu && !mesh.morphs && comparison.is_none();
            mesh.draw.skinned = u32::from(on_gpu);
            state.queue.write_buffer(&mesh.uniform, 0, bytemuck::bytes_of(&mesh.draw));
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
                let both = skinned.positions.iter().zip(skinned.normals);
                self.moved.extend(both.map(|(p, n)| Moved { position: *p, normal: *n, error: NO_ERROR }));
                if let Some(comparison) = comparison {
                    compare(document.body_mut(), &mesh.name, comparison, &mut self.moved)?;
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

    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, [solid, two_sided]: [&wgpu::RenderPipeline; 2]) {
        for mesh in self.meshes.iter().filter(|m| m.index_count > 0) {
            pass.set_pipeline(if mesh.double_sided { two_sided } else { solid });
            mesh.draw(pass, 1);
        }
    }
}

/// Gives vertices the colours of their errors.
fn compare(body: &mut Body, mesh: &str, comparison: &Comparison, moved: &mut [Moved]) -> Result<(), Failure> {
    let cooked = body.models().to_vec();
    body.models_mut().copy_from_slice(comparison.models());
    let done = body.skin_mesh(mesh).map(|source| {
        for (vertex, source) in moved.iter_mut().zip(source.positions) {
            let (source, cooked) = (Vec3::from_array(*source), Vec3::from_array(vertex.position));
            vertex.error = comparison.share(source, cooked);
            vertex.position = comparison.drawn(source, cooked).to_array();
        }
    });
    body.models_mut().copy_from_slice(&cooked);
    Ok(done?)
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
    /// Draws it `times` times.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, times: u32) {
        pass.set_bind_group(1, &self.group, &[]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(1, self.fixed.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.index_count, 0, 0..times);
    }

    pub fn new(
        state: &RenderState,
        layout: &wgpu::BindGroupLayout,
        mesh: &MeshView<'_>,
        surface: &Surface,
        morphs: bool,
        palette: u32,
    ) -> Result<Self, Failure> {
        let device = &state.device;
        let at_rest: Vec<Moved> = mesh
            .positions
            .iter()
            .zip(mesh.normals)
            .map(|(p, n)| Moved { position: *p, normal: *n, error: NO_ERROR })
            .collect();
        // Weights of nothing are left out: most vertices follow one or two joints.
        let mut influences: Vec<[f32; 2]> = Vec::new();
        let mut fixed = Vec::with_capacity(at_rest.len());
        let uvs = mesh.uv(surface.uv_set).unwrap_or_default();
        for vertex in 0..at_rest.len() {
            let first = influences.len() as u32;
            let own = vertex * mesh.per_vertex..(vertex + 1) * mesh.per_vertex;
            let pairs = mesh.joints[own.clone()].iter().zip(&mesh.weights[own]);
            influences.extend(pairs.filter(|(_, w)| **w > 0.0).map(|(j, w)| [f32::from(*j), *w]));
            let count = influences.len() as u32 - first;
            fixed
                .push(Fixed { uv: uvs.get(vertex).copied().unwrap_or_default(), influences: [first, count] });
        }
        room(state, u32::try_from(influences.len()).unwrap_or(u32::MAX), "influences of a mesh")?;
        let list = texture_of(device, influences.len() as u32, wgpu::TextureFormat::Rg32Float);
        influences.resize((list.width() * list.height()) as usize, [0.0; 2]);
        fill(&state.queue, &list, bytemuck::cast_slice(&influences), 8);
        let image = image(state, surface);
        let draw = DrawUniform {
            color: surface.color,
            palette,
            skinned: 1,
            cutoff: surface.cutoff,
            textured: f32::from(u8::from(surface.texture.is_some())),
        };
        let buffer = |label, contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        let vertex = wgpu::BufferUsages::VERTEX;
        let copied = wgpu::BufferUsages::COPY_DST;
        let uniform = buffer("draw", bytemuck::bytes_of(&draw), wgpu::BufferUsages::UNIFORM | copied);
        let view = |t: &wgpu::Texture| t.create_view(&wgpu::TextureViewDescriptor::default());
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("draw"),
            layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(&view(&list)),
                },
                wgpu::BindGroupEntry {
                    binding: 2,
                    resource: wgpu::BindingResource::TextureView(&view(&image)),
                },
                wgpu::BindGroupEntry { binding: 3, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        });
        Ok(Self {
            name: surface.mesh.clone(),
            morphs,
            double_sided: surface.double_sided,
            vertices: buffer("moved", bytemuck::cast_slice(&at_rest), vertex | copied),
            fixed: buffer("fixed", bytemuck::cast_slice(&fixed), vertex),
            indices: buffer("indices", bytemuck::cast_slice(mesh.indices), wgpu::BufferUsages::INDEX),
            index_count: mesh.indices.len() as u32,
            draw,
            uniform,
            group,
            at_rest,
            is_at_rest: true,
        })
    }
}

/// The base texture, or a white pixel.
fn image(state: &RenderState, surface: &Surface) -> wgpu::Texture {
    let white = [255_u8; 4];
    let (width, height, texels) = match &surface.texture {
        Some(texture) => {
            let (width, height) = texture.size();
            fitting(width, height, texture.to_srgb(), state.device.limits().max_texture_dimension_2d as usize)
        }
        None => (1, 1, vec![white]),
    };
    let (width, height) = (width as u32, height as u32);
    state.device.create_texture_with_data(
        &state.queue,
        &wgpu::TextureDescriptor {
            label: Some("image"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8UnormSrgb,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        },
        wgpu::util::TextureDataOrder::LayerMajor,
        texels.as_flattened(),
    )
}

/// Every second, third, … pixel of an image that has more of them than the GPU takes.
fn fitting(width: usize, height: usize, texels: Vec<[u8; 4]>, most: usize) -> (usize, usize, Vec<[u8; 4]>) {
    let step = width.max(height).div_ceil(most.max(1));
    if step <= 1 {
        return (width, height, texels);
    }
    let rows = texels.chunks_exact(width).step_by(step);
    let kept = rows.flat_map(|row| row.iter().step_by(step).copied()).collect();
    (width.div_ceil(step), height.div_ceil(step), kept)
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn an_image_that_is_too_large_is_thinned_out() {
        let texels: Vec<[u8; 4]> = (0..35).map(|i| [i; 4]).collect();
        let (width, height, kept) = fitting(7, 5, texels.clone(), 4);
        assert_eq!((width, height, kept.len()), (4, 3, 12));
        assert_eq!(kept[..5], [[0; 4], [2; 4], [4; 4], [6; 4], [14; 4]]);
        assert_eq!(fitting(7, 5, texels.clone(), 7), (7, 5, texels));
    }
}

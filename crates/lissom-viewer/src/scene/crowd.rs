//! A crowd on the GPU: one mesh, drawn as many times as there are members in view, in one call.

use super::{
    lists::{fill, texture_of},
    meshes::{GpuMesh, room},
};
use crate::{
    failure::Failure,
    shown::{CrowdScene, Instance},
};
use egui_wgpu::RenderState;

pub(super) const INSTANCES: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Instance>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![4 => Float32x4, 5 => Float32x3, 6 => Uint32],
};

pub(super) struct GpuCrowd {
    mesh: GpuMesh,
    palettes: wgpu::Texture,
    instances: wgpu::Buffer,
    count: u32,
}

impl GpuCrowd {
    pub fn new(
        state: &RenderState,
        layout: &wgpu::BindGroupLayout,
        crowd: &CrowdScene,
    ) -> Result<Self, Failure> {
        let (joints, surface) = (crowd.joint_count() as u32, CrowdScene::surface());
        Ok(Self {
            mesh: GpuMesh::new(state, layout, &crowd.mesh().view(), &surface, false, joints)?,
            palettes: palettes(state, 1),
            instances: instances(state, 1),
            count: 0,
        })
    }

    pub fn palettes(&self) -> &wgpu::Texture {
        &self.palettes
    }

    /// Uploads poses and places.
    pub fn update(&mut self, state: &RenderState, crowd: &CrowdScene) -> Result<(), Failure> {
        let texels = crowd.palettes().as_flattened();
        let needed = texels.len() as u32;
        room(state, needed, "matrices of the crowd")?;
        if needed > self.palettes.width() * self.palettes.height() {
            self.palettes = palettes(state, needed);
        }
        fill(&state.queue, &self.palettes, bytemuck::cast_slice(texels), 8);
        let bytes: &[u8] = bytemuck::cast_slice(crowd.instances());
        if bytes.len() as u64 > self.instances.size() {
            self.instances = instances(state, bytes.len() as u64);
        }
        state.queue.write_buffer(&self.instances, 0, bytes);
        self.count = crowd.instances().len() as u32;
        Ok(())
    }

    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(2, self.instances.slice(..));
        self.mesh.draw(pass, self.count);
    }
}

fn palettes(state: &RenderState, texels: u32) -> wgpu::Texture {
    texture_of(&state.device, texels, wgpu::TextureFormat::Rgba16Float)
}

fn instances(state: &RenderState, size: u64) -> wgpu::Buffer {
    state.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("instances"),
        size,
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

//! A crowd on the GPU: one mesh, drawn as many times as there are members in view, in one call.

use super::{
    lists::{fill, texture_of},
    meshes::{GpuMesh, room},
    pictures::Pictures,
    pipelines::Sides,
    strokes::List,
};
use crate::{failure::Failure, shown::CrowdScene};
use egui_wgpu::RenderState;

pub(super) struct GpuCrowd {
    mesh: GpuMesh,
    palettes: wgpu::Texture,
    instances: List,
}

impl GpuCrowd {
    pub fn new(
        state: &RenderState,
        layout: &wgpu::BindGroupLayout,
        pictures: &mut Pictures,
        crowd: &CrowdScene,
    ) -> Result<Self, Failure> {
        let (joints, surface) = (crowd.joint_count() as u32, CrowdScene::surface());
        Ok(Self {
            mesh: GpuMesh::new(state, layout, pictures, &crowd.mesh().view(), &surface, joints)?,
            palettes: palettes(state, 1),
            instances: List::default(),
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
        self.instances.fill(state, crowd.instances());
        Ok(())
    }

    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Sides) {
        self.draw_by(pass, self.mesh.pipeline(pipelines));
    }

    pub fn draw_shadows(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        self.draw_by(pass, pipeline);
    }

    fn draw_by(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        let Some((buffer, count)) = self.instances.get() else { return };
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(3, buffer.slice(..));
        self.mesh.draw(pass, count);
    }
}

fn palettes(state: &RenderState, texels: u32) -> wgpu::Texture {
    texture_of(&state.device, texels, wgpu::TextureFormat::Rgba16Float)
}

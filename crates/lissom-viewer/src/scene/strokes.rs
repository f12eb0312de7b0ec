//! Lines, bones and joints on the GPU.

use super::{frame::Look, pipelines::Pipelines};
use egui_wgpu::RenderState;

/// Corners of a line, a bone, a joint.
const CORNERS: [u32; 3] = [6, 24, 6];

/// A list on the GPU that is as long as it has to be.
#[derive(Default)]
pub(super) struct List {
    buffer: Option<wgpu::Buffer>,
    count: u32,
}

impl List {
    pub fn fill<T: bytemuck::Pod>(&mut self, state: &RenderState, items: &[T]) {
        self.count = items.len() as u32;
        let bytes: &[u8] = bytemuck::cast_slice(items);
        if bytes.is_empty() {
            return;
        }
        let size = bytes.len() as u64;
        let buffer = self.buffer.take().filter(|buffer| buffer.size() >= size);
        let buffer = buffer.unwrap_or_else(|| {
            state.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("list"),
                // Room for a little more: it is often a little more.
                size: (size + size / 4) & !3,
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        state.queue.write_buffer(&buffer, 0, bytes);
        self.buffer = Some(buffer);
    }

    /// What is in it, if anything is.
    pub fn get(&self) -> Option<(&wgpu::Buffer, u32)> {
        self.buffer.as_ref().filter(|_| self.count > 0).map(|buffer| (buffer, self.count))
    }

    /// Draws something of so many corners for each.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline, corners: u32) {
        if let Some((buffer, count)) = self.get() {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, buffer.slice(..));
            pass.draw(0..corners, 0..count);
        }
    }
}

#[derive(Default)]
pub(super) struct Strokes {
    lines: List,
    bones: List,
    joints: List,
    overlay: List,
}

impl Strokes {
    pub fn update(&mut self, state: &RenderState, look: &Look<'_>) {
        self.lines.fill(state, look.lines.all());
        self.bones.fill(state, look.bones.bones());
        self.joints.fill(state, look.bones.joints());
        self.overlay.fill(state, look.overlay.all());
    }

    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, p: &Pipelines) {
        let [line, bone, joint] = CORNERS;
        self.lines.draw(pass, &p.lines, line);
        // First faintly through whatever is before them, then as far as they are seen.
        self.bones.draw(pass, &p.bones_behind, bone);
        self.joints.draw(pass, &p.joints_behind, joint);
        self.bones.draw(pass, &p.bones, bone);
        self.joints.draw(pass, &p.joints, joint);
        self.overlay.draw(pass, &p.overlay, line);
    }
}

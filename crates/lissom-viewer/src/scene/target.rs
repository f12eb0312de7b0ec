//! The picture that is drawn into, and that egui shows.

use egui_wgpu::RenderState;

/// Samples a pixel.
pub(super) const SAMPLES: u32 = 4;
/// What egui shows: colours in sRGB, as they are, times their alpha.
pub(super) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

pub(super) struct Target {
    smooth: wgpu::TextureView,
    depth: wgpu::TextureView,
    shown: wgpu::Texture,
    resolved: wgpu::TextureView,
}

impl Target {
    pub fn new(device: &wgpu::Device, [width, height]: [u32; 2]) -> Self {
        let texture = |label, format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let attached = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let view = |t: &wgpu::Texture| t.create_view(&wgpu::TextureViewDescriptor::default());
        let read = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let shown = texture("scene", FORMAT, 1, attached | read);
        Self {
            resolved: view(&shown),
            smooth: view(&texture("scene, samples", FORMAT, SAMPLES, attached)),
            depth: view(&texture("scene, depth", DEPTH, SAMPLES, attached)),
            shown,
        }
    }

    /// Lets egui show it, in the place of what it showed before under this name.
    pub fn show(&self, state: &RenderState, id: Option<egui::TextureId>) -> egui::TextureId {
        let mut renderer = state.renderer.write();
        let filter = wgpu::FilterMode::Linear;
        match id {
            Some(id) => {
                renderer.update_egui_texture_from_wgpu_texture(&state.device, &self.resolved, filter, id);
                id
            }
            None => renderer.register_native_texture(&state.device, &self.resolved, filter),
        }
    }

    pub fn size(&self) -> [u32; 2] {
        [self.shown.width(), self.shown.height()]
    }

    pub fn shown(&self) -> &wgpu::Texture {
        &self.shown
    }

    pub fn begin<'e>(&self, encoder: &'e mut wgpu::CommandEncoder) -> wgpu::RenderPass<'e> {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("scene"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.smooth,
                depth_slice: None,
                resolve_target: Some(&self.resolved),
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        })
    }
}

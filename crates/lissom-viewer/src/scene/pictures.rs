//! Textures on the GPU, each with its smaller copies. Meshes that show the same picture share it.

use crate::surfaces::{Map, MapKind, Pictured};
use egui_wgpu::RenderState;
use std::sync::{Arc, Weak};

/// Makes and keeps them.
pub(super) struct Pictures {
    state: RenderState,
    halve: [wgpu::RenderPipeline; 2],
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// What stands in for a texture that there is not: white, and a normal that leaves all as it is.
    blank: [wgpu::TextureView; 3],
    kept: Vec<Kept>,
    samplers: Vec<([u32; 2], bool, wgpu::Sampler)>,
    plain: bool,
}

struct Kept {
    of: Weak<Pictured>,
    is_color: bool,
    view: wgpu::TextureView,
}

/// Colours are stored brighter than they are; other numbers are what they are.
const FORMATS: [wgpu::TextureFormat; 2] =
    [wgpu::TextureFormat::Rgba8Unorm, wgpu::TextureFormat::Rgba8UnormSrgb];

impl Pictures {
    /// `plain`: a processor draws.
    pub fn new(state: &RenderState, plain: bool) -> Self {
        let device = &state.device;
        let shader = device.create_shader_module(wgpu::include_wgsl!("shaders/halve.wgsl"));
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("halve"),
            entries: &[
                wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::FRAGMENT,
                    ty: wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: true },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                    count: None,
                },
                wgpu::BindGroupLayoutEntry {
                    binding: 1,
                    visibility: wgpu::ShaderStages::FRAGMENT,
                    ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
                    count: None,
                },
            ],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("halve"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let halve = FORMATS.map(|format| {
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some("halve"),
                layout: Some(&pipeline_layout),
                vertex: wgpu::VertexState {
                    module: &shader,
                    entry_point: Some("whole"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader,
                    entry_point: Some("mean"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[Some(format.into())],
                }),
                multiview_mask: None,
                cache: None,
            })
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            min_filter: wgpu::FilterMode::Linear,
            mag_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let mut pictures = Self {
            halve,
            layout,
            sampler,
            blank: [(true, [255; 4]), (false, [255; 4]), (false, [128, 128, 255, 255])]
                .map(|(is_color, pixel)| one_pixel(state, is_color, pixel)),
            kept: Vec::new(),
            samplers: Vec::new(),
            plain,
            state: state.clone(),
        };
        pictures.sampler([10497; 2], false);
        pictures
    }

    /// What a mesh shows as this.
    pub fn view(&mut self, kind: MapKind, map: Option<&Map>) -> wgpu::TextureView {
        let Some(map) = map else {
            let blank = match kind {
                MapKind::Base | MapKind::Glow => 0,
                MapKind::Rough | MapKind::Open => 1,
                MapKind::Normal => 2,
            };
            return self.blank[blank].clone();
        };
        let found = self.kept.iter().find(|kept| {
            kept.is_color == kind.is_color() && std::ptr::eq(kept.of.as_ptr(), Arc::as_ptr(&map.picture))
        });
        if let Some(kept) = found {
            return kept.view.clone();
        }
        let Ok(pixels) = &map.picture.pixels else { return self.view(kind, None) };
        let most = self.state.device.limits().max_texture_dimension_2d as usize;
        let (width, height, texels) = fitting(pixels.width, pixels.height, &pixels.rgba, most);
        let view = self.upload(kind.is_color(), [width as u32, height as u32], texels.as_flattened());
        self.kept.push(Kept {
            of: Arc::downgrade(&map.picture),
            is_color: kind.is_color(),
            view: view.clone(),
        });
        view
    }

    /// How the maps of a mesh are looked up: as the first that there is.
    pub fn sampler_of(&mut self, maps: &[Option<Map>]) -> wgpu::Sampler {
        let first = maps.iter().flatten().next();
        self.sampler(first.map_or([10497; 2], |map| map.wraps), first.is_some_and(|map| map.nearest))
    }

    /// Forgets what nobody shows any more.
    pub fn tidy(&mut self) {
        self.kept.retain(|kept| kept.of.strong_count() > 0);
    }

    fn sampler(&mut self, wraps: [u32; 2], nearest: bool) -> wgpu::Sampler {
        if let Some((.., made)) = self.samplers.iter().find(|(w, n, _)| (*w, *n) == (wraps, nearest)) {
            return made.clone();
        }
        let mode = |wrap: u32| match wrap {
            33071 => wgpu::AddressMode::ClampToEdge,
            33648 => wgpu::AddressMode::MirrorRepeat,
            _ => wgpu::AddressMode::Repeat,
        };
        let flags = self.state.adapter.get_downlevel_capabilities().flags;
        let slanted = !nearest && !self.plain && flags.contains(wgpu::DownlevelFlags::ANISOTROPIC_FILTERING);
        let near = if nearest { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear };
        let made = self.state.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("maps"),
            address_mode_u: mode(wraps[0]),
            address_mode_v: mode(wraps[1]),
            mag_filter: near,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            anisotropy_clamp: if slanted { 8 } else { 1 },
            ..Default::default()
        });
        self.samplers.push((wraps, nearest, made.clone()));
        made
    }

    /// A texture and its smaller copies.
    fn upload(&self, is_color: bool, [width, height]: [u32; 2], bytes: &[u8]) -> wgpu::TextureView {
        let RenderState { device, queue, .. } = &self.state;
        let levels = 32 - width.max(height).leading_zeros();
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: levels,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMATS[usize::from(is_color)],
            usage: wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        queue.write_texture(
            texture.as_image_copy(),
            bytes,
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 4), rows_per_image: None },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        let level = |level| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level: level,
                mip_level_count: Some(1),
                ..Default::default()
            })
        };
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("smaller copies") });
        for small in 1..levels {
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("halve"),
                layout: &self.layout,
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: wgpu::BindingResource::TextureView(&level(small - 1)),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::Sampler(&self.sampler),
                    },
                ],
            });
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("halve"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &level(small),
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            pass.set_pipeline(&self.halve[usize::from(is_color)]);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
        queue.submit([encoder.finish()]);
        texture.create_view(&wgpu::TextureViewDescriptor::default())
    }
}

fn one_pixel(state: &RenderState, is_color: bool, pixel: [u8; 4]) -> wgpu::TextureView {
    use wgpu::util::DeviceExt;
    let texture = state.device.create_texture_with_data(
        &state.queue,
        &wgpu::TextureDescriptor {
            label: Some("blank"),
            size: wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMATS[usize::from(is_color)],
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        },
        wgpu::util::TextureDataOrder::LayerMajor,
        &pixel,
    );
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// Every second, third, … pixel of an image that has more of them than the GPU takes.
fn fitting(width: usize, height: usize, texels: &[[u8; 4]], most: usize) -> (usize, usize, Vec<[u8; 4]>) {
    let step = width.max(height).div_ceil(most.max(1));
    if step <= 1 {
        return (width, height, texels.to_vec());
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
        let (width, height, kept) = fitting(7, 5, &texels, 4);
        assert_eq!((width, height, kept.len()), (4, 3, 12));
        assert_eq!(kept[..5], [[0; 4], [2; 4], [4; 4], [6; 4], [14; 4]]);
        assert_eq!(fitting(7, 5, &texels, 7), (7, 5, texels.clone()));
    }
}

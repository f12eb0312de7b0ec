//! What the GPU does with each kind of thing, made once.

use super::{
    crowd, meshes,
    target::{DEPTH, FORMAT, SAMPLES},
};
use crate::lines;

/// Whether a pipeline knows what is in front.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Tested,
    Ignored,
}

/// Layouts and pipelines.
pub(super) struct Pipelines {
    pub frame_layout: wgpu::BindGroupLayout,
    pub draw_layout: wgpu::BindGroupLayout,
    pub solid: wgpu::RenderPipeline,
    pub two_sided: wgpu::RenderPipeline,
    pub shadow: wgpu::RenderPipeline,
    pub many: wgpu::RenderPipeline,
    pub many_shadows: wgpu::RenderPipeline,
    pub lines: wgpu::RenderPipeline,
    pub overlay: wgpu::RenderPipeline,
}

impl Pipelines {
    pub fn new(device: &wgpu::Device) -> Self {
        let shader = device.create_shader_module(wgpu::include_wgsl!("shader.wgsl"));
        let texture = |binding, stages, filterable| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: stages,
            ty: wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        };
        let uniform = |stages| wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: stages,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let (vertex, both) = (wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::VERTEX_FRAGMENT);
        let frame_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("frame"),
            entries: &[uniform(both), texture(1, vertex, false)],
        });
        let draw_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("draw"),
            entries: &[
                uniform(both),
                texture(1, vertex, false),
                texture(2, wgpu::ShaderStages::FRAGMENT, true),
                wgpu::BindGroupLayoutEntry {
                    binding: 3,
                    visibility: wgpu::ShaderStages::FRAGMENT,
                    ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
                    count: None,
                },
            ],
        });
        let layout = |label, groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let mesh_layout = layout("meshes", &[Some(&frame_layout), Some(&draw_layout)]);
        let line_layout = layout("lines", &[Some(&frame_layout)]);
        let pipeline = |label,
                        layout,
                        entry: [&str; 2],
                        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
                        topology,
                        cull,
                        depth: Depth| {
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(label),
                layout: Some(layout),
                vertex: wgpu::VertexState {
                    module: &shader,
                    entry_point: Some(entry[0]),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers,
                },
                primitive: wgpu::PrimitiveState { topology, cull_mode: cull, ..Default::default() },
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: DEPTH,
                    depth_write_enabled: Some(depth == Depth::Tested),
                    depth_compare: Some(if depth == Depth::Tested {
                        wgpu::CompareFunction::LessEqual
                    } else {
                        wgpu::CompareFunction::Always
                    }),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
                fragment: Some(wgpu::FragmentState {
                    module: &shader,
                    entry_point: Some(entry[1]),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[Some(wgpu::ColorTargetState {
                        format: FORMAT,
                        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                        write_mask: wgpu::ColorWrites::ALL,
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        let mesh_buffers = [Some(meshes::MOVED), Some(meshes::FIXED)];
        let crowd_buffers = [Some(meshes::MOVED), Some(meshes::FIXED), Some(crowd::INSTANCES)];
        let line_buffers = [Some(lines::LAYOUT)];
        let triangles = wgpu::PrimitiveTopology::TriangleList;
        let strokes = wgpu::PrimitiveTopology::LineList;
        let mesh = ["mesh_vertex", "mesh_fragment"];
        let shade = ["shadow_vertex", "shadow_fragment"];
        let (many, shades) = (["crowd_vertex", "mesh_fragment"], ["crowd_shadow_vertex", "shadow_fragment"]);
        let line = ["line_vertex", "line_fragment"];
        let back = Some(wgpu::Face::Back);
        Self {
            solid: pipeline("solid", &mesh_layout, mesh, &mesh_buffers, triangles, back, Depth::Tested),
            two_sided: pipeline(
                "two sides",
                &mesh_layout,
                mesh,
                &mesh_buffers,
                triangles,
                None,
                Depth::Tested,
            ),
            lines: pipeline("lines", &line_layout, line, &line_buffers, strokes, None, Depth::Tested),
            overlay: pipeline("overlay", &line_layout, line, &line_buffers, strokes, None, Depth::Ignored),
            // Drawn first: what is not floor covers it.
            shadow: pipeline("shadow", &mesh_layout, shade, &mesh_buffers, triangles, None, Depth::Ignored),
            many: pipeline("crowd", &mesh_layout, many, &crowd_buffers, triangles, back, Depth::Tested),
            many_shadows: pipeline(
                "shadows",
                &mesh_layout,
                shades,
                &crowd_buffers,
                triangles,
                None,
                Depth::Ignored,
            ),
            frame_layout,
            draw_layout,
        }
    }
}

//! What the GPU does with each kind of thing, made once.

use super::{
    layouts::{BONES, INSTANCES, JOINTS, LINES, buffers},
    light::Shadows,
    target::{DEPTH, FORMAT, SAMPLES},
};

/// Whether a pipeline knows what is in front, and whether it is in front itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Written,
    Tested,
    Ignored,
}

/// The shaders, in parts that know those before them.
const SHADERS: &str = concat!(
    include_str!("shaders/frame.wgsl"),
    include_str!("shaders/light.wgsl"),
    include_str!("shaders/mesh.wgsl"),
    include_str!("shaders/floor.wgsl"),
    include_str!("shaders/lines.wgsl"),
);

/// Layouts and pipelines.
pub(super) struct Pipelines {
    sun_layout: wgpu::BindGroupLayout,
    eye_layout: wgpu::BindGroupLayout,
    pub draw_layout: wgpu::BindGroupLayout,
    pub behind: wgpu::RenderPipeline,
    pub floor: wgpu::RenderPipeline,
    pub solid: Sides,
    pub clear: Sides,
    pub backdrop: wgpu::RenderPipeline,
    pub shadow: wgpu::RenderPipeline,
    pub wire: wgpu::RenderPipeline,
    pub normals: wgpu::RenderPipeline,
    pub crowd: Sides,
    pub crowd_shadow: wgpu::RenderPipeline,
    pub lines: wgpu::RenderPipeline,
    pub overlay: wgpu::RenderPipeline,
    pub bones: wgpu::RenderPipeline,
    pub bones_behind: wgpu::RenderPipeline,
    pub joints: wgpu::RenderPipeline,
    pub joints_behind: wgpu::RenderPipeline,
}

/// What shaders of the first group read: of what the sun sees, and of what the camera sees.
pub(super) struct Groups {
    pub sun: wgpu::BindGroup,
    pub eye: wgpu::BindGroup,
}

/// Pipelines for meshes: without textures and with them, each from the front and from both sides.
pub(super) type Sides = [[wgpu::RenderPipeline; 2]; 2];

/// How a pipeline differs from others.
struct Kind<'a> {
    name: &'static str,
    layout: &'a wgpu::PipelineLayout,
    /// Of the vertex shader, and of the fragment shader.
    entries: [&'static str; 2],
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: wgpu::PrimitiveTopology,
    /// From the front only.
    culled: bool,
    depth: Depth,
    /// What is behind is seen through it.
    is_clear: bool,
}

impl Pipelines {
    /// `plain`: a processor draws.
    pub fn new(device: &wgpu::Device, plain: bool) -> Self {
        let looks = if plain { 8 } else { 20 };
        let source = format!("{SHADERS}\nconst LOOKS: i32 = {looks};\n");
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let [sun_layout, eye_layout, draw_layout] = layouts(device);
        let layout = |label, groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let meshes = layout("meshes", &[Some(&eye_layout), Some(&draw_layout)]);
        let shadows = layout("shadows", &[Some(&sun_layout), Some(&draw_layout)]);
        let alone = layout("alone", &[Some(&eye_layout)]);
        let made = |kind: Kind<'_>| pipeline(device, &shader, &kind);
        let triangles = wgpu::PrimitiveTopology::TriangleList;

        let vertex = buffers(wgpu::VertexStepMode::Vertex);
        let vertex = vertex.each_ref().map(|buffer| Some(buffer.clone()));
        let each = buffers(wgpu::VertexStepMode::Instance);
        let each = each.each_ref().map(|buffer| Some(buffer.clone()));
        let [moved, fixed, tint] = vertex.clone();
        let many = [moved, fixed, tint, Some(INSTANCES)];

        let mesh = |name, entries, buffers, culled, depth| {
            let is_clear = depth == Depth::Tested;
            made(Kind {
                name,
                layout: &meshes,
                entries,
                buffers,
                topology: triangles,
                culled,
                depth,
                is_clear,
            })
        };
        let shadow = |name, entry, buffers| shadow_pipeline(device, &shader, name, &shadows, entry, buffers);
        let stroke = |name, entries, buffers: &[_], depth| {
            let (culled, is_clear) = (false, true);
            made(Kind {
                name,
                layout: &alone,
                entries,
                buffers,
                topology: triangles,
                culled,
                depth,
                is_clear,
            })
        };
        let sides = |name, vertex, buffers, depth| {
            ["plain_fragment", "mapped_fragment"]
                .map(|look| [true, false].map(|culled| mesh(name, [vertex, look], buffers, culled, depth)))
        };
        Self {
            behind: made(Kind {
                name: "behind",
                layout: &alone,
                entries: ["behind_vertex", "behind_fragment"],
                buffers: &[],
                topology: triangles,
                culled: false,
                depth: Depth::Ignored,
                is_clear: false,
            }),
            floor: made(Kind {
                name: "floor",
                layout: &alone,
                entries: ["floor_vertex", "floor_fragment"],
                buffers: &[],
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                culled: false,
                depth: Depth::Tested,
                is_clear: true,
            }),
            solid: sides("solid", "mesh_vertex", &vertex, Depth::Written),
            clear: sides("clear", "mesh_vertex", &vertex, Depth::Tested),
            backdrop: mesh(
                "backdrop",
                ["backdrop_vertex", "backdrop_fragment"],
                &vertex,
                false,
                Depth::Ignored,
            ),
            shadow: shadow("shadow", "shadow_vertex", &vertex),
            wire: made(Kind {
                name: "wire",
                layout: &meshes,
                entries: ["wire_vertex", "wire_fragment"],
                buffers: &vertex,
                topology: wgpu::PrimitiveTopology::LineList,
                culled: false,
                depth: Depth::Tested,
                is_clear: true,
            }),
            normals: made(Kind {
                name: "normals",
                layout: &meshes,
                entries: ["normal_vertex", "normal_fragment"],
                buffers: &each,
                topology: wgpu::PrimitiveTopology::LineList,
                culled: false,
                depth: Depth::Tested,
                is_clear: true,
            }),
            crowd: sides("crowd", "crowd_vertex", &many, Depth::Written),
            crowd_shadow: shadow("crowd shadow", "crowd_shadow_vertex", &many),
            lines: stroke("lines", ["line_vertex", "line_fragment"], &[Some(LINES)], Depth::Tested),
            overlay: stroke("overlay", ["line_vertex", "line_fragment"], &[Some(LINES)], Depth::Ignored),
            bones: stroke("bones", ["bone_vertex", "bone_fragment"], &[Some(BONES)], Depth::Written),
            bones_behind: stroke(
                "bones behind",
                ["bone_vertex", "bone_behind_fragment"],
                &[Some(BONES)],
                Depth::Ignored,
            ),
            joints: stroke("joints", ["joint_vertex", "joint_fragment"], &[Some(JOINTS)], Depth::Written),
            joints_behind: stroke(
                "joints behind",
                ["joint_vertex", "joint_behind_fragment"],
                &[Some(JOINTS)],
                Depth::Ignored,
            ),
            sun_layout,
            eye_layout,
            draw_layout,
        }
    }

    /// What is read while meshes with these matrices are drawn.
    pub fn groups(
        &self,
        device: &wgpu::Device,
        frame: &wgpu::Buffer,
        palette: &wgpu::Texture,
        shadows: &Shadows,
    ) -> Groups {
        let palette = palette.create_view(&wgpu::TextureViewDescriptor::default());
        let entries = [
            wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&palette) },
            wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::TextureView(shadows.view()) },
            wgpu::BindGroupEntry { binding: 3, resource: wgpu::BindingResource::Sampler(shadows.sampler()) },
        ];
        let group = |label, layout, entries| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries })
        };
        Groups {
            sun: group("sun", &self.sun_layout, &entries[..2]),
            eye: group("eye", &self.eye_layout, &entries),
        }
    }
}

/// Of a pass that fills the shadow map, of one that reads it, and of a mesh.
fn layouts(device: &wgpu::Device) -> [wgpu::BindGroupLayout; 3] {
    let (vertex, fragment) = (wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::FRAGMENT);
    let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let texture = |sample_type| wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let list = texture(wgpu::TextureSampleType::Float { filterable: false });
    let map = texture(wgpu::TextureSampleType::Float { filterable: true });
    let uniform = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let eye = [
        entry(0, vertex | fragment, uniform),
        entry(1, vertex, list),
        entry(2, fragment, texture(wgpu::TextureSampleType::Depth)),
        entry(3, fragment, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)),
    ];
    let mut draw = vec![entry(0, vertex | fragment, uniform), entry(1, vertex, list)];
    draw.extend((2..7).map(|binding| entry(binding, fragment, map)));
    draw.push(entry(7, fragment, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)));
    let layout = |label, entries| {
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
    };
    [layout("sun", &eye[..2]), layout("eye", &eye), layout("draw", &draw)]
}

fn pipeline(device: &wgpu::Device, shader: &wgpu::ShaderModule, kind: &Kind<'_>) -> wgpu::RenderPipeline {
    let compare = match kind.depth {
        Depth::Ignored => wgpu::CompareFunction::Always,
        _ => wgpu::CompareFunction::LessEqual,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(kind.name),
        layout: Some(kind.layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some(kind.entries[0]),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: kind.buffers,
        },
        primitive: wgpu::PrimitiveState {
            topology: kind.topology,
            cull_mode: kind.culled.then_some(wgpu::Face::Back),
            ..Default::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(kind.depth == Depth::Written),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module: shader,
            entry_point: Some(kind.entries[1]),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: FORMAT,
                blend: kind.is_clear.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Depth alone, from both sides: a sheet throws a shadow, too.
fn shadow_pipeline(
    device: &wgpu::Device,
    shader: &wgpu::ShaderModule,
    name: &str,
    layout: &wgpu::PipelineLayout,
    entry: &str,
    buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
) -> wgpu::RenderPipeline {
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(name),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers,
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState { constant: 2, slope_scale: 1.5, clamp: 0.0 },
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: None,
        multiview_mask: None,
        cache: None,
    })
}

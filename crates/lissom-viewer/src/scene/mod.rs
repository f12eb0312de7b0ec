//! The 3D picture: meshes moved on the GPU, joints as lines, a floor.

mod crowd;
mod lines;
mod meshes;
mod target;

pub(crate) use lines::{Lines, bones, grid};

use crate::{
    camera::Camera,
    compare::Comparison,
    crowd::{CrowdScene, Stage},
    document::{Document, Failure},
};
use crowd::GpuCrowd;
use egui_wgpu::RenderState;
use lissom::math::{Mat4, Vec3};
use meshes::Meshes;
use target::Target;
use web_time::Instant;
use wgpu::util::DeviceExt;

/// Texels in a row of the textures that hold lists.
const WIDTH: u32 = 1024;
/// Samples a pixel.
const SAMPLES: u32 = 4;
/// What egui shows: colours in sRGB, as they are.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Where vertices are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) enum SkinOn {
    /// In the vertex shader.
    #[default]
    Gpu,
    /// By [`lissom::job::SkinJob`].
    Cpu,
}

/// What a frame shows.
pub(crate) struct View<'a> {
    pub camera: &'a Camera,
    /// In pixels.
    pub size: [u32; 2],
    /// sRGB.
    pub background: [f64; 3],
    pub skin_on: SkinOn,
    pub meshes: bool,
    /// The floor in the shadow, in sRGB; `None` where there is no floor.
    pub shadow: Option<[f32; 3]>,
    /// Behind and before what they cross.
    pub floor: &'a Lines,
    /// Before everything.
    pub overlay: &'a Lines,
}

/// Whose meshes a frame shows.
pub(crate) enum Subject<'a> {
    /// Nobody's: lines alone.
    Lines,
    /// With what it was cooked from, if errors are to be seen; and what stands beside it, so far away.
    Document(&'a mut Document, Option<&'a Comparison>, Option<(&'a mut Document, Vec3)>),
    Crowd(&'a mut CrowdScene),
}

/// The GPU's side of what is shown.
pub(crate) struct Scene {
    state: RenderState,
    /// The view; and as it would be if what stands beside stood in the middle.
    frames: [wgpu::Buffer; 2],
    frame_layout: wgpu::BindGroupLayout,
    draw_layout: wgpu::BindGroupLayout,
    solid: wgpu::RenderPipeline,
    two_sided: wgpu::RenderPipeline,
    shadow: wgpu::RenderPipeline,
    many: wgpu::RenderPipeline,
    many_shadows: wgpu::RenderPipeline,
    lines: wgpu::RenderPipeline,
    overlay: wgpu::RenderPipeline,
    /// Of the document, and of what stands beside it.
    meshes: [Option<Meshes>; 2],
    crowd: Option<GpuCrowd>,
    target: Option<Target>,
}

/// Which of the scene's meshes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drawn {
    Lines,
    Meshes,
    Crowd,
}

/// Whether a pipeline knows what is in front.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Tested,
    Ignored,
}

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct FrameUniform {
    view_projection: [[f32; 4]; 4],
    eye: [f32; 4],
    light: [f32; 4],
    shadow: [f32; 4],
}

impl Scene {
    pub fn new(state: &RenderState) -> Self {
        let device = &state.device;
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
            frames: ["frame", "frame beside"].map(|label| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size: size_of::<FrameUniform>() as u64,
                    usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            }),
            frame_layout,
            draw_layout,
            meshes: [None, None],
            crowd: None,
            target: None,
            state: state.clone(),
        }
    }

    /// Vertices of the document that the last frame moved on the CPU.
    pub fn moved_on_cpu(&self) -> usize {
        self.meshes[0].as_ref().map_or(0, Meshes::moved_on_cpu)
    }

    /// Uploads what of a document stays the same.
    pub fn load(&mut self, document: &Document) -> Result<(), Failure> {
        self.meshes[0] = Some(Meshes::new(&self.state, &self.draw_layout, document)?);
        Ok(())
    }

    /// The same of what stands beside it, if anything does.
    pub fn load_beside(&mut self, document: Option<&Document>) -> Result<(), Failure> {
        let made = document.map(|document| Meshes::new(&self.state, &self.draw_layout, document));
        self.meshes[1] = made.transpose()?;
        Ok(())
    }

    /// Draws a frame; what egui shows as an image.
    pub fn draw(&mut self, subject: Subject<'_>, view: &View<'_>) -> Result<egui::TextureId, Failure> {
        let size = view.size.map(|side| side.clamp(1, self.state.device.limits().max_texture_dimension_2d));
        if self.target.as_ref().is_none_or(|t| t.size() != size) {
            let id = self.target.take().map(Target::into_id);
            self.target = Some(Target::new(&self.state, size, id));
        }
        let camera = view.camera;
        let light = Vec3::new(-0.6, 0.75, 0.3).normalize();
        let frame = FrameUniform {
            view_projection: camera.view_projection(size[0] as f32 / size[1] as f32).to_cols_array_2d(),
            eye: camera.eye().extend(1.0).to_array(),
            light: light.extend(0.2).to_array(),
            shadow: Vec3::from_array(view.shadow.unwrap_or_default()).extend(1.0).to_array(),
        };
        self.state.queue.write_buffer(&self.frames[0], 0, bytemuck::bytes_of(&frame));
        match subject {
            Subject::Lines => Ok(self.encode(view, Drawn::Lines)),
            Subject::Document(document, comparison, second) => {
                let [meshes, beside] = &mut self.meshes;
                if let Some(meshes) = meshes {
                    meshes.update(&self.state, document, view.skin_on, comparison)?;
                }
                if let (Some(beside), Some((second, offset))) = (beside, second) {
                    beside.update(&self.state, second, view.skin_on, None)?;
                    // The camera goes the other way: shaders know of no offset.
                    let moved =
                        Mat4::from_cols_array_2d(&frame.view_projection) * Mat4::from_translation(offset);
                    let eye = (camera.eye() - offset).extend(1.0).to_array();
                    let frame = FrameUniform { view_projection: moved.to_cols_array_2d(), eye, ..frame };
                    self.state.queue.write_buffer(&self.frames[1], 0, bytemuck::bytes_of(&frame));
                }
                Ok(self.encode(view, Drawn::Meshes))
            }
            Subject::Crowd(crowd) => {
                let started = Instant::now();
                let gpu = match &mut self.crowd {
                    Some(gpu) => gpu,
                    none => none.insert(GpuCrowd::new(&self.state, &self.draw_layout, crowd)?),
                };
                gpu.update(&self.state, crowd)?;
                crowd.took(Stage::Upload, started);
                let started = Instant::now();
                let picture = self.encode(view, Drawn::Crowd);
                crowd.took(Stage::Draw, started);
                Ok(picture)
            }
        }
    }

    /// What was drawn last.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn picture(&self) -> Result<crate::offscreen::Picture, Failure> {
        let target = self.target.as_ref().ok_or_else(|| Failure("nothing was drawn yet".into()))?;
        crate::offscreen::read_back(&self.state, target.shown())
    }

    /// The commands of a frame, handed to the GPU.
    fn encode(&self, view: &View<'_>, drawn: Drawn) -> egui::TextureId {
        let target = self.target.as_ref().expect("`draw` has made it");
        let device = &self.state.device;
        let nothing = list_texture(device, 1);
        let meshes = self
            .meshes
            .each_ref()
            .map(|meshes| meshes.as_ref().filter(|_| view.meshes && drawn == Drawn::Meshes));
        let crowd = self.crowd.as_ref().filter(|_| view.meshes && drawn == Drawn::Crowd);
        let group = |frame: &wgpu::Buffer, palette: &wgpu::Texture| {
            let palette = palette.create_view(&wgpu::TextureViewDescriptor::default());
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("frame"),
                layout: &self.frame_layout,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::TextureView(&palette),
                    },
                ],
            })
        };
        let palette = match (meshes[0], crowd) {
            (Some(meshes), _) => meshes.palette(),
            (_, Some(crowd)) => crowd.palettes(),
            _ => &nothing,
        };
        // The first is that of lines, too.
        let groups = [
            Some(group(&self.frames[0], palette)),
            meshes[1].map(|beside| group(&self.frames[1], beside.palette())),
        ];
        let draw_meshes = |pass: &mut wgpu::RenderPass<'_>, pipelines: [&wgpu::RenderPipeline; 2]| {
            for both in meshes.iter().zip(&groups).rev() {
                if let (Some(meshes), Some(group)) = both {
                    pass.set_bind_group(0, group, &[]);
                    meshes.draw(pass, pipelines);
                }
            }
            pass.set_bind_group(0, &groups[0], &[]);
        };
        let strokes = |lines: &Lines| {
            (!lines.vertices().is_empty()).then(|| {
                device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: Some("lines"),
                    contents: bytemuck::cast_slice(lines.vertices()),
                    usage: wgpu::BufferUsages::VERTEX,
                })
            })
        };
        let (floor, overlay) = (strokes(view.floor), strokes(view.overlay));
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("scene") });
        {
            let mut pass = target.begin(&mut encoder, view.background);
            pass.set_bind_group(0, &groups[0], &[]);
            if view.shadow.is_some() {
                draw_meshes(&mut pass, [&self.shadow; 2]);
                if let Some(crowd) = crowd {
                    crowd.draw(&mut pass, &self.many_shadows);
                }
            }
            if let Some(buffer) = &floor {
                pass.set_pipeline(&self.lines);
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..view.floor.vertices().len() as u32, 0..1);
            }
            draw_meshes(&mut pass, [&self.solid, &self.two_sided]);
            if let Some(crowd) = crowd {
                crowd.draw(&mut pass, &self.many);
            }
            if let Some(buffer) = &overlay {
                pass.set_pipeline(&self.overlay);
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..view.overlay.vertices().len() as u32, 0..1);
            }
        }
        self.state.queue.submit([encoder.finish()]);
        target.id()
    }
}

/// A texture with room for a list of texels of four floats.
fn list_texture(device: &wgpu::Device, texels: u32) -> wgpu::Texture {
    texture_of(device, texels, wgpu::TextureFormat::Rgba32Float)
}

fn texture_of(device: &wgpu::Device, texels: u32, format: wgpu::TextureFormat) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("list"),
        size: wgpu::Extent3d {
            width: WIDTH,
            height: texels.div_ceil(WIDTH).max(1),
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

/// Fills a list's texture; `texel` is the size of one in bytes, and `bytes` whole rows.
fn fill(queue: &wgpu::Queue, texture: &wgpu::Texture, bytes: &[u8], texel: u32) {
    let rows = bytes.len() as u32 / (WIDTH * texel);
    queue.write_texture(
        texture.as_image_copy(),
        bytes,
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(WIDTH * texel), rows_per_image: None },
        wgpu::Extent3d { width: WIDTH, height: rows, depth_or_array_layers: 1 },
    );
}

/// The rows of a matrix, as the shader reads them.
fn rows(m: &Mat4) -> [[f32; 4]; 3] {
    let c = m.to_cols_array_2d();
    [0, 1, 2].map(|r| [c[0][r], c[1][r], c[2][r], c[3][r]])
}

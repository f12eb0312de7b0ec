//! The 3D picture: meshes moved on the GPU, joints as lines, a floor.

mod crowd;
mod lists;
mod meshes;
mod pipelines;
mod target;

use crate::{
    camera::Camera,
    document::Document,
    failure::Failure,
    lines::Lines,
    picture::Picture,
    platform,
    settings::SkinOn,
    shown::{Comparison, CrowdScene, Phase},
};
use crowd::GpuCrowd;
use egui_wgpu::RenderState;
use lissom::math::{Mat4, Vec3};
use lists::list_texture;
use meshes::Meshes;
use pipelines::Pipelines;
use target::Target;
use web_time::Instant;
use wgpu::util::DeviceExt;

/// How a frame is drawn.
pub(crate) struct Look<'a> {
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
    pipelines: Pipelines,
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
        Self {
            pipelines: Pipelines::new(device),
            frames: ["frame", "frame beside"].map(|label| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size: size_of::<FrameUniform>() as u64,
                    usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            }),
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
        self.meshes[0] = Some(Meshes::new(&self.state, &self.pipelines.draw_layout, document)?);
        Ok(())
    }

    /// The same of what stands beside it, if anything does.
    pub fn load_beside(&mut self, document: Option<&Document>) -> Result<(), Failure> {
        let made = document.map(|document| Meshes::new(&self.state, &self.pipelines.draw_layout, document));
        self.meshes[1] = made.transpose()?;
        Ok(())
    }

    /// Draws a frame; what egui shows as an image.
    pub fn draw(&mut self, subject: Subject<'_>, look: &Look<'_>) -> Result<egui::TextureId, Failure> {
        let size = look.size.map(|side| side.clamp(1, self.state.device.limits().max_texture_dimension_2d));
        if self.target.as_ref().is_none_or(|t| t.size() != size) {
            let id = self.target.take().map(Target::into_id);
            self.target = Some(Target::new(&self.state, size, id));
        }
        let camera = look.camera;
        let light = Vec3::new(-0.6, 0.75, 0.3).normalize();
        let frame = FrameUniform {
            view_projection: camera.view_projection(size[0] as f32 / size[1] as f32).to_cols_array_2d(),
            eye: camera.eye().extend(1.0).to_array(),
            light: light.extend(0.2).to_array(),
            shadow: Vec3::from_array(look.shadow.unwrap_or_default()).extend(1.0).to_array(),
        };
        self.state.queue.write_buffer(&self.frames[0], 0, bytemuck::bytes_of(&frame));
        match subject {
            Subject::Lines => Ok(self.encode(look, Drawn::Lines)),
            Subject::Document(document, comparison, second) => {
                let [meshes, beside] = &mut self.meshes;
                if let Some(meshes) = meshes {
                    meshes.update(&self.state, document, look.skin_on, comparison)?;
                }
                if let (Some(beside), Some((second, offset))) = (beside, second) {
                    beside.update(&self.state, second, look.skin_on, None)?;
                    // The camera goes the other way: shaders know of no offset.
                    let moved =
                        Mat4::from_cols_array_2d(&frame.view_projection) * Mat4::from_translation(offset);
                    let eye = (camera.eye() - offset).extend(1.0).to_array();
                    let frame = FrameUniform { view_projection: moved.to_cols_array_2d(), eye, ..frame };
                    self.state.queue.write_buffer(&self.frames[1], 0, bytemuck::bytes_of(&frame));
                }
                Ok(self.encode(look, Drawn::Meshes))
            }
            Subject::Crowd(crowd) => {
                let started = Instant::now();
                let gpu = match &mut self.crowd {
                    Some(gpu) => gpu,
                    none => none.insert(GpuCrowd::new(&self.state, &self.pipelines.draw_layout, crowd)?),
                };
                gpu.update(&self.state, crowd)?;
                crowd.took(Phase::Upload, started);
                let started = Instant::now();
                let picture = self.encode(look, Drawn::Crowd);
                crowd.took(Phase::Draw, started);
                Ok(picture)
            }
        }
    }

    /// What was drawn last.
    pub fn picture(&self) -> Result<Picture, Failure> {
        let target = self.target.as_ref().ok_or_else(|| Failure("nothing was drawn yet".into()))?;
        platform::read_back(&self.state, target.shown())
    }

    /// The commands of a frame, handed to the GPU.
    fn encode(&self, look: &Look<'_>, drawn: Drawn) -> egui::TextureId {
        let target = self.target.as_ref().expect("`draw` has made it");
        let device = &self.state.device;
        let nothing = list_texture(device, 1);
        let meshes = self
            .meshes
            .each_ref()
            .map(|meshes| meshes.as_ref().filter(|_| look.meshes && drawn == Drawn::Meshes));
        let crowd = self.crowd.as_ref().filter(|_| look.meshes && drawn == Drawn::Crowd);
        let group = |frame: &wgpu::Buffer, palette: &wgpu::Texture| {
            let palette = palette.create_view(&wgpu::TextureViewDescriptor::default());
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("frame"),
                layout: &self.pipelines.frame_layout,
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
        let (floor, overlay) = (strokes(look.floor), strokes(look.overlay));
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("scene") });
        {
            let mut pass = target.begin(&mut encoder, look.background);
            pass.set_bind_group(0, &groups[0], &[]);
            if look.shadow.is_some() {
                draw_meshes(&mut pass, [&self.pipelines.shadow; 2]);
                if let Some(crowd) = crowd {
                    crowd.draw(&mut pass, &self.pipelines.many_shadows);
                }
            }
            if let Some(buffer) = &floor {
                pass.set_pipeline(&self.pipelines.lines);
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..look.floor.vertices().len() as u32, 0..1);
            }
            draw_meshes(&mut pass, [&self.pipelines.solid, &self.pipelines.two_sided]);
            if let Some(crowd) = crowd {
                crowd.draw(&mut pass, &self.pipelines.many);
            }
            if let Some(buffer) = &overlay {
                pass.set_pipeline(&self.pipelines.overlay);
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..look.overlay.vertices().len() as u32, 0..1);
            }
        }
        self.state.queue.submit([encoder.finish()]);
        target.id()
    }
}

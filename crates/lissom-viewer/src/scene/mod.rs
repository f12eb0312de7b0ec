//! The 3D picture: meshes that joints move on the GPU, light, a floor, bones and lines.
//!
//! ```text
//!  what the sun sees ▶ depth ┐
//!  what is behind ▶ backdrops ▶ floor ▶ meshes ▶ see-through meshes ▶ bones ▶ lines ▶ 4 samples a pixel ▶ picture
//! ```

mod crowd;
mod frame;
mod layouts;
mod light;
mod lists;
mod meshes;
mod pictures;
mod pipelines;
mod strokes;
mod target;

pub(crate) use frame::Look;

use crate::{
    document::Document,
    failure::Failure,
    lines::Stand,
    picture::Picture,
    platform::read_back,
    shown::{Comparison, CrowdScene, Phase},
};
use crowd::GpuCrowd;
use egui_wgpu::RenderState;
use light::{FrameUniform, Shadows};
use lists::list_texture;
use meshes::Meshes;
use pictures::Pictures;
use pipelines::Pipelines;
use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
};
use strokes::Strokes;
use target::Target;
use web_time::Instant;

/// Whose meshes a frame shows.
pub(crate) enum Subject<'a> {
    /// Nobody's: lines alone.
    Lines,
    /// With what it was cooked from, if errors are to be seen; and what stands beside it.
    Document(&'a mut Document, Option<&'a Comparison>, Option<(&'a mut Document, Stand)>),
    Crowd(&'a mut CrowdScene),
}

/// The GPU's side of what is shown.
pub(crate) struct Scene {
    state: RenderState,
    frame: wgpu::Buffer,
    pipelines: Pipelines,
    shadows: Shadows,
    pictures: Pictures,
    /// Of the document, and of what stands beside it.
    meshes: [Option<Meshes>; 2],
    crowd: Option<GpuCrowd>,
    strokes: Strokes,
    target: Target,
    /// As egui knows it.
    id: egui::TextureId,
    /// What was drawn last.
    drawn: Option<u64>,
    /// How often something was loaded.
    loaded: u64,
    /// True if frames wait until somebody looks.
    waits: bool,
    /// The frame that waits.
    waiting: Option<wgpu::CommandBuffer>,
}

/// Which of the scene's meshes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drawn {
    Lines,
    Meshes,
    Crowd,
}

impl Scene {
    pub fn new(state: &RenderState) -> Self {
        let device = &state.device;
        // Where a processor draws, every look at the light is felt.
        let plain = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let pipelines = Pipelines::new(device, plain);
        let target = Target::new(device, [1, 1]);
        Self {
            shadows: Shadows::new(device, plain),
            pictures: Pictures::new(state, plain),
            strokes: Strokes::default(),
            frame: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("frame"),
                size: size_of::<FrameUniform>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            pipelines,
            meshes: [None, None],
            crowd: None,
            id: target.show(state, None),
            target,
            drawn: None,
            loaded: 0,
            waits: false,
            waiting: None,
            state: state.clone(),
        }
    }

    /// What egui shows.
    pub fn id(&self) -> egui::TextureId {
        self.id
    }

    /// Vertices of the document that the last frame moved on the CPU.
    pub fn moved_on_cpu(&self) -> usize {
        self.meshes[0].as_ref().map_or(0, Meshes::moved_on_cpu)
    }

    /// Uploads what of a document stays the same.
    pub fn load(&mut self, document: &Document) -> Result<(), Failure> {
        self.meshes[0] = Some(self.made(document)?);
        Ok(())
    }

    /// The same of what stands beside it, if anything does.
    pub fn load_beside(&mut self, document: Option<&Document>) -> Result<(), Failure> {
        self.loaded += 1;
        self.meshes[1] = document.map(|document| self.made(document)).transpose()?;
        Ok(())
    }

    fn made(&mut self, document: &Document) -> Result<Meshes, Failure> {
        self.loaded += 1;
        let made = Meshes::new(&self.state, &self.pipelines.draw_layout, &mut self.pictures, document);
        self.pictures.tidy();
        made
    }

    /// Draws a frame into what egui shows, if it is another one than the last.
    pub fn draw(&mut self, subject: Subject<'_>, look: &Look<'_>) -> Result<(), Failure> {
        let most = self.state.device.limits().max_texture_dimension_2d;
        let size = look.size.map(|side| side.clamp(1, most));
        if self.target.size() != size {
            self.target = Target::new(&self.state.device, size);
            self.target.show(&self.state, Some(self.id));
            self.drawn = None;
        }
        let key = self.key(&subject, look);
        if self.drawn == Some(key) {
            return Ok(());
        }
        self.drawn = None;
        self.waiting = None;
        self.draw_anew(subject, look)?;
        self.drawn = Some(key);
        Ok(())
    }

    /// A number that is another one whenever the picture is.
    fn key(&self, subject: &Subject<'_>, look: &Look<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytemuck::bytes_of(&FrameUniform::new(look, self.target.size(), &self.shadows)));
        let Look { floor, skin_on, meshes, wire, normals, weights_of, vivid, hidden, .. } = look;
        (floor, skin_on, meshes, wire, normals, self.loaded).hash(&mut hasher);
        (weights_of, vivid, hidden).hash(&mut hasher);
        for lines in [look.lines, look.overlay] {
            hasher.write(bytemuck::cast_slice(lines.all()));
            hasher.write_usize(lines.all().len());
        }
        hasher.write(bytemuck::cast_slice(look.bones.bones()));
        hasher.write(bytemuck::cast_slice(look.bones.joints()));
        let mut add = |document: &Document| {
            let body = document.body();
            body.models().iter().for_each(|m| hasher.write(bytemuck::cast_slice(&m.to_cols_array())));
            body.morphs().for_each(|weights| hasher.write(bytemuck::cast_slice(weights)));
        };
        match subject {
            Subject::Lines => {}
            Subject::Document(document, comparison, second) => {
                add(document);
                if let Some((second, stand)) = second {
                    add(second);
                    hasher.write(bytemuck::cast_slice(&stand.offset.extend(stand.scale).to_array()));
                }
                if let Some(comparison) = comparison {
                    let Comparison { colors, larger, .. } = comparison;
                    (colors, larger.to_bits()).hash(&mut hasher);
                    comparison
                        .models()
                        .iter()
                        .for_each(|m| hasher.write(bytemuck::cast_slice(&m.to_cols_array())));
                }
            }
            Subject::Crowd(crowd) => crowd.steps().hash(&mut hasher),
        }
        hasher.finish()
    }

    /// From now on frames are made, but drawn only by [`Scene::draw_now`].
    pub fn draw_later(&mut self) {
        self.waits = true;
    }

    /// Draws the frame that waits, if one does.
    pub fn draw_now(&mut self) {
        self.state.queue.submit(self.waiting.take());
    }

    /// What was drawn last.
    pub fn picture(&mut self) -> Result<Picture, Failure> {
        self.draw_now();
        read_back(&self.state, self.target.shown())
    }

    fn draw_anew(&mut self, subject: Subject<'_>, look: &Look<'_>) -> Result<(), Failure> {
        let frame = FrameUniform::new(look, self.target.size(), &self.shadows);
        self.state.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        self.strokes.update(&self.state, look);
        let drawn = match subject {
            Subject::Lines => Drawn::Lines,
            Subject::Document(document, comparison, second) => {
                let [meshes, beside] = &mut self.meshes;
                if let Some(meshes) = meshes {
                    meshes.update(&self.state, document, look, Stand::default(), comparison)?;
                }
                if let (Some(beside), Some((second, stand))) = (beside, second) {
                    // What is chosen is of the first.
                    let own = Look { weights_of: None, vivid: None, hidden: &BTreeSet::new(), ..*look };
                    beside.update(&self.state, second, &own, stand, None)?;
                }
                Drawn::Meshes
            }
            Subject::Crowd(crowd) => {
                let started = Instant::now();
                let gpu = match &mut self.crowd {
                    Some(gpu) => gpu,
                    none => {
                        let layout = &self.pipelines.draw_layout;
                        none.insert(GpuCrowd::new(&self.state, layout, &mut self.pictures, crowd)?)
                    }
                };
                gpu.update(&self.state, crowd)?;
                crowd.took(Phase::Upload, started);
                let started = Instant::now();
                self.encode(look, Drawn::Crowd);
                crowd.took(Phase::Draw, started);
                return Ok(());
            }
        };
        self.encode(look, drawn);
        Ok(())
    }

    /// The commands of a frame, handed to the GPU, or kept until somebody looks.
    fn encode(&mut self, look: &Look<'_>, drawn: Drawn) {
        let device = &self.state.device;
        let nothing = list_texture(device, 1);
        let meshes = self.meshes.each_ref().map(|meshes| {
            let meshes = meshes.as_ref().filter(|_| look.meshes && drawn == Drawn::Meshes);
            meshes.map(|meshes| {
                (meshes, self.pipelines.groups(device, &self.frame, meshes.palette(), &self.shadows))
            })
        });
        let crowd = self.crowd.as_ref().filter(|_| look.meshes && drawn == Drawn::Crowd);
        let crowd = crowd.map(|crowd| {
            (crowd, self.pipelines.groups(device, &self.frame, crowd.palettes(), &self.shadows))
        });
        let nobody = self.pipelines.groups(device, &self.frame, &nothing, &self.shadows);
        let p = &self.pipelines;
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("scene") });
        {
            let mut pass = self.shadows.begin(&mut encoder);
            for (meshes, groups) in meshes.iter().flatten() {
                pass.set_bind_group(0, &groups.sun, &[]);
                meshes.draw_shadows(&mut pass, &p.shadow);
            }
            if let Some((crowd, groups)) = &crowd {
                pass.set_bind_group(0, &groups.sun, &[]);
                crowd.draw_shadows(&mut pass, &p.crowd_shadow);
            }
        }
        {
            let mut pass = self.target.begin(&mut encoder);
            pass.set_bind_group(0, &nobody.eye, &[]);
            pass.set_pipeline(&p.behind);
            pass.draw(0..3, 0..1);
            for (meshes, groups) in meshes.iter().flatten() {
                pass.set_bind_group(0, &groups.eye, &[]);
                meshes.draw_backdrops(&mut pass, &p.backdrop);
            }
            pass.set_bind_group(0, &nobody.eye, &[]);
            if look.floor {
                pass.set_pipeline(&p.floor);
                pass.draw(0..4, 0..1);
            }
            for (meshes, groups) in meshes.iter().flatten() {
                pass.set_bind_group(0, &groups.eye, &[]);
                meshes.draw_solid(&mut pass, &p.solid);
            }
            if let Some((crowd, groups)) = &crowd {
                pass.set_bind_group(0, &groups.eye, &[]);
                crowd.draw(&mut pass, &p.crowd);
            }
            for (meshes, groups) in meshes.iter().flatten() {
                pass.set_bind_group(0, &groups.eye, &[]);
                meshes.draw_clear(&mut pass, &p.clear, look.camera.eye());
                if look.wire {
                    meshes.draw_wire(&mut pass, &p.wire);
                }
                if look.normals {
                    meshes.draw_normals(&mut pass, &p.normals);
                }
            }
            pass.set_bind_group(0, &nobody.eye, &[]);
            self.strokes.draw(&mut pass, p);
        }
        self.waiting = Some(encoder.finish());
        if !self.waits {
            self.draw_now();
        }
    }
}

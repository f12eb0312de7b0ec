//! The viewer without a window: pictures of it, and what a frame costs.

use super::window::NO_DEVICE;
use crate::{
    document::Document,
    failure::Failure,
    loading::Loading,
    look::dress,
    picture::Picture,
    platform::{lost, read_back},
    settings::{CompareSettings, Drives, Panel, Shows},
    source::Source,
    viewer::Viewer,
};
use egui_wgpu::{
    RenderState, RendererOptions, ScreenDescriptor, WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew,
};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// What a picture shows.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The files; none: the mannequin.
    pub files: Vec<PathBuf>,
    /// The files of what stands beside; none: nothing does.
    pub beside: Vec<PathBuf>,
    /// The clip; `None`: the first.
    pub clip: Option<String>,
    /// The time in it.
    pub time_s: f64,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Dark on light.
    pub light: bool,
    /// Panels that are opened; the last is before the others.
    pub panels: Vec<Panel>,
    /// The joint that is chosen.
    pub joint: Option<String>,
    /// Characters of the crowd panel.
    pub crowd: Option<usize>,
    /// Threads that move them.
    pub threads: Option<usize>,
    /// Errors as colours and as two skeletons, this many times larger.
    pub errors: Option<f32>,
}

/// A graphics device without a window.
///
/// # Errors
///
/// If there is none.
pub fn device() -> Result<RenderState, Failure> {
    let setup = WgpuSetup::CreateNew(WgpuSetupCreateNew::without_display_handle());
    let instance = pollster::block_on(setup.new_instance());
    let config = WgpuConfiguration { wgpu_setup: setup, ..Default::default() };
    let state = RenderState::create(&config, &instance, None, RendererOptions::PREDICTABLE);
    pollster::block_on(state).map_err(|e| Failure(format!("there is no graphics device ({e}); {NO_DEVICE}")))
}

/// The files, or the mannequin if there are none.
///
/// # Errors
///
/// As [`Document::open`].
pub fn document(files: &[PathBuf]) -> Result<Document, Failure> {
    if files.is_empty() {
        return Document::mannequin();
    }
    Loading::start(files.iter().cloned().map(Source::File).collect(), || {}).wait()
}

/// Draws a picture of the viewer, panels and all.
///
/// # Errors
///
/// What is wrong with the files, with the clip, or with the graphics device.
pub fn screenshot(shot: &Shot) -> Result<Picture, Failure> {
    let mut offscreen = Offscreen::of(shot)?;
    go_to(&mut offscreen.viewer, shot.time_s);
    offscreen.picture()
}

/// Goes to a time and pauses: of the clip that plays, or since the start of whatever else decides.
fn go_to(viewer: &mut Viewer, time_s: f64) {
    viewer.scrub(time_s);
    let Viewer { open, stage, ui, settings, .. } = viewer;
    if settings.shows != Shows::Document || settings.drives != Drives::Clip {
        let steps = (time_s * 60.0) as u32;
        let done = (0..steps).try_for_each(|_| stage.advance(1.0 / 60.0, open, settings));
        ui.tell(done);
        // At rest there would be nothing to see of what they do.
        open.playing = settings.shows != Shows::Document;
    }
}

/// What a frame costs on the CPU.
#[derive(Clone, Copy, Debug)]
pub struct FrameCost {
    /// Of half of the frames, no more than this.
    pub median: Duration,
    /// Of any.
    pub worst: Duration,
}

/// Plays a number of frames (at least 1) and measures each from its update until it is handed to the graphics device, which is
/// then waited for: its own time does not count.
///
/// # Errors
///
/// As [`screenshot`].
pub fn bench(shot: &Shot, frames: usize) -> Result<FrameCost, Failure> {
    let mut offscreen = Offscreen::of(shot)?;
    // Until panels have found their sizes, and buffers theirs.
    for _ in 0..10 {
        offscreen.frame()?;
    }
    let mut times = Vec::new();
    for _ in 0..frames.max(1) {
        times.push(offscreen.frame()?);
    }
    times.sort();
    Ok(FrameCost { median: times[times.len() / 2], worst: times[times.len() - 1] })
}

/// A viewer that nobody sees.
pub struct Offscreen {
    state: RenderState,
    ctx: egui::Context,
    /// The viewer.
    pub viewer: Viewer,
    size: (u32, u32),
    shown: wgpu::Texture,
    frames: u32,
}

impl Offscreen {
    /// An empty one, of this size in pixels.
    ///
    /// # Errors
    ///
    /// If there is no graphics device.
    pub fn new(size: (u32, u32), light: bool) -> Result<Self, Failure> {
        let state = device()?;
        let ctx = egui::Context::default();
        dress(&ctx);
        ctx.set_theme(if light { egui::Theme::Light } else { egui::Theme::Dark });
        let shown = state.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("screenshot"),
            size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: state.target_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let viewer = Viewer::new(&state);
        Ok(Self { state, ctx, viewer, size, shown, frames: 0 })
    }

    fn of(shot: &Shot) -> Result<Self, Failure> {
        let mut offscreen = Self::new(shot.size, shot.light)?;
        let viewer = &mut offscreen.viewer;
        viewer.open.wanted_clip = shot.clip.clone();
        viewer.show(document(&shot.files));
        if let Some(failure) = viewer.failure() {
            return Err(failure.clone());
        }
        if !shot.beside.is_empty() {
            viewer.show_beside(document(&shot.beside));
        }
        let crowd = &mut viewer.settings.crowd;
        crowd.count = shot.crowd.unwrap_or(crowd.count);
        crowd.threads = shot.threads.unwrap_or(crowd.threads);
        if let Some(larger) = shot.errors {
            viewer.settings.compare = CompareSettings { colors: true, bones: true, larger };
        }
        for panel in &shot.panels {
            viewer.open_panel(*panel);
        }
        if let Some(joint) = &shot.joint {
            viewer.choose(joint);
        }
        Ok(offscreen)
    }

    /// The next frame, a sixtieth of a second later; how long it took on the CPU.
    ///
    /// # Errors
    ///
    /// What went wrong in it.
    pub fn frame(&mut self) -> Result<Duration, Failure> {
        let size = egui::vec2(self.size.0 as f32, self.size.1 as f32);
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size)),
            time: Some(f64::from(self.frames) / 60.0),
            ..Default::default()
        };
        self.frames += 1;
        let start = Instant::now();
        let output = self.ctx.run_ui(input, |ui| self.viewer.ui(ui));
        let commands = paint(&self.state, &self.ctx, output, &self.shown);
        // A software device draws what came before while it is handed more: that is its time, not ours.
        let took = start.elapsed();
        self.state.queue.submit(commands);
        self.state.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| lost(&e))?;
        match self.viewer.failure() {
            Some(failure) => Err(failure.clone()),
            None => Ok(took),
        }
    }

    /// What is seen.
    ///
    /// # Errors
    ///
    /// What went wrong, and what the viewer was told that it could not show.
    pub fn picture(&mut self) -> Result<Picture, Failure> {
        // Panels need a frame to find their sizes.
        for _ in 0..3 {
            self.frame()?;
        }
        read_back(&self.state, &self.shown)
    }
}

fn apply(state: &RenderState, mut delta: egui::TexturesDelta) {
    let mut renderer = state.renderer.write();
    for (id, images) in delta.set.drain() {
        for image in images {
            renderer.update_texture(&state.device, &state.queue, id, &image);
        }
    }
    for id in delta.free.drain() {
        renderer.free_texture(&id);
    }
}

/// The commands that draw what egui made into a texture.
fn paint(
    state: &RenderState,
    ctx: &egui::Context,
    output: egui::FullOutput,
    to: &wgpu::Texture,
) -> Vec<wgpu::CommandBuffer> {
    let screen = ScreenDescriptor { size_in_pixels: [to.width(), to.height()], pixels_per_point: 1.0 };
    let meshes = ctx.tessellate(output.shapes, 1.0);
    apply(state, output.textures_delta);
    let device = &state.device;
    let mut encoder =
        device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("screenshot") });
    let view = to.create_view(&wgpu::TextureViewDescriptor::default());
    let mut renderer = state.renderer.write();
    let commands = renderer.update_buffers(device, &state.queue, &mut encoder, &meshes, &screen);
    {
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("screenshot"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        renderer.render(&mut pass.forget_lifetime(), &meshes, &screen);
    }
    commands.into_iter().chain([encoder.finish()]).collect()
}

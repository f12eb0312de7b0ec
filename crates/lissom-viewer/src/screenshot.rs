//! A picture of the viewer without a window.

use crate::{
    document::{Document, Failure, Loading},
    viewer::Viewer,
    window::NO_DEVICE,
};
use egui_wgpu::{
    RenderState, RendererOptions, ScreenDescriptor, WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew,
};
use std::path::{Path, PathBuf};

/// What a picture shows.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The files; none: the mannequin.
    pub files: Vec<PathBuf>,
    /// The clip; `None`: the first.
    pub clip: Option<String>,
    /// The time in it.
    pub time_s: f64,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Dark on light.
    pub light: bool,
}

/// A picture in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Red, green, blue, alpha; row by row from the top.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Writes a PNG file.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let named = |e: &dyn core::fmt::Display| Failure(format!("{}: {e}", path.display()));
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size.0, self.size.1);
        encoder.set_color(png::ColorType::Rgba);
        let done = encoder.write_header().and_then(|mut w| w.write_image_data(&self.pixels));
        done.map_err(|e| named(&e))?;
        std::fs::write(path, bytes).map_err(|e| named(&e))
    }
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

/// Draws a picture of the viewer, panels and all.
///
/// # Errors
///
/// What is wrong with the files, with the clip, or with the graphics device.
pub fn screenshot(shot: &Shot) -> Result<Picture, Failure> {
    let state = device()?;
    let mut viewer = Viewer::new(&state);
    let document = if shot.files.is_empty() {
        Document::mannequin()
    } else {
        Loading::start(shot.files.clone(), || {}).wait()
    };
    viewer.show(document);
    if let Some(clip) = &shot.clip {
        viewer.play(clip);
    }
    viewer.scrub(shot.time_s);
    if let Some(failure) = viewer.failure() {
        return Err(failure.clone());
    }
    let ctx = egui::Context::default();
    ctx.set_theme(if shot.light { egui::Theme::Light } else { egui::Theme::Dark });
    let (width, height) = shot.size;
    let input = || egui::RawInput {
        screen_rect: Some(egui::Rect::from_min_size(
            egui::Pos2::ZERO,
            egui::vec2(width as f32, height as f32),
        )),
        ..Default::default()
    };
    // Panels need a frame to find their sizes.
    let mut output = ctx.run_ui(input(), |ui| viewer.ui(ui));
    for _ in 0..2 {
        let next = ctx.run_ui(input(), |ui| viewer.ui(ui));
        let before = std::mem::replace(&mut output, next);
        apply(&state, before.textures_delta);
    }
    if let Some(failure) = viewer.failure() {
        return Err(failure.clone());
    }
    paint(&state, &ctx, output, shot.size)
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

/// What egui made, as pixels.
fn paint(
    state: &RenderState,
    ctx: &egui::Context,
    output: egui::FullOutput,
    size: (u32, u32),
) -> Result<Picture, Failure> {
    let screen = ScreenDescriptor { size_in_pixels: [size.0, size.1], pixels_per_point: 1.0 };
    let meshes = ctx.tessellate(output.shapes, 1.0);
    apply(state, output.textures_delta);
    let device = &state.device;
    let mut encoder =
        device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("screenshot") });
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("screenshot"),
        size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: state.target_format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
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
    // Rows are copied at multiples of 256 bytes.
    let stride = (size.0 * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("screenshot"),
        size: u64::from(stride) * u64::from(size.1),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        texture.size(),
    );
    state.queue.submit(commands.into_iter().chain([encoder.finish()]));
    let (send, mapped) = std::sync::mpsc::channel();
    // The receiver is below: it is there.
    buffer.slice(..).map_async(wgpu::MapMode::Read, move |done| drop(send.send(done)));
    let lost = |e: &dyn core::fmt::Display| Failure(format!("the graphics device was lost: {e}"));
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| lost(&e))?;
    mapped.recv().map_err(|e| lost(&e))?.map_err(|e| lost(&e))?;
    let data = buffer.slice(..).get_mapped_range().map_err(|e| lost(&e))?;
    let rows = data.chunks_exact(stride as usize);
    let mut pixels: Vec<u8> = rows.flat_map(|row| row[..size.0 as usize * 4].iter().copied()).collect();
    let bgra = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Bgra8UnormSrgb];
    if bgra.contains(&state.target_format) {
        pixels.chunks_exact_mut(4).for_each(|p| p.swap(0, 2));
    }
    Ok(Picture { size, pixels })
}

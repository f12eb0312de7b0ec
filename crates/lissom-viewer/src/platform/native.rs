//! The desktop: files, threads, a device that can be waited for.

use crate::{failure::Failure, picture::Picture, source::Source};
use egui_wgpu::RenderState;
use lissom_build::export::write_whole;
use lissom_motion::crowd::{Crowd, CrowdError, PalettesMut, Rayon, Serial};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// What can be opened.
pub(crate) const READS: &str = ".lsm, .glb, .gltf, .vrm, .bvh, .ozz, .fbx";

/// There are folders to open files from and to write files into.
pub(crate) const HAS_FOLDERS: bool = true;

/// All cores.
pub(crate) fn executor(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..tasks).into_par_iter().for_each(task);
}

/// Threads that a crowd may have.
pub(crate) fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Files that are to be opened.
pub(crate) struct Asked {
    pub name: String,
    sources: Vec<Source>,
}

impl Asked {
    /// Files whose names are known; none: the mannequin.
    pub fn of(sources: Vec<Source>) -> Self {
        Self { name: sources.first().map_or_else(|| "mannequin".into(), Source::title), sources }
    }

    /// Files that were dropped onto the window.
    pub fn dropped(files: Vec<egui::DroppedFileHandle>) -> Self {
        Self::of(files.iter().map(|file| Source::File(file.path().to_path_buf())).collect())
    }

    /// A graph's description, if that is all that was asked for.
    pub fn graph(&self) -> Option<&Source> {
        match &self.sources[..] {
            [graph] if graph.is_graph() => Some(graph),
            _ => None,
        }
    }

    /// The files on the disk among them.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.sources.iter().filter_map(Source::file).map(Path::to_path_buf).collect()
    }

    /// Gets the files and works on them, on a thread of its own.
    pub fn then(
        self,
        _: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(Result<Vec<Source>, Failure>) + Send + 'static,
    ) {
        std::thread::spawn(move || work(Ok(self.sources)));
    }
}

/// Threads for a crowd.
#[derive(Default)]
pub(crate) struct Pool(Option<rayon::ThreadPool>);

impl Pool {
    /// Moves a crowd on as many threads as asked for.
    pub fn update(
        &mut self,
        crowd: &mut Crowd,
        dt_s: f64,
        threads: usize,
        palettes: PalettesMut<'_>,
    ) -> Result<(), CrowdError> {
        let kept = self.0.take().filter(|pool| pool.current_num_threads() == threads);
        let pool = match kept {
            _ if threads <= 1 => None,
            Some(pool) => Some(pool),
            // Without threads it goes on, more slowly.
            None => rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok(),
        };
        let Some(pool) = pool else { return crowd.update_into(dt_s, &Serial, palettes) };
        let done = pool.install(|| crowd.update_into(dt_s, &Rayon, palettes));
        self.0 = Some(pool);
        done
    }
}

/// A path that is not taken: `hero walk.png`, `hero walk 2.png`, …
pub(crate) fn new_path(folder: &Path, stem: &str, extension: &str) -> PathBuf {
    let stem = stem.trim().replace(['/', '\\', ':'], "_");
    let path = |n: usize| match n {
        1 => folder.join(format!("{stem}.{extension}")),
        n => folder.join(format!("{stem} {n}.{extension}")),
    };
    (1..).map(path).find(|path| !path.exists()).unwrap_or_else(|| path(0))
}

/// Writes a file, whole or not at all; where it can be read again.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<Option<Source>, Failure> {
    write_whole(path, bytes).map_err(|e| Failure(format!("{}: {e}", path.display())))?;
    Ok(Some(Source::File(path.into())))
}

/// A texture's pixels.
pub(crate) fn read_back(state: &RenderState, texture: &wgpu::Texture) -> Result<Picture, Failure> {
    let device = &state.device;
    let size = (texture.width(), texture.height());
    // Rows are copied at multiples of 256 bytes.
    let stride = (size.0 * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("screenshot"),
        size: u64::from(stride) * u64::from(size.1),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
    let mut encoder =
        device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("screenshot") });
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        texture.size(),
    );
    state.queue.submit([encoder.finish()]);
    let (send, mapped) = std::sync::mpsc::channel();
    // The receiver is below: it is there.
    buffer.slice(..).map_async(wgpu::MapMode::Read, move |done| drop(send.send(done)));
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| lost(&e))?;
    mapped.recv().map_err(|e| lost(&e))?.map_err(|e| lost(&e))?;
    let data = buffer.slice(..).get_mapped_range().map_err(|e| lost(&e))?;
    let rows = data.chunks_exact(stride as usize);
    let mut pixels: Vec<u8> = rows.flat_map(|row| row[..size.0 as usize * 4].iter().copied()).collect();
    let bgra = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Bgra8UnormSrgb];
    if bgra.contains(&texture.format()) {
        pixels.chunks_exact_mut(4).for_each(|p| p.swap(0, 2));
    }
    Ok(Picture { size, pixels })
}

/// What is told when the device is gone.
pub(crate) fn lost(e: &dyn core::fmt::Display) -> Failure {
    Failure(format!("the graphics device was lost: {e}"))
}

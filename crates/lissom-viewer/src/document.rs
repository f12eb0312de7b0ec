//! What is shown, and how it is opened.

use lissom::{
    archive::{AlphaMode, Archive, ArchiveError, ArchiveView, Limits, SectionKind},
    math::Vec3,
    player::{PlayError, Player},
};
use lissom_build::{
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort},
    mannequin::{self, Detail, Motion},
    pipeline::{self, Input, Progress, Recipe, Step},
};
use lissom_draw::Texture;
use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, TryRecvError, channel},
    },
};

/// Why something could not be shown, in words for the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub(crate) String);

impl core::fmt::Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Failure {}

impl From<ArchiveError> for Failure {
    fn from(e: ArchiveError) -> Self {
        Self(e.to_string())
    }
}

impl From<PlayError> for Failure {
    fn from(e: PlayError) -> Self {
        Self(e.to_string())
    }
}

/// A character and its motions.
pub struct Document {
    /// The file's name, or what was made.
    pub(crate) name: String,
    /// Size of the archive.
    pub(crate) bytes: usize,
    pub(crate) archive: Archive,
    pub(crate) player: Player,
    pub(crate) clips: Vec<ClipEntry>,
    /// One a mesh of the player, in its order.
    pub(crate) surfaces: Vec<Surface>,
    /// What was odd about the file.
    pub(crate) notes: Vec<String>,
    /// A ball that holds what moves.
    pub(crate) centre: Vec3,
    pub(crate) radius: f32,
}

/// A clip of the list.
pub(crate) struct ClipEntry {
    pub name: String,
    pub duration_s: f64,
    pub looping: bool,
    pub bytes: usize,
    /// Name and time of its markers.
    pub markers: Vec<(String, f64)>,
}

/// How a mesh looks.
pub(crate) struct Surface {
    pub mesh: String,
    /// Linear.
    pub color: [f32; 4],
    pub texture: Option<Texture>,
    pub uv_set: usize,
    pub double_sided: bool,
    /// Below this alpha nothing is drawn.
    pub cutoff: f32,
}

impl Document {
    /// The mannequin and its motions, made in code.
    ///
    /// # Errors
    ///
    /// None, but for a mannequin that is broken.
    pub fn mannequin() -> Result<Self, Failure> {
        let make = || -> Result<Vec<u8>, Box<dyn core::error::Error>> {
            let built = lissom_build::SkeletonBuilder::build(&mannequin::skeleton())?;
            let mesh = mannequin::mesh(&Detail::default())?;
            let mut writer =
                ArchiveWriter::new().skeleton("mannequin", &built.skeleton)?.mesh(&mesh, &built)?;
            for motion in [Motion::Walk, Motion::Idle, Motion::Run, Motion::Wave] {
                let clip = mannequin::clip(motion);
                let cooked =
                    ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() }.build(&built, &clip)?;
                writer = writer.clip(u16::from(cooked.bytes[4]), &clip.name, cooked.bytes)?;
            }
            Ok(writer.finish()?)
        };
        let bytes = make().map_err(|e| Failure(format!("the mannequin: {e}")))?;
        Self::of_archive("mannequin".into(), bytes, Vec::new())
    }

    /// Opens files: one archive, or whatever the pipeline reads, cooked together. `watch` hears how far it is and can
    /// end it.
    ///
    /// # Errors
    ///
    /// What is wrong with the first file that cannot be read, with its name.
    pub fn open(
        paths: &[PathBuf],
        watch: &mut (dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Self, Failure> {
        let inputs: Vec<Input<'_>> = paths.iter().map(Input::file).collect();
        if let [path] = paths
            && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lsm"))
        {
            let named = |e: &dyn core::fmt::Display| Failure(format!("{}: {e}", path.display()));
            let bytes = std::fs::read(path).map_err(|e| named(&e))?;
            return Self::of_archive(title(path), bytes, Vec::new()).map_err(|e| named(&e));
        }
        Self::cook(&inputs, watch)
    }

    /// As [`open`](Self::open), for a file that is in memory: dropped onto a page.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn read(
        name: &str,
        bytes: &[u8],
        watch: &mut (dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Self, Failure> {
        if Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("lsm")) {
            let named = |e: Failure| Failure(format!("{name}: {e}"));
            return Self::of_archive(name.into(), bytes.to_vec(), Vec::new()).map_err(named);
        }
        Self::cook(&[Input::bytes(name, bytes)], watch)
    }

    fn cook(
        inputs: &[Input<'_>],
        watch: &mut (dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Self, Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(e.to_string());
        // What is opened to be looked at should be there soon.
        let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
        let options = pipeline::Options { cook, ..pipeline::Options::default() };
        let recipe = Recipe::new(options).map_err(|e| wrong(&e))?;
        let cooked = recipe.cook(inputs, &pipeline::serial, watch).map_err(|e| wrong(&e))?;
        let mut notes = Vec::new();
        let mut first_error = None;
        for input in &cooked.inputs {
            match input {
                Ok(report) => notes.extend(report.warnings.iter().map(ToString::to_string)),
                Err(e) => {
                    notes.push(e.to_string());
                    first_error.get_or_insert_with(|| wrong(e));
                }
            }
        }
        let name = inputs.first().map(|i| title(i.name())).unwrap_or_default();
        match (cooked.archive, first_error) {
            (Some(bytes), _) => Self::of_archive(name, bytes, notes),
            (None, Some(failure)) => Err(failure),
            (None, None) => Err(Failure("there is nothing to open".into())),
        }
    }

    fn of_archive(name: String, bytes: Vec<u8>, notes: Vec<String>) -> Result<Self, Failure> {
        let size = bytes.len();
        let archive = Archive::read(&bytes)?;
        let player = fullest(&archive)?;
        let mut clips = Vec::new();
        for clip in player.clip_names() {
            let stored = archive.clip(clip)?;
            let bytes = stored.as_bytes().len();
            let (duration_s, looping) = (stored.view().duration_s(), stored.view().is_looping());
            let markers = match archive.markers(clip) {
                Ok(markers) => markers.view().iter().map(|m| (m.name.to_string(), m.time_s)).collect(),
                Err(ArchiveError::Missing { .. }) => Vec::new(),
                Err(e) => return Err(e.into()),
            };
            clips.push(ClipEntry { name: clip.into(), duration_s, looping, bytes, markers });
        }
        let mut document = Self {
            name,
            bytes: size,
            surfaces: surfaces(&archive, &player)?,
            archive,
            player,
            clips,
            notes,
            centre: Vec3::ZERO,
            radius: 1.0,
        };
        if let Some(first) = document.clips.first() {
            let first = first.name.clone();
            document.player.play(&first)?;
        }
        document.measure()?;
        Ok(document)
    }

    /// Finds the ball that holds the meshes and joints at a few times of the clip that plays.
    pub(crate) fn measure(&mut self) -> Result<(), Failure> {
        let playing = self.player.playing().map(String::from);
        let duration_s =
            self.clips.iter().find(|c| Some(&c.name) == playing.as_ref()).map_or(0.0, |c| c.duration_s);
        let time_s = self.player.time_s();
        let (mut low, mut high) = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
        let times = if duration_s > 0.0 { 6 } else { 1 };
        for step in 0..times {
            if playing.is_some() {
                self.player.scrub(duration_s * f64::from(step) / f64::from(times))?;
            }
            let mut add = |p: Vec3| {
                if p.is_finite() {
                    (low, high) = (low.min(p), high.max(p));
                }
            };
            self.player.models().iter().for_each(|m| add(m.w_axis.truncate()));
            for mesh in self.player.skin()? {
                mesh.positions.iter().for_each(|p| add(Vec3::from_array(*p)));
            }
        }
        if playing.is_some() {
            self.player.scrub(time_s)?;
        }
        if low.x <= high.x {
            self.centre = (low + high) * 0.5;
            self.radius = ((high - low).length() * 0.5).max(1e-3);
        }
        Ok(())
    }
}

/// What a path is called in a title.
fn title(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// A player of the skeleton with the most clips, then the most meshes.
fn fullest(archive: &Archive) -> Result<Player, Failure> {
    let mut best: Option<((usize, usize), Player)> = None;
    for skeleton in archive.names(SectionKind::Skeleton) {
        let player = Player::of_skeleton(archive, skeleton)?;
        let rank = (player.clip_names().count(), player.mesh_names().count());
        if best.as_ref().is_none_or(|(most, _)| rank > *most) {
            best = Some((rank, player));
        }
    }
    best.map(|(_, player)| player).ok_or_else(|| Failure("there is no skeleton in it".into()))
}

/// How the player's meshes look. A texture that cannot be decoded leaves its colour.
fn surfaces(archive: &Archive, player: &Player) -> Result<Vec<Surface>, Failure> {
    let view = ArchiveView::read(archive.bytes(), &Limits::default())?;
    let mut surfaces = Vec::new();
    for mesh in player.mesh_names() {
        let plain = Surface {
            mesh: mesh.into(),
            color: [0.69, 0.64, 0.56, 1.0],
            texture: None,
            uv_set: 0,
            double_sided: false,
            cutoff: 0.0,
        };
        let material = view.mesh(mesh)?.material;
        if material.is_empty() {
            surfaces.push(plain);
            continue;
        }
        let material = view.material(material)?;
        let mut surface = Surface {
            color: material.base_color,
            double_sided: material.double_sided,
            cutoff: if material.alpha == AlphaMode::Mask { material.alpha_cutoff } else { 0.0 },
            ..plain
        };
        if let Some(used) = material.base_color_texture {
            surface.uv_set = used.uv_set as usize;
            let images = material.textures.get(used.texture).map_or(&[][..], |t| &t.images);
            let decoded = images.iter().filter_map(|(_, image)| view.image(image).ok());
            surface.texture = decoded.filter_map(|image| Texture::decode(image.bytes).ok()).next();
        }
        surfaces.push(surface);
    }
    Ok(surfaces)
}

/// Files on their way, on a thread of their own.
pub struct Loading {
    name: String,
    done: Receiver<Result<Document, Failure>>,
    progress: Arc<Mutex<(usize, usize, String)>>,
    cancelled: Arc<AtomicBool>,
}

impl Loading {
    /// Starts to open files; `wake` is called whenever there is something new to see.
    #[must_use]
    pub fn start(paths: Vec<PathBuf>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let name = paths.first().map(|p| title(p)).unwrap_or_default();
        Self::start_with(name, wake, move |watch| Document::open(&paths, watch))
    }

    /// The same for bytes that came without a file.
    #[must_use]
    pub fn start_bytes(name: String, bytes: Arc<[u8]>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self::start_with(name.clone(), wake, move |watch| Document::read(&name, &bytes, watch))
    }

    fn start_with(
        name: String,
        wake: impl Fn() + Send + Sync + 'static,
        open: impl FnOnce(&mut (dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send)) -> Result<Document, Failure>
        + Send
        + 'static,
    ) -> Self {
        let (send, done) = channel();
        let progress = Arc::new(Mutex::new((0, 1, String::new())));
        let cancelled = Arc::new(AtomicBool::new(false));
        let (seen, stop) = (progress.clone(), cancelled.clone());
        std::thread::spawn(move || {
            let result = open(&mut |step: Progress<'_>| {
                let what = match step.step {
                    Step::Read { input } => input.to_string(),
                    Step::Cooked { clip, .. } => clip.to_string(),
                    _ => String::new(),
                };
                *seen.lock().unwrap_or_else(PoisonError::into_inner) = (step.done, step.all, what);
                wake();
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            // Nobody waits for it any more if that fails.
            let _ = send.send(result);
            wake();
        });
        Self { name, done, progress, cancelled }
    }

    /// What is opened.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Steps done, steps in all, and what was done last.
    #[must_use]
    pub fn progress(&self) -> (usize, usize, String) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The document, once it is there.
    pub fn poll(&self) -> Option<Result<Document, Failure>> {
        match self.done.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(Failure(format!("{}: opening it ended without a word", self.name))))
            }
        }
    }

    /// Waits for it.
    ///
    /// # Errors
    ///
    /// As [`Document::open`].
    pub fn wait(self) -> Result<Document, Failure> {
        let lost = || Failure(format!("{}: opening it ended without a word", self.name));
        self.done.recv().unwrap_or_else(|_| Err(lost()))
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

//! The viewer but for its window: what is open, what the user does, what is drawn.
//!
//! ```text
//!  a frame:  what has arrived  ▶  keys  ▶  time  ▶  panels read a View, and ask  ▶  apply  ▶  the mouse  ▶  apply  ▶  draw
//! ```

use crate::{
    camera::Camera,
    document::Document,
    failure::Failure,
    lines::{Bones, Lines, Stand},
    look, panels,
    picture::{moving, smaller},
    platform::{self, Asked},
    scene::{Look, Scene, Subject},
    settings::{Drives, Panel, Panels, Settings, Shows},
    source::Source,
    state::{
        Command, Commands, Export, History, Kept, Layout, Open, Recording, Section, Stage, Strokes, UiState,
        View,
    },
};
use egui_wgpu::RenderState;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use web_time::Instant;

/// Where a storage keeps [`Settings`] and the [`Layout`].
const SETTINGS: &str = "settings";
const LAYOUT: &str = "layout";

/// A model that is opened again is framed anew if it is this many times larger or smaller.
const OTHER_SIZE: f32 = 1.5;

/// All of the viewer but the window.
pub struct Viewer {
    pub(crate) open: Open,
    pub(crate) stage: Stage,
    pub(crate) ui: UiState,
    pub(crate) settings: Settings,
    pub(crate) layout: Layout,
    pub(crate) history: History,
    pub(crate) scene: Scene,
    /// What the graphics device complained about.
    complaint: Arc<Mutex<Option<String>>>,
}

impl Viewer {
    /// An empty viewer that draws with this device.
    #[must_use]
    pub fn new(state: &RenderState) -> Self {
        // Without a handler, the first complaint would end the program.
        let complaint = Arc::new(Mutex::new(None));
        let heard = complaint.clone();
        state.device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| {
            heard.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| e.to_string());
        }));
        Self {
            open: Open::default(),
            stage: Stage::default(),
            ui: UiState::default(),
            settings: Settings::default(),
            layout: Layout::default(),
            history: History::default(),
            scene: Scene::new(state),
            complaint,
        }
    }

    /// Starts to open files; none: the mannequin, at once. When they change, they are opened again.
    pub fn open(&mut self, files: Vec<PathBuf>, clip: Option<String>, ctx: &egui::Context) {
        self.open.wanted_clip = clip;
        if files.is_empty() {
            self.show(Document::mannequin());
            return;
        }
        self.load(Asked::of(files.into_iter().map(Source::File).collect()), ctx);
    }

    /// Starts to open what was asked for, by itself.
    pub(crate) fn load(&mut self, asked: Asked, ctx: &egui::Context) {
        let done = self.open.start(asked, Default::default(), ctx);
        self.ui.tell(done);
    }

    /// Starts to open files beside the document. When they change, they are opened again.
    pub fn open_beside(&mut self, files: Vec<PathBuf>, ctx: &egui::Context) {
        let done = self.open.start_beside(Asked::of(files.into_iter().map(Source::File).collect()), ctx);
        self.ui.tell(done);
    }

    /// Shows a document, or says why there is none; then the one before it stays.
    pub fn show(&mut self, document: Result<Document, Failure>) {
        let kept = self.open.take_kept();
        let wanted = self.open.wanted_clip.take();
        let shown = document.and_then(|document| {
            self.scene.load(&document)?;
            Ok(document)
        });
        let document = match shown {
            Ok(document) => document,
            Err(failure) => {
                self.ui.failure = Some(failure);
                return;
            }
        };
        self.stage.forget();
        self.open.range = None;
        // What was said of bones can be taken back: the files are still the same.
        if kept.is_some() && document.retargeted.is_some() {
            self.history.forget_driver();
        } else {
            self.history.forget_document();
            self.ui.forget_document();
        }
        self.open.joint = None;
        self.ui.wanted_mm = document.precision_mm;
        self.ui.report = if kept.is_none() { !document.brought.is_empty() } else { self.ui.report };
        (self.open.document, self.ui.failure) = (Some(document), None);
        let done = match kept {
            Some(kept) => self.go_on(&kept),
            None => self.begin(wanted.as_deref()),
        };
        self.ui.tell(done);
        self.open.is_watched = false;
    }

    /// From the start, with the clip that was asked for. A clip that there is not keeps no file closed.
    fn begin(&mut self, clip: Option<&str>) -> Result<(), Failure> {
        let found = match (&mut self.open.document, clip) {
            (Some(document), Some(clip)) => document.play_named(clip),
            _ => Ok(()),
        };
        if let Some(document) = &self.open.document {
            self.stage.camera.yaw = Camera::default().yaw - document.facing;
        }
        self.stage.frame_all(&mut self.open, &self.settings)?;
        self.open.keep_step(self.settings.repeats())?;
        found
    }

    /// As before, as far as what was there is there still.
    fn go_on(&mut self, kept: &Kept) -> Result<(), Failure> {
        let Some(document) = &self.open.document else { return Ok(()) };
        let skeleton = document.player.skeleton();
        self.open.joint = kept.joint.as_deref().and_then(|joint| skeleton.find(joint));
        let larger = document.radius() / kept.radius;
        let has = |clip: &&String| document.clips.iter().any(|c| c.name == **clip);
        if let Some(clip) = kept.clip.as_ref().filter(has) {
            let repeat = self.settings.repeats();
            self.open.play(clip, repeat)?;
            self.open.scrub(kept.time_s, repeat)?;
            self.open.playing = kept.playing;
        }
        if !(1.0 / OTHER_SIZE..=OTHER_SIZE).contains(&larger) {
            self.stage.frame_all(&mut self.open, &self.settings)?;
        }
        Ok(())
    }

    /// Shows a document beside the first, or says why there is none; then the one before it stays.
    pub fn show_beside(&mut self, document: Result<Document, Failure>) {
        let shown = document.and_then(|document| {
            self.scene.load_beside(Some(&document))?;
            let again = self.open.beside.replace(document).is_some();
            // Where the first one is not there, that is what must be told.
            self.ui.failure = self.ui.failure.take().filter(|_| self.open.document.is_none());
            self.open.keep_step(self.settings.repeats())?;
            if again { Ok(()) } else { self.stage.frame_all(&mut self.open, &self.settings) }
        });
        self.ui.tell(shown);
    }

    /// What is open, and the clip that plays.
    #[must_use]
    pub fn title(&self) -> (String, String) {
        let clip = |document: &Document| document.player.playing().unwrap_or_default().to_owned();
        self.open.document.as_ref().map(|d| (d.name.clone(), clip(d))).unwrap_or_default()
    }

    /// The name of what stands beside the document.
    #[must_use]
    pub fn beside(&self) -> Option<&str> {
        self.open.beside.as_ref().map(|document| document.name.as_str())
    }

    /// The states that a graph is in, one a layer; none if no graph plays.
    #[must_use]
    pub fn states(&self) -> Vec<&str> {
        let document = self.open.document.as_ref().filter(|document| document.drives == Drives::Graph);
        document.and_then(|document| document.directed.as_ref()).map_or_else(Vec::new, |graph| graph.states())
    }

    /// True if time goes on.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.open.playing
    }

    /// See [`Document::pose_hash`]; `None` if nothing is shown.
    pub fn pose_hash(&mut self) -> Option<u64> {
        self.open.document.as_mut()?.pose_hash().ok()
    }

    /// Vertices that [`lissom::job::SkinJob`] moved for the last frame: none while the GPU moves them.
    pub fn moved_on_cpu(&self) -> usize {
        self.scene.moved_on_cpu()
    }

    /// Where a joint is drawn, in points of the window; `None` if there is no such joint, or nothing was drawn.
    #[must_use]
    pub fn place_of(&self, joint: &str) -> Option<egui::Pos2> {
        let body = self.open.document.as_ref()?.body();
        let model = body.models()[body.skeleton().find(joint)?];
        self.stage.projection(&self.open, &self.settings)?.place(model.w_axis.truncate())
    }

    /// Shows what is open and nothing else: no floor, and one colour behind it.
    pub fn bare(&mut self, bare: bool) {
        (self.settings.floor, self.settings.plain) = (!bare, bare);
    }

    /// Keeps the settings, and where panels stand.
    pub fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, SETTINGS, &self.settings);
        eframe::set_value(storage, LAYOUT, &self.layout);
    }

    /// Takes up what was kept, if anything was. What is opened is what is seen, whatever was seen last.
    pub fn restore(&mut self, storage: &dyn eframe::Storage) {
        self.settings = eframe::get_value(storage, SETTINGS).unwrap_or_default();
        let layout: Option<Layout> = eframe::get_value(storage, LAYOUT);
        self.layout = layout.map(Layout::restored).unwrap_or_default();
    }

    /// What went wrong last, if anything.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.ui.failure.as_ref()
    }

    /// The time of the clip that plays, in seconds; `None` without one.
    #[must_use]
    pub fn time_s(&self) -> Option<f64> {
        self.view().time_s()
    }

    /// How long the clip that plays is, in seconds; 0 without one.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.open.duration_s()
    }

    /// Goes to a time of the clip that plays, and pauses.
    pub fn scrub(&mut self, time_s: f64) {
        let done = self.open.scrub(time_s, self.settings.repeats());
        self.ui.tell(done);
    }

    /// What panels read.
    pub(crate) fn view(&self) -> View<'_> {
        let Self { open, stage, ui, settings, history, .. } = self;
        View { open, stage, ui, settings, history }
    }

    /// One frame: input, time, panels, picture.
    pub fn ui(&mut self, ui: &mut egui::Ui) {
        let ctx = ui.ctx().clone();
        self.take_complaint();
        let [first, beside] = self.open.take_loaded();
        if let Some(done) = first {
            self.show(done);
        }
        if let Some(done) = beside {
            self.show_beside(done);
        }
        let watched = self.open.watch(&ctx);
        self.ui.tell(watched);
        self.open.take_changed(&ctx);
        let mut commands = Commands::new();
        dropped(&ctx, &mut commands);
        panels::keys(&self.view(), &ctx, &mut commands);
        self.apply(&mut commands, &ctx);

        let started = Instant::now();
        let done = self.advance(&ctx);
        self.ui.tell(done);

        // What one asks for is done before the next one reads.
        for panel in [panels::bar, panels::timeline, panels::rail] {
            self.look(&ctx);
            panel(&self.view(), ui, &mut commands);
            self.apply(&mut commands, &ctx);
        }
        self.look(&ctx);
        // The tree of tiles is changed by who drags them, while panels read all the rest.
        let mut layout = std::mem::take(&mut self.layout);
        egui::CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| {
            panels::tiles(&self.view(), &mut layout, ui, &mut commands);
        });
        self.layout = layout;
        self.apply(&mut commands, &ctx);
        let drawn = self.draw(ctx.pixels_per_point(), ui.visuals());
        self.ui.tell(drawn);
        self.keep_frame(&ctx);

        let view = self.view();
        panels::help(&view, &ctx, &mut commands);
        panels::report(&view, &ctx, &mut commands);
        panels::browse(&view, &ctx, &mut commands);
        panels::recording(&view, &ctx, &mut commands);
        panels::loading(&view, &ctx, &mut commands);
        self.apply(&mut commands, &ctx);
        if !ctx.input(|i| i.pointer.any_down()) {
            self.history.let_go();
        }
        self.ui.frame_s = started.elapsed().as_secs_f64();
    }

    /// Before panels read: which are there, and what they need.
    fn look(&mut self, ctx: &egui::Context) {
        self.ui.panels = Panels::of(|panel| self.layout.has(panel));
        self.ui.seen = Panels::of(|panel| self.layout.shows(panel));
        self.ui.picture = Some(self.scene.id());
        let section = self.ui.section;
        let done = self.stage.prepare(&self.open, &self.settings, self.ui.seen);
        if self.ui.seen.has(Panel::Inspect) && section == Section::Materials {
            self.stage.show_pictures(&self.open, ctx);
        }
        self.ui.tell(done);
    }

    fn take_complaint(&mut self) {
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(text) = complaint {
            self.ui.failure = Some(Failure(format!("the graphics device complains: {text}")));
        }
    }

    /// Time goes on. Where nothing moves, no next frame is asked for.
    fn advance(&mut self, ctx: &egui::Context) -> Result<(), Failure> {
        let dt_s = f64::from(ctx.input(|i| i.stable_dt)).min(0.1);
        let mut dt_s = if self.open.playing { dt_s } else { 0.0 };
        if let Some(recording) = &self.ui.recording {
            dt_s = recording.dt_s();
            if let Some(time_s) = recording.time_s() {
                self.open.scrub(time_s, self.settings.repeats())?;
            }
        }
        if self.stage.turn(ctx.input(|i| i.stable_dt).min(0.1)) {
            ctx.request_repaint();
        }
        self.stage.advance(dt_s, &mut self.open, &self.settings)?;
        let replaced = self.settings.shows != Shows::Document;
        if self.open.playing && (replaced || self.open.moves()) {
            ctx.request_repaint();
        }
        Ok(())
    }

    /// Draws the picture, where its tile is.
    fn draw(&mut self, pixels_per_point: f32, visuals: &egui::Visuals) -> Result<(), Failure> {
        let Self { open, stage, ui, settings, scene, .. } = self;
        let Some(seen) = stage.seen else { return Ok(()) };
        let size =
            [seen.width(), seen.height()].map(|side| (side * pixels_per_point).round().max(1.0) as u32);
        let dark = visuals.dark_mode;
        let (mut bones, mut lines, mut overlay) = (Bones::default(), Lines::default(), Lines::default());
        let comparison = stage.comparison(open, settings, ui.panels)?;
        if let (Shows::World, Some(world)) = (settings.shows, &stage.world) {
            world.draw(dark, &mut lines)?;
        }
        if settings.shows == Shows::Document {
            let strokes = Strokes { bones: &mut bones, lines: &mut lines, overlay: &mut overlay };
            stage.overlay(open, settings, dark, comparison.as_ref(), strokes)?;
        }
        let camera = stage.eye(open, settings);
        let (centre, radius) = stage.ball(open, settings);
        let follows = camera.target - stage.camera.target;
        let palette = look::of(visuals);
        let sky = if settings.plain { [palette.sky[1]; 2] } else { palette.sky };
        let sky = sky.map(|color| [color.r(), color.g(), color.b()].map(|v| f32::from(v) / 255.0));
        let look = Look {
            camera: &camera,
            size,
            pixels_per_point,
            behind: sky,
            ink: if dark { [0.72, 0.76, 0.82] } else { [0.3, 0.33, 0.38] },
            dark,
            floor: settings.floor,
            ball: (centre + follows, radius),
            skin_on: settings.skin_on,
            meshes: settings.meshes,
            wire: settings.wire,
            normals: settings.normals,
            weights_of: open.joint.filter(|_| settings.weights),
            vivid: ui.vivid,
            hidden: &ui.hidden,
            bones: &bones,
            lines: &lines,
            overlay: &overlay,
        };
        let offset = open.offset();
        let subject = match settings.shows {
            Shows::Crowd => stage.crowd.as_mut().map(Subject::Crowd),
            Shows::World => None,
            Shows::Document => open.document.as_mut().map(|document| {
                let second = open.beside.as_mut().map(|second| (second, Stand { offset, scale: 1.0 }));
                Subject::Document(document, comparison.as_ref(), second)
            }),
        };
        scene.draw(subject.unwrap_or(Subject::Lines), &look)
    }

    /// From now on the scene is drawn only by [`Viewer::draw_now`]: where few frames are looked at, the others cost no drawing.
    pub fn draw_later(&mut self) {
        self.scene.draw_later();
    }

    /// Draws the scene of the last frame, if that waits.
    pub fn draw_now(&mut self) {
        self.scene.draw_now();
    }

    /// Writes a file of a new name into a folder; its path. A moving picture is written once its last frame was drawn.
    ///
    /// # Errors
    ///
    /// If there is nothing to write, and what the file system says.
    pub fn export(&mut self, what: Export, folder: &Path) -> Result<PathBuf, Failure> {
        let (name, clip) = self.title();
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let stem = if what == Export::Glb { stem } else { format!("{stem} {clip}") };
        let path = platform::new_path(folder, &stem, what.extension());
        let named = |Failure(why): Failure| Failure(format!("{}: {why}", path.display()));
        let bytes = match what {
            Export::Png => self.scene.picture()?.to_png().map_err(named)?,
            Export::Gif => {
                let clip_s = self.time_s().map(|_| self.duration_s());
                let was = (self.time_s(), self.open.playing);
                self.ui.recording = Some(Recording::new(path.clone(), clip_s, was));
                return Ok(path);
            }
            Export::Glb => {
                let nothing = || Failure("there is nothing to save".into());
                self.open.document.as_ref().ok_or_else(nothing)?.to_glb().map_err(named)?
            }
        };
        platform::write(&path, &bytes)?;
        Ok(path)
    }

    /// After a frame was drawn: a recording keeps it, and ends with the last one.
    fn keep_frame(&mut self, ctx: &egui::Context) {
        let Some(recording) = &mut self.ui.recording else { return };
        ctx.request_repaint();
        let kept = self.scene.picture().map(|picture| recording.frames.push(smaller(&picture)));
        let (done, all) = recording.progress();
        if kept.is_ok() && done < all {
            return;
        }
        let Some(Recording { path, frames, duration_s, was, .. }) = self.ui.recording.take() else { return };
        let bytes = kept.and_then(|()| moving(&frames, duration_s));
        match bytes.and_then(|bytes| platform::write(&path, &bytes)) {
            Ok(_) => self.ui.told = Some(format!("saved {}", path.display())),
            Err(failure) => self.ui.failure = Some(failure),
        }
        if let Some(time_s) = was.0 {
            self.scrub(time_s);
        }
        self.open.playing = was.1;
    }
}

/// Files that were dropped; with shift, beside the document.
fn dropped(ctx: &egui::Context, commands: &mut Commands) {
    let dropped = ctx.input(|i| i.raw.dropped_files.clone());
    if dropped.is_empty() {
        return;
    }
    if ctx.input(|i| i.modifiers.shift) {
        commands.push(Command::NextBeside(true));
    }
    commands.push(Command::OpenFiles(Asked::dropped(dropped)));
}

//! The viewer but for its window: what is open, what the user does, what is drawn.
//!
//! ```text
//!  a frame:  what has arrived  ▶  keys  ▶  time  ▶  panels read a View, and ask  ▶  apply  ▶  the mouse  ▶  apply  ▶  draw
//! ```

use crate::{
    camera::Camera,
    document::Document,
    drive::{Directed, Driver, Mixer, Reach, Springs},
    failure::Failure,
    lines::{Lines, grid},
    panels,
    picture::{moving, smaller},
    platform::{self, Asked},
    scene::{Look, Scene, Subject},
    settings::{Panel, Settings},
    shown::WorldScene,
    source::Source,
    state::{
        Browser, Command, Commands, Edit, Export, History, Kept, Open, Recording, Slot, Stage, UiState, View,
    },
};
use egui_wgpu::RenderState;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use web_time::Instant;

/// Where a storage keeps [`Settings`].
const SETTINGS: &str = "settings";

/// A model that is opened again is framed anew if it is this many times larger or smaller.
const OTHER_SIZE: f32 = 1.5;

/// All of the viewer but the window.
pub struct Viewer {
    pub(crate) open: Open,
    pub(crate) stage: Stage,
    pub(crate) ui: UiState,
    pub(crate) settings: Settings,
    history: History,
    scene: Scene,
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
        // What was said of bones can be taken back: the files are still the same.
        if kept.is_some() && document.retargeted.is_some() {
            self.history.forget_driver();
        } else {
            self.history.forget_document();
            self.ui.rig = 0;
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
        match self.open.document.as_ref().map(|d| &d.driver) {
            Some(Driver::Graph(directed)) => directed.states(),
            _ => Vec::new(),
        }
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

    /// Shows what is open and nothing else.
    pub fn hide_floor(&mut self) {
        self.settings.floor = false;
    }

    /// Keeps the settings.
    pub fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, SETTINGS, &self.settings);
    }

    /// Takes up the settings that were kept, if any were. A panel that would hide what is opened stays closed.
    pub fn restore(&mut self, storage: &dyn eframe::Storage) {
        self.settings = eframe::get_value(storage, SETTINGS).unwrap_or_default();
        self.settings.panel = self.settings.panel.filter(|panel| !panel.replaces());
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
        for panel in [panels::bar, panels::timeline, panels::side, panels::right] {
            let done = self.stage.prepare(&self.open, &self.settings);
            self.ui.tell(done);
            panel(&self.view(), ui, &mut commands);
            self.apply(&mut commands, &ctx);
        }
        egui::CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| self.picture(ui));
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
        let mixed = self.mixes();
        self.stage.advance(dt_s, &mut self.open, &self.settings)?;
        if mixed && !self.mixes() {
            self.history.forget_mix();
        }
        let replaced = self.settings.panel.is_some_and(Panel::replaces);
        if self.open.playing && (replaced || self.open.moves()) {
            ctx.request_repaint();
        }
        Ok(())
    }

    fn mixes(&self) -> bool {
        matches!(self.open.document.as_ref().map(|d| &d.driver), Some(Driver::Mix(_)))
    }

    /// The picture, and the mouse on it.
    fn picture(&mut self, ui: &mut egui::Ui) {
        let response = panels::allocate(ui);
        let rect = response.rect;
        self.stage.seen = Some(rect);
        let mut commands = Commands::new();
        let under = panels::scene(&self.view(), &response, ui, &mut commands);
        self.apply(&mut commands, ui.ctx());
        let size =
            [rect.width(), rect.height()].map(|side| (side * ui.pixels_per_point()).round().max(1.0) as u32);
        match self.draw(size, ui.visuals().dark_mode) {
            Ok(picture) => {
                let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                ui.painter().image(picture, rect, whole, egui::Color32::WHITE);
            }
            Err(failure) => self.ui.failure = Some(failure),
        }
        panels::names(&self.view(), rect, ui);
        if let (Some(joint), Some(document)) = (under, &self.open.document) {
            response.on_hover_text_at_pointer(document.body().skeleton().name(joint));
        }
    }

    fn draw(&mut self, size: [u32; 2], dark: bool) -> Result<egui::TextureId, Failure> {
        let Self { open, stage, settings, scene, .. } = self;
        let (background, ink) = if dark { ([0.13, 0.15, 0.18], 0.75) } else { ([0.92, 0.91, 0.88], 0.25) };
        let mut overlay = Lines::default();
        let mut floor = Lines::default();
        let camera = stage.eye(open, settings);
        if settings.floor {
            floor = grid(stage.ball(open, settings).1 * 2.5, camera.target, [ink, ink, ink, 0.5]);
        }
        let comparison = stage.comparison(open, settings)?;
        if let (Some(Panel::World), Some(world)) = (settings.panel, &stage.world) {
            world.draw(dark, &mut overlay)?;
        }
        if !settings.panel.is_some_and(Panel::replaces) {
            stage.overlay(open, settings, dark, comparison.as_ref(), &mut overlay)?;
        }
        let look = Look {
            camera: &camera,
            size,
            background,
            skin_on: settings.skin_on,
            meshes: settings.meshes,
            shadow: settings.floor.then(|| background.map(|c| c as f32 * if dark { 0.65 } else { 0.8 })),
            floor: &floor,
            overlay: &overlay,
        };
        let offset = open.offset();
        let colors = comparison.as_ref().filter(|_| settings.compare.colors);
        let subject = match settings.panel {
            Some(Panel::Crowd) => stage.crowd.as_mut().map(Subject::Crowd),
            Some(Panel::World) => None,
            _ => open.document.as_mut().map(|document| {
                let second = open.beside.as_mut().map(|second| (second, offset));
                Subject::Document(document, colors, second)
            }),
        };
        scene.draw(subject.unwrap_or(Subject::Lines), &look)
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

    /// Does what was asked for, one after the other.
    pub(crate) fn apply(&mut self, commands: &mut Commands, ctx: &egui::Context) {
        for command in commands.drain(..) {
            // What was read before is no longer what there is.
            ctx.request_repaint();
            let done = self.do_one(command, ctx);
            self.ui.tell(done);
        }
    }

    fn do_one(&mut self, command: Command, ctx: &egui::Context) -> Result<(), Failure> {
        let repeat = self.settings.repeats();
        match command {
            Command::Open(asked) => return self.take(asked, ctx),
            Command::NextBeside(next) => self.open.next_beside = next,
            Command::CloseBeside => {
                self.open.close_beside();
                self.scene.load_beside(None)?;
                self.stage.frame_all(&mut self.open, &self.settings)?;
            }
            Command::CancelLoading(Slot::First) => self.open.loading = None,
            Command::CancelLoading(Slot::Beside) => self.open.loading_beside = None,
            Command::Browse { beside } => {
                self.open.next_beside = beside;
                let here = Path::new(".");
                self.ui.browser = Some(Browser::new(&here.canonicalize().unwrap_or(here.into())));
            }
            Command::BrowsePath(path) => {
                if let Some(browser) = &mut self.ui.browser {
                    browser.path = path;
                }
            }
            Command::BrowseTo(path) => match &mut self.ui.browser {
                Some(browser) if path.is_dir() => browser.go(&path),
                _ => {
                    self.ui.browser = None;
                    return self.take(Asked::of(vec![Source::File(path)]), ctx);
                }
            },
            Command::CloseBrowser => self.ui.browser = None,
            Command::Export(what) => {
                let path = self.export(what, Path::new("."))?;
                // A moving picture says so itself when it is done.
                if what != Export::Gif {
                    self.ui.told = Some(format!("saved {}", path.display()));
                }
            }
            Command::StopRecording => self.ui.recording = None,
            Command::SaveGraph => {
                let Some(document) = &mut self.open.document else { return Ok(()) };
                let saved = document.save_graph()?;
                self.ui.told = saved.map(|path| format!("saved {}", path.display()));
                self.open.watch_anew();
            }
            Command::Recook(precision_mm) => self.open.recook(precision_mm, ctx),
            Command::ChooseRig(rig) => self.ui.rig = rig,
            Command::CopyRecipe => {
                let document = self.open.document.as_ref();
                if let Some(retargeted) = document.and_then(|document| document.retargeted.as_ref()) {
                    ctx.copy_text(retargeted.to_toml());
                    self.ui.told = Some("copied: paste it into lissom.toml".into());
                }
            }
            Command::WantPrecision(precision_mm) => self.ui.wanted_mm = Some(precision_mm),

            Command::Play(clip) => self.play(&clip)?,
            Command::PlayOrPause => self.open.playing = !self.open.playing,
            Command::Scrub(time_s) => self.open.scrub(time_s, repeat)?,
            Command::Speed(speed) => self.open.set_speed(speed, repeat)?,
            Command::Repeat(repeat) => {
                self.settings.repeat = repeat;
                let clip = self.open.document.as_ref().and_then(|d| d.player.playing()).map(String::from);
                clip.map_or(Ok(()), |clip| self.play(&clip))?;
            }

            Command::Choose(joint) => {
                self.settings.bones |= joint.is_some();
                self.open.joint = joint;
            }
            Command::LookAt { clip, joint, time_s } => {
                self.play(&clip)?;
                self.open.scrub(time_s, repeat)?;
                self.choose(&joint);
            }
            Command::Set(settings) => self.settings = settings,
            Command::Camera(camera) => self.stage.camera = camera,
            Command::Frame => self.stage.frame_all(&mut self.open, &self.settings)?,
            Command::Reframe => self.stage.reframe(),
            Command::Hold(held) => self.stage.held = held,
            Command::MoveTarget(target) => {
                if let Some(reach) = self.open.document.as_mut().and_then(Document::reach_mut) {
                    reach.target = target;
                }
            }

            Command::Edit(edit) => {
                let inverse = do_edit(&mut self.open, &mut self.stage, edit, ctx)?;
                self.history.did(inverse);
            }
            Command::Undo => {
                let Self { history, open, stage, .. } = self;
                history.undo(|edit| do_edit(open, stage, edit, ctx))?;
            }
            Command::Redo => {
                let Self { history, open, stage, .. } = self;
                history.redo(|edit| do_edit(open, stage, edit, ctx))?;
            }

            Command::Reach(asked) => self.on_mix(|mixer| {
                let kept = mixer.reach.take();
                mixer.reach = asked.and_then(|(joint, bones)| {
                    let same = kept.filter(|reach| reach.joint == joint);
                    let reach = same.or_else(|| Reach::new(mixer.body(), joint))?;
                    Some(Reach { bones, ..reach })
                });
            }),
            Command::Springs(asked) => self.on_mix(|mixer| {
                let kept = mixer.springs.take();
                mixer.springs = asked.map(|(joint, bone)| {
                    let same = kept.filter(|springs| springs.joint == joint);
                    let mut springs = same.unwrap_or_else(|| Springs::new(mixer.body(), joint));
                    springs.bone = bone;
                    springs
                });
            }),
            Command::Parameter(name, value) => self.on_graph(|graph| graph.set(&name, value))?,
            Command::Trigger(nth) => self.on_graph(|graph| graph.trigger(nth))?,
            Command::OneShot { layer, clip } => self.on_graph(|graph| graph.play_once(&layer, &clip))?,
            Command::ChooseThing(thing) => self.on_world(|world| world.chosen = thing),
            Command::KeepsPlace(keeps) => self.on_world(|world| world.keeps_place = keeps),
            Command::Turns(thing, turns) => self.on_world(|world| world.set_turns(thing, turns)),
            Command::MoveThing(thing, to) => {
                if let Some(world) = &mut self.stage.world {
                    world.set_position(thing, to)?;
                }
            }

            Command::Search(text) => self.ui.search = text,
            Command::Help(open) => self.ui.help = open,
            Command::Report(open) => self.ui.report = open,
            Command::DismissTold => self.ui.told = None,
            Command::DismissFailure => self.ui.failure = None,
            Command::SwitchesWidth(width) => self.ui.switches_width = width,
        }
        Ok(())
    }

    /// Changes the mix, if one decides.
    fn on_mix(&mut self, change: impl FnOnce(&mut Mixer)) {
        if let Some(Driver::Mix(mixer)) = self.open.document.as_mut().map(|d| &mut d.driver) {
            change(mixer);
        }
    }

    /// Changes the graph's state, if one decides.
    fn on_graph(&mut self, change: impl FnOnce(&mut Directed) -> Result<(), Failure>) -> Result<(), Failure> {
        match self.open.document.as_mut().map(|d| &mut d.driver) {
            Some(Driver::Graph(directed)) => change(directed),
            _ => Ok(()),
        }
    }

    /// Changes the world, if it was made.
    fn on_world(&mut self, change: impl FnOnce(&mut WorldScene)) {
        if let Some(world) = &mut self.stage.world {
            change(world);
        }
    }

    /// Opens files beside the document if that was asked for, else onto what is there: a graph is played with its clips, motions
    /// are brought onto its character.
    fn take(&mut self, asked: Asked, ctx: &egui::Context) -> Result<(), Failure> {
        if self.open.take_next() {
            return self.open.start_beside(asked, ctx);
        }
        if let (Some(graph), Some(document)) = (asked.graph(), &mut self.open.document) {
            document.open_graph(graph)?;
            self.settings.panel = Some(Panel::Graph);
            self.history.forget_driver();
            self.open.is_watched = false;
            return Ok(());
        }
        self.open.wanted_clip = None;
        let onto = self.open.onto();
        self.open.start(asked, onto, ctx)
    }

    /// Starts a clip of the document. Whoever else decided leaves it to the clip.
    pub(crate) fn play(&mut self, clip: &str) -> Result<(), Failure> {
        self.settings.panel = self.settings.panel.filter(|panel| !panel.decides());
        self.open.play(clip, self.settings.repeats())
    }

    /// Chooses a joint by name and shows it.
    pub(crate) fn choose(&mut self, joint: &str) {
        let found = self.open.document.as_ref().and_then(|d| d.player.skeleton().find(joint));
        self.settings.bones |= found.is_some();
        self.open.joint = found;
    }
}

/// Does an edit; the one that takes it back.
fn do_edit(open: &mut Open, stage: &mut Stage, edit: Edit, ctx: &egui::Context) -> Result<Edit, Failure> {
    let gone = || Failure("there is nothing left to change".into());
    match edit {
        Edit::Mix(index, to) => {
            let Some(Driver::Mix(mixer)) = open.document.as_mut().map(|d| &mut d.driver) else {
                return Err(gone());
            };
            let channel = mixer.channels.get_mut(index).ok_or_else(gone)?;
            Ok(Edit::Mix(index, std::mem::replace(&mut channel.strip, to)))
        }
        Edit::Graph(parts) => {
            let document = open.document.as_mut().ok_or_else(gone)?;
            Ok(Edit::Graph(Box::new(document.tune_graph(*parts)?)))
        }
        Edit::Bones(says) => Ok(Edit::Bones(Box::new(open.correct(*says, ctx)?))),
        Edit::Under(thing, parent) => {
            let world = stage.world.as_mut().ok_or_else(gone)?;
            Ok(Edit::Back(thing, world.put_under(thing, parent)?))
        }
        Edit::Back(thing, place) => {
            let world = stage.world.as_mut().ok_or_else(gone)?;
            Ok(Edit::Back(thing, world.put_back(thing, place)?))
        }
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
    commands.push(Command::Open(Asked::dropped(dropped)));
}

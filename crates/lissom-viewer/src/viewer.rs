//! The viewer but for its window: what is open, what the user does, what is drawn.

#[cfg(not(target_arch = "wasm32"))]
use crate::changes::{self, Changes};
use crate::{
    bounds::Bounds,
    camera::Camera,
    compare::{CompareSettings, ErrorCurve},
    crowd::{CrowdScene, CrowdSettings},
    document::{Document, Failure, Source},
    drive::Driver,
    ghost::Ghost,
    loading::Loading,
    opening::Opening,
    panels::{self, Curves, Panel},
    scene::{Scene, SkinOn},
    second::Second,
    world::WorldScene,
};
use egui::Key;
use egui_wgpu::RenderState;
use lissom::track::Repeat;
use std::sync::{Arc, Mutex, PoisonError};
use web_time::Instant;

/// Steps of the arrow keys, in seconds.
const FRAME_S: f64 = 1.0 / 30.0;

/// Where a storage keeps [`Settings`].
const SETTINGS: &str = "settings";

/// Settings, saved between sessions.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub meshes: bool,
    pub bones: bool,
    pub floor: bool,
    /// Moments before and after.
    pub onion: bool,
    /// The way of the chosen joint, or of the root.
    pub trail: bool,
    /// Boxes round meshes.
    pub bounds: bool,
    /// Axes where things can be held.
    pub sockets: bool,
    pub skin_on: SkinOn,
    /// The camera goes where the root goes.
    pub follow: bool,
    pub repeat: bool,
    pub panel: Option<Panel>,
    pub crowd: CrowdSettings,
    pub compare: CompareSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            meshes: true,
            bones: false,
            floor: true,
            onion: false,
            trail: false,
            bounds: false,
            sockets: false,
            skin_on: SkinOn::Gpu,
            follow: false,
            repeat: true,
            panel: None,
            crowd: CrowdSettings::default(),
            compare: CompareSettings::default(),
        }
    }
}

impl Settings {
    /// What a clip does at its end.
    pub(crate) fn repeats(&self) -> Repeat {
        if self.repeat { Repeat::Loop } else { Repeat::Once }
    }
}

/// What a document that is opened again keeps of itself.
struct Kept {
    clip: Option<String>,
    time_s: f64,
    playing: bool,
    joint: Option<String>,
}

/// All of the viewer but the window.
pub struct Viewer {
    pub(crate) scene: Scene,
    pub(crate) document: Option<Document>,
    pub(crate) second: Second,
    /// Made when their panels are opened first.
    pub(crate) crowd: Option<CrowdScene>,
    pub(crate) world: Option<WorldScene>,
    /// What the camera was put before last.
    framed: Option<Panel>,
    pub(crate) loading: Option<Loading>,
    /// What went wrong last; the document before it stays.
    pub(crate) failure: Option<Failure>,
    /// What was done last that cannot be seen, such as a file that was written.
    pub(crate) told: Option<String>,
    pub(crate) camera: Camera,
    pub(crate) settings: Settings,
    pub(crate) playing: bool,
    pub(crate) speed: f64,
    pub(crate) joint: Option<usize>,
    pub(crate) search: String,
    pub(crate) help: bool,
    /// What became of motions that were brought onto the character is shown.
    pub(crate) report: bool,
    pub(crate) curves: Option<Curves>,
    pub(crate) error_curve: Option<ErrorCurve>,
    pub(crate) ghost: Option<Ghost>,
    pub(crate) bounds: Option<Bounds>,
    /// How wide the bar's switches were last.
    pub(crate) switches_width: f32,
    /// Where the scene was drawn last.
    pub(crate) seen: Option<egui::Rect>,
    /// From the mouse that holds it to the target of what reaches.
    pub(crate) held: Option<egui::Vec2>,
    /// Where the precision's slider stands, in millimetres.
    pub(crate) wanted_mm: Option<f64>,
    /// The clip to show first, until there is a document.
    wanted_clip: Option<String>,
    /// If files are opened again.
    kept: Option<Kept>,
    #[cfg(not(target_arch = "wasm32"))]
    changes: Option<Changes>,
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) browser: Option<panels::Browser>,
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) recording: Option<crate::export::Recording>,
    /// What the graphics device complained about.
    complaint: Arc<Mutex<Option<String>>>,
    /// Seconds of updating and drawing, without the GPU's own time; the last frame's.
    pub(crate) frame_s: f64,
}

impl Viewer {
    /// An empty viewer that draws with this device.
    #[must_use]
    pub fn new(state: &RenderState) -> Self {
        // Without a handler, the first complaint would end the program.
        let complaint = Arc::new(Mutex::new(None));
        let told = complaint.clone();
        state.device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| {
            told.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| e.to_string());
        }));
        Self {
            scene: Scene::new(state),
            document: None,
            second: Second::default(),
            crowd: None,
            world: None,
            framed: None,
            loading: None,
            failure: None,
            told: None,
            camera: Camera::default(),
            settings: Settings::default(),
            playing: true,
            speed: 1.0,
            joint: None,
            search: String::new(),
            help: false,
            report: false,
            curves: None,
            error_curve: None,
            ghost: None,
            bounds: None,
            // About: the first frame shall look like the next.
            switches_width: 430.0,
            seen: None,
            held: None,
            wanted_mm: None,
            wanted_clip: None,
            kept: None,
            #[cfg(not(target_arch = "wasm32"))]
            changes: None,
            #[cfg(not(target_arch = "wasm32"))]
            browser: None,
            #[cfg(not(target_arch = "wasm32"))]
            recording: None,
            complaint,
            frame_s: 0.0,
        }
    }

    /// Starts to open files on a thread of its own; none: the mannequin, at once. When they change, they are opened again.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(&mut self, files: Vec<std::path::PathBuf>, clip: Option<String>, ctx: &egui::Context) {
        self.wanted_clip = clip;
        (self.kept, self.changes) = (None, None);
        if files.is_empty() {
            self.show(Document::mannequin());
            return;
        }
        let sources = files.iter().cloned().map(Source::File).collect();
        self.changes = Some(Changes::new(files));
        self.start(sources, Opening::default(), ctx);
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn start(&mut self, sources: Vec<Source>, opening: Opening, ctx: &egui::Context) {
        let ctx = ctx.clone();
        self.loading = Some(Loading::start_by(sources, opening, move || ctx.request_repaint()));
    }

    /// Opens files again that have changed.
    #[cfg(not(target_arch = "wasm32"))]
    fn take_changed(&mut self, ctx: &egui::Context) {
        self.take_changed_beside(ctx);
        let Some(changes) = &mut self.changes else { return };
        ctx.request_repaint_after(changes::EVERY);
        if self.loading.is_some() || !changes.look(Instant::now()) {
            return;
        }
        let sources = changes.files().iter().cloned().map(Source::File).collect();
        self.open_again(sources, Opening::default(), ctx);
    }

    /// Cooks what is open again, to another precision.
    pub(crate) fn recook(&mut self, precision_mm: f64, ctx: &egui::Context) {
        if let Some(document) = &self.document {
            let opening = Opening { precision_mm: Some(precision_mm), ..Opening::default() };
            self.open_again(document.sources.clone(), opening, ctx);
        }
    }

    /// Opens files again and goes on where it is.
    fn open_again(&mut self, sources: Vec<Source>, opening: Opening, ctx: &egui::Context) {
        self.kept = self.document.as_ref().map(|document| Kept {
            clip: document.player.playing().map(String::from),
            time_s: document.player.time_s(),
            playing: self.playing,
            joint: self.joint.map(|joint| document.player.skeleton().name(joint).into()),
        });
        let ctx = ctx.clone();
        let wake = move || ctx.request_repaint();
        #[cfg(not(target_arch = "wasm32"))]
        let loading = Loading::start_by(sources, opening, wake);
        #[cfg(target_arch = "wasm32")]
        let loading = {
            let name = sources.first().map_or_else(|| "mannequin".into(), Source::title);
            Loading::start_async(name, core::future::ready(Ok(sources)), opening, wake)
        };
        self.loading = Some(loading);
    }

    /// The files that are open, for what is dropped onto them.
    fn onto(&self) -> Opening {
        let onto = self.document.as_ref().map_or_else(Vec::new, |document| document.sources.clone());
        Opening { onto, ..Opening::default() }
    }

    /// Plays a graph's description with the clips that are open.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn open_graph(&mut self, source: &Source) {
        let Some(document) = &mut self.document else { return };
        match document.open_graph(source) {
            Ok(()) => self.settings.panel = Some(Panel::Graph),
            Err(failure) => self.failure = Some(failure),
        }
        self.watch();
    }

    /// Writes the graph to its file.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn save_graph(&mut self) {
        let Some(document) = &mut self.document else { return };
        match document.save_graph() {
            Ok(()) => self.told = Some(format!("saved {}", document.graph_path().display())),
            Err(failure) => self.failure = Some(failure),
        }
        // What it wrote itself is no news.
        self.changes = None;
        self.watch();
    }

    /// Looks at the document's files from now on.
    pub(crate) fn watch(&mut self) {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(document) = &self.document {
            let file = |source: &Source| match source {
                Source::File(path) => Some(path.clone()),
                Source::Bytes(..) => None,
            };
            let files: Vec<_> = document.sources.iter().filter_map(file).collect();
            if self.changes.as_ref().is_none_or(|changes| changes.files() != files) {
                self.changes = (!files.is_empty()).then(|| Changes::new(files));
            }
        }
    }

    /// Chooses a joint by name and shows it.
    pub(crate) fn choose(&mut self, joint: &str) {
        let found = self.document.as_ref().and_then(|d| d.player.skeleton().find(joint));
        self.settings.bones |= found.is_some();
        self.joint = found;
    }

    /// Shows a document, or says why there is none; then the one before it stays.
    pub fn show(&mut self, document: Result<Document, Failure>) {
        let kept = self.kept.take();
        let shown = document.and_then(|mut document| {
            if let Some(clip) = self.wanted_clip.take() {
                document.player.play(&clip)?;
                document.measure()?;
            }
            self.scene.load(&document)?;
            Ok(document)
        });
        match shown {
            Ok(document) => {
                (self.joint, self.curves, self.error_curve, self.ghost, self.bounds) =
                    (None, None, None, None, None);
                self.wanted_mm = document.precision_mm;
                self.report = if kept.is_none() { !document.brought.is_empty() } else { self.report };
                (self.document, self.failure) = (Some(document), None);
                if kept.is_none() {
                    let (centre, radius) = self.ball();
                    self.camera.frame(centre, radius);
                    self.keep_step();
                }
                self.watch();
            }
            Err(failure) => self.failure = Some(failure),
        }
        if let Some(kept) = kept.filter(|_| self.failure.is_none()) {
            self.go_on(kept);
        }
    }

    /// As before, as far as what was there is there still.
    fn go_on(&mut self, kept: Kept) {
        let Some(document) = &self.document else { return };
        let skeleton = document.player.skeleton();
        self.joint = (0..skeleton.joint_count()).find(|j| Some(skeleton.name(*j)) == kept.joint.as_deref());
        if let Some(clip) = kept.clip.filter(|clip| document.clips.iter().any(|c| c.name == *clip)) {
            let panel = self.settings.panel;
            self.play(&clip);
            self.settings.panel = panel;
            self.scrub(kept.time_s);
            self.playing = kept.playing;
        }
    }

    /// The clip to show first of what is opened next.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn want_clip(&mut self, clip: Option<String>) {
        self.wanted_clip = clip;
    }

    /// Shows what is on its way when it is there.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn wait_for(&mut self, loading: Loading) {
        self.loading = Some(loading);
    }

    /// What is open, and the clip that plays.
    #[must_use]
    pub fn title(&self) -> (String, String) {
        let clip = |document: &Document| document.player.playing().unwrap_or_default().to_owned();
        self.document.as_ref().map(|d| (d.name.clone(), clip(d))).unwrap_or_default()
    }

    /// The states that a graph is in, one a layer; none if no graph plays.
    #[must_use]
    pub fn states(&self) -> Vec<&str> {
        match self.document.as_ref().map(|d| &d.driver) {
            Some(Driver::Graph(directed)) => directed.states(),
            _ => Vec::new(),
        }
    }

    /// True if time goes on.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// See [`Document::pose_hash`]; `None` if nothing is shown.
    pub fn pose_hash(&mut self) -> Option<u64> {
        self.document.as_mut()?.pose_hash().ok()
    }

    /// Vertices that [`lissom::job::SkinJob`] moved for the last frame: none while the GPU moves them.
    pub fn moved_on_cpu(&self) -> usize {
        self.scene.moved_on_cpu()
    }

    /// Shows what is open and nothing else.
    pub fn hide_floor(&mut self) {
        self.settings.floor = false;
    }

    /// Keeps the settings.
    pub fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, SETTINGS, &self.settings);
    }

    /// Takes up the settings that were kept, if any were.
    pub fn restore(&mut self, storage: &dyn eframe::Storage) {
        self.settings = eframe::get_value(storage, SETTINGS).unwrap_or_default();
    }

    /// What went wrong last, if anything.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// The time of the clip that plays, in seconds; `None` without one.
    #[must_use]
    pub fn time_s(&self) -> Option<f64> {
        let document = self.document.as_ref().filter(|d| self.shows_document() && d.plays_a_clip())?;
        document.player.playing()?;
        Some(document.player.time_s())
    }

    /// Goes to a time of the clip that plays, and pauses.
    pub fn scrub(&mut self, time_s: f64) {
        self.playing = false;
        // The end of a lap is the start of the next: what is asked for is just before.
        let last_s = self.duration_s() * (1.0 - 1e-9);
        let time_s = if time_s > last_s { last_s } else { time_s };
        if let Some(document) = &mut self.document
            && document.player.playing().is_some()
        {
            let done = document.player.scrub(time_s);
            self.tell(done);
            self.keep_step();
        }
    }

    /// Goes to a time and pauses: of the clip that plays, or since the start of whatever else decides.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn go_to(&mut self, time_s: f64) {
        self.scrub(time_s);
        if self.settings.panel.is_some_and(Panel::decides) {
            let steps = (time_s * 60.0) as u32;
            let done = (0..steps).try_for_each(|_| self.advance(1.0 / 60.0));
            self.tell(done);
            // At rest there would be nothing to see of what they do.
            self.playing = self.settings.panel.is_some_and(Panel::replaces);
        }
    }

    /// Starts a clip of the document.
    pub(crate) fn play(&mut self, clip: &str) {
        // Whoever else decided leaves it to the clip.
        self.settings.panel = self.settings.panel.filter(|panel| !panel.decides());
        let Some(document) = &mut self.document else { return };
        let options = lissom::player::PlayOptions {
            speed: self.speed,
            repeat: self.settings.repeats(),
            ..Default::default()
        };
        let done = document.player.play_with(clip, options);
        self.tell(done);
        self.keep_step();
        self.playing = true;
    }

    /// Plays at another speed, backward below 0.
    pub(crate) fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        if let Some(document) = &mut self.document {
            let done = document.player.set_speed(speed);
            self.tell(done);
            self.keep_step();
        }
    }

    pub(crate) fn tell<E: Into<Failure>>(&mut self, done: Result<(), E>) {
        if let Err(e) = done {
            self.failure = Some(e.into());
        }
    }

    /// The camera sees all of the document.
    pub(crate) fn frame_all(&mut self) {
        if self.shows_document()
            && let Some(document) = &mut self.document
        {
            let done = document.measure();
            let beside = self.second.document.as_mut().map_or(Ok(()), Document::measure);
            self.tell(done.and(beside));
        }
        let (centre, radius) = self.ball();
        self.camera.frame(centre, radius);
    }

    /// The same with the next frame.
    pub(crate) fn reframe(&mut self) {
        self.framed = None;
    }

    /// Advances by `dt_s` seconds: the document, or what is seen instead of it.
    fn advance(&mut self, dt_s: f64) -> Result<(), Failure> {
        let (eye, aspect) = (self.eye(), self.aspect());
        match (self.settings.panel, &mut self.document) {
            (Some(Panel::Crowd), _) => {
                let crowd = match &mut self.crowd {
                    Some(crowd) => crowd,
                    none => none.insert(CrowdScene::new()?),
                };
                crowd.update(dt_s * self.speed.max(0.0), self.settings.crowd, &eye, aspect)?;
            }
            (Some(Panel::World), _) => {
                let world = match &mut self.world {
                    Some(world) => world,
                    none => none.insert(WorldScene::new()?),
                };
                world.update(dt_s * self.speed.max(0.0))?;
            }
            (panel, Some(document)) => {
                document.drive_by(panel)?;
                document.update(dt_s, self.speed)?;
                if let Some(second) = &mut self.second.document {
                    second.update(dt_s, self.speed)?;
                }
            }
            (_, None) => {}
        }
        let panel = self.settings.panel.filter(|panel| panel.replaces());
        if panel != self.framed {
            self.framed = panel;
            self.frame_all();
        }
        Ok(())
    }

    /// One frame: input, time, panels, picture.
    pub fn ui(&mut self, ui: &mut egui::Ui) {
        let ctx = ui.ctx().clone();
        self.take_complaint();
        self.take_loaded();
        self.take_dropped(&ctx);
        #[cfg(not(target_arch = "wasm32"))]
        self.take_changed(&ctx);
        self.take_keys(&ctx);
        let started = Instant::now();
        let dt_s = f64::from(ctx.input(|i| i.stable_dt)).min(0.1);
        let dt_s = if self.playing { dt_s } else { 0.0 };
        #[cfg(not(target_arch = "wasm32"))]
        self.record_from();
        #[cfg(not(target_arch = "wasm32"))]
        let dt_s = self.recording.as_ref().map_or(dt_s, crate::export::Recording::dt_s);
        let done = self.advance(dt_s);
        self.tell(done);
        if self.playing {
            ctx.request_repaint();
        }
        panels::bar(self, ui);
        panels::timeline(self, ui);
        panels::side(self, ui);
        panels::right(self, ui);
        egui::CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| self.view(ui));
        #[cfg(not(target_arch = "wasm32"))]
        self.record_to(&ctx);
        panels::help(self, &ctx);
        panels::report(self, &ctx);
        #[cfg(not(target_arch = "wasm32"))]
        {
            panels::browse(self, &ctx);
            panels::recording(self, &ctx);
        }
        panels::loading(self, &ctx);
        self.frame_s = started.elapsed().as_secs_f64();
    }

    fn take_loaded(&mut self) {
        if let Some(done) = self.loading.as_ref().and_then(Loading::poll) {
            self.loading = None;
            self.show(done);
        }
        if let Some(done) = self.second.loading.as_ref().and_then(Loading::poll) {
            self.second.loading = None;
            self.show_beside(done);
        }
    }

    fn take_complaint(&mut self) {
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(text) = complaint {
            self.failure = Some(Failure(format!("the graphics device complains: {text}")));
        }
    }

    fn take_dropped(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        if dropped.is_empty() {
            return;
        }
        self.second.next |= ctx.input(|i| i.modifiers.shift);
        #[cfg(not(target_arch = "wasm32"))]
        self.take_files(dropped.iter().map(|file| file.path().to_path_buf()).collect(), ctx);
        #[cfg(target_arch = "wasm32")]
        {
            let beside = self.second.take_next();
            let opening = if beside { Opening::default() } else { self.onto() };
            let ctx = ctx.clone();
            let name = dropped[0].path().to_string_lossy().into_owned();
            let loading = Loading::start_async(name, crate::web::dropped(dropped), opening, move || {
                ctx.request_repaint()
            });
            *(if beside { &mut self.second.loading } else { &mut self.loading }) = Some(loading);
        }
    }

    /// Opens files beside the document if that was asked for, else onto what is there: a graph is played with its clips, motions are brought onto its character.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn take_files(&mut self, files: Vec<std::path::PathBuf>, ctx: &egui::Context) {
        let sources: Vec<_> = files.iter().cloned().map(Source::File).collect();
        match &sources[..] {
            _ if self.second.take_next() => self.open_beside(files, ctx),
            [graph] if graph.is_graph() && self.document.is_some() => self.open_graph(graph),
            _ => {
                (self.wanted_clip, self.kept) = (None, None);
                self.changes = Some(Changes::new(files));
                self.start(sources, self.onto(), ctx);
            }
        }
    }

    fn take_keys(&mut self, ctx: &egui::Context) {
        if ctx.egui_wants_keyboard_input() {
            return;
        }
        let pressed = |key| ctx.input(|i| i.key_pressed(key));
        if pressed(Key::Space) {
            self.playing = !self.playing;
        }
        if pressed(Key::F) {
            self.frame_all();
        }
        if pressed(Key::Questionmark) {
            self.help = !self.help;
        }
        if pressed(Key::Escape) {
            (self.help, self.report, self.failure, self.told) = (false, false, None, None);
        }
        use Key::{Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9};
        const DIGITS: [Key; 9] = [Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9];
        for nth in (0..DIGITS.len()).filter(|nth| pressed(DIGITS[*nth])) {
            if let Some(Driver::Graph(directed)) = self.document.as_mut().map(|d| &mut d.driver) {
                let done = directed.trigger(nth);
                self.tell(done);
            }
        }
        let duration_s = self.duration_s();
        let now = self.time_s().unwrap_or(0.0);
        for (key, time_s) in [
            (Key::ArrowLeft, now - FRAME_S),
            (Key::ArrowRight, now + FRAME_S),
            (Key::Home, 0.0),
            (Key::End, duration_s),
        ] {
            if pressed(key) {
                self.scrub(time_s.clamp(0.0, duration_s));
            }
        }
    }

    /// How long the clip that plays is, in seconds; 0 without one.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        let Some(document) = &self.document else { return 0.0 };
        let playing = document.player.playing();
        document.clips.iter().find(|c| Some(c.name.as_str()) == playing).map_or(0.0, |c| c.duration_s)
    }
}

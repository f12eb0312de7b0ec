//! The viewer but for its window: what is open, what the user does, what is drawn.

#[cfg(not(target_arch = "wasm32"))]
use crate::changes::{self, Changes};
use crate::{
    camera::Camera,
    document::{Document, Failure, Source},
    ghost::Ghost,
    loading::Loading,
    panels::{self, Curves, Panel},
    scene::{Lines, Scene, SkinOn, View, bones, grid},
};
use egui::{Key, Sense};
use egui_wgpu::RenderState;
use lissom::math::Vec3;
use lissom::track::Repeat;
use std::sync::{Arc, Mutex, PoisonError};
use web_time::Instant;

/// Steps of the arrow keys, in seconds.
const FRAME_S: f64 = 1.0 / 30.0;

/// Where a storage keeps [`Settings`].
const SETTINGS: &str = "settings";

/// What stays from one day to the next.
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
    pub skin_on: SkinOn,
    /// The camera goes where the root goes.
    pub follow: bool,
    pub repeat: bool,
    pub panel: Option<Panel>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            meshes: true,
            bones: false,
            floor: true,
            onion: false,
            trail: false,
            skin_on: SkinOn::Gpu,
            follow: false,
            repeat: true,
            panel: None,
        }
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
    scene: Scene,
    pub(crate) document: Option<Document>,
    pub(crate) loading: Option<Loading>,
    /// What went wrong last; the document before it stays.
    pub(crate) failure: Option<Failure>,
    pub(crate) camera: Camera,
    pub(crate) settings: Settings,
    pub(crate) playing: bool,
    pub(crate) speed: f64,
    pub(crate) joint: Option<usize>,
    pub(crate) search: String,
    pub(crate) help: bool,
    pub(crate) curves: Option<Curves>,
    ghost: Option<Ghost>,
    /// Where the scene was drawn last.
    seen: Option<egui::Rect>,
    /// Where the precision's slider stands, in millimetres.
    pub(crate) wanted_mm: Option<f64>,
    /// The clip to show first, until there is a document.
    wanted_clip: Option<String>,
    /// If files are opened again.
    kept: Option<Kept>,
    #[cfg(not(target_arch = "wasm32"))]
    changes: Option<Changes>,
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
            loading: None,
            failure: None,
            camera: Camera::default(),
            settings: Settings::default(),
            playing: true,
            speed: 1.0,
            joint: None,
            search: String::new(),
            help: false,
            curves: None,
            ghost: None,
            seen: None,
            wanted_mm: None,
            wanted_clip: None,
            kept: None,
            #[cfg(not(target_arch = "wasm32"))]
            changes: None,
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
        let ctx = ctx.clone();
        let sources = files.iter().cloned().map(Source::File).collect();
        self.changes = Some(Changes::new(files));
        self.loading = Some(Loading::start(sources, move || ctx.request_repaint()));
    }

    /// Opens files again that have changed.
    #[cfg(not(target_arch = "wasm32"))]
    fn take_changed(&mut self, ctx: &egui::Context) {
        let Some(changes) = &mut self.changes else { return };
        ctx.request_repaint_after(changes::EVERY);
        if self.loading.is_some() || !changes.look(Instant::now()) {
            return;
        }
        let sources = changes.files().iter().cloned().map(Source::File).collect();
        self.open_again(sources, None, ctx);
    }

    /// Cooks what is open again, to another precision.
    pub(crate) fn recook(&mut self, precision_mm: f64, ctx: &egui::Context) {
        if let Some(document) = &self.document {
            self.open_again(document.sources.clone(), Some(precision_mm), ctx);
        }
    }

    /// Opens files again and goes on where it is.
    fn open_again(&mut self, sources: Vec<Source>, precision_mm: Option<f64>, ctx: &egui::Context) {
        self.kept = self.document.as_ref().map(|document| Kept {
            clip: document.player.playing().map(String::from),
            time_s: document.player.time_s(),
            playing: self.playing,
            joint: self.joint.map(|joint| document.player.skeleton().name(joint).into()),
        });
        let ctx = ctx.clone();
        let wake = move || ctx.request_repaint();
        #[cfg(not(target_arch = "wasm32"))]
        let loading = Loading::start_within(sources, precision_mm, wake);
        #[cfg(target_arch = "wasm32")]
        let loading = {
            let name = sources.first().map_or_else(|| "mannequin".into(), Source::title);
            Loading::start_async(name, core::future::ready(Ok(sources)), precision_mm, wake)
        };
        self.loading = Some(loading);
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
                (self.joint, self.curves, self.ghost) = (None, None, None);
                self.wanted_mm = document.precision_mm;
                if kept.is_none() {
                    self.camera.frame(document.centre, document.radius);
                }
                (self.document, self.failure) = (Some(document), None);
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

    /// True if time goes on.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// See [`Document::pose_hash`]; `None` if nothing is shown.
    pub fn pose_hash(&mut self) -> Option<u64> {
        self.document.as_mut()?.pose_hash().ok()
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
        let document = self.document.as_ref().filter(|d| d.plays_a_clip())?;
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
        }
    }

    /// Goes to a time and pauses: of the clip that plays, or since the start of whatever else decides.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn go_to(&mut self, time_s: f64) {
        self.scrub(time_s);
        let panel = self.settings.panel;
        if let Some(document) = &mut self.document {
            let steps = if panel.is_some_and(Panel::decides) { (time_s * 60.0) as u32 } else { 0 };
            let done = document
                .drive_by(panel)
                .and_then(|()| (0..steps).try_for_each(|_| document.update(1.0 / 60.0, 1.0)));
            self.tell(done);
        }
    }

    /// Starts a clip of the document.
    pub(crate) fn play(&mut self, clip: &str) {
        // Whoever else decided leaves it to the clip.
        self.settings.panel = self.settings.panel.filter(|panel| !panel.decides());
        let Some(document) = &mut self.document else { return };
        let options = lissom::player::PlayOptions {
            speed: self.speed,
            repeat: if self.settings.repeat { Repeat::Loop } else { Repeat::Once },
            ..Default::default()
        };
        let done = document.player.play_with(clip, options);
        self.tell(done);
        self.playing = true;
    }

    /// Plays at another speed, backward below 0.
    pub(crate) fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        if let Some(document) = &mut self.document {
            let done = document.player.set_speed(speed);
            self.tell(done);
        }
    }

    pub(crate) fn tell<E: Into<Failure>>(&mut self, done: Result<(), E>) {
        if let Err(e) = done {
            self.failure = Some(e.into());
        }
    }

    /// The camera sees all of the document.
    pub(crate) fn frame_all(&mut self) {
        if let Some(document) = &mut self.document {
            let done = document.measure();
            self.camera.frame(document.centre, document.radius);
            self.tell(done);
        }
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
        if let Some(document) = &mut self.document {
            let done = document
                .drive_by(self.settings.panel)
                .and_then(|()| if self.playing { document.update(dt_s, self.speed) } else { Ok(()) });
            self.tell(done);
        }
        if self.playing {
            ctx.request_repaint();
        }
        panels::bar(self, ui);
        panels::timeline(self, ui);
        panels::side(self, ui);
        panels::right(self, ui);
        egui::CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| self.view(ui));
        panels::help(self, &ctx);
        panels::loading(self, &ctx);
        self.frame_s = started.elapsed().as_secs_f64();
    }

    fn take_loaded(&mut self) {
        let Some(done) = self.loading.as_ref().and_then(Loading::poll) else { return };
        self.loading = None;
        self.show(done);
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
        #[cfg(not(target_arch = "wasm32"))]
        self.open(dropped.iter().map(|file| file.path().to_path_buf()).collect(), None, ctx);
        #[cfg(target_arch = "wasm32")]
        {
            let ctx = ctx.clone();
            let name = dropped[0].path().to_string_lossy().into_owned();
            self.loading = Some(Loading::start_async(name, crate::web::dropped(dropped), None, move || {
                ctx.request_repaint()
            }));
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
            (self.help, self.failure) = (false, None);
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

    /// The picture, and the mouse on it.
    fn view(&mut self, ui: &mut egui::Ui) {
        let (rect, response) =
            ui.allocate_exact_size(ui.available_size().max(egui::Vec2::splat(1.0)), Sense::click_and_drag());
        self.seen = Some(rect);
        let drag = response.drag_delta();
        let shift = ui.input(|i| i.modifiers.shift);
        let height = rect.height().max(1.0);
        if response.dragged_by(egui::PointerButton::Primary) && !shift {
            self.camera.orbit(drag.x * 0.008, drag.y * 0.008);
        } else if response.dragged() {
            self.camera.pan(drag.x / height, drag.y / height);
        }
        if response.hovered() {
            let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta.y, i.zoom_delta()));
            self.camera.zoom(libm::expf(scroll * 0.002) * pinch);
        }
        if response.double_clicked() {
            self.frame_all();
        }
        let under = response.hover_pos().and_then(|pointer| self.joint_under(pointer, rect));
        if response.clicked() {
            self.joint = under;
        }
        let size =
            [rect.width(), rect.height()].map(|side| (side * ui.pixels_per_point()).round().max(1.0) as u32);
        let dark = ui.visuals().dark_mode;
        match self.draw(size, dark) {
            Ok(picture) => {
                let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                ui.painter().image(picture, rect, whole, egui::Color32::WHITE);
            }
            Err(failure) => self.failure = Some(failure),
        }
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "scene"));
        if let (Some(joint), Some(document)) = (under, &self.document) {
            response.on_hover_text_at_pointer(document.body().skeleton().name(joint));
        }
    }

    /// Bones are drawn: they are asked for, or there is nothing else to see.
    fn shows_bones(&self) -> bool {
        let bare = self.document.as_ref().is_some_and(|d| d.surfaces.is_empty());
        self.settings.bones || !self.settings.meshes || bare
    }

    /// The camera as it is used: it may follow the root.
    fn eye(&self) -> Camera {
        let mut camera = self.camera;
        let root = self.document.as_ref().and_then(|d| d.body().models().first());
        if let Some(root) = root.filter(|_| self.settings.follow) {
            camera.target += Vec3::new(root.w_axis.x, 0.0, root.w_axis.z);
        }
        camera
    }

    /// Where a joint is drawn, in points of the window; `None` if there is no such joint, or nothing was drawn.
    #[must_use]
    pub fn place_of(&self, joint: &str) -> Option<egui::Pos2> {
        let document = self.document.as_ref()?;
        let model = document.body().models()[document.body().skeleton().find(joint)?];
        let rect = self.seen?;
        let project = self.eye().view_projection(rect.width() / rect.height().max(1.0));
        place(project * model.w_axis, rect)
    }

    /// The joint that is drawn nearest to a place, if that is near.
    fn joint_under(&self, pointer: egui::Pos2, rect: egui::Rect) -> Option<usize> {
        const NEAR: f32 = 10.0;
        let document = self.document.as_ref().filter(|_| self.shows_bones())?;
        let project = self.eye().view_projection(rect.width() / rect.height().max(1.0));
        let distance = |model: &lissom::math::Mat4| {
            place(project * model.w_axis, rect).map_or(f32::INFINITY, |place| (place - pointer).length())
        };
        let all = document.body().models().iter().map(distance).enumerate();
        all.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, far)| *far < NEAR).map(|(joint, _)| joint)
    }

    fn draw(&mut self, size: [u32; 2], dark: bool) -> Result<egui::TextureId, Failure> {
        let (background, ink) = if dark { ([0.13, 0.15, 0.18], 0.75) } else { ([0.92, 0.91, 0.88], 0.25) };
        let mut overlay = Lines::default();
        let mut floor = Lines::default();
        let camera = self.eye();
        let duration_s = self.duration_s();
        let shows_bones = self.shows_bones();
        if let Some(document) = &self.document {
            if self.settings.floor {
                floor = grid(document.radius * 2.5, [ink, ink, ink, 0.5]);
            }
            if document.plays_a_clip() && (self.settings.onion || self.settings.trail) {
                let ghost = self.ghost.get_or_insert_with(|| Ghost::new(document));
                if self.settings.onion {
                    ghost.onion(document, duration_s, &mut overlay)?;
                }
                if self.settings.trail {
                    ghost.trail(document, duration_s, self.joint.unwrap_or(0), &mut overlay)?;
                }
            }
            if shows_bones {
                let color = if dark { [0.55, 0.8, 0.95, 1.0] } else { [0.1, 0.35, 0.55, 1.0] };
                let body = document.body();
                bones(body.skeleton(), body.models(), self.joint, color, &mut overlay);
            }
        }
        let view = View {
            camera: &camera,
            size,
            background,
            skin_on: self.settings.skin_on,
            meshes: self.settings.meshes,
            shadow: self.settings.floor.then(|| background.map(|c| c as f32 * if dark { 0.65 } else { 0.8 })),
            floor: &floor,
            overlay: &overlay,
        };
        self.scene.draw(self.document.as_mut(), &view)
    }
}

/// From clip space to a part of the window; `None` behind the camera.
fn place(clip: lissom::math::Vec4, rect: egui::Rect) -> Option<egui::Pos2> {
    let share = egui::vec2(clip.x / clip.w, -clip.y / clip.w) * 0.5 + egui::vec2(0.5, 0.5);
    (clip.w > 0.0).then(|| rect.min + share * rect.size())
}

//! The viewer but for its window: what is open, what the user does, what is drawn.

use crate::{
    camera::Camera,
    document::{Document, Failure, Loading},
    panels,
    scene::{Lines, Scene, SkinOn, View, bones, grid},
};
use egui::{Key, Sense};
use egui_wgpu::RenderState;
use lissom::math::Vec3;
use lissom::track::Repeat;
use std::path::PathBuf;

/// Steps of the arrow keys, in seconds.
const FRAME_S: f64 = 1.0 / 30.0;

/// What is shown beside the meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub meshes: bool,
    pub bones: bool,
    pub floor: bool,
    pub path: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Self { meshes: true, bones: false, floor: true, path: false }
    }
}

/// All of the viewer but the window.
pub struct Viewer {
    scene: Scene,
    pub(crate) document: Option<Document>,
    pub(crate) loading: Option<Loading>,
    /// What went wrong last; the document before it stays.
    pub(crate) failure: Option<Failure>,
    pub(crate) camera: Camera,
    pub(crate) shown: Shown,
    pub(crate) skin_on: SkinOn,
    pub(crate) follow: bool,
    pub(crate) playing: bool,
    pub(crate) speed: f64,
    pub(crate) repeat: bool,
    pub(crate) joint: Option<usize>,
    pub(crate) search: String,
    pub(crate) help: bool,
    /// The clip to show first, until there is a document.
    wanted_clip: Option<String>,
    /// Seconds of updating and drawing, without the GPU's own time; the last frame's.
    pub(crate) frame_s: f64,
}

impl Viewer {
    /// An empty viewer that draws with this device.
    #[must_use]
    pub fn new(state: &RenderState) -> Self {
        Self {
            scene: Scene::new(state),
            document: None,
            loading: None,
            failure: None,
            camera: Camera::default(),
            shown: Shown::default(),
            skin_on: SkinOn::default(),
            follow: false,
            playing: true,
            speed: 1.0,
            repeat: true,
            joint: None,
            search: String::new(),
            help: false,
            wanted_clip: None,
            frame_s: 0.0,
        }
    }

    /// Starts to open files on a thread of its own; none: the mannequin, at once.
    pub fn open(&mut self, paths: Vec<PathBuf>, clip: Option<String>, ctx: &egui::Context) {
        self.wanted_clip = clip;
        if paths.is_empty() {
            self.show(Document::mannequin());
            return;
        }
        let ctx = ctx.clone();
        self.loading = Some(Loading::start(paths, move || ctx.request_repaint()));
    }

    /// Shows a document, or says why there is none; then the one before it stays.
    pub fn show(&mut self, document: Result<Document, Failure>) {
        let shown = document.and_then(|mut document| {
            if let Some(clip) = self.wanted_clip.take() {
                document.player.play(&clip)?;
                document.measure()?;
            }
            self.scene.load(&document)?;
            self.camera.frame(document.centre, document.radius);
            self.joint = None;
            Ok(document)
        });
        match shown {
            Ok(document) => (self.document, self.failure) = (Some(document), None),
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// What went wrong last, if anything.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// The time of the clip that plays, in seconds; `None` without one.
    #[must_use]
    pub fn time_s(&self) -> Option<f64> {
        let player = &self.document.as_ref()?.player;
        player.playing()?;
        Some(player.time_s())
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

    /// Starts a clip of the document.
    pub(crate) fn play(&mut self, clip: &str) {
        let Some(document) = &mut self.document else { return };
        let options = lissom::player::PlayOptions {
            speed: self.speed,
            repeat: if self.repeat { Repeat::Loop } else { Repeat::Once },
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
        self.take_loaded();
        self.take_dropped(&ctx);
        self.take_keys(&ctx);
        let started = std::time::Instant::now();
        let dt_s = f64::from(ctx.input(|i| i.stable_dt)).min(0.1);
        if self.playing
            && let Some(document) = &mut self.document
        {
            let done = document.player.update(dt_s);
            self.tell(done);
            ctx.request_repaint();
        }
        panels::bar(self, ui);
        panels::timeline(self, ui);
        panels::side(self, ui);
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

    fn take_dropped(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        if !dropped.is_empty() {
            self.open(dropped.iter().map(|file| file.path().to_path_buf()).collect(), None, ctx);
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

    /// How long the clip that plays is.
    pub(crate) fn duration_s(&self) -> f64 {
        let Some(document) = &self.document else { return 0.0 };
        let playing = document.player.playing();
        document.clips.iter().find(|c| Some(c.name.as_str()) == playing).map_or(0.0, |c| c.duration_s)
    }

    /// The picture, and the mouse on it.
    fn view(&mut self, ui: &mut egui::Ui) {
        let (rect, response) =
            ui.allocate_exact_size(ui.available_size().max(egui::Vec2::splat(1.0)), Sense::click_and_drag());
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
    }

    fn draw(&mut self, size: [u32; 2], dark: bool) -> Result<egui::TextureId, Failure> {
        let (background, ink) = if dark { ([0.13, 0.15, 0.18], 0.75) } else { ([0.92, 0.91, 0.88], 0.25) };
        let mut overlay = Lines::default();
        let mut floor = Lines::default();
        let mut camera = self.camera;
        if let Some(document) = &self.document {
            let models = document.player.models();
            let skeleton = document.player.skeleton();
            if self.follow
                && let Some(root) = models.first().map(|m| m.w_axis.truncate())
            {
                camera.target += Vec3::new(root.x, 0.0, root.z);
            }
            if self.shown.floor {
                floor = grid(document.radius * 2.5, [ink, ink, ink, 0.5]);
            }
            // Without a mesh there is nothing else to see.
            if self.shown.bones || !self.shown.meshes || document.surfaces.is_empty() {
                let color = if dark { [0.55, 0.8, 0.95, 1.0] } else { [0.1, 0.35, 0.55, 1.0] };
                bones(skeleton, models, self.joint, color, &mut overlay);
            }
        }
        let view = View {
            camera: &camera,
            size,
            background,
            skin_on: self.skin_on,
            meshes: self.shown.meshes,
            shadow: self.shown.floor.then(|| background.map(|c| c as f32 * if dark { 0.65 } else { 0.8 })),
            floor: &floor,
            overlay: &overlay,
        };
        self.scene.draw(self.document.as_mut(), &view)
    }
}

//! The panels round the picture.

mod bar;
#[cfg(not(target_arch = "wasm32"))]
mod browse;
mod compression;
mod crowd;
mod curves;
mod diagram;
mod graph;
mod graph_edit;
mod mix;
mod side;
mod timeline;
mod world;

pub(crate) use bar::bar;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use browse::{Browser, browse};
pub(crate) use curves::Curves;
pub(crate) use side::side;
pub(crate) use timeline::timeline;

use crate::{document::Failure, loading::Loading, viewer::Viewer};

/// What stands at the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub enum Panel {
    /// Clips with weights.
    Mix,
    /// States, transitions, parameters.
    Graph,
    /// What clips take, and how far off they are.
    Compression,
    /// What the chosen joint does.
    Curves,
    /// Many characters instead of the document.
    Crowd,
    /// A hierarchy instead of the document.
    World,
}

impl Panel {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Mix, Self::Graph, Self::Compression, Self::Curves, Self::Crowd, Self::World];

    /// True if it says what moves and how, instead of the clip that plays.
    pub(crate) const fn decides(self) -> bool {
        matches!(self, Self::Mix | Self::Graph) || self.replaces()
    }

    /// True if it shows something else than the document.
    pub(crate) const fn replaces(self) -> bool {
        matches!(self, Self::Crowd | Self::World)
    }

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mix => "mix",
            Self::Graph => "graph",
            Self::Compression => "compression",
            Self::Curves => "curves",
            Self::Crowd => "crowd",
            Self::World => "world",
        }
    }
}

impl core::str::FromStr for Panel {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let names = Self::ALL.map(Self::name).join(", ");
        let named = Self::ALL.into_iter().find(|panel| panel.name() == text);
        named.ok_or_else(|| Failure(format!("there is no panel {text}, but {names}")))
    }
}

/// The panel at the right, if one is open.
pub(crate) fn right(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let Some(panel) = viewer.settings.panel else { return };
    let most = ui.available_width() * 0.6;
    egui::Panel::right("right").default_size(300.0).max_size(most).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false; 2]).show(ui, |ui| match panel {
            Panel::Mix => mix::mix(viewer, ui),
            Panel::Graph => graph::graph(viewer, ui),
            Panel::Compression => compression::compression(viewer, ui),
            Panel::Curves => curves::curves(viewer, ui),
            Panel::Crowd => crowd::crowd(viewer, ui),
            Panel::World => world::world(viewer, ui),
        });
    });
}

/// Which keys do what.
pub(crate) fn help(viewer: &mut Viewer, ctx: &egui::Context) {
    const KEYS: [(&str, &str); 13] = [
        ("space", "play and pause"),
        ("left, right", "a frame back, a frame on"),
        ("home, end", "to the start, to the end"),
        ("F, double click", "all in view"),
        ("1 to 9", "the triggers of a graph"),
        ("click on a joint", "choose it, where the skeleton is shown"),
        ("drag", "turn"),
        ("shift or right drag", "move"),
        ("wheel", "nearer, farther"),
        ("drop files", "open them; motions come onto the character"),
        ("shift while dropping", "open them beside what is open"),
        ("drop a graph (.json)", "play it with the clips that are open"),
        ("?", "this"),
    ];
    let mut open = viewer.help;
    egui::Window::new("Keys and mouse").open(&mut open).resizable(false).collapsible(false).show(ctx, |ui| {
        egui::Grid::new("keys").num_columns(2).striped(true).show(ui, |ui| {
            for (key, what) in KEYS {
                ui.strong(key);
                ui.label(what);
                ui.end_row();
            }
        });
    });
    viewer.help = open;
}

/// What became of motions that were brought onto the character.
pub(crate) fn report(viewer: &mut Viewer, ctx: &egui::Context) {
    let Some(document) = &viewer.document else { return };
    let mut open = viewer.report;
    let title = format!("Brought onto {}", document.name);
    let window = egui::Window::new(title).id(egui::Id::unique("brought")).open(&mut open).collapsible(false);
    window.default_width(420.0).show(ctx, |ui| {
        egui::ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
            for brought in &document.brought {
                ui.strong(&brought.file);
                match &brought.clips[..] {
                    [] => ui.colored_label(ui.visuals().error_fg_color, "nothing came of it"),
                    clips => ui.label(clips.join(", ")),
                };
                brought.notes.iter().for_each(|note| {
                    ui.weak(note);
                });
            }
        });
    });
    viewer.report = open;
}

/// How far a moving picture is.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn recording(viewer: &mut Viewer, ctx: &egui::Context) {
    let Some(recording) = &viewer.recording else { return };
    let (done, all) = recording.progress();
    let mut cancel = false;
    egui::Window::new("recording").title_bar(false).resizable(false).show(ctx, |ui| {
        ui.strong(format!("Recording {done} of {all}"));
        cancel = ui.button("cancel").clicked();
    });
    if cancel {
        viewer.recording = None;
    }
}

/// How far a file is.
pub(crate) fn loading(viewer: &mut Viewer, ctx: &egui::Context) {
    let both = [&mut viewer.loading, &mut viewer.second.loading];
    for (slot, (id, down)) in both.into_iter().zip([("opening", 0.0), ("opening beside", 100.0)]) {
        if let Some(loading) = slot
            && progress(loading, id, down, ctx)
        {
            *slot = None;
        }
    }
}

/// True if it is to be cancelled.
fn progress(loading: &Loading, id: &str, down: f32, ctx: &egui::Context) -> bool {
    let (done, all, what) = loading.progress();
    let title = format!("Opening {}", loading.name());
    let mut cancel = false;
    egui::Window::new(id)
        .title_bar(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, down])
        .show(ctx, |ui| {
            ui.strong(title);
            ui.add(egui::ProgressBar::new(done as f32 / all.max(1) as f32).desired_width(260.0));
            ui.horizontal(|ui| {
                cancel = ui.button("cancel").clicked();
                ui.weak(what);
            });
        });
    cancel
}

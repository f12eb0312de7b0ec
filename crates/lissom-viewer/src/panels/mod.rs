//! The panels round the picture.

mod compression;
mod curves;
mod graph;
mod mix;
mod side;
mod timeline;

pub(crate) use curves::Curves;
pub(crate) use side::side;
pub(crate) use timeline::timeline;

use crate::viewer::Viewer;

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
}

impl Panel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Mix, Self::Graph, Self::Compression, Self::Curves];

    /// True if it says what the character does, instead of the clip that plays.
    pub(crate) const fn decides(self) -> bool {
        matches!(self, Self::Mix | Self::Graph)
    }

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mix => "mix",
            Self::Graph => "graph",
            Self::Compression => "compression",
            Self::Curves => "curves",
        }
    }
}

/// The panel at the right, if one is open.
pub(crate) fn right(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let Some(panel) = viewer.settings.panel else { return };
    egui::Panel::right("right").default_size(300.0).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false; 2]).show(ui, |ui| match panel {
            Panel::Mix => mix::mix(viewer, ui),
            Panel::Graph => graph::graph(viewer, ui),
            Panel::Compression => compression::compression(viewer, ui),
            Panel::Curves => curves::curves(viewer, ui),
        });
    });
}

/// The line at the top: what is open, and what went wrong.
pub(crate) fn bar(viewer: &mut Viewer, ui: &mut egui::Ui) {
    egui::Panel::top("bar").show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.strong("Lissom");
            ui.separator();
            match &viewer.document {
                Some(document) => {
                    ui.label(&document.name);
                    let joints = document.player.skeleton().joint_count();
                    let joints = count(joints, "joint", "joints");
                    let meshes = count(document.surfaces.len(), "mesh", "meshes");
                    let clips = count(document.clips.len(), "clip", "clips");
                    let kilobytes = document.bytes.div_ceil(1000);
                    let facts = format!("{joints}, {meshes}, {clips}, {kilobytes} kB");
                    // What does not fit beside the buttons is told to who asks.
                    if ui.available_width() > 570.0 {
                        ui.weak(facts);
                    } else {
                        ui.weak("…").on_hover_text(facts);
                    }
                    if !document.notes.is_empty() {
                        let notes = count(document.notes.len(), "note", "notes");
                        ui.weak(notes).on_hover_text(document.notes.join("\n"));
                    }
                }
                None => {
                    ui.weak("drop a file here: .lsm, .glb, .gltf, .vrm, .bvh, .ozz, .fbx");
                }
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("?").on_hover_text("keys and mouse").clicked() {
                    viewer.help = !viewer.help;
                }
                let dark = ui.visuals().dark_mode;
                if ui.button(if dark { "light" } else { "dark" }).clicked() {
                    ui.ctx().set_theme(if dark { egui::Theme::Light } else { egui::Theme::Dark });
                }
                for panel in Panel::ALL.into_iter().rev() {
                    let open = viewer.settings.panel == Some(panel);
                    if ui.selectable_label(open, panel.name()).clicked() {
                        viewer.settings.panel = (!open).then_some(panel);
                    }
                }
                if viewer.playing {
                    let frame = format!("{:.2} ms", viewer.frame_s * 1e3);
                    ui.weak(frame).on_hover_text("a frame on the CPU");
                }
            });
        });
        if let Some(failure) = viewer.failure.clone() {
            ui.horizontal_wrapped(|ui| {
                ui.colored_label(ui.visuals().error_fg_color, failure.to_string());
                if ui.small_button("close").clicked() {
                    viewer.failure = None;
                }
            });
        }
    });
}

/// `1 mesh`, `2 meshes`.
fn count(n: usize, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

/// Which keys do what.
pub(crate) fn help(viewer: &mut Viewer, ctx: &egui::Context) {
    const KEYS: [(&str, &str); 10] = [
        ("space", "play and pause"),
        ("left, right", "a frame back, a frame on"),
        ("home, end", "to the start, to the end"),
        ("F, double click", "all in view"),
        ("click on a joint", "choose it, where the skeleton is shown"),
        ("drag", "turn"),
        ("shift or right drag", "move"),
        ("wheel", "nearer, farther"),
        ("drop files", "open them, together"),
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

/// How far a file is.
pub(crate) fn loading(viewer: &mut Viewer, ctx: &egui::Context) {
    let Some(loading) = &viewer.loading else { return };
    let (done, all, what) = loading.progress();
    let title = format!("Opening {}", loading.name());
    let mut cancel = false;
    egui::Window::new("opening")
        .title_bar(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .show(ctx, |ui| {
            ui.strong(title);
            ui.add(egui::ProgressBar::new(done as f32 / all.max(1) as f32).desired_width(260.0));
            ui.horizontal(|ui| {
                cancel = ui.button("cancel").clicked();
                ui.weak(what);
            });
        });
    if cancel {
        viewer.loading = None;
    }
}

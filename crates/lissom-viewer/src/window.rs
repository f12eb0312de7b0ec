//! The viewer in a window.

use crate::{document::Failure, viewer::Viewer};
use std::path::PathBuf;

/// Opens a window and shows files in it, the mannequin if there are none; returns when it is closed.
///
/// # Errors
///
/// If there is no screen or no graphics device.
pub fn run(files: Vec<PathBuf>, clip: Option<String>, light: bool) -> Result<(), Failure> {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]).with_title("Lissom"),
        ..Default::default()
    };
    let make: eframe::AppCreator<'_> = Box::new(move |cc| {
        let state = cc.wgpu_render_state.as_ref().ok_or("the window was not made for wgpu")?;
        cc.egui_ctx.set_theme(if light { egui::Theme::Light } else { egui::Theme::Dark });
        let mut viewer = Viewer::new(state);
        viewer.open(files, clip, &cc.egui_ctx);
        Ok(Box::new(Window(viewer)))
    });
    eframe::run_native("lissom-viewer", options, make).map_err(|e| Failure(format!("{e}; {NO_DEVICE}")))
}

/// What helps where there is none.
pub(crate) const NO_DEVICE: &str = "a software device comes with `apt install mesa-vulkan-drivers`";

struct Window(Viewer);

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.0.ui(ui);
    }
}

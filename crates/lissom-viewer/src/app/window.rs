//! The viewer in a window.

use super::start::start;
use crate::{failure::Failure, viewer::Viewer};

/// Opens a window and shows files in it, the mannequin if there are none, and others beside them; returns when it is closed.
///
/// # Errors
///
/// If there is no screen or no graphics device.
pub fn run(
    files: Vec<std::path::PathBuf>,
    beside: Vec<std::path::PathBuf>,
    clip: Option<String>,
    light: bool,
) -> Result<(), Failure> {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]).with_title("Lissom"),
        ..Default::default()
    };
    let make: eframe::AppCreator<'_> = Box::new(move |cc| {
        let mut viewer = start(cc, light)?;
        viewer.open(files, clip, &cc.egui_ctx);
        if !beside.is_empty() {
            viewer.open_beside(beside, &cc.egui_ctx);
        }
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

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.0.save(storage);
    }
}

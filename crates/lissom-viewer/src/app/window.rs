//! The viewer in a window.

#[cfg(not(target_arch = "wasm32"))]
use crate::document::Failure;
use crate::viewer::Viewer;

/// Opens a window and shows files in it, the mannequin if there are none, and others beside them; returns when it is closed.
///
/// # Errors
///
/// If there is no screen or no graphics device.
#[cfg(not(target_arch = "wasm32"))]
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

/// An empty viewer with the settings of the last time.
pub(crate) fn start(cc: &eframe::CreationContext<'_>, light: bool) -> Result<Viewer, &'static str> {
    let state = cc.wgpu_render_state.as_ref().ok_or("the window was not made for wgpu")?;
    let mut viewer = Viewer::new(state);
    if light {
        cc.egui_ctx.set_theme(egui::Theme::Light);
    } else if cc.storage.is_none_or(|storage| storage.get_string("egui").is_none()) {
        cc.egui_ctx.set_theme(egui::Theme::Dark);
    }
    if let Some(storage) = cc.storage {
        viewer.restore(storage);
    }
    Ok(viewer)
}

/// What helps where there is none.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const NO_DEVICE: &str = "a software device comes with `apt install mesa-vulkan-drivers`";

#[cfg(not(target_arch = "wasm32"))]
struct Window(Viewer);

#[cfg(not(target_arch = "wasm32"))]
impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.0.ui(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.0.save(storage);
    }
}

//! What a window and a page begin with.

use crate::{look::dress, viewer::Viewer};

/// An empty viewer with the settings of the last time.
pub(crate) fn start(cc: &eframe::CreationContext<'_>, light: bool) -> Result<Viewer, &'static str> {
    let state = cc.wgpu_render_state.as_ref().ok_or("the window was not made for wgpu")?;
    let mut viewer = Viewer::new(state);
    dress(&cc.egui_ctx);
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

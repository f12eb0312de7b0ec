//! The window that files are opened from.

use crate::state::{Command, Commands, View};
use std::path::PathBuf;

/// Shows it, if it is open.
pub(crate) fn browse(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    let Some(browser) = &view.ui.browser else { return };
    let mut open = true;
    egui::Window::new("Open")
        .open(&mut open)
        .collapsible(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .default_width(380.0)
        .show(ctx, |ui| {
            let mut path = browser.path.clone();
            let typed = ui.add(egui::TextEdit::singleline(&mut path).desired_width(f32::INFINITY));
            typed.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "path"));
            if typed.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter)) {
                commands.push(Command::BrowseTo(PathBuf::from(path.trim())));
            } else if path != browser.path {
                commands.push(Command::BrowsePath(path));
            }
            if let Some(wrong) = &browser.wrong {
                ui.colored_label(ui.visuals().error_fg_color, wrong);
            }
            let row = ui.text_style_height(&egui::TextStyle::Body);
            let list = egui::ScrollArea::vertical().max_height(320.0).auto_shrink([false; 2]);
            list.show_rows(ui, row, browser.entries.len() + 1, |ui, rows| {
                for row in rows {
                    let Some(entry) = row.checked_sub(1) else {
                        if ui.selectable_label(false, "..").clicked() {
                            let above = browser.folder.parent();
                            commands.extend(above.map(|folder| Command::BrowseTo(folder.into())));
                        }
                        continue;
                    };
                    let (is_folder, name) = &browser.entries[entry];
                    let label = if *is_folder { format!("{name}/") } else { name.clone() };
                    if ui.selectable_label(false, label).clicked() {
                        commands.push(Command::BrowseTo(browser.folder.join(name)));
                    }
                }
            });
        });
    if !open {
        commands.push(Command::CloseBrowser);
    }
}

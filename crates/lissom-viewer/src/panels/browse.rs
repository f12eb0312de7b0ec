//! The window that files are opened from: a folder's files that the viewer can read.
//!
//! A list instead of the desktop's own dialog, which would bring an asynchronous runtime and D-Bus on Linux, and cannot be driven by
//! tests.

use crate::viewer::Viewer;
use std::path::{Path, PathBuf};

/// What the viewer opens.
const KNOWN: [&str; 9] = ["lsm", "glb", "gltf", "vrm", "bvh", "ozz", "fbx", "json", "sjson"];

/// A folder that is looked through.
pub(crate) struct Browser {
    /// What is typed: a folder, or a file.
    path: String,
    folder: PathBuf,
    /// Folders first, then files, each by name.
    entries: Vec<(bool, String)>,
    wrong: Option<String>,
}

impl Browser {
    pub fn new(folder: &Path) -> Self {
        let mut browser =
            Self { path: String::new(), folder: PathBuf::new(), entries: Vec::new(), wrong: None };
        browser.go(folder);
        browser
    }

    fn go(&mut self, folder: &Path) {
        match entries(folder) {
            Ok(entries) => {
                (self.folder, self.entries, self.wrong) = (folder.into(), entries, None);
                self.path = folder.display().to_string();
            }
            Err(e) => self.wrong = Some(format!("{}: {e}", folder.display())),
        }
    }
}

/// A folder's folders and the files that can be opened; names that begin with a dot are hidden.
fn entries(folder: &Path) -> std::io::Result<Vec<(bool, String)>> {
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let known = path.extension().is_some_and(|e| KNOWN.iter().any(|known| e.eq_ignore_ascii_case(known)));
        if !name.starts_with('.') && (path.is_dir() || known) {
            found.push((path.is_dir(), name));
        }
    }
    found.sort_by_key(|(folder, name)| (!folder, name.to_lowercase()));
    Ok(found)
}

/// Shows it, if it is open.
pub(crate) fn browse(viewer: &mut Viewer, ctx: &egui::Context) {
    let Some(browser) = &mut viewer.browser else { return };
    let (mut open, mut chosen) = (true, None);
    egui::Window::new("Open").open(&mut open).collapsible(false).default_width(380.0).show(ctx, |ui| {
        let typed = ui.add(egui::TextEdit::singleline(&mut browser.path).desired_width(f32::INFINITY));
        typed.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "path"));
        if typed.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter)) {
            chosen = Some(PathBuf::from(browser.path.trim()));
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
                        chosen = browser.folder.parent().map(Path::to_path_buf);
                    }
                    continue;
                };
                let (is_folder, name) = &browser.entries[entry];
                let label = if *is_folder { format!("{name}/") } else { name.clone() };
                if ui.selectable_label(false, label).clicked() {
                    chosen = Some(browser.folder.join(name));
                }
            }
        });
    });
    match chosen {
        Some(path) if path.is_dir() => browser.go(&path),
        Some(path) => {
            viewer.browser = None;
            viewer.take_files(vec![path], ctx);
        }
        None if !open => viewer.browser = None,
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_only_what_can_be_opened_is_listed() {
        let folder = std::env::temp_dir().join(format!("lissom-browse-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("more")).unwrap();
        for name in ["b.GLB", "a.bvh", "notes.txt", ".hidden.glb"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let browser = Browser::new(&folder);
        let names: Vec<_> = browser.entries.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["more", "a.bvh", "b.GLB"]);
        let mut browser = browser;
        browser.go(&folder.join("not there"));
        assert!(browser.wrong.is_some() && browser.folder == folder, "it stays where it is");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

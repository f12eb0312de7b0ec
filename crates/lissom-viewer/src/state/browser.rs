//! A folder's files that the viewer can read.
//!
//! A list instead of the desktop's own dialog, which would bring an asynchronous runtime and D-Bus on Linux, and cannot be driven by
//! tests.

use std::path::{Path, PathBuf};

/// What the viewer opens.
const KNOWN: [&str; 9] = ["lsm", "glb", "gltf", "vrm", "bvh", "ozz", "fbx", "json", "sjson"];

/// A folder that is looked through.
pub(crate) struct Browser {
    /// What is typed: a folder, or a file.
    pub path: String,
    pub folder: PathBuf,
    /// Folders first, then files, each by name.
    pub entries: Vec<(bool, String)>,
    pub wrong: Option<String>,
}

impl Browser {
    pub fn new(folder: &Path) -> Self {
        let mut browser =
            Self { path: String::new(), folder: PathBuf::new(), entries: Vec::new(), wrong: None };
        browser.go(folder);
        browser
    }

    pub fn go(&mut self, folder: &Path) {
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

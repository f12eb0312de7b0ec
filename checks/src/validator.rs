//! The Khronos validator over files that were written, all in one run of Node.

use crate::skipped;
use anyhow::{Context, Result, ensure};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

/// The folder with `node_modules`; `cargo xtask ci` sets it.
pub const MODULES: &str = "LISSOM_NODE_MODULES";

/// Files for it, in a folder of their own that goes with this.
pub struct Validator {
    modules: PathBuf,
    folder: PathBuf,
    /// What each file was made of; its place is its name.
    kept: Mutex<Vec<String>>,
}

impl Validator {
    /// `None`, and a line that says why, if there is no validator.
    pub fn find(check: &str) -> Result<Option<Self>> {
        let modules = env::var_os(MODULES).map(PathBuf::from);
        let Some(modules) = modules.filter(|m| m.join("node_modules/gltf-validator").is_dir()) else {
            skipped(
                check,
                format_args!(
                    "{MODULES} does not name a folder with node_modules/gltf-validator: nothing is validated"
                ),
            );
            return Ok(None);
        };
        let folder = env::temp_dir().join(format!("lissom-validator-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Some(Self { modules, folder, kept: Mutex::default() }))
    }

    /// Keeps a file for [`Self::run`].
    pub fn keep(&self, source: &Path, bytes: &[u8]) -> Result<()> {
        let place = {
            let mut kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
            kept.push(source.display().to_string());
            kept.len() - 1
        };
        Ok(fs::write(self.folder.join(format!("{place}.glb")), bytes)?)
    }

    /// Looks at all files: how many there are, or the errors.
    pub fn run(&self) -> Result<usize> {
        let kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/validate-gltf.mjs");
        let mut node = Command::new("node");
        node.arg(&script).arg("--modules").arg(&self.modules);
        node.args((0..kept.len()).map(|place| self.folder.join(format!("{place}.glb"))));
        let output = node.output().context("node")?;
        ensure!(output.status.code() != Some(2), "{}", String::from_utf8_lossy(&output.stderr).trim());
        let text = String::from_utf8_lossy(&output.stdout);
        let (mut looked, mut errors, mut source) = (0, Vec::new(), "");
        for line in text.lines() {
            if let Some(error) = line.strip_prefix("  error ") {
                errors.push(format!("{source}: {error}"));
            } else if !line.starts_with(' ') {
                source = kept.get(looked).map_or("", String::as_str);
                looked += 1;
            }
        }
        ensure!(errors.is_empty(), "{} errors of the validator:\n  {}", errors.len(), errors.join("\n  "));
        ensure!(
            output.status.success() && looked == kept.len(),
            "{looked} of {} files were validated: {}",
            kept.len(),
            output.status
        );
        Ok(looked)
    }
}

impl Drop for Validator {
    fn drop(&mut self) {
        // Nobody else knows of the folder; if it stays, the system's own tidying takes it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

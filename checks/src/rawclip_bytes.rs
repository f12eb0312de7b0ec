//! Raw clips: every one reads, and comes out again byte for byte.

use anyhow::{Context, Result, ensure};
use lissom_build::import::rawclip;
use std::{fs, path::Path};

/// Clips of `rawclips`.
const CLIPS: usize = 145;

pub fn run(folder: &Path) -> Result<()> {
    let (mut clips, mut samples, mut bytes_read) = (0, 0, 0);
    for set in ["acl", "cmu", "gltf"] {
        let folder = folder.join("rawclips").join(set);
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_none_or(|e| e != "rawclip") {
                continue;
            }
            let bytes = fs::read(&path)?;
            let clip = rawclip::read(&bytes).with_context(|| path.display().to_string())?;
            ensure!(clip.write()? == bytes, "{}: written again, it is not the same", path.display());
            clips += 1;
            samples += clip.animation.tracks.iter().map(|t| t.rotation.keys.len()).sum::<usize>();
            bytes_read += bytes.len();
        }
    }
    println!(
        "raw clips: {clips} read, {samples} joint samples, {bytes_read} bytes, each written again the same"
    );
    ensure!(clips >= CLIPS, "{clips} clips, but at least {CLIPS} are needed");
    Ok(())
}

//! `--stream`: every clip of an archive also as a stream file, `OUT/CLIP.lcs` beside `OUT.lsm`.
//!
//! A folder for each archive, because clips of different archives often share a name. What cannot stand in a file's
//! name on every system becomes `_`; clips whose names then meet get a suffix.

use crate::options::usage;
use anyhow::{Context, Result};
use lissom::Clip;
use lissom::archive::{AlignedBytes, ArchiveView, Limits, SectionKind};
use lissom::clip::Codec;
use lissom_build::{cook::write_stream, import::UniqueNames};
use lissom_show::files::write_whole;
use std::path::{Path, PathBuf};

/// Writes them; gives the clips' names and their files.
pub(super) fn write(archive: &Path, bytes: &AlignedBytes, codec: Codec) -> Result<Vec<(String, PathBuf)>> {
    let folder = archive.with_extension("");
    let read = ArchiveView::read(bytes, &Limits::default())?;
    let mut names = FileNames::default();
    let mut written = Vec::new();
    for section in read.sections().iter().filter(|s| s.kind == SectionKind::Clip) {
        let clip = Clip::from_bytes(section.payload).with_context(|| format!("clip {:?}", section.name))?;
        let file = folder.join(names.give(section.name));
        let stream = write_stream(&clip, codec).with_context(|| format!("clip {:?}", section.name))?;
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot write {}", file.display()))?;
        write_whole(&file, &stream)?;
        written.push((section.name.to_owned(), file));
    }
    Ok(written)
}

/// Writes the only clip as a stream; gives its name.
pub(super) fn write_only(output: &Path, bytes: &AlignedBytes, codec: Codec) -> Result<String> {
    let read = ArchiveView::read(bytes, &Limits::default())?;
    let clips: Vec<_> = read.sections().iter().filter(|s| s.kind == SectionKind::Clip).collect();
    let [section] = clips.as_slice() else {
        return usage(format!(
            "-o {}: a stream holds one clip, here are {}: choose one with --clip, or write -o OUT.lsm --stream",
            output.display(),
            clips.len()
        ));
    };
    let named = || format!("clip {:?}", section.name);
    let clip = Clip::from_bytes(section.payload).with_context(named)?;
    write_whole(output, &write_stream(&clip, codec).with_context(named)?)?;
    Ok(section.name.to_owned())
}

/// Names of files that can be told apart where upper and lower case cannot.
#[derive(Default)]
struct FileNames {
    taken: UniqueNames,
}

impl FileNames {
    fn give(&mut self, clip: &str) -> String {
        let plain = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c };
        let name: String = clip.chars().map(plain).collect();
        // Windows drops dots and spaces at the end; a name of dots alone is a folder.
        let name = name.trim_end_matches(['.', ' ']);
        let name = if name.is_empty() { "_" } else { name };
        let lower = name.to_lowercase();
        let given = self.taken.give(&lower);
        let suffix = given.strip_prefix(&lower).unwrap_or_default();
        format!("{name}{suffix}.lcs")
    }
}

#[cfg(test)]
mod tests {
    use super::FileNames;

    #[test]
    fn every_clip_has_a_file_of_its_own_inside_the_folder() {
        let mut names = FileNames::default();
        for (clip, file) in [
            ("walk", "walk.lcs"),
            ("Walk", "Walk_2.lcs"),
            ("Armature|Run", "Armature_Run.lcs"),
            ("Armature/Run", "Armature_Run_2.lcs"),
            ("..", "_.lcs"),
            ("../../etc", ".._.._etc.lcs"),
            ("a\nb", "a_b.lcs"),
            ("", "__2.lcs"),
        ] {
            assert_eq!(names.give(clip), file, "{clip:?}");
        }
    }
}

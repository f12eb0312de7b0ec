//! Any supported file, as every command takes it: an archive, or a scene of an authored file.

use anyhow::{Context, Result, bail};
use lissom::{
    Clip, Skeleton,
    archive::{AlignedBytes, ArchiveView, Limits, SectionKind},
};
use lissom_build::{
    import::{self, Format, ImportLimits, ImportOptions},
    scene::Scene,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What a file is.
pub(crate) enum Content {
    /// A Lissom archive: cooked.
    Archive(AlignedBytes),
    /// Anything else: as authored, in metres, y up.
    Scene(Scene),
}

/// A file and what is in it.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) content: Content,
}

/// A clip and the skeleton that it plays on.
pub(crate) struct Playable {
    pub(crate) name: String,
    pub(crate) skeleton: Skeleton,
    pub(crate) clip: Clip,
}

/// Reads a file of any supported format.
pub(crate) fn load(path: &Path, options: &ImportOptions) -> Result<Loaded> {
    let head = import::read_limited(path, options.limits.max_bytes)?;
    let format = Format::of_bytes(&head).or_else(|| Format::of_path(path)).unwrap_or(Format::Lsm);
    let content = if Format::of_bytes(&head) == Some(Format::Lsm) {
        let bytes = AlignedBytes::copy_of(&head);
        ArchiveView::read(&bytes, &Limits::default()).with_context(|| path.display().to_string())?;
        Content::Archive(bytes)
    } else {
        drop(head);
        Content::Scene(import::open(path, options)?)
    };
    Ok(Loaded { path: path.into(), format, content })
}

impl Loaded {
    /// The names of the clips, in file order.
    pub(crate) fn clip_names(&self) -> Result<Vec<String>> {
        Ok(match &self.content {
            Content::Scene(scene) => scene.animations.iter().map(|a| a.motion.name.clone()).collect(),
            Content::Archive(bytes) => {
                let archive = self.archive(bytes)?;
                let clips = archive.sections().iter().filter(|s| s.kind == SectionKind::Clip);
                clips.map(|s| s.name.to_owned()).collect()
            }
        })
    }

    /// The clip that `--clip` asks for: by name, by the file's stem if the file has one clip, or by index. Without
    /// `--clip`: the first.
    pub(crate) fn choose_clip(&self, wanted: Option<&str>) -> Result<usize> {
        let names = self.clip_names()?;
        choose(&names, &import::stem(&self.path), wanted).with_context(|| self.path.display().to_string())
    }

    /// Everything in it as a scene; an archive's clips as keys.
    pub(crate) fn scene(&self) -> Result<Cow<'_, Scene>> {
        Ok(match &self.content {
            Content::Scene(scene) => Cow::Borrowed(scene),
            Content::Archive(bytes) => {
                let scene = import::lsm::read(bytes, &ImportLimits::default());
                Cow::Owned(scene.with_context(|| self.path.display().to_string())?)
            }
        })
    }

    /// Checked when it was loaded.
    pub(crate) fn archive<'a>(&self, bytes: &'a AlignedBytes) -> Result<ArchiveView<'a>> {
        ArchiveView::read(bytes, &Limits::default()).with_context(|| self.path.display().to_string())
    }
}

pub(crate) fn choose(names: &[String], stem: &str, wanted: Option<&str>) -> Result<usize> {
    if names.is_empty() {
        bail!("there is no clip in this file");
    }
    let Some(wanted) = wanted else { return Ok(0) };
    if let Some(index) = names.iter().position(|n| n == wanted) {
        return Ok(index);
    }
    if wanted == stem && names.len() == 1 {
        return Ok(0);
    }
    if let Some(index) = wanted.parse().ok().filter(|i| *i < names.len()) {
        return Ok(index);
    }
    const SHOWN: usize = 8;
    let mut known = names.iter().take(SHOWN).map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        known.push_str(", …");
    }
    bail!("there is no clip {wanted:?}; there are {}: {known}", names.len())
}

/// A clip of an archive and its skeleton.
pub(crate) fn archived_clip(archive: &ArchiveView<'_>, index: usize) -> Result<Playable> {
    let sections = archive.sections();
    let section = sections.iter().filter(|s| s.kind == SectionKind::Clip).nth(index);
    let section = section.with_context(|| format!("there is no clip {index}"))?;
    let name = section.name.to_owned();
    let clip = Clip::from_bytes(section.payload).with_context(|| format!("clip {name:?}"))?;
    let skeleton = archive.skeleton_of(clip.view().skeleton_identity(), &Limits::default());
    let skeleton = skeleton.with_context(|| format!("clip {name:?}"))?;
    Ok(Playable { name, skeleton, clip })
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn a_clip_is_chosen_by_name_then_by_stem_then_by_index() {
        let names = |n: &[&str]| n.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let two = names(&["walk", "0"]);
        assert_eq!(choose(&two, "file", None).unwrap(), 0);
        assert_eq!(choose(&two, "file", Some("walk")).unwrap(), 0);
        assert_eq!(choose(&two, "file", Some("0")).unwrap(), 1, "a name goes before an index");
        assert_eq!(choose(&two, "file", Some("1")).unwrap(), 1);
        assert_eq!(choose(&names(&["Take 001"]), "run", Some("run")).unwrap(), 0);
        let error = choose(&two, "file", Some("file")).unwrap_err().to_string();
        assert_eq!(error, "there is no clip \"file\"; there are 2: \"walk\", \"0\"");
        assert_eq!(choose(&[], "file", None).unwrap_err().to_string(), "there is no clip in this file");
    }
}

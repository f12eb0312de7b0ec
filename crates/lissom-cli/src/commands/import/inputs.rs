//! What is imported, and what each file becomes: files, folders and patterns, and a share of them.

use crate::options::usage;
use anyhow::{Context, Result};
use lissom::hash::Fnv64;
use lissom_build::{import::Format, pipeline::Input};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One file to import.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// From the folder or pattern that it was found by, with `/`: the same on every machine.
    pub(super) relative: String,
}

impl Found {
    /// As the pipeline takes it.
    pub(super) fn input(&self) -> Input<'static> {
        Input::file(&self.path).recorded_as(&self.relative)
    }
}

/// The files that the arguments mean, each once, in the arguments' order; what a folder or a pattern gives, in the order
/// of its names. Folders are searched for files of a supported extension.
pub(super) fn gather(arguments: &[PathBuf]) -> Result<Vec<Found>> {
    let mut found: Vec<Found> = Vec::new();
    for argument in arguments {
        let text = argument.to_string_lossy();
        let before = found.len();
        if argument.is_dir() {
            folder(argument, &mut found)?;
        } else if !argument.exists() && text.contains(['*', '?', '[']) {
            pattern(&text, &mut found)?;
        } else {
            // One that does not exist is refused when it is opened, like one that cannot be read.
            let name = argument.file_name().unwrap_or(argument.as_os_str());
            found.push(Found { relative: name.to_string_lossy().into_owned(), path: argument.clone() });
        }
        found[before..].sort_by(|a, b| (&a.relative, &a.path).cmp(&(&b.relative, &b.path)));
    }
    let mut seen = BTreeSet::new();
    found.retain(|input| seen.insert(input.path.clone()));
    Ok(found)
}

fn folder(root: &Path, found: &mut Vec<Found>) -> Result<()> {
    let before = found.len();
    let mut open = vec![root.to_owned()];
    // Links are not followed into folders: they may lead in circles.
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let entry = entry.with_context(|| folder.display().to_string())?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                open.push(path);
            } else if Format::of_path(&path).is_some_and(|f| f != Format::Lsm) && path.is_file() {
                found.push(Found { relative: relative(&path, root), path });
            }
        }
    }
    if found.len() == before {
        return usage(format!("{}: there is no file of a supported format in this folder", root.display()));
    }
    Ok(())
}

fn pattern(text: &str, found: &mut Vec<Found>) -> Result<()> {
    let paths = match glob::glob(text) {
        Ok(paths) => paths,
        Err(error) => return usage(format!("{text}: {error}")),
    };
    // Up to the last folder that has no wildcard.
    let fixed: PathBuf = Path::new(text)
        .components()
        .take_while(|c| !c.as_os_str().to_string_lossy().contains(['*', '?', '[']))
        .collect();
    let before = found.len();
    for path in paths {
        let path = path.with_context(|| text.to_owned())?;
        if path.is_file() {
            found.push(Found { relative: relative(&path, &fixed), path });
        }
    }
    if found.len() == before {
        return usage(format!("{text}: no file matches this pattern"));
    }
    Ok(())
}

fn relative(path: &Path, root: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inside.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// The archive that each input becomes, below the output folder. An input whose name differs from another's only in
/// its extension keeps the extension: `a.glb.lsm`.
pub(super) fn outputs(inputs: &[Found]) -> Result<Vec<PathBuf>> {
    let short = |i: &Found| Path::new(&i.relative).with_extension("lsm");
    let long = |i: &Found| PathBuf::from(format!("{}.lsm", i.relative));
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    inputs.iter().for_each(|i| *counts.entry(short(i)).or_default() += 1);
    let mut owners: BTreeMap<PathBuf, &Found> = BTreeMap::new();
    let mut out = Vec::with_capacity(inputs.len());
    for input in inputs {
        let name = if counts.get(&short(input)).is_some_and(|c| *c > 1) { long(input) } else { short(input) };
        if let Some(other) = owners.insert(name.clone(), input) {
            return usage(format!(
                "{} and {} would both become {}; import the folder that holds both, or each into a folder of its own",
                other.path.display(),
                input.path.display(),
                name.display()
            ));
        }
        out.push(name);
    }
    Ok(out)
}

/// One of N shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// `I/N`, I from 0.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if index < count => Ok(Self { index, count }),
            _ => usage(format!("--shard {text}: it must be I/N with I from 0 to N - 1, as in 0/3")),
        }
    }

    /// Which share a file belongs to depends on nothing but its relative path and N.
    pub(super) fn has(self, input: &Found) -> bool {
        Fnv64::new().bytes(input.relative.as_bytes()).finish() % self.count == self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(relative: &str) -> Found {
        Found { path: Path::new("root").join(relative), relative: relative.into() }
    }

    #[test]
    fn outputs_are_named_after_their_inputs_and_never_meet() {
        let inputs = ["a.glb", "b.bvh", "b.glb", "c/a.glb"].map(input);
        let names: Vec<_> = outputs(&inputs).unwrap().iter().map(|p| p.display().to_string()).collect();
        assert_eq!(names, ["a.lsm", "b.bvh.lsm", "b.glb.lsm", "c/a.lsm"]);
        let twice = [input("a.glb"), Found { path: "other/a.glb".into(), relative: "a.glb".into() }];
        assert!(outputs(&twice).unwrap_err().to_string().contains("would both become a.glb.lsm"));
    }

    #[test]
    fn every_file_is_in_exactly_one_share() {
        let inputs: Vec<Found> = (0..200).map(|i| input(&format!("clips/{i}.bvh"))).collect();
        for count in [1, 2, 3, 7] {
            let shares: Vec<Shard> = (0..count).map(|index| Shard { index, count }).collect();
            for input in &inputs {
                assert_eq!(shares.iter().filter(|s| s.has(input)).count(), 1);
            }
            assert!(shares.iter().all(|s| inputs.iter().any(|i| s.has(i))), "no share is empty");
        }
        assert_eq!(Shard::parse("1/3").unwrap(), Shard { index: 1, count: 3 });
        for bad in ["", "3/3", "1", "a/b", "-1/2", "0/0"] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }
}

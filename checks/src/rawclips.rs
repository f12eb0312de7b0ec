//! The raw clips: plain samples that compression is measured on. Anything built on them may trust what is
//! checked here: a skeleton we accept, finite numbers, unit rotations, no byte too many or too few.

use anyhow::{Context, Result, bail, ensure};
use lissom_build::{
    SkeletonBuilder,
    exact::{Q4, Trs, V3},
    raw::{RawJoint, RawSkeleton},
};
use std::{fs, path::Path};

/// Fewer files are a wrong folder.
const MIN_FILES: usize = 145;

/// One clip: what its header says, and its samples.
struct RawClip {
    parents: Vec<i32>,
    samples: usize,
    /// Ten numbers a joint a sample: rotation x y z w, translation, scale.
    values: Vec<f32>,
}

pub fn run(folder: &Path) -> Result<()> {
    let (mut files, mut joints, mut samples, mut bytes) = (0, 0, 0, 0);
    for kind in ["acl", "cmu", "gltf"] {
        let folder = folder.join("rawclips").join(kind);
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut paths: Vec<_> = entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
        paths.retain(|p| p.extension().is_some_and(|e| e == "rawclip"));
        paths.sort();
        for path in paths {
            let data = fs::read(&path)?;
            let clip = parse(&data).and_then(|clip| validate(&clip).map(|()| clip));
            let clip = clip.with_context(|| path.display().to_string())?;
            files += 1;
            joints += clip.parents.len();
            samples += clip.samples;
            bytes += clip.values.len() * 4;
        }
    }
    println!("rawclips: {files} files read, {joints} joints, {samples} samples, {bytes} bytes of poses");
    ensure!(files >= MIN_FILES, "{files} files, but at least {MIN_FILES} are expected");
    Ok(())
}

/// Reads little-endian words in order.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Result<[u8; 4]> {
        let Some((word, rest)) = self.0.split_first_chunk() else { bail!("the file ends too early") };
        self.0 = rest;
        Ok(*word)
    }

    fn u32(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.word()?) as usize)
    }

    fn f32s(&mut self, count: usize) -> Result<Vec<f32>> {
        ensure!(count <= self.0.len() / 4, "{count} numbers announced, {} bytes left", self.0.len());
        (0..count).map(|_| self.word().map(f32::from_le_bytes)).collect()
    }
}

fn parse(data: &[u8]) -> Result<RawClip> {
    let mut reader = Reader(data);
    ensure!(reader.word()? == *b"RCL1", "not a raw clip");
    let (joints, samples) = (reader.u32()?, reader.u32()?);
    let rate = f32::from_le_bytes(reader.word()?);
    ensure!(rate.is_finite() && rate > 0.0, "{rate} samples a second");
    ensure!(joints > 0 && samples > 0, "{joints} joints, {samples} samples");
    let flags = reader.u32()?;
    ensure!(flags < 4, "flags {flags:#x}");
    ensure!(joints <= reader.0.len() / 4, "{joints} joints announced, {} bytes left", reader.0.len());
    let parents = (0..joints).map(|_| reader.word().map(i32::from_le_bytes)).collect::<Result<_>>()?;
    let rest = if flags & 1 != 0 { reader.f32s(10 * joints)? } else { Vec::new() };
    let shells = if flags & 2 != 0 { reader.f32s(2 * joints)? } else { Vec::new() };
    ensure!(rest.iter().all(|v| v.is_finite()), "the rest pose is not finite");
    ensure!(
        shells.iter().all(|v| v.is_finite() && *v >= 0.0),
        "a shell or precision is negative or not finite"
    );
    let count = joints.checked_mul(samples).and_then(|n| n.checked_mul(10)).context("too large")?;
    let values = reader.f32s(count)?;
    ensure!(reader.0.is_empty(), "{} bytes after the end", reader.0.len());
    Ok(RawClip { parents, samples, values })
}

fn validate(clip: &RawClip) -> Result<()> {
    let joints = clip.parents.len();
    for (i, value) in clip.values.chunks(10).enumerate() {
        let (sample, joint) = (i / joints, i % joints);
        ensure!(value.iter().all(|v| v.is_finite()), "sample {sample}, joint {joint}: not finite");
        let length2: f32 = value[..4].iter().map(|v| v * v).sum();
        ensure!(
            (length2 - 1.0).abs() < 1e-3,
            "sample {sample}, joint {joint}: a rotation of length² {length2}"
        );
    }
    let joint = |(parent, v): (&i32, &[f32])| -> Result<RawJoint> {
        let parent = if *parent == -1 { None } else { Some(usize::try_from(*parent)?) };
        let v: Vec<f64> = v.iter().map(|v| f64::from(*v)).collect();
        let rest = Trs {
            rotation: Q4::new(v[0], v[1], v[2], v[3]),
            translation: V3::new(v[4], v[5], v[6]),
            scale: V3::new(v[7], v[8], v[9]),
        };
        Ok(RawJoint { name: String::new(), parent, rest })
    };
    let joints = clip.parents.iter().zip(clip.values.chunks(10)).map(joint).collect::<Result<_>>()?;
    SkeletonBuilder::build(&RawSkeleton { joints })?;
    Ok(())
}

//! BVH and ACL files against the raw clips that others made of the same files.

use crate::files;
use anyhow::{Context, Result, ensure};
use lissom_build::{
    exact::Trs,
    import::{
        acl_sjson::{self, AclFile},
        bvh::{self, BvhOptions},
        ozz,
        rawclip::{self, RawClip},
    },
    mesh::model_matrices,
    raw::{RawAnimation, RawSkeleton},
};
use std::{fs, path::Path};

/// Files of `assets/cmu-bvh`, clips and track lists of `assets/acl`.
const BVH: usize = 31;
const ACL_CLIPS: usize = 7;
const ACL_LISTS: usize = 2;
/// Pairs of a file and its raw clip.
const PAIRS: usize = 37;
/// The raw clips hold f32; lengths are in centimetres.
const TOLERANCE: f64 = 2e-4;
/// `rawclips/README.md`: what was done with the BVH files.
const BVH_TO_CM: f64 = 5.6444;
const BVH_SKIP: usize = 1;
const BVH_EVERY: usize = 4;

pub fn run(folder: &Path) -> Result<()> {
    let mut pairs = 0;
    let (mut files, mut worst) = (0, 0.0);
    let options = BvhOptions { scale: BVH_TO_CM, skip_frames: BVH_SKIP, end_sites: false };
    for path in files::below_named(&folder.join("assets/cmu-bvh"), &["bvh"])? {
        let bvh = bvh::read(&fs::read(&path)?, &options).with_context(|| path.display().to_string())?;
        let animation = bvh.animation.with_context(|| format!("{}: no frames", path.display()))?;
        files += 1;
        let Some(raw) = raw_clip(folder, "cmu", &path)? else { continue };
        pairs += 1;
        let time = |sample: usize| (sample * BVH_EVERY) as f64 * bvh.frame_time_s;
        let d =
            difference(&bvh.skeleton, &animation, &raw, time).with_context(|| path.display().to_string())?;
        worst = if d > worst { d } else { worst };
    }
    println!("BVH: {files} files read, worst difference to the raw clips {worst:.2e}");
    ensure!(files >= BVH, "{files} BVH files, but at least {BVH} are needed");
    ensure!(worst <= TOLERANCE, "the worst difference {worst} is above {TOLERANCE}");

    let (mut clips, mut lists, mut refused, mut worst) = (0, 0, 0, 0.0);
    for path in files::below_named(&folder.join("assets/acl"), &["sjson"])? {
        match acl_sjson::read(&fs::read(&path)?) {
            Ok(AclFile::Clip(clip)) => {
                clips += 1;
                let Some(raw) = raw_clip(folder, "acl", &path)? else { continue };
                pairs += 1;
                let time = |sample: usize| sample as f64 / clip.rate_hz;
                let d = difference(&clip.skeleton, &clip.animation, &raw, time)
                    .with_context(|| path.display().to_string())?;
                worst = if d > worst { d } else { worst };
            }
            Ok(_) => lists += 1,
            // A list of names, and the description of the format, which contradicts itself by intent.
            Err(error) => {
                let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
                ensure!(["metadata.sjson", "format_reference.acl.sjson"].contains(&name), "{name}: {error}");
                println!("  {name} is refused: {error}");
                refused += 1;
            }
        }
    }
    println!(
        "ACL: {clips} clips and {lists} track lists read, {refused} files refused, worst difference {worst:.2e}"
    );
    ensure!(clips >= ACL_CLIPS && lists >= ACL_LISTS, "at least {ACL_CLIPS} and {ACL_LISTS} are needed");
    ensure!(worst <= TOLERANCE, "the worst difference {worst} is above {TOLERANCE}");
    ozz_meshes(folder)?;
    println!("{pairs} files compared with a raw clip");
    ensure!(pairs >= PAIRS, "{pairs} pairs, but at least {PAIRS} are needed");
    Ok(())
}

/// Meshes of `assets/ozz/bin`.
const OZZ_MESHES: usize = 8;

/// Every ozz mesh fits the skeleton that its sample plays it on; skinned in the rest pose, no vertex runs away.
fn ozz_meshes(folder: &Path) -> Result<()> {
    let bin = folder.join("assets/ozz/bin");
    let skeleton = ozz::read(&fs::read(bin.join("pab_skeleton.ozz"))?)?;
    let skeleton = skeleton.skeletons().next().context("pab_skeleton.ozz has no skeleton")?;
    let rest: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(skeleton, &rest);
    let (mut meshes, mut vertices) = (0, 0);
    for path in files::below_named(&bin, &["ozz"])? {
        let archive = ozz::read(&fs::read(&path)?).with_context(|| path.display().to_string())?;
        for mesh in archive.meshes() {
            let raw = mesh.to_raw(skeleton).with_context(|| path.display().to_string())?;
            let (skinned, _) = raw.skin(&models);
            let far = skinned.as_flattened().iter().any(|v| !v.is_finite() || v.abs() > 100.0);
            ensure!(!far, "{}: a vertex runs away", path.display());
            meshes += 1;
            vertices += raw.positions.len();
        }
    }
    println!("ozz: {meshes} meshes, {vertices} vertices");
    ensure!(meshes >= OZZ_MESHES, "{meshes} ozz meshes, but at least {OZZ_MESHES} are needed");
    Ok(())
}

/// The raw clip of the same name, if there is one.
fn raw_clip(folder: &Path, set: &str, path: &Path) -> Result<Option<RawClip>> {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let path = folder.join("rawclips").join(set).join(stem).with_extension("rawclip");
    if !path.exists() {
        return Ok(None);
    }
    let clip = rawclip::read(&fs::read(&path)?).with_context(|| path.display().to_string())?;
    Ok(Some(clip))
}

/// The largest difference of any number of any joint at any sample.
fn difference(
    skeleton: &RawSkeleton,
    animation: &RawAnimation,
    raw: &RawClip,
    time: impl Fn(usize) -> f64,
) -> Result<f64> {
    let joints = skeleton.joints.len();
    ensure!(joints == raw.skeleton.joints.len(), "{joints} joints, not {}", raw.skeleton.joints.len());
    for (ours, theirs) in skeleton.joints.iter().zip(&raw.skeleton.joints) {
        ensure!(ours.parent == theirs.parent, "{}: its parent is {:?}", ours.name, ours.parent);
    }
    let mut worst = 0.0;
    for (joint, theirs) in raw.animation.tracks.iter().enumerate() {
        for (sample, key) in theirs.rotation.keys.iter().enumerate() {
            let ours = animation.tracks[joint].sample(time(sample), skeleton.joints[joint].rest);
            let theirs = theirs.sample(key.time_s, Trs::IDENTITY);
            let turn = ours.rotation.near(theirs.rotation).plus(theirs.rotation.scaled(-1.0));
            let moved = (ours.translation - theirs.translation).length();
            for d in [turn.dot(turn).sqrt(), moved, (ours.scale - theirs.scale).length()] {
                worst = if d > worst { d } else { worst };
            }
        }
    }
    Ok(worst)
}

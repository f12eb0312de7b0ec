//! The runtime's own jobs on ozz's clips, against the blend and the matrices that ozz makes of them.
//!
//! Clips are evaluated in f64 (with ozz's reciprocal, see `golden`), rounded to f32, and given to `BlendJob` and
//! `LocalToModelJob` on every backend of this CPU.

use crate::golden::{BLEND, BLEND_RATIO, Reciprocal, Worst, animation, difference, read, text, transform};
use anyhow::{Context, Result, bail, ensure};
use lissom::{
    job::{BlendJob, BlendLayer, LocalToModelJob, Models, Update},
    math::{
        Mat4,
        simd::Backend,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{SkeletonBuilder, exact::Trs};
use std::path::Path;

/// Archives and golden files that are read.
const FILES: usize = 5;

pub fn run(folder: &Path) -> Result<()> {
    let archives = folder.join("assets/ozz/bin");
    let archive = read(&archives, "pab_skeleton")?;
    let raw = archive.skeletons().next().context("pab_skeleton.ozz has no skeleton")?;
    let built = SkeletonBuilder::build(raw)?;
    let (skeleton, joints) = (&built.skeleton, built.skeleton.joint_count());

    let mut files = 1;
    let mut layers: Vec<(Vec<SoaTransform>, f32)> = Vec::new();
    for (name, weight) in BLEND {
        let clip = animation(&archives, name)?;
        ensure!(clip.tracks.len() == joints, "{name} has {} tracks, not {joints}", clip.tracks.len());
        let locals: Vec<_> = built
            .raw_of_joint
            .iter()
            .map(|r| {
                Reciprocal::AsOzz.track(&clip, &clip.tracks[*r], BLEND_RATIO, raw.joints[*r].rest).to_f32()
            })
            .collect();
        layers.push((soa::from_transforms(&locals), weight as f32));
        files += 1;
    }
    let golden = text(&folder.join("golden"), "blend_l2m.txt")?;
    files += 1;
    ensure!(files == FILES, "{files} files read, not {FILES}");
    println!("blend_l2m: {files} files read");

    let layers: Vec<_> = layers
        .iter()
        .map(|(pose, weight)| BlendLayer { weight: *weight, pose, joint_weights: None })
        .collect();
    for backend in Backend::all() {
        let mut pose = skeleton.rest_pose().to_vec();
        BlendJob {
            layers: &layers,
            additive: &[],
            threshold: BlendJob::DEFAULT_THRESHOLD,
            rest: skeleton.rest_pose(),
            lod: None,
            output: &mut pose,
        }
        .run_on(backend)?;
        let mut models = vec![Mat4::IDENTITY; joints];
        LocalToModelJob {
            skeleton,
            locals: &pose,
            root: None,
            update: Update::All,
            lod: None,
            models: Models::Mat4(&mut models),
        }
        .run_on(backend)?;
        compare(&golden, &built.joint_of_raw, &pose, &models, backend)?;
    }
    Ok(())
}

fn compare(
    golden: &str,
    joint_of_raw: &[usize],
    pose: &[SoaTransform],
    models: &[Mat4],
    backend: Backend,
) -> Result<()> {
    let (mut locals, mut matrices) = (Worst::default(), Worst::default());
    for line in golden.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        let [kind, joint, numbers @ ..] = words.as_slice() else { bail!("{line}") };
        let raw: usize = joint.parse()?;
        let joint = *joint_of_raw.get(raw).with_context(|| line.to_owned())?;
        match *kind {
            "blend" => {
                let ours = Trs::from_f32(soa::lane(pose, joint));
                locals.add(difference(ours, transform(numbers)?), || format!("joint {raw}"));
            }
            "model" => {
                let ours = models[joint].to_cols_array();
                ensure!(numbers.len() == ours.len(), "{line}");
                for (ours, theirs) in ours.iter().zip(numbers) {
                    matrices
                        .add((f64::from(*ours) - theirs.parse::<f64>()?).abs(), || format!("joint {raw}"));
                }
            }
            _ => bail!("{line}"),
        }
    }
    locals.print(&format!("BlendJob on {backend}"));
    matrices.print(&format!("LocalToModelJob on {backend}"));
    locals.must_hold("BlendJob", joint_of_raw.len())?;
    matrices.must_hold("LocalToModelJob", 16 * joint_of_raw.len())
}

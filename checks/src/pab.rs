//! Every animation of ozz's archives is cooked at the default precision; the walk is compared with what ozz decodes.
//!
//! The source is what an archive decodes to (half floats, 15-bit quaternions). So bytes compare with ozz's own file
//! of the very same motion, which it holds without loss and we with at most 0.1 mm.
//!
//! The golden poses are themselves off where ozz approximates a reciprocal (see `golden`): up to 1.8e-5 in local
//! space between keys, which adds up along a chain. What that makes in model space is measured here too, and must
//! stay below [`INEXACT`]; the cooked walk must then be within the precision plus that.

use anyhow::{Context, Result, ensure};
use lissom::{
    clip::{Clip, Cursor},
    job::{SampleJob, SampleTime},
    math::soa,
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::ClipBuilder,
    exact::{M34, Q4, Trs, V3, larger},
    import::ozz::{self, OzzObject},
    raw::RawAnimation,
};
use std::{collections::BTreeMap, fs, path::Path};

/// Fewer clips than this are no check.
const CLIPS: usize = 10;
/// Poses of `pab_walk.txt`.
const RATIOS: usize = 7;
/// How far the golden poses may be from an exact evaluation of the archive, in metres at the shell.
const INEXACT: f64 = 4e-5;

pub fn run(folder: &Path) -> Result<()> {
    let archives = folder.join("assets/ozz/bin");
    let mut paths: Vec<_> = fs::read_dir(&archives)
        .with_context(|| archives.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "ozz"));
    paths.sort();
    let mut skeletons: BTreeMap<String, BuiltSkeleton> = BTreeMap::new();
    let mut clips: Vec<(String, u64, RawAnimation)> = Vec::new();
    for path in &paths {
        let name = path.file_stem().and_then(|n| n.to_str()).context("a file name")?.to_owned();
        let bytes = fs::read(path)?;
        let archive = ozz::read(&bytes).with_context(|| name.clone())?;
        for object in archive.objects {
            match object {
                OzzObject::Skeleton(s) => {
                    skeletons.insert(character(&name), SkeletonBuilder::build(&s)?);
                }
                OzzObject::Animation(a) => clips.push((name.clone(), bytes.len() as u64, a)),
                _ => {}
            }
        }
    }
    println!("ozz archives: {} read, {} skeletons, {} animations", paths.len(), skeletons.len(), clips.len());
    ensure!(clips.len() >= CLIPS, "{} animations, but at least {CLIPS} are needed", clips.len());

    let builder = ClipBuilder::default();
    println!(
        "{:<24} {:>6} {:>8} {:>8} {:>7} {:>8} {:>9}",
        "clip", "s", "ozz", "lissom", "of ozz", "of raw", "worst mm"
    );
    let (mut ours, mut theirs, mut walks) = (0, 0, 0);
    for (name, ozz_bytes, animation) in &clips {
        let skeleton = skeletons.get(&character(name)).with_context(|| format!("{name} has no skeleton"))?;
        let cooked = builder.build(skeleton, animation).with_context(|| name.clone())?;
        let r = &cooked.report;
        println!(
            "{name:<24} {:>6.2} {ozz_bytes:>8} {:>8} {:>7.3} {:>8.4} {:>9.4}",
            animation.duration_s,
            r.bytes,
            r.bytes as f64 / *ozz_bytes as f64,
            1.0 / r.ratio(),
            r.error.worst() * 1e3
        );
        ensure!(r.within && r.error.worst() <= builder.precision, "{name}: {} m off", r.error.worst());
        ours += r.bytes;
        theirs += ozz_bytes;
        if name == "pab_walk" {
            walks += 1;
            let golden = fs::read_to_string(folder.join("golden/pab_walk.txt")).context("pab_walk.txt")?;
            against_golden(skeleton, animation, &cooked.bytes, &builder, &golden)?;
        }
    }
    println!("all: {ours} bytes, ozz {theirs}, quotient {:.3}", ours as f64 / theirs as f64);
    ensure!(walks == 1, "{walks} archives are pab_walk");
    Ok(())
}

/// What comes before the first underscore: the character that a file belongs to.
fn character(name: &str) -> String {
    name.split('_').next().unwrap_or_default().to_owned()
}

/// Lines `rRATIO JOINT` and ten numbers, by ratio.
fn golden_poses(text: &str, joints: usize) -> Result<Vec<(f64, Vec<Trs>)>> {
    let mut poses: Vec<(f64, Vec<Trs>)> = Vec::new();
    for line in text.lines().filter(|l| l.starts_with('r')) {
        let words: Vec<_> = line.split_whitespace().collect();
        let numbers: Vec<f64> = words[1..]
            .iter()
            .map(|w| w.parse())
            .collect::<Result<_, _>>()
            .with_context(|| line.to_owned())?;
        let ratio: f64 = words[0][1..].parse()?;
        ensure!(numbers.len() == 11, "{line}");
        if poses.last().is_none_or(|p| p.0 != ratio) {
            poses.push((ratio, Vec::new()));
        }
        let pose = &mut poses.last_mut().context("a pose")?.1;
        ensure!(numbers[0] == pose.len() as f64, "joint {} where {} was expected", numbers[0], pose.len());
        let n = &numbers[1..];
        pose.push(Trs {
            translation: V3::new(n[0], n[1], n[2]),
            rotation: Q4::new(n[3], n[4], n[5], n[6]),
            scale: V3::new(n[7], n[8], n[9]),
        });
    }
    ensure!(poses.len() == RATIOS, "{} golden poses, not {RATIOS}", poses.len());
    ensure!(poses.iter().all(|p| p.1.len() == joints), "a golden pose has not {joints} joints");
    Ok(poses)
}

fn against_golden(
    skeleton: &BuiltSkeleton,
    walk: &RawAnimation,
    bytes: &[u8],
    builder: &ClipBuilder,
    golden: &str,
) -> Result<()> {
    let joints = &skeleton.skeleton;
    let (clip, mut cursor) = (Clip::from_bytes(bytes)?, Cursor::new());
    let mut output = joints.rest_pose().to_vec();
    let (mut cooked_worst, mut exact_worst) = (0.0, 0.0);
    for (ratio, pose) in golden_poses(golden, joints.joint_count())? {
        let (view, time) = (clip.view(), SampleTime::Ratio(ratio));
        let (cursor, output) = (&mut cursor, &mut output);
        SampleJob { skeleton: joints, clip: view, time, lod: None, cursor, output }.run()?;
        // Golden poses are in the archive's order.
        let golden = models(skeleton, |raw, _| pose[raw]);
        let exact = models(skeleton, |raw, joint| {
            walk.tracks[raw].sample(ratio * walk.duration_s, Trs::from_f32(joints.rest(joint)))
        });
        let cooked = models(skeleton, |_, joint| Trs::from_f32(soa::lane(output, joint)));
        cooked_worst = larger(cooked_worst, apart(&cooked, &golden, builder.shell));
        exact_worst = larger(exact_worst, apart(&exact, &golden, builder.shell));
    }
    println!(
        "  against {RATIOS} golden poses, model space, metres at the shell: exact evaluation {exact_worst:.2e} (bound \
         {INEXACT:.0e}), cooked {cooked_worst:.2e} (bound {:.1e})",
        builder.precision + INEXACT
    );
    ensure!(exact_worst <= INEXACT, "an exact evaluation is {exact_worst} m from the golden poses");
    ensure!(cooked_worst <= builder.precision + INEXACT, "the cooked walk is {cooked_worst} m off");
    Ok(())
}

/// Model matrices in skeleton order; `local` takes the archive's joint and the skeleton's.
fn models(skeleton: &BuiltSkeleton, local: impl Fn(usize, usize) -> Trs) -> Vec<M34> {
    let mut models: Vec<M34> = Vec::new();
    for joint in 0..skeleton.skeleton.joint_count() {
        let m = local(skeleton.raw_of_joint[joint], joint).to_m34();
        models.push(skeleton.skeleton.parent(joint).map_or(m, |p| models[p].mul(&m)));
    }
    models
}

/// The largest distance of points at the shell, along three axes of each joint.
fn apart(a: &[M34], b: &[M34], shell: f64) -> f64 {
    let mut worst = 0.0;
    for (a, b) in a.iter().zip(b) {
        for axis in [V3::X, V3::Y, V3::Z] {
            worst = larger(worst, (a.mul_point(axis * shell) - b.mul_point(axis * shell)).length());
        }
    }
    worst
}

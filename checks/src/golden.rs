//! ozz archives, read by us and evaluated in f64, against what ozz decodes from them.
//!
//! ozz finds where it is between two keys with an approximate reciprocal of their distance, and the golden
//! poses show which: 1/x from the bits of x (`0x7f000000 - bits`) and two Newton steps. For x = 2^k · (1 + f)
//! the first guess is off by f(1 - f)/2, each step squares that, so the result is too small by
//! (f(1 - f)/2)^4, up to 2.4e-4. That moves a fast joint by up to 1.8e-5 between keys, twice what this check
//! allows. So each comparison is made twice: with that reciprocal, which must meet the golden poses within
//! the tolerance, and exactly, which is printed beside it.

use anyhow::{Context, Result, bail, ensure};
use lissom_build::{
    exact::{M34, Q4, Trs, V3, larger},
    import::ozz::{self, OzzArchive},
    raw::{Channel, Curve, RawAnimation, RawSkeleton, RawTrack, Value},
};
use std::{fs, path::Path};

/// Archives of `assets/ozz/bin`.
const ARCHIVES: usize = 30;
/// Ratios of `pab_walk.txt`.
const RATIOS: usize = 7;
const TOLERANCE: f64 = 1e-5;
/// `blend_l2m.txt`: its clips, their weights, and where they are sampled.
pub(crate) const BLEND: [(&str, f64); 3] = [("pab_walk", 0.2), ("pab_jog", 0.4), ("pab_run", 0.6)];
pub(crate) const BLEND_RATIO: f64 = 0.25;
/// ozz fills what the weights lack to this with the rest pose; ours sum to more, so it plays no part.
const TOTAL_WEIGHT: f64 = 1.2;

pub fn run(folder: &Path) -> Result<()> {
    let archives = folder.join("assets/ozz/bin");
    let golden = folder.join("golden");
    every_archive_reads(&archives)?;

    let skeleton = read(&archives, "pab_skeleton")?;
    let skeleton = skeleton.skeletons().next().context("pab_skeleton.ozz has no skeleton")?;
    check_skeleton(skeleton, &text(&golden, "skeleton.txt")?)?;
    let rest = |joint: usize| skeleton.joints[joint].rest;

    let joints = skeleton.joints.len();
    let walk = animation(&archives, "pab_walk")?;
    let walk_golden = text(&golden, "pab_walk.txt")?;
    let mut clips = Vec::new();
    for (name, weight) in BLEND {
        let clip = animation(&archives, name)?;
        ensure!(clip.tracks.len() == joints, "{name} has {} tracks, not {joints}", clip.tracks.len());
        clips.push((clip, weight));
    }
    let blend_golden = text(&golden, "blend_l2m.txt")?;

    check_walk(&walk, &rest, &walk_golden, Reciprocal::Exact)?;
    check_blend(skeleton, &clips, &blend_golden, Reciprocal::Exact)?;
    let poses = check_walk(&walk, &rest, &walk_golden, Reciprocal::AsOzz)?;
    let [locals, matrices] = check_blend(skeleton, &clips, &blend_golden, Reciprocal::AsOzz)?;
    poses.must_hold("walk", RATIOS * joints)?;
    locals.must_hold("three-way blend", joints)?;
    matrices.must_hold("model matrices", 16 * joints)
}

pub(crate) fn text(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name);
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

pub(crate) fn read(folder: &Path, name: &str) -> Result<OzzArchive> {
    let path = folder.join(name).with_extension("ozz");
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    ozz::read(&bytes).with_context(|| path.display().to_string())
}

pub(crate) fn animation(folder: &Path, name: &str) -> Result<RawAnimation> {
    let archive = read(folder, name)?;
    archive.animations().next().cloned().with_context(|| format!("{name}.ozz has no animation"))
}

fn every_archive_reads(folder: &Path) -> Result<()> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    names.retain(|path| path.extension().is_some_and(|e| e == "ozz"));
    names.sort();
    let (mut objects, mut keys, mut vertices) = (0, 0, 0);
    for path in &names {
        let bytes = fs::read(path)?;
        let archive = ozz::read(&bytes).with_context(|| path.display().to_string())?;
        objects += archive.objects.len();
        let tracks = archive.animations().flat_map(|a| &a.tracks);
        keys += tracks
            .map(|t| t.translation.keys.len() + t.rotation.keys.len() + t.scale.keys.len())
            .sum::<usize>();
        vertices += archive.meshes().map(ozz::OzzMesh::vertex_count).sum::<usize>();
    }
    println!("ozz archives: {} read, {objects} objects, {keys} keys, {vertices} vertices", names.len());
    ensure!(names.len() >= ARCHIVES, "{} archives, but at least {ARCHIVES} are needed", names.len());
    Ok(())
}

/// Which reciprocal finds the place between two keys.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Reciprocal {
    Exact,
    AsOzz,
}

impl Reciprocal {
    pub(crate) fn track(self, clip: &RawAnimation, track: &RawTrack, ratio: f64, rest: Trs) -> Trs {
        let time_s = ratio * clip.duration_s;
        if self == Self::Exact {
            return track.sample(time_s, rest);
        }
        Trs {
            translation: channel_as_ozz(&track.translation, time_s, clip).unwrap_or(rest.translation),
            rotation: channel_as_ozz(&track.rotation, time_s, clip).unwrap_or(rest.rotation),
            scale: channel_as_ozz(&track.scale, time_s, clip).unwrap_or(rest.scale),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::AsOzz => "with ozz's reciprocal",
        }
    }
}

/// A linear channel at a time, with ozz's reciprocal.
fn channel_as_ozz<V: Value>(channel: &Channel<V>, time_s: f64, clip: &RawAnimation) -> Option<V> {
    let keys = &channel.keys;
    let after = keys.partition_point(|k| k.time_s <= time_s).min(keys.len().checked_sub(1)?);
    let (a, b) = (keys[after.saturating_sub(1)], keys[after]);
    let span = (b.time_s - a.time_s) / clip.duration_s;
    if span <= 0.0 {
        return channel.sample(time_s);
    }
    let (mantissa, _) = libm::frexp(span);
    let f = mantissa * 2.0 - 1.0;
    let guess = f * (1.0 - f) * 0.5;
    let t = (time_s - a.time_s) / (b.time_s - a.time_s) * (1.0 - guess * guess * guess * guess);
    Some(V::between(a.value, b.value, t, Curve::Linear))
}

/// Ten numbers: translation, rotation, scale.
pub(crate) fn transform(words: &[&str]) -> Result<Trs> {
    let n: Vec<f64> = words.iter().map(|w| w.parse()).collect::<Result<_, _>>()?;
    let &[tx, ty, tz, qx, qy, qz, qw, sx, sy, sz] = n.as_slice() else {
        bail!("{} numbers, not 10", n.len());
    };
    Ok(Trs {
        translation: V3::new(tx, ty, tz),
        rotation: Q4::new(qx, qy, qz, qw),
        scale: V3::new(sx, sy, sz),
    })
}

/// The largest difference of any number; rotations count as the same with either sign.
pub(crate) fn difference(a: Trs, b: Trs) -> f64 {
    let v = |a: V3, b: V3| [a.x - b.x, a.y - b.y, a.z - b.z].map(f64::abs).into_iter().fold(0.0, larger);
    let (p, q) = (a.rotation.near(b.rotation), b.rotation);
    let r = larger(v(V3::new(p.x, p.y, p.z), V3::new(q.x, q.y, q.z)), (p.w - q.w).abs());
    larger(larger(v(a.translation, b.translation), r), v(a.scale, b.scale))
}

/// Keeps the worst difference and where it was.
#[derive(Default)]
pub(crate) struct Worst {
    difference: f64,
    place: String,
    compared: usize,
    above: usize,
}

impl Worst {
    pub(crate) fn add(&mut self, difference: f64, place: impl FnOnce() -> String) {
        self.compared += 1;
        self.above += usize::from(!within(difference));
        // A NaN counts as worst, and stays.
        if difference.is_nan() || difference > self.difference {
            (self.difference, self.place) = (difference, place());
        }
    }

    pub(crate) fn print(&self, what: &str) {
        let Self { difference, place, compared, above } = self;
        println!(
            "{what}: {compared} compared, {above} above {TOLERANCE:e}, worst {difference:.2e} ({place})"
        );
    }

    pub(crate) fn must_hold(&self, what: &str, compared: usize) -> Result<()> {
        let Self { difference, place, .. } = self;
        ensure!(self.compared == compared, "{what}: {} compared, not {compared}", self.compared);
        ensure!(self.above == 0, "{what}: {place} differs by {difference}, above {TOLERANCE}");
        Ok(())
    }
}

fn within(difference: f64) -> bool {
    difference <= TOLERANCE
}

fn check_skeleton(skeleton: &RawSkeleton, golden: &str) -> Result<()> {
    let joints = &skeleton.joints;
    let (mut named, mut worst) = (0, Worst::default());
    for line in golden.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        if let ["rest", joint, numbers @ ..] = words.as_slice() {
            let joint: usize = joint.parse()?;
            let ours = joints.get(joint).with_context(|| line.to_owned())?;
            worst.add(difference(ours.rest, transform(numbers)?), || format!("rest of {}", ours.name));
            continue;
        }
        // Names hold spaces.
        let mut words = line.splitn(3, ' ');
        let joint: usize = words.next().unwrap_or_default().parse()?;
        let parent: i32 = words.next().unwrap_or_default().parse()?;
        let name = words.next().unwrap_or_default();
        let ours = joints.get(joint).with_context(|| line.to_owned())?;
        ensure!(joint == named, "joint {joint} where {named} was expected");
        ensure!(ours.name == name, "joint {joint} is {:?}, not {name:?}", ours.name);
        ensure!(ours.parent == usize::try_from(parent).ok(), "{name}: its parent is {:?}", ours.parent);
        named += 1;
    }
    ensure!(named == joints.len(), "{named} joints, not {}", joints.len());
    println!("skeleton: {named} names and parents are the same");
    worst.print("rest pose");
    worst.must_hold("rest pose", joints.len())
}

fn check_walk(
    walk: &RawAnimation,
    rest: &dyn Fn(usize) -> Trs,
    golden: &str,
    by: Reciprocal,
) -> Result<Worst> {
    let mut worst = Worst::default();
    for line in golden.lines().filter(|l| l.starts_with('r')) {
        let words: Vec<_> = line.split_whitespace().collect();
        let [ratio, joint, numbers @ ..] = words.as_slice() else { bail!("{line}") };
        let (ratio, joint): (f64, usize) = (ratio[1..].parse()?, joint.parse()?);
        let track = walk.tracks.get(joint).with_context(|| line.to_owned())?;
        let ours = by.track(walk, track, ratio, rest(joint));
        worst.add(difference(ours, transform(numbers)?), || format!("ratio {ratio}, joint {joint}"));
    }
    worst.print(&format!("walk, {}", by.name()));
    Ok(worst)
}

/// The weighted mean of the clips: vectors plainly, rotations on the side of the sum so far, normalised.
fn blend(clips: &[(RawAnimation, f64)], joint: usize, rest: Trs, by: Reciprocal) -> Trs {
    let mut sum = Trs { translation: V3::ZERO, rotation: Q4::new(0.0, 0.0, 0.0, 0.0), scale: V3::ZERO };
    for (clip, weight) in clips {
        let t = by.track(clip, &clip.tracks[joint], BLEND_RATIO, rest);
        sum.translation = sum.translation + t.translation * *weight;
        sum.rotation = sum.rotation.plus(t.rotation.near(sum.rotation).scaled(*weight));
        sum.scale = sum.scale + t.scale * *weight;
    }
    Trs {
        translation: sum.translation * (1.0 / TOTAL_WEIGHT),
        rotation: sum.rotation.normalize(),
        scale: sum.scale * (1.0 / TOTAL_WEIGHT),
    }
}

/// The blended locals and the model matrices.
fn check_blend(
    skeleton: &RawSkeleton,
    clips: &[(RawAnimation, f64)],
    golden: &str,
    by: Reciprocal,
) -> Result<[Worst; 2]> {
    let joints = &skeleton.joints;
    let mut models: Vec<M34> = Vec::new();
    let blended: Vec<Trs> = (0..joints.len()).map(|j| blend(clips, j, joints[j].rest, by)).collect();
    for (joint, local) in joints.iter().zip(&blended) {
        // ozz stores parents before children.
        let parent = joint.parent.map_or(M34::IDENTITY, |p| models[p]);
        models.push(parent.mul(&local.to_m34()));
    }
    let (mut locals, mut matrices) = (Worst::default(), Worst::default());
    for line in golden.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["blend", joint, numbers @ ..] => {
                let joint: usize = joint.parse()?;
                let ours = *blended.get(joint).with_context(|| line.to_owned())?;
                locals.add(difference(ours, transform(numbers)?), || format!("joint {joint}"));
            }
            ["model", joint, numbers @ ..] => {
                let joint: usize = joint.parse()?;
                let ours = models.get(joint).with_context(|| line.to_owned())?;
                let ours = ours.columns.into_iter().zip([0.0, 0.0, 0.0, 1.0]);
                let ours: Vec<f64> = ours.flat_map(|(c, w)| [c.x, c.y, c.z, w]).collect();
                ensure!(numbers.len() == ours.len(), "{line}");
                for (ours, theirs) in ours.iter().zip(numbers) {
                    matrices.add((ours - theirs.parse::<f64>()?).abs(), || format!("joint {joint}"));
                }
            }
            _ => bail!("{line}"),
        }
    }
    locals.print(&format!("three-way blend, {}", by.name()));
    matrices.print(&format!("model matrices, {}", by.name()));
    Ok([locals, matrices])
}

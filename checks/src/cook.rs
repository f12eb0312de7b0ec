//! Every raw clip, and every clip of the mannequin, is cooked and must be within the precision: by the cooker's
//! own report, and at a thousand random times by the code here, which shares nothing with it but the player.

use anyhow::{Context, Result, ensure};
use lissom::{
    clip::{Clip, Cursor},
    job::{SampleJob, SampleTime},
    math::soa,
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, CookReport, JointPrecision, ShellSpace},
    exact::{M34, Trs, V3},
    import::rawclip,
    mannequin,
    raw::{RawAnimation, RawTrack},
};
use std::{
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

/// Clips of `rawclips`.
const CLIPS: usize = 145;
const THREADS: usize = 2;
const RANDOM_TIMES: u64 = 1000;

/// One clip to cook.
struct Job {
    name: String,
    /// What ACL makes of it; 0 if it has not seen it.
    acl_bytes: u64,
    builder: ClipBuilder,
    skeleton: BuiltSkeleton,
    animation: RawAnimation,
}

struct Done {
    report: CookReport,
    /// At random times: the largest error of a joint in shares of its own precision, and where that was.
    at_random: (f64, String),
    /// Looks at a joint, and those of them that half a turn between keys leaves undecided.
    looks: usize,
    undecided: usize,
    seconds: f64,
}

/// What a joint's error may be at a random time, in shares of its precision.
const ALLOWED: f64 = 1.01;

pub fn run(folder: &Path) -> Result<()> {
    let raw = raw_clips(&folder.join("rawclips"))?;
    let count = raw.len();
    let total = cook_all("raw clips at 0.01 cm", raw)?;
    let acl = total.1;
    println!(
        "raw clips: {count} cooked, {} bytes, ACL {acl} bytes, quotient {:.4}",
        total.0,
        total.0 as f64 / acl as f64
    );
    ensure!(count >= CLIPS, "{count} clips, but at least {CLIPS} are needed");

    let skeleton = SkeletonBuilder::build(&mannequin::skeleton())?;
    let job = |animation: RawAnimation| Job {
        name: animation.name.clone(),
        acl_bytes: 0,
        builder: ClipBuilder::default(),
        skeleton: skeleton.clone(),
        animation,
    };
    let jobs: Vec<Job> = mannequin::clips().into_iter().map(job).collect();
    ensure!(!jobs.is_empty(), "the mannequin has no clips");
    cook_all("mannequin clips at 0.1 mm", jobs)?;
    Ok(())
}

fn raw_clips(folder: &Path) -> Result<Vec<Job>> {
    let table = fs::read_to_string(folder.join("acl-2.1.csv")).context("acl-2.1.csv")?;
    let mut jobs = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        ensure!(fields.len() >= 7, "acl-2.1.csv: {line:?} has too few fields");
        let path = folder.join(fields[0]).join(format!("{}.rawclip", fields[1]));
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let clip = rawclip::read(&bytes).with_context(|| path.display().to_string())?;
        let skeleton = SkeletonBuilder::build(&clip.skeleton)?;
        let own = clip.precision.iter().flatten().enumerate().map(|(raw, own)| JointPrecision {
            joint: skeleton.joint_of_raw[raw],
            precision: Some(own.precision),
            shell: Some(own.shell),
        });
        let builder = ClipBuilder {
            precision: 0.01,
            shell: 3.0,
            // As ACL measures, whose bytes stand beside.
            shell_space: ShellSpace::Joint,
            joints: own.collect(),
            ..Default::default()
        };
        let name = format!("{}/{}", fields[0], fields[1]);
        jobs.push(Job { name, acl_bytes: fields[6].parse()?, builder, skeleton, animation: clip.animation });
    }
    Ok(jobs)
}

/// Cooks on two threads, prints the figures, and fails if a clip is above its precision. Returns our bytes
/// and ACL's.
fn cook_all(what: &str, jobs: Vec<Job>) -> Result<(u64, u64)> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<Done>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((i, job)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, jobs.get(i)?)))
                {
                    let done = cook(job).with_context(|| job.name.clone());
                    results.lock().unwrap_or_else(|e| e.into_inner()).push((i, done));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(i, _)| *i);
    let (mut bytes, mut acl, mut raw, mut seconds) = (0, 0, 0, 0.0);
    let (mut before, mut after, mut worst) = (0, 0, 0.0_f64);
    let (mut looks, mut undecided, mut at_random) = (0, 0, (0.0_f64, String::new()));
    for (i, done) in results {
        let (job, done) = (&jobs[i], done?);
        let (r, precision) = (&done.report, job.builder.precision);
        let limits = (0..r.error.joints.len()).map(|j| {
            let own = job.builder.joints.iter().find(|o| o.joint == j);
            own.and_then(|o| o.precision).unwrap_or(precision)
        });
        for (error, limit) in r.error.joints.iter().zip(limits) {
            ensure!(error.worst() <= limit, "{}: {} where {limit} is allowed", job.name, error.worst());
        }
        let (share, place) = done.at_random;
        ensure!(share <= ALLOWED, "{}: {share:.4} of the precision: {place}", job.name);
        looks += done.looks;
        undecided += done.undecided;
        bytes += r.bytes;
        acl += job.acl_bytes;
        raw += r.raw_bytes;
        seconds += done.seconds;
        before += r.keys_before;
        after += r.keys_after;
        worst = if r.error.worst() > worst { r.error.worst() } else { worst };
        if share > at_random.0 {
            at_random = (share, format!("{} {place}", job.name));
        }
    }
    println!(
        "{what}: {} clips, {bytes} of {raw} raw bytes, keys {before} -> {after}, worst error {worst:.5}, at {looks} random \
         looks at a joint {:.4} of its precision ({}), {undecided} looks left out, {:.2} MB/s a thread",
        jobs.len(),
        at_random.0,
        at_random.1,
        raw as f64 / 1e6 / seconds
    );
    Ok((bytes, acl))
}

fn cook(job: &Job) -> Result<Done> {
    let start = Instant::now();
    let cooked = job.builder.build(&job.skeleton, &job.animation)?;
    let seconds = start.elapsed().as_secs_f64();
    let (clip, mut cursor) = (Clip::from_bytes(&cooked.bytes)?, Cursor::new());
    let skeleton = &job.skeleton.skeleton;
    let mut pose = skeleton.rest_pose().to_vec();
    let mut at_random = (0.0_f64, String::new());
    let (mut looks, mut undecided) = (0, 0);
    let half_turns: Vec<Vec<(f64, f64)>> = job.animation.tracks.iter().map(half_turns).collect();
    let mut state = 1_u64;
    for _ in 0..RANDOM_TIMES {
        // Numerical Recipes' generator: any will do.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let time_s = (state >> 11) as f64 / (1_u64 << 53) as f64 * job.animation.duration_s;
        let (clip, time) = (clip.view(), SampleTime::Clamped(time_s));
        SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut pose }.run()?;
        let mut models: Vec<(M34, M34)> = Vec::with_capacity(skeleton.joint_count());
        let mut open: Vec<bool> = Vec::with_capacity(skeleton.joint_count());
        for j in 0..skeleton.joint_count() {
            let rest = Trs::from_f32(skeleton.rest(j));
            let source = job.animation.tracks[job.skeleton.raw_of_joint[j]].sample(time_s, rest).to_m34();
            let decoded = Trs::from_f32(soa::lane(&pose, j)).to_m34();
            let pair = match skeleton.parent(j) {
                Some(p) => (models[p].0.mul(&source), models[p].1.mul(&decoded)),
                None => (source, decoded),
            };
            models.push(pair);
            let own = &half_turns[job.skeleton.raw_of_joint[j]];
            let inside = own.iter().any(|(from, to)| (*from..*to).contains(&time_s));
            open.push(inside || skeleton.parent(j).is_some_and(|p| open[p]));
            looks += 1;
            if open[j] {
                undecided += 1;
                continue;
            }
            let own = job.builder.joints.iter().find(|o| o.joint == j);
            let shell = own.and_then(|o| o.shell).unwrap_or(job.builder.shell);
            let precision = own.and_then(|o| o.precision).unwrap_or(job.builder.precision);
            for axis in [V3::X, V3::Y, V3::Z] {
                let off = (pair.0.mul_point(axis * shell) - pair.1.mul_point(axis * shell)).length();
                if off / precision > at_random.0 {
                    at_random = (off / precision, format!("{} at {time_s} s", skeleton.name(j)));
                }
            }
        }
    }
    Ok(Done { report: cooked.report, at_random, looks, undecided, seconds })
}

/// Where a source does not say which way a joint turns: between keys half a turn apart, within a degree.
fn half_turns(track: &RawTrack) -> Vec<(f64, f64)> {
    // Of half the angle between two rotations, within half a degree of a right angle.
    let near = libm::sin(0.5_f64.to_radians());
    let keys = track.rotation.keys.windows(2);
    let open = keys.filter(|pair| pair[0].value.normalize().dot(pair[1].value.normalize()).abs() < near);
    open.map(|pair| (pair[0].time_s, pair[1].time_s)).collect()
}

//! The database that is searched, and what is looked for in it.

use anyhow::{Context, Result, ensure};
use lissom_build::{
    edit::{self, Asked},
    exact::V3,
    import::{self, ImportOptions},
    matching::{CookedMatching, MatchedClips, MatchedMotion, MatchingRule, cook},
    raw::RawSkeleton,
    recipe,
    scene::SceneAnimation,
};
use lissom_measure::rng::Rng;
use lissom_motion::matching::{Database, FeatureKind, Query};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// How many frames there are at least.
const FRAMES: usize = 60_000;
const RATE_HZ: f64 = 60.0;
/// Frames around the one that plays that are not found.
pub const ZONE: u32 = 20;
/// Frames from one search to the next: a tenth of a second.
const STEP: u32 = 6;
const CHARACTERS: usize = 50;
const SEARCHES: usize = 40;

struct Motion {
    animation: SceneAnimation,
    skeleton: RawSkeleton,
}

/// Every BVH file below `FOLDER/mocap` at 60 Hz, its mirror image, and variations of both in speed and size.
pub fn database(folder: &Path) -> Result<CookedMatching> {
    let files = files(folder)?;
    // The first frame is no part of the motion, but a T-pose.
    let edits = "trim = '0.02..'\nrate = 60\nroot-motion = { reference = 'rest' }\nloop = false\n";
    let plain = recipe::read(format!("[clips.'*']\n{edits}").as_bytes())?;
    let mirrored = recipe::read(format!("[clips.'*']\nmirror = true\n{edits}").as_bytes())?;
    let mut motions = Vec::new();
    for file in &files {
        let scene = import::open(file, &ImportOptions::default())?;
        for recipe in [&plain, &mirrored] {
            let mut scene = scene.clone();
            let asked = Asked { rules: &recipe.rules, precision_m: 1e-4, shell_m: 0.03, finds_loops: false };
            edit::follow(&mut scene, asked).with_context(|| file.display().to_string())?;
            for mut animation in scene.animations {
                let skeleton = animation.skeleton.and_then(|s| scene.skeletons.get(s));
                let skeleton = skeleton.context("a motion without a skeleton")?.skeleton.clone();
                animation.motion.name = format!("{}{}", motions.len(), animation.motion.name);
                motions.push(Motion { animation, skeleton });
            }
        }
    }
    let count = |motion: &Motion| (motion.animation.motion.duration_s * RATE_HZ) as usize + 1;
    let (sources, mut rng) = (motions.len(), Rng::new(33));
    let mut frames: usize = motions.iter().map(count).sum();
    for i in 0.. {
        if frames >= FRAMES {
            break;
        }
        let varied = varied(&motions[i % sources], i, &mut rng);
        frames += count(&varied);
        motions.push(varied);
    }
    let motions: Vec<MatchedMotion<'_>> = motions
        .iter()
        .map(|m| MatchedMotion {
            name: &m.animation.motion.name,
            mirrored: false,
            animation: &m.animation,
            skeleton: &m.skeleton,
            // Actors of several sizes, as if they were one.
            identity: 0,
        })
        .collect();
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    Ok(cook(&MatchingRule { clips, rate_hz: RATE_HZ, ..MatchingRule::new("mocap") }, &motions)?)
}

/// Every BVH file below `FOLDER/mocap`.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    find(&folder.join("mocap"), &mut files)?;
    files.sort();
    ensure!(!files.is_empty(), "{} holds no mocap/*.bvh", folder.display());
    Ok(files)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh")) {
            files.push(path);
        }
    }
    Ok(())
}

/// The same by somebody who is faster or slower, smaller or larger.
fn varied(of: &Motion, number: usize, rng: &mut Rng) -> Motion {
    let (slow, size) = (rng.range_f64(0.85, 1.15), rng.range_f64(0.92, 1.08));
    let mut animation = of.animation.clone();
    let mut skeleton = of.skeleton.clone();
    animation.motion.name = format!("varied {number} {}", animation.motion.name);
    animation.motion.duration_s *= slow;
    let larger = |v: &mut V3| *v = *v * size;
    skeleton.joints.iter_mut().for_each(|joint| larger(&mut joint.rest.translation));
    for track in &mut animation.motion.tracks {
        for key in &mut track.translation.keys {
            key.time_s *= slow;
            larger(&mut key.value);
        }
        track.rotation.keys.iter_mut().for_each(|key| key.time_s *= slow);
        track.scale.keys.iter_mut().for_each(|key| key.time_s *= slow);
    }
    if let Some(place) = animation.tracks.iter_mut().find(|t| t.name == lissom::track::ROOT_TRACKS[0]) {
        place.keys.iter_mut().for_each(|key| key.value = key.value.map(|v| v * size));
    }
    Motion { animation, skeleton }
}

/// A character that follows a stick.
struct Walker {
    frame: u32,
    heading: f32,
    velocity: [f32; 2],
    stick: [f32; 2],
}

/// What is looked for: values, the frame that plays, and both as a query.
pub struct Asking {
    pub values: Vec<f32>,
    pub current: Option<u32>,
    pub query: Query,
}

/// Fifty characters that follow sticks of their own, 40 searches each, one every tenth of a second, in order of time. The
/// pose is that of the frame that plays, the trajectory a critically damped spring towards the stick.
pub fn queries(database: &Database) -> Result<(Vec<Asking>, usize)> {
    let mut rng = Rng::new(7);
    let stick = |rng: &mut Rng| {
        let (speed, angle) = (3.8 * rng.unit(), core::f32::consts::TAU * rng.unit());
        [speed * libm::sinf(angle), speed * libm::cosf(angle)]
    };
    let mut walkers: Vec<Walker> = (0..CHARACTERS)
        .map(|_| Walker {
            frame: rng.below(database.frames() as usize) as u32,
            heading: 0.0,
            velocity: [0.0; 2],
            stick: stick(&mut rng),
        })
        .collect();
    let mut asked = Vec::with_capacity(CHARACTERS * SEARCHES);
    let mut moves = 0;
    for tick in 0..SEARCHES {
        for walker in &mut walkers {
            if tick % 10 == 0 {
                walker.stick = stick(&mut rng);
            }
            let mut values = vec![0.0; database.features().len()];
            database.values(walker.frame, &mut values).context("a frame that plays")?;
            walker.trajectory(database, &mut values);
            // At the end of its range a frame cannot go on.
            let place = database.place(walker.frame).context("a frame that plays")?;
            let end = database.frames_of(place.range).end;
            let current = (walker.frame + STEP < end).then_some(walker.frame);
            let mut query = database.query(&values)?;
            if let Some(frame) = current {
                query = query.playing(database, frame, ZONE, 0.0)?;
            }
            let found = database.search(&query)?;
            moves += usize::from(!found.stays);
            walker.step(found.frame + STEP);
            asked.push(Asking { values, current, query });
        }
    }
    Ok((asked, moves))
}

/// A critically damped spring after a time: how much of the difference is left, and its integral until then.
fn spring(time_s: f32) -> (f32, f32) {
    const HALF_LIFE_S: f32 = 0.27;
    let y = 2.0 * core::f32::consts::LN_2 / HALF_LIFE_S;
    let left = libm::expf(-y * time_s);
    // (1 + y t) e^(-y t), from a standing start of the change, and what that adds up to.
    ((1.0 + y * time_s) * left, (2.0 - (2.0 + y * time_s) * left) / y)
}

impl Walker {
    /// Where the stick points.
    fn wanted(&self) -> f32 {
        let turn = libm::atan2f(self.stick[0], self.stick[1]) - self.heading;
        libm::atan2f(libm::sinf(turn), libm::cosf(turn))
    }

    fn trajectory(&self, database: &Database, values: &mut [f32]) {
        let (sin, cos) = (libm::sinf(self.heading), libm::cosf(self.heading));
        let local = |v: [f32; 2]| [v[0] * cos - v[1] * sin, v[0] * sin + v[1] * cos];
        let (is, wanted) = (local(self.velocity), local(self.stick));
        for (feature, value) in database.features().iter().zip(values) {
            match feature.kind {
                FeatureKind::TrajectoryPosition { time_s } => {
                    let (_, sum) = spring(time_s);
                    let axis = usize::from(feature.axis / 2);
                    *value = wanted[axis] * time_s + (is[axis] - wanted[axis]) * sum;
                }
                FeatureKind::TrajectoryDirection { time_s } => {
                    let turn = self.wanted() * (1.0 - spring(time_s).0);
                    *value = if feature.axis == 0 { libm::sinf(turn) } else { libm::cosf(turn) };
                }
                _ => {}
            }
        }
    }

    fn step(&mut self, frame: u32) {
        let (left, _) = spring(STEP as f32 / RATE_HZ as f32);
        self.heading += self.wanted() * (1.0 - left);
        for (v, wanted) in self.velocity.iter_mut().zip(self.stick) {
            *v = wanted + (*v - wanted) * left;
        }
        self.frame = frame;
    }
}

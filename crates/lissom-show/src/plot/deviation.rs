//! How far a cooked clip is from its source, joint by joint over time.

use crate::source::{Motion, Tape};
use crate::stage::{CookedFrom, Stage, StageClip};
use anyhow::{Context, Result};
use lissom_build::exact::{M34, Trs, larger};

/// Errors in metres in model space, at all points that the cooker proves.
pub struct Deviation {
    /// When it was looked at.
    pub times: Vec<f64>,
    /// How many joints there are.
    pub joints: usize,
    /// Time by time, joint by joint.
    pub errors: Vec<f64>,
    /// How exactly the clip was cooked, and how far from each joint that is measured.
    pub precision_m: f64,
    /// How far from each joint the error was measured.
    pub shell_m: f64,
}

impl Deviation {
    /// Compares at `count` times, evenly spread.
    pub fn measure(stage: &Stage, clip: &StageClip, count: usize) -> Result<Self> {
        let (how, CookedFrom { animation, .. }) = stage.cooked().zip(clip.source.as_ref()).context(
            "an archive does not hold what its clips were cooked from: give the authored file, or compare the \
             two with `lissom diff`",
        )?;
        let raw = &how.skeleton;
        let order = raw.depth_first();
        let joints = order.len();
        let duration = clip.clip.view().duration_s();
        let times: Vec<f64> = (0..count).map(|i| duration * i as f64 / (count - 1) as f64).collect();
        let tape = Tape::Clip(clip.clip.clone());
        let mut motion = Motion::cooked(clip.name.clone(), stage.skeleton.clone(), tape);
        let mut errors = Vec::with_capacity(count * joints);
        let compose = |local: &dyn Fn(usize) -> Trs| {
            let mut models: Vec<M34> = Vec::with_capacity(joints);
            for j in 0..joints {
                let local = local(j).to_m34();
                models.push(stage.skeleton.parent(j).map_or(local, |p| models[p].mul(&local)));
            }
            models
        };
        for time in &times {
            let played = motion.locals(*time)?;
            let exact = compose(&|j| {
                let t = animation.tracks[order[j]].sample(*time, raw.joints[order[j]].rest);
                Trs { rotation: t.rotation.normalize(), ..t }
            });
            let cooked = compose(&|j| played[j]);
            let joints = exact.iter().zip(&cooked).zip(&how.points);
            errors.extend(joints.map(|((a, b), points)| points.worst(&b.minus(a))));
        }
        Ok(Self { times, joints, errors, precision_m: how.precision, shell_m: how.shell })
    }

    /// The errors of all joints at a time.
    pub fn at(&self, time: usize) -> &[f64] {
        &self.errors[time * self.joints..(time + 1) * self.joints]
    }

    /// The largest error of a joint.
    pub fn worst_of(&self, joint: usize) -> f64 {
        self.errors.iter().skip(joint).step_by(self.joints).copied().fold(0.0, larger)
    }

    /// The largest error of all, and whose it is.
    pub fn worst(&self) -> (f64, usize, f64) {
        let at =
            (0..self.errors.len()).max_by(|a, b| self.errors[*a].total_cmp(&self.errors[*b])).unwrap_or(0);
        (self.errors[at], at % self.joints, self.times[at / self.joints])
    }
}

//! How far a cooked clip is from its source, joint by joint over time.

use crate::source::{Motion, Tape};
use crate::stage::{CookedFrom, Stage, StageClip};
use anyhow::{Context, Result};
use lissom_build::exact::{M34, Trs, larger};

/// Errors in metres in model space, at all points that the cooker proves.
pub(crate) struct Deviation {
    pub(crate) times: Vec<f64>,
    pub(crate) joints: usize,
    /// Time by time, joint by joint.
    pub(crate) errors: Vec<f64>,
    /// How exactly the clip was cooked, and how far from each joint that is measured.
    pub(crate) precision_m: f64,
    pub(crate) shell_m: f64,
}

impl Deviation {
    /// Compares at `count` times, evenly spread.
    pub(crate) fn measure(stage: &Stage, clip: &StageClip, count: usize) -> Result<Self> {
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
    pub(crate) fn at(&self, time: usize) -> &[f64] {
        &self.errors[time * self.joints..(time + 1) * self.joints]
    }

    /// The largest error of a joint.
    pub(crate) fn worst_of(&self, joint: usize) -> f64 {
        self.errors.iter().skip(joint).step_by(self.joints).copied().fold(0.0, larger)
    }

    /// The largest error of all, and whose it is.
    pub(crate) fn worst(&self) -> (f64, usize, f64) {
        let at =
            (0..self.errors.len()).max_by(|a, b| self.errors[*a].total_cmp(&self.errors[*b])).unwrap_or(0);
        (self.errors[at], at % self.joints, self.times[at / self.joints])
    }
}

//! Inertialisation: a change of motion without a second clip. The new motion plays at once; what the old one
//! was off is added to it, and fades out.
//!
//! ```text
//!  old ──────╮                     offset x(0) = old − new, x'(0) = old' − new'
//!             ╲  new + x(t)
//!  new ········╲──────────────     x, x' and x'' are 0 when the time is over
//!             0      duration
//! ```
//!
//! x is a quintic in τ = t / T with x''(0) = 0. It is linear in what it starts from, x(t) = x(0) · h + x'(0)
//! · T · k, so two numbers a frame do for every joint: h = (1 - τ)³ (1 + 3τ + 6τ²) and k = τ (1 - τ)³ (1 +
//! 3τ).

use super::{
    JobError,
    error::{at_least, fits_groups},
};
use crate::JointLod;
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, WideQuat, WideTransform, WideVec3, prelude::*, select, splat},
    soa::{GROUP, SoaTransform, SoaVec3},
};

/// What 16 joints of one motion are off those of another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct SoaOffset {
    /// Differences.
    pub translation: SoaVec3,
    /// Modified Rodrigues parameters of old · new⁻¹, by the shorter path.
    pub rotation: SoaVec3,
    /// Differences.
    pub scale: SoaVec3,
}

/// What is remembered of a change of motion, 16 joints a group: plain numbers, to be saved and compared.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct SoaInertia {
    /// At the change.
    pub offset: SoaOffset,
    /// Its change a second, at the change.
    pub rate: SoaOffset,
}

/// Two poses of one motion.
#[derive(Clone, Copy, Debug)]
pub struct PosePair<'a> {
    /// At the change.
    pub now: &'a [SoaTransform],
    /// One step earlier.
    pub before: &'a [SoaTransform],
}

/// Finds what an old motion is off a new one, and how fast that changes.
///
/// | field | | |
/// |---|---|---|
/// | `old` | in | the motion that is left, at the change and one step earlier; a running [`InertiaJob`] has been run on both, at its time and one step earlier |
/// | `new` | in | the motion that begins, likewise; the same pose twice says that it starts from a stand |
/// | `step_s` | in | seconds between the two; 0: speeds are not known, and count as 0 |
/// | `output` | out | at least as many groups as `old.now` |
///
/// A joint that turns by more than 300 degrees in a step, against the new motion, has no speed that means
/// anything: it counts as 0.
///
/// # Errors
///
/// - [`JobError::TooShort`]: a pose or `output` has fewer groups than `old.now`.
/// - [`JobError::Value`]: `step_s` is negative, NaN or infinite.
///
/// # Cost and determinism
///
/// One pass. No allocation. The same bits on every backend.
#[derive(Debug)]
pub struct InertiaStartJob<'a> {
    /// The motion that is left.
    pub old: PosePair<'a>,
    /// The motion that begins.
    pub new: PosePair<'a>,
    /// Seconds between the poses of a pair.
    pub step_s: f32,
    /// What to remember.
    pub output: &'a mut [SoaInertia],
}

/// Adds to a pose what is left of a change of motion.
///
/// | field | | |
/// |---|---|---|
/// | `inertia` | in | what an [`InertiaStartJob`] found; its length is the number of groups |
/// | `elapsed_s` | in | seconds since the change; below 0 counts as 0 |
/// | `duration_s` | in | seconds after which nothing is left |
/// | `lod` | in | groups without a joint of the level are skipped |
/// | `pose` | in, out | the new motion now |
///
/// At the change the pose is the old one, and moves as it did: place, speed and (but for what the new motion
/// brings) acceleration go on. From `duration_s` on it is the new one bit for bit. Between, a speed carries
/// it past the straight way by at most a fifth of speed times duration: swings last, and short durations (0.1
/// to 0.3 s) suit fast motions.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `pose` has fewer groups than `inertia`.
/// - [`JobError::Mismatch`]: `lod` belongs to a skeleton of another size.
/// - [`JobError::Value`]: a time is NaN or infinite, or `duration_s` below 0.
///
/// # Cost and determinism
///
/// One pass, about that of a blend of two; nothing at all once the time is over. No allocation. The same bits
/// on every backend.
#[derive(Debug)]
pub struct InertiaJob<'a> {
    /// What is remembered.
    pub inertia: &'a [SoaInertia],
    /// Seconds since the change.
    pub elapsed_s: f64,
    /// Seconds that it lasts.
    pub duration_s: f64,
    /// The level of detail.
    pub lod: Option<&'a JointLod>,
    /// The pose to change.
    pub pose: &'a mut [SoaTransform],
}

impl SoaOffset {
    /// None.
    pub const ZERO: Self = Self { translation: SoaVec3::ZERO, rotation: SoaVec3::ZERO, scale: SoaVec3::ZERO };
}

impl SoaInertia {
    /// Nothing to add.
    pub const ZERO: Self = Self { offset: SoaOffset::ZERO, rate: SoaOffset::ZERO };
}

impl<'a> InertiaStartJob<'a> {
    /// From an old motion to a new one.
    #[must_use]
    pub fn new(old: PosePair<'a>, new: PosePair<'a>, step_s: f32, output: &'a mut [SoaInertia]) -> Self {
        Self { old, new, step_s, output }
    }
}

impl InertiaStartJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`InertiaStartJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let groups = self.old.now.len();
        at_least("old.before", "groups", self.old.before.len(), groups)?;
        at_least("new.now", "groups", self.new.now.len(), groups)?;
        at_least("new.before", "groups", self.new.before.len(), groups)?;
        at_least("output", "groups", self.output.len(), groups)?;
        seconds("step_s", f64::from(self.step_s), 0.0)
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`InertiaStartJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`InertiaStartJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        dispatch!(backend, s => start_kernel(s, self));
        Ok(())
    }
}

impl<'a> InertiaJob<'a> {
    /// What is left after a time.
    #[must_use]
    pub fn new(
        inertia: &'a [SoaInertia],
        elapsed_s: f64,
        duration_s: f64,
        pose: &'a mut [SoaTransform],
    ) -> Self {
        Self { inertia, elapsed_s, duration_s, lod: None, pose }
    }
}

impl InertiaJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`InertiaJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        at_least("pose", "groups", self.pose.len(), self.inertia.len())?;
        fits_groups(self.lod, self.inertia.len())?;
        seconds("elapsed_s", self.elapsed_s, f64::MIN)?;
        seconds("duration_s", self.duration_s, 0.0)
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`InertiaJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`InertiaJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        if self.elapsed_s < self.duration_s {
            let elapsed_s = if self.elapsed_s > 0.0 { self.elapsed_s } else { 0.0 };
            let (of_offset, of_rate) = shares(elapsed_s / self.duration_s);
            let of_rate = of_rate * self.duration_s;
            dispatch!(backend, s => add_kernel(s, self, of_offset as f32, of_rate as f32));
        }
        Ok(())
    }
}

/// What is left at a ratio of the duration: of the offset, and of its rate times the duration.
fn shares(t: f64) -> (f64, f64) {
    let left = 1.0 - t;
    let cube = left * left * left;
    (cube * (1.0 + t * (3.0 + t * 6.0)), t * cube * (1.0 + 3.0 * t))
}

fn seconds(field: &'static str, value: f64, least: f64) -> Result<(), JobError> {
    if value.is_finite() && value >= least {
        return Ok(());
    }
    let allowed = if least < 0.0 { "a finite time" } else { "finite seconds, not below 0" };
    Err(JobError::Value { field, index: 0, value, allowed })
}

#[inline(always)]
fn start_kernel<S: Simd>(s: S, job: &mut InertiaStartJob<'_>) {
    let groups = job.old.now.len();
    let a_second = if job.step_s > 0.0 { 1.0 / job.step_s } else { 0.0 };
    // A step so short that its inverse is no number says nothing of speeds either.
    let a_second = splat(s, if a_second.is_finite() { a_second } else { 0.0 });
    let zero = splat(s, 0.0);
    for group in 0..groups {
        let out = &mut job.output[group];
        let mut at = 0;
        while at < GROUP {
            let wide = |pose: &[SoaTransform]| WideTransform::load(s, &pose[group], at);
            let (old, new) = (wide(job.old.now), wide(job.new.now));
            let (old_before, new_before) = (wide(job.old.before), wide(job.new.before));

            let translation = old.translation - new.translation;
            let before = old_before.translation - new_before.translation;
            translation.store(&mut out.offset.translation, at);
            (translation - before).scale(a_second).store(&mut out.rate.translation, at);

            let scale = old.scale - new.scale;
            let before = old_before.scale - new_before.scale;
            scale.store(&mut out.offset.scale, at);
            (scale - before).scale(a_second).store(&mut out.rate.scale, at);

            let off = (old.rotation * conjugate(new.rotation)).near(s, identity(s));
            let before = (old_before.rotation * conjugate(new_before.rotation)).near(s, off);
            let rotation = rodrigues(s, off);
            rotation.store(&mut out.offset.rotation, at);
            // Beyond that the parameters run away.
            let sane = before.w.simd_gt(splat(s, -0.866));
            let rate = (rotation - rodrigues(s, before)).scale(a_second);
            let rate = WideVec3::select(sane, rate, WideVec3 { x: zero, y: zero, z: zero });
            rate.store(&mut out.rate.rotation, at);
            at += LEN::<S>();
        }
    }
}

#[inline(always)]
fn add_kernel<S: Simd>(s: S, job: &mut InertiaJob<'_>, of_offset: f32, of_rate: f32) {
    let (of_offset, of_rate) = (splat(s, of_offset), splat(s, of_rate));
    for (group, (inertia, pose)) in job.inertia.iter().zip(job.pose.iter_mut()).enumerate() {
        if job.lod.is_some_and(|lod| !lod.contains_group(group)) {
            continue;
        }
        let mut at = 0;
        while at < GROUP {
            let left = |offset: &SoaVec3, rate: &SoaVec3| {
                WideVec3::load(s, offset, at).scale(of_offset) + WideVec3::load(s, rate, at).scale(of_rate)
            };
            let (offset, rate) = (&inertia.offset, &inertia.rate);
            let t = WideTransform::load(s, pose, at);
            let turn = WideQuat::from_rodrigues(s, left(&offset.rotation, &rate.rotation));
            (t.translation + left(&offset.translation, &rate.translation)).store(&mut pose.translation, at);
            (turn * t.rotation).normalize(s).store(&mut pose.rotation, at);
            (t.scale + left(&offset.scale, &rate.scale)).store(&mut pose.scale, at);
            at += LEN::<S>();
        }
    }
}

#[inline(always)]
fn conjugate<S: Simd>(q: WideQuat<S>) -> WideQuat<S> {
    WideQuat { x: -q.x, y: -q.y, z: -q.z, w: q.w }
}

#[inline(always)]
fn identity<S: Simd>(s: S) -> WideQuat<S> {
    let zero = splat(s, 0.0);
    WideQuat { x: zero, y: zero, z: zero, w: splat(s, 1.0) }
}

/// The inverse of [`WideQuat::from_rodrigues`], but for rotations of nearly a whole turn.
#[inline(always)]
fn rodrigues<S: Simd>(s: S, q: WideQuat<S>) -> WideVec3<S> {
    let below = splat(s, 1.0) + q.w;
    let below = select::<S>(below.simd_gt(splat(s, 0.1)), below, splat(s, 0.1));
    WideVec3 { x: q.x, y: q.y, z: q.z }.scale(splat(s, 1.0) / below)
}

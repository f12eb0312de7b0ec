//! From a source and tolerances to a plan: rows, and the keys of every channel on them.

use super::{
    candidates::{Fit, Track, bends, pieces},
    plan::{ClipPlan, Jumps, PlanChannel, PlanKeys, PlanTrack},
    tolerance::Tolerance,
};
use crate::{
    cook::{
        source::{CookSource, SourceChannel, sort_times},
        timeline::{self, TimePoints},
    },
    exact::{Q4, V3, clamp, larger},
    raw::{Channel, Curve},
};

/// How much of a channel's tolerance a constant may differ from what it stands for.
const CONSTANT_SHARE: f64 = 0.7;
/// How much of a channel's tolerance the rows of a bent curve may leave to straight lines.
const BEND_SHARE: f64 = 0.3;

/// All channels of a source, ready to be planned at any tolerances.
pub(crate) struct Fitter<'a> {
    source: &'a CookSource<'a>,
    pub(crate) points: TimePoints,
    joints: Vec<JointTracks>,
    reduce: bool,
    /// How many jump frames there will be, for choosing between curves.
    jumps: f64,
}

#[derive(Default)]
struct JointTracks {
    translation: Option<Track<V3>>,
    rotation: Option<Track<Q4>>,
    scale: Option<Track<V3>>,
}

impl<'a> Fitter<'a> {
    /// `None` if there would be more rows than can be counted.
    pub(crate) fn new(
        source: &'a CookSource<'a>,
        tolerances: &[Tolerance],
        listed: bool,
        reduce: bool,
        jumps: &Jumps,
    ) -> Option<Self> {
        let times = source.times();
        let points =
            if listed { timeline::listed(&times) } else { timeline::choose(&times, &step_times(source)) };
        u32::try_from(times.len()).ok()?;
        let mut needed = vec![1; times.len() - 1];
        for (joint, t) in source.joints.iter().zip(tolerances) {
            demand(&joint.translation, t.translation * BEND_SHARE, &times, &mut needed);
            demand(&joint.rotation, t.rotation * BEND_SHARE, &times, &mut needed);
            demand(&joint.scale, t.scale * BEND_SHARE, &times, &mut needed);
        }
        let points =
            if needed.iter().all(|n| *n == 1) { points } else { timeline::refine(&points, &times, &needed)? };
        let joint = |j: usize| {
            let (joint, t) = (&source.joints[j], &tolerances[j]);
            JointTracks {
                translation: Track::new(&joint.translation, &points, &[], t.translation * BEND_SHARE),
                rotation: {
                    let ambiguous = source.ambiguous(j);
                    Track::new(&joint.rotation, &points, &ambiguous, t.rotation * BEND_SHARE)
                },
                scale: Track::new(&joint.scale, &points, &[], t.scale * BEND_SHARE),
            }
        };
        let joints = (0..source.joints.len()).map(joint).collect();
        let jumps = match jumps {
            Jumps::None => 1.0,
            Jumps::Every(spacing_s) => 1.0 + (source.duration_s / spacing_s).floor(),
            Jumps::At(times) => 1.0 + times.len() as f64,
        };
        Some(Self { source, points, joints, reduce, jumps })
    }

    /// True if finer rows could make a difference: a curve bends, or even rows are only nearly where the
    /// source's keys are.
    pub(crate) fn can_be_finer(&self) -> bool {
        let bent = self.source.joints.iter().any(|j| {
            j.translation.moving().is_some_and(bends)
                || j.rotation.moving().is_some_and(bends)
                || j.scale.moving().is_some_and(bends)
        });
        let off = |t: &f64| self.points.time_s(timeline::row_of(&self.points, *t)) != *t;
        bent || self.source.times().iter().any(off)
    }

    /// The channels at these tolerances. With `keep_all`, no key is dropped; with no `reduce`, also none is a
    /// constant that is not one.
    pub(crate) fn channels(&self, tolerances: &[Tolerance], keep_all: bool, floor: f64) -> Vec<PlanChannel> {
        let mut channels = Vec::new();
        let rows = self.points.count();
        for (j, t) in tolerances.iter().enumerate() {
            let (joint, tracks) = (&self.source.joints[j], &self.joints[j]);
            let plan = Planner { reduce: self.reduce, keep_all, rows, jumps: self.jumps, floor };
            let r = joint.rest;
            let translation =
                plan.channel(&joint.translation, &tracks.translation, r.translation, t.translation);
            let rotation = plan.channel(&joint.rotation, &tracks.rotation, r.rotation, t.rotation);
            let scale = plan.channel(&joint.scale, &tracks.scale, r.scale, t.scale);
            let keys = [
                translation.map(PlanKeys::Translation),
                rotation.map(PlanKeys::Rotation),
                scale.map(PlanKeys::Scale),
            ];
            channels.extend(keys.into_iter().flatten().map(|keys| PlanChannel { joint: j as u16, keys }));
        }
        channels
    }
}

struct Planner {
    reduce: bool,
    keep_all: bool,
    rows: u32,
    jumps: f64,
    /// Times the finest tolerance that a channel should be able to keep.
    floor: f64,
}

impl Planner {
    fn channel<V: Fit>(
        &self,
        motion: &SourceChannel<'_, V>,
        track: &Option<Track<V>>,
        rest: V,
        tolerance: f64,
    ) -> Option<PlanTrack<V>> {
        // A constant costs once what every key of another channel costs: it can afford to be more exact.
        let exact = tolerance / clamp(f64::from(self.rows).sqrt(), 1.0, 16.0);
        let constant = |value: V| {
            let finest = V::finest(&[value]);
            let tolerance = larger(exact, finest);
            PlanTrack { curve: Curve::Step, keys: vec![(0, value)], tolerance }
        };
        let Some(track) = track else {
            let SourceChannel::Constant(value) = motion else { return None };
            let is_rest = if self.reduce { V::distance(*value, rest) <= exact } else { *value == rest };
            return (!is_rest).then(|| constant(*value));
        };
        let finest = track.finest() * self.floor;
        let tolerance = larger(tolerance, finest);
        if !self.reduce {
            return Some(track.keep_all(tolerance));
        }
        let (middle, spread) = track.constant();
        if spread <= tolerance * CONSTANT_SHARE {
            let is_rest = V::distance(middle, rest) + spread <= tolerance * CONSTANT_SHARE;
            return (!is_rest).then(|| constant(middle));
        }
        Some(if self.keep_all { track.keep_all(tolerance) } else { track.reduce(tolerance, self.jumps) })
    }
}

/// The times at which a channel steps to another value.
fn step_times(source: &CookSource<'_>) -> Vec<f64> {
    let mut times = Vec::new();
    for joint in &source.joints {
        let mut add = |steps: bool, keys: &mut dyn Iterator<Item = f64>| {
            if steps {
                times.extend(keys);
            }
        };
        if let Some(c) = joint.translation.moving() {
            add(c.curve == Curve::Step, &mut c.keys.iter().map(|k| k.time_s));
        }
        if let Some(c) = joint.rotation.moving() {
            add(c.curve == Curve::Step, &mut c.keys.iter().map(|k| k.time_s));
        }
        if let Some(c) = joint.scale.moving() {
            add(c.curve == Curve::Step, &mut c.keys.iter().map(|k| k.time_s));
        }
    }
    sort_times(&mut times);
    times
}

/// Asks for rows where a channel bends.
fn demand<V: Fit>(motion: &SourceChannel<'_, V>, tolerance: f64, times: &[f64], needed: &mut [u32]) {
    let Some(channel) = motion.moving().filter(|c: &&Channel<V>| bends(c)) else { return };
    // Keys that the player's own cubic follows need nothing between them.
    let whole = channel.keys.first().is_some_and(|k| k.time_s == times[0])
        && channel.keys.last().is_some_and(|k| k.time_s == times[times.len() - 1]);
    if channel.curve == Curve::Hermite && whole {
        return;
    }
    for (pair, pieces) in channel.keys.windows(2).zip(pieces(channel, tolerance)) {
        if pieces == 1 {
            continue;
        }
        let from = times.partition_point(|t| *t < pair[0].time_s);
        let to = times.partition_point(|t| *t < pair[1].time_s);
        let density = f64::from(pieces) / (pair[1].time_s - pair[0].time_s);
        for i in from..to {
            let wanted = ((times[i + 1] - times[i]) * density).ceil() as u32;
            needed[i] = needed[i].max(wanted);
        }
    }
}

/// The times at which the plan has keys; rising.
pub(crate) fn key_times(plan: &ClipPlan) -> Vec<f64> {
    let mut used = vec![false; plan.times.count() as usize];
    let mut mark = |rows: &mut dyn Iterator<Item = u32>| rows.for_each(|r| used[r as usize] = true);
    for channel in &plan.channels {
        match &channel.keys {
            PlanKeys::Translation(t) | PlanKeys::Scale(t) => mark(&mut t.keys.iter().map(|k| k.0)),
            PlanKeys::Rotation(t) => mark(&mut t.keys.iter().map(|k| k.0)),
        }
    }
    let rows = (0..plan.times.count()).filter(|r| used[*r as usize]);
    rows.map(|r| plan.times.time_s(r)).collect()
}

/// Keys of all channels together.
pub(crate) fn key_count(channels: &[PlanChannel]) -> u64 {
    let count = |c: &PlanChannel| match &c.keys {
        PlanKeys::Translation(t) | PlanKeys::Scale(t) => t.keys.len(),
        PlanKeys::Rotation(t) => t.keys.len(),
    };
    channels.iter().map(|c| count(c) as u64).sum()
}

//! Feet that stand in the source stand on the target's ground.
//!
//! Captured floors are not level, soles are no joints, and feet of other lengths roll otherwise: what turns and proportions leave of a
//! foot's height while it stands is taken away, and comes back while it swings. A knee on the ground carries the body in place of its foot,
//! which then lies as the source's does.

use super::{
    BoneMap, Human, Retarget, Side,
    limb::{Knee, smooth},
};
use crate::{
    exact::{Trs, V3, clamp, larger, smaller},
    feet::{ContactRule, Contacts},
    raw::{RawSkeleton, models},
    scene::SceneAnimation,
};
use lissom::bones::Joints;

/// Seconds before and after a contact over which what was taken away comes back.
const EASE_S: f64 = 0.15;
/// More than this share of a leg is not a foot that stands.
const MOST: f64 = 0.12;
/// The same of a knee: thighs differ more than soles.
const MOST_KNEE: f64 = 0.25;
/// Of the shin: a knee is this high above the floor, and carries nothing, or half as high, and may.
const KNEE_ABOVE: f64 = 1.0;
/// How high a knee is that lies on the ground, of the shin: between these.
const KNEE_LIES: [f64; 2] = [0.06, 0.12];
/// One look in this number may be at something lower than the ground.
const RARE: usize = 20;
/// A foot without toes stands only if it is flat: the cosine of the angle to how it rests.
const FLAT: f64 = 0.87;

/// Heels and toes: a joint, and how high it is above the ground where the skeleton stands at rest. Left, right.
#[derive(Clone, Debug, Default)]
pub(super) struct Soles(pub(super) [Vec<(usize, f64)>; 2]);

/// How much feet are raised, and the whole body, at the times of a motion.
#[derive(Clone, Debug, Default)]
pub(super) struct Footing {
    /// At each time, of each foot, beside the body's.
    pub(super) feet: Vec<[f64; 2]>,
    /// At each time.
    pub(super) body: Vec<f64>,
}

impl Footing {
    pub(super) fn body(&self, index: usize) -> f64 {
        self.body.get(index).copied().unwrap_or(0.0)
    }

    pub(super) fn foot(&self, index: usize, side: usize) -> f64 {
        self.feet.get(index).map_or(0.0, |feet| feet[side])
    }
}

impl Soles {
    /// Of a rig without toes, what hangs on the foot is where they would be.
    pub(super) fn new(human: &Human, skeleton: &RawSkeleton, map: &BoneMap) -> Self {
        Self([Side::Left, Side::Right].map(|side| {
            let mut points = map.foot(side);
            if let [foot] = points[..] {
                points.extend(
                    (0..skeleton.joints.len())
                        .filter(|joint| *joint != foot && skeleton.is_above(foot, *joint)),
                );
            }
            points.into_iter().map(|joint| (joint, human.places[joint].y - human.ground)).collect()
        }))
    }
}

/// What is seen of the source at a time, and the target as it would be.
struct Look {
    stands: [bool; 2],
    /// How much each knee carries, if it is near the floor, and how high it is.
    kneels: [f64; 2],
    knees: [f64; 2],
    lowest: f64,
    shown: Vec<Trs>,
}

impl Retarget {
    /// Looks at a motion as it would come out, and levels it.
    pub(super) fn footing(&self, clip: &SceneAnimation, times: &[f64]) -> Footing {
        let none = Footing { feet: vec![[0.0; 2]; times.len()], body: vec![0.0; times.len()] };
        // Who has no feet that can be told has nothing to level.
        let Ok(contacts) = clip.contacts(&self.source, &ContactRule::default()) else { return none };
        let looks: Vec<Look> = times.iter().map(|time_s| self.look(clip, &contacts, *time_s)).collect();
        let off = |look: &Look, side: usize| -self.height(&look.shown, side);
        let standing =
            |side: usize| looks.iter().filter(move |look| look.stands[side]).map(move |look| off(look, side));
        let mut all: Vec<f64> = standing(0).chain(standing(1)).collect();
        let most = MOST * self.target_leg;
        all.sort_by(f64::total_cmp);
        let level = all.get(all.len() / 2).copied().filter(|off| off.abs() < most).unwrap_or(0.0);
        let mut lows: Vec<f64> = looks.iter().map(|look| look.lowest).collect();
        lows.sort_by(f64::total_cmp);
        let floor = lows.get(lows.len() / RARE).copied().unwrap_or(0.0);
        // A knee on the ground lies as high as the target's do: the source's may be far thicker or thinner.
        let [low, high] = KNEE_LIES.map(|share| share * self.target_shin);
        let goal = |knee: f64| clamp(knee * self.report.ratio + level, low, high) - level;
        let body: Vec<f64> = looks.iter().map(|look| level + self.kneeling(look, floor, goal)).collect();
        let raised = |side: usize| -> Vec<f64> {
            let off = looks.iter().zip(&body).map(|(look, body)| off(look, side) - body);
            let levelled: Vec<f64> = off.map(|off| clamp(off, -most, most)).collect();
            let runs = runs(&looks, side);
            let at = |(index, look): (usize, &Look)| match look.stands[side] {
                true => levelled[index],
                false => eased(&runs, times, &levelled, index),
            };
            looks.iter().enumerate().map(at).collect()
        };
        let feet = raised(0).into_iter().zip(raised(1)).map(|(left, right)| [left, right]).collect();
        Footing { feet, body }
    }

    fn look(&self, clip: &SceneAnimation, contacts: &Contacts, time_s: f64) -> Look {
        let pose = clip.motion.pose(&self.source, time_s);
        let at = models(&self.source, &pose);
        let height = |joint: usize| self.facing.rotate(at[joint].columns[3]).y;
        let upright = self.knees.map(|knee| knee.upright(height));
        let up = |joint: usize| at[joint].mul_vector(self.feet_up[usize::from(joint == self.source_feet[1])]);
        let stands = [0, 1].map(|side| {
            let foot = self.source_feet[side];
            let touches = contacts.feet[side].iter().any(|(from, to)| (*from..=*to).contains(&time_s));
            let flat = self.facing.rotate(up(foot)).normalize_or(V3::Y).y > FLAT;
            touches && upright[side] > 0.5 && (flat || self.soles.0[side].len() > 1)
        });
        Look {
            stands,
            kneels: upright.map(|upright| 1.0 - upright),
            knees: self.knees.map(|knee| height(knee.joint)),
            lowest: self.knees[0].feet.iter().map(|joint| height(*joint)).fold(f64::INFINITY, smaller),
            shown: self.posed(&pose, &Footing::default(), 0),
        }
    }

    /// What the body is raised by, so that knees on the ground are on the target's; `goal` is how high one should be for one of the
    /// source's.
    fn kneeling(&self, look: &Look, floor: f64, goal: impl Fn(f64) -> f64) -> f64 {
        let at = models(&self.target, &look.shown);
        let (mut sum, mut shares) = (0.0, 0.0);
        for side in 0..2 {
            let Knee { shin, .. } = self.knees[side];
            let near = smooth(2.0 - (look.knees[side] - floor) * 2.0 / (KNEE_ABOVE * shin));
            let share = look.kneels[side] * near;
            if share > 0.0 {
                sum += share * (goal(look.knees[side]) - at[self.target_knees[side]].columns[3].y);
                shares += share;
            }
        }
        let most = MOST_KNEE * self.target_leg;
        clamp(sum / larger(shares, 1.0), -most, most)
    }

    /// How high a foot is above the ground, by what is lowest of it.
    pub(super) fn height(&self, pose: &[Trs], side: usize) -> f64 {
        let at = models(&self.target, pose);
        self.soles.0[side]
            .iter()
            .map(|(joint, rest)| at[*joint].columns[3].y - rest)
            .fold(f64::INFINITY, smaller)
    }
}

/// From the first to the last look of each contact.
fn runs(looks: &[Look], side: usize) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (index, _) in looks.iter().enumerate().filter(|(_, look)| look.stands[side]) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => runs.push((index, index)),
        }
    }
    runs
}

/// Between contacts: what the nearer one ends with, less and less.
fn eased(runs: &[(usize, usize)], times: &[f64], levelled: &[f64], index: usize) -> f64 {
    let share = |edge: usize| smooth(1.0 - (times[index] - times[edge]).abs() / EASE_S) * levelled[edge];
    let last = runs.iter().map(|(_, to)| *to).rfind(|to| *to < index);
    let next = runs.iter().map(|(from, _)| *from).find(|from| *from > index);
    last.map_or(0.0, share) + next.map_or(0.0, share)
}

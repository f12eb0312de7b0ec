//! Feet that stand in the source stand on the target's ground.
//!
//! Captured floors are not level, soles are no joints, and feet of other lengths roll otherwise: what turns and proportions leave of a
//! foot's height while it stands is taken away, and comes back while it swings.

use super::{Human, Retarget};
use crate::{
    exact::{Trs, V3, larger, smaller},
    feet::{ContactRule, Contacts},
    raw::models,
    scene::SceneAnimation,
};

/// Seconds before and after a contact over which what was taken away comes back.
const EASE_S: f64 = 0.15;
/// More than this share of a leg is not a foot that stands.
const MOST: f64 = 0.12;

/// Heels and toes: a joint, and how high it is above the ground where the skeleton stands at rest. Left, right.
#[derive(Clone, Debug, Default)]
pub(super) struct Soles(pub(super) [Vec<(usize, f64)>; 2]);

/// How much feet are raised, and the whole body, at the times of a motion.
#[derive(Clone, Debug, Default)]
pub(super) struct Footing {
    /// At each time, of each foot, beside the body's.
    pub(super) feet: Vec<[f64; 2]>,
    pub(super) body: f64,
}

impl Soles {
    pub(super) fn new(human: &Human, feet: [Vec<usize>; 2]) -> Self {
        Self(feet.map(|foot| {
            foot.into_iter().map(|joint| (joint, human.places[joint].y - human.ground)).collect()
        }))
    }
}

impl Retarget {
    /// Looks at a motion as it would come out, and levels it.
    pub(super) fn footing(&self, clip: &SceneAnimation, times: &[f64]) -> Footing {
        let mut footing = Footing { feet: vec![[0.0; 2]; times.len()], body: 0.0 };
        // Who has no feet that can be told, or never stands, has nothing to level.
        let Ok(contacts) = clip.contacts(&self.source, &ContactRule::default()) else { return footing };
        let pose = |time_s: f64| clip.motion.pose(&self.source, time_s);
        let mut off = Vec::new();
        for (index, time_s) in times.iter().copied().enumerate() {
            let stands = [0, 1].map(|side| stands(&contacts, side, time_s));
            if stands == [false; 2] {
                continue;
            }
            let shown = self.posed(&pose(time_s), &Footing::default(), index);
            for side in (0..2).filter(|side| stands[*side]) {
                let height = self.height(&shown, side);
                footing.feet[index][side] = -height;
                off.push(-height);
            }
        }
        let most = MOST * self.target_leg;
        off.sort_by(f64::total_cmp);
        footing.body = off.get(off.len() / 2).copied().filter(|off| off.abs() < most).unwrap_or(0.0);
        for (side, spans) in contacts.feet.iter().enumerate() {
            let levelled: Vec<f64> = footing.feet.iter().map(|feet| feet[side] - footing.body).collect();
            for (index, time_s) in times.iter().copied().enumerate() {
                footing.feet[index][side] = if stands(&contacts, side, time_s) {
                    larger(smaller(levelled[index], most), -most)
                } else {
                    eased(spans, times, &levelled, time_s)
                };
            }
        }
        footing
    }

    /// How high a foot is above the ground, by what is lowest of it.
    pub(super) fn height(&self, pose: &[Trs], side: usize) -> f64 {
        let at = models(&self.target, pose);
        self.soles.0[side]
            .iter()
            .map(|(joint, rest)| at[*joint].columns[3].y - rest)
            .fold(f64::INFINITY, smaller)
    }

    /// Where a foot of the target's limbs is to be, with what it is raised by.
    pub(super) fn raised(&self, goal: V3, foot: Option<usize>, footing: &Footing, index: usize) -> V3 {
        let feet = footing.feet.get(index).copied().unwrap_or_default();
        goal + V3::new(0.0, foot.map_or(0.0, |side| feet[side]), 0.0)
    }
}

fn stands(contacts: &Contacts, side: usize, time_s: f64) -> bool {
    contacts.feet[side].iter().any(|(from, to)| (*from..=*to).contains(&time_s))
}

/// Between contacts: what the nearer one ends with, less and less.
fn eased(spans: &[(f64, f64)], times: &[f64], levelled: &[f64], time_s: f64) -> f64 {
    let at = |edge: f64| {
        let near = times.partition_point(|time| *time < edge).min(times.len().saturating_sub(1));
        levelled.get(near).copied().unwrap_or(0.0)
    };
    let last = spans.iter().map(|(_, to)| *to).rfind(|to| *to < time_s);
    let next = spans.iter().map(|(from, _)| *from).find(|from| *from > time_s);
    let left = |edge: Option<f64>| edge.map_or(0.0, |edge| larger(1.0 - (time_s - edge).abs() / EASE_S, 0.0));
    let smooth = |x: f64| x * x * (3.0 - 2.0 * x);
    // The edge of a contact may lie between two times: what is known next to it, on the contact's side.
    let before = last.map_or(0.0, |edge| {
        let inside = times.partition_point(|time| *time <= edge).saturating_sub(1);
        levelled.get(inside).copied().unwrap_or(0.0)
    });
    smooth(left(last)) * before + smooth(left(next)) * next.map_or(0.0, at)
}

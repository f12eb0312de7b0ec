//! Feet that a state holds on the ground while its clips say that they stand.
//!
//! What is held is kept as the character sees it: each root step moves it the other way. So no place in the world is needed, and
//! nothing grows with the way that was gone.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use crate::{
    error::StateError,
    frame::{Frame, Stretch},
    graph::{FeetParts, Graph},
    reader::{FormatError, Reader},
    root::RootStep,
    state::GraphState,
};
use alloc::{boxed::Box, sync::Arc, vec::Vec};
use lissom::{
    Skeleton,
    bones::Side,
    job::{FootLock, FootLockRule, JobError},
    math::{Mat34, Vec3},
    pose::{Limb, Pose},
    track::{MarkersView, Timeline},
};

/// Who has not been posed for this long has no feet to hold: where they would be now, nobody knows. In seconds.
const GONE_S: f64 = 0.15;
/// What is held further away than this is let go, in metres.
const FAR_M: f32 = 1000.0;
/// A clip says where feet stand if more than this of it is seen.
const SEEN: f32 = 0.5;

/// What a graph says of feet, on a body: its legs, and where each clip stands.
#[derive(Debug)]
pub(crate) struct Feet {
    legs: [Limb; 2],
    /// One a matched state; none for one that holds no feet.
    states: Box<[Option<Holding>]>,
    /// For feet that are let go while no such state leads.
    rule: FootLockRule,
}

/// How a state holds feet.
#[derive(Debug)]
struct Holding {
    rule: FootLockRule,
    /// Of each clip of the graph: where the left foot stands, and the right one.
    stands: Box<[[Box<[Stretch]>; 2]]>,
}

impl FeetParts {
    pub(crate) fn rule(&self) -> FootLockRule {
        let Self { release_s, reach_m, .. } = *self;
        FootLockRule { release_s, reach_m }
    }
}

impl Feet {
    /// `None` for a graph that holds none. `markers` gives those of a clip, by the graph's number.
    pub fn new<'a>(
        graph: &Graph,
        skeleton: &Skeleton,
        markers: impl Fn(usize) -> Option<MarkersView<'a>>,
    ) -> Result<Option<Arc<Self>>, StateError> {
        let Some(rule) =
            graph.matched.iter().find_map(|matched| matched.feet.as_deref()).map(FeetParts::rule)
        else {
            return Ok(None);
        };
        let leg = |side| Limb::leg(skeleton, side).map_err(StateError::Legs);
        let legs = [leg(Side::Left)?, leg(Side::Right)?];
        let holding = |matched: &crate::graph::Matched| {
            let Some(feet) = matched.feet.as_deref() else { return Ok(None) };
            let of_clip = |number: usize| -> [Box<[Stretch]>; 2] {
                let is_played = matched.clips.iter().any(|clip| usize::from(*clip) == number);
                let clip = graph.clips().get(number).filter(|_| is_played);
                let line = clip.and_then(|clip| Timeline::new(clip.duration_s, clip.matched_repeat()).ok());
                let (Some(line), Some(markers)) = (line, markers(number)) else { return Default::default() };
                [0, 1].map(|foot| {
                    let name = feet.contacts.get::<usize>(foot);
                    let own =
                        markers.lasting().filter(|(_, marker)| name.is_some_and(|name| name == marker.name));
                    own.filter_map(|(_, marker)| Stretch::of(&marker, line)).collect()
                })
            };
            let stands: Box<[_]> = (0..graph.clips().len()).map(of_clip).collect();
            for (foot, name) in feet.contacts.iter().enumerate() {
                let has = |clip: &[Box<[Stretch]>; 2]| clip.get(foot).is_some_and(|all| !all.is_empty());
                if !stands.iter().any(has) {
                    let (database, marker) = ((&*matched.name).into(), name.clone());
                    return Err(StateError::NoContact { database, marker });
                }
            }
            Ok(Some(Holding { rule: feet.rule(), stands }))
        };
        let states = graph.matched.iter().map(holding).collect::<Result<_, _>>()?;
        Ok(Some(Arc::new(Self { legs, states, rule })))
    }

    /// By what rule feet are held, and which of them stand: by the clip of a leading state that holds them, if most of it is seen.
    pub fn stand(&self, graph: &Graph, state: &GraphState, frame: &Frame) -> (FootLockRule, [bool; 2]) {
        for lead in state.matched_leads(graph) {
            let Some(holding) = self.states.get(lead.number).and_then(Option::as_ref) else { continue };
            let own = frame.seen().filter(|(entry, _)| (entry.layer, entry.clip) == (lead.layer, lead.clip));
            if own.map(|(_, weight)| weight).sum::<f32>() > SEEN {
                let clip = holding.stands.get(usize::from(lead.clip));
                let stands = |foot: usize| {
                    let all = clip.and_then(|clip| clip.get(foot));
                    all.is_some_and(|all| all.iter().any(|stretch| stretch.holds_laps(lead.head)))
                };
                return (holding.rule, [stands(0), stands(1)]);
            }
        }
        (self.rule, [false; 2])
    }

    /// True if a level of detail has the legs.
    fn are_shown(&self, pose: &Pose<'_>) -> bool {
        let mut joints = self.legs.iter().flat_map(|leg| leg.joints);
        pose.lod().is_none_or(|lod| joints.all(|joint| lod.contains(joint)))
    }
}

/// What is remembered of two feet: the left one and the right one, as the character sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HeldFeet {
    locks: [FootLock; 2],
    /// Since they were last in a pose; at most [`GONE_S`], and then nothing is held.
    since_s: f64,
}

impl HeldFeet {
    /// Nothing is held any more.
    pub fn forget(&mut self) {
        self.locks = Default::default();
    }

    /// The character goes on.
    pub fn travel(&mut self, step: &RootStep, step_s: f64) {
        self.since_s += step_s;
        if self.since_s >= GONE_S {
            (self.locks, self.since_s) = (Default::default(), GONE_S);
        } else if *step != RootStep::IDENTITY && self.locks != <[FootLock; 2]>::default() {
            let back = step.inverse();
            let turn = RootStep { translation: [0.0; 3], ..back };
            for lock in &mut self.locks {
                (lock.place, lock.offset) = (moved(&back, lock.place), moved(&turn, lock.offset));
                settle(lock);
            }
        }
    }

    /// Holds the feet of a pose, if it has them.
    pub fn hold(
        &mut self,
        feet: &Feet,
        (rule, stands): (FootLockRule, [bool; 2]),
        pose: &mut Pose<'_>,
    ) -> Result<(), JobError> {
        if !feet.are_shown(pose) {
            return Ok(());
        }
        let dt_s = self.since_s as f32;
        for ((leg, lock), stands) in feet.legs.iter().zip(&mut self.locks).zip(stands) {
            let rests = !lock.held && lock.left == 0.0;
            if !rests || (stands && dt_s > 0.0) {
                pose.plant(leg, lock, &rule, stands, &Mat34::IDENTITY, dt_s)?;
                settle(lock);
            } else if dt_s > 0.0 {
                *lock = FootLock::default();
            }
        }
        self.since_s = 0.0;
        Ok(())
    }

    /// True if the last step held them in a pose, or there was none since.
    pub fn is_fresh(&self) -> bool {
        self.since_s == 0.0
    }

    /// Little-endian: each lock, then the time.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        for lock in &self.locks {
            let FootLock { place, offset, left, held, torn, on_ball } = *lock;
            for number in place.to_array().into_iter().chain(offset.to_array()).chain([left]) {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            bytes.push(u8::from(held) | u8::from(torn) << 1 | u8::from(on_ball) << 2);
        }
        bytes.extend_from_slice(&self.since_s.to_le_bytes());
    }

    pub fn read(from: &mut Reader<'_>) -> Result<Self, FormatError> {
        let mut feet = Self::default();
        for lock in &mut feet.locks {
            let mut vector = || Ok(Vec3::from_array([from.f32()?, from.f32()?, from.f32()?]));
            (lock.place, lock.offset) = (vector()?, vector()?);
            lock.left = from.f32()?;
            let bits = from.u8()?;
            (lock.held, lock.torn, lock.on_ball) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
            let is_near = !is_far(lock.place) && !is_far(lock.offset);
            let may_be = bits < 8 && !(lock.held && lock.torn) && (0.0..=1.0).contains(&lock.left);
            from.check(is_near && may_be, "no foot that is held")?;
        }
        feet.since_s = from.f64()?;
        let gone = feet.since_s == GONE_S && feet.locks == <[FootLock; 2]>::default();
        from.check(gone || (0.0..GONE_S).contains(&feet.since_s), "no time since feet were held")?;
        Ok(feet)
    }
}

/// One that is too far away to be held, or has no place at all, is forgotten.
fn settle(lock: &mut FootLock) {
    if is_far(lock.place) || is_far(lock.offset) {
        *lock = FootLock::default();
    }
}

/// NaN is far, too.
fn is_far(v: Vec3) -> bool {
    !v.to_array().into_iter().all(|v| (-FAR_M..=FAR_M).contains(&v))
}

fn moved(step: &RootStep, v: Vec3) -> Vec3 {
    let at = RootStep { translation: v.to_array().map(f64::from), ..RootStep::IDENTITY };
    Vec3::from_array(step.then(&at).translation.map(|v| v as f32))
}

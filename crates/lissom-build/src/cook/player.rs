//! What is made of a plan: bytes, and poses decoded from them.

use super::plan::{ClipPlan, PlanKeys, PlanTrack};
use super::reduce::Fit;
use crate::{
    BuiltSkeleton,
    exact::{Q4, Trs, V3},
    raw::{Channel, RawTrack},
};
use lissom::math::Transform;

pub(crate) struct Played {
    pub(crate) bytes: Vec<u8>,
    tracks: Vec<RawTrack>,
    rest: Vec<Trs>,
}

impl Played {
    pub(crate) fn new(plan: &ClipPlan, skeleton: &BuiltSkeleton) -> Self {
        let s = &skeleton.skeleton;
        let rest: Vec<Trs> = (0..s.joint_count()).map(|j| Trs::from_f32(s.rest(j))).collect();
        let mut tracks = vec![RawTrack::default(); rest.len()];
        let mut bits = 32.0 * 32.0;
        for c in &plan.channels {
            let t = &mut tracks[usize::from(c.joint)];
            match &c.keys {
                PlanKeys::Translation(k) => t.translation = rounded(k, plan, &mut bits, 3.0),
                PlanKeys::Rotation(k) => t.rotation = rounded::<Q4>(k, plan, &mut bits, 4.0),
                PlanKeys::Scale(k) => t.scale = rounded::<V3>(k, plan, &mut bits, 3.0),
            }
        }
        bits += (rest.len().div_ceil(16) * 24 * 8) as f64;
        Self { bytes: vec![0; (bits / 8.0) as usize], tracks, rest }
    }

    pub(crate) fn pose(
        &mut self,
        time_s: f64,
        out: &mut [Transform],
    ) -> Result<(), core::convert::Infallible> {
        for ((t, rest), out) in self.tracks.iter().zip(&self.rest).zip(out) {
            *out = t.sample(time_s, *rest).to_f32();
        }
        Ok(())
    }
}

fn rounded<V: Fit>(k: &PlanTrack<V>, plan: &ClipPlan, bits: &mut f64, width: f64) -> Channel<V> {
    let step = k.tolerance * 2.0 / 3.0_f64.sqrt();
    let mut centre = k.keys[0].1;
    if k.keys.len() == 1 {
        *bits += width * 32.0;
    } else {
        let all: Vec<V> = k.keys.iter().map(|k| k.1).collect();
        centre = super::reduce::middle(&all).0;
        let jumps = 1.0 + (plan.times.duration_s() / 0.5).floor();
        *bits += (width + 1.0) * 32.0 + 128.0 + super::reduce::cost(k, centre, jumps);
    }
    let keys = k.keys.iter().map(|(row, v)| {
        (
            plan.times.time_s(*row),
            if k.keys.len() == 1 {
                *v
            } else {
                V::at(centre, v.coordinates(centre).map(|x| (x / step).round() * step))
            },
        )
    });
    Channel::new(k.curve, keys)
}

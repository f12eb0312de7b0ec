//! Which joints a vertex follows, and how much.

use super::{
    super::ImportError, accessor::Values, budget::Budget, document::Kind, geometry::Geometry, skins::Binding,
};
use crate::{
    exact::M34,
    mesh::{Collect, Influences},
    scene::Scene,
};

/// Influences of all vertices, and the inverse bind matrix of every raw joint.
pub(super) struct Bound {
    pub(super) influences: Influences,
    pub(super) binds: Vec<M34>,
}

/// Sets of four that are read at most: 255 influences.
const MOST_SETS: usize = 64;
/// Bytes that a set takes for a vertex: as collected, and as kept.
const SET: usize = 4 * (8 + 6) + 8;
/// Sums up to this far from 1 are rounding (of weights stored in bytes), not mistakes.
const ROUNDING: f64 = 0.02;

/// The sets `JOINTS_n` and `WEIGHTS_n`, as far as both are there.
pub(super) fn open<'g>(
    geometry: &'g Geometry<'_, '_>,
    budget: &mut Budget,
) -> Result<Vec<(Values<'g>, Values<'g>)>, ImportError> {
    let mut sets = Vec::new();
    for n in 0..MOST_SETS {
        let mut get = |name: &str| geometry.open(&format!("{name}_{n}"), &[Kind::Vec4], budget);
        let (Some(joints), Some(weights)) = (get("JOINTS")?, get("WEIGHTS")?) else { break };
        sets.push((joints, weights));
    }
    Ok(sets)
}

/// Reads the influences of the used vertices, repairing what can be repaired:
/// - a weight that is NaN, infinite or negative counts as 0;
/// - a joint that the skin does not have is left out;
/// - the sum becomes 1; a vertex with nothing left follows the skin's first joint.
///
/// `None` if they take more memory than there is.
pub(super) fn read(
    sets: &[(Values<'_>, Values<'_>)],
    used: &[u32],
    binding: &Binding,
    rest: &[M34],
    at: &str,
    (budget, scene): (&mut Budget, &mut Scene),
) -> Option<Bound> {
    if !budget.fits(used.len() as u64, SET.saturating_mul(sets.len())) {
        return None;
    }
    let first = binding.joints.first().copied().unwrap_or_default();
    let mut out = Collect::with_room_for(used.len());
    let mut odd = Odd::default();
    let mut all: Vec<(u16, f64)> = Vec::with_capacity(sets.len().saturating_mul(4));
    for vertex in used {
        all.clear();
        let (mut bad_weight, mut bad_joint) = (false, false);
        for (joints, weights) in sets {
            let joints = joints.whole::<4>(*vertex as usize);
            let weights = weights.get::<4>(*vertex as usize);
            for (joint, weight) in joints.into_iter().zip(weights) {
                // NaN is neither above 0 nor equal to it.
                if !(weight > 0.0 && weight.is_finite()) {
                    bad_weight |= weight != 0.0;
                    continue;
                }
                match binding.joints.get(joint as usize) {
                    Some(raw) => all.push((*raw, weight)),
                    None => bad_joint = true,
                }
            }
        }
        odd.weights = odd.weights.saturating_add(bad_weight.into());
        odd.joints = odd.joints.saturating_add(bad_joint.into());
        let stored: f64 = all.iter().map(|(_, w)| w).sum();
        if !bad_weight && !bad_joint && (stored - 1.0).abs() > ROUNDING {
            odd.sums = odd.sums.saturating_add(1);
        }
        out.push(&mut all, first);
    }
    odd.warn(at, scene);
    Some(Bound { influences: out.finish(), binds: binding.for_all(rest) })
}

/// Vertices that needed a repair.
#[derive(Default)]
struct Odd {
    weights: usize,
    joints: usize,
    sums: usize,
}

impl Odd {
    fn warn(&self, at: &str, scene: &mut Scene) {
        let texts = [
            (
                self.weights,
                "weights that are negative or not finite; they count as 0, the others sum to 1 again",
            ),
            (
                self.joints,
                "a joint that the skin does not have; it was left out, the other weights sum to 1 again",
            ),
            (self.sums, "weights that do not sum to 1; now they do"),
        ];
        for (count, text) in texts.into_iter().filter(|(count, _)| *count > 0) {
            scene.warn(at, format!("{count} vertices have {text}"));
        }
    }
}

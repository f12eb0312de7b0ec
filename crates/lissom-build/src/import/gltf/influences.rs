//! Which joints a vertex follows, and how much.

use super::{
    super::ImportError,
    accessor::{Source, Values},
    budget::Budget,
    document::{Kind, Primitive},
    skins::Binding,
};
use crate::{exact::M34, scene::Scene};

/// Of all vertices: joints and weights, and the inverse bind matrix of every raw joint.
pub(super) struct Influences {
    pub(super) joints: Vec<[u16; 4]>,
    pub(super) weights: Vec<[f32; 4]>,
    pub(super) binds: Vec<M34>,
}

/// Sets of four that are read at most; more would not change the four largest of any real file.
const MOST_SETS: usize = 8;
/// Sums up to this far from 1 are rounding (of weights stored in bytes), not mistakes.
const ROUNDING: f64 = 0.02;

/// The sets `JOINTS_n` and `WEIGHTS_n`, as far as both are there.
pub(super) fn open<'a>(
    source: &Source<'a>,
    primitive: &Primitive,
    budget: &mut Budget,
) -> Result<Vec<(Values<'a>, Values<'a>)>, ImportError> {
    let mut sets = Vec::new();
    for n in 0..MOST_SETS {
        let get = |name: &str| primitive.attributes.get(&format!("{name}_{n}"));
        let (Some(joints), Some(weights)) = (get("JOINTS"), get("WEIGHTS")) else { break };
        let joints = source.open(*joints, &[Kind::Vec4], budget)?;
        let weights = source.open(*weights, &[Kind::Vec4], budget)?;
        sets.push((joints, weights));
    }
    Ok(sets)
}

/// Reads the influences of the used vertices, repairing what can be repaired:
/// - a weight that is NaN, infinite or negative counts as 0;
/// - a joint that the skin does not have is left out;
/// - of more than four influences the four largest stay;
/// - the sum becomes 1; a vertex with nothing left follows the skin's first joint.
pub(super) fn read(
    sets: &[(Values<'_>, Values<'_>)],
    used: &[u32],
    binding: &Binding,
    rest: &[M34],
    at: &str,
    scene: &mut Scene,
) -> Influences {
    let mut out = Influences {
        joints: Vec::with_capacity(used.len()),
        weights: Vec::with_capacity(used.len()),
        binds: binding.for_all(rest),
    };
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
        // Falling; equal weights stay in file order.
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        if all.len() > 4 {
            odd.many = odd.many.saturating_add(1);
        }
        let stored: f64 = all.iter().map(|(_, w)| w).sum();
        if !bad_weight && !bad_joint && (stored - 1.0).abs() > ROUNDING {
            odd.sums = odd.sums.saturating_add(1);
        }
        all.truncate(4);
        let (joints, weights) = settle(&all, binding.joints.first().copied().unwrap_or_default());
        out.joints.push(joints);
        out.weights.push(weights);
    }
    odd.warn(at, scene);
    out
}

/// Four influences whose weights sum to 1 in f32.
fn settle(all: &[(u16, f64)], fallback: u16) -> ([u16; 4], [f32; 4]) {
    let sum: f64 = all.iter().map(|(_, w)| w).sum();
    if sum <= 0.0 || !sum.is_finite() {
        return ([fallback, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    }
    let (mut joints, mut weights) = ([0; 4], [0.0_f32; 4]);
    for ((joint, weight), (raw, w)) in joints.iter_mut().zip(&mut weights).zip(all) {
        *joint = *raw;
        *weight = (w / sum) as f32;
    }
    (joints, weights)
}

/// Vertices that needed a repair.
#[derive(Default)]
struct Odd {
    weights: usize,
    joints: usize,
    many: usize,
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
            (self.many, "more than 4 influences; the 4 largest stayed and sum to 1 again"),
            (self.sums, "weights that do not sum to 1; now they do"),
        ];
        for (count, text) in texts.into_iter().filter(|(count, _)| *count > 0) {
            scene.warn(at, format!("{count} vertices have {text}"));
        }
    }
}

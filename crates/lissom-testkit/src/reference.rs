//! The oracles in f64, from the same f32 input: what the oracles themselves are checked against.
//!
//! Single steps are [`lissom_build::exact`].

use lissom::Skeleton;
use lissom_build::exact::{M34, Trs, larger};
use lissom_math::{Mat34, Transform};

/// Model matrices from f32 local transforms, in f64.
///
/// # Panics
///
/// If there are fewer transforms than joints.
#[must_use]
pub fn local_to_model(skeleton: &Skeleton, locals: &[Transform]) -> Vec<M34> {
    let mut models: Vec<M34> = Vec::with_capacity(skeleton.joint_count());
    for (j, local) in locals.iter().enumerate().take(skeleton.joint_count()) {
        let local = Trs::from_f32(*local).to_m34();
        models.push(skeleton.parent(j).map_or(local, |p| models[p].mul(&local)));
    }
    assert_eq!(models.len(), skeleton.joint_count(), "one transform a joint");
    models
}

/// The twelve numbers of a matrix, column by column.
#[must_use]
pub fn m34_to_array(m: &M34) -> [f64; 12] {
    let [a, b, c, d] = m.columns;
    [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z]
}

/// The largest difference between two matrices, over the largest number of the exact one (at least 1).
#[must_use]
pub fn relative_error(actual: &Mat34, exact: &M34) -> f64 {
    let exact = m34_to_array(exact);
    let size = exact.iter().fold(1.0_f64, |size, v| larger(size, v.abs()));
    let worst = actual.columns.iter().flatten().zip(exact).map(|(a, e)| (f64::from(*a) - e).abs());
    worst.fold(0.0, larger) / size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate, oracle, rng::Rng};

    #[test]
    fn the_local_to_model_oracle_is_f64_within_rounding() {
        let mut rng = Rng::new(5);
        for _ in 0..100 {
            let joints = 1 + rng.below(60);
            let skeleton = generate::skeleton(&mut rng, joints);
            let pose = generate::pose(&mut rng, joints);
            let (f32s, f64s) =
                (oracle::local_to_model(&skeleton, &pose, None), local_to_model(&skeleton, &pose));
            for j in 0..joints {
                // Every level of the chain adds a few roundings.
                let allowed = 4.0e-7 * (skeleton.depth(j) + 1) as f64;
                let error = relative_error(&f32s[j], &f64s[j]);
                assert!(error <= allowed, "joint {j}, depth {}: {error:e}", skeleton.depth(j));
            }
        }
    }
}

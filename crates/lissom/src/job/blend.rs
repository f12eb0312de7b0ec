//! Several poses into one.

use super::{
    JobError,
    error::{at_least, fits_groups},
    kernel::{
        sums::{Sum, add_layer, weights},
        whole_layers::{MOST, Whole, blend_whole},
    },
};
use crate::JointLod;
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, WideTransform, splat},
    soa::{GROUP, Lanes, SoaTransform},
};

/// A pose and how much of it goes into a blend.
#[derive(Clone, Copy, Debug)]
pub struct BlendLayer<'a> {
    /// How much, against the other layers. A blend layer that is not above 0 is skipped and costs
    /// nothing; an additive layer is skipped at 0 and taken away below 0.
    pub weight: f32,
    /// Local transforms, in groups: at least as many as the rest pose.
    pub pose: &'a [SoaTransform],
    /// One weight a joint, in groups like the pose, multiplied with `weight`; negative or NaN counts
    /// as 0. `None` means 1 everywhere.
    pub joint_weights: Option<&'a [Lanes]>,
}

/// Blends any number of poses by weight, then adds additive poses.
///
/// | field | | |
/// |---|---|---|
/// | `layers` | in | poses to average; may be empty |
/// | `additive` | in | differences to add afterwards; may be empty |
/// | `threshold` | in | the least weight a joint needs, above 0; [`BlendJob::DEFAULT_THRESHOLD`] |
/// | `rest` | in | the rest pose; its length is the number of groups blended |
/// | `lod` | in | groups without a joint of the level are skipped |
/// | `output` | out | at least as many groups as `rest` |
///
/// Larger buffers are accepted; nothing past the rest pose's length is read or written.
///
/// # What is computed, for each joint
///
/// 1. Layers in order, w = `weight` · joint weight: translation and scale add up as Σ w·v, and W = Σ w.
///    Rotations add up as Σ ±w·q, where the sign is minus if the dot product of q with the sum so far is
///    below 0 (the shorter path; the first layer keeps its sign).
/// 2. Where W < `threshold`, the rest pose joins as one more layer of weight `threshold` − W.
/// 3. All sums are multiplied by 1 / W. Rotations are then normalised, to the identity if they cancelled.
/// 4. Additive layers in order, w as above, |w| = its magnitude, Δ = the layer's rotation, on the side where
///    its w component is not negative, interpolated from the identity by |w|:
///    - translation + w·t
///    - rotation Δ·q, or Δ⁻¹·q where w < 0
///    - scale · (1 + (s − 1)·|w|), or divided by that where w < 0 (unchanged if that is 0)
///
///    then rotations are normalised once more. So an additive pose holds `pose · reference⁻¹` for
///    rotations, `pose − reference` for translations and `pose / reference` for scales.
///
/// # Errors
///
/// - [`JobError::TooShort`]: a pose, joint weights or `output` have fewer groups than `rest`.
/// - [`JobError::Value`]: a layer's weight is NaN or infinite, or `threshold` is not a normal number above 0.
/// - [`JobError::Mismatch`]: `lod` belongs to a skeleton of another size.
///
/// # Cost and determinism
///
/// One pass over memory: a group of joints stays in registers over all its layers. No allocation, any number
/// of groups. The same bits on every backend. A NaN in a pose reaches its own joint's channel only, even
/// where the joint's weight is 0.
#[derive(Debug)]
pub struct BlendJob<'a> {
    /// Poses to average.
    pub layers: &'a [BlendLayer<'a>],
    /// Differences to add afterwards.
    pub additive: &'a [BlendLayer<'a>],
    /// The least weight of a joint; the rest pose fills what is missing.
    pub threshold: f32,
    /// The rest pose.
    pub rest: &'a [SoaTransform],
    /// Groups outside the level are skipped.
    pub lod: Option<&'a JointLod>,
    /// The blended pose.
    pub output: &'a mut [SoaTransform],
}

impl<'a> BlendJob<'a> {
    /// An average, with the default threshold and nothing added.
    #[must_use]
    pub fn new(
        layers: &'a [BlendLayer<'a>],
        rest: &'a [SoaTransform],
        output: &'a mut [SoaTransform],
    ) -> Self {
        Self { layers, additive: &[], threshold: Self::DEFAULT_THRESHOLD, rest, lod: None, output }
    }
}

impl BlendJob<'_> {
    /// A tenth: layers that fade in from nothing start at the rest pose.
    pub const DEFAULT_THRESHOLD: f32 = 0.1;

    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`BlendJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let groups = self.rest.len();
        check_threshold(self.threshold)?;
        check_layers(self.layers, groups, ["layers.weight", "layers.pose", "layers.joint_weights"])?;
        check_layers(self.additive, groups, ["additive.weight", "additive.pose", "additive.joint_weights"])?;
        at_least("output", "groups", self.output.len(), groups)?;
        fits_groups(self.lod, groups)
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`BlendJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend.
    ///
    /// # Errors
    ///
    /// Listed at [`BlendJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        dispatch!(backend, s => kernel(s, self));
        Ok(())
    }
}

/// Checks layers; the names are those of a layer's fields.
#[inline]
fn check_layers(
    layers: &[BlendLayer<'_>],
    groups: usize,
    [weight, pose, joint_weights]: [&'static str; 3],
) -> Result<(), JobError> {
    for (index, layer) in layers.iter().enumerate() {
        if !layer.weight.is_finite() {
            return bad_weight(weight, index, layer.weight);
        }
        at_least(pose, "groups", layer.pose.len(), groups)?;
        if let Some(weights) = layer.joint_weights {
            at_least(joint_weights, "groups", weights.len(), groups)?;
        }
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn bad_weight(field: &'static str, index: usize, value: f32) -> Result<(), JobError> {
    Err(JobError::Value { field, index, value: value.into(), allowed: "finite numbers" })
}

#[inline]
pub(super) fn check_threshold(value: f32) -> Result<(), JobError> {
    if value.is_normal() && value > 0.0 { Ok(()) } else { bad_threshold(value) }
}

#[cold]
#[inline(never)]
fn bad_threshold(value: f32) -> Result<(), JobError> {
    Err(JobError::Value {
        field: "threshold",
        index: 0,
        value: value.into(),
        allowed: "normal numbers above 0",
    })
}

#[inline(always)]
fn kernel<S: Simd>(s: S, job: &mut BlendJob<'_>) {
    let BlendJob { layers, additive, threshold, rest, lod, ref mut output } = *job;
    let output = &mut output[..rest.len()];
    let mut active = [Whole { pose: rest, weight: 0.0 }; MOST];
    let mut count = 0;
    // Without joint weights, 1 / W is one number for the whole pose: divide once.
    let mut uniform = true;
    let mut total = 0.0;
    for layer in layers {
        if layer.weight > 0.0 {
            uniform &= layer.joint_weights.is_none();
            total = if count == 0 { layer.weight } else { total + layer.weight };
            if count < MOST {
                active[count] = Whole { pose: &layer.pose[..rest.len()], weight: layer.weight };
            }
            count += 1;
        }
    }
    let adds = additive.iter().any(|l| l.weight != 0.0);
    if uniform && total >= threshold && !adds && lod.is_none() {
        let inverse = 1.0 / total;
        match count {
            1 => return blend_whole::<S, 1>(s, [active[0]], inverse, output),
            2 => return blend_whole::<S, 2>(s, [active[0], active[1]], inverse, output),
            3 => return blend_whole::<S, 3>(s, [active[0], active[1], active[2]], inverse, output),
            4 => return blend_whole::<S, 4>(s, active, inverse, output),
            _ => (),
        }
    }
    if total < threshold {
        total += threshold - total;
    }
    let inverse = splat(s, 1.0 / total);

    for (group, (rest, output)) in rest.iter().zip(output.iter_mut()).enumerate() {
        if lod.is_some_and(|lod| !lod.contains_group(group)) {
            continue;
        }
        let mut at = 0;
        while at < GROUP {
            let mut out =
                average(s, layers, threshold, rest, group, at, if uniform { Some(inverse) } else { None });
            if adds {
                for layer in additive.iter().filter(|l| l.weight != 0.0) {
                    out = add_layer(s, out, layer, group, at);
                }
                out.rotation = out.rotation.normalize(s);
            }
            out.translation.store(&mut output.translation, at);
            out.rotation.store(&mut output.rotation, at);
            out.scale.store(&mut output.scale, at);
            at += LEN::<S>();
        }
    }
}

/// The weighted average of one block of joints, the rest pose where weight is missing.
#[inline(always)]
fn average<S: Simd>(
    s: S,
    layers: &[BlendLayer<'_>],
    threshold: f32,
    rest: &SoaTransform,
    group: usize,
    at: usize,
    inverse: Option<S::f32s>,
) -> WideTransform<S> {
    let threshold = splat(s, threshold);
    let mut layers = layers.iter().filter(|l| l.weight > 0.0);
    let sum = match layers.next() {
        None => Sum::first(WideTransform::load(s, rest, at), threshold),
        Some(layer) => {
            let w = weights(s, layer, group, at);
            let mut sum = Sum::first(WideTransform::load(s, &layer.pose[group], at), w);
            for layer in layers {
                let w = weights(s, layer, group, at);
                sum = sum.add(s, WideTransform::load(s, &layer.pose[group], at), w);
            }
            sum.filled(s, threshold, rest, at)
        }
    };
    sum.divided(
        s,
        match inverse {
            Some(k) => k,
            None => splat(s, 1.0) / sum.weight,
        },
    )
}

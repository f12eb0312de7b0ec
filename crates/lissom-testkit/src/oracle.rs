//! The jobs again in plain code on plain arrays, joint by joint and vertex by vertex: what every backend must equal,
//! bit for bit.
//!
//! Single steps are [`lissom_math::scalar`], [`Transform::to_mat34`] and [`Mat34::mul`], which are plain
//! code already and are checked against f64 themselves.
#![allow(clippy::needless_range_loop, reason = "several lists share an index")]

use lissom::{
    Skeleton,
    job::BlendLayer,
    mesh::{DualQuat, SkinMesh},
};
use lissom_math::{
    Mat34, Quat, Transform, Vec3,
    scalar::{
        MIN_LENGTH_SQUARED, add, mul, quat_conjugate, quat_dot, quat_mul, quat_normalize, quat_rotate, scale,
    },
    soa::{self, GROUP, SoaTransform},
};

/// Model matrices from local transforms: model(j) = model(parent(j)) · matrix(local(j)), roots under `root`.
///
/// # Panics
///
/// If there are fewer transforms than joints.
#[must_use]
pub fn local_to_model(skeleton: &Skeleton, locals: &[Transform], root: Option<&Mat34>) -> Vec<Mat34> {
    let mut models: Vec<Mat34> = Vec::with_capacity(skeleton.joint_count());
    for (j, local) in locals.iter().enumerate().take(skeleton.joint_count()) {
        let local = local.to_mat34();
        let above = skeleton.parent(j).map(|p| &models[p]).or(root);
        models.push(above.map_or(local, |above| above.mul(&local)));
    }
    assert_eq!(models.len(), skeleton.joint_count(), "one transform a joint");
    models
}

fn scale_quat(q: Quat, k: f32) -> Quat {
    Quat::from_xyzw(q.x * k, q.y * k, q.z * k, q.w * k)
}

fn weight(layer: &BlendLayer<'_>, j: usize) -> f32 {
    match layer.joint_weights {
        None => layer.weight,
        Some(w) => {
            let w = w[j / GROUP].0[j % GROUP];
            layer.weight * if w > 0.0 { w } else { 0.0 }
        }
    }
}

/// Layers blended joint by joint: weights and joint weights, the rest pose below the threshold, additive layers on top.
///
/// # Panics
///
/// If a pose is too short.
#[must_use]
pub fn blend(
    layers: &[BlendLayer<'_>],
    additive: &[BlendLayer<'_>],
    threshold: f32,
    rest: &[SoaTransform],
    joints: usize,
) -> Vec<Transform> {
    (0..joints).map(|j| blend_joint(layers, additive, threshold, soa::lane(rest, j), j)).collect()
}

fn blend_joint(
    layers: &[BlendLayer<'_>],
    additive: &[BlendLayer<'_>],
    threshold: f32,
    rest: Transform,
    j: usize,
) -> Transform {
    let mut sum: Option<(Transform, f32)> = None;
    let accumulate = |sum: &mut Option<(Transform, f32)>, t: Transform, w: f32| {
        *sum = Some(match *sum {
            None => (
                Transform {
                    translation: scale(t.translation, w),
                    rotation: scale_quat(t.rotation, w),
                    scale: scale(t.scale, w),
                },
                w,
            ),
            Some((a, total)) => {
                let signed = if quat_dot(a.rotation, t.rotation) < 0.0 { -w } else { w };
                let r = scale_quat(t.rotation, signed);
                (
                    Transform {
                        translation: add(a.translation, scale(t.translation, w)),
                        rotation: Quat::from_xyzw(
                            a.rotation.x + r.x,
                            a.rotation.y + r.y,
                            a.rotation.z + r.z,
                            a.rotation.w + r.w,
                        ),
                        scale: add(a.scale, scale(t.scale, w)),
                    },
                    total + w,
                )
            }
        });
    };
    for layer in layers.iter().filter(|l| l.weight > 0.0) {
        accumulate(&mut sum, soa::lane(layer.pose, j), weight(layer, j));
    }
    match sum {
        None => accumulate(&mut sum, rest, threshold),
        Some((_, total)) if total < threshold => accumulate(&mut sum, rest, threshold - total),
        Some(_) => {}
    }
    let (t, total) = sum.unwrap();
    let k = 1.0 / total;
    let mut out = Transform {
        translation: scale(t.translation, k),
        rotation: quat_normalize(scale_quat(t.rotation, k)),
        scale: scale(t.scale, k),
    };
    let mut any = false;
    for layer in additive.iter().filter(|l| l.weight != 0.0) {
        any = true;
        let (t, w) = (soa::lane(layer.pose, j), weight(layer, j));
        let back = layer.weight < 0.0;
        let amount = if back { -w } else { w };
        let side = if t.rotation.w < 0.0 { -amount } else { amount };
        let axis = if back { -side } else { side };
        let delta = Quat::from_xyzw(
            t.rotation.x * axis,
            t.rotation.y * axis,
            t.rotation.z * axis,
            t.rotation.w * side + (1.0 - amount),
        );
        let factor = |v: f32| {
            let f = 1.0 + (v - 1.0) * amount;
            match (back, f == 0.0) {
                (false, _) => f,
                (true, true) => 1.0,
                (true, false) => 1.0 / f,
            }
        };
        out.translation = add(out.translation, scale(t.translation, w));
        out.rotation = quat_mul(delta, out.rotation);
        out.scale = mul(out.scale, Vec3::new(factor(t.scale.x), factor(t.scale.y), factor(t.scale.z)));
    }
    if any {
        out.rotation = quat_normalize(out.rotation);
    }
    out
}

/// A linearly skinned vertex: its position, or with `point` false one of its vectors.
///
/// # Panics
///
/// If the mesh has no such vertex.
#[must_use]
pub fn skin_vertex(
    mesh: &SkinMesh<'_>,
    palette: &[Mat34],
    vertex: usize,
    v: [f32; 3],
    point: bool,
) -> [f32; 3] {
    let mut m = [[0.0_f32; 3]; 4];
    for i in 0..mesh.influences() {
        let (joint, w) = (mesh.joint(vertex, i), mesh.weight(vertex, i));
        for c in 0..4 {
            for r in 0..3 {
                let term = palette[joint].columns[c][r] * w;
                m[c][r] = if i == 0 { term } else { m[c][r] + term };
            }
        }
    }
    let m = Mat34 { columns: m };
    let moved = if point { m.mul_point(v) } else { m.mul_vector(v) };
    // No zero is negative.
    moved.map(|c| c + 0.0)
}

/// A vertex, or with `point` false a vector of it, moved by blended dual quaternions.
///
/// # Panics
///
/// If the mesh has no such vertex.
#[must_use]
pub fn dual_quat_vertex(
    mesh: &SkinMesh<'_>,
    palette: &[DualQuat],
    vertex: usize,
    v: [f32; 3],
    point: bool,
) -> [f32; 3] {
    let quat = |q: [f32; 4]| Quat::from_xyzw(q[0], q[1], q[2], q[3]);
    let first = quat(palette[mesh.joint(vertex, 0)].real);
    let (mut real, mut dual) = ([0.0; 4], [0.0; 4]);
    for i in 0..mesh.influences() {
        let d = &palette[mesh.joint(vertex, i)];
        let w = mesh.weight(vertex, i);
        let w = if quat_dot(first, quat(d.real)) < 0.0 { -w } else { w };
        for k in 0..4 {
            real[k] = if i == 0 { d.real[k] * w } else { real[k] + d.real[k] * w };
            dual[k] = if i == 0 { d.dual[k] * w } else { dual[k] + d.dual[k] * w };
        }
    }
    let l2 = quat_dot(quat(real), quat(real));
    let (q, d) = if l2 > MIN_LENGTH_SQUARED {
        let inverse = 1.0 / l2.sqrt();
        (real.map(|x| x * inverse), dual.map(|x| x * inverse))
    } else {
        ([0.0, 0.0, 0.0, 1.0], [0.0; 4])
    };
    let q = quat(q);
    let r = quat_rotate(q, Vec3::from_array(v));
    if !point {
        return r.to_array();
    }
    let t = quat_mul(quat(d), quat_conjugate(q));
    [r.x + (t.x + t.x), r.y + (t.y + t.y), r.z + (t.z + t.z)]
}

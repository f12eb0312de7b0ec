//! The few vector operations a renderer needs.

pub(crate) type V = [f32; 3];

pub(crate) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub(crate) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(crate) fn scale(a: V, k: f32) -> V {
    [a[0] * k, a[1] * k, a[2] * k]
}
pub(crate) fn dot(a: V, b: V) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(crate) fn length(a: V) -> f32 {
    dot(a, a).sqrt()
}
/// The direction, or `fallback` where there is none.
pub(crate) fn unit(a: V, fallback: V) -> V {
    let l = length(a);
    if l > 1e-20 { scale(a, 1.0 / l) } else { fallback }
}
pub(crate) fn mix(a: V, b: V, t: f32) -> V {
    add(scale(a, 1.0 - t), scale(b, t))
}
pub(crate) fn is_finite(a: V) -> bool {
    a.iter().all(|c| c.is_finite())
}
/// 0 below `lo`, 1 above `hi`, smooth between.
pub(crate) fn smoothstep(lo: f32, hi: f32, x: f32) -> f32 {
    let t = ((x - lo) / (hi - lo)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

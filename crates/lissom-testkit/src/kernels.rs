//! Every kernel of [`lissom_math::batch`] beside its plain twin, on the same random input.

use crate::{compare::Components, rng::Rng};
use lissom_math::{
    Mat34, Quat, Transform, Vec3, batch, scalar,
    simd::Backend,
    soa::{self, GROUP, SoaMat34, SoaQuat, SoaVec3},
};

/// One input a lane for every kernel.
pub struct Inputs {
    /// Rotations.
    pub q: Vec<Quat>,
    /// More rotations.
    pub r: Vec<Quat>,
    /// Vectors.
    pub u: Vec<Vec3>,
    /// More vectors.
    pub v: Vec<Vec3>,
    /// Ratios.
    pub t: Vec<f32>,
    /// Local transforms.
    pub locals: Vec<Transform>,
    /// Matrices.
    pub m: Vec<Mat34>,
    /// More matrices.
    pub n: Vec<Mat34>,
}

/// A kernel and its twin. Both give all components of all lanes, lane after lane.
pub struct Kernel {
    /// The name of the function in [`lissom_math::batch`].
    pub name: &'static str,
    /// Components a lane.
    pub components: &'static [&'static str],
    /// The wide code.
    pub run: fn(Backend, &Inputs) -> Vec<f32>,
    /// The plain code.
    pub oracle: fn(&Inputs) -> Vec<f32>,
}

impl Inputs {
    /// What jobs meet: unit rotations, ratios in [0, 1), finite numbers.
    #[must_use]
    pub fn ordinary(rng: &mut Rng, count: usize) -> Self {
        let rotations = |rng: &mut Rng| (0..count).map(|_| rng.rotation()).collect();
        let vectors = |rng: &mut Rng| (0..count).map(|_| rng.vec3(10.0)).collect();
        let matrices = |rng: &mut Rng| (0..count).map(|_| rng.transform().to_mat34()).collect();
        Self {
            q: rotations(rng),
            r: rotations(rng),
            u: vectors(rng),
            v: vectors(rng),
            t: (0..count).map(|_| rng.unit()).collect(),
            locals: (0..count).map(|_| rng.transform()).collect(),
            m: matrices(rng),
            n: matrices(rng),
        }
    }

    /// What nobody should pass: any bits at all, NaN, infinities, -0 and denormals more than the rest.
    #[must_use]
    pub fn nasty(rng: &mut Rng, count: usize) -> Self {
        fn all<T>(rng: &mut Rng, count: usize, make: impl Fn(&mut Rng) -> T) -> Vec<T> {
            (0..count).map(|_| make(rng)).collect()
        }
        let quat = |rng: &mut Rng| Quat::from_xyzw(rng.nasty(), rng.nasty(), rng.nasty(), rng.nasty());
        let vec3 = |rng: &mut Rng| Vec3::new(rng.nasty(), rng.nasty(), rng.nasty());
        let mat34 = |rng: &mut Rng| Mat34 {
            columns: core::array::from_fn(|_| core::array::from_fn(|_| rng.nasty())),
        };
        Self {
            q: all(rng, count, quat),
            r: all(rng, count, quat),
            u: all(rng, count, vec3),
            v: all(rng, count, vec3),
            t: all(rng, count, Rng::nasty),
            locals: all(rng, count, Rng::nasty_transform),
            m: all(rng, count, mat34),
            n: all(rng, count, mat34),
        }
    }

    /// How many lanes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.t.len()
    }
}

/// Every kernel there is. A test compares the list with the source of [`lissom_math::batch`].
pub const KERNELS: [Kernel; 7] = [
    Kernel {
        name: "quat_mul",
        components: Quat::NAMES,
        run: |backend, i| {
            let mut out = pack_quat(&i.q);
            batch::quat_mul(backend, &pack_quat(&i.q), &pack_quat(&i.r), &mut out);
            lanes(&out, i.count(), SoaQuat::lane)
        },
        oracle: |i| each(i, |j| scalar::quat_mul(i.q[j], i.r[j])),
    },
    Kernel {
        name: "quat_normalize",
        components: Quat::NAMES,
        run: |backend, i| {
            let mut out = pack_quat(&i.q);
            batch::quat_normalize(backend, &mut out);
            lanes(&out, i.count(), SoaQuat::lane)
        },
        oracle: |i| each(i, |j| scalar::quat_normalize(i.q[j])),
    },
    Kernel {
        name: "quat_nlerp",
        components: Quat::NAMES,
        run: |backend, i| {
            let mut out = pack_quat(&i.q);
            let t = soa::from_floats(&i.t);
            batch::quat_nlerp(backend, &pack_quat(&i.q), &pack_quat(&i.r), &t, &mut out);
            lanes(&out, i.count(), SoaQuat::lane)
        },
        oracle: |i| each(i, |j| scalar::quat_nlerp(i.q[j], i.r[j], i.t[j])),
    },
    Kernel {
        name: "quat_rotate",
        components: Vec3::NAMES,
        run: |backend, i| {
            let mut out = pack_vec3(&i.v);
            batch::quat_rotate(backend, &pack_quat(&i.q), &pack_vec3(&i.v), &mut out);
            lanes(&out, i.count(), SoaVec3::lane)
        },
        oracle: |i| each(i, |j| scalar::quat_rotate(i.q[j], i.v[j])),
    },
    Kernel {
        name: "vec3_lerp",
        components: Vec3::NAMES,
        run: |backend, i| {
            let mut out = pack_vec3(&i.v);
            let t = soa::from_floats(&i.t);
            batch::vec3_lerp(backend, &pack_vec3(&i.u), &pack_vec3(&i.v), &t, &mut out);
            lanes(&out, i.count(), SoaVec3::lane)
        },
        oracle: |i| each(i, |j| scalar::lerp(i.u[j], i.v[j], i.t[j])),
    },
    Kernel {
        name: "transform_to_mat34",
        components: Mat34::NAMES,
        run: |backend, i| {
            let mut out = pack_mat34(&i.m);
            batch::transform_to_mat34(backend, &soa::from_transforms(&i.locals), &mut out);
            lanes(&out, i.count(), SoaMat34::lane)
        },
        oracle: |i| each(i, |j| i.locals[j].to_mat34()),
    },
    Kernel {
        name: "mat34_mul",
        components: Mat34::NAMES,
        run: |backend, i| {
            let mut out = pack_mat34(&i.m);
            batch::mat34_mul(backend, &pack_mat34(&i.m), &pack_mat34(&i.n), &mut out);
            lanes(&out, i.count(), SoaMat34::lane)
        },
        oracle: |i| each(i, |j| i.m[j].mul(&i.n[j])),
    },
];

/// All components of one value a lane.
fn each<T: Components>(inputs: &Inputs, value: impl Fn(usize) -> T) -> Vec<f32> {
    (0..inputs.count()).map(value).flat_map(flat).collect()
}

/// All components of the first `count` lanes.
fn lanes<G, T: Components>(groups: &[G], count: usize, lane: fn(&G, usize) -> T) -> Vec<f32> {
    (0..count).map(|j| lane(&groups[j / GROUP], j % GROUP)).flat_map(flat).collect()
}

fn flat<T: Components>(value: T) -> impl Iterator<Item = f32> {
    (0..T::NAMES.len()).map(move |i| value.component(i))
}

fn pack_quat(values: &[Quat]) -> Vec<SoaQuat> {
    let mut groups = vec![SoaQuat::IDENTITY; soa::group_count(values.len())];
    for (j, q) in values.iter().enumerate() {
        groups[j / GROUP].set_lane(j % GROUP, *q);
    }
    groups
}

fn pack_vec3(values: &[Vec3]) -> Vec<SoaVec3> {
    let mut groups = vec![SoaVec3::ZERO; soa::group_count(values.len())];
    for (j, v) in values.iter().enumerate() {
        groups[j / GROUP].set_lane(j % GROUP, *v);
    }
    groups
}

fn pack_mat34(values: &[Mat34]) -> Vec<SoaMat34> {
    let mut groups = vec![SoaMat34::IDENTITY; soa::group_count(values.len())];
    for (j, m) in values.iter().enumerate() {
        groups[j / GROUP].set_lane(j % GROUP, m);
    }
    groups
}

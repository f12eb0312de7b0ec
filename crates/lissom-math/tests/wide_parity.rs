//! The wide operations that clips and blends are made of have the bits of their plain twins, on every backend.

use lissom_math::{
    Quat, Vec3, dispatch, scalar,
    simd::{Backend, LEN, Simd, WideQuat, WideVec3, inverse_sqrt_near_one, load, splat, store},
    soa::{GROUP, Lanes, SoaQuat, SoaVec3},
};
use lissom_testkit::{compare::same_bits, rng::Rng};

/// What goes in, a group of each; rotations are units.
struct Inputs {
    q: SoaQuat,
    r: SoaQuat,
    v: SoaVec3,
    t: Lanes,
}

/// Numbers that come out for each lane.
const RESULTS: usize = 18;

/// The results of every operation, lane by lane.
type Results = Vec<[f32; GROUP]>;

#[inline(always)]
fn kernel<S: Simd>(s: S, i: &Inputs, out: &mut Results) {
    let mut at = 0;
    let mut lanes = [Lanes::splat(0.0); RESULTS];
    while at < GROUP {
        let (q, r) = (WideQuat::load(s, &i.q, at), WideQuat::load(s, &i.r, at));
        let (v, t) = (WideVec3::load(s, &i.v, at), load(s, &i.t, at));
        let (near, scaled) = (q.near(s, r), q.scale(t));
        let (mixed, turned) = (q.nlerp_near_one(s, r, t), WideQuat::from_rodrigues(s, v));
        for (k, q) in [near, scaled, mixed, turned].into_iter().enumerate() {
            for (c, component) in [q.x, q.y, q.z, q.w].into_iter().enumerate() {
                store(component, &mut lanes[4 * k + c], at);
            }
        }
        store(v.dot(v), &mut lanes[16], at);
        store(inverse_sqrt_near_one(s, splat(s, 0.45) + t * splat(s, 0.6)), &mut lanes[17], at);
        at += LEN::<S>();
    }
    out.extend(lanes.map(|l| l.0));
}

fn plain(i: &Inputs, lane: usize) -> [f32; RESULTS] {
    let quat = |q: &SoaQuat| Quat::from_xyzw(q.x.0[lane], q.y.0[lane], q.z.0[lane], q.w.0[lane]);
    let (q, r) = (quat(&i.q), quat(&i.r));
    let (v, t) = (Vec3::new(i.v.x.0[lane], i.v.y.0[lane], i.v.z.0[lane]), i.t.0[lane]);
    let quats = [
        scalar::quat_near(q, r),
        scalar::quat_scale(q, t),
        scalar::quat_nlerp_near_one(q, r, t),
        scalar::quat_from_rodrigues(v),
    ];
    let mut out = [0.0; RESULTS];
    for (k, q) in quats.into_iter().enumerate() {
        out[4 * k..4 * k + 4].copy_from_slice(&[q.x, q.y, q.z, q.w]);
    }
    out[16] = scalar::dot(v, v);
    out[17] = scalar::inverse_sqrt_near_one(0.45 + t * 0.6);
    out
}

fn inputs(rng: &mut Rng) -> Inputs {
    let mut i = Inputs { q: SoaQuat::IDENTITY, r: SoaQuat::IDENTITY, v: SoaVec3::ZERO, t: Lanes::splat(0.0) };
    let mut signed = || rng.range(-1.0, 1.0);
    for lane in 0..GROUP {
        for q in [&mut i.q, &mut i.r] {
            let unit = scalar::quat_normalize(Quat::from_xyzw(signed(), signed(), signed(), signed()));
            (q.x.0[lane], q.y.0[lane], q.z.0[lane], q.w.0[lane]) = (unit.x, unit.y, unit.z, unit.w);
        }
        (i.v.x.0[lane], i.v.y.0[lane], i.v.z.0[lane]) = (signed(), signed(), signed());
        i.t.0[lane] = signed().abs();
    }
    i
}

#[test]
fn wide_operations_have_the_bits_of_their_plain_twins() {
    let mut rng = Rng::new(0x51de);
    for round in 0..500 {
        let i = inputs(&mut rng);
        let plain: Vec<_> = (0..GROUP).map(|lane| plain(&i, lane)).collect();
        for backend in Backend::all() {
            let mut wide = Results::new();
            dispatch!(backend, s => kernel(s, &i, &mut wide));
            for (at, lanes) in wide.iter().enumerate() {
                for (got, expected) in lanes.iter().zip(&plain) {
                    let expected = expected[at];
                    assert!(
                        same_bits(*got, expected),
                        "{backend}, round {round}, {at}: {got} not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn expanded_lanes_stand_in_order_where_their_bits_are() {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, bits: u32, out: &mut Vec<f32>) {
        let count = Lanes(std::array::from_fn(|i| i as f32));
        let (some, none) = (load(s, &count, 0), splat(s, -1.0));
        let v = WideVec3::<S> { x: some, y: some, z: some };
        let v = v.expand(s, bits, WideVec3 { x: none, y: none, z: none });
        let mut lanes = Lanes::splat(0.0);
        store(v.y, &mut lanes, 0);
        out.extend(&lanes.0[..LEN::<S>()]);
    }
    for backend in Backend::all() {
        for bits in 0..16 {
            let mut out = Vec::new();
            dispatch!(backend, s => kernel(s, bits, &mut out));
            let mut next = 0.0;
            for (lane, got) in out.into_iter().enumerate() {
                let expected = if bits >> lane & 1 == 1 { next } else { -1.0 };
                next += f32::from(u8::from(bits >> lane & 1 == 1));
                assert_eq!(got, expected, "{backend}, {bits:#b}, lane {lane}");
            }
        }
    }
}

/// Exact roots and divisions, for comparison.
#[test]
fn the_inverse_root_near_one_is_right_to_two_units_in_the_last_place() {
    for i in 0..=60_000 {
        let d = 0.45 + 0.6 * (f64::from(i) / 60_000.0);
        let (got, exact) =
            (f64::from(scalar::inverse_sqrt_near_one(d as f32)), 1.0 / f64::from(d as f32).sqrt());
        assert!((got - exact).abs() <= 2.5e-7, "{d}: {got} not {exact}");
    }
}

//! Known values through the cooker and the player, every key kept: what a clip must give whatever its coding.

use lissom::{
    Clip,
    job::SampleTime,
    math::{Transform, Vec3},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::ClipBuilder,
    exact::{Q4, Trs, V3},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};

/// As far as a key may be from f32: the largest value here is 11.
const EXACT: f32 = 2e-6;

fn one_joint() -> BuiltSkeleton {
    let rest = Trs { translation: V3::ZERO, rotation: Q4::IDENTITY, scale: V3::ONE };
    let joints = vec![RawJoint { name: "root".into(), parent: None, rest }];
    SkeletonBuilder::build(&RawSkeleton { joints }).unwrap()
}

fn cook(skeleton: &BuiltSkeleton, track: RawTrack) -> Clip {
    let a = RawAnimation { duration_s: 1.0, tracks: vec![track], ..RawAnimation::default() };
    let builder = ClipBuilder { reduce: false, ..ClipBuilder::default() };
    Clip::from_bytes(&builder.build(skeleton, &a).unwrap().bytes).unwrap()
}

fn at(skeleton: &BuiltSkeleton, clip: &Clip, time_s: f64) -> Transform {
    clip.view().sample_joint(&skeleton.skeleton, 0, SampleTime::Clamped(time_s)).unwrap()
}

fn along_x(keys: &[(f64, f64)]) -> Channel<V3> {
    Channel::new(Curve::Linear, keys.iter().map(|(t, x)| (*t, V3::new(*x, 0.0, 0.0))))
}

#[test]
fn linear_keys_give_the_values_between_them() {
    let s = one_joint();
    let translation = along_x(&[(0.0, 2.0), (0.2, 6.0), (0.4, 8.0), (0.6, 10.0), (1.0, 11.0)]);
    let clip = cook(&s, RawTrack { translation, ..RawTrack::default() });
    assert_eq!(clip.view().key_count(), 5);
    for (t, x) in [(0.0, 2.0), (0.1, 4.0), (0.2, 6.0), (0.3, 7.0), (0.5, 9.0), (0.6, 10.0), (1.0, 11.0)] {
        let got = at(&s, &clip, t);
        assert!((got.translation.x - x).abs() <= EXACT, "{} at {t}", got.translation.x);
        assert_eq!((got.translation.y, got.translation.z, got.scale), (0.0, 0.0, Vec3::ONE));
    }
}

#[test]
fn before_the_first_key_and_after_the_last_their_values_hold() {
    let s = one_joint();
    let clip = cook(&s, RawTrack { translation: along_x(&[(0.2, 7.0), (0.6, 9.0)]), ..RawTrack::default() });
    for (t, x) in [(-1.0, 7.0), (0.0, 7.0), (0.1, 7.0), (0.3, 7.5), (0.8, 9.0), (1.0, 9.0), (3.0, 9.0)] {
        let got = at(&s, &clip, t).translation.x;
        assert!((got - x).abs() <= EXACT, "{got} at {t}");
    }
}

#[test]
fn rotations_take_the_shortest_path() {
    let s = one_joint();
    let half = 0.5_f32.sqrt();
    // The same turn with the start's sign either way: (0, 0.7071, 0, 0.7071) up to the sign of all four.
    for w in [-1.0, 1.0] {
        let turn = [(0.0, Q4::new(0.0, 0.0, 0.0, w)), (1.0, Q4::new(0.0, 1.0, 0.0, 0.0))];
        let track = RawTrack { rotation: Channel::new(Curve::Linear, turn), ..RawTrack::default() };
        let q = at(&s, &cook(&s, track), 0.5).rotation;
        assert!((q.y.abs() - half).abs() <= EXACT && (q.w.abs() - half).abs() <= EXACT, "{q:?}");
        assert!(q.x.abs() <= EXACT && q.z.abs() <= EXACT, "{q:?}");
    }
    // A third of a turn whose end is stored with the other sign: half way is a sixth, so y / w is the tangent of 30 degrees.
    let third = Q4::from_axis_angle(V3::Y, 120_f64.to_radians());
    let turn = [(0.0, Q4::IDENTITY), (1.0, third.scaled(-1.0))];
    let track = RawTrack { rotation: Channel::new(Curve::Linear, turn), ..RawTrack::default() };
    let q = at(&s, &cook(&s, track), 0.5).rotation;
    assert!((f64::from(q.y / q.w) - 1.0 / 3_f64.sqrt()).abs() <= f64::from(EXACT), "{q:?}");
}

#[test]
fn a_channel_without_keys_is_the_rest_pose() {
    let s = one_joint();
    let scale = Channel::constant(V3::new(1.0, 2.0, 3.0));
    let clip = cook(&s, RawTrack { scale, ..RawTrack::default() });
    let got = at(&s, &clip, 0.3);
    let expected = Transform { scale: Vec3::new(1.0, 2.0, 3.0), ..Transform::IDENTITY };
    assert_eq!(got, expected);
    assert_eq!((clip.view().channel_count(), clip.view().constant_count()), (0, 1));
}

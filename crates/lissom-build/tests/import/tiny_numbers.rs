//! What rounding left behind in a file, 1e-18 where 0 was meant, does not reach a game: its products are subnormal,
//! and jobs on them take two to five times as long.

use lissom::{
    Clip, Cursor, Skeleton, SkeletonParts,
    clip::ClipView,
    job::{SampleJob, SampleTime},
    math::{
        Quat, Transform, Vec3,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::SceneWriter,
    cook::{ClipBuilder, ErrorMetric, Form},
    exact::{M34, Q4, SMALLEST, Trs, V3},
    import::{ImportLimits, lsm},
    mesh::{Influences, RawMesh},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack},
    scene::{Morph, Scene, SceneMesh, SceneSkeleton},
};

const DUST: f64 = 1e-18;

/// A chain whose every zero is a tiny number.
fn dusty_skeleton() -> RawSkeleton {
    let joint = |j: usize| RawJoint {
        name: format!("joint {j}"),
        parent: j.checked_sub(1),
        rest: Trs {
            translation: V3::new(DUST, 0.3, -DUST),
            rotation: Q4::new(DUST, -3.0 * DUST, 0.1, 1.0).normalize(),
            scale: V3::new(1.0, 1.0, 1.0),
        },
    };
    RawSkeleton { joints: (0..20).map(joint).collect() }
}

/// Constants, turns about one axis, turns far from the identity, movements along one axis, all of them dusty; the
/// last but one joint lies so near to 0 that its own steps would be tiny.
fn dusty_animation(joints: usize) -> RawAnimation {
    let time = |i: u32| f64::from(i) / 30.0;
    let wave = |i: u32| libm::sin(f64::from(i) * 0.3);
    let about = |axis: V3, offset: f64| {
        let turn = move |i: u32| {
            let q = Q4::from_axis_angle(axis, offset + 0.4 * wave(i));
            Q4::new(q.x + DUST, q.y - DUST, q.z + DUST, q.w + DUST).normalize()
        };
        Channel::new(Curve::Linear, (0..40).map(move |i| (time(i), turn(i))))
    };
    let line = |scale: f64| {
        let at = move |i: u32| V3::new(DUST * wave(i), scale * (1.0 + wave(i)), -DUST);
        Channel::new(Curve::Linear, (0..40).map(move |i| (time(i), at(i))))
    };
    let one = |v: V3| Channel::new(Curve::Linear, [(0.0, v)]);
    let track = |j: usize| RawTrack {
        translation: match j % 4 {
            0 => one(V3::new(0.1, DUST, -DUST)),
            1 => line(0.2),
            2 => line(if j + 2 == joints { 1e-12 } else { 1e-8 }),
            _ => one(V3::new(DUST, -DUST, DUST)),
        },
        rotation: match j % 3 {
            0 => about(V3::X, 0.0),
            1 => about(V3::Y, 3.1),
            _ => Channel::new(Curve::Linear, [(0.0, Q4::new(DUST, 0.2, -DUST, 1.0).normalize())]),
        },
        scale: if j == 5 { one(V3::new(1.0, 1.0, 0.5)) } else { Channel::default() },
    };
    RawAnimation { duration_s: time(39), tracks: (0..joints).map(track).collect(), ..Default::default() }
}

fn assert_clean(values: impl IntoIterator<Item = f32>, what: &str) {
    for v in values {
        assert!(v == 0.0 || v.abs() >= SMALLEST, "{what}: {v:e}");
    }
}

fn play(skeleton: &Skeleton, clip: ClipView<'_>, time_s: f64, pose: &mut [SoaTransform]) {
    let mut cursor = Cursor::with_room_for(clip);
    let time = SampleTime::Clamped(time_s);
    SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: pose }.run().unwrap();
}

fn cook(built: &BuiltSkeleton, form: Form, reduce: bool) -> Clip {
    let animation = dusty_animation(built.skeleton.joint_count());
    let builder = ClipBuilder { form, reduce, ..Default::default() };
    let cooked = builder.build(built, &animation).unwrap();
    // The proof is against the source with its dust.
    let clip = Clip::from_bytes(&cooked.bytes).unwrap();
    let mut pose = built.skeleton.rest_pose().to_vec();
    let metric = ErrorMetric::new(built, &animation, builder.shell).unwrap();
    let report = metric.measure(&[], |time_s, out: &mut [Transform]| {
        play(&built.skeleton, clip.view(), time_s, &mut pose);
        out.iter_mut().enumerate().for_each(|(j, to)| *to = soa::lane(&pose, j));
        Ok::<(), ()>(())
    });
    assert!(report.unwrap().worst() <= builder.precision);
    clip
}

#[test]
fn tiny_components_do_not_reach_a_skeleton() {
    let built = SkeletonBuilder::build(&dusty_skeleton()).unwrap();
    for j in 0..built.skeleton.joint_count() {
        assert_clean(built.skeleton.rest(j).to_array(), "rest pose");
    }
}

#[test]
fn tiny_components_do_not_reach_decoded_poses_of_either_form() {
    let built = SkeletonBuilder::build(&dusty_skeleton()).unwrap();
    for (form, reduce) in [(Form::Rows, true), (Form::Keys, true), (Form::Keys, false)] {
        let clip = cook(&built, form, reduce);
        let mut pose = built.skeleton.rest_pose().to_vec();
        for key in 0..40 {
            for between in [0.0, 0.25, 0.5] {
                let time_s = (f64::from(key) + between) / 30.0;
                play(&built.skeleton, clip.view(), time_s, &mut pose);
                for j in 0..built.skeleton.joint_count() {
                    let what = format!("{form:?}, reduce {reduce}, joint {j} at {time_s}");
                    assert_clean(soa::lane(&pose, j).to_array(), &what);
                }
            }
        }
    }
}

#[test]
fn tiny_components_do_not_reach_meshes() {
    let skeleton = dusty_skeleton();
    let built = SkeletonBuilder::build(&skeleton).unwrap();
    let dust = DUST as f32;
    let mesh = RawMesh {
        name: "skin".into(),
        positions: vec![[dust, 0.0, 1.0], [1.0, -dust, 0.0], [0.0, 1.0, dust]],
        normals: vec![[dust, -dust, 1.0]; 3],
        tangents: vec![[1.0, dust, -dust, 1.0]; 3],
        influences: Influences::from_rows(&[[1, 2]; 3], &[[1.0, dust]; 3]),
        indices: vec![0, 1, 2],
        inverse_binds: vec![
            M34 {
                columns: [V3::new(1.0, DUST, DUST), V3::Y, V3::Z, V3::new(-DUST, 2.0, 0.0)]
            };
            20
        ],
        uvs: vec![vec![[dust, 1.0]; 3]],
        colors: vec![vec![[1.0, dust, 0.0, 1.0]; 3]],
        order: Vec::new(),
    };
    let morph = Morph {
        name: "smile".into(),
        positions: vec![[dust, 0.5, 0.0], [-dust, dust, 0.0], [0.0; 3]],
        normals: vec![[0.0, dust, 0.5], [0.0; 3], [0.0; 3]],
        ..Default::default()
    };
    let scene = Scene {
        skeletons: vec![SceneSkeleton { name: "body".into(), skeleton, ..Default::default() }],
        meshes: vec![SceneMesh { mesh, morphs: vec![morph], ..Default::default() }],
        ..Default::default()
    };
    let mut writer = SceneWriter::new();
    writer.add("", &scene, &[built], Vec::new()).unwrap();
    let back = lsm::read(&writer.finish().finish().unwrap(), &ImportLimits::default()).unwrap();
    let SceneMesh { mesh, morphs, .. } = &back.meshes[0];
    for list in [&mesh.positions, &mesh.normals, &morphs[0].positions, &morphs[0].normals] {
        assert_clean(list.iter().flatten().copied(), "vertices");
    }
    for list in [&mesh.tangents, &mesh.colors[0]] {
        assert_clean(list.iter().flatten().copied(), "vertices");
    }
    assert_clean(mesh.influences.weights.iter().copied(), "weights");
    assert_eq!(mesh.influences.joints[1], 0, "a weight that is gone names no joint");
    assert_clean(mesh.uvs[0].iter().flatten().copied(), "texture coordinates");
    for column in mesh.inverse_binds.iter().flat_map(|m| m.columns) {
        assert_clean([column.x as f32, column.y as f32, column.z as f32], "inverse binds");
    }
    assert_eq!(morphs[0].positions, [[0.0, 0.5, 0.0], [0.0; 3], [0.0; 3]]);
}

#[test]
fn ordinary_numbers_keep_their_bits_and_a_skeleton_its_identity() {
    let ordinary = Trs {
        translation: V3::new(1e-9, -0.0, 0.5),
        rotation: Q4::from_axis_angle(V3::Z, 1e-6),
        scale: V3::new(1.0, 2.0, 1e-3),
    };
    let raw = RawSkeleton { joints: vec![RawJoint { name: "a".into(), parent: None, rest: ordinary }] };
    let built = SkeletonBuilder::build(&raw).unwrap().skeleton;
    let Trs { translation: t, rotation: r, scale: s } = ordinary;
    let rest = Transform {
        translation: Vec3::new(t.x as f32, t.y as f32, t.z as f32),
        rotation: Quat::from_xyzw(r.x as f32, r.y as f32, r.z as f32, r.w as f32),
        scale: Vec3::new(s.x as f32, s.y as f32, s.z as f32),
    };
    let plain = Skeleton::new(SkeletonParts { parents: &[None], names: &["a"], rest: &[rest] }).unwrap();
    assert_eq!(built.identity(), plain.identity());
}

//! Ragdolls: capsules hold bones, masses sum up, limits contain every clip and little more, and bodies go on as the joints did.

use lissom::{
    Clip, Cursor, Skeleton,
    archive::{Archive, Mesh, MeshView},
    job::{JobError, LocalToModelJob, SampleJob, SampleTime, decompose},
    math::{
        Mat4, Mat34, Quat, Transform, Vec3,
        scalar::{add, cross, length, quat_dot, quat_from_axis_angle, quat_mul, quat_rotate, scale, sub},
        soa::SoaTransform,
    },
    pose::{Pose, RigError},
    ragdoll::{Capsule, Ragdoll, RagdollError, RagdollRule, RagdollStart, Shown},
};
use lissom_build::{
    cook::{ClipBuilder, Effort},
    mannequin::{self, Detail, Motion},
    pipeline,
};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};
use std::{f32::consts::PI, sync::Arc, sync::LazyLock};

/// All that the mannequin can do.
static ARCHIVE: LazyLock<Archive> = LazyLock::new(|| archive(&Motion::ALL, None));
static WHOLE: LazyLock<Ragdoll> = LazyLock::new(|| of(&ARCHIVE, &RagdollRule::default()));

fn archive(motions: &[Motion], added: Option<Motion>) -> Archive {
    let detail = Detail { body_m: 0.03, hand_m: 0.012 };
    let mut scene = mannequin::game_scene(motions, &detail).unwrap();
    if let Some(motion) = added {
        let mut animation = mannequin::animation(motion).unwrap();
        animation.motion.additive = true;
        scene.animations.push(animation);
    }
    let builder = ClipBuilder { effort: Effort::Fast, precision: 0.001, ..ClipBuilder::default() };
    Archive::read(&pipeline::cook_scene(&scene, &builder, &pipeline::serial).unwrap().archive).unwrap()
}

fn skeleton(archive: &Archive) -> Arc<Skeleton> {
    archive.skeleton("mannequin").unwrap()
}

fn of(archive: &Archive, rule: &RagdollRule) -> Ragdoll {
    Ragdoll::of_archive(archive, &skeleton(archive), rule).unwrap()
}

/// The matrices of a clip at a time.
fn models(skeleton: &Skeleton, clip: &Clip, time: SampleTime) -> Vec<Mat4> {
    let mut locals = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    let mut cursor = Cursor::new();
    SampleJob::new(skeleton, clip.view(), &mut cursor, &mut locals).at(time).run().unwrap();
    LocalToModelJob::new(skeleton, &locals, &mut models).run().unwrap();
    models
}

fn rest_models(skeleton: &Skeleton) -> Vec<Mat4> {
    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut models).run().unwrap();
    models
}

fn rotation(models: &[Mat4], joint: usize) -> Quat {
    decompose(&Mat34::from_mat4(&models[joint])).0.rotation
}

/// Twist and swings of all bodies that hang, in a pose.
fn angles<'a>(
    ragdoll: &'a Ragdoll,
    models: &'a [Mat4],
) -> impl Iterator<Item = (usize, [f32; 3], bool)> + 'a {
    ragdoll.bodies.iter().enumerate().filter_map(|(at, body)| {
        let parent = rotation(models, ragdoll.bodies[body.parent?].joint);
        let (own, hold) = (rotation(models, body.joint), body.hold?);
        Some((at, hold.angles(parent, own), hold.allows(parent, own)))
    })
}

#[test]
fn it_has_the_bodies_of_a_human() {
    let skeleton = skeleton(&ARCHIVE);
    let name = |at: usize| skeleton.name(WHOLE.bodies[at].joint);
    let hangs: Vec<(&str, &str)> =
        (0..WHOLE.bodies.len()).map(|at| (name(at), WHOLE.bodies[at].parent.map_or("", name))).collect();
    let mut expected = vec![("hips", ""), ("spine_01", "hips"), ("chest", "spine_01"), ("head", "chest")];
    for side in ["l", "r"] {
        for (own, above) in [
            ("upperarm", "chest"),
            ("forearm", "upperarm_"),
            ("hand", "forearm_"),
            ("thigh", "hips"),
            ("shin", "thigh_"),
            ("foot", "shin_"),
        ] {
            let above = if above.ends_with('_') { format!("{above}{side}") } else { above.to_owned() };
            expected.push((format!("{own}_{side}").leak(), above.leak()));
        }
    }
    expected.sort_unstable();
    let mut found = hangs.clone();
    found.sort_unstable();
    assert_eq!(found, expected);
    for (at, body) in WHOLE.bodies.iter().enumerate() {
        assert!(body.parent.is_none_or(|parent| parent < at));
        assert_eq!(body.hold.is_some(), body.parent.is_some());
    }
    let joint = |name| skeleton.find(name).unwrap();
    assert_eq!(WHOLE.body_of(&skeleton, joint("index_02_l")).map(name), Some("hand_l"));
    assert_eq!(WHOLE.body_of(&skeleton, joint("clavicle_r")).map(name), Some("chest"));
    assert_eq!(WHOLE.body_of(&skeleton, joint("root")), None);
    assert_eq!(WHOLE.body_of(&skeleton, 1000), None);
}

#[test]
fn every_pose_of_every_clip_lies_within_the_limits() {
    let (skeleton, mut rng) = (skeleton(&ARCHIVE), Rng::new(31));
    let mut clips = 0;
    for (name, clip) in ARCHIVE.clips() {
        let clip = clip.unwrap();
        clips += 1;
        // Times that were not looked at, and both ends.
        let within = (0..200).map(|_| rng.unit_f64());
        for time in within.chain([0.0, 1.0]) {
            let models = models(&skeleton, &clip, SampleTime::Ratio(time));
            for (at, angles, allowed) in angles(&WHOLE, &models) {
                let (joint, hold) = (skeleton.name(WHOLE.bodies[at].joint), WHOLE.bodies[at].hold);
                assert!(allowed, "{name} at {time}: {joint} has {angles:?} in {hold:?}");
            }
        }
    }
    assert_eq!(clips, Motion::ALL.len());
}

#[test]
fn limits_are_no_wider_than_clips_and_the_margin() {
    let skeleton = skeleton(&ARCHIVE);
    let exact = of(&ARCHIVE, &RagdollRule { margin: 0.0, rate: 30.0, ..RagdollRule::default() });
    let mut reached = vec![[f32::INFINITY, f32::NEG_INFINITY, 0.0]; exact.bodies.len()];
    for (_, clip) in ARCHIVE.clips() {
        let clip = clip.unwrap();
        let rows = (clip.view().duration_s() * 30.0) as u32 + 1;
        let times = (0..=rows).map(|row| SampleTime::Ratio(f64::from(row) / f64::from(rows)));
        let rest = std::iter::once(rest_models(&skeleton));
        for models in times.map(|time| models(&skeleton, &clip, time)).chain(rest) {
            for (at, [twist, y, z], _) in angles(&exact, &models) {
                let [most_y, most_z] = exact.bodies[at].hold.unwrap().swing;
                let swing = (y / most_y) * (y / most_y) + (z / most_z) * (z / most_z);
                let own = &mut reached[at];
                let least = |a: f32, b: f32| if a < b { a } else { b };
                *own = [least(own[0], twist), -least(-own[1], -twist), -least(-own[2], -swing)];
            }
        }
    }
    for (body, [low, high, swing]) in exact.bodies.iter().zip(reached) {
        let Some(hold) = body.hold else { continue };
        let name = skeleton.name(body.joint);
        assert!((hold.twist[0] - low).abs() < 1e-5 && (hold.twist[1] - high).abs() < 1e-5, "{name}");
        assert!((0.999..=1.001).contains(&swing) || hold.swing.iter().all(|v| *v < 1e-3), "{name}: {swing}");
    }
    // A knee bends about one axis, and a shoulder about both.
    let hold = |name: &str| {
        let joint = skeleton.find(name).unwrap();
        exact.bodies.iter().find(|body| body.joint == joint).unwrap().hold.unwrap()
    };
    let [small, large] = sorted(hold("shin_l").swing);
    assert!(large > 0.5 && small < 0.25 * large, "a knee: {small} and {large}");
    assert!(sorted(hold("upperarm_r").swing)[0] > 0.3);
    // With a margin all are wider by as much.
    let wide = of(&ARCHIVE, &RagdollRule { margin: 0.05, rate: 30.0, ..RagdollRule::default() });
    for (wide, exact) in wide.bodies.iter().zip(&exact.bodies) {
        let (Some(wide), Some(exact)) = (wide.hold, exact.hold) else { continue };
        let sides = [exact.twist[0] - wide.twist[0], wide.twist[1] - exact.twist[1]];
        let axes = [0, 1].map(|axis| wide.swing[axis] - exact.swing[axis]);
        assert!(sides.into_iter().chain(axes).all(|by| (by - 0.05).abs() < 1e-5), "{wide:?} {exact:?}");
    }
}

fn sorted([a, b]: [f32; 2]) -> [f32; 2] {
    if a < b { [a, b] } else { [b, a] }
}

#[test]
fn capsules_hold_their_bones_and_most_of_their_flesh() {
    let skeleton = skeleton(&ARCHIVE);
    let mesh = ARCHIVE.mesh("mannequin").unwrap();
    let view = mesh.view();
    for (at, body) in WHOLE.bodies.iter().enumerate() {
        let name = skeleton.name(body.joint);
        let mut below = WHOLE.bodies.iter().filter(|other| other.parent == Some(at));
        if let (Some(only), None) = (below.next(), below.next()) {
            for end in [Vec3::ZERO, only.hold.unwrap().anchor] {
                let out = body.capsule.distance(end);
                assert!(out <= 1e-5, "{name}: an end of the bone is {out} m outside");
            }
        }
        // Vertices that follow the joint alone.
        let (mut all, mut inside) = (0, 0);
        let follows = view.joints.chunks(view.per_vertex).zip(view.weights.chunks(view.per_vertex));
        for (position, (joints, weights)) in view.positions.iter().zip(follows) {
            if usize::from(joints[0]) == body.joint && weights[0] > 0.9 {
                let own = Vec3::from_array(view.inverse_binds[body.joint].mul_point(*position));
                all += 1;
                inside += usize::from(body.capsule.distance(own).abs() < 0.5 * body.capsule.radius + 0.01);
            }
        }
        assert!(inside * 10 >= all * 8, "{name}: {inside} of {all} vertices are near its surface");
    }
    let capsule = |name: &str| {
        let joint = skeleton.find(name).unwrap();
        WHOLE.bodies.iter().find(|body| body.joint == joint).unwrap().capsule
    };
    let size = |capsule: Capsule| (length(sub(capsule.b, capsule.a)) + 2.0 * capsule.radius, capsule.radius);
    for (name, long, thick) in [
        ("upperarm_l", 0.25..0.36, 0.03..0.065),
        ("forearm_r", 0.22..0.34, 0.025..0.055),
        ("thigh_l", 0.38..0.58, 0.05..0.11),
        ("shin_r", 0.36..0.56, 0.035..0.08),
        ("head", 0.18..0.34, 0.06..0.13),
        ("chest", 0.2..0.5, 0.07..0.2),
        ("foot_l", 0.18..0.34, 0.025..0.07),
    ] {
        let (own_long, own_thick) = size(capsule(name));
        assert!(long.contains(&own_long) && thick.contains(&own_thick), "{name}: {own_long}, {own_thick}");
    }
    // Left and right are alike.
    for name in ["upperarm", "forearm", "hand", "thigh", "shin", "foot"] {
        let [left, right] = ["l", "r"].map(|side| size(capsule(&format!("{name}_{side}"))));
        assert!(
            (left.0 - right.0).abs() < 0.03 && (left.1 - right.1).abs() < 0.01,
            "{name}: {left:?} {right:?}"
        );
    }
}

#[test]
fn masses_sum_to_what_was_asked() {
    for mass_kg in [1.0, 75.0, 200.0] {
        let ragdoll = of(&ARCHIVE, &RagdollRule { mass_kg, rate: 1.0, ..RagdollRule::default() });
        let sum: f32 = ragdoll.bodies.iter().map(|body| body.mass_kg).sum();
        assert!((sum - mass_kg).abs() < 1e-4 * mass_kg, "{sum}");
        let density = |at: usize| ragdoll.bodies[at].mass_kg / ragdoll.bodies[at].capsule.volume();
        for at in 0..ragdoll.bodies.len() {
            assert!(ragdoll.bodies[at].mass_kg > 0.0);
            assert!((density(at) / density(0) - 1.0).abs() < 1e-4);
        }
    }
    let ball = Capsule { a: Vec3::X, b: Vec3::X, radius: 0.5 };
    assert!((ball.volume() - PI / 6.0).abs() < 1e-6);
    let long = Capsule { a: Vec3::ZERO, b: Vec3::new(0.0, 2.0, 0.0), radius: 0.5 };
    assert!((long.volume() - PI / 6.0 - PI * 0.5).abs() < 1e-5);
    assert_eq!(long.distance(Vec3::new(1.0, 1.0, 0.0)), 0.5);
    assert_eq!(long.distance(Vec3::new(0.0, 3.0, 0.0)), 0.5);
}

/// The mannequin below a root that scales it.
struct Scaled {
    skeleton: Skeleton,
    positions: Vec<[f32; 3]>,
    binds: Vec<Mat34>,
}

impl Scaled {
    fn new(own: &Skeleton, mesh: &MeshView<'_>, by: f32) -> Self {
        let count = own.joint_count();
        let parents: Vec<_> = (0..count).map(|at| own.parent(at).map(|parent| parent as u16)).collect();
        let names: Vec<&str> = (0..count).map(|at| own.name(at)).collect();
        let mut rest: Vec<Transform> = (0..count).map(|at| own.rest(at)).collect();
        rest[0].scale = Vec3::splat(by);
        let parts = lissom::SkeletonParts { parents: &parents, names: &names, rest: &rest };
        let back = Transform { scale: Vec3::splat(1.0 / by), ..Transform::IDENTITY }.to_mat34();
        Self {
            skeleton: Skeleton::new(parts).unwrap(),
            positions: mesh.positions.iter().map(|at| at.map(|v| v * by)).collect(),
            binds: mesh.inverse_binds.iter().map(|bind| bind.mul(&back)).collect(),
        }
    }
}

#[test]
fn a_scaled_character_has_scaled_bodies() {
    let (own, mesh) = (skeleton(&ARCHIVE), ARCHIVE.mesh("mannequin").unwrap());
    let view = mesh.view();
    let scaled = Scaled::new(&own, &view, 0.5);
    let mesh = MeshView {
        skeleton_identity: scaled.skeleton.identity(),
        positions: &scaled.positions,
        inverse_binds: &scaled.binds,
        ..view
    };
    let small = Ragdoll::of(&scaled.skeleton, &[mesh], [], &RagdollRule::default()).unwrap();
    for (small, whole) in small.bodies.iter().zip(&WHOLE.bodies) {
        let near = |a: Vec3, b: Vec3| length(sub(a, scale(b, 0.5))) < 1e-4;
        assert!((small.capsule.radius - whole.capsule.radius * 0.5).abs() < 1e-4);
        assert!(near(small.capsule.a, whole.capsule.a) && near(small.capsule.b, whole.capsule.b));
        assert!(small.hold.is_none_or(|hold| near(hold.anchor, whole.hold.unwrap().anchor)));
        assert!((small.mass_kg - whole.mass_kg).abs() < 0.01);
    }
    // Shown again, joints are where bodies are, and keep their scale.
    let models = rest_models(&scaled.skeleton);
    let shown = Shown { world: &Mat34::IDENTITY, models: &models };
    let mut starts = vec![RagdollStart::default(); small.bodies.len()];
    small.starts(shown, shown, 0.1, &mut starts).unwrap();
    let places: Vec<Transform> = starts.iter().map(|start| start.place).collect();
    let mut locals = scaled.skeleton.rest_pose().to_vec();
    let mut again = vec![Mat4::IDENTITY; models.len()];
    let mut pose = Pose::new(&scaled.skeleton, &mut locals, &mut again, None).unwrap();
    small.show(&mut pose, &Mat34::IDENTITY, &places).unwrap();
    pose.finish().unwrap();
    for (a, b) in models.iter().zip(&again) {
        assert!(a.to_cols_array().iter().zip(b.to_cols_array()).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}

#[test]
fn bodies_start_as_the_joints_moved_and_are_shown_as_they_are() {
    let (skeleton, clip) = (skeleton(&ARCHIVE), ARCHIVE.clip("run").unwrap());
    let dt_s = 1.0 / 240.0;
    // The character turns and goes.
    let world = |at: f32| {
        let turn = quat_from_axis_angle(Vec3::Y, 0.4 + 3.0 * at);
        let place = Vec3::new(2.0 + 1.5 * at, 0.3, -4.0);
        Transform { translation: place, rotation: turn, ..Transform::IDENTITY }.to_mat34()
    };
    let still = models(&skeleton, &clip, SampleTime::Clamped(0.2));
    let worlds = [world(0.0), world(dt_s)];
    let shown = |at: usize| Shown { world: &worlds[at], models: &still };
    let mut starts = vec![RagdollStart::default(); WHOLE.bodies.len()];
    assert_no_alloc(|| {
        WHOLE.starts(shown(0), shown(1), dt_s, &mut starts).unwrap();
    });
    for (start, body) in starts.iter().zip(&WHOLE.bodies) {
        let model = Mat34::from_mat4(&still[body.joint]);
        let at = worlds[1].mul(&model).translation();
        assert!(length(sub(start.place.translation, at)) < 1e-5);
        assert!(length(sub(start.spin, Vec3::new(0.0, 3.0, 0.0))) < 0.02, "{:?}", start.spin);
        // A point of a body that turns about y and goes along x.
        let arm = sub(at, Vec3::new(2.0 + 1.5 * dt_s, 0.3, -4.0));
        let expected = add(Vec3::new(1.5, 0.0, 0.0), cross(Vec3::new(0.0, 3.0, 0.0), arm));
        assert!(length(sub(start.velocity, expected)) < 0.02, "{:?} {expected:?}", start.velocity);
        if let Some(parent) = body.parent {
            let above = starts[parent].place;
            let joint = add(above.translation, quat_rotate(above.rotation, start.anchor));
            assert!(length(sub(joint, at)) < 1e-5);
        }
    }
    // A clip that moves: each body turns as its joint does.
    let [a, b] = [0.2, 0.2 + f64::from(dt_s)].map(|time| models(&skeleton, &clip, SampleTime::Clamped(time)));
    let same = Mat34::IDENTITY;
    let of = |models| Shown { world: &same, models };
    WHOLE.starts(of(&a), of(&b), dt_s, &mut starts).unwrap();
    for (start, body) in starts.iter().zip(&WHOLE.bodies) {
        let turned = scale(start.spin, dt_s);
        let by = quat_from_axis_angle(scale(turned, 1.0 / (length(turned) + 1e-12)), length(turned));
        let (was, is) = (rotation(&a, body.joint), rotation(&b, body.joint));
        assert!(quat_dot(quat_mul(by, was), is).abs() > 1.0 - 1e-6);
    }
    // Back into a pose: whatever it was, all bodies are where they were.
    let places: Vec<Transform> = starts.iter().map(|start| start.place).collect();
    let mut locals = skeleton.rest_pose().to_vec();
    let mut shown = vec![Mat4::IDENTITY; skeleton.joint_count()];
    let mut pose = Pose::new(&skeleton, &mut locals, &mut shown, None).unwrap();
    let elsewhere = world(0.0);
    let moved: Vec<Transform> =
        places.iter().map(|place| decompose(&elsewhere.mul(&place.to_mat34())).0).collect();
    assert_no_alloc(|| WHOLE.show(&mut pose, &elsewhere, &moved).unwrap());
    pose.finish().unwrap();
    for body in &WHOLE.bodies {
        let [a, b] = [&b, &shown].map(|models| Mat34::from_mat4(&models[body.joint]));
        assert!(length(sub(a.translation(), b.translation())) < 1e-4);
        assert!(quat_dot(decompose(&a).0.rotation, decompose(&b).0.rotation).abs() > 1.0 - 1e-5);
    }
}

#[test]
fn clips_that_add_to_a_pose_are_left_out() {
    let rule = RagdollRule::default();
    let [with, without] = [Some(Motion::Crouch), None].map(|added| archive(&[Motion::Idle], added));
    assert!(with.is_additive("crouch") && !with.is_additive("idle") && !with.is_additive("nothing"));
    assert_eq!(with.clips().count(), without.clips().count() + 1);
    assert_eq!(of(&with, &rule), of(&without, &rule));
}

#[test]
fn what_is_wrong_is_told() {
    let skeleton = skeleton(&ARCHIVE);
    let mesh: Mesh = ARCHIVE.mesh("mannequin").unwrap();
    let rule = RagdollRule::default();
    let wrong = |field: &str, rule: RagdollRule| match Ragdoll::of(&skeleton, &[mesh.view()], [], &rule) {
        Err(RagdollError::Value { field: found, .. }) => assert_eq!(found, field),
        other => panic!("{field}: {other:?}"),
    };
    for mass_kg in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        wrong("mass_kg", RagdollRule { mass_kg, ..rule });
    }
    for rate in [0.0, -1.0, f64::NAN, 1001.0, f64::INFINITY] {
        wrong("rate", RagdollRule { rate, ..rule });
    }
    for margin in [-0.1, 3.2, f32::NAN] {
        wrong("margin", RagdollRule { margin, ..rule });
    }
    let made = |skeleton: &Skeleton, joints: &[usize], meshes: &[MeshView<'_>]| {
        Ragdoll::of_joints(skeleton, joints, meshes, [], &rule).map(|_| ())
    };
    let hips = skeleton.find("hips").unwrap();
    assert_eq!(made(&skeleton, &[hips], &[]), Err(RagdollError::NoFlesh { joint: "hips".into() }));
    assert!(matches!(made(&skeleton, &[], &[mesh.view()]), Err(RagdollError::Rig(RigError::Count { .. }))));
    assert!(matches!(
        made(&skeleton, &[1, 1], &[mesh.view()]),
        Err(RagdollError::Rig(RigError::Count { .. }))
    ));
    let none = made(&skeleton, &[1, 64], &[mesh.view()]);
    assert_eq!(none, Err(JobError::NoSuchJoint { field: "joints", joint: 64, joints: 64 }.into()));
    made(&skeleton, &[hips], &[mesh.view()]).unwrap();
    // Meshes that do not fit.
    let view = mesh.view();
    let mut nan = view.positions.to_vec();
    nan[7][1] = f32::NAN;
    let mut far = view.joints.to_vec();
    far[3] = 64;
    for mesh in [
        MeshView { skeleton_identity: 1, ..view },
        MeshView { per_vertex: 0, ..view },
        MeshView { weights: &view.weights[1..], ..view },
        MeshView { inverse_binds: &view.inverse_binds[1..], ..view },
        MeshView { positions: &nan, ..view },
        MeshView { joints: &far, ..view },
    ] {
        let refused = made(&skeleton, &[0, hips], &[view, mesh]);
        assert!(matches!(refused, Err(RagdollError::Mesh { mesh: 1, .. })), "{refused:?}");
    }
    // A skeleton that is no human's, and clips of another one.
    let scaled = Scaled::new(&skeleton, &view, 0.5);
    let clip = ARCHIVE.clip("idle").unwrap();
    let own = MeshView { skeleton_identity: scaled.skeleton.identity(), ..view };
    let refused = Ragdoll::of(&scaled.skeleton, &[own], [clip.view()], &rule);
    assert!(matches!(refused, Err(RagdollError::Job(JobError::OtherSkeleton { .. }))), "{refused:?}");
    let parts = lissom::SkeletonParts { parents: &[None], names: &["box"], rest: &[Transform::IDENTITY] };
    let cube = Skeleton::new(parts).unwrap();
    let refused = Ragdoll::of(&cube, &[], [], &rule);
    assert!(matches!(refused, Err(RagdollError::Rig(RigError::Bones { .. }))), "{refused:?}");

    // Hand-over.
    let models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    let shown = Shown { world: &Mat34::IDENTITY, models: &models };
    let mut starts = vec![RagdollStart::default(); WHOLE.bodies.len()];
    for dt_s in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = WHOLE.starts(shown, shown, dt_s, &mut starts);
        assert!(matches!(refused, Err(JobError::Value { field: "dt_s", .. })));
    }
    let short = Shown { models: &models[..10], ..shown };
    assert!(matches!(WHOLE.starts(short, shown, 0.1, &mut starts), Err(JobError::NoSuchJoint { .. })));
    assert!(matches!(WHOLE.starts(shown, shown, 0.1, &mut starts[1..]), Err(JobError::TooShort { .. })));
    let mut loops = WHOLE.clone();
    loops.bodies[1].parent = Some(1);
    assert!(matches!(loops.starts(shown, shown, 0.1, &mut starts), Err(JobError::NoSuchJoint { .. })));
    let nowhere = Mat34 { columns: [[f32::NAN; 3]; 4] };
    let refused = WHOLE.starts(Shown { world: &nowhere, ..shown }, shown, 0.1, &mut starts);
    assert!(matches!(refused, Err(JobError::Value { field: "models", .. })));
    let mut locals = skeleton.rest_pose().to_vec();
    let mut again = models.clone();
    let mut pose = Pose::new(&skeleton, &mut locals, &mut again, None).unwrap();
    let mut places = vec![Transform::IDENTITY; starts.len()];
    let flat = Mat34 { columns: [[0.0; 3]; 4] };
    let refused = WHOLE.show(&mut pose, &flat, &places);
    assert!(matches!(refused, Err(JobError::Value { field: "world", .. })));
    let refused = WHOLE.show(&mut pose, &Mat34::IDENTITY, &places[1..]);
    assert!(matches!(refused, Err(JobError::TooShort { .. })));
    places[3].rotation.x = f32::NAN;
    let refused = WHOLE.show(&mut pose, &Mat34::IDENTITY, &places);
    assert!(matches!(refused, Err(JobError::Value { field: "places", .. })));
}

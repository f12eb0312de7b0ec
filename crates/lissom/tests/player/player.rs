//! A player: what it shows is what the jobs compute, what it tells is what was passed.

use lissom::{
    Cursor,
    archive::{Archive, ArchiveError},
    job::{BlendJob, BlendLayer, LocalToModelJob, MorphJob, PaletteJob, SampleJob, SampleTime, SkinJob},
    math::Mat4,
    mesh::{MorphTargets, Strided, StridedMut, VertexOutput},
    player::{Body, PlayError, PlayOptions, Player},
    track::{Repeat, TimeError},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    mannequin::{self, Detail, Motion},
    mesh::RawMesh,
    raw::{RawAnimation, RawUserTrack, TrackKind, UserKey},
    scene::{Marker, Morph},
};
use lissom_testkit::alloc::assert_no_alloc;
use std::sync::LazyLock;

/// Positions, normals, tangents.
type Lists = (Vec<[f32; 3]>, Vec<[f32; 3]>, Vec<[f32; 4]>);

static BUILT: LazyLock<BuiltSkeleton> =
    LazyLock::new(|| SkeletonBuilder::build(&mannequin::skeleton()).unwrap());
static ARCHIVE: LazyLock<Archive> = LazyLock::new(|| Archive::read(&written()).unwrap());

/// Seconds and bytes of a motion: a few joints are enough, and cook in no time.
fn cooked(motion: Motion, name: &str) -> (f64, Vec<u8>) {
    let clip = mannequin::clip(motion);
    let mut tracks = clip.tracks.clone();
    tracks.iter_mut().skip(6).for_each(|track| *track = Default::default());
    let clip = RawAnimation { name: name.into(), tracks, ..clip };
    (clip.duration_s, ClipBuilder::default().build(&BUILT, &clip).unwrap().bytes)
}

/// Walk and run, each a second long: markers at the start, in the middle and at the end, a track, and a mesh with a
/// morph target that walking moves.
fn written() -> Vec<u8> {
    let built = &*BUILT;
    let mut mesh = mannequin::mesh(&Detail::default()).unwrap();
    mesh.name = "body".into();
    let mut writer =
        ArchiveWriter::new().skeleton("mannequin", &built.skeleton).unwrap().mesh(&mesh, built).unwrap();
    writer = writer.morph(&mesh, &morph(&mesh)).unwrap();
    for (motion, name) in [(Motion::Walk, "walk"), (Motion::Run, "run")] {
        let (duration_s, bytes) = cooked(motion, name);
        let marker = |what: &str, time_s| Marker { name: format!("{name} {what}"), time_s, duration_s: 0.0 };
        let markers = [marker("start", 0.0), marker("middle", duration_s / 2.0), marker("end", duration_s)];
        writer = writer.clip(u16::from(bytes[4]), name, bytes).unwrap().markers(name, &markers).unwrap();
    }
    let key = |ratio, x| UserKey { ratio, value: [x, 0.0, 0.0, 0.0], step: false };
    let track = |name: &str, keys| RawUserTrack { name: name.into(), kind: TrackKind::Float, keys };
    writer = writer.track(&track("walk/phase", vec![key(0.0, 0.0), key(1.0, 1.0)])).unwrap();
    writer = writer.track(&track("walk/morph/body/smile", vec![key(0.0, 0.5), key(1.0, 1.0)])).unwrap();
    writer.finish().unwrap()
}

fn morph(mesh: &RawMesh) -> Morph {
    let mut positions = vec![[0.0; 3]; mesh.positions.len()];
    positions[7] = [0.0, 0.25, 0.0];
    Morph { name: "smile".into(), weight: 0.0, positions, ..Default::default() }
}

fn player() -> Player {
    Player::new(&ARCHIVE).unwrap()
}

fn once(speed: f64) -> PlayOptions {
    PlayOptions { speed, repeat: Repeat::Once, ..PlayOptions::default() }
}

fn fade(fade_s: f64) -> PlayOptions {
    PlayOptions { fade_s, ..PlayOptions::default() }
}

fn told(player: &Player) -> Vec<&str> {
    player.events().map(|event| event.marker.name).collect()
}

fn positions_to(list: &mut [[f32; 3]]) -> VertexOutput<'_> {
    VertexOutput::Separate { positions: StridedMut::packed(list), normals: None, tangents: None }
}

fn output_to((positions, normals, tangents): &mut Lists) -> VertexOutput<'_> {
    VertexOutput::Separate {
        positions: StridedMut::packed(positions),
        normals: Some(StridedMut::packed(normals)),
        tangents: Some(StridedMut::packed(tangents)),
    }
}

/// Changes that follow each other, pose and matrices taken in hand between them, levels of detail: matrices are those of the pose.
#[test]
fn matrices_follow_from_the_pose_whatever_was_changed_before() {
    use lissom::{JointLod, math::Quat};
    let mut player = player();
    let skeleton = player.skeleton().clone();
    player.play("walk").unwrap();
    let (arm, leg) = (skeleton.find("upperarm_l").unwrap(), skeleton.find("thigh_r").unwrap());
    let turn = Quat::from_xyzw(0.6, 0.0, 0.0, 0.8);
    let check = |body: &Body, what: &str| {
        let mut models = body.models().to_vec();
        let job = LocalToModelJob::new(&skeleton, body.pose(), &mut models);
        LocalToModelJob { lod: body.lod(), ..job }.run().unwrap();
        assert!(body.models() == models, "{what}");
    };
    player.update(0.2).unwrap();
    let body = player.body_mut();
    body.change(|pose| pose.turn(arm, turn)).unwrap();
    check(body, "an arm");
    body.change(|pose| pose.turn(leg, turn).and_then(|()| pose.turn(arm, turn))).unwrap();
    check(body, "a leg and an arm");
    body.models_mut()[3] = Mat4::ZERO;
    body.change(|pose| pose.turn(arm, turn)).unwrap();
    check(body, "after its matrices were changed");
    body.pose_mut()[0].translation.y.0[2] += 0.25;
    body.change(|pose| pose.turn(leg, turn)).unwrap();
    check(body, "after its pose was changed");
    body.pose_mut()[0].translation.y.0[1] += 0.25;
    body.pose_to_models().unwrap();
    check(body, "after its pose was changed, and nothing else");
    body.set_lod(Some(JointLod::prefix(9))).unwrap();
    body.change(|pose| pose.turn(2, turn)).unwrap();
    check(body, "at a level");
    body.set_lod(None).unwrap();
    body.change(|pose| pose.turn(arm, turn)).unwrap();
    check(body, "at no level again");
    player.update(0.1).unwrap();
    check(player.body(), "the next frame");
}

/// Normals of a body that is flattened and stretched are moved by the inverse transpose; where scales are even, by the palette, with the
/// bits of one job.
#[test]
fn normals_stand_on_the_surface_under_uneven_scales() {
    use lissom::math::{Transform, Vec3};
    let mut player = player();
    let mesh = ARCHIVE.mesh("body").unwrap();
    let view = mesh.view();
    player.play("walk").unwrap();
    player.update(0.3).unwrap();
    let spine = player.skeleton().find("spine_01").unwrap();
    for (scale, uneven) in [
        (Vec3::ONE, false),
        (Vec3::splat(3.0), false),
        (Vec3::new(1.0, 1.0005, 1.0), false),
        (Vec3::new(1.0, 4.0, 1.0), true),
        (Vec3::new(0.25, 1.0, -1.0), true),
    ] {
        player.update(0.0).unwrap();
        let change = |pose: &mut lissom::pose::Pose<'_>| {
            let local = pose.local(spine)?;
            pose.set_local(spine, Transform { scale, ..local })
        };
        player.body_mut().change(change).unwrap();
        let mut palette = vec![Mat4::IDENTITY; view.inverse_binds.len()];
        let mut vectors = palette.clone();
        PaletteJob {
            models: player.models(),
            inverse_binds: view.inverse_binds,
            joints: None,
            palette: &mut palette,
            vector_palette: Some(&mut vectors),
        }
        .run()
        .unwrap();
        let mut lists = (view.positions.to_vec(), view.normals.to_vec(), view.tangents.to_vec());
        let output = VertexOutput::Separate {
            positions: StridedMut::packed(&mut lists.0),
            normals: Some(StridedMut::packed(&mut lists.1)),
            tangents: None,
        };
        let job = SkinJob::new(mesh.influences(), &palette, Strided::packed(view.positions), output);
        let normals = Some(Strided::packed(view.normals));
        SkinJob { normals, vector_palette: uneven.then_some(&vectors[..]), ..job }.run().unwrap();
        player.body_mut().morphs_mut().for_each(|weights| weights.fill(0.0));
        let shown = player.body_mut().skin_mesh("body").unwrap();
        assert!(shown.positions == lists.0, "{scale}");
        assert!(shown.normals == lists.1, "{scale}");
    }
}

fn length(clip: &str) -> f64 {
    ARCHIVE.clip(clip).unwrap().view().duration_s()
}

#[test]
fn what_is_shown_is_what_the_jobs_compute() {
    let mut player = player();
    let skeleton = player.skeleton().clone();
    player.play("walk").unwrap();
    player.update(0.3).unwrap();
    player.play_with("run", fade(0.5)).unwrap();
    player.update(0.2).unwrap();

    let rest = skeleton.rest_pose();
    let sampled = |clip: &str, time_s| {
        let (clip, mut pose) = (ARCHIVE.clip(clip).unwrap(), rest.to_vec());
        let mut cursor = Cursor::new();
        SampleJob::new(&skeleton, clip.view(), &mut cursor, &mut pose)
            .at(SampleTime::Clamped(time_s))
            .run()
            .unwrap();
        pose
    };
    let (walk, run) = (sampled("walk", 0.3 + 0.2), sampled("run", 0.2));
    let share = 0.2 / 0.5;
    let layer = |weight: f64, pose| BlendLayer { weight: weight as f32, pose, joint_weights: None };
    let mut pose = rest.to_vec();
    BlendJob::new(&[layer(1.0 - share, &walk), layer(share, &run)], rest, &mut pose).run().unwrap();
    assert!(player.pose() == pose);

    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    LocalToModelJob::new(&skeleton, &pose, &mut models).run().unwrap();
    assert_eq!(player.models(), models);

    let mesh = ARCHIVE.mesh("body").unwrap();
    let view = mesh.view();
    let mut palette = vec![Mat4::IDENTITY; skeleton.joint_count()];
    PaletteJob::new(&models, view.inverse_binds, &mut palette).run().unwrap();
    assert_eq!(player.palette("body").unwrap(), palette);

    // Walking says 0.5 to 1 for the smile; running says nothing, so the target's own 0.
    let weight = player.morph_weights("body").unwrap()[0];
    let wanted = (1.0 - share) * (0.5 + 0.5 * 0.5 / length("walk"));
    assert!((f64::from(weight) - wanted).abs() < 1e-6, "{weight} is not {wanted}");
    let target = ARCHIVE.morph("body/smile").unwrap();
    let targets = [target.view().target];
    let targets = MorphTargets::new(&targets, view.positions.len()).unwrap();
    let mut smiling = vec![[0.0_f32; 3]; view.positions.len()];
    let to = positions_to(&mut smiling);
    MorphJob::new(targets, &[weight], Strided::packed(view.positions), to).run().unwrap();
    let mut moved = vec![[0.0_f32; 3]; view.positions.len()];
    let to = positions_to(&mut moved);
    SkinJob::new(mesh.influences(), &palette, Strided::packed(&smiling), to).run().unwrap();
    assert!(player.skin_mesh("body").unwrap().positions == moved);
    let names: Vec<_> = player.skin().unwrap().map(|mesh| (mesh.name, mesh.indices.len())).collect();
    assert_eq!(names, [("body", view.indices.len())]);
}

#[test]
fn every_attribute_that_a_mesh_has_is_morphed_and_skinned() {
    let built = &*BUILT;
    let body = RawMesh { name: "body".into(), ..mannequin::mesh(&Detail::default()).unwrap() };
    let bare = RawMesh { name: "bare".into(), tangents: Vec::new(), ..body.clone() };
    let vertices = body.positions.len();
    // More targets than the player gives to one job; one of them weighs nothing.
    let targets = (0..20_usize).map(|i| {
        let delta = |k: usize| -> Vec<[f32; 3]> {
            let x = (3 * i + k) as f32 * 0.001;
            (0..vertices).map(|v| if (v + i) % 7 == 0 { [x, -x, 0.5 * x] } else { [0.0; 3] }).collect()
        };
        let weight = if i == 5 { 0.0 } else { 0.4 - 0.03 * i as f64 };
        let (positions, normals, tangents) = (delta(0), delta(1), delta(2));
        Morph { name: format!("{i}"), weight, positions, normals, tangents }
    });
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).unwrap();
    writer = writer.mesh(&body, built).unwrap().mesh(&bare, built).unwrap();
    for target in targets {
        writer = writer.morph(&body, &target).unwrap();
    }
    let (_, bytes) = cooked(Motion::Run, "run");
    let bytes = writer.clip(u16::from(bytes[4]), "run", bytes).unwrap().finish().unwrap();
    let archive = Archive::read(&bytes).unwrap();
    let mut player = Player::new(&archive).unwrap();
    player.play("run").unwrap();
    player.update(0.3).unwrap();

    let mesh = archive.mesh("body").unwrap();
    let view = mesh.view();
    let morphs: Vec<_> = archive.morphs().map(|(_, morph)| morph.unwrap()).collect();
    let (targets, weights): (Vec<_>, Vec<_>) =
        morphs.iter().map(|morph| (morph.view().target, morph.view().weight)).unzip();
    let targets = MorphTargets::new(&targets, vertices).unwrap();
    let lists = || (view.positions.to_vec(), view.normals.to_vec(), view.tangents.to_vec());
    let (mut morphed, mut moved) = (lists(), lists());
    let job = MorphJob::new(targets, &weights, Strided::packed(view.positions), output_to(&mut morphed));
    let (normals, tangents) = (Some(Strided::packed(view.normals)), Some(Strided::packed(view.tangents)));
    MorphJob { normals, tangents, ..job }.run().unwrap();
    let palette = player.palette("body").unwrap().to_vec();
    let positions = Strided::packed(&morphed.0);
    let job = SkinJob::new(mesh.influences(), &palette, positions, output_to(&mut moved));
    let (normals, tangents) = (Some(Strided::packed(&morphed.1)), Some(Strided::packed(&morphed.2)));
    SkinJob { normals, tangents, ..job }.run().unwrap();

    let shown = player.skin_mesh("body").unwrap();
    assert!(shown.positions == moved.0 && shown.normals == moved.1 && shown.tangents == moved.2);
    assert!(shown.tangents != view.tangents, "they follow the joints");
    let hands = |list: &[[f32; 4]]| list.iter().map(|tangent| tangent[3]).collect::<Vec<_>>();
    assert_eq!(hands(shown.tangents), hands(view.tangents));
    let shown = player.skin_mesh("bare").unwrap();
    assert_eq!((shown.positions.len(), shown.normals.len(), shown.tangents.len()), (vertices, vertices, 0));
}

#[test]
fn markers_are_told_once_over_loops_turns_and_the_end() {
    let d = length("walk");
    let mut player = player();
    player.play("walk").unwrap();
    let mut all = Vec::new();
    for _ in 0..70 {
        player.update(d / 32.0).unwrap();
        all.extend(told(&player).iter().map(|name| name.to_string()));
    }
    // Two rounds and six frames.
    let round = ["walk start", "walk middle", "walk end"];
    assert_eq!(all, [&round[..], &round, &["walk start"]].concat());
    assert!(!player.finished());

    player.play_with("walk", once(-1.0)).unwrap();
    player.update(5.0 * d).unwrap();
    assert_eq!(told(&player), ["walk end", "walk middle", "walk start"]);
    assert!(player.finished() && player.time_s() == 0.0);
    player.update(d).unwrap();
    assert!(told(&player).is_empty(), "it has arrived");

    player.play_with("walk", PlayOptions { repeat: Repeat::PingPong, ..Default::default() }).unwrap();
    player.update(1.75 * d).unwrap();
    assert_eq!(told(&player), ["walk start", "walk middle", "walk end", "walk middle"]);
    assert!((player.time_s() - 0.25 * d).abs() < 1e-9);
}

#[test]
fn both_clips_of_a_cross_fade_are_told_and_the_old_one_is_gone_after_it() {
    let mut player = player();
    player.play("walk").unwrap();
    player.update(0.1 * length("walk")).unwrap();
    player.play_with("run", fade(0.2)).unwrap();
    player.update(0.15).unwrap();
    assert_eq!(player.mix().entries().len(), 2);
    assert_eq!(told(&player), ["run start"]);
    player.update(0.6 * length("walk")).unwrap();
    let shares: Vec<_> = player.events().map(|event| (event.clip.to_owned(), event.weight)).collect();
    assert!(
        shares.contains(&("walk".into(), 0.0)),
        "what it passed in the frame in which it went: {shares:?}"
    );
    assert_eq!(player.mix().entries().len(), 1);
    player.update(length("walk")).unwrap();
    assert!(told(&player).iter().all(|name| name.starts_with("run")));
    assert_eq!(player.playing(), Some("run"));

    // More than can sound at once: the oldest gives way.
    for _ in 0..10 {
        player.play_with("walk", fade(5.0)).unwrap();
        player.update(0.01).unwrap();
    }
    assert_eq!(player.mix().entries().len(), Player::MAX_PLAYING);
    let sum: f32 = player.mix().entries().iter().map(|entry| entry.weight).sum();
    assert!((sum - 1.0).abs() < 1e-6);
}

#[test]
fn seeking_tells_nothing_and_scrubbing_tells_the_way() {
    let d = length("walk");
    let mut player = player();
    player.play("walk").unwrap();
    player.update(3.25 * d).unwrap();
    player.seek(0.75 * d).unwrap();
    player.update(0.0).unwrap();
    assert!(told(&player).is_empty());
    assert!((player.time_s() - 0.75 * d).abs() < 1e-9);
    player.scrub(0.25 * d).unwrap();
    assert_eq!(told(&player), ["walk middle"]);
    assert!(player.events().all(|event| event.backward && event.lap == 3));
    player.scrub(0.9 * d).unwrap();
    assert_eq!(told(&player), ["walk middle"]);
    let phase = player.track("phase").unwrap().as_float().unwrap();
    assert!((phase - 0.9).abs() < 1e-6);
    assert_eq!(player.edges("phase", 0.5).unwrap().map(|edge| edge.rising).collect::<Vec<_>>(), [true]);

    player.set_paused(true);
    player.update(10.0).unwrap();
    assert!(told(&player).is_empty() && (player.time_s() - 0.9 * d).abs() < 1e-9);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason() {
    let mut player = player();
    assert!(matches!(player.seek(0.5), Err(PlayError::Silent)));
    assert!(player.finished() && player.playing().is_none());
    let text = player.play("wlak").unwrap_err().to_string();
    assert_eq!(text, r#"there is no Clip section called "wlak"; there are "walk", "run""#);
    player.play("walk").unwrap();
    player.update(0.25).unwrap();
    let before = player.models().to_vec();
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(player.update(bad), Err(PlayError::Time(TimeError { field: "dt_s", .. }))));
    }
    for options in [once(f64::NAN), fade(-1.0), fade(f64::INFINITY)] {
        assert!(matches!(player.play_with("run", options), Err(PlayError::Time(_))));
    }
    assert!(matches!(player.track("speed"), Err(PlayError::Archive(ArchiveError::Missing { .. }))));
    assert!(player.skin_mesh("hat").unwrap_err().to_string().contains("\"body\""));
    player.update(0.0).unwrap();
    assert_eq!(player.models(), before, "after all that it is where it was");

    let two = ArchiveWriter::new()
        .skeleton("a", &BUILT.skeleton)
        .and_then(|writer| writer.skeleton("b", &BUILT.skeleton))
        .and_then(|writer| writer.finish())
        .unwrap();
    let two = Archive::read(&two).unwrap();
    let error = Player::new(&two).unwrap_err();
    assert!(error.to_string().ends_with(r#"there are "a", "b""#), "{error}");
    assert!(Player::of_skeleton(&two, "b").is_ok());
}

#[test]
fn a_thousand_frames_of_everything_allocate_nothing() {
    let mut player = player();
    player.play("walk").unwrap();
    player.update(0.1).unwrap();
    assert_no_alloc(|| {
        for frame in 0..1000 {
            match frame % 50 {
                0 => player.play_with("run", fade(0.3)).unwrap(),
                25 => player.play_with("walk", fade(0.3)).unwrap(),
                40 => player.seek(0.1).unwrap(),
                _ => {}
            }
            player.update(1.0 / 60.0).unwrap();
            let passed = player.events().count();
            assert!(passed < 10);
            if frame % 100 == 0 {
                let vertices: usize = player.skin().unwrap().map(|mesh| mesh.positions.len()).sum();
                assert!(vertices > 1000);
            }
        }
    });
}

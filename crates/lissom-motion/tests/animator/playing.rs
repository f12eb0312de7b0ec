//! An animator: what it shows is what its frame says, and it can be saved, rewound and replayed.

use lissom::{
    archive::Archive,
    job::{Ground, JobError, LocalToModelJob, MixJob, MixScratch},
    math::{
        Mat4, Quat, Vec3,
        scalar::{quat_mul, quat_normalize},
        soa::{self, Lanes},
    },
    player::{PlayError, Player},
    pose::{Gaze, Legs, Pose},
    track::ROOT_TRACKS,
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    mannequin::{self, Detail, Motion},
    raw::{RawAnimation, RawUserTrack, TrackKind, UserKey},
    scene::{Marker, Morph},
};
use lissom_motion::{
    AnimateError, Animator, Graph, GraphParts, RootStep, StateError,
    crowd::{Crowd, Outputs, Role},
    graph::{LayerParts, StateParts, Test, TransitionParts},
};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};
use std::sync::{Arc, LazyLock};

static BUILT: LazyLock<BuiltSkeleton> =
    LazyLock::new(|| SkeletonBuilder::build(&mannequin::skeleton()).unwrap());
static ARCHIVE: LazyLock<Archive> = LazyLock::new(|| Archive::read(&written()).unwrap());

const CLIPS: [(Motion, &str); 4] =
    [(Motion::Idle, "idle"), (Motion::Walk, "walk"), (Motion::Run, "run"), (Motion::Wave, "wave")];

/// Clips of a few joints, which cook in no time; walking has a marker, travels two metres a lap, and smiles. The hat, a mesh of
/// its own, is tall unless walking bends it.
fn written() -> Vec<u8> {
    let built = &*BUILT;
    let mut mesh = mannequin::mesh(&Detail::default()).unwrap();
    mesh.name = "body".into();
    let positions = vec![[0.1; 3]; mesh.positions.len()];
    let smile = Morph { name: "smile".into(), weight: 0.0, positions, ..Default::default() };
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).unwrap();
    writer = writer.mesh(&mesh, built).unwrap().morph(&mesh, &smile).unwrap();
    mesh.name = "hat".into();
    writer = writer.mesh(&mesh, built).unwrap();
    for (name, weight) in [("bent", 0.0), ("tall", 0.75)] {
        writer = writer.morph(&mesh, &Morph { name: name.into(), weight, ..smile.clone() }).unwrap();
    }
    for (motion, name) in CLIPS {
        let clip = mannequin::clip(motion);
        let mut tracks = clip.tracks.clone();
        tracks.iter_mut().skip(12).for_each(|track| *track = Default::default());
        let clip = RawAnimation { name: name.into(), tracks, ..clip };
        let bytes = ClipBuilder::default().build(built, &clip).unwrap().bytes;
        let marker = Marker { name: format!("{name} step"), time_s: clip.duration_s * 0.5, duration_s: 0.0 };
        writer = writer.clip(u16::from(bytes[4]), name, bytes).unwrap().markers(name, &[marker]).unwrap();
    }
    let key = |ratio, value| UserKey { ratio, value, step: false };
    let track = |name: &str, kind, from, to| RawUserTrack {
        name: format!("walk/{name}"),
        kind,
        keys: vec![key(0.0, from), key(1.0, to)],
    };
    writer = writer.track(&track(ROOT_TRACKS[0], TrackKind::Float3, [0.0; 4], [0.0, 0.0, 2.0, 0.0])).unwrap();
    writer = writer.track(&track("morph/body/smile", TrackKind::Float, [1.0; 4], [1.0; 4])).unwrap();
    writer = writer.track(&track("morph/hat/bent", TrackKind::Float, [0.0; 4], [1.0; 4])).unwrap();
    writer.finish().unwrap()
}

fn parts() -> GraphParts {
    GraphParts::new()
        .float("speed", 0.0)
        .float("arms", 1.0)
        .trigger("stop")
        .clip("wave")
        .mask("upper", "spine_01", 2)
        .layer(
            LayerParts::new("body")
                .state(StateParts::line("move", "speed", &[(0.0, "idle"), (1.0, "walk"), (3.0, "run")]))
                .state(StateParts::clip("rest", "idle").once())
                .transition(TransitionParts::new("move", "rest").when("stop", Test::On))
                .transition(TransitionParts::new("rest", "move").exit(1.0)),
        )
        .layer(LayerParts::new("upper").masked("upper").weighed_by("arms"))
}

fn animator() -> Animator {
    let graph = Graph::of_archive(&parts(), &ARCHIVE).unwrap();
    Animator::new(&ARCHIVE, Arc::new(graph)).unwrap()
}

fn bits(models: &[Mat4]) -> Vec<u32> {
    models.iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect()
}

/// Random input for a step.
fn step(animator: &mut Animator, rng: &mut Rng) {
    let graph = Arc::clone(animator.graph());
    if rng.one_in(5) {
        animator.set(graph.float("speed").unwrap(), rng.range(0.0, 3.5)).unwrap();
    }
    if rng.one_in(40) {
        animator.trigger(graph.trigger("stop").unwrap()).unwrap();
    }
    if rng.one_in(30) {
        animator.play("wave").on("upper").fade(0.1).start().unwrap();
    }
    animator.update(rng.unit_f64() * 0.05).unwrap();
}

#[test]
fn what_is_shown_is_the_mix_of_the_frame() {
    let mut animator = animator();
    let mut rng = Rng::new(4);
    let mut layered = 0;
    for _ in 0..200 {
        step(&mut animator, &mut rng);
        let (frame, body) = (animator.frame(), animator.body());
        let (skeleton, graph) = (body.skeleton(), animator.graph());
        let groups = skeleton.group_count();
        let masks = graph.masks(skeleton).unwrap();
        let mut rows = vec![Lanes::splat(0.0); 2 * groups];
        assert!(frame.cover(&masks, groups, &mut rows));
        layered += usize::from(frame.is_layered());
        let clips: Vec<_> = graph.clips().iter().map(|clip| ARCHIVE.clip(&clip.name).unwrap()).collect();
        let mut scratch = MixScratch::with_room_for(skeleton, &clips, 16);
        let mut pose = skeleton.rest_pose().to_vec();
        let mix = frame.mix(|clip| clip);
        let job = MixJob::new(skeleton, &clips, &mix, &mut scratch, &mut pose);
        MixJob { masks: &rows, ..job }.run().unwrap();
        let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
        LocalToModelJob::new(skeleton, &pose, &mut models).run().unwrap();
        assert_eq!(bits(animator.models()), bits(&models));
    }
    assert!(layered > 20, "{layered}");
}

#[test]
fn one_clip_alone_is_what_a_player_shows() {
    let (mut animator, mut player) = (animator(), Player::new(&ARCHIVE).unwrap());
    animator.set(animator.graph().float("speed").unwrap(), 1.0).unwrap();
    player.play("walk").unwrap();
    for _ in 0..100 {
        animator.update(1.0 / 64.0).unwrap();
        player.update(1.0 / 64.0).unwrap();
        let names = |found: Vec<&str>| found.join(" ");
        let told = names(animator.events().filter_map(|event| Some(event.marker()?.name)).collect());
        assert_eq!(told, names(player.events().map(|event| event.marker.name).collect()));
        for (a, b) in animator.models().iter().zip(player.models()) {
            for (a, b) in a.to_cols_array().iter().zip(b.to_cols_array()) {
                assert!((a - b).abs() < 1.0e-5, "{a} {b}");
            }
        }
        assert_eq!(animator.body().morph_weights("body").unwrap(), [1.0]);
    }
}

#[test]
fn saved_and_restored_it_shows_the_same_bits() {
    let mut animator = animator();
    let mut rng = Rng::new(31);
    for _ in 0..50 {
        step(&mut animator, &mut rng);
    }
    let (saved, mut again) = (animator.save(), rng.clone());
    let run = |animator: &mut Animator, rng: &mut Rng| {
        let mut seen = Vec::new();
        for _ in 0..100 {
            step(animator, rng);
            seen.push((bits(animator.models()), animator.root_delta(), animator.events().count()));
        }
        seen
    };
    let first = run(&mut animator, &mut rng);
    animator.restore(&saved).unwrap();
    assert_eq!(run(&mut animator, &mut again), first);
}

#[test]
fn root_motion_is_that_of_the_clips_by_weight() {
    let mut animator = animator();
    let speed = animator.graph().float("speed").unwrap();
    animator.set(speed, 1.0).unwrap();
    let lap_s = ARCHIVE.clip("walk").unwrap().view().duration_s();
    let mut way = 0.0;
    for _ in 0..64 {
        animator.update(lap_s * 3.0 / 64.0).unwrap();
        way += animator.root_delta().translation[2];
    }
    assert!((way - 6.0).abs() < 1.0e-5, "{way}");
    // Half of a walk: half of its way. Over part of the body nothing walks.
    animator.set(speed, 0.5).unwrap();
    animator.play("wave").on("upper").fade(0.0).start().unwrap();
    let before = animator.save();
    animator.update(0.01).unwrap();
    let entries = animator.frame().entries();
    let laps = |head: lissom::track::Playhead| head.lap() as f64 + head.progress_s();
    let walked = laps(entries[1].to) - laps(entries[1].from);
    assert!((animator.root_delta().translation[2] - walked).abs() < 1.0e-6);
    assert_eq!(animator.body().morph_weights("body").unwrap(), [0.5]);
    animator.restore(&before).unwrap();
}

#[test]
fn nothing_is_allocated_after_the_first_frames() {
    let mut animator = animator();
    let mut rng = Rng::new(2);
    let mut saved = animator.save();
    for _ in 0..20 {
        step(&mut animator, &mut rng);
    }
    assert_no_alloc(|| {
        for frame in 0..500 {
            step(&mut animator, &mut rng);
            std::hint::black_box(animator.events().count());
            std::hint::black_box(animator.palette("body").unwrap().len());
            std::hint::black_box(animator.palette_before("body").unwrap().len());
            if frame % 7 == 0 {
                animator.save_to(&mut saved);
            }
            if frame % 31 == 0 {
                animator.restore(&saved).unwrap();
            }
        }
    });
}

#[test]
fn the_palette_before_is_that_of_the_step_before() {
    let mut animator = animator();
    animator.set(animator.graph().float("speed").unwrap(), 2.0).unwrap();
    animator.update(0.1).unwrap();
    let before = bits(animator.palette("body").unwrap());
    animator.update(0.1).unwrap();
    assert_eq!(bits(animator.palette_before("body").unwrap()), before);
    assert_ne!(bits(animator.palette("body").unwrap()), before);
}

#[test]
fn what_the_archive_has_not_is_told_by_name() {
    let wrong = |parts: &GraphParts| {
        let graph = Graph::new(parts, |_| Some(1.0)).unwrap();
        Animator::new(&ARCHIVE, Arc::new(graph)).unwrap_err()
    };
    let error = wrong(&parts().clip("fly"));
    assert!(matches!(error, AnimateError::Play(PlayError::Archive(_))), "{error}");
    assert!(error.to_string().contains("\"fly\""), "{error}");
    let tail = LayerParts::new("tail").masked("tail");
    let error = wrong(&parts().mask("tail", "tail", 0).layer(tail));
    let unknown = StateError::Unknown { what: "joint", name: "tail".into() };
    assert_eq!(error, AnimateError::State(unknown));
    let mut animator = animator();
    let before = animator.state().clone();
    assert!(animator.play("fly").start().is_err());
    assert!(animator.play("wave").on("tail").start().is_err());
    assert!(animator.play("wave").fade(f32::NAN).start().is_err());
    assert!(animator.update(f64::NAN).is_err());
    assert_eq!(animator.state(), &before);
}

#[test]
fn graphs_and_bodies_find_clips_by_short_names() {
    let mut parts = parts();
    parts.rename_clips(|clip| Some(clip.to_uppercase()));
    let graph = Graph::of_archive(&parts, &ARCHIVE).unwrap();
    let names: Vec<&str> = graph.clips().iter().map(|clip| &*clip.name).collect();
    let whole = Graph::of_archive(&self::parts(), &ARCHIVE).unwrap();
    assert_eq!(names, whole.clips().iter().map(|clip| &*clip.name).collect::<Vec<_>>(), "whole names");
    assert_eq!(graph.clip("Walk").unwrap(), whole.clip("walk").unwrap());
    let mut loud = Animator::new(&ARCHIVE, Arc::new(graph)).unwrap();
    let mut quiet = animator();
    for animator in [&mut loud, &mut quiet] {
        animator.set(animator.graph().float("speed").unwrap(), 2.0).unwrap();
        animator.update(0.3).unwrap();
    }
    assert_eq!(bits(loud.models()), bits(quiet.models()));
    assert_eq!(Crowd::new(&ARCHIVE).unwrap().clip("Walk"), Crowd::new(&ARCHIVE).unwrap().clip("walk"));
    parts.rename_clips(|clip| (clip == "WALK").then(|| "stroll".to_owned()));
    let error = Graph::of_archive(&parts, &ARCHIVE).unwrap_err();
    assert!(error.to_string().contains("\"stroll\""), "{error}");
}

#[test]
fn a_reloaded_graph_goes_on() {
    let mut animator = animator();
    animator.set(animator.graph().float("speed").unwrap(), 1.0).unwrap();
    for _ in 0..20 {
        animator.update(0.03).unwrap();
    }
    let before = bits(animator.models());
    let changed = parts().bool("new", true);
    animator.reload(Arc::new(Graph::of_archive(&changed, &ARCHIVE).unwrap())).unwrap();
    assert_eq!(bits(animator.models()), before);
    assert!(animator.graph().bool("new").is_ok());
}

#[test]
fn members_of_a_crowd_have_an_animators_morph_weights() {
    let mut animator = animator();
    let graph = Arc::clone(animator.graph());
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    crowd.set_outputs(Outputs { morphs: true, ..Outputs::default() });
    let by = crowd.add_graph(Arc::clone(&graph)).unwrap();
    let [first, second, held] = [0; 3].map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
    assert_eq!(crowd.mesh_names().collect::<Vec<_>>(), ["body", "hat"]);
    assert_eq!(crowd.morph_weights(second, 0).unwrap(), [0.0]);
    assert_eq!(crowd.morph_weights(second, 1).unwrap(), [0.0, 0.75]);
    assert_eq!(crowd.morph_weights(second, 2).unwrap(), [0.0; 0]);
    crowd.set_rate(&[first, held], 2).unwrap();
    let mut seen = 0;
    for frame in 0..40 {
        let speed = 0.1 * frame as f32;
        animator.set(graph.float("speed").unwrap(), speed).unwrap();
        crowd.set_each(&[first, second, held], graph.float("speed").unwrap(), &[speed; 3]).unwrap();
        animator.update(0.03).unwrap();
        crowd.update(0.03).unwrap();
        let wanted = animator.body().morph_weights("body").unwrap();
        assert_eq!(crowd.morph_weights(second, 0).unwrap(), wanted);
        assert_eq!(crowd.all_morph_weights()[3..4], *wanted);
        assert_eq!(crowd.morph_weights(second, 1).unwrap(), animator.body().morph_weights("hat").unwrap());
        // Those of a pose that is held are held with it.
        let turn = frame % 2 == 1 || frame == 0;
        assert!(!turn || crowd.morph_weights(held, 0).unwrap() == wanted, "frame {frame}");
        seen += usize::from(wanted[0] > 0.1 && wanted[0] < 0.9);
    }
    assert!(seen > 3, "{seen}");
    // Who comes after somebody starts without a smile.
    crowd.remove(second).unwrap();
    let new = crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap();
    assert_eq!((new.index(), crowd.morph_weights(new, 0).unwrap()), (1, &[0.0][..]));
}

#[test]
fn at_a_rate_above_1_held_morph_weights_are_restored() {
    let mut animator = animator();
    let graph = Arc::clone(animator.graph());
    let speed = graph.float("speed").unwrap();
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    crowd.set_outputs(Outputs { morphs: true, ..Outputs::default() });
    let by = crowd.add_graph(Arc::clone(&graph)).unwrap();
    let member = crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap();
    crowd.set_rate(&[member], 3).unwrap();
    animator.set_rate(3, 0).unwrap();
    let run = |animator: &mut Animator, crowd: &mut Crowd| -> Vec<[Vec<f32>; 2]> {
        let frame = |i: i32| {
            animator.set(speed, 0.2 * i as f32).unwrap();
            crowd.set(member, speed, 0.2 * i as f32).unwrap();
            animator.update(0.03).unwrap();
            crowd.update(0.03).unwrap();
            let of = |mesh: &str| animator.body().morph_weights(mesh).unwrap().to_vec();
            let mut own = of("body");
            own.extend(of("hat"));
            [own, crowd.all_morph_weights().to_vec()]
        };
        (0..7).map(frame).collect()
    };
    run(&mut animator, &mut crowd);
    let (saved, snapshot, one) = (animator.save(), crowd.snapshot(), crowd.save(member).unwrap());
    let frames = run(&mut animator, &mut crowd);
    assert!(frames.iter().any(|frame| *frame != frames[0]), "they change");
    animator.restore(&saved).unwrap();
    crowd.restore(&snapshot).unwrap();
    assert_eq!(run(&mut animator, &mut crowd), frames);
    animator.restore(&saved).unwrap();
    crowd.restore_member(member, &one).unwrap();
    assert_eq!(run(&mut animator, &mut crowd), frames);
}

/// A game's IK changes what is shown, and nothing that is decided. Where the rate holds the pose, it is held with it.
#[test]
fn a_hand_on_the_pose_shows_and_decides_nothing() {
    let graph = Arc::new(Graph::of_archive(&parts(), &ARCHIVE).unwrap());
    let mut plain = Animator::new(&ARCHIVE, Arc::clone(&graph)).unwrap();
    let mut hero = plain.clone();
    let head = hero.body().skeleton().find("head").unwrap();
    let turn = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    hero.set_rate(2, 0).unwrap();
    let mut asked = 0;
    for frame in 0..20 {
        let before = hero.models().to_vec();
        hero.update_with(0.05, |pose| {
            asked += 1;
            pose.turn(head, turn)
        })
        .unwrap();
        plain.update(0.05).unwrap();
        assert_eq!((hero.state(), hero.memory()), (plain.state(), plain.memory()));
        assert_eq!(hero.root_delta(), plain.root_delta());
        if frame % 2 == 1 {
            assert_eq!(hero.models(), before, "held with what was done to it");
            continue;
        }
        let (own, other) = (soa::lane(hero.pose(), head), soa::lane(plain.pose(), head));
        assert_eq!(own.rotation, quat_normalize(quat_mul(other.rotation, turn)));
        let mut models = vec![Mat4::IDENTITY; hero.models().len()];
        LocalToModelJob::new(hero.body().skeleton(), hero.pose(), &mut models).run().unwrap();
        assert_eq!(hero.models(), models);
    }
    assert_eq!(asked, 10);
    // What is said to be wrong is told; time has gone on, and the rest of the pose is shown.
    hero.set_rate(1, 0).unwrap();
    let time = |animator: &Animator| animator.frame().entries()[0].to;
    let before = time(&hero);
    let wrong = hero.update_with(0.05, |pose| pose.turn(9999, turn)).unwrap_err();
    assert!(matches!(wrong, AnimateError::Play(PlayError::Job(JobError::NoSuchJoint { .. }))), "{wrong:?}");
    plain.update(0.05).unwrap();
    assert!(time(&hero) != before);
    assert_eq!((hero.state(), hero.models()), (plain.state(), plain.models()));
    assert!(hero.update_with(-1.0, |_| Ok(())).is_err());
    // Once warm, nothing is allocated.
    let (legs, gaze) = (Legs::of(hero.body().skeleton()).unwrap(), Gaze::of(hero.body().skeleton()).unwrap());
    let ground = Some(Ground { place: Vec3::new(0.0, 0.1, 0.0), normal: Vec3::Y });
    assert_no_alloc(|| {
        for _ in 0..10 {
            hero.update_with(0.05, |pose| {
                pose.stand(&legs, &[ground; 2], 1.0)?;
                pose.look_at(&gaze, Vec3::X, 1.0)?;
                Ok(())
            })
            .unwrap();
        }
    });
}

/// What a game decides of a step, it is told before the pose: the step's events and root motion, and the matrices of the step before.
#[test]
fn what_a_frame_decides_is_told_before_it_is_posed() {
    let graph = Arc::new(Graph::of_archive(&parts(), &ARCHIVE).unwrap());
    let mut plain = Animator::new(&ARCHIVE, Arc::clone(&graph)).unwrap();
    let speed = graph.float("speed").unwrap();
    plain.set(speed, 2.0).unwrap();
    let mut hero = plain.clone();
    let head = hero.body().skeleton().find("head").unwrap();
    hero.set_rate(2, 0).unwrap();
    let (mut told, mut posed, mut events) = (0, 0, 0);
    for frame in 0..40 {
        let before = hero.models().to_vec();
        plain.update(0.05).unwrap();
        let posed = &mut posed;
        hero.update_deciding(0.05, |hero| {
            told += 1;
            events += plain.events().count();
            assert!(hero.events().eq(plain.events()), "frame {frame}: the events of this step");
            assert_eq!(hero.root_delta(), plain.root_delta(), "frame {frame}: the step of this step");
            assert_eq!(hero.models(), before, "frame {frame}: the pose of the step before");
            move |pose| {
                *posed += 1;
                if frame < 20 { Ok(()) } else { pose.turn(head, Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)) }
            }
        })
        .unwrap();
        assert_eq!((hero.state(), hero.memory()), (plain.state(), plain.memory()));
        if frame % 2 == 0 {
            assert_eq!(hero.models() == plain.models(), frame < 20, "frame {frame}");
        }
    }
    assert_eq!((told, posed), (40, 20), "it is told in every step; a held pose is not changed");
    assert!(events > 3, "{events}");
    let untold = |_: &Animator| -> fn(&mut Pose<'_>) -> Result<(), JobError> { panic!("there is no step") };
    assert!(hero.update_deciding(-1.0, untold).is_err());
}

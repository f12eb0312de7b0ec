//! Characters in an app without a window: they load, play, tell, follow, come back from a save, and harm nothing.
#![allow(clippy::disallowed_methods, reason = "the engine's arithmetic is compared within a tolerance")]

mod armature;
mod clips;
mod detail;
#[cfg(feature = "dev")]
mod dev;
mod files;
mod ik;
#[cfg(feature = "import")]
mod import;
mod kept;
mod lasting;
mod log;
mod matched;
mod morph;
mod problems;
mod ragdoll;
mod readme;
mod registry;
mod rollback;
#[cfg(feature = "serde")]
mod saved;
mod scene;
mod schedule;
mod skin;
mod speed;
mod springs;
#[cfg(feature = "render")]
mod standard;
mod steps;
mod transform;
mod whole;

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_asset::{
    AssetApp, AssetPlugin, AssetServer,
    io::{
        AssetSourceBuilder, AssetSourceEvent, AssetSourceId, AssetWatcher,
        memory::{Dir, MemoryAssetReader},
    },
};
use bevy_ecs::{message::MessageCursor, prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    Change, Character, CharacterError, CharacterSave, Characters, Crowds, EntityRootMotion, JointSocket,
    LissomArchive, LissomClip, LissomPlugin, MarkerPassed, Parameters, Plays, StateChanged,
};
use bevy_math::{Mat4, Vec3};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::{TransformPlugin, components::Transform};
use lissom::{archive::Archive, track::ROOT_TRACKS};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    exact::{Trs, V3},
    mannequin::{self, Motion},
    mesh::{Influences, RawMesh, model_matrices},
    raw::{RawAnimation, RawJoint, RawSkeleton, RawUserTrack, TrackKind, UserKey},
    scene::{Marker, Morph},
};
use lissom_motion::{
    Animator as Alone, Graph, GraphParts,
    graph::{LayerParts, StateParts, Test, TransitionParts},
    state::{GoTo, OneShot},
};
use std::{
    path::Path,
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

const DT_S: f64 = 1.0 / 64.0;

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| written(&["idle", "walk", "wave"], 2.0, 4));

/// The targets of the body, what each weighs where no clip says, and where it moves vertices.
const MORPHS: [(&str, f64, [f32; 3]); 2] =
    [("stout", 0.25, [0.03, 0.0, 0.01]), ("tall", 0.5, [0.0, 0.04, 0.0])];

/// A mannequin with these clips, each with a marker in its middle, and one that all share nearly at a quarter; walking travels so many metres a lap. Its body is so many
/// points around every joint.
fn written(clips: &[&str], metres: f64, points: usize) -> Vec<u8> {
    written_below(1.0, clips, metres, points)
}

/// The same below a joint of this scale, as armatures in other units have: what is seen is the same.
fn written_below(scale: f64, clips: &[&str], metres: f64, points: usize) -> Vec<u8> {
    let skeleton = below(scale, mannequin::skeleton());
    let built = SkeletonBuilder::build(&skeleton).unwrap();
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).unwrap();
    let body = body(&skeleton, points);
    writer = writer.mesh(&body, &built).unwrap();
    for (name, weight, delta) in MORPHS {
        // It moves every other vertex.
        let positions =
            (0..body.positions.len()).map(|v| if v % 2 == 0 { delta } else { [0.0; 3] }).collect();
        let target = Morph { name: name.into(), weight, positions, ..Morph::default() };
        writer = writer.morph(&body, &target).unwrap();
    }
    for name in clips {
        let motion = match *name {
            "idle" => Motion::Idle,
            "walk" => Motion::Walk,
            _ => Motion::Wave,
        };
        // Few joints move: it is cooked in no time.
        let mut clip = mannequin::clip(motion);
        clip.tracks.iter_mut().skip(12).for_each(|track| *track = Default::default());
        if scale != 1.0 {
            let keys = clip.tracks.iter_mut().flat_map(|track| &mut track.translation.keys);
            keys.for_each(|key| key.value = shrunk(key.value, scale));
            clip.tracks.insert(0, Default::default());
        }
        let clip = RawAnimation { name: (*name).into(), ..clip };
        let bytes = ClipBuilder::default().build(&built, &clip).unwrap().bytes;
        let marker = Marker { name: format!("{name} step"), time_s: clip.duration_s * 0.5, duration_s: 0.0 };
        let share = if *name == "walk" { 0.25 } else { 0.28 };
        let foot = Marker { name: "foot".into(), time_s: clip.duration_s * share, duration_s: 0.0 };
        let mut markers = vec![foot, marker];
        if *name == "wave" {
            // Which lasts.
            let (time_s, duration_s) = (clip.duration_s * 0.375, clip.duration_s * 0.25);
            markers.insert(1, Marker { name: "cut".into(), time_s, duration_s });
        }
        writer = writer.clip(u16::from(bytes[4]), name, bytes).unwrap().markers(name, &markers).unwrap();
    }
    // Walking moves the first target from 0 to 1, waving the second.
    for (clip, (target, ..)) in
        ["walk", "wave"].into_iter().zip(MORPHS).filter(|(clip, _)| clips.contains(clip))
    {
        let key = |ratio| UserKey { ratio, value: [ratio, 0.0, 0.0, 0.0], step: false };
        let name = format!("{clip}/morph/body/{target}");
        let keys = vec![key(0.0), key(1.0)];
        writer = writer.track(&RawUserTrack { name, kind: TrackKind::Float, keys }).unwrap();
    }
    let key = |ratio, z| UserKey { ratio, value: [0.0, 0.0, z, 0.0], step: false };
    let keys = vec![key(0.0, 0.0), key(1.0, metres)];
    let way = RawUserTrack { name: format!("walk/{}", ROOT_TRACKS[0]), kind: TrackKind::Float3, keys };
    writer.track(&way).unwrap().graph("hero", &parts()).unwrap().finish().unwrap()
}

/// Below a joint of this scale; where it is 1, as it was.
fn below(scale: f64, mut skeleton: RawSkeleton) -> RawSkeleton {
    if scale == 1.0 {
        return skeleton;
    }
    for joint in &mut skeleton.joints {
        joint.rest.translation = shrunk(joint.rest.translation, scale);
        joint.parent = Some(joint.parent.map_or(0, |parent| parent + 1));
    }
    let rest = Trs { scale: V3 { x: scale, y: scale, z: scale }, ..Trs::default() };
    skeleton.joints.insert(0, RawJoint { name: "Armature".into(), parent: None, rest });
    skeleton
}

fn shrunk(v: V3, scale: f64) -> V3 {
    V3 { x: v.x / scale, y: v.y / scale, z: v.z / scale }
}

/// A triangle a joint, and what else a mesh has. The last vertex follows six joints.
fn body(skeleton: &RawSkeleton, points: usize) -> RawMesh {
    let rest: Vec<_> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    let models = model_matrices(skeleton, &rest);
    let mut mesh = RawMesh { name: "body".into(), ..RawMesh::default() };
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for (joint, model) in models.iter().enumerate() {
        let first = mesh.positions.len() as u32;
        mesh.indices.extend([first, first + 1, first + 2]);
        for point in 0..points {
            let [x, y, z] = [model.columns[3].x, model.columns[3].y, model.columns[3].z].map(|v| v as f32);
            let off = [[0.05, 0.0, 0.0], [0.0, 0.05, 0.01], [-0.04, 0.0, 0.03]][point % 3];
            mesh.positions.push([x + off[0], y + off[1], z + off[2]]);
            let parent = skeleton.joints[joint].parent.unwrap_or(joint) as u16;
            joints.push([joint as u16, parent, 0, 0, 0, 0]);
            weights.push(if usize::from(parent) == joint {
                [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
            } else {
                [0.75, 0.25, 0.0, 0.0, 0.0, 0.0]
            });
        }
    }
    let vertices = mesh.positions.len();
    joints[vertices - 1] = [1, 2, 3, 4, 5, 6];
    weights[vertices - 1] = [0.25, 0.25, 0.125, 0.125, 0.125, 0.125];
    mesh.influences = Influences::from_rows(&joints, &weights);
    mesh.normals = vec![[0.0, 1.0, 0.0]; vertices];
    mesh.tangents = vec![[1.0, 0.0, 0.0, 1.0]; vertices];
    mesh.uvs = vec![vec![[0.25, 0.5]; vertices], vec![[0.75, 1.0]; vertices]];
    mesh.colors = vec![vec![[1.0, 0.5, 0.0, 1.0]; vertices]];
    mesh.inverse_binds = models.iter().map(|model| model.inverse().unwrap()).collect();
    mesh
}

fn parts() -> Arc<GraphParts> {
    Arc::new(
        GraphParts::new()
            .float("speed", 0.0)
            .trigger("greet")
            .clip("wave")
            .mask("upper", "spine_01", 2)
            .layer(
                LayerParts::new("body")
                    .state(StateParts::line("move", "speed", &[(0.0, "idle"), (1.0, "walk")]))
                    .state(StateParts::clip("greeting", "wave").once())
                    .transition(TransitionParts::new("move", "greeting").when("greet", Test::On).inertial())
                    .transition(TransitionParts::new("greeting", "move").exit(1.0)),
            )
            .layer(LayerParts::new("upper").masked("upper")),
    )
}

/// Several threads on any machine: Bevy takes one where there are two cores.
fn pools() -> TaskPoolPlugin {
    let mut pools = TaskPoolOptions::with_num_threads(6);
    (pools.compute.min_threads, pools.compute.max_threads) = (4, 4);
    TaskPoolPlugin { task_pool_options: pools }
}

/// An app whose files lie in memory.
fn app() -> (App, Dir) {
    app_with(|_| {})
}

/// The same with more plugins.
fn app_with(more: impl FnOnce(&mut App)) -> (App, Dir) {
    app_of(LissomPlugin::default(), more)
}

/// The same with this plugin.
fn app_of(plugin: LissomPlugin, more: impl FnOnce(&mut App)) -> (App, Dir) {
    let (app, files, _) = watched_app_of(plugin, false, more);
    (app, files)
}

/// Says that a file changed, as a watcher of a folder does.
type Notify = Arc<Mutex<Option<Box<dyn Fn(&str) + Send + Sync>>>>;

struct Watching;

impl AssetWatcher for Watching {}

/// The same with somebody who says which files change.
fn watched_app_of(plugin: LissomPlugin, watched: bool, more: impl FnOnce(&mut App)) -> (App, Dir, Notify) {
    log::keep();
    let files = Dir::default();
    files.insert_asset(Path::new("hero.lsm"), BYTES.clone());
    let root = files.clone();
    let mut app = App::new();
    let notify = Notify::default();
    let told = notify.clone();
    let source = AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: root.clone() }));
    let source = source.with_watcher(move |events| {
        let send = move |path: &str| events.try_send(AssetSourceEvent::ModifiedAsset(path.into())).unwrap();
        *told.lock().unwrap() = Some(Box::new(send));
        Some(Box::new(Watching))
    });
    app.register_asset_source(AssetSourceId::Default, source);
    let assets = AssetPlugin { watch_for_changes_override: Some(watched), ..AssetPlugin::default() };
    app.add_plugins((pools(), TimePlugin, assets, TransformPlugin, plugin));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(DT_S)));
    more(&mut app);
    app.finish();
    app.cleanup();
    (app, files, notify)
}

/// Updates until it holds; files are read on other threads.
fn until(app: &mut App, what: &str, mut holds: impl FnMut(&mut World) -> bool) {
    for _ in 0..2_000 {
        app.update();
        if holds(app.world_mut()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("it never came about that {what}");
}

fn hero(app: &mut App, plays: impl FnOnce(&AssetServer) -> Plays) -> Entity {
    let plays = plays(&app.world().resource::<AssetServer>().clone());
    app.world_mut().spawn(plays).id()
}

fn plays(app: &mut App, entity: Entity) {
    until(app, "it plays", |world| world.get::<Character>(entity).is_some());
}

fn joint(app: &mut App, entity: Entity, name: &'static str) -> Mat4 {
    app.world_mut().run_system_once(move |c: Characters| c.joint(entity, name).unwrap()).unwrap()
}

fn bits(app: &mut App, entity: Entity) -> Vec<u32> {
    app.world_mut()
        .run_system_once(move |c: Characters| {
            let joints = c.joints(entity).unwrap().iter();
            joints.flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect::<Vec<u32>>()
        })
        .unwrap()
}

#[test]
fn a_clip_is_loaded_by_its_name_or_its_label_and_moves() {
    let (mut app, _) = app();
    let named = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    let labelled = hero(&mut app, |server| Plays::labelled(server.load("hero.lsm#walk")));
    plays(&mut app, named);
    plays(&mut app, labelled);
    let before = joint(&mut app, named, "thigh_l");
    for _ in 0..10 {
        app.update();
    }
    assert!(!before.abs_diff_eq(joint(&mut app, named, "thigh_l"), 1e-3), "it stands still");
    assert!(!Mat4::IDENTITY.abs_diff_eq(joint(&mut app, labelled, "thigh_l"), 1e-3));
    // Both are members of one crowd.
    assert_eq!(app.world().resource::<Crowds>().len(), 2);
    let clips = app.world().resource::<bevy_asset::Assets<LissomClip>>();
    assert_eq!(clips.iter().filter(|(_, clip)| clip.name == "walk").count(), 1);
}

#[test]
fn what_is_shown_is_what_an_animator_alone_shows_bit_for_bit() {
    let (mut app, _) = app();
    let parts = parts();
    let own = parts.clone();
    let entity = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), own));
    plays(&mut app, entity);
    let archive = Archive::read(&BYTES).unwrap();
    let graph = Arc::new(Graph::of_archive(&parts, &archive).unwrap());
    let mut alone = Alone::new(&archive, graph.clone()).unwrap();
    // It has played since its archive came.
    let came = save(&mut app, entity);
    alone.restore(came.graph().unwrap()).unwrap();
    for frame in 0..200 {
        let speed = (frame as f32 * 0.05).fract();
        alone.set(graph.float("speed").unwrap(), speed).unwrap();
        let greets = frame == 20;
        app.world_mut()
            .run_system_once(move |mut c: Characters| {
                let graph = c.graph(entity).unwrap().clone();
                c.set(entity, graph.float("speed").unwrap(), speed).unwrap();
                if greets {
                    c.trigger(entity, graph.trigger("greet").unwrap()).unwrap();
                    c.play(entity, "wave", "upper", OneShot::default()).unwrap();
                }
                if frame == 40 {
                    let next = OneShot { queued: true, at: 0.25, ..OneShot::default() };
                    let key = c.play(entity, "wave", "upper", next).unwrap();
                    assert!(c.state(entity).unwrap().shot(&graph, key).unwrap().is_queued);
                    c.set_mask(entity, "upper", None).unwrap();
                    assert!(c.set_mask(entity, "upper", Some("legs")).is_err());
                }
                if frame == 60 {
                    let layer = graph.layer("upper").unwrap();
                    let playing = c.state(entity).unwrap().shots(&graph, layer).next();
                    assert!(c.stop_shot(entity, playing.unwrap().shot).unwrap());
                }
            })
            .unwrap();
        if greets {
            alone.trigger(graph.trigger("greet").unwrap()).unwrap();
            alone.play("wave").on("upper").fade(OneShot::default().fade_in_s).start().unwrap();
        }
        if frame == 40 {
            alone.play("wave").on("upper").queued().at(0.25).start().unwrap();
            alone.set_mask("upper", None).unwrap();
        }
        if frame == 60 {
            let layer = graph.layer("upper").unwrap();
            let playing = alone.state().shots(&graph, layer).next().unwrap().shot;
            assert!(alone.stop_shot(playing));
        }
        app.update();
        alone.update(Duration::from_secs_f64(DT_S).as_secs_f64()).unwrap();
        let own: Vec<u32> = alone.models().iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect();
        assert_eq!(bits(&mut app, entity), own, "frame {frame}");
    }
}

fn save(app: &mut App, entity: Entity) -> CharacterSave {
    app.world_mut().run_system_once(move |c: Characters| c.save(entity).unwrap()).unwrap()
}

#[test]
fn a_transition_is_taken_and_parameters_by_name_are_followed() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    app.world_mut().entity_mut(entity).insert(Parameters::default().with("speed", 1.0));
    plays(&mut app, entity);
    app.update();
    let leading = |app: &mut App| {
        app.world_mut()
            .run_system_once(move |c: Characters| {
                let graph = c.graph(entity).unwrap();
                c.state(entity).unwrap().leading(graph, 0).unwrap().to_owned()
            })
            .unwrap()
    };
    assert_eq!(leading(&mut app), "move");
    let speed = app
        .world_mut()
        .run_system_once(move |c: Characters| {
            let key = c.graph(entity).unwrap().float("speed").unwrap();
            c.state(entity).unwrap().get(key)
        })
        .unwrap();
    assert_eq!(speed, Some(1.0));
    app.world_mut().get_mut::<Parameters>(entity).unwrap().set("greet", true);
    app.update();
    assert_eq!(leading(&mut app), "greeting");
    // A trigger is taken once.
    until(&mut app, "the greeting is over", |world| {
        world
            .run_system_once(move |c: Characters| {
                c.state(entity).unwrap().leading(c.graph(entity).unwrap(), 0) == Some("move")
            })
            .unwrap()
    });
    for _ in 0..20 {
        app.update();
    }
    assert_eq!(leading(&mut app), "move");
}

#[test]
fn code_goes_to_a_state_and_a_wrong_name_is_refused() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    plays(&mut app, entity);
    let layer = move |c: &Characters| c.graph(entity).unwrap().layer_names().next().unwrap().to_owned();
    app.world_mut()
        .run_system_once(move |mut c: Characters| {
            let layer = layer(&c);
            c.go_to(entity, "greeting", &layer, GoTo::default()).unwrap();
            let wrong = c.go_to(entity, "greting", &layer, GoTo::default()).unwrap_err();
            assert!(wrong.to_string().contains("greting"), "{wrong}");
            assert!(c.go_to(entity, "greeting", "nowhere", GoTo::default()).is_err());
            assert!(c.go_to(entity, "greeting", &layer, GoTo { at: 2.0, ..GoTo::default() }).is_err());
        })
        .unwrap();
    app.update();
    let leading =
        move |c: Characters| c.state(entity).unwrap().leading(c.graph(entity).unwrap(), 0).map(str::to_owned);
    assert_eq!(app.world_mut().run_system_once(leading).unwrap().as_deref(), Some("greeting"));
}

#[test]
fn what_a_character_decides_is_told_in_lines() {
    let (mut app, _) = app();
    let graph = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    let clip = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    app.world_mut().entity_mut(graph).insert(Parameters::default().with("speed", 0.25));
    for entity in [graph, clip] {
        plays(&mut app, entity);
    }
    app.update();
    let lines = |app: &mut App, entity: Entity| {
        app.world_mut().run_system_once(move |c: Characters| c.described(entity).unwrap()).unwrap()
    };
    let told = lines(&mut app, graph).join("\n");
    for words in
        ["body: move ", "move > greeting: greet says no", "upper: -", "speed = 0.250", "greet = false"]
    {
        assert!(told.contains(words), "{words:?} in {told}");
    }
    assert!(lines(&mut app, clip)[0].starts_with("walk  "));
}

/// Half of a fade is over: both states, and both clips, are told with half of the weight, and that the old one goes.
#[test]
fn states_and_clips_that_fade_out_are_told_with_their_weights() {
    let (mut app, _) = app();
    let layer = LayerParts::new("body")
        .state(StateParts::line("move", "speed", &[(0.0, "idle"), (1.0, "walk")]))
        .state(StateParts::clip("greeting", "wave"))
        .transition(TransitionParts::new("move", "greeting").when("greet", Test::On).fade(0.5));
    let parts = Arc::new(GraphParts::new().float("speed", 0.0).trigger("greet").layer(layer));
    let graph = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), parts));
    let clip = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "idle"));
    app.world_mut().entity_mut(graph).insert(Parameters::default().with("speed", 0.25));
    for entity in [graph, clip] {
        plays(&mut app, entity);
    }
    app.update();
    let greet = move |mut c: Characters| c.set_value(graph, "greet", true).unwrap();
    app.world_mut().run_system_once(greet).unwrap();
    // The transition begins at the end of the update, a fade at once.
    app.update();
    let fade = move |mut c: Characters| c.fade_to(clip, "walk", 0.5).unwrap();
    app.world_mut().run_system_once(fade).unwrap();
    let lines = |app: &mut App, entity: Entity| {
        app.world_mut().run_system_once(move |c: Characters| c.described(entity).unwrap()).unwrap()
    };
    let states = |world: &mut World| {
        let read = move |c: Characters| -> Vec<(f64, f32)> {
            let state = c.state(graph).unwrap();
            state.playing(c.graph(graph).unwrap(), 0).map(|one| (one.age_s, one.weight)).collect()
        };
        world.run_system_once(read).unwrap()
    };
    let mut before = 0.0;
    until(&mut app, "half of the fade is over", |world| {
        let [(_, old), (age_s, new)] = states(world)[..] else { panic!("two states") };
        assert!((old + new - 1.0).abs() < 1e-6 && new > before, "{old} and {new} after {before}");
        before = new;
        age_s == 0.25
    });
    assert_eq!(states(app.world_mut())[1].1, 0.5);
    let told = lines(&mut app, graph);
    let body: Vec<&String> = told.iter().filter(|line| line.starts_with("body: ")).collect();
    let [old, new] = body[..] else { panic!("{told:?}") };
    assert!(old.starts_with("body: move  weight 0.50  ") && old.ends_with("(idle 0.75, walk 0.25)"), "{old}");
    assert!(new.starts_with("body: greeting  weight 0.50  ") && new.ends_with("(wave 1.00)"), "{new}");
    let told = lines(&mut app, clip);
    let [new, old] = &told[..] else { panic!("{told:?}") };
    assert!(
        new.starts_with("walk  ") && new.contains("  weight 0.50  ") && !new.contains("fades out"),
        "{new}"
    );
    assert!(
        old.starts_with("idle  ") && old.contains("  weight 0.50  ") && old.ends_with("  fades out"),
        "{old}"
    );
    (0..40).for_each(|_| app.update());
    assert_eq!(lines(&mut app, clip).len(), 1, "it is gone");
    assert_eq!(states(app.world_mut()).len(), 1);
}

#[derive(Resource, Default)]
struct Changes(Vec<StateChanged>);

#[test]
fn changes_of_states_and_one_shots_are_told_in_their_order() {
    let (mut app, _) = app();
    app.init_resource::<Changes>();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    app.world_mut().entity_mut(entity).observe(|changed: On<StateChanged>, mut all: ResMut<Changes>| {
        all.0.push(changed.event().clone());
    });
    app.world_mut().entity_mut(entity).insert(Parameters::default());
    plays(&mut app, entity);
    let mut cursor = MessageCursor::<StateChanged>::default();
    let mut told: Vec<StateChanged> = Vec::new();
    let mut update = |app: &mut App| {
        told.extend(cursor.read(app.world().resource::<Messages<StateChanged>>()).cloned());
        let then = told.len();
        app.update();
        told.extend(cursor.read(app.world().resource::<Messages<StateChanged>>()).cloned());
        let change = |it: &StateChanged| format!("{:?} {}", it.change, it.name);
        told[then..].iter().filter(|it| it.layer == 0).map(change).collect::<Vec<_>>()
    };
    update(&mut app);
    app.world_mut().get_mut::<Parameters>(entity).unwrap().set("greet", true);
    assert_eq!(update(&mut app), ["TransitionStarted greeting", "Entered greeting", "Left move"]);
    let mut later = Vec::new();
    for _ in 0..1000 {
        later.extend(update(&mut app));
        if later.last().is_some_and(|last| last == "Left greeting") {
            break;
        }
    }
    let expected = [
        "TransitionEnded greeting",
        "Finished greeting",
        "TransitionStarted move",
        "Entered move",
        "TransitionEnded move",
        "Left greeting",
    ];
    assert_eq!(later, expected);
    assert!(told.iter().all(|it| it.entity == entity && (0.0..=1.0).contains(&it.share)));
    assert_eq!(app.world().resource::<Changes>().0, told);
    let entered = told.iter().filter(|it| it.change == Change::Entered).count();
    assert!(entered >= 3, "{entered}: the first state, the greeting, and back");
}

#[derive(Resource, Default)]
struct Observed(Vec<MarkerPassed>);

#[test]
fn a_marker_is_told_once_a_lap_to_all_and_to_who_observes_it() {
    let (mut app, _) = app();
    app.init_resource::<Observed>();
    let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    app.world_mut().entity_mut(entity).observe(|passed: On<MarkerPassed>, mut all: ResMut<Observed>| {
        if &*passed.marker == "walk step" {
            all.0.push(passed.event().clone());
        }
    });
    plays(&mut app, entity);
    let mut cursor = MessageCursor::<MarkerPassed>::default();
    let mut told = Vec::new();
    let seconds = mannequin::clip(Motion::Walk).duration_s;
    let laps = 5;
    // The frame in which it came has played one step.
    let frames = (f64::from(laps) * seconds / DT_S).round() as usize;
    let first = app.world().resource::<Messages<MarkerPassed>>();
    told.extend(cursor.read(first).cloned());
    for _ in 0..frames {
        app.update();
        told.extend(cursor.read(app.world().resource::<Messages<MarkerPassed>>()).cloned());
    }
    told.retain(|m| &*m.marker != "foot");
    assert_eq!(told.len(), 5);
    assert!(told.iter().all(|m| m.entity == entity && &*m.marker == "walk step" && m.weight == 1.0));
    assert_eq!(app.world().resource::<Observed>().0, told);
}

#[test]
fn root_motion_moves_the_entity_or_is_handed_over() {
    let (mut app, _) = app();
    let walks = |server: &AssetServer| Plays::clip(server.load("hero.lsm"), "walk");
    let [applied, told, none] = [(); 3].map(|()| hero(&mut app, walks));
    let turned = Transform::from_rotation(bevy_math::Quat::from_rotation_y(0.5 * core::f32::consts::PI));
    app.world_mut().entity_mut(applied).insert((turned, EntityRootMotion::default()));
    app.world_mut().entity_mut(told).insert(EntityRootMotion::handed_over());
    for entity in [applied, told, none] {
        plays(&mut app, entity);
    }
    let start = app.world().get::<Transform>(applied).unwrap().translation;
    let mut way = Vec3::ZERO;
    for _ in 0..32 {
        app.update();
        way += app.world().get::<EntityRootMotion>(told).unwrap().translation;
    }
    let metres = 2.0 / mannequin::clip(Motion::Walk).duration_s * 32.0 * DT_S;
    assert!((way - Vec3::Z * metres as f32).length() < 1e-4, "{way}");
    // A quarter of a turn to the left: forward is x.
    let went = app.world().get::<Transform>(applied).unwrap().translation - start;
    assert!((went - Vec3::X * metres as f32).length() < 1e-4, "{went}");
    for still in [told, none] {
        assert_eq!(app.world().get::<Transform>(still).unwrap().translation, Vec3::ZERO);
    }
}

#[test]
fn a_socket_follows_its_joint() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    app.world_mut().entity_mut(entity).insert(Transform::from_xyz(1.0, 2.0, 3.0));
    let hand = app.world_mut().spawn((JointSocket::new("thigh_l"), ChildOf(entity))).id();
    let lost = app.world_mut().spawn((JointSocket::new("tail"), ChildOf(entity))).id();
    plays(&mut app, entity);
    for _ in 0..10 {
        app.update();
        let model = joint(&mut app, entity, "thigh_l");
        let (_, turn, place) = model.to_scale_rotation_translation();
        let own = *app.world().get::<Transform>(hand).unwrap();
        assert!((own.translation - place).length() < 1e-6 && own.rotation.angle_between(turn) < 1e-3);
        let world = app.world().get::<bevy_transform::components::GlobalTransform>(hand).unwrap();
        assert!((world.translation() - place - Vec3::new(1.0, 2.0, 3.0)).length() < 1e-5);
    }
    assert_eq!(*app.world().get::<Transform>(lost).unwrap(), Transform::IDENTITY);
    let error = app.world_mut().run_system_once(move |c: Characters| c.joint(entity, "tail")).unwrap();
    let Err(CharacterError::NoJoint { entity: who, why }) = error else { panic!("{error:?}") };
    assert_eq!(who, entity);
    assert!(why.to_string().starts_with("there is no joint \"tail\"; there are \"root\""), "{why}");
}

#[test]
fn a_save_put_back_gives_the_same_bits() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), parts()));
    app.world_mut().entity_mut(entity).insert(Parameters::default().with("speed", 0.7));
    plays(&mut app, entity);
    for frame in 0..30 {
        // It is saved in the middle of a transition by inertia.
        if frame == 25 {
            app.world_mut().get_mut::<Parameters>(entity).unwrap().set("greet", true);
        }
        app.update();
    }
    let saved = save(&mut app, entity);
    assert!(saved.graph().unwrap().memory.is_running());
    let run = |app: &mut App| -> Vec<Vec<u32>> {
        (0..50)
            .map(|frame| {
                if frame == 10 {
                    app.world_mut().get_mut::<Parameters>(entity).unwrap().set("greet", true);
                }
                app.update();
                bits(app, entity)
            })
            .collect()
    };
    let first = run(&mut app);
    let put = saved.clone();
    app.world_mut().run_system_once(move |mut c: Characters| c.restore(entity, &put).unwrap()).unwrap();
    assert_eq!(save(&mut app, entity), saved);
    assert_eq!(run(&mut app), first);
}

#[test]
fn an_entity_that_goes_leaves_nothing_behind_and_a_changed_one_starts_anew() {
    let (mut app, _) = app();
    let walks = |server: &AssetServer| Plays::clip(server.load("hero.lsm"), "walk");
    let all: Vec<Entity> = (0..100).map(|_| hero(&mut app, walks)).collect();
    all.iter().for_each(|entity| plays(&mut app, *entity));
    assert_eq!(app.world().resource::<Crowds>().len(), 100);
    // Another `Plays` in its place.
    let changed = app.world().resource::<AssetServer>().load("hero.lsm");
    app.world_mut().entity_mut(all[0]).insert(Plays::clip(changed, "idle"));
    app.update();
    app.update();
    assert_eq!(app.world().resource::<Crowds>().len(), 100);
    // One loses its `Plays`, the others are despawned.
    app.world_mut().entity_mut(all[1]).remove::<Plays>();
    app.update();
    assert!(app.world().get::<Character>(all[1]).is_none());
    for entity in all {
        app.world_mut().despawn(entity);
    }
    app.update();
    assert!(app.world().resource::<Crowds>().is_empty());
    until(&mut app, "the archive is let go", |world| {
        world.resource::<bevy_asset::Assets<LissomArchive>>().is_empty()
    });
}

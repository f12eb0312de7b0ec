//! What each target does with bytes. True: something came out.

use super::{play, reseal};
use crate::graphs;
use lissom::{
    Clip, Cursor, Skeleton,
    archive::{AlignedBytes, Archive, ArchiveView, Limits, SectionKind, packed},
    clip::{BorrowedClip, ClipStream, StreamFeed, StreamPlayer},
    math::{Qvs, soa::SoaTransform},
    track::{Repeat, Timeline},
};
use lissom_build::{
    cook::seal,
    edit::{self, Asked},
    export::write_glb_onto,
    graph,
    import::{
        Axis, Format, ImportLimits, ImportOptions, ReadOptions, Unit,
        acl_sjson::{self, AclFile},
        bvh::{self, BvhOptions},
        gltf, lsm,
        ozz::{self, OzzObject},
        rawclip,
    },
    recipe,
    scene::{Marker, Scene},
};
use lissom_motion::{
    Graph, GraphParts, GraphState, PoseMemory,
    frame::Frame,
    matching::{Database, DatabaseParts},
    recording::{Recording, Replay},
};
use lissom_world::{Children, Keep, World};
use std::{io, path::Path};

/// The bytes as they are, then with checksums that fit, if they did not.
fn as_it_is_and_resealed(bytes: &[u8], reseal: fn(&mut [u8]), run: fn(&[u8]) -> bool) -> bool {
    let as_it_is = run(bytes);
    let mut sealed = bytes.to_vec();
    reseal(&mut sealed);
    sealed != bytes && run(&sealed) || as_it_is
}

/// Clips of an archive that are played, and frames of each way to play. Few: `clip` plays them thoroughly.
const PLAYED: (usize, u32) = (3, 2);

pub(super) fn archive(bytes: &[u8]) -> bool {
    as_it_is_and_resealed(bytes, reseal::archive, |bytes| {
        if packed::is_packed(bytes) {
            return false;
        }
        let limits = Limits::default();
        let _ = (Skeleton::load(&mut &*bytes, &limits), Clip::load(&mut &*bytes, &limits));
        // By a reader: what it takes is what the header promises, the rest is someone else's.
        if let Ok(read) = AlignedBytes::read_from(&mut &*bytes, &limits) {
            assert_eq!(bytes.get(..read.len()), Some(&*read));
        }
        let bytes = AlignedBytes::copy_of(bytes);
        let whole = ArchiveView::read(&bytes, &limits);
        let surviving = ArchiveView::read_surviving(&bytes, &limits);
        if let Ok(whole) = &whole {
            let (surviving, damage) = surviving.as_ref().expect("what reads whole survives");
            assert!(damage.is_empty() && surviving.sections() == whole.sections());
        }
        let Ok((archive, _)) = surviving else { return false };
        let skeletons: Vec<Skeleton> =
            archive.sections().iter().filter_map(|s| s.skeleton(&limits).ok()).collect();
        let (mut clips, frames) = PLAYED;
        for section in archive.sections() {
            let _ = (section.mesh(), section.track(), section.clip(), section.morph());
            let _ = section.markers().map(|markers| markers.iter().count());
            let _ = (section.material(), section.image(), section.nodes(), section.extras(), section.graph());
            let _ = section.matching();
            if section.kind == SectionKind::Clip
                && clips > 0
                && let Ok(clip) = BorrowedClip::new(section.payload)
            {
                play::clip(clip.view(), &skeletons, frames);
                clips -= 1;
            }
        }
        // One after another: what each takes is what counts.
        let is_whole = whole.is_ok();
        drop((whole, archive, skeletons));
        assert_eq!(Archive::read(&bytes).is_ok(), is_whole);
        assert_eq!(Archive::read_with(&bytes, &limits).is_ok(), is_whole);
        assert_eq!(Archive::new(bytes.clone()).is_ok(), is_whole);
        let owned = Archive::new_with(bytes.clone(), &limits);
        if let Ok(owned) = owned {
            look_up_everything(&owned);
        }
        is_whole
    })
}

/// A packed archive is what it unpacks to, and what it unpacks to can be packed.
pub(super) fn packed(bytes: &[u8]) -> bool {
    as_it_is_and_resealed(bytes, reseal::packed, |bytes| {
        let limits = Limits::default();
        let read = AlignedBytes::read_from(&mut &*bytes, &limits);
        let Ok(archive) = packed::unpack(bytes, &limits) else {
            assert!(!packed::is_packed(bytes) || Archive::read(bytes).is_err());
            return false;
        };
        assert_eq!(read.as_deref(), Ok(&*archive));
        drop(read);
        assert_eq!(AlignedBytes::of_archive(bytes, &limits).as_deref(), Ok(&*archive));
        if let Ok(view) = ArchiveView::read(&archive, &limits) {
            for section in view.sections().iter().filter(|s| s.kind == SectionKind::Clip) {
                let _ = packed::clip_bytes(section.payload);
            }
        }
        assert_eq!(Archive::read(bytes).is_ok(), Archive::read(&archive).is_ok());
        if let Ok(Some(again)) = packed::pack(&archive) {
            assert!(packed::unpack(&again, &limits).is_ok_and(|whole| *whole == *archive));
        }
        true
    })
}

/// Every section by its name, with what can be done with it: sampled, passed over, skinned.
fn look_up_everything(archive: &Archive) {
    let timeline = Timeline::new(1.0, Repeat::PingPong).expect("a second");
    let span = timeline.advance(timeline.end(), -2.5).expect("two laps and a half");
    for (name, track) in archive.tracks() {
        assert_eq!(track.is_ok(), archive.track(name).is_ok());
        let Ok(track) = track else { continue };
        for ratio in [-1.0, 0.0, 0.3, 1.0, f64::NAN] {
            assert!(track.view().sample(ratio).to_array().iter().all(|v| v.is_finite()));
        }
        assert!(track.view().edges(0.5, &span).count() <= 3 * track.view().ratios.len());
    }
    for (clip, markers) in archive.all_markers() {
        assert_eq!(markers.is_ok(), archive.markers(clip).is_ok());
        if let Ok(markers) = markers {
            assert_eq!(markers.view().iter().count(), markers.view().len());
            assert!(markers.view().passed(&span).count() <= 3 * markers.view().len());
            assert!(markers.view().active_at(0.5).count() <= markers.view().len());
        }
    }
    for (name, mesh) in archive.meshes() {
        assert_eq!(mesh.is_ok(), archive.mesh(name).is_ok());
        if let Ok(mesh) = mesh {
            let (influences, view) = (mesh.influences(), mesh.view());
            assert_eq!(influences.vertex_count(), view.positions.len());
            let _ = archive.skeleton_of(&mesh);
        }
    }
    for (name, morph) in archive.morphs() {
        assert_eq!(morph.is_ok(), archive.morph(name).is_ok());
        let _ = morph.map(|morph| morph.view().target.vertices.len());
    }
    for (name, graph) in archive.graphs() {
        assert_eq!(graph.is_ok(), archive.graph(name).is_ok());
        let _ = Graph::load(archive, name).map(|graph| graph.clips().len());
    }
    for (name, database) in archive.all_matching() {
        assert_eq!(database.is_ok(), archive.matching(name).is_ok());
    }
    for (_, clip) in archive.clips() {
        let _ = clip.map(|clip| archive.skeleton_of(&clip));
    }
    let error = archive.clip("no such clip \u{1f3c3}").map(drop).expect_err("there is none");
    assert!(error.to_string().len() < 8_000, "a bounded list");
}

pub(super) fn clip(bytes: &[u8]) -> bool {
    as_it_is_and_resealed(bytes, seal, |bytes| {
        let Ok(clip) = Clip::from_bytes(bytes) else { return false };
        let view = clip.view();
        for block in 0..view.block_count() {
            let _ = (view.block(block), view.stored_block(block));
        }
        play::clip(view, &[], play::FRAMES);
        true
    })
}

/// Bytes of blocks that a player may keep.
const WINDOW: usize = 64 << 10;

pub(super) fn stream(bytes: &[u8]) -> bool {
    as_it_is_and_resealed(bytes, reseal::stream, |bytes| {
        let sought = play_sought(bytes);
        let fed = play_fed(bytes);
        let supplied = play_supplied(bytes);
        assert_eq!(sought, supplied, "who reads the file makes no difference");
        sought || fed
    })
}

/// By a source that can seek.
fn play_sought(bytes: &[u8]) -> bool {
    let Ok(mut player) = StreamPlayer::open(io::Cursor::new(bytes), WINDOW) else { return false };
    let mut cursor = Cursor::new();
    let (skeleton, mut output) = stage_for(player.stream().view().skeleton_identity());
    for (frame, time) in play::times(player.stream().view().duration_s(), play::FRAMES).enumerate() {
        if frame % 7 == 0 {
            player.move_to(frame as f64 * 0.1);
        }
        let _ = player.prefetch(if frame % 3 == 0 { 1 << 14 } else { 100 });
        let _ = player.sample(skeleton, time, None, &mut cursor, &mut output);
        assert!(player.stream().window_used() <= WINDOW);
    }
    true
}

/// Piece by piece, as the stream asks for them.
fn play_supplied(bytes: &[u8]) -> bool {
    let Ok(len) = ClipStream::preamble_len(bytes) else { return false };
    let Some(preamble) = usize::try_from(len).ok().and_then(|len| bytes.get(..len)) else { return false };
    let Ok(mut stream) = ClipStream::open(preamble, WINDOW) else { return false };
    let mut cursor = Cursor::new();
    let (skeleton, mut output) = stage_for(stream.view().skeleton_identity());
    for time in play::times(stream.view().duration_s(), play::FRAMES) {
        let _ = stream.sample(skeleton, time, None, &mut cursor, &mut output);
        let Some(wanted) = stream.wanted() else { continue };
        let from = usize::try_from(wanted.offset).ok().and_then(|from| bytes.get(from..));
        let Some(piece) = from.and_then(|rest| rest.get(..wanted.len)) else { break };
        let _ = stream.supply(wanted.block, piece);
        assert!(stream.window_used() <= WINDOW);
    }
    true
}

/// In order, in pieces of any size.
fn play_fed(bytes: &[u8]) -> bool {
    let mut feed = StreamFeed::new(WINDOW);
    let mut cursor = Cursor::new();
    let mut rest = bytes;
    let mut times = play::times(1.0, play::FRAMES).cycle();
    let mut opened = false;
    let mut size = 1;
    while !rest.is_empty() {
        size = size * 7 % 701 + 1;
        let piece = rest.get(..size).unwrap_or(rest);
        let Ok(used) = feed.push(piece) else { break };
        rest = rest.get(used..).unwrap_or_default();
        if let Some(stream) = feed.stream() {
            opened = true;
            let (skeleton, mut output) = stage_for(stream.view().skeleton_identity());
            if let Some(time) = times.next() {
                let _ = stream.sample(skeleton, time, None, &mut cursor, &mut output);
            }
            assert!(stream.window_used() <= WINDOW);
        }
        if used == 0 {
            break;
        }
    }
    opened
}

fn stage_for(identity: u64) -> (&'static Skeleton, Vec<SoaTransform>) {
    let stage = play::stage();
    let small = &stage.small.skeleton;
    let skeleton = if small.identity() == identity { small } else { &stage.mannequin.skeleton };
    (skeleton, vec![SoaTransform::IDENTITY; skeleton.group_count()])
}

/// A saved state of one graph, whose own shape it is given: any other is refused by that alone.
pub(super) fn graph_state(bytes: &[u8]) -> bool {
    play_state(&graphs::graph(), bytes) | play_state(play::matched(), bytes)
}

/// A state of a graph, whatever graph the bytes say that it is of.
fn play_state(graph: &Graph, bytes: &[u8]) -> bool {
    let mut bytes = bytes.to_vec();
    let shape = GraphState::new(graph).to_bytes();
    for (byte, own) in bytes.iter_mut().zip(&shape[..8]) {
        *byte = *own;
    }
    let Ok(mut state) = GraphState::read(graph, &bytes) else { return false };
    assert_eq!(GraphState::read(graph, &state.to_bytes()).as_ref(), Ok(&state), "what was written reads");
    let mut frame = Frame::new(graph);
    for dt_s in [0.0, 0.1, 10.0, 1.0e9, f64::MAX] {
        graph.update(&mut state, dt_s, &mut frame).expect("a step may be taken");
        assert!(frame.entries().len() <= graph.most_entries());
        assert!(frame.entries().iter().all(|entry| (0.0..=1.0).contains(&entry.weight)));
        assert!(frame.layers().iter().all(|layer| (0.0..=1.0).contains(&layer.weight)));
    }
    true
}

/// What a pose remembers, of one graph and skeleton.
pub(super) fn pose_memory(bytes: &[u8]) -> bool {
    let skeleton = &play::stage().mannequin.skeleton;
    let read = |graph: &Graph| {
        let Ok(memory) = PoseMemory::read(graph, skeleton, bytes) else { return false };
        assert_eq!(memory.to_bytes(), bytes, "there is one way to write it");
        memory.apply(&mut skeleton.rest_pose().to_vec()).expect("a pose of its skeleton");
        for name in graph.pose_names() {
            let kept = memory.kept(graph.pose_key(name).expect("its own"));
            assert!(kept.is_none_or(|pose| pose.len() == skeleton.group_count()));
        }
        true
    };
    read(&graphs::inertial()) | read(&graphs::keeping()) | read(play::holding())
}

/// A recording, of one of two graphs: its first frames are played.
pub(super) fn recording(bytes: &[u8]) -> bool {
    let Ok(recording) = Recording::read(bytes) else { return false };
    assert_eq!(recording.to_bytes(), bytes, "there is one way to write it");
    for (archive, graph) in [play::recorded(), play::recorded_matched()] {
        let Ok(mut replay) = Replay::with_graph(archive, graph.clone(), recording.clone()) else { continue };
        for _ in 0..50 {
            match replay.step() {
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        return true;
    }
    false
}

/// A graph as an archive has it.
pub(super) fn graph(bytes: &[u8]) -> bool {
    let Ok(parts) = GraphParts::read(bytes) else { return false };
    assert_eq!(parts.to_bytes(), bytes, "there is one way to write it");
    play_graph(&parts)
}

/// A database for motion matching as an archive has it.
pub(super) fn matching(bytes: &[u8]) -> bool {
    let Ok(parts) = DatabaseParts::read(bytes) else { return false };
    assert!(parts.to_bytes() == bytes, "what was read is written again");
    let Ok(database) = Database::new(&parts) else { return true };
    drop(parts);
    let (frames, features) = (database.frames(), database.features().len());
    let mut values = vec![0.0; features];
    for frame in [0, frames / 2, frames - 1] {
        database.values(frame, &mut values).expect("there is such a frame");
        // What is stored is finite; what it stands for may be too large for an f32.
        values.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = f32::MAX);
        let query = database.query(&values).expect("the values are finite");
        let tags = database.ranges().iter().find(|r| r.entry_from < r.entry_to).map_or(0, |r| r.tags);
        for query in [
            query.clone(),
            query.clone().tagged(&database, tags).expect("a frame has these tags"),
            query.playing(&database, frame, 20, 0.5).expect("there is such a frame"),
        ] {
            let found = database.search(&query).expect("a query of this database has an answer");
            assert_eq!(database.cost(&query, found.frame), Ok(found.cost));
            let place = database.place(found.frame).expect("what was found is somewhere");
            assert!(database.clips().get(place.clip as usize).is_some());
            let _ = database.frame_at(place.range, place.time_s);
        }
    }
    true
}

/// A graph as people write it.
pub(super) fn graph_json(bytes: &[u8]) -> bool {
    let Ok(file) = graph::read(bytes) else { return false };
    let written = graph::to_json(file.parts());
    let again = graph::read(written.as_bytes()).map(|file| file.parts().clone());
    assert_eq!(again.as_ref(), Ok(file.parts()), "what was written reads: {written}");
    if let Err(error) = file.check(|clip| (clip != "none").then_some(1.0)) {
        let lines = bytes.iter().filter(|b| **b == b'\n').count() + 1;
        assert!((1..=lines).contains(&error.line) && error.column > 0, "{error}");
        return true;
    }
    assert_eq!(GraphParts::read(&file.parts().to_bytes()).as_ref(), Ok(file.parts()));
    play_graph(file.parts())
}

/// Steps of all sizes, with parameters at their ends; a description that is no graph is not played.
fn play_graph(parts: &GraphParts) -> bool {
    let facts = |clip: &str| Some(graphs::facts(clip, parts));
    // A state that is played by motion matching has a database, if that has the tags and clips that are asked for.
    let graph = Graph::with_databases(parts, facts, |_| Ok(Some(play::matched_database().clone())));
    let Ok(graph) = graph.or_else(|_| Graph::new(parts, facts)) else { return true };
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    for (i, dt_s) in [0.0, 0.1, 10.0, 1.0e9, f64::MAX].into_iter().enumerate() {
        for parameter in &parts.parameters {
            if let Ok(key) = graph.float(&parameter.name) {
                state.set(key, [0.0, 1.0, -1.0, f32::MAX, f32::MIN][i]).expect("a finite number");
            }
            if let Ok(key) = graph.trigger(&parameter.name) {
                state.set(key, true).expect("its own");
            }
        }
        graph.update(&mut state, dt_s, &mut frame).expect("a step may be taken");
        assert!(frame.entries().len() <= graph.most_entries());
        assert!(frame.entries().iter().all(|entry| (0.0..=1.0).contains(&entry.weight)));
        let why = graph.why(&state, 0.1, 0).expect("a step may be asked about");
        assert!(why.len() <= 2 * parts.layers.iter().map(|layer| layer.transitions.len()).sum::<usize>());
    }
    assert_eq!(GraphState::read(&graph, &state.to_bytes()).as_ref(), Ok(&state));
    true
}

pub(super) fn world(bytes: &[u8]) -> bool {
    let Ok(world) = World::from_bytes(bytes) else { return false };
    let written = world.to_bytes();
    drop(world);
    let mut world = World::from_bytes(&written).expect("what was written reads");
    assert!(world.to_bytes() == written);
    // Everything moves; then a child goes to another tree, and a tree goes with all that hangs on it.
    let _ = world.update_locals(|_, local| local.position.x += 1.0);
    let before = world.version();
    let changed = world.sync().changed;
    let mut listed = 0;
    world.changed_since(before, |_| listed += 1);
    assert_eq!(listed, changed);
    assert_eq!(world.sync().changed, 0);
    let (first, last) = (world.entities().next(), world.entities().last());
    if let (Some(first), Some(last)) = (first, last) {
        let _ = world.set_parent(last, Some(first), Keep::World);
        world.sync();
        let root = world.root(last).expect("alive");
        let _ = world.hierarchy(root).expect("a root").set_local(last, Qvs::IDENTITY);
        world.despawn(root, Children::Despawn).expect("alive");
    }
    let _ = world.spawn(None, Qvs::IDENTITY);
    world.reorder();
    world.sync();
    true
}

pub(super) fn ozz(bytes: &[u8]) -> bool {
    let Ok(archive) = ozz::read(bytes) else { return false };
    for object in &archive.objects {
        match object {
            OzzObject::Skeleton(skeleton) => play::raw(skeleton, None),
            OzzObject::Animation(animation) | OzzObject::RawAnimation(animation) => {
                animation.validate(animation.tracks.len()).expect("an imported animation is valid");
                play::motion(animation);
            }
            OzzObject::Track(track) => {
                track.validate().expect("an imported track is valid");
                let _ = track.sample(0.4);
            }
            OzzObject::Mesh(mesh) => {
                let joints = &play::stage().mannequin_raw;
                if let Ok(raw) = mesh.to_raw(joints) {
                    raw.validate(joints.joints.len()).expect("a converted mesh is valid");
                }
            }
            _ => {}
        }
    }
    true
}

pub(super) fn bvh(bytes: &[u8]) -> bool {
    let plain = bvh::read(bytes, &BvhOptions::default());
    drop(plain);
    let options = BvhOptions { scale: 0.01, skip_frames: 1, end_sites: true };
    let Ok(file) = bvh::read(bytes, &options) else { return false };
    play::raw(&file.skeleton, file.animation.as_ref());
    drop(file);
    opened(bytes);
    true
}

/// As tools take any file: told by its first bytes, named, in metres, upright, on a skeleton that is its own.
fn opened(bytes: &[u8]) {
    use lissom_build::import as open;
    let options = ImportOptions { unit: Unit::Metres(0.01), up: Some(Axis::Z), ..ImportOptions::default() };
    let path = Path::new("no/such/folder/hostile.bvh");
    let Ok(scene) = open::open_read(path, bytes, &options) else { return };
    let Some(target) = scene.skeletons.into_iter().next() else { return };
    let mut none = |uri: &str| open::read_beside(path, uri, &options.limits);
    let again = open::open_bytes(path, bytes, &mut none, Some(&target), &options);
    assert!(again.is_ok(), "a file fits its own skeleton: {again:?}");
}

pub(super) fn acl_sjson(bytes: &[u8]) -> bool {
    match acl_sjson::read(bytes) {
        Ok(AclFile::Clip(clip)) => play::raw(&clip.skeleton, Some(&clip.animation)),
        Ok(AclFile::Tracks { tracks, .. }) => {
            for track in tracks {
                track.validate().expect("an imported track is valid");
                let _ = track.sample(0.4);
            }
        }
        Ok(_) => {}
        Err(_) => return false,
    }
    true
}

pub(super) fn rawclip(bytes: &[u8]) -> bool {
    let Ok(clip) = rawclip::read(bytes) else { return false };
    play::raw(&clip.skeleton, Some(&clip.animation));
    true
}

pub(super) fn npz(bytes: &[u8]) -> bool {
    let Ok(scene) = lissom_build::import::npz::read(bytes, &ImportLimits::default()) else { return false };
    play::scene(&scene);
    true
}

pub(super) fn lsm(bytes: &[u8]) -> bool {
    as_it_is_and_resealed(bytes, reseal::archive, |bytes| {
        // What unpacking takes is another target's.
        if packed::is_packed(bytes) {
            return false;
        }
        for (strict, clips) in [(false, lsm::Clips::Names), (true, lsm::Clips::Keys)] {
            let _ = lsm::read_with(bytes, &ReadOptions { strict, ..ReadOptions::default() }, clips);
        }
        let Ok(scene) = lsm::read(bytes, &ImportLimits::default()) else { return false };
        play::scene(&scene);
        true
    })
}

/// Read, and done to a clip with everything that edits touch.
pub(super) fn recipe(bytes: &[u8]) -> bool {
    let file = match recipe::read(bytes) {
        Ok(file) => file,
        Err(error) => {
            assert!(error.to_string().len() < 8_000, "a bounded message");
            return false;
        }
    };
    let mut scene = play::edited_scene();
    let asked = Asked { rules: &file.rules, precision_m: 1e-4, shell_m: 0.03, finds_loops: true };
    match edit::follow(&mut scene, asked) {
        Err(error) => assert!(error.to_string().len() < 8_000, "a bounded message"),
        Ok(edited) => {
            assert_eq!(edited.used.len(), file.rules.len());
            let joints = scene.skeletons[0].skeleton.joints.len();
            for clip in &scene.animations {
                clip.motion.validate(joints).expect("an edited motion is valid");
                for track in &clip.tracks {
                    track.validate().expect("an edited track is valid");
                }
                let end = |m: &Marker| m.time_s + m.duration_s;
                assert!(clip.markers.is_sorted_by_key(|m| m.time_s));
                assert!(
                    clip.markers.iter().all(|m| m.time_s >= 0.0 && end(m) <= clip.motion.duration_s + 1e-9)
                );
            }
        }
    }
    true
}

pub(super) fn gltf(bytes: &[u8]) -> bool {
    // Asked of every file before it is read.
    let _ = Format::of_bytes(bytes);
    // Every other file is there, and small.
    let mut files = |_: &str| Ok(vec![0; 64]);
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let whole = gltf::read_with(bytes, &mut files, &strict);
    let Ok(scene) = gltf::read(bytes, &mut files, &ImportLimits::default()) else {
        // What is refused as it is, is refused by whoever refuses more.
        assert!(whole.is_err());
        return false;
    };
    play::scene(&scene);
    true
}

/// The bytes are the file to copy; the motions are its own, so that they find their nodes.
pub(super) fn onto(bytes: &[u8]) -> bool {
    let mut files = |_: &str| Ok(vec![0; 64]);
    let Ok(scene) = gltf::read(bytes, &mut files, &ImportLimits::default()) else { return false };
    let motions = Scene { skeletons: scene.skeletons, animations: scene.animations, ..Scene::default() };
    let Ok((copy, _)) = write_glb_onto(bytes, &mut files, &motions) else { return false };
    // What was written can be read.
    let read = gltf::read(&copy, &mut files, &ImportLimits::default());
    assert!(read.is_ok(), "{read:?}");
    true
}

#[cfg(feature = "fbx")]
pub(super) fn fbx(bytes: &[u8]) -> bool {
    // Every texture is there, and small.
    let mut files = |_: &str| Ok(b"\x89PNG\r\n\x1a\n".to_vec());
    let limits = ImportLimits::default();
    // A motion file's own way: without meshes. It says nothing that the whole file does not.
    let motions = ReadOptions { limits, meshes: false, ..ReadOptions::default() };
    let motions = lissom_build::import::fbx::read_with(bytes, &mut files, &motions);
    let Ok(scene) = lissom_build::import::fbx::read(bytes, &mut files, &limits) else { return false };
    if let Ok(motions) = &motions {
        play::scene(motions);
    }
    play::scene(&scene);
    true
}

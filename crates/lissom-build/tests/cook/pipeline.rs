//! The pipeline: files or bytes in, one archive out, whoever runs it and whoever watches.

use lissom::archive::{AlignedBytes, Archive, SectionKind};
use lissom_build::{
    cook::{ClipBuilder, CookError, Effort},
    export::write_glb,
    import::{ImportError, ImportLimits, ImportOptions, OpenError, Place, lsm},
    mannequin::{self, Detail, Motion},
    pipeline::{
        Cooked, Executor, Input, InputError, Options, Parsed, PipelineError, Plan, Progress, Step, serial,
        unwatched,
    },
    scene::{Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use std::ops::ControlFlow;
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// An arm of three joints that waves; `seed` makes it another one.
fn bvh(seed: u32) -> String {
    let mut text = "HIERARCHY\nROOT hips { OFFSET 0 1 0 CHANNELS 3 Xposition Yposition Zposition\nJOINT arm { OFFSET \
                    0.5 0 0 CHANNELS 3 Zrotation Xrotation Yrotation\nJOINT hand { OFFSET 0.25 0 0 CHANNELS 3 \
                    Zrotation Xrotation Yrotation End Site { OFFSET 0.1 0 0 } } } }\nMOTION\nFrames: 12\nFrame Time: \
                    0.0333333\n"
        .to_owned();
    for frame in 0..12 {
        let wave = |k: u32| f64::from((frame * (k + seed)) % 90) - 45.0;
        text.push_str(&format!("0 1 0 {} 0 0 0 {} 0\n", wave(2), wave(3)));
    }
    text
}

/// A joint that moves along x in a second, and in two clips; its numbers are in `moves.bin`.
const GLTF: &str = r#"{
    "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "box" }],
    "buffers": [{ "byteLength": 32, "uri": "moves.bin" }],
    "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
    "accessors": [
        { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
        { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],
    "animations": [
        { "name": "slide", "samplers": [{ "input": 0, "output": 1 }],
          "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] },
        { "name": "grow", "samplers": [{ "input": 0, "output": 1 }],
          "channels": [{ "sampler": 0, "target": { "node": 0, "path": "scale" } }] }]
}"#;

fn bin(end: f32) -> Vec<u8> {
    [0.0, 1.0, 1.0, 1.0, 1.0, end, 1.0, 1.0_f32].iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn beside(uri: &str) -> Result<Vec<u8>, ImportError> {
    if uri == "moves.bin" {
        return Ok(bin(2.0));
    }
    Err(ImportError::Format { place: Place::Path(uri.into()), reason: "there is no such file".into() })
}

fn options() -> Options<'static> {
    Options { cook: ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() }, ..Options::default() }
}

fn plan() -> Plan {
    Plan::new(options()).unwrap()
}

fn cook(inputs: &[Input<'_>]) -> Cooked {
    plan().cook(inputs, &serial, &mut unwatched).unwrap()
}

/// The inputs of most tests, in memory: three clips.
fn with_inputs<T>(test: impl FnOnce(&[Input<'_>]) -> T) -> T {
    let wave = bvh(1);
    test(&[
        Input::bytes("wave.bvh", wave.as_bytes()),
        Input::bytes("moves.gltf", GLTF.as_bytes()).with_files(&beside),
    ])
}

#[test]
fn bytes_give_the_archive_that_files_give() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pipeline_files");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in
        [("wave.bvh", bvh(1).into_bytes()), ("moves.gltf", GLTF.into()), ("moves.bin", bin(2.0))]
    {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let files = cook(&["wave.bvh", "moves.gltf"].map(|n| Input::file(folder.join(n))));
    let bytes = with_inputs(cook);
    assert_eq!(files.stamp, bytes.stamp, "the folder does not count");
    assert!(files.archive.is_some() && files.archive == bytes.archive);
    let clips = bytes.inputs.iter().flat_map(|r| &r.as_ref().unwrap().clips);
    assert_eq!(clips.map(|c| c.name.as_str()).collect::<Vec<_>>(), ["wave", "slide", "grow"]);
}

#[test]
fn a_parsed_input_is_not_parsed_again_and_gives_the_same_archive() {
    let asked = AtomicUsize::new(0);
    // The file asks for its numbers once per parse.
    let counted = |uri: &str| {
        asked.fetch_add(1, Ordering::Relaxed);
        beside(uri)
    };
    let input = || Input::bytes("moves.gltf", GLTF.as_bytes()).with_files(&counted);
    let onto = |input: Input<'_>| {
        let plan = Plan::new(Options { retarget: Some(input.clone()), ..options() }).unwrap();
        plan.cook(&[input], &serial, &mut unwatched).unwrap()
    };
    let plain = onto(input());
    assert_eq!(asked.swap(0, Ordering::Relaxed), 2, "as the file to cook, and as the one with the skeleton");
    let parsed = Parsed::new(input(), &ImportOptions::default()).unwrap();
    assert!(!parsed.has_meshes());
    let scene = parsed.scene(&ImportOptions::default()).unwrap();
    assert_eq!(scene.animations.len(), 2);
    let cooked = onto(Input::parsed(&parsed));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert_eq!(cooked.stamp, plain.stamp);
    assert!(cooked.archive.is_some() && cooked.archive == plain.archive);
    // Whoever wants to read other things of it gets them.
    let import = ImportOptions { strict: true, ..ImportOptions::default() };
    let strict = Plan::new(Options { import, ..options() }).unwrap();
    strict.cook(&[Input::parsed(&parsed)], &serial, &mut unwatched).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn the_archive_is_the_same_whoever_runs_the_tasks() {
    let backward = |count: usize, task: &(dyn Fn(usize) + Sync)| (0..count).rev().for_each(task);
    let threads = |count: usize, task: &(dyn Fn(usize) + Sync)| {
        std::thread::scope(|s| (0..count).for_each(|i| drop(s.spawn(move || task(i)))));
    };
    let twice = |count: usize, task: &(dyn Fn(usize) + Sync)| (0..2 * count).for_each(|i| task(i / 2));
    with_inputs(|inputs| {
        let first = cook(inputs).archive.unwrap();
        for executor in [&backward as &Executor<'_>, &threads, &twice] {
            let again = plan().cook(inputs, executor, &mut unwatched).unwrap();
            assert_eq!(again.archive.as_deref(), Some(&first[..]));
        }
    });
}

#[test]
fn progress_rises_by_one_and_ends_with_all() {
    with_inputs(|inputs| {
        let mut seen = Vec::new();
        let mut told = |p: Progress<'_>| {
            let step = match p.step {
                Step::Read { input } => format!("read {input}"),
                Step::Cooked { input, clip } => format!("cooked {clip} of {input}"),
                Step::Written => "written".into(),
                other => panic!("{other:?}"),
            };
            seen.push((p.done, p.all, step));
            ControlFlow::Continue(())
        };
        plan().cook(inputs, &serial, &mut told).unwrap();
        let expected = [
            (1, 4, "read wave.bvh"),
            (2, 6, "read moves.gltf"),
            (3, 6, "cooked wave of wave.bvh"),
            (4, 6, "cooked slide of moves.gltf"),
            (5, 6, "cooked grow of moves.gltf"),
            (6, 6, "written"),
        ];
        assert_eq!(seen, expected.map(|(done, all, step)| (done, all, step.to_owned())));

        // On threads, too, calls come one at a time and the counts rise.
        let threads = |count: usize, task: &(dyn Fn(usize) + Sync)| {
            std::thread::scope(|s| (0..count).for_each(|i| drop(s.spawn(move || task(i)))));
        };
        let mut counts = vec![(0, 3)];
        let mut told = |p: Progress<'_>| {
            counts.push((p.done, p.all));
            ControlFlow::Continue(())
        };
        plan().cook(inputs, &threads, &mut told).unwrap();
        assert!(counts.windows(2).all(|w| w[1].0 == w[0].0 + 1 && w[1].1 >= w[0].1), "{counts:?}");
        assert!(counts.iter().rev().skip(1).all(|(done, all)| done < all), "{counts:?}");
        assert_eq!(counts.last(), Some(&(6, 6)));
    });
}

#[test]
fn a_watch_that_breaks_at_any_step_stops_the_rest_and_leaves_nothing() {
    with_inputs(|inputs| {
        for stop in 1..=6 {
            let started = Mutex::new(0);
            let counted = |count: usize, task: &(dyn Fn(usize) + Sync)| {
                *started.lock().unwrap() += count;
                (0..count).for_each(task);
            };
            let mut calls = 0;
            let mut told = |p: Progress<'_>| {
                calls += 1;
                if p.done == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let end = plan().cook(inputs, &counted, &mut told);
            assert!(matches!(end, Err(PipelineError::Cancelled)), "{stop}: {end:?}");
            assert_eq!(calls, stop, "nothing is told after the break");
            // Two inputs to read, then their skins; clips are not even handed out if reading was stopped.
            assert_eq!(*started.lock().unwrap(), if stop <= 2 { 2 } else { 7 }, "{stop}");
        }
    });
}

#[test]
fn what_is_refused_is_named_and_does_not_stop_the_others() {
    let (wave, fast) = (bvh(1), options());
    let cut = &wave.as_bytes()[..wave.len() / 2];
    let inputs = [
        Input::bytes("a/empty.bvh", b""),
        Input::bytes("a/cut.bvh", cut),
        Input::bytes("a/what.is", b"\x00\x01\x02\x03"),
        Input::bytes("a/lonely.gltf", GLTF.as_bytes()),
        Input::file("a/nowhere.bvh"),
        Input::bytes("a/wave.bvh", wave.as_bytes()),
    ];
    let cooked = cook(&inputs);
    let errors: Vec<&InputError> = cooked.inputs.iter().filter_map(|r| r.as_ref().err()).collect();
    assert_eq!(errors.len(), 5);
    for (error, input) in errors.iter().zip(&inputs) {
        let text = error.to_string();
        assert!(text.starts_with(&format!("{}: ", input.name().display())), "{text}");
    }
    assert!(matches!(errors[0], InputError::Open(OpenError::Empty { .. })));
    assert!(matches!(errors[1], InputError::Open(OpenError::Import { .. })));
    assert!(matches!(errors[2], InputError::Open(OpenError::Unknown { .. })));
    assert!(errors[3].to_string().contains("moves.bin: this file is named, but there is no way to read it"));
    assert!(matches!(errors[4], InputError::Open(OpenError::Io { .. })));
    // What is left is as if the others had never been there.
    assert_eq!(cooked.archive, cook(&inputs[5..]).archive);

    let fine = Plan::new(Options { precision: Some(1e-12), ..fast }).unwrap();
    let cooked = fine.cook(&inputs[5..], &serial, &mut unwatched).unwrap();
    assert!(cooked.archive.is_none());
    match cooked.inputs[0].as_ref().unwrap_err() {
        InputError::Cook { name, clip, source: CookError::TooFine { .. } } => {
            assert_eq!((name.to_str(), clip.as_str()), (Some("a/wave.bvh"), "wave"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_executor_that_leaves_a_task_out_is_told_so() {
    let lazy = |count: usize, task: &(dyn Fn(usize) + Sync)| (1..count).for_each(task);
    with_inputs(|inputs| {
        let cooked = plan().cook(inputs, &lazy, &mut unwatched).unwrap();
        let error = cooked.inputs[0].as_ref().unwrap_err().to_string();
        assert_eq!(error, "wave.bvh: internal error, please report it: the executor left a task out");
    });
}

#[test]
fn the_skeleton_of_another_file_is_read_once_and_may_be_bytes() {
    let (body, wave) = (bvh(1).replace("JOINT hand", "JOINT paw"), bvh(2));
    let skeleton = Some(Input::bytes("body.bvh", body.as_bytes()));
    let plan = Plan::new(Options { skeleton, ..options() }).unwrap();
    let inputs = [Input::bytes("wave.bvh", wave.as_bytes())];
    let cooked = plan.cook(&inputs, &serial, &mut unwatched).unwrap();
    let warnings = &cooked.inputs[0].as_ref().unwrap().warnings;
    assert!(warnings.iter().any(|w| w.text.contains("hand")), "{warnings:?}");
    // It counts by its bytes.
    let archive = AlignedBytes::copy_of(&cooked.archive.unwrap());
    assert!(plan.is_unchanged(&archive, &inputs));
    let other = body.replace("0.25", "0.26");
    let skeleton = Some(Input::bytes("body.bvh", other.as_bytes()));
    assert!(!Plan::new(Options { skeleton, ..options() }).unwrap().is_unchanged(&archive, &inputs));

    let none = Some(Input::bytes("none.gltf", br#"{ "asset": { "version": "2.0" } }"#));
    let error = Plan::new(Options { skeleton: none, ..options() }).unwrap_err();
    assert!(matches!(error, OpenError::NoSkeleton { .. }), "{error}");
    let import = ImportOptions { rate_hz: Some(-1.0), ..ImportOptions::default() };
    assert!(matches!(Plan::new(Options { import, ..options() }), Err(OpenError::Option(_))));
}

#[test]
fn an_archive_is_unchanged_until_a_file_or_an_option_changes() {
    with_inputs(|inputs| {
        let archive = AlignedBytes::copy_of(&cook(inputs).archive.unwrap());
        assert!(plan().is_unchanged(&archive, inputs));
        let others = [
            Options { clips: vec!["slide".into()], ..options() },
            Options { precision: Some(1e-4), ..options() },
            Options {
                import: ImportOptions { rate_hz: Some(30.0), ..ImportOptions::default() },
                ..options()
            },
        ];
        for other in others {
            assert!(!Plan::new(other).unwrap().is_unchanged(&archive, inputs));
        }
        let wave = bvh(2);
        let changed = Input::bytes("wave.bvh", wave.as_bytes());
        let renamed = inputs[0].clone().recorded_as("clips/wave.bvh");
        let moved = |_: &str| Ok(bin(3.0));
        let other_bin = inputs[1].clone().with_files(&moved);
        assert!(!plan().is_unchanged(&archive, &[changed, inputs[1].clone()]));
        assert!(!plan().is_unchanged(&archive, &[renamed, inputs[1].clone()]));
        assert!(
            !plan().is_unchanged(&archive, &[inputs[0].clone(), other_bin]),
            "files that are named count"
        );
        assert!(!plan().is_unchanged(&archive, &inputs[..1]), "one file fewer");
        assert!(!plan().is_unchanged(&AlignedBytes::copy_of(b"no archive"), inputs));
    });
}

#[test]
fn a_skeleton_and_motions_given_together_belong_together() {
    // The motions have two tracks each, and no names.
    let ozz = lissom_testkit::ozz::archives(false);
    let (big, animation, raw) = (&ozz[0], &ozz[1], &ozz[3]);
    let skeleton =
        b"HIERARCHY ROOT a { OFFSET 0 1 0 CHANNELS 0 JOINT b { OFFSET 0 1 0 CHANNELS 0 End Site { \
                     OFFSET 0 1 0 } } } MOTION Frames: 0 Frame Time: 0.1";
    let inputs = [
        Input::bytes("walk.ozz", animation),
        Input::bytes("big.ozz", big),
        Input::bytes("skeleton.bvh", skeleton),
        Input::bytes("run.ozz", raw),
    ];
    let cooked = cook(&inputs);
    let names: Vec<_> =
        cooked.inputs.iter().flat_map(|r| &r.as_ref().unwrap().clips).map(|c| c.name.clone()).collect();
    assert_eq!(names, ["turn", "raw"]);
    let archive = Archive::read(&cooked.archive.unwrap()).unwrap();
    assert_eq!(archive.skeletons().count(), 2, "each stands once");
    for (name, clip) in archive.clips() {
        assert!(archive.skeleton_of(&clip.unwrap()).is_ok(), "{name}");
    }
    // Alone it has none, and beside one of another size it fits nowhere.
    let alone = cook(&[Input::bytes("walk.ozz", animation)]);
    assert!(matches!(alone.inputs[0], Err(InputError::NoSkeleton { .. })));
    let wave = bvh(1);
    let odd = cook(&[Input::bytes("wave.bvh", wave.as_bytes()), Input::bytes("walk.ozz", animation)]);
    let error = odd.inputs[1].as_ref().unwrap_err().to_string();
    assert!(error.contains("cannot be matched by place"), "{error}");
}

#[test]
fn a_character_that_every_motion_brings_along_stands_once() {
    let detail = Detail { body_m: 0.04, hand_m: 0.012 };
    let file = |motion| {
        let animation =
            SceneAnimation { skeleton: Some(0), motion: mannequin::clip(motion), ..Default::default() };
        let scene = Scene {
            skeletons: vec![SceneSkeleton { skeleton: mannequin::skeleton(), ..Default::default() }],
            animations: vec![animation],
            meshes: vec![SceneMesh { mesh: mannequin::mesh(&detail).unwrap(), ..Default::default() }],
            ..Default::default()
        };
        write_glb(&scene).unwrap()
    };
    let (walk, run) = (file(Motion::Walk), file(Motion::Run));
    let cooked = cook(&[Input::bytes("walk.glb", &walk), Input::bytes("run.glb", &run)]);
    let meshes: Vec<_> = cooked.inputs.iter().map(|r| r.as_ref().unwrap().meshes).collect();
    assert_eq!(meshes, [1, 0]);
    let archive = Archive::read(&cooked.archive.unwrap()).unwrap();
    assert_eq!((archive.clips().count(), archive.names(SectionKind::Mesh).count()), (2, 1));
}

#[test]
fn an_archive_imported_again_keeps_its_clips_byte_by_byte() {
    let file = {
        let animation = |motion| SceneAnimation {
            skeleton: Some(0),
            motion: mannequin::clip(motion),
            ..Default::default()
        };
        let scene = Scene {
            skeletons: vec![SceneSkeleton { skeleton: mannequin::skeleton(), ..Default::default() }],
            animations: vec![animation(Motion::Walk), animation(Motion::Wave)],
            ..Default::default()
        };
        write_glb(&scene).unwrap()
    };
    let clips = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let archive = Archive::read(bytes).unwrap();
        archive.clips().map(|(_, clip)| clip.unwrap().as_bytes().to_vec()).collect()
    };
    let first = cook(&[Input::bytes("hero.glb", &file)]).archive.unwrap();
    let again = cook(&[Input::bytes("hero.lsm", &first)]);
    let report = again.inputs[0].as_ref().unwrap();
    assert!(report.clips.iter().all(|c| c.cook.within && c.cook.rounds == 0));
    assert_eq!(clips(&first), clips(&again.archive.unwrap()));
    // With other options it is cooked again.
    let coarse = Options { precision: Some(1e-3), ..options() };
    let coarse =
        Plan::new(coarse).unwrap().cook(&[Input::bytes("hero.lsm", &first)], &serial, &mut unwatched);
    let coarse = coarse.unwrap();
    let report = coarse.inputs[0].as_ref().unwrap();
    assert_eq!(report.copied, 0);
    let told = "2 of 2 clips were cooked again: their errors are against this archive, not against what it was made of";
    assert!(report.warnings.iter().any(|w| w.text == told), "{:?}", report.warnings);
    let coarse = clips(&coarse.archive.unwrap());
    assert!(clips(&first).iter().zip(&coarse).all(|(fine, coarse)| coarse.len() < fine.len()));
    // Whatever it was made with: nobody asks for other clips, or for finer ones, which cannot be made of these.
    let with = |options: Options<'static>, file: &Input<'_>| {
        Plan::new(options).unwrap().cook(std::slice::from_ref(file), &serial, &mut unwatched).unwrap()
    };
    let asked = Options { precision: Some(2e-4), ..options() };
    let asked = with(asked, &Input::bytes("hero.glb", &file)).archive.unwrap();
    for precision in [None, Some(2e-4), Some(1e-4)] {
        let again = with(Options { precision, ..options() }, &Input::bytes("hero.lsm", &asked));
        assert_eq!(again.inputs[0].as_ref().unwrap().copied, 2, "{precision:?}");
        assert_eq!(clips(&asked), clips(&again.archive.unwrap()), "{precision:?}");
    }
}

#[test]
fn an_export_imported_again_is_hardly_larger() {
    for motion in [Motion::Walk, Motion::Wave, Motion::Run] {
        let scene = |motion| Scene {
            skeletons: vec![SceneSkeleton { skeleton: mannequin::skeleton(), ..Default::default() }],
            animations: vec![SceneAnimation { skeleton: Some(0), motion, ..Default::default() }],
            ..Default::default()
        };
        let source = write_glb(&scene(mannequin::clip(motion))).unwrap();
        let size = |cooked: &Cooked| cooked.inputs[0].as_ref().unwrap().clips[0].cook.bytes;
        let first = cook(&[Input::bytes("hero.glb", &source)]);
        let read = lsm::read(first.archive.as_ref().unwrap(), &ImportLimits::default()).unwrap();
        let export = write_glb(&read).unwrap();
        assert!(export.len() <= source.len() * 11 / 10, "{} became {} bytes", source.len(), export.len());
        let second = cook(&[Input::bytes("again.glb", &export)]);
        let (a, b) = (size(&first), size(&second));
        assert!(b * 100 <= a * 105, "{motion:?}: {a} bytes became {b}");
    }
}

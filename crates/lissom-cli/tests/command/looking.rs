//! `lissom inspect`, `sample`, `diff`, `export`, `completions` and `help`.

use crate::common::{bad, bvh, folder, good, json, mannequin, moving_glb, text, warned, write};
use lissom::{
    Cursor, Skeleton,
    archive::{AlignedBytes, ArchiveView, Limits, SectionKind},
    job::{LocalToModelJob, Models, SampleJob, SampleTime, Update},
    math::{
        Mat4, Transform,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{
    exact::{M34, Q4, Trs, V3},
    export::write_glb,
    mesh::material::{Image, Material, Texture, TextureUse},
    mesh::{Influences, RawMesh},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, TrackKind, UserKey},
    scene::{Morph, Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};

#[test]
fn inspect_shows_joints_clips_meshes_and_sections() {
    let root = folder("inspect");
    let model = mannequin(&root);
    let shown = good(&["inspect", &model]);
    for word in ["glTF", "m high", "skeleton 0", "     ├─ spine_01", "walk", "mannequin", "triangles"] {
        assert!(shown.contains(word), "{word} is missing from:\n{shown}");
    }
    let cooked = text(&root.join("m.lsm"));
    good(&["import", &model, "--clip", "walk", "--clip", "idle", "--effort", "fast", "-o", &cooked]);
    let shown = good(&["inspect", &cooked]);
    for word in ["lsm", "SKEL", "MESH", "CLIP", "STMP", "offset", "walk"] {
        assert!(shown.contains(word), "{word} is missing from:\n{shown}");
    }
    let report = json(&good(&["inspect", &cooked, "--json"]));
    assert_eq!(report["clips"].as_array().unwrap().len(), 2);
    assert!((1.5..2.0).contains(&report["height_m"].as_f64().unwrap()));
    let walk = &report["clips"][0];
    assert!(walk["bytes"].as_u64().unwrap() > 1000 && walk["looping"] == true, "{walk}");
    // Root and branches, and how many joints move: the same from the source and from the archive.
    let moving =
        |file: &str| json(&good(&["inspect", file, "--json"]))["skeletons"][0]["moving_joints"].clone();
    assert!(moving(&cooked).as_u64().unwrap() > 20, "{}", moving(&cooked));
    let slide = write(root.join("slide.glb"), moving_glb(2.0));
    let shown = good(&["inspect", &slide]);
    assert!(shown.contains("skeleton 0: 1 joint, 1 of them move\n  box\n"), "{shown}");
    assert!(!shown.contains("\"\""), "what has no name is not called \"\"");
}

#[test]
fn sample_gives_the_pose_in_both_spaces_from_source_and_archive() {
    let root = folder("sample");
    let model = write(root.join("slide.glb"), moving_glb(2.0));
    let cooked = text(&root.join("slide.lsm"));
    good(&["import", &model, "-o", &cooked]);
    for file in [&model, &cooked] {
        let pose =
            json(&good(&["sample", file, "--clip", "slide", "--time", "0.5", "--space", "local", "--json"]));
        assert_eq!((&pose["clip"], &pose["time_s"]), (&"slide".into(), &0.5.into()));
        let joint = pose["joints"][0].as_object().unwrap();
        let keys: Vec<&str> = joint.keys().map(String::as_str).collect();
        assert_eq!(keys, ["name", "parent", "rotation", "scale", "translation"]);
        assert_eq!((&joint["name"], &joint["parent"]), (&"box".into(), &serde_json::Value::Null));
        assert!((joint["translation"][0].as_f64().unwrap() - 1.0).abs() < 1e-4);
        assert_eq!(joint["rotation"], serde_json::json!([0.0, 0.0, 0.0, 1.0]));
        let pose = json(&good(&["sample", file, "--time", "9", "--space", "model", "--json"]));
        assert_eq!(pose["time_s"], 1.0, "times outside are the ends");
        let matrix: Vec<f64> =
            pose["joints"][0]["matrix"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert_eq!(matrix.len(), 16);
        assert!((matrix[12] - 2.0).abs() < 1e-4 && matrix[0] == 1.0 && matrix[15] == 1.0);
        let table = good(&["sample", file, "--clip", "0"]);
        assert!(table.starts_with("slide at 0.0000 s, 1 joint\n"), "{table}");
        assert!(table.lines().nth(1).unwrap().contains("rotation x y z w"), "{table}");
        let table = good(&["sample", file, "--time", "9", "--space", "model"]);
        assert!(table.starts_with("slide at 1.0000 s (its end), 1 joint\n"), "{table}");
        let table = good(&["sample", file, "--time", "-1"]);
        assert!(table.starts_with("slide at 0.0000 s (its start), 1 joint\n"), "{table}");
        let table = good(&["sample", file, "--time", "0"]);
        assert!(table.starts_with("slide at 0.0000 s, 1 joint\n"), "{table}");
    }
    let (_, error) = bad(1, &["sample", &model, "--clip", "nobody"]);
    assert!(error.contains("there is no clip \"nobody\"; there are 1: \"slide\""), "{error}");
    bad(2, &["sample", &model, "--time", "NaN"]);
    bad(2, &["sample", &model, "--space", "outer"]);
}

#[test]
fn diff_measures_what_cooking_cost_and_can_insist() {
    let root = folder("diff");
    let walk = write(root.join("walk.bvh"), bvh(1, 40));
    let cooked = text(&root.join("walk.lsm"));
    good(&["import", &walk, "-o", &cooked]);
    let report = json(&good(&["diff", &walk, &cooked, "--json", "--within", "0.1mm"]));
    let clip = &report["clips"][0];
    let (worst, mean) = (clip["worst_m"].as_f64().unwrap(), clip["mean_m"].as_f64().unwrap());
    assert!(worst <= 1e-4 && mean <= worst && worst > 0.0, "{clip}");
    assert_eq!(clip["joints"], 3);
    let table = good(&["diff", &walk, &cooked]);
    assert!(table.contains("worst") && table.contains("walk") && table.contains(" mm"), "{table}");
    let (_, error) = bad(1, &["diff", &walk, &cooked, "--within", "0.000001mm"]);
    assert!(error.starts_with("lissom: clip \"walk\" differs by "), "{error}");

    let slow = write(root.join("other.bvh"), bvh(2, 30).replace("JOINT hand", "JOINT paw"));
    let table = good(&["diff", &walk, &slow]);
    assert!(table.contains("joints only in") && table.contains("hand") && table.contains("paw"), "{table}");
    let slide = write(root.join("slide.glb"), moving_glb(1.0));
    let (_, error) = bad(1, &["diff", &walk, &slide]);
    assert!(error.contains("the files have no joint of the same name"), "{error}");
    let both = text(&root.join("both.lsm"));
    good(&["import", &walk, &slow, "-o", &both]);
    let (_, error) = bad(1, &["diff", &both, &slide]);
    assert!(error.contains("have no clip of the same name") && error.contains("--clip-b NAME"), "{error}");
    // One name each; a file with one clip needs none.
    let renamed = text(&root.join("renamed.lsm"));
    good(&["import", &walk, &slow, "-o", &renamed, "--name", "my_*"]);
    good(&["diff", &both, &renamed, "--clip", "walk", "--clip-b", "my_walk", "--within", "0.2mm"]);
    bad(1, &["diff", &both, &renamed, "--clip", "walk", "--clip-b", "my_other", "--within", "0.2mm"]);
    let alone = write(root.join("alone.bvh"), bvh(1, 40));
    good(&["diff", &both, &alone, "--clip", "walk", "--within", "0.2mm"]);
}

#[test]
fn gltf_to_archive_to_gltf_stays_within_the_precision() {
    let root = folder("round_trip");
    let model = mannequin(&root);
    let (cooked, back) = (text(&root.join("m.lsm")), text(&root.join("back.glb")));
    let clips = ["--clip", "walk", "--clip", "turn"];
    good(&[&["import", &model, "-o", &cooked, "--effort", "fast"][..], &clips].concat());
    good(&["diff", &model, &cooked, "--within", "0.1mm"]);
    let line = good(&["export", &cooked, "-o", &back]);
    assert!(line.contains("1 mesh, 2 animations"), "{line}");
    // The keys of the file are f32, and straight between.
    let report = json(&good(&["diff", &model, &back, "--json", "--within", "0.12mm"]));
    assert_eq!(report["clips"].as_array().unwrap().len(), 2);
    let shown = json(&good(&["inspect", &back, "--json"]));
    let was = json(&good(&["inspect", &model, "--json"]));
    assert_eq!(shown["meshes"][0]["vertices"], was["meshes"][0]["vertices"]);
    assert!((shown["height_m"].as_f64().unwrap() - was["height_m"].as_f64().unwrap()).abs() < 1e-4);
    // Cooked again, within twice the precision of the first.
    let again = text(&root.join("again.lsm"));
    good(&["import", &back, "-o", &again, "--effort", "fast"]);
    good(&["diff", &model, &again, "--within", "0.25mm"]);
    good(&["export", &model, "-o", &back, "--clip", "walk"]);
    good(&["diff", &model, &back, "--clip", "walk", "--within", "0.001mm"]);
}

#[test]
fn help_and_completions_are_worth_reading() {
    let help = good(&["help"]);
    for word in
        ["Exit codes", "Examples", "import", "inspect", "check", "sample", "diff", "export", "NO_COLOR"]
    {
        assert!(help.contains(word), "{word} is missing from:\n{help}");
    }
    for command in ["import", "inspect", "check", "sample", "diff", "export"] {
        let help = good(&["help", command]);
        assert!(help.contains("--json") || command == "export", "{help}");
    }
    assert!(good(&["help", "import"]).contains("lissom.toml says how files are read and clips are cooked"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(good(&["completions", shell]).contains("lissom"));
    }
    bad(2, &["completions", "cmd"]);
    let manual = folder("manual").join("man1");
    assert!(good(&["man", &text(&manual)]).contains("pages"));
    for (page, words) in [
        ("lissom", "SYNOPSIS"),
        ("lissom-import", "\\-\\-precision"),
        ("lissom-graph-new", "lissom graph new"),
    ] {
        let text = std::fs::read_to_string(manual.join(format!("{page}.1"))).unwrap();
        assert!(text.starts_with(".ie") && text.contains(words), "{page}: {text}");
    }
    bad(2, &["import"]);
}

#[test]
fn model_space_is_what_local_to_model_computes_bit_by_bit() {
    let root = folder("sample_model");
    let model = mannequin(&root);
    let cooked = text(&root.join("m.lsm"));
    good(&["import", &model, "--clip", "run", "--effort", "fast", "-o", &cooked]);
    let sampled = |file: &str, space: &str| {
        json(&good(&["sample", file, "--clip", "run", "--time", "0.37", "--space", space, "--json"]))
    };
    let numbers = |joint: &serde_json::Value, key: &str| -> Vec<f64> {
        joint[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    let matrices = |file: &str| -> Vec<u32> {
        let pose = sampled(file, "model");
        let joints = pose["joints"].as_array().unwrap();
        joints.iter().flat_map(|j| numbers(j, "matrix")).map(|v| (v as f32).to_bits()).collect()
    };

    // Cooked: sampled and composed as a game does it.
    let bytes = AlignedBytes::copy_of(&std::fs::read(&cooked).unwrap());
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let skeleton = archive.first(SectionKind::Skeleton).and_then(|s| s.skeleton(&Limits::default())).unwrap();
    let clip = archive.clip("run").unwrap();
    let mut pose = skeleton.rest_pose().to_vec();
    let (mut cursor, time) = (Cursor::new(), SampleTime::Clamped(0.37));
    let (cursor, output) = (&mut cursor, &mut pose);
    SampleJob { skeleton: &skeleton, clip: clip.view(), time, lod: None, cursor, output }.run().unwrap();
    assert_eq!(matrices(&cooked), composed(&skeleton, &pose));

    // Authored: the exact locals as f32, then the same.
    let locals = sampled(&model, "local");
    let locals: Vec<Transform> = locals["joints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|j| {
            let [t, r, s] = ["translation", "rotation", "scale"].map(|key| numbers(j, key));
            Trs {
                translation: V3::new(t[0], t[1], t[2]),
                rotation: Q4 { x: r[0], y: r[1], z: r[2], w: r[3] },
                scale: V3::new(s[0], s[1], s[2]),
            }
            .to_f32()
        })
        .collect();
    assert_eq!(matrices(&model), composed(&skeleton, &soa::from_transforms(&locals)));
}

/// The bits of what the job computes.
fn composed(skeleton: &Skeleton, locals: &[SoaTransform]) -> Vec<u32> {
    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    let output = Models::Mat4(&mut models);
    LocalToModelJob { skeleton, locals, root: None, update: Update::All, lod: None, models: output }
        .run()
        .unwrap();
    models.iter().flat_map(Mat4::to_cols_array).map(f32::to_bits).collect()
}

/// A face on nine joints: one triangle with a picture, and so many morph targets that all move.
fn face(targets: usize) -> Scene {
    let joint = |i: usize| RawJoint { name: format!("j{i}"), parent: i.checked_sub(1), ..Default::default() };
    let weights: Vec<f32> = (1..=9).rev().map(|w| w as f32 / 45.0).collect();
    let mesh = RawMesh {
        name: "face".into(),
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        uvs: vec![vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]],
        influences: Influences {
            each: 9,
            joints: [0, 1, 2, 3, 4, 5, 6, 7, 8].repeat(3),
            weights: weights.repeat(3),
        },
        indices: vec![0, 1, 2],
        inverse_binds: vec![M34::IDENTITY; 9],
        ..Default::default()
    };
    let morph = |i: usize| Morph {
        name: format!("shape_{i}"),
        positions: vec![[0.0, 0.1, 0.0]; 3],
        ..Default::default()
    };
    let key = |ratio: f64| UserKey { ratio, value: [ratio, 0.0, 0.0, 0.0], step: false };
    let track = |i: usize| RawUserTrack {
        name: format!("morph/face/shape_{i}"),
        kind: TrackKind::Float,
        keys: vec![key(0.0), key(1.0)],
    };
    let nod = RawTrack {
        translation: Channel::new(Curve::Linear, [(0.0, V3::ZERO), (1.0, V3::X)]),
        ..Default::default()
    };
    let picture = Texture { images: vec![(String::new(), 0)], ..Default::default() };
    let used = TextureUse { texture: 0, uv_set: 0, transform: None };
    Scene {
        skeletons: vec![SceneSkeleton {
            skeleton: RawSkeleton { joints: (0..9).map(joint).collect() },
            ..Default::default()
        }],
        animations: vec![SceneAnimation {
            skeleton: Some(0),
            motion: RawAnimation {
                name: "talk".into(),
                duration_s: 1.0,
                tracks: [vec![nod], vec![RawTrack::default(); 8]].concat(),
                ..Default::default()
            },
            tracks: (0..targets).map(track).collect(),
            ..Default::default()
        }],
        meshes: vec![SceneMesh {
            mesh,
            morphs: (0..targets).map(morph).collect(),
            material: Some(0),
            ..Default::default()
        }],
        materials: vec![Material {
            textures: vec![picture],
            base_color_texture: Some(used),
            ..Default::default()
        }],
        images: vec![Image {
            name: "skin".into(),
            mime_type: "image/png".into(),
            bytes: b"\x89PNG\r\n\x1a\nnot all of it".to_vec(),
        }],
        ..Default::default()
    }
}

#[test]
fn a_face_with_hundreds_of_tracks_is_told_in_short() {
    let root = folder("inspect_face");
    let model = write(root.join("face.glb"), write_glb(&face(300)).unwrap());
    let cooked = text(&root.join("face.lsm"));
    good(&["import", &model, "-o", &cooked]);
    for file in [&model, &cooked] {
        let short = good(&["inspect", file]);
        assert!(short.lines().count() < 60, "{} lines:\n{short}", short.lines().count());
        assert!(short.contains("288 more tracks") && short.contains("--all"), "{short}");
        let whole = good(&["inspect", file, "--all"]);
        assert!(whole.lines().count() > 300 && whole.contains("shape_299"), "{whole}");
        let report = json(&good(&["inspect", file, "--json"]));
        assert_eq!(report["clips"][0]["tracks"].as_array().unwrap().len(), 300, "data is never cut");
    }
}

#[test]
fn what_is_left_out_on_demand_is_left_out_of_an_archive_too() {
    let root = folder("export_without");
    let model = write(root.join("face.glb"), write_glb(&face(2)).unwrap());
    let cooked = text(&root.join("face.lsm"));
    good(&["import", &model, "-o", &cooked]);
    for file in [&model, &cooked] {
        let export = |options: &[&str]| {
            let out = root.join("out.glb");
            let (_, warnings) = warned(&[&["export", file, "-o", &text(&out)][..], options].concat());
            let bytes = std::fs::read(&out).unwrap();
            let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
            (json(std::str::from_utf8(&bytes[20..20 + length]).unwrap()), warnings)
        };
        let (whole, _) = export(&[]);
        assert_eq!(
            (whole["images"].as_array().unwrap().len(), whole["meshes"].as_array().unwrap().len()),
            (1, 1)
        );
        let primitive = |json: &serde_json::Value| json["meshes"][0]["primitives"][0]["attributes"].clone();
        assert!(primitive(&whole)["JOINTS_2"].is_number(), "{whole}");
        let (bare, _) = export(&["--no-mesh"]);
        for part in ["meshes", "materials", "images", "textures", "skins"] {
            assert!(bare[part].is_null(), "{file}: {part}: {bare}");
        }
        assert_eq!(bare["animations"].as_array().unwrap().len(), 1);
        let (plain, _) = export(&["--no-images"]);
        assert!(plain["images"].is_null() && plain["materials"][0].is_object(), "{file}: {plain}");
        let (four, warnings) = export(&["--influences", "4"]);
        assert!(primitive(&four)["JOINTS_0"].is_number() && primitive(&four)["JOINTS_1"].is_null(), "{four}");
        assert!(warnings.contains("33.3 %"), "{file}: {warnings}");
    }
}

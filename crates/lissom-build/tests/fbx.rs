//! FBX files made by the test kit, and what comes out of them.

use lissom_build::{
    exact::V3,
    import::{ImportError, ImportLimits, Place, ReadOptions, fbx},
    mesh::{material::AlphaMode, model_matrices},
    raw::Curve,
    scene::Scene,
};
use lissom_testkit::fbx::{Cluster, Driven, SECOND, Writer, figure};

fn none(uri: &str) -> Result<Vec<u8>, ImportError> {
    let reason = "there is no such file".into();
    Err(ImportError::Format { place: Place::Path(uri.into()), reason })
}

fn read(bytes: &[u8]) -> Result<Scene, ImportError> {
    limited(bytes, &ImportLimits::default())
}

fn limited(bytes: &[u8], limits: &ImportLimits) -> Result<Scene, ImportError> {
    fbx::read(bytes, &mut { none }, limits)
}

fn warnings(scene: &Scene) -> Vec<String> {
    scene.warnings.iter().map(ToString::to_string).collect()
}

fn near(a: V3, b: V3) -> bool {
    (a - b).length() < 1e-6
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.skeletons[0].skeleton.joints.iter().map(|j| j.name.as_str()).collect()
}

#[test]
fn axes_become_y_up_and_lengths_metres() {
    let scene = read(&figure()).unwrap();
    assert_eq!(names(&scene), ["hips", "body", "head", "hat"]);
    let skeleton = &scene.skeletons[0].skeleton;
    let rest: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(skeleton, &rest);
    assert!(near(models[0].columns[3], V3::new(0.0, 1.0, 0.0)), "{:?}", models[0]);
    assert!(near(models[2].columns[3], V3::new(0.0, 1.5, 0.0)));
    // Nothing is scaled.
    for model in &models {
        assert!(model.columns[..3].iter().all(|c| (c.length() - 1.0).abs() < 1e-9));
    }
}

#[test]
fn skins_bind_in_the_rest_pose_and_follow_their_bones() {
    let scene = read(&figure()).unwrap();
    let skeleton = &scene.skeletons[0].skeleton;
    let mesh = &scene.meshes[0].mesh;
    assert_eq!((mesh.name.as_str(), mesh.positions.len(), mesh.triangle_count()), ("body", 3, 1));
    let top = mesh.positions.iter().position(|p| p[1] > 1.2).unwrap();
    assert_eq!(mesh.influences.of(top).collect::<Vec<_>>(), [(2, 0.75), (0, 0.25)]);
    let mut locals: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
    let (rest, normals) = mesh.skin(&model_matrices(skeleton, &locals));
    for (a, b) in rest.iter().zip(&mesh.positions) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?} {b:?}");
    }
    // The triangle's front was towards -y, which is now +z.
    assert!(normals.iter().all(|n| n[2] > 0.999), "{normals:?}");
    locals[0].translation = locals[0].translation + V3::new(3.0, 0.0, 0.0);
    let (moved, _) = mesh.skin(&model_matrices(skeleton, &locals));
    assert!((moved[top][0] - rest[top][0] - 3.0).abs() < 1e-5);
    // A mesh without a skin follows its node.
    let hat = &scene.meshes[1].mesh;
    assert!((0..hat.positions.len()).all(|v| hat.influences.of(v).eq([(3, 1.0)])));
    assert!(hat.positions.iter().all(|p| (p[1] - 1.5).abs() < 0.06));
}

#[test]
fn stacks_start_at_0_and_end_where_they_say() {
    let scene = read(&figure()).unwrap();
    let [nod, blink] = &scene.animations[..] else { panic!("{:?}", scene.animations.len()) };
    assert_eq!((nod.motion.name.as_str(), nod.motion.duration_s), ("nod", 1.0));
    let keys = &nod.motion.tracks[0].translation.keys;
    let first = keys.first().unwrap();
    let last = keys.last().unwrap();
    assert_eq!((first.time_s, last.time_s), (0.0, 1.0));
    assert!(near(first.value, V3::new(0.5, 1.0, 0.0)) && near(last.value, V3::new(1.0, 1.0, 0.0)));
    assert!(nod.motion.tracks[2].rotation.keys.is_empty(), "what rests has no keys");

    assert_eq!((blink.motion.name.as_str(), blink.motion.duration_s), ("blink", 1.0));
    let scale = &blink.motion.tracks[2].scale;
    assert_eq!(scale.curve, Curve::Step);
    let sampled = [0.0, 0.49, 0.5, 0.75, 1.0].map(|t| scale.sample(t).unwrap().x);
    assert_eq!(sampled, [1.0, 1.0, 2.0, 2.0, 1.0]);
}

#[test]
fn blend_shapes_are_morphs_and_their_weights_tracks() {
    let scene = read(&figure()).unwrap();
    let [smile] = &scene.meshes[0].morphs[..] else { panic!() };
    assert_eq!((smile.name.as_str(), smile.weight), ("smile", 0.25));
    let moved: Vec<_> = smile.positions.iter().filter(|p| **p != [0.0; 3]).collect();
    // -20 cm along y is +20 cm along z.
    assert!(moved.len() == 1 && (moved[0][2] - 0.2).abs() < 1e-6, "{moved:?}");
    let [track] = &scene.animations[0].tracks[..] else { panic!() };
    assert_eq!(track.name, "morph/body/smile");
    assert!((track.sample(0.5)[0] - 0.5).abs() < 1e-9);
    assert!(scene.animations[1].tracks.is_empty());
}

#[test]
fn names_are_made_unique_and_weak_influences_are_left_out_with_a_warning() {
    let mut w = Writer::default();
    for i in 0..6 {
        w.bone(100 + 10 * i, "bone", 0, [i as f64, 0.0, 0.0]);
    }
    w.model(200, "body", "Mesh", "");
    w.connect(200, 0);
    w.mesh(210, "body", 200, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], &[[0, 1, 2]]);
    let weights = [(0, 0.1), (1, 1.0)];
    let clusters: Vec<_> = (0..6)
        .map(|i| Cluster {
            bone: 100 + 10 * i,
            weights: &weights[..if i == 0 { 2 } else { 1 }],
            stood_at: [i as f64, 0.0, 0.0],
        })
        .collect();
    w.skin(300, 210, &clusters);
    let scene = read(&w.finish(false, 100.0)).unwrap();
    assert_eq!(names(&scene), ["bone", "bone_2", "bone_3", "bone_4", "bone_5", "bone_6", "body"]);
    let text: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    assert!(text.iter().any(|t| t.contains("5 nodes have the name of another")), "{text:?}");
    assert!(text.iter().any(|t| t.contains("1 vertices have no weights")), "{text:?}");
    let mesh = &scene.meshes[0].mesh;
    let influences = &mesh.influences;
    let of = |v: usize| influences.of(v).filter(|(_, w)| *w > 0.0).collect::<Vec<_>>();
    let sum = |v: usize| of(v).iter().map(|(_, w)| w).sum::<f32>();
    assert!((0..influences.vertex_count()).all(|v| (sum(v) - 1.0).abs() < 1e-6));
    assert_eq!(influences.each, 6, "all six bones of the one that follows most");
    // The vertex without weights follows the mesh's node.
    assert!((0..influences.vertex_count()).any(|v| of(v) == [(6, 1.0)]));
}

#[test]
fn what_is_wrong_is_named() {
    for not in [&b""[..], b"glTF\x02\0\0\0 and more of it", b"HIERARCHY\nROOT a {", &[0; 100]] {
        assert_eq!(read(not).unwrap_err().to_string(), "byte 0: this is not an FBX file");
    }
    let good = figure();
    let mut small = ImportLimits::default();
    small.max_bytes = 10;
    assert!(matches!(limited(&good, &small), Err(ImportError::Limit { .. })));
    let mut small = ImportLimits::default();
    small.max_joints = 3;
    let error = limited(&good, &small).unwrap_err();
    assert_eq!(error.to_string(), "the file: the count of joints is 4, but at most 3 is possible");
    let mut small = ImportLimits::default();
    (small.memory_factor, small.memory_extra) = (0, 100_000);
    let error = limited(&good, &small).unwrap_err();
    assert!(error.to_string().contains("the memory that reading takes"), "{error}");
}

#[test]
fn a_chain_that_is_too_deep_and_a_cycle_are_refused_or_cut() {
    let mut w = Writer::default();
    for i in 0..2000 {
        w.bone(100 + 10 * i, "bone", if i == 0 { 0 } else { 90 + 10 * i }, [0.0, 1.0, 0.0]);
    }
    let bytes = w.finish(false, 1.0);
    assert_eq!(read(&bytes).unwrap().skeletons[0].skeleton.joints.len(), 2000);
    let mut shallow = ImportLimits::default();
    shallow.max_depth = 100;
    let error = limited(&bytes, &shallow).unwrap_err();
    assert_eq!(error.to_string(), "the file: the depth of nodes is 101, but at most 100 is possible");

    let mut w = Writer::default();
    w.bone(100, "a", 110, [0.0; 3]);
    w.bone(110, "b", 100, [0.0; 3]);
    let scene = read(&w.finish(false, 1.0));
    // Not an endless loop; whatever comes out is a skeleton.
    if let Ok(scene) = scene {
        assert!(scene.skeletons.iter().all(|s| s.skeleton.validate().is_ok()));
    }
}

#[test]
fn keys_that_are_not_numbers_are_refused() {
    let mut w = Writer::default();
    w.bone(100, "hips", 0, [0.0; 3]);
    w.stack(500, "nan", 0, SECOND);
    let keys = [(0, 0.0), (SECOND / 2, f64::INFINITY), (SECOND, f64::NAN)];
    let to = Driven { object: 100, property: "Lcl Translation", component: "d|X", others: [0.0; 3] };
    w.curve(510, 501, to, 4, &keys);
    let error = read(&w.finish(false, 1.0)).unwrap_err();
    assert!(matches!(error, ImportError::Animation { .. } | ImportError::Format { .. }), "{error:?}");
}

#[test]
fn every_truncation_reads_or_is_refused() {
    let good = figure();
    let (mut whole, mut refused) = (0, 0);
    for length in (0..good.len()).step_by(7) {
        if read(&good[..length]).is_ok() { whole += 1 } else { refused += 1 }
    }
    assert!(refused > 0, "{whole} read, {refused} refused");
}

/// A square of two triangles on a node, each of a material of its own.
fn square() -> Writer {
    let mut w = Writer::default();
    w.model(200, "square", "Mesh", "");
    w.connect(200, 0);
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    w.mesh(210, "square", 200, &corners, &[[0, 1, 2], [0, 2, 3]]);
    let layers = "GeometryVersion: 124\nLayerElementMaterial: 0 {\nVersion: 101\nMappingInformationType: \
                  \"ByPolygon\"\nReferenceInformationType: \"IndexToDirect\"\nMaterials: *2 { a: 1,0 }\n}\n\
                  LayerElementUV: 0 {\nVersion: 101\nName: \"map1\"\nMappingInformationType: \
                  \"ByVertice\"\nReferenceInformationType: \"Direct\"\nUV: *8 { a: 0,0,1,0,1,1,0,1 }\n}\nLayer: 0 \
                  {\nVersion: 100\nLayerElement: {\nType: \"LayerElementMaterial\"\nTypedIndex: 0\n}\nLayerElement: \
                  {\nType: \"LayerElementUV\"\nTypedIndex: 0\n}\n}";
    w.objects = w.objects.replace("GeometryVersion: 124", layers);
    w.material(400, "teal", 200, [0.1, 0.42, 0.52]);
    w.material(410, "dark", 200, [0.15, 0.21, 0.22]);
    w
}

#[test]
fn a_mesh_with_two_materials_is_two_that_share_its_name() {
    let scene = read(&square().finish(false, 100.0)).unwrap();
    let colors: Vec<_> = scene.materials.iter().map(|m| (m.name.as_str(), m.base_color)).collect();
    assert_eq!(colors, [("teal", [0.1, 0.42, 0.52, 1.0]), ("dark", [0.15, 0.21, 0.22, 1.0])]);
    assert!(scene.materials.iter().all(|m| m.metallic == 0.0 && m.alpha == AlphaMode::Opaque));
    let meshes: Vec<_> = scene.meshes.iter().map(|m| (m.mesh.name.as_str(), m.material)).collect();
    assert_eq!(meshes, [("square", Some(0)), ("square", Some(1))]);
    // The second triangle has the first material. It alone has the corner at (0, 1).
    let top_left = |mesh: usize| scene.meshes[mesh].mesh.positions.contains(&[0.0, 1.0, 0.0]);
    assert_eq!((top_left(0), top_left(1)), (true, false));
    assert!(scene.meshes.iter().all(|m| m.mesh.triangle_count() == 1 && m.source == m.node));
    // v is counted from above.
    let mesh = &scene.meshes[0].mesh;
    let at = mesh.positions.iter().position(|p| *p == [0.0, 1.0, 0.0]).unwrap();
    assert_eq!(mesh.uvs[0][at], [0.0, 0.0]);
    assert!(mesh.tangents.is_empty(), "what nobody said is not made up");
    assert_eq!(warnings(&scene), [] as [&str; 0]);
}

#[test]
fn textures_are_taken_from_the_file_and_from_beside_it() {
    let mut w = square();
    w.texture(500, 400, "DiffuseColor", "C:\\art\\skin.png", "iVBORw0KGgo=");
    w.texture(510, 410, "DiffuseColor", "maps\\dark.png", "");
    w.texture(520, 410, "NormalMap", "..\\..\\dark_n.png", "");
    let bytes = w.finish(false, 100.0);
    let mut asked = Vec::new();
    let mut files = |uri: &str| {
        asked.push(uri.to_owned());
        match uri {
            "maps/dark.png" | "dark_n.png" => Ok([b"\x89PNG\r\n\x1a\n", uri.as_bytes()].concat()),
            _ => none(uri),
        }
    };
    let scene = fbx::read(&bytes, &mut files, &ImportLimits::default()).unwrap();
    assert_eq!(asked, ["maps/dark.png", "dark_n.png"], "nothing above the folder is asked for");
    let [teal, dark] = &scene.materials[..] else { panic!("{:?}", scene.materials) };
    // The texture takes the place of the colour.
    assert_eq!((teal.base_color, dark.base_color), ([1.0; 4], [1.0; 4]));
    let image = |m: &lissom_build::mesh::material::Material, t: usize| {
        let number = m.textures[t].images[0].1;
        (scene.images[number].name.clone(), scene.images[number].bytes.len())
    };
    assert_eq!(image(teal, teal.base_color_texture.unwrap().texture), ("skin".into(), 8));
    assert_eq!(image(dark, dark.base_color_texture.unwrap().texture), ("dark".into(), 8 + 13));
    assert_eq!(image(dark, dark.normal_texture.unwrap().texture), ("dark_n".into(), 8 + 10));
    assert!(scene.images.iter().all(|i| i.mime_type == "image/png"));

    // Without them the materials stay, and what is missing is named.
    let scene = read(&bytes).unwrap();
    assert_eq!((scene.materials.len(), scene.images.len()), (2, 1));
    assert_eq!(scene.materials[1].base_color_texture, None);
    let told = warnings(&scene).join("; ");
    assert!(told.contains("material 1 \"dark\"") && told.contains("\"maps/dark.png\" is neither"), "{told}");
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    assert!(fbx::read_with(&bytes, &mut { none }, &strict).is_err());
    let bare = ReadOptions { images: false, ..ReadOptions::default() };
    let scene = fbx::read_with(&bytes, &mut { none }, &bare).unwrap();
    assert_eq!((scene.materials.len(), scene.images.len()), (2, 0));
    assert_eq!(warnings(&scene), [] as [&str; 0], "what nobody asked for is not missed");
}

#[test]
fn what_of_a_material_is_not_carried_is_named() {
    let mut w = square();
    w.texture(500, 400, "Bump", "bumps.png", "iVBORw0KGgo=");
    w.texture(510, 410, "SpecularColor", "shine.png", "iVBORw0KGgo=");
    let scene = read(&w.finish(false, 100.0)).unwrap();
    assert_eq!(warnings(&scene), ["not carried: bump maps of 1 material, specular textures of 1 material"]);
    assert_eq!(scene.images.len(), 0, "only what is used is carried");
}

#[test]
fn cameras_lights_and_what_they_look_at_are_no_joints() {
    let mut w = Writer::default();
    w.bone(100, "hips", 0, [0.0, 1.0, 0.0]);
    w.stage(700, "Camera02", "Camera", [0.0, 300.0, 900.0]);
    w.stage(710, "Camera02.Target", "Null", [0.0, 100.0, 0.0]);
    w.stage(720, "Sun", "Light", [0.0, 500.0, 0.0]);
    w.stage(730, "aim", "Null", [0.0, -700.0, 0.0]);
    w.drive(730, 720, "LookAtProperty");
    w.stage(740, "prop", "Null", [1.0, 0.0, 0.0]);
    w.stack(500, "go", 0, SECOND);
    for (id, object) in [(510, 700), (520, 710), (530, 720), (540, 730), (550, 740), (560, 100)] {
        let to = Driven { object, property: "Lcl Translation", component: "d|X", others: [0.0; 3] };
        w.curve(id, 501, to, 4, &[(0, 0.0), (SECOND, 10.0)]);
    }
    let scene = read(&w.finish(false, 100.0)).unwrap();
    // Whatever else moves may carry something.
    assert_eq!(names(&scene), ["hips", "prop"]);
    assert_eq!(warnings(&scene), ["not carried: 1 camera, 1 light"]);
}

#[test]
fn a_name_that_is_not_utf_8_is_named_once() {
    let mut w = Writer::default();
    w.bone(100, "hips", 0, [0.0; 3]);
    w.bone(110, "ARM", 100, [0.0, 1.0, 0.0]);
    w.bone(120, "LEG", 100, [0.0, -1.0, 0.0]);
    let mut bytes = w.finish(false, 100.0);
    for at in 0..bytes.len() - 3 {
        if matches!(&bytes[at..at + 3], b"ARM" | b"LEG") {
            bytes[at] = 0xe9;
        }
    }
    let scene = read(&bytes).unwrap();
    let told = warnings(&scene);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("\u{fffd}RM") && told[0].contains("\u{fffd}EG"), "{told:?}");
    assert!(told[0].contains("not UTF-8; each wrong byte became \u{fffd}"), "{told:?}");
}

//! `lissom render`: what is drawn is what the file shows, and all of it is in the picture.

use crate::common::{bad, folder, good, json, text, write};
use lissom_build::{
    exact::{M34, V3},
    export::write_glb,
    mesh::material::Material,
    mesh::{Influences, RawMesh},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, TrackKind, UserKey},
    scene::{Morph, Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use std::path::Path;

/// Pixels of a picture, row by row.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

fn picture(path: &Path) -> Picture {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let step = info.color_type.samples();
    let pixels = bytes.chunks_exact(step).map(|p| [p[0], p[1], p[2]]).collect();
    Picture { width: info.width as usize, height: info.height as usize, pixels }
}

impl Picture {
    /// Left, top, right, bottom of what is of a kind, and how many pixels that are.
    fn bounds(&self, kind: fn([u8; 3]) -> bool) -> Option<([usize; 4], usize)> {
        let mut found: Option<([usize; 4], usize)> = None;
        for (i, _) in self.pixels.iter().enumerate().filter(|(_, p)| kind(**p)) {
            let (x, y) = (i % self.width, i / self.width);
            let (b, n) = found.get_or_insert(([x, y, x, y], 0));
            *b = [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)];
            *n += 1;
        }
        found
    }
}

fn is_red(p: [u8; 3]) -> bool {
    let [r, g, b] = p.map(u32::from);
    r > 90 && r > g + 40 && r > b + 40
}

/// The colour of bones.
fn is_clay(p: [u8; 3]) -> bool {
    i32::from(p[0]) - i32::from(p[2]) > 50
}

/// A board with this size, upright and facing z, on a joint that slides up by a metre; red on one side or both.
fn board(wide: f32, high: f32, deep: f32, double_sided: bool, away: bool) -> Scene {
    let corner = |x: f32, y: f32| [x * wide, y * high, (y - 0.5) * deep];
    let positions = vec![corner(-0.5, 0.0), corner(0.5, 0.0), corner(0.5, 1.0), corner(-0.5, 1.0)];
    let normal = if away { [0.0, 0.0, -1.0] } else { [0.0, 0.0, 1.0] };
    let indices = if away { vec![0, 2, 1, 0, 3, 2] } else { vec![0, 1, 2, 0, 2, 3] };
    let shifted = positions.iter().map(|_| [0.0, high, 0.0]).collect();
    let mesh = RawMesh {
        name: "board".into(),
        normals: vec![normal; 4],
        influences: Influences { each: 1, joints: vec![0; 4], weights: vec![1.0; 4] },
        inverse_binds: vec![M34::IDENTITY],
        indices,
        positions,
        ..RawMesh::default()
    };
    let slide = Channel::new(Curve::Linear, [(0.0, V3::ZERO), (1.0, V3::ZERO)]);
    let track = RawTrack { translation: slide, ..RawTrack::default() };
    let key = |(ratio, w)| UserKey { ratio, value: [w, 0.0, 0.0, 0.0], step: false };
    let weights = RawUserTrack {
        name: "morph/board/up".into(),
        kind: TrackKind::Float,
        keys: [(0.0, 0.0), (1.0, 1.0)].map(key).into(),
    };
    Scene {
        skeletons: vec![SceneSkeleton {
            name: "s".into(),
            skeleton: RawSkeleton { joints: vec![RawJoint { name: "root".into(), ..RawJoint::default() }] },
            ..SceneSkeleton::default()
        }],
        animations: vec![SceneAnimation {
            skeleton: Some(0),
            motion: RawAnimation {
                name: "up".into(),
                duration_s: 1.0,
                tracks: vec![track],
                ..RawAnimation::default()
            },
            tracks: vec![weights],
            ..SceneAnimation::default()
        }],
        meshes: vec![SceneMesh {
            mesh,
            morphs: vec![Morph { name: "up".into(), positions: shifted, ..Morph::default() }],
            material: Some(0),
            ..SceneMesh::default()
        }],
        materials: vec![Material { base_color: [0.8, 0.02, 0.02, 1.0], double_sided, ..Material::default() }],
        ..Scene::default()
    }
}

fn drawn(root: &Path, scene: &Scene, more: &[&str]) -> Picture {
    let glb = write(root.join("board.glb"), write_glb(scene).unwrap());
    let out = root.join("board.png");
    good(&[&["render", &glb, "-o", &text(&out)][..], more].concat());
    picture(&out)
}

#[test]
fn surfaces_have_the_colours_and_sides_of_their_materials() {
    let root = folder("render_materials");
    let red = |double, away| {
        let picture =
            drawn(&root, &board(1.0, 1.0, 0.0, double, away), &["--view", "front", "--frames", "1"]);
        picture.bounds(is_red).map_or(0, |b| b.1)
    };
    assert!(red(false, false) > 5000, "its front is red");
    assert_eq!(red(false, true), 0, "its back is not there");
    assert!(red(true, true) > 5000, "unless it has two sides");
}

#[test]
fn morph_weights_move_what_is_drawn_in_sources_and_archives() {
    let root = folder("render_morphs");
    let scene = board(1.0, 1.0, 0.0, true, false);
    let glb = write(root.join("board.glb"), write_glb(&scene).unwrap());
    let lsm = text(&root.join("board.lsm"));
    good(&["import", &glb, "-o", &lsm]);
    for file in [&glb, &lsm] {
        let out = root.join("two.png");
        good(&["render", file, "-o", &text(&out), "--view", "front", "--frames", "2", "--size", "600x400"]);
        let two = picture(&out);
        let half = |left: bool| {
            let keep = |i: &usize| (i % two.width < two.width / 2) == left;
            let rows =
                (0..two.pixels.len()).filter(keep).filter(|i| is_red(two.pixels[*i])).map(|i| i / two.width);
            rows.min().unwrap()
        };
        assert!(half(false) + 60 < half(true), "{file}: the second is higher");
        let sampled = json(&good(&["sample", file, "--time", "0.25", "--json"]));
        assert_eq!(sampled["tracks"][0]["name"], "morph/board/up", "{sampled}");
        let weight = sampled["tracks"][0]["value"][0].as_f64().unwrap();
        assert!((weight - 0.25).abs() < 0.01, "{file}: {weight}");
    }
    assert!(good(&["sample", &glb, "--time", "0.5"]).contains("morph/board/up"));
}

#[test]
fn flat_things_are_whole_in_the_picture() {
    let root = folder("render_flat");
    for (wide, high, deep) in [(20.0, 0.2, 20.0), (0.2, 20.0, 0.2), (30.0, 0.5, 0.5)] {
        let picture = drawn(&root, &board(wide, high, deep, true, false), &[]);
        let ([left, top, right, bottom], _) = picture.bounds(is_red).expect("it is there");
        let inside = left > 0 && top > 0 && right < picture.width - 1 && bottom < picture.height - 1;
        assert!(
            inside,
            "{wide} x {high} x {deep}: {left} {top} {right} {bottom} of {} x {}",
            picture.width, picture.height
        );
        assert!(picture.height >= 100, "{} x {}", picture.width, picture.height);
    }
}

/// A body of five joints on a root that stays at the origin while the hips go 40 m.
fn mocap() -> String {
    let mut text = "HIERARCHY ROOT root { OFFSET 0 0 0 CHANNELS 0 JOINT hips { OFFSET 0 1 0 CHANNELS 3 Xposition Yposition \
        Zposition JOINT spine { OFFSET 0 0.3 0 CHANNELS 0 JOINT head { OFFSET 0 0.4 0 CHANNELS 0 End Site { OFFSET 0 0.2 0 } } } \
        JOINT legL { OFFSET 0.1 -0.1 0 CHANNELS 0 End Site { OFFSET 0 -0.8 0 } } JOINT legR { OFFSET -0.1 -0.1 0 CHANNELS 0 End \
        Site { OFFSET 0 -0.8 0 } } } }\nMOTION\nFrames: 21\nFrame Time: 0.05\n"
        .to_owned();
    for frame in 0..21 {
        text.push_str(&format!("{} 1 5\n", f64::from(frame) * 2.0));
    }
    text
}

#[test]
fn what_travels_fills_the_picture_all_the_way() {
    let root = folder("render_travel");
    let file = write(root.join("run.bvh"), mocap());
    let out = root.join("run.png");
    good(&["render", &file, "-o", &text(&out), "--frames", "4"]);
    let strip = picture(&out);
    let ([_, top, _, bottom], _) = strip.bounds(is_clay).unwrap();
    assert!(2 * (bottom - top) > strip.height, "{top} to {bottom} of {}", strip.height);
    for more in [&[][..], &["--follow"]] {
        let film = root.join("run.gif");
        good(&[&["render", &file, "-o", &text(&film), "--frames", "8"][..], more].concat());
        let bytes = std::fs::read(&film).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        let first = decoder.read_next_frame().unwrap().unwrap();
        let (width, height) = (usize::from(first.width), usize::from(first.height));
        let pixels = first.buffer.chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect();
        let ([_, top, _, bottom], _) = Picture { width, height, pixels }.bounds(is_clay).unwrap();
        assert!(10 * (bottom - top) > 3 * height, "{more:?}: {top} to {bottom} of {height}");
    }
}

#[test]
fn a_part_and_all_clips_can_be_asked_for() {
    let root = folder("render_range");
    let mut scene = board(1.0, 1.0, 0.0, true, false);
    let mut second = scene.animations[0].clone();
    second.motion.name = "again".into();
    scene.animations.push(second);
    let glb = write(root.join("two.glb"), write_glb(&scene).unwrap());
    let out = text(&root.join("o.png"));
    let report = |file: &str, more: &[&str]| {
        json(&good(&[&["render", &glb, "-o", file, "--json"][..], more].concat()))
    };
    let one = report(&out, &["--frames", "2"]);
    let all = report(&out, &["--frames", "2", "--clip", "all"]);
    assert_eq!(all["clips"], serde_json::json!(["up", "again"]));
    assert_eq!(all["height"].as_u64(), one["height"].as_u64().map(|h| 2 * h));
    let film = text(&root.join("o.gif"));
    let all = report(&film, &["--clip", "all", "--range", "0.25..0.5", "--size", "40x40"]);
    assert_eq!((&all["duration_s"], &all["frames"]), (&0.5.into(), &12.into()));
    let (_, error) = bad(2, &["render", &glb, "-o", &out, "--range", "2..3"]);
    assert!(error.contains("--range 2..3: up has 1.000 s"), "{error}");
    bad(2, &["render", &glb, "-o", &out, "--range", "x"]);
}

/// What is too much for one picture becomes several, and none of them is endless.
#[test]
fn many_clips_are_shown_on_numbered_pages() {
    let root = folder("render_pages");
    let mut scene = board(1.0, 1.0, 0.0, true, false);
    for number in 1..24 {
        let mut again = scene.animations[0].clone();
        again.motion.name = format!("up {number}");
        scene.animations.push(again);
    }
    let glb = write(root.join("many.glb"), write_glb(&scene).unwrap());
    let report = |file: &str, more: &[&str]| {
        let out = text(&root.join(file));
        json(&good(
            &[&["render", &glb, "-o", &out, "--clip", "all", "--frames", "2", "--json"][..], more].concat(),
        ))
    };
    let shown = report("all.png", &[]);
    let outputs: Vec<&str> =
        shown["outputs"].as_array().unwrap().iter().map(|o| o.as_str().unwrap()).collect();
    assert!(outputs.len() > 1 && outputs[0].ends_with("all-1.png"), "{outputs:?}");
    assert_eq!((shown["clips"].as_array().unwrap().len(), &shown["frames"]), (24, &48.into()));
    for output in &outputs {
        let page = picture(Path::new(output));
        assert!(page.height <= 4096, "{output} is {} pixels high", page.height);
    }
    // A size is that of each page, whatever it has to hold.
    let sized = report("sized.png", &["--size", "300x960"]);
    let first = picture(Path::new(sized["outputs"][0].as_str().unwrap()));
    assert_eq!((first.width, first.height, sized["outputs"].as_array().unwrap().len()), (300, 960, 3));
    let films = report("film.gif", &["--size", "32x32"]);
    assert_eq!(films["outputs"].as_array().unwrap().len(), 2);
}

/// One side of a board is red: an angle, or a word, says from where it is seen.
#[test]
fn a_figure_is_seen_from_any_side() {
    let root = folder("render_views");
    let red = |view: &[&str]| {
        let board = board(1.0, 1.0, 0.0, false, false);
        drawn(&root, &board, &[view, &["--frames", "1"]].concat()).bounds(is_red).map_or(0, |b| b.1)
    };
    assert!(red(&["--yaw", "0"]) > 5000 && red(&["--view", "front"]) == red(&["--yaw", "0"]));
    assert_eq!((red(&["--view", "back"]), red(&["--yaw", "180"]), red(&["--yaw", "-180"])), (0, 0, 0));
    assert!(red(&["--yaw", "60"]) > 500 && red(&["--yaw", "-60"]) > 500);
    assert_eq!(red(&["--yaw", "120"]), 0);
    let glb = text(&root.join("board.glb"));
    assert!(
        bad(2, &["render", &glb, "-o", "x.png", "--yaw", "1", "--view", "side"])
            .1
            .contains("cannot be used with")
    );
}

/// f32 cannot hold a tenth of a millimetre 300 km away: it cannot be cooked, but it can be shown.
#[test]
fn a_source_is_drawn_as_it_is_and_not_cooked() {
    let root = folder("render_source");
    let far = mocap().replace(" 1 5\n", " 1 300000\n");
    let file = write(root.join("far.bvh"), far);
    let (_, error) = bad(1, &["import", &file, "-o", &text(&root.join("far.lsm"))]);
    assert!(error.contains("f32") || error.contains("precision"), "{error}");
    good(&["render", &file, "-o", &text(&root.join("far.png")), "--frames", "2"]);
}

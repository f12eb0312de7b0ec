//! The commands that show something, as a user meets them: bench, plot, render, demo.

use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort},
    mannequin::{self, Detail, Motion},
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn lissom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lissom")).args(arguments).output().expect("the command starts")
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("show").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// An archive with the mannequin's skeleton, a coarse mesh and these motions.
fn archive(folder: &Path, motions: &[Motion]) -> PathBuf {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let mesh = mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).unwrap();
    writer = writer.mesh(&mesh, &built).unwrap();
    let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    for motion in motions {
        let cooked = builder.build(&built, &mannequin::clip(*motion)).unwrap();
        writer = writer.clip(1, motion.name(), cooked.bytes).unwrap();
    }
    let path = folder.join("m.lsm");
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path
}

/// A leg that swings: three joints, a second, no mesh.
fn bvh(folder: &Path) -> PathBuf {
    let mut file = String::from(
        "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
         JOINT thigh\n{\nOFFSET 0.1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT shin\n{\nOFFSET 0 -0.45 0\n\
         CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -0.45 0\n}\n}\n}\n}\nMOTION\nFrames: 31\n\
         Frame Time: 0.0333333\n",
    );
    for i in 0..31 {
        let swing = 30.0 * libm::sin(f64::from(i) * 0.2);
        file.push_str(&format!("0 0.9 0 0 0 0 0 {swing} 0 0 {} 0\n", 20.0 - swing * 0.5));
    }
    let path = folder.join("swing.bvh");
    std::fs::write(&path, file).unwrap();
    path
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// It fails with one line that says these words, and leaves nothing behind but `kept` files.
fn refused(arguments: &[&str], words: &[&str], folder: &Path, kept: usize) {
    let output = lissom(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is missing from: {said}");
    }
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), kept, "{arguments:?} left something behind");
}

const FIGURES: [&str; 15] = [
    "sample_forward",
    "sample_backward",
    "sample_same",
    "sample_random",
    "blend_2",
    "blend_3",
    "blend_4",
    "local_to_model",
    "skin_p",
    "skin_pn",
    "skin_pnt",
    "crowd_1",
    "crowd_100",
    "crowd_1000",
    "crowd_10000",
];

#[test]
fn bench_gives_every_figure_by_its_name() {
    let folder = folder("bench");
    let file = bvh(&folder);
    let report = json(&lissom(&["bench", text(&file), "--quick", "--json"]));
    let figures = report["figures"].as_object().unwrap();
    assert_eq!(figures.len(), FIGURES.len());
    for name in FIGURES {
        assert!(figures[name].as_f64().is_some_and(|v| v > 0.0), "{name}: {}", figures[name]);
    }
    assert_eq!(report["units"]["blend_2"], "ns/joint");
    assert_eq!(report["units"]["skin_p"], "ns/vertex");
    assert_eq!(report["units"]["crowd_1"], "µs/character");
    assert_eq!((&report["clip"], &report["joints"]), (&"swing".into(), &3.into()));
    let machine = &report["machine"];
    assert!(machine["calibration_ns"].as_f64().unwrap() > 0.0);
    assert!(!machine["cpu"].as_str().unwrap().is_empty() && machine["backend"].is_string());
}

#[test]
fn bench_prints_a_table_and_uses_the_files_own_mesh() {
    let folder = folder("bench_table");
    let file = archive(&folder, &[Motion::Walk, Motion::Run]);
    let output = lissom(&["bench", text(&file), "--quick", "--clip", "run"]);
    let said = String::from_utf8(output.stdout).unwrap();
    for word in FIGURES.iter().chain(&["clip \"run\"", "calibration", "3 samples of 2 clips", "vertices"]) {
        assert!(said.contains(word), "{word} is missing from:\n{said}");
    }
    assert!(!said.contains("synthetic") && !said.contains('\u{1b}'), "{said}");
    let clip = ["bench", text(&file), "--clip", "dance"];
    refused(&clip, &["m.lsm", "\"dance\"", "\"walk\""], &folder, 1);
    let empty = folder.join("empty.bvh");
    std::fs::write(&empty, "").unwrap();
    refused(&["bench", text(&empty)], &["empty.bvh"], &folder, 2);
    refused(&["bench", text(&folder.join("none.glb"))], &["none.glb"], &folder, 2);
    refused(&["bench", text(&folder)], &["bench_table"], &folder, 2);
}

#[test]
fn a_file_without_clips_is_drawn_at_rest_but_not_measured() {
    let folder = folder("still");
    let file = archive(&folder, &[]);
    refused(&["bench", text(&file)], &["m.lsm", "no clip"], &folder, 1);
    let picture = folder.join("rest.png");
    refused(&["plot", text(&file), "-o", text(&folder.join("p.svg"))], &["m.lsm", "no clip"], &folder, 1);
    let output = lissom(&["render", text(&file), "-o", text(&picture), "--size", "64x96"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(png_size(&picture), (64, 96));
}

fn png_size(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (side(16), side(20))
}

#[test]
fn plots_are_svg_or_png_of_what_was_asked_for() {
    let folder = folder("plot");
    let file = bvh(&folder);
    let plot = |what: &str, name: &str, more: &[&str]| {
        let path = folder.join(name);
        let mut arguments = vec!["plot", text(&file), "--what", what, "-o", text(&path), "--json"];
        arguments.extend(more);
        (json(&lissom(&arguments)), path)
    };
    let (report, path) = plot("curves", "curves.svg", &["--joints", "thigh,2"]);
    assert_eq!(report["joints"], serde_json::json!(["thigh", "shin"]));
    let svg = std::fs::read_to_string(path).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    for word in ["thigh", "shin", "swing: swing", "<polyline"] {
        assert!(svg.contains(word), "{word}");
    }
    assert!(!svg.contains("var(--"), "colours of a page are of no use in a file of its own");
    let (report, path) = plot("error", "error.png", &[]);
    let worst = report["worst_m"].as_f64().unwrap();
    assert!(worst > 0.0 && worst <= 1e-4, "{worst}");
    assert_eq!(png_size(&path).0, 1600);
    let (report, path) = plot("bytes", "bytes.svg", &[]);
    let joints = report["joints"].as_array().unwrap();
    assert_eq!(joints.len(), 3);
    let sum: f64 = joints.iter().map(|j| j["rotation"].as_f64().unwrap()).sum();
    assert!(sum > 0.0 && sum < report["clip_bytes"].as_f64().unwrap());
    assert!(std::fs::read_to_string(path).unwrap().contains("shin"));
}

#[test]
fn plots_that_cannot_be_are_refused_in_one_line() {
    let folder = folder("plot_refused");
    let file = archive(&folder, &[Motion::Walk]);
    let out = folder.join("p.svg");
    let plot = |more: &[&str], words: &[&str]| {
        let mut arguments = vec!["plot", text(&file), "-o", text(&out)];
        arguments.extend(more);
        refused(&arguments, words, &folder, 1);
    };
    plot(&["--what", "error"], &["m.lsm", "does not hold what its clips were cooked from"]);
    plot(&["--joints", "thigh"], &["\"thigh\"", "thigh_l"]);
    plot(&["--joints", "tail"], &["\"tail\"", "64 joints"]);
    plot(&["--what", "bytes", "--joints", "hips"], &["--joints"]);
    refused(
        &["plot", text(&file), "-o", text(&folder.join("p.pdf"))],
        &["p.pdf", ".svg", ".png"],
        &folder,
        1,
    );
    let nowhere = folder.join("missing").join("p.svg");
    refused(&["plot", text(&file), "-o", text(&nowhere)], &["missing"], &folder, 1);
    // What an archive holds can be plotted all the same.
    assert!(lissom(&["plot", text(&file), "-o", text(&out), "--what", "bytes"]).status.success());
    assert!(lissom(&["plot", text(&file), "-o", text(&out)]).status.success());
}

#[test]
fn render_draws_strips_and_films() {
    let folder = folder("render");
    let file = archive(&folder, &[Motion::Walk]);
    let strip = folder.join("walk.png");
    let arguments =
        ["render", text(&file), "-o", text(&strip), "--frames", "3", "--size", "240x120", "--bones"];
    let output = lissom(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().contains("walk, 3 frames, 240 x 120"));
    assert_eq!(png_size(&strip), (240, 120));
    let again = folder.join("again.png");
    assert!(lissom(&[&arguments[..3], &[text(&again)], &arguments[4..]].concat()).status.success());
    assert_eq!(std::fs::read(&strip).unwrap(), std::fs::read(&again).unwrap(), "the same picture every time");

    let film = folder.join("swing.gif");
    let file = bvh(&folder);
    let report = json(&lissom(&[
        "render",
        text(&file),
        "-o",
        text(&film),
        "--frames",
        "4",
        "--size",
        "80x60",
        "--view",
        "side",
        "--json",
    ]));
    assert_eq!((&report["frames"], &report["width"], &report["height"]), (&4.into(), &80.into(), &60.into()));
    let bytes = std::fs::read(&film).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(bytes.as_slice()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (80, 60));
    let (mut frames, mut hundredths) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames += 1;
        hundredths += u32::from(frame.delay);
    }
    assert_eq!((frames, hundredths), (4, 100), "a second, as the clip");
}

#[test]
fn any_format_and_any_way_of_naming_a_clip_will_do() {
    let folder = folder("formats");
    let glb = folder.join("m.glb");
    let detail = ["--body-m", "0.04", "--hand-m", "0.012"];
    assert!(lissom(&[&["mannequin", "-o", text(&glb)], &detail[..]].concat()).status.success());
    let out = folder.join("p.svg");
    let plot = |clip: &str| {
        json(&lissom(&["plot", text(&glb), "--clip", clip, "-o", text(&out), "--what", "error", "--json"]))
    };
    let (by_name, by_number) = (plot("run"), plot("3"));
    assert_eq!(by_name, by_number);
    assert_eq!(by_name["clip"], "run");
    assert!(by_name["worst_m"].as_f64().unwrap() <= 1e-4, "{by_name}");
    let picture = folder.join("run.png");
    let render =
        ["render", text(&glb), "--clip", "run", "-o", text(&picture), "--frames", "2", "--size", "90x70"];
    let report = json(&lissom(&[&render[..], &["--json"]].concat()));
    assert!(report["vertices"].as_u64().unwrap() > 1000, "{report}");
}

#[test]
fn pictures_that_cannot_be_are_refused_in_one_line() {
    let folder = folder("render_refused");
    let file = bvh(&folder);
    let render = |out: &str, more: &[&str], words: &[&str]| {
        let out = folder.join(out);
        let mut arguments = vec!["render", text(&file), "-o", text(&out)];
        arguments.extend(more);
        refused(&arguments, words, &folder, 1);
    };
    render("a.jpg", &[], &["a.jpg", ".png", ".gif"]);
    render("a.png", &["--frames", "65"], &["65 frames", "64"]);
    render("a.png", &["--clip", "walk"], &["swing.bvh", "\"walk\""]);
    for bad in ["0x40", "40", "9000x40", "axb"] {
        let out = folder.join("a.png");
        let output = lissom(&["render", text(&file), "-o", text(&out), "--size", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("WIDTHxHEIGHT"), "{bad}");
    }
}

#[test]
fn the_demo_explains_itself_and_writes_a_page_that_needs_nothing_else() {
    let folder = folder("demo");
    let page = folder.join("demo.html");
    let output = lissom(&["demo", "--quick", "--characters", "60", "-o", text(&page)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "no progress where nobody looks");
    let said = String::from_utf8(output.stdout).unwrap();
    for word in [
        "joints",
        "vertices",
        "walk",
        "performance",
        "characters a millisecond",
        "the same bits",
        text(&page),
        "lissom mannequin -o FILE.glb",
    ] {
        assert!(said.contains(word), "{word} is missing from:\n{said}");
    }
    let first = said.find(text(&page)).unwrap();
    assert!(first < said.find("joints").unwrap(), "where it writes is said before it takes its time");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    for word in [
        "prefers-color-scheme: dark",
        "<svg ",
        "data:image/gif;base64,",
        "data:image/png;base64,",
        "<h2>Played</h2>",
    ] {
        assert!(html.contains(word), "{word}");
    }
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    for word in ["http://", "https://", "<script", "<link", "url("] {
        assert!(!outside.contains(word), "{word}: the page must need nothing else");
    }
    for tag in ["div", "table", "svg", "picture", "p", "h2", "ul"] {
        let (open, close) = (
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count(),
            html.matches(&format!("</{tag}>")).count(),
        );
        assert_eq!(open, close, "<{tag}>");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn the_demo_speaks_json_and_fails_in_one_line() {
    let folder = folder("demo_json");
    let page = folder.join("demo.html");
    let report = json(&lissom(&["demo", "--quick", "--characters", "10", "--json", "-o", text(&page)]));
    assert_eq!(report["clips"].as_array().unwrap().len(), Motion::ALL.len());
    assert_eq!(report["crowd"]["same_bits"], true);
    for clip in report["clips"].as_array().unwrap() {
        assert!(clip["worst_m"].as_f64().unwrap() <= 1e-4, "{clip}");
    }
    let nowhere = folder.join("missing").join("demo.html");
    let output = lissom(&["demo", "--quick", "--characters", "1", "--json", "-o", text(&nowhere)]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && said.contains("missing") && said.trim_end().lines().count() == 1,
        "{said}"
    );
}

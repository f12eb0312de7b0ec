//! The command as a user starts it, and files to feed it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the command.
pub fn lissom<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lissom")).args(arguments).output().expect("the command starts")
}

/// Runs the command, which must succeed; gives what it printed. Standard error has warnings, if anything.
pub fn good<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> String {
    warned(arguments).0
}

/// As [`good`], with the warnings.
pub fn warned<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> (String, String) {
    let output = lissom(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{error}");
    assert!(error.lines().all(|line| line.starts_with("warning: ")), "{error}");
    (String::from_utf8(output.stdout).unwrap(), error)
}

/// Runs the command, which must fail with this code; gives standard output and the one line of standard error.
pub fn bad<S: AsRef<std::ffi::OsStr>>(code: i32, arguments: &[S]) -> (String, String) {
    let output = lissom(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{error}");
    (String::from_utf8(output.stdout).unwrap(), error)
}

pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// An empty folder.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn write(path: PathBuf, bytes: impl AsRef<[u8]>) -> String {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    text(&path)
}

pub fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Every file below a folder and its bytes, by relative path.
pub fn files_below(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push((text(path.strip_prefix(root).unwrap()), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// A waving arm of three joints; `seed` makes it another one.
pub fn bvh(seed: u32, frames: u32) -> String {
    let mut text = "HIERARCHY\nROOT hips { OFFSET 0 1 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
                    Yrotation\nJOINT arm { OFFSET 0.5 0 0 CHANNELS 3 Zrotation Xrotation Yrotation\nJOINT hand { \
                    OFFSET 0.25 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0.1 0 0 } } } }\n"
        .to_owned();
    text.push_str(&format!("MOTION\nFrames: {frames}\nFrame Time: 0.0333333\n"));
    for frame in 0..frames {
        let wave = |k: u32| f64::from((frame * (k + seed)) % 90) - 45.0;
        text.push_str(&format!("0 1 {} 0 0 0 {} 0 0 0 {} 0\n", f64::from(frame) * 0.01, wave(2), wave(3)));
    }
    text
}

/// A `.glb` of this JSON and binary chunk.
pub fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &binary)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(chunk);
    }
    out
}

/// A joint that moves from 0 to the given place along x in a second.
pub fn moving_glb(end_x: f32) -> Vec<u8> {
    let numbers = [0.0, 1.0, 0.0, 0.0, 0.0, end_x, 0.0, 0.0];
    let binary: Vec<u8> = numbers.iter().flat_map(|v: &f32| v.to_le_bytes()).collect();
    glb(MOVING, &binary)
}

pub const MOVING: &str = r#"{
    "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "box" }],
    "buffers": [{ "byteLength": 32 }],
    "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
    "accessors": [
        { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
        { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],
    "animations": [{ "name": "slide", "samplers": [{ "input": 0, "output": 1 }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }]
}"#;

/// The mannequin, coarse.
pub fn mannequin(folder: &Path) -> String {
    let path = text(&folder.join("mannequin.glb"));
    good(&["mannequin", "--body-m", "0.04", "--hand-m", "0.012", "-o", &path]);
    path
}

/// A page of `docs/`.
pub fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(path).unwrap()
}

/// The blocks of code of a kind.
pub fn blocks(page: &str, kind: &str) -> Vec<String> {
    let start = format!("```{kind}\n");
    let parts = page.split(&start).skip(1);
    parts.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The commands of a block, with the files in a folder; each says something.
pub fn run_all(block: &str, root: &Path) -> usize {
    for command in block.lines() {
        if let Some(name) = command.strip_prefix("mkdir ") {
            fs::create_dir(root.join(name)).unwrap();
            continue;
        }
        let words = command.split_whitespace().skip(1);
        let is_file = |word: &str| {
            [".glb", ".bvh", ".json", ".lsm", ".svg", ".png", ".gif"].iter().any(|end| word.ends_with(end))
                || root.join(word).is_dir()
        };
        let place =
            |word: &str| if is_file(word) { root.join(word).display().to_string() } else { word.to_owned() };
        let said = good(&words.map(place).collect::<Vec<_>>());
        assert!(!said.is_empty(), "{command}");
    }
    block.lines().count()
}

/// The first line of code that a test has not.
pub fn unrun<'a>(blocks: &'a [String], test: &str) -> Option<&'a str> {
    blocks.iter().flat_map(|block| block.lines()).map(str::trim).find(|line| !test.contains(line))
}

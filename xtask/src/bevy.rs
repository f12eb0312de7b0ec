//! The plugin for Bevy: linted and tested without a window, in one profile; and its examples with one, as pictures.

use crate::{guests, step::Outcome, workspace};
use std::{fs, path::Path};

/// The examples with a window: a workspace of their own, in no step.
const WINDOW: &str = "crates/bevy_lissom/examples-window/Cargo.toml";

/// Plays a file that it is given, else the mannequin.
const TAKES_FILE: &str = "first_day";

const EXAMPLES: [&str; 7] =
    ["five_lines", TAKES_FILE, "crowd", "gltf_scene", "sockets", "root_motion", "morphs"];

/// Where Mesa's software Vulkan describes itself.
const DRIVER: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/// What pictures need.
const DEBIAN: &str =
    "libx11-dev libxcursor1 libxi6 libxkbcommon-x11-0 libxrandr2 mesa-vulkan-drivers xauth xvfb";

/// Its tests. The step `lint-guests` has linted it; the step `viewer` runs the tests inside its sources and the programs in its
/// documentation, with those of the other guests.
pub fn run() -> Result<Outcome, String> {
    workspace::run(&mut guests::test(&["--test", "app"])).map(|()| Outcome::Passed)
}

/// `cargo xtask show bevy [--character FILE] [EXAMPLE...]`: builds the examples with a window, a quarter of an hour at first, and takes
/// a picture of each on a display and a GPU of software. `first_day` plays the file, which has clips called `idle` and `walk`.
pub fn show(args: &[String]) -> Result<(), String> {
    let usage = || format!("usage: cargo xtask show bevy [--character FILE] [{}]", EXAMPLES.join("|"));
    let Some(("bevy", wanted)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) else {
        return Err(usage());
    };
    let (character, wanted) = match wanted {
        [flag, file, rest @ ..] if flag == "--character" => (Some(fs::canonicalize(file)), rest),
        _ => (None, wanted),
    };
    let character = character.transpose().map_err(|e| format!("the character's file: {e}"))?;
    if wanted.iter().any(|name| !EXAMPLES.contains(&name.as_str())) {
        return Err(usage());
    }
    if !workspace::has("xvfb-run") || !Path::new(DRIVER).is_file() {
        return Err(format!(
            "pictures need a display and a GPU of software; Debian: apt-get install {DEBIAN}"
        ));
    }
    let target = workspace::target()?;
    let folder = target.join("show/bevy");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let cargo = |command: &str| {
        let mut cargo = workspace::cargo();
        // Crates that Bevy's shaders pull declare a Rust that they do not need.
        cargo.args([command, "--ignore-rust-version", "--manifest-path", WINDOW]);
        cargo.env("CARGO_TARGET_DIR", &target);
        cargo
    };
    workspace::run(cargo("build").arg("--examples"))?;
    for name in EXAMPLES.iter().filter(|name| wanted.is_empty() || wanted.iter().any(|w| w == *name)) {
        let picture = folder.join(name).with_extension("png");
        let run = cargo("run");
        let mut shown = workspace::command("xvfb-run");
        shown.args(["--auto-servernum", "--server-args", "-screen 0 1024x768x24"]);
        shown.arg(run.get_program()).args(run.get_args()).args(["--example", name]);
        if let Some(file) = character.as_ref().filter(|_| *name == TAKES_FILE) {
            shown.arg("--").arg(file);
        }
        shown.env("CARGO_TARGET_DIR", &target).env("LISSOM_PICTURE", &picture);
        shown.env("WGPU_BACKEND", "vulkan").env("VK_ICD_FILENAMES", DRIVER);
        workspace::run(&mut shown)?;
        let bytes = fs::metadata(&picture).map_err(|e| format!("{}: {e}", picture.display()))?.len();
        println!("   {} ({} kB)", picture.display(), bytes / 1000);
    }
    Ok(())
}

//! `lissom view`.

use crate::common::{folder, text};
use std::{
    process::{Command, Output},
    sync::Mutex,
};

/// What is still being written cannot be run, and a process that another test starts meanwhile holds it open: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The command in a folder of its own, and what the system finds in another.
fn view(name: &str, with_viewer: bool, arguments: &[&str]) -> Output {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let root = folder(name);
    let command = root.join("lissom");
    std::fs::copy(env!("CARGO_BIN_EXE_lissom"), &command).unwrap();
    let found = root.join("found");
    std::fs::create_dir(&found).unwrap();
    if with_viewer {
        let viewer = found.join("lissom-viewer");
        std::fs::write(&viewer, "#!/bin/sh\necho \"$@\"\n[ \"$1\" != bad.glb ]\n").unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&viewer, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/bin:/usr/bin", text(&found));
    Command::new(command).arg("view").args(arguments).env("PATH", path).output().expect("it starts")
}

#[test]
fn without_a_viewer_it_says_how_to_get_one() {
    let output = view("view_missing", false, &["hero.glb"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "lissom: the viewer is not installed; `cargo install --path crates/lissom-viewer` in Lissom's folder installs it\n"
    );
}

#[cfg(unix)]
#[test]
fn the_viewer_gets_every_argument_and_its_end_is_the_commands_end() {
    let output = view("view_there", true, &["a.glb", "--screenshot", "x y.png", "--help"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "a.glb --screenshot x y.png --help\n");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(view("view_bad", true, &["bad.glb"]).status.code(), Some(1));
}

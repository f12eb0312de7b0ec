//! The command as a user meets it.

use std::path::PathBuf;
use std::process::{Command, Output};

fn lissom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lissom")).args(arguments).output().expect("the command starts")
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_mannequin_is_written_whole() {
    let folder = folder("mannequin");
    let path = folder.join("m.glb");
    let output =
        lissom(&["mannequin", "--body-m", "0.04", "--hand-m", "0.012", "-o", path.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize, bytes.len());
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["m.glb"], "no temporary file stays");
}

#[test]
fn what_fails_is_named_on_stderr() {
    let folder = folder("fails");
    let nowhere = folder.join("missing").join("m.glb");
    for (arguments, word) in [
        (vec!["mannequin", "-o", nowhere.to_str().unwrap()], "m.glb"),
        (vec!["mannequin", "--body-m", "1"], "body_m is 1 m"),
        (vec!["nonsense"], "nonsense"),
    ] {
        let output = lissom(&arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(word), "{word} is missing from: {text}");
    }
}

#[test]
fn without_a_command_it_prints_help_and_writes_nothing() {
    let folder = folder("no_command");
    let binary = env!("CARGO_BIN_EXE_lissom");
    let output = Command::new(binary).current_dir(&folder).output().expect("the command starts");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    for word in ["Usage: lissom", "import", "render", "demo"] {
        assert!(said.contains(word), "{word} is missing from: {said}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

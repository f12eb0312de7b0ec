//! The README's examples are compiled ones: `play_archive.rs`, `graph.rs` and `many.rs`, between their two marks. Each has a
//! picture below it.

use std::{fs, path::Path};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_readme_shows_what_graph_does() {
    shown("graph", "## 3. Steer a character by a graph", 18, "graph");
}

#[test]
fn the_readme_shows_what_play_archive_does() {
    shown("play_archive", "## 2. Play a clip", 15, "play_archive");
}

#[test]
fn the_readme_shows_what_many_does() {
    shown("many", "## 4. Fill a street with a crowd", 15, "crowd");
}

fn shown(name: &str, section: &str, most: usize, picture: &str) {
    let example = read(&format!("{name}.rs"));
    let (_, rest) = example.split_once("// [README\n").expect("the first mark");
    let (part, _) = rest.split_once("    // README]\n").expect("the second mark");
    let lines: Vec<&str> = part.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    assert!(lines.len() <= most, "from a file to vertices in {} lines", lines.len());

    let readme = read("../README.md");
    let (_, section) = readme.split_once(section).expect("the section of the README");
    let (_, block) = section.split_once("```rust\n").expect("its code");
    let (block, _) = block.split_once("```").expect("the end of its code");
    let shown: Vec<&str> = block.lines().filter(|line| !line.starts_with("use ")).collect();
    let shown: Vec<&str> = shown.into_iter().skip_while(|line| line.is_empty()).collect();
    assert_eq!(shown, lines);

    // The strip of figures that it draws.
    let (section, _) = section.split_once("\n## ").expect("another section");
    let picture = format!("docs/{picture}.png");
    assert!(section.contains(&format!("]({picture})")), "the picture is missing");
    let picture = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(picture));
    assert!(picture.expect("the picture").starts_with(b"\x89PNG"));
}

/// A game's whole character is short, and needs nothing that a game does not have.
#[test]
fn a_third_person_character_is_short_and_stands_on_public_crates_alone() {
    let example = read("third_person.rs");
    assert!(example.lines().count() <= 150, "{} lines", example.lines().count());
    assert!(!example.contains("lissom_examples"));
    for part in
        ["stand(", "look_at(", ".hold(", ".montage(", ".again()", "aim_left", "crouch", "jump", "step"]
    {
        assert!(example.contains(part), "{part}");
    }
}

//! The README's example is the one that is compiled: `play_archive.rs`, between its two marks; its picture is below it.

use std::{fs, path::Path};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_readme_shows_what_play_archive_does() {
    let example = read("play_archive.rs");
    let (_, rest) = example.split_once("// [README\n").expect("the first mark");
    let (part, _) = rest.split_once("    // README]\n").expect("the second mark");
    let lines: Vec<&str> = part.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    assert!(lines.len() <= 15, "from a file to vertices in {} lines", lines.len());

    let readme = read("../README.md");
    let (_, section) = readme.split_once("## In fifteen lines").expect("the section of the README");
    let (_, block) = section.split_once("```rust\n").expect("its code");
    let (block, _) = block.split_once("```").expect("the end of its code");
    let shown: Vec<&str> = block.lines().filter(|line| !line.starts_with("use ")).collect();
    let shown: Vec<&str> = shown.into_iter().skip_while(|line| line.is_empty()).collect();
    assert_eq!(shown, lines);

    // The strip of figures that it draws.
    let (section, _) = section.split_once("\n## ").expect("another section");
    assert!(section.contains("](docs/play_archive.png)"), "the picture is missing");
    let picture = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/play_archive.png"));
    assert!(picture.expect("the picture").starts_with(b"\x89PNG"));
}

//! Data stands below work: what `use` lines and paths say about who knows whom.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// Rooms that know neither jobs nor archives.
const BELOW: [&str; 8] = ["clip", "mesh", "track", "skeleton", "lod", "mask", "bytes", "hash"];

/// A source file by its module path (`clip::keys::window`) and its code, without comments and unit tests.
type Sources = BTreeMap<String, String>;

fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

fn read(folder: &Path, module: &str, into: &mut Sources) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("a file").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let inner = if module.is_empty() { stem.clone() } else { format!("{module}::{stem}") };
        if path.is_dir() {
            read(&path, &inner, into);
        } else if stem != "lib" {
            let name = if stem == "mod" { module.to_owned() } else { inner };
            into.insert(name, code(&fs::read_to_string(&path).expect("readable")));
        }
    }
}

fn sources() -> Sources {
    let mut out = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut out);
    out
}

/// The paths of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str, prefix: &str, out: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (i, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|p| !p.is_empty()) {
        match part.split_once('{') {
            Some((head, rest)) => {
                paths(rest.trim_end().trim_end_matches('}'), &format!("{prefix}{head}"), out)
            }
            None => out.push(format!("{prefix}{}", part.split(" as ").next().unwrap_or_default().trim())),
        }
    }
}

/// The modules that a module names in its `use` lines, as far as they are ours.
fn named(module: &str, code: &str, all: &Sources) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for tree in code.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let mut list = Vec::new();
        paths(&tree.split_whitespace().collect::<Vec<_>>().join(" "), "", &mut list);
        for path in list {
            let mut parts: Vec<&str> = path.split("::").map(str::trim).collect();
            let mut base: Vec<&str> = match parts[0] {
                "crate" => Vec::new(),
                "super" => module.split("::").collect(),
                _ => continue,
            };
            while let Some(first @ ("super" | "crate")) = parts.first().copied() {
                parts.remove(0);
                if first == "super" {
                    base.pop();
                }
            }
            base.extend(parts);
            // The longest part of the path that is a file.
            let file = (1..=base.len()).rev().map(|n| base[..n].join("::")).find(|p| all.contains_key(p));
            out.extend(file);
        }
    }
    out.remove(module);
    out
}

/// Everything below that knows a job or an archive.
fn upward(all: &Sources) -> Vec<String> {
    let below = |m: &str| BELOW.contains(&m.split("::").next().unwrap_or_default());
    let mut out = Vec::new();
    for (module, code) in all.iter().filter(|(m, _)| below(m)) {
        let up = ["job", "archive"];
        let by_use = named(module, code, all);
        let by_use = by_use.iter().any(|m| up.contains(&m.split("::").next().unwrap_or_default()));
        if by_use || up.iter().any(|room| code.contains(&format!("crate::{room}"))) {
            out.push(module.clone());
        }
    }
    out
}

/// A circle between files of one room, if there is one: each knows the next. A folder knows its files.
fn circle(room: &str, all: &Sources) -> Option<Vec<String>> {
    let inside = |m: &String| *m == room || m.starts_with(&format!("{room}::"));
    let mut knows: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    for (module, code) in all.iter().filter(|(m, _)| inside(m)) {
        let child = |m: &&String| m.strip_prefix(&format!("{module}::")).is_some_and(|r| !r.contains("::"));
        let children: BTreeSet<String> = all.keys().filter(child).cloned().collect();
        let known = if children.is_empty() {
            named(module, code, all).into_iter().filter(|m| inside(m)).collect()
        } else {
            children
        };
        knows.insert(module, known);
    }
    // What knows nobody that is left is in no circle.
    while let Some(leaf) =
        knows.iter().find(|(_, k)| !k.iter().any(|m| knows.contains_key(m))).map(|(m, _)| *m)
    {
        knows.remove(leaf);
    }
    let mut way = vec![(*knows.keys().next()?).clone()];
    loop {
        let next = knows[way.last()?].iter().find(|m| knows.contains_key(m))?.clone();
        if let Some(at) = way.iter().position(|m| *m == next) {
            return Some(way.split_off(at));
        }
        way.push(next);
    }
}

#[test]
fn data_knows_no_work() {
    assert_eq!(upward(&sources()), [""; 0]);
}

#[test]
fn no_file_of_clips_or_meshes_is_in_a_circle() {
    let all = sources();
    assert!(all.contains_key("clip::keys::window") && all.contains_key("clip::rows::tables"));
    for room in ["clip", "mesh"] {
        assert_eq!(circle(room, &all), None);
    }
}

#[test]
fn the_two_forms_of_clips_do_not_know_each_other() {
    let all = sources();
    for (form, other) in [("clip::keys", "clip::rows"), ("clip::rows", "clip::keys")] {
        for (module, code) in all.iter().filter(|(m, _)| m.starts_with(form)) {
            let known = named(module, code, &all);
            assert!(!known.iter().any(|m| m.starts_with(other)), "{module} knows {known:?}");
        }
    }
}

#[test]
fn planted_violations_are_found() {
    let plant = |files: &[(&str, &str)]| -> Sources {
        files.iter().map(|(m, text)| ((*m).to_owned(), code(text))).collect()
    };
    let all = plant(&[
        ("job", ""),
        ("clip", "mod a;"),
        ("clip::a", "use super::{\n    b::{X, Y},\n};"),
        ("clip::b", "use crate::{clip::c, job::JobError};"),
        ("clip::c", "use super::a::Z; // use crate::job::A;"),
        ("clip::d", "fn f() -> crate::archive::Archive {}"),
    ]);
    assert_eq!(upward(&all), ["clip::b", "clip::d"]);
    assert_eq!(circle("clip", &all).map(|c| c.len()), Some(3));
    let door = plant(&[("clip", ""), ("clip::a", "use super::B;")]);
    assert!(circle("clip", &door).is_some(), "a file that goes through its own folder's door");
    let fine = plant(&[("clip", ""), ("clip::a", "use super::b::B;"), ("clip::b", "use core::fmt;")]);
    assert_eq!(circle("clip", &fine), None);
}

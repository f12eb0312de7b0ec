//! Data stands below work: what `use` lines and paths say about who knows whom, through re-exports too.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// Rooms that know neither jobs nor archives.
const BELOW: [&str; 8] = ["clip", "mesh", "track", "skeleton", "lod", "mask", "bytes", "hash"];

/// The crate's own file, which hands names on.
const ROOT: &str = "";

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
        } else {
            let name = match &*stem {
                "lib" => ROOT.to_owned(),
                "mod" => module.to_owned(),
                _ => inner,
            };
            into.insert(name, code(&fs::read_to_string(&path).expect("readable")));
        }
    }
}

fn sources() -> Sources {
    sources_of("src")
}

/// Of a folder, from here.
fn sources_of(folder: &str) -> Sources {
    let mut out = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut out);
    out
}

/// A name that a module takes from elsewhere: `use a::b as c` is c, at a::b.
struct Import {
    path: Vec<String>,
    name: String,
    /// Handed on.
    public: bool,
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
            None => out.push(format!("{prefix}{part}")),
        }
    }
}

fn imports(code: &str) -> Vec<Import> {
    let mut out = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let line = code[..at].lines().last().unwrap_or_default().trim_start();
        let tree = code[at + 4..].split(';').next().unwrap_or_default();
        let mut list = Vec::new();
        paths(&tree.split_whitespace().collect::<Vec<_>>().join(" "), "", &mut list);
        for text in list {
            let (path, alias) = text.split_once(" as ").unwrap_or((&text, ""));
            let path: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
            let name = if alias.is_empty() { path[path.len() - 1].clone() } else { alias.trim().to_owned() };
            out.push(Import { path, name, public: line.starts_with("pub") });
        }
    }
    out
}

/// Paths that start with `crate::` in the midst of code.
fn inline(code: &str) -> impl Iterator<Item = Vec<String>> {
    let path = |rest: &str| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).unwrap_or(rest.len());
        rest[..end].split("::").filter(|part| !part.is_empty()).map(String::from).collect()
    };
    code.split("crate::").skip(1).map(path)
}

/// A path that a module names, from the crate's root; `None` if it leads out of the crate.
fn absolute(module: &str, path: &[String], all: &Sources) -> Option<Vec<String>> {
    let mut base: Vec<String> = module.split("::").filter(|m| !m.is_empty()).map(String::from).collect();
    let mut rest = path;
    match &*path[0] {
        "crate" => (base, rest) = (Vec::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        child => {
            let inner = if module == ROOT { child.to_owned() } else { format!("{module}::{child}") };
            all.get(&inner)?;
        }
    }
    base.extend_from_slice(rest);
    Some(base)
}

/// The files that a path leads to: the longest part of it that is one, and where that one has the name from.
fn homes(path: &[String], all: &Sources, into: &mut BTreeSet<String>) {
    let file = |n: &usize| all.contains_key(&path[..*n].join("::"));
    let Some(n) = (0..=path.len()).rev().find(file) else { return };
    let file = path[..n].join("::");
    let Some((name, rest)) = path[n..].split_first() else {
        into.insert(file);
        return;
    };
    let handed_on: Vec<Import> = imports(&all[&file]).into_iter().filter(|import| import.public).collect();
    let by_name = handed_on.iter().any(|import| import.name == *name);
    for import in handed_on.iter().filter(|i| if by_name { i.name == *name } else { i.name == "*" }) {
        let Some(mut target) = absolute(&file, &import.path, all) else { continue };
        if import.name == "*" {
            target.pop();
            target.push(name.clone());
        }
        target.extend_from_slice(rest);
        homes(&target, all, into);
    }
    into.insert(file);
}

/// The modules that a module names, as far as they are ours.
fn named(module: &str, code: &str, all: &Sources) -> BTreeSet<String> {
    let by_use = imports(code).into_iter().filter_map(|import| absolute(module, &import.path, all));
    let mut out = BTreeSet::new();
    by_use.chain(inline(code)).for_each(|path| homes(&path, all, &mut out));
    // The root itself only hands names on.
    out.remove(ROOT);
    out.remove(module);
    out
}

/// Everything below that knows a job or an archive.
fn upward(all: &Sources) -> Vec<String> {
    let room = |m: &str| m.split("::").next().unwrap_or_default().to_owned();
    let work = |m: &String| ["job", "archive"].contains(&&*room(m));
    let below = all.iter().filter(|(module, _)| BELOW.contains(&&*room(module)));
    below.filter(|(m, code)| named(m, code, all).iter().any(work)).map(|(m, _)| m.clone()).collect()
}

/// A circle between files of one room, if there is one: each knows the next. A folder knows its files, and what its own file
/// names. The root is the room of all.
fn circle(room: &str, all: &Sources) -> Option<Vec<String>> {
    let inside = |m: &String| match room {
        ROOT => m != ROOT,
        room => *m == room || m.starts_with(&format!("{room}::")),
    };
    let mut knows: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    for (module, code) in all.iter().filter(|(m, _)| inside(m)) {
        let child = |m: &&String| m.strip_prefix(&format!("{module}::")).is_some_and(|r| !r.contains("::"));
        let children: BTreeSet<String> = all.keys().filter(child).cloned().collect();
        let own = named(module, code, all).into_iter().filter(|m| inside(m));
        knows.insert(module, own.chain(children).collect());
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
fn no_file_of_the_viewer_is_in_a_circle() {
    let all = sources_of("../lissom-viewer/src");
    assert!(all.len() > 40 && all.contains_key("state::command") && all.contains_key("platform::web"));
    assert_eq!(circle(ROOT, &all), None);
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
        ("archive", ""),
        ("clip", "mod a;"),
        ("clip::a", "use super::{\n    b::{X, Y},\n};"),
        ("clip::b", "use crate::{clip::c, job::JobError};"),
        ("clip::c", "use super::a::Z; // use crate::job::A;"),
        ("clip::d", "fn f() -> crate::archive::Archive {}"),
    ]);
    assert_eq!(upward(&all), ["clip::b", "clip::d"]);
    assert_eq!(circle("clip", &all).map(|c| c.len()), Some(3));
    let handed_on = plant(&[
        (ROOT, "pub mod job;\npub use clip::Clip;\npub use job::{Mix, SampleJob as Sampler};"),
        ("prelude", "pub use crate::{Clip, job::*};"),
        ("job", "pub use sample::SampleJob;"),
        ("job::sample", "pub struct SampleJob;"),
        ("clip", "mod a;\npub use a::Clip;"),
        ("clip::a", "use crate::Clip;\nuse std::fmt;"),
        ("mesh", "use crate::Sampler;"),
        ("mask", "use crate::prelude::SampleJob;"),
        ("track", "fn f(mix: &crate::Mix) {}"),
        ("lod", "use crate::{Clip, prelude::Clip as C};"),
    ]);
    assert_eq!(upward(&handed_on), ["mask", "mesh", "track"]);
    let sampled = BTreeSet::from(["job", "job::sample"].map(String::from));
    assert_eq!(named("mesh", &handed_on["mesh"], &handed_on), sampled);
    let door = plant(&[("clip", ""), ("clip::a", "use super::B;")]);
    assert!(circle("clip", &door).is_some(), "a file that goes through its own folder's door");
    let fine = plant(&[("clip", ""), ("clip::a", "use super::b::B;"), ("clip::b", "use core::fmt;")]);
    assert_eq!(circle("clip", &fine), None);
}

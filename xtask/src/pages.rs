//! Pages that name things: what they name is there.
//!
//! Every check finds its planted violations first, then looks at the workspace.
//!
//! - [`promises`]: every test, file, step and module that `PROMISES.md` names, and `docs/DEFECTS.md`.
//! - [`features`]: the feature tables of the crates' front pages and their `Cargo.toml`.
//! - [`readers`]: every public function that reads foreign bytes is fed with hostile ones.
//! - [`strict`]: the files that `ARCHITECTURE.md` names for foreign bytes are under strict lints.
//! - [`built`]: every source belongs to something that cargo builds.
//! - [`crate::exports`]: names at the roots of the crates.
//! - [`inside`]: no source takes in a file from outside its package: what is published must build alone.

use crate::{exports, source, workspace};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

/// All of them, each to its end. Pages may name the steps of CI.
pub fn check(steps: &[&str]) -> Result<(), String> {
    let checks = [features, readers, strict, built, inside, exports::check];
    let results = std::iter::once(promises(steps)).chain(checks.iter().map(|check| check()));
    let errors: Vec<String> = results.filter_map(Result::err).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// What names can stand for.
#[derive(Default)]
struct Names {
    /// Each test's name, with the path of its file in pieces.
    tests: Vec<(String, Vec<String>)>,
    /// Each source file's path in pieces; the last one without `.rs`.
    files: Vec<Vec<String>>,
    /// Steps of CI, checks of `lissom-checks`, golden hashes.
    others: BTreeSet<String>,
}

/// Every name in back ticks in `PROMISES.md`, and in what keeps each defect of `docs/DEFECTS.md` away.
pub fn promises(steps: &[&str]) -> Result<(), String> {
    let page = source::read(&workspace::root().join("PROMISES.md"))?;
    let defects = kept_by(&source::read(&workspace::root().join("docs/DEFECTS.md"))?)?;
    let names = names(steps)?;
    for planted in [
        "`rows::no_such_test`",
        "`tests/no_such_file.rs`",
        "`mannequin::{every_way_agrees_on_rows, nor_this}`",
    ] {
        if unknown(planted, &names).len() != 1 {
            return Err(format!("the planted violation {planted} was not found"));
        }
    }
    for (name, page) in [("PROMISES.md", page), ("docs/DEFECTS.md", defects)] {
        let unknown = unknown(&page, &names);
        if !unknown.is_empty() {
            return Err(format!("{name} names what is not there: {}", unknown.join(", ")));
        }
    }
    Ok(())
}

/// The last cells of all tables; none may be without a name.
fn kept_by(page: &str) -> Result<String, String> {
    let rows = page.lines().filter(|l| l.starts_with("| ") && !l.ends_with("kept by |"));
    let mut cells = String::new();
    for row in rows {
        let cell = row.trim_end().trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        if !cell.contains('`') {
            return Err(format!("docs/DEFECTS.md: nothing keeps this away: {row}"));
        }
        cells.push_str(cell);
    }
    if cells.is_empty() { Err("docs/DEFECTS.md has no table".into()) } else { Ok(cells) }
}

fn names(steps: &[&str]) -> Result<Names, String> {
    let root = workspace::root();
    let mut names = Names::default();
    for folder in ["crates", "xtask", "checks", "examples"] {
        for file in source::rust_files(&root.join(folder))? {
            let path = file.strip_prefix(&root).unwrap_or(&file).with_extension("");
            let path: Vec<String> =
                path.components().map(|c| c.as_os_str().to_string_lossy().replace('-', "_")).collect();
            let code = source::code(&source::read(&file)?);
            for test in code.split("#[test]").skip(1) {
                let Some((_, rest)) = test.split_once("fn ") else { continue };
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                names.tests.push((rest[..end].to_owned(), path.clone()));
            }
            names.files.push(path);
        }
    }
    names.others.extend(steps.iter().map(|name| (*name).to_owned()));
    let hashes = source::read(&root.join("crates/lissom-testkit/golden_hashes.txt"))?;
    names.others.extend(hashes.lines().filter_map(|l| l.split(' ').next()).map(str::to_owned));
    let checks = source::read(&root.join("checks/src/main.rs"))?;
    names.others.extend(checks.split('"').skip(1).step_by(2).map(str::to_owned));
    Ok(names)
}

fn unknown(page: &str, names: &Names) -> Vec<String> {
    let ticked = page.split('`').skip(1).step_by(2);
    ticked
        .flat_map(|t| braces(&t.split_whitespace().collect::<Vec<_>>().join(" ")))
        .filter(|t| !known(t, names))
        .collect()
}

/// `a::{b, c}_d` is `a::b_d` and `a::c_d`.
fn braces(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else { return vec![text.to_owned()] };
    let Some((inner, after)) = rest.split_once('}') else { return vec![text.to_owned()] };
    inner.split(',').flat_map(|part| braces(&format!("{before}{}{after}", part.trim()))).collect()
}

fn known(name: &str, names: &Names) -> bool {
    if let Some(check) = name.strip_prefix("lissom-checks ") {
        return names.others.contains(check);
    }
    // Code, not a name.
    if name.contains(['&', '(', '[', '=']) {
        return true;
    }
    if let Some(command) = name.strip_prefix("cargo ") {
        return command == "xtask ci";
    }
    if let Some(end) = name.strip_prefix('…') {
        return names.tests.iter().any(|(test, _)| test.ends_with(end));
    }
    if let Some(path) = name.strip_suffix(".rs") {
        let path: Vec<String> = path.split('/').map(str::to_owned).collect();
        return names.files.iter().any(|f| f.ends_with(&path));
    }
    if names.others.contains(name) {
        return true;
    }
    let mut path: Vec<&str> = name.split("::").collect();
    let last = path.pop().unwrap_or_default();
    let below = |file: &[String]| path.iter().all(|p| file.iter().any(|piece| piece == p));
    names.tests.iter().any(|(test, file)| test == last && below(file))
        || names.files.iter().any(|file| file.iter().any(|piece| piece == last) && below(file))
}

/// The tables of features on the crates' front pages.
pub fn features() -> Result<(), String> {
    let planted = "//! | feature | default | what it adds |\n//! |---|---|---|\n//! | `a` | yes | x |\n//! | `b` | no | y |\n";
    let really = |a, b| BTreeMap::from([("a".to_owned(), a), ("b".to_owned(), b)]);
    for wrong in [really(true, true), BTreeMap::from([("a".to_owned(), true)])] {
        if table(planted) == wrong || table(planted) != really(true, false) {
            return Err("a planted table of features was misread".into());
        }
    }
    let metadata = workspace::metadata()?;
    let mut errors = String::new();
    for package in workspace::packages(&metadata)? {
        let (Some(name), Some(manifest)) = (package["name"].as_str(), package["manifest_path"].as_str())
        else {
            continue;
        };
        let folder = Path::new(manifest).parent().unwrap_or(Path::new(""));
        if !folder.starts_with(workspace::root().join("crates")) {
            continue;
        }
        let page = ["src/lib.rs", "src/main.rs"].map(|p| folder.join(p)).into_iter().find(|p| p.is_file());
        let page = page.ok_or(format!("{name} has no front page"))?;
        let (found, wanted) = (table(&source::read(&page)?), of_manifest(&package["features"]));
        if found != wanted {
            let page = source::shown(&page);
            errors.push_str(&format!(
                "{page} has the features {found:?}, Cargo.toml {wanted:?} (true: by default)\n"
            ));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Features, and whether they are on by default, as cargo has them.
fn of_manifest(features: &Value) -> BTreeMap<String, bool> {
    let Some(features) = features.as_object() else { return BTreeMap::new() };
    let of = |name: &str| {
        features.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    };
    let mut on = BTreeSet::new();
    let mut open = vec!["default"];
    while let Some(name) = open.pop() {
        open.extend(of(name).filter(|f| on.insert(f.to_owned())));
    }
    features.keys().filter(|f| *f != "default").map(|f| (f.clone(), on.contains(f.as_str()))).collect()
}

/// The rows of ``//! | `name` | yes | …`` below the table's head.
fn table(page: &str) -> BTreeMap<String, bool> {
    let mut rows = BTreeMap::new();
    let from = page.lines().skip_while(|l| !l.starts_with("//! | feature | default |")).skip(2);
    for line in from.take_while(|l| l.starts_with("//! |")) {
        let mut cells = line.split('|').skip(1).map(str::trim);
        if let (Some(name), Some(on)) = (cells.next(), cells.next()) {
            rows.insert(name.trim_matches('`').to_owned(), on == "yes");
        }
    }
    rows
}

/// Where the libraries read foreign bytes.
const READERS: [&str; 8] = [
    "crates/lissom/src/archive",
    "crates/lissom/src/clip",
    "crates/lissom-build/src/graph",
    "crates/lissom-build/src/import",
    "crates/lissom-build/src/recipe",
    "crates/lissom-draw/src",
    "crates/lissom-motion/src",
    "crates/lissom-world/src",
];

/// Every reader is called by a body of `lissom_testkit::hostile`, which the tests and the fuzzer run.
pub fn readers() -> Result<(), String> {
    let planted = "impl<'a> View<'a> {\n pub fn of(\n  bytes: &'a [u8],\n ) -> Result<Self, E> {}\n}\npub fn read(r: &mut impl Read) -> Result<()> {}\n\
        impl Feed { pub fn push(&mut self, b: &[u8]) -> Option<u8> {} pub fn name(&self) -> Result<&[u8]> {} }\n\
        pub(super) struct Inner;\nimpl Inner { pub fn read(b: &[u8]) -> Option<u8> {} }";
    let found = public_readers("planted", planted);
    if found != ["View::of(", "planted::read(", ".push("] {
        return Err(format!("the planted readers were not found, but {found:?}"));
    }
    let root = workspace::root();
    let mut bodies = String::new();
    for file in source::rust_files(&root.join("crates/lissom-testkit/src/hostile"))? {
        bodies.push_str(&source::code(&source::read(&file)?));
    }
    let (mut errors, mut count) = (String::new(), 0);
    for folder in READERS {
        for file in source::rust_files(&root.join(folder))? {
            let code = source::code(&source::read(&file)?);
            let stem = if file.ends_with("mod.rs") { file.parent() } else { Some(file.as_path()) };
            let stem = stem.and_then(Path::file_stem).unwrap_or_default().to_string_lossy();
            for reader in public_readers(&stem, source::without_tests(&code)) {
                count += 1;
                if !bodies.contains(&reader) {
                    errors.push_str(&format!(
                        "{}: no hostile target calls `{reader}…)`\n",
                        source::shown(&file)
                    ));
                }
            }
        }
    }
    let (of_python, missing) = python_readers(&root)?;
    errors.push_str(&missing);
    println!("   {count} readers of foreign bytes, {of_python} of Python");
    if count < 15 {
        errors.push_str(&format!("only {count} readers of foreign bytes found\n"));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Where Python hands bytes over, and the test that spoils them.
const PYTHON: [&str; 2] = ["crates/lissom-py/src", "crates/lissom-py/tests/test_hostile.py"];

/// Every method of a Python class that takes bytes is named by the package's hostile test; how many there are, and which are not named.
fn python_readers(root: &Path) -> Result<(usize, String), String> {
    let planted = "impl Clip {\n    fn _from_bytes(\n  py: Python<'_>,\n  bytes: &[u8],\n ) -> PyResult<Self> {}\n fn name(&self) -> &str {}\n}\nfn free(bytes: &[u8]) -> PyResult<()> {}";
    let found = python_methods(planted);
    if found != ["Clip._from_bytes"] {
        return Err(format!("the planted method was not found, but {found:?}"));
    }
    let test = source::read(&root.join(PYTHON[1]))?;
    let (mut missing, mut count) = (String::new(), 0);
    for file in source::rust_files(&root.join(PYTHON[0]))? {
        let code = source::code(&source::read(&file)?);
        for method in python_methods(&code) {
            count += 1;
            if !test.contains(&format!("\"{method}\"")) {
                missing.push_str(&format!(
                    "{}: {} does not name {method}\n",
                    source::shown(&file),
                    PYTHON[1]
                ));
            }
        }
    }
    if count < 7 {
        missing.push_str(&format!("only {count} methods of Python that take bytes found\n"));
    }
    Ok((count, missing))
}

/// Methods that take bytes and can raise, by their class.
fn python_methods(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(" fn ") {
        let signature = code[at + 4..].split(['{', ';']).next().unwrap_or_default();
        let name = signature.split(['(', '<']).next().unwrap_or_default();
        let Some((arguments, result)) = signature.rsplit_once("->") else { continue };
        let takes = arguments.contains("&[u8]") && result.trim_start().starts_with("PyResult");
        let owner = code[..at].rfind("\nimpl").map(|i| i + 1).or(code.starts_with("impl").then_some(0));
        if let Some(owner) = owner.filter(|_| takes && code[..at].ends_with("   ")) {
            found.push(format!("{}.{name}", owner_of(&code[owner..])));
        }
    }
    found
}

/// How public functions that take bytes or a reader, and can fail, are called.
fn public_readers(module: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("pub fn ") {
        let rest = &code[at + 7..];
        let signature = rest.split(['{', ';']).next().unwrap_or_default();
        let (name, _) = signature.split_at(signature.find(['(', '<']).unwrap_or(signature.len()));
        let Some((arguments, result)) = signature.rsplit_once("->") else { continue };
        // What a callback is given is not what the function reads.
        let arguments = arguments.split("FnMut(").next().unwrap_or_default();
        let takes =
            arguments.contains("[u8]") && !arguments.contains("&mut [u8]") || arguments.contains("Read");
        if !takes || !["Result", "Option"].iter().any(|r| result.trim_start().starts_with(r)) {
            continue;
        }
        let indented = code[..at].ends_with([' ', '\t']);
        let owner = code[..at].rfind("\nimpl").map(|i| i + 1).or(code.starts_with("impl").then_some(0));
        let owner = owner.filter(|_| indented).map(|i| owner_of(&code[i..]));
        // A type of the file's own rooms: who uses it from outside comes through another.
        let inner = |o: &str| ["pub(super) ", "pub(crate) ", "\n"].map(|v| format!("{v}struct {o}"));
        if owner.is_some_and(|o| inner(o).iter().any(|declared| code.contains(declared.as_str()))) {
            continue;
        }
        let arguments = arguments.split_once('(').map_or("", |(_, a)| a).trim_start();
        let method = ["&self", "&mut self", "self", "mut self"].iter().any(|s| arguments.starts_with(s));
        found.push(match owner {
            Some(_) if method => format!(".{name}("),
            Some(owner) => format!("{owner}::{name}("),
            None => format!("{module}::{name}("),
        });
    }
    found
}

/// The type of `impl<…> Type<…> {` or `impl<…> Trait for Type {`.
fn owner_of(code: &str) -> &str {
    let head = code.split('{').next().unwrap_or_default();
    let head = head.strip_prefix("impl").unwrap_or(head);
    // Past the parameters, whose bounds may hold brackets of their own.
    let mut depth = 0;
    let past = head.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '<') - i32::from(*c == '>');
        depth == 0
    });
    let head = if head.starts_with('<') { past.map_or(head, |(i, _)| &head[i + 1..]) } else { head };
    let head = head.split(" for ").last().unwrap_or(head).trim_start();
    let path =
        &head[..head.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(head.len())];
    path.rsplit("::").next().unwrap_or(path)
}

/// What is forbidden where bytes from outside are read: whatever can panic on a number that a file chose.
const STRICT: [&str; 5] =
    ["indexing_slicing", "unwrap_used", "expect_used", "arithmetic_side_effects", "panic"];

/// Where bytes from outside are read: a folder's `mod.rs` speaks for all of it.
const FOREIGN: [&str; 17] = [
    "crates/lissom/src/archive/mod.rs",
    "crates/lissom/src/clip/contents.rs",
    "crates/lissom/src/clip/header.rs",
    "crates/lissom/src/clip/keys/layout.rs",
    "crates/lissom/src/clip/rows/tables.rs",
    "crates/lissom/src/clip/stream/directory.rs",
    "crates/lissom-build/src/graph/mod.rs",
    "crates/lissom-build/src/import/mod.rs",
    "crates/lissom-build/src/recipe/mod.rs",
    "crates/lissom-motion/src/graph/saved.rs",
    "crates/lissom-motion/src/matching/saved.rs",
    "crates/lissom-motion/src/memory.rs",
    "crates/lissom-motion/src/reader.rs",
    "crates/lissom-motion/src/recording/delta.rs",
    "crates/lissom-motion/src/recording/file.rs",
    "crates/lissom-motion/src/state/saved.rs",
    "crates/lissom-world/src/snapshot.rs",
];

/// Vectors of floats alone: the lint takes their operators for those of integers.
const FLOATS: [&str; 1] = ["crates/lissom-build/src/import/gltf/matrix.rs"];

/// The lints of files that read bytes from outside.
pub fn strict() -> Result<(), String> {
    let planted =
        "#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]";
    if missing_lints(planted) != ["arithmetic_side_effects"] || missing_lints("").len() != STRICT.len() {
        return Err("the planted violation, a lint left out, was not found".into());
    }
    let planted = "//! Text.\n#![allow(\n    clippy::too_many_lines,\n    clippy::panic,\n    reason = \"a\"\n)]\nmod a;";
    if allowed_lints(planted) != ["panic"] || !allowed_lints("#![deny(clippy::panic)]").is_empty() {
        return Err("the planted violation, an inner allow, was not found".into());
    }
    let root = workspace::root();
    let mut errors = String::new();
    for file in FOREIGN {
        let folder = file.strip_suffix("/mod.rs");
        let files =
            folder.map_or_else(|| Ok(vec![root.join(file)]), |f| source::rust_files(&root.join(f)))?;
        for file in files {
            let allowed = allowed_lints(&source::code(&source::read(&file)?));
            let test = file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
            let floats = FLOATS.iter().any(|floats| file.ends_with(floats));
            if !allowed.is_empty() && !test && !floats {
                let file = source::shown(&file);
                errors.push_str(&format!("{file} reads foreign bytes and allows {allowed:?}\n"));
            }
        }
        let missing = missing_lints(&source::code(&source::read(&workspace::root().join(file))?));
        if !missing.is_empty() {
            errors.push_str(&format!("{file} reads foreign bytes and does not deny {missing:?}\n"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The strict lints that an inner attribute allows for a whole file.
fn allowed_lints(code: &str) -> Vec<&'static str> {
    let inner = ["#![allow(", "#![expect(", "#![warn("];
    let lists = inner.iter().flat_map(|attribute| code.split(attribute).skip(1));
    let lists: Vec<&str> = lists.map(|rest| rest.split(']').next().unwrap_or_default()).collect();
    STRICT.into_iter().filter(|lint| lists.iter().any(|l| l.contains(&format!("clippy::{lint}")))).collect()
}

/// What a file's own `#![deny(…)]` leaves out.
fn missing_lints(code: &str) -> Vec<&'static str> {
    let inner = code.split_once("#![").map_or("", |(_, rest)| rest);
    let denied = inner.split_once("deny(").and_then(|(_, rest)| rest.split_once(')')).map_or("", |(d, _)| d);
    let denied: Vec<&str> = denied.split(',').map(str::trim).collect();
    STRICT.into_iter().filter(|lint| !denied.contains(&format!("clippy::{lint}").as_str())).collect()
}

/// `#[path]` and the `include` macros.
pub fn inside() -> Result<(), String> {
    let planted = [
        "#[path = \"../../b/src/c.rs\"]\nmod c;",
        "const R: &str = include_str!(\n    \"../../README.md\"\n);",
    ];
    for text in planted {
        if outside(Path::new("/a/src/lib.rs"), Path::new("/a"), text).len() != 1 {
            return Err(format!("the planted violation `{text}` was not found"));
        }
    }
    let root = workspace::root();
    let mut errors = String::new();
    for file in source::rust_files(&root)? {
        let package = file.ancestors().skip(1).find(|a| a.join("Cargo.toml").is_file()).unwrap_or(&root);
        for path in outside(&file, package, &source::read(&file)?) {
            errors.push_str(&format!(
                "{} takes in {}, outside its package\n",
                source::shown(&file),
                source::shown(&path)
            ));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Files that a source takes in and that lie outside the package's folder.
fn outside(file: &Path, package: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let folder = file.parent().unwrap_or(package);
    for start in ["#[path", "include!(", "include_str!(", "include_bytes!("] {
        for (at, _) in text.match_indices(start) {
            // Words about it, and words in a string as here, are not it.
            let line = text[..at].rsplit('\n').next().unwrap_or_default();
            if line.trim_start().starts_with("//") || line.contains('"') {
                continue;
            }
            let rest = &text[at + start.len()..];
            let argument = rest.split([']', ')']).next().unwrap_or_default();
            let from = if argument.contains("CARGO_MANIFEST_DIR") { package } else { folder };
            // The last string: the path, after what names the folder.
            let Some(path) = rest.split('"').nth(if argument.contains("CARGO_MANIFEST_DIR") { 3 } else { 1 })
            else {
                continue;
            };
            let path = normal(&from.join(path.trim_start_matches('/')));
            if !path.starts_with(package) {
                found.push(path);
            }
        }
    }
    found
}

/// From the targets that cargo knows, module by module, included files too: a source that is not met is built by nobody, whatever it says.
pub fn built() -> Result<(), String> {
    let metadata = workspace::metadata()?;
    let packages = workspace::packages(&metadata)?;
    let targets = packages.iter().flat_map(|p| p["targets"].as_array().into_iter().flatten());
    let roots: Vec<PathBuf> = targets.filter_map(|t| t["src_path"].as_str()).map(PathBuf::from).collect();
    let met = modules(&roots, |file| source::read(file).ok())?;
    let mut errors = String::new();
    for package in packages {
        let Some(folder) = package["manifest_path"].as_str().and_then(|p| Path::new(p).parent()) else {
            continue;
        };
        // What is planted for other checks to find is no source.
        let planted = folder.join("planted");
        let unmet = |file: &&PathBuf| {
            !met.contains(*file) && !file.starts_with(&planted) && manifest_of(file) == Some(folder)
        };
        for file in source::rust_files(folder)?.iter().filter(unmet) {
            errors.push_str(&format!("{} is a module of nothing\n", source::shown(file)));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The folder of the package that a file lies in, which may be one of another workspace.
fn manifest_of(file: &Path) -> Option<&Path> {
    file.ancestors().find(|folder| folder.join("Cargo.toml").is_file())
}

/// The roots and all modules below them.
fn modules(roots: &[PathBuf], read: impl Fn(&Path) -> Option<String>) -> Result<BTreeSet<PathBuf>, String> {
    let mut met = BTreeSet::new();
    let mut open: Vec<(PathBuf, bool)> = roots.iter().map(|r| (r.clone(), true)).collect();
    while let Some((file, root)) = open.pop() {
        let Some(text) = read(&file) else { return Err(format!("{} is not there", source::shown(&file))) };
        let folder = file.parent().unwrap_or(&file);
        let own =
            if root || file.ends_with("mod.rs") { folder.to_path_buf() } else { file.with_extension("") };
        for (line, whole) in source::code(&text).lines().zip(text.lines()) {
            let start = line.trim_start();
            if start.starts_with("#[path") || start.starts_with("include!(") {
                let path = whole.split('"').nth(1).unwrap_or_default();
                open.push((normal(&folder.join(path)), false));
                continue;
            }
            let Some(name) = line.split("mod ").nth(1).and_then(|rest| rest.strip_suffix(';')) else {
                continue;
            };
            let places = [own.join(name).with_extension("rs"), own.join(name).join("mod.rs")];
            open.extend(places.into_iter().filter(|p| read(p).is_some()).map(|p| (p, false)));
        }
        met.insert(file);
    }
    Ok(met)
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_promises_md_names_is_there() {
        promises(&crate::steps::names()).unwrap();
    }

    #[test]
    fn feature_tables_are_those_of_cargo_toml() {
        features().unwrap();
    }

    #[test]
    fn every_reader_of_foreign_bytes_has_a_hostile_target() {
        readers().unwrap();
    }

    #[test]
    fn foreign_bytes_are_read_under_strict_lints() {
        strict().unwrap();
    }

    #[test]
    fn every_source_is_a_module_of_something() {
        built().unwrap();
    }

    #[test]
    fn modules_are_followed_to_where_they_are() {
        let files = BTreeMap::from([
            ("a/src/lib.rs", "mod b;\npub(crate) mod c;\n// mod lost;\nmod inline {}"),
            ("a/src/b.rs", "mod d;"),
            ("a/src/b/d.rs", ""),
            ("a/src/c/mod.rs", "pub mod e;"),
            ("a/src/c/e.rs", ""),
            ("a/src/lost.rs", ""),
            ("a/tests/one/main.rs", "#[path = \"../common/mod.rs\"]\nmod common;\nmod page;"),
            ("a/tests/one/page.rs", "include!(\"../page/whole.rs\");\ninclude_str!(\"../page/lost.rs\");"),
            ("a/tests/page/whole.rs", ""),
            ("a/tests/page/lost.rs", ""),
            ("a/tests/common/mod.rs", "mod more;"),
            ("a/tests/common/more.rs", ""),
        ]);
        let read = |file: &Path| files.get(file.to_str()?).map(|text| (*text).to_owned());
        let met = modules(&["a/src/lib.rs".into(), "a/tests/one/main.rs".into()], read).unwrap();
        let missed: Vec<_> = files.keys().filter(|file| !met.contains(Path::new(file))).collect();
        assert_eq!(missed, [&"a/src/lost.rs", &"a/tests/page/lost.rs"]);
    }

    #[test]
    fn no_source_leaves_its_package() {
        inside().unwrap();
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(braces("a::{b, c}_d"), ["a::b_d", "a::c_d"]);
        assert_eq!(kept_by("| a | kept by |\n|---|---|\n| `b` | `c` |").unwrap(), " `c` ");
        assert!(kept_by("| a | kept by |\n|---|---|\n| `b` | |").is_err() && kept_by("").is_err());
        assert_eq!(owner_of("impl<R: Read<'a>> Feed<R> {"), "Feed");
        assert_eq!(owner_of("impl From<X> for crate::Y<'_> {"), "Y");
    }
}

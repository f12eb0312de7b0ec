//! What the library crates export at their roots and in their preludes: few names from `lissom-motion`, and no name twice.
//!
//! A program imports several of our crates side by side. So two different items must not have one name, and the crate with
//! the most names keeps them in modules. Modules do not count as names. But a module that only re-exports is no place for
//! names: it counts as the root does.

use crate::{source, workspace};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The most names at the root of `lissom-motion`.
const MOST_OF_MOTION: usize = 15;

/// Words before the name of an item.
const KINDS: [&str; 8] = ["struct", "enum", "trait", "type", "const", "static", "fn", "union"];

/// What a file exports.
#[derive(Debug, Default, PartialEq)]
struct Exports {
    /// Each name, with the crate and the name of the item that it stands for.
    names: BTreeMap<String, String>,
    /// Public modules.
    modules: Vec<String>,
    /// True if it defines items or has modules of its own.
    defines: bool,
}

/// Both checks, after their planted violations.
pub fn check() -> Result<(), String> {
    plants()?;
    let crates = crates()?;
    let motion = of_crate(&workspace::root().join("crates/lissom-motion/src"), "lissom_motion")?;
    if motion.len() > MOST_OF_MOTION {
        let names: Vec<&str> = motion.keys().map(String::as_str).collect();
        return Err(format!(
            "lissom-motion exports {} names at its root, at most {MOST_OF_MOTION}: {}",
            names.len(),
            names.join(", ")
        ));
    }
    let twice = twice(&crates);
    if twice.is_empty() {
        return Ok(());
    }
    Err(format!("two crates export different items of one name: {}", twice.join("; ")))
}

/// Every library crate of the project, with what it exports.
fn crates() -> Result<BTreeMap<String, BTreeMap<String, String>>, String> {
    let folder = workspace::root().join("crates");
    let mut crates = BTreeMap::new();
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", source::shown(&folder)))?;
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", source::shown(&folder)))?.path();
        let sources = path.join("src");
        if sources.join("lib.rs").exists() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().replace('-', "_");
            crates.insert(name.clone(), of_crate(&sources, &name)?);
        }
    }
    Ok(crates)
}

/// The names at the root of a crate, in its prelude, and in modules that only re-export.
fn of_crate(sources: &Path, name: &str) -> Result<BTreeMap<String, String>, String> {
    let root = exports(&source::read(&sources.join("lib.rs"))?, name)?;
    let mut names = root.names;
    for module in &root.modules {
        let paths = [sources.join(format!("{module}.rs")), sources.join(module).join("mod.rs")];
        let Some(path) = paths.iter().find(|path| path.exists()) else { continue };
        let inner = exports(&source::read(path)?, name)?;
        if !inner.defines {
            names.extend(inner.names);
        }
    }
    Ok(names)
}

/// Names that stand for different items in different crates.
fn twice(crates: &BTreeMap<String, BTreeMap<String, String>>) -> Vec<String> {
    let mut items: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (of, names) in crates {
        for (name, item) in names {
            items.entry(name).or_default().entry(item).or_default().push(of);
        }
    }
    let different = items.iter().filter(|(_, items)| items.len() > 1);
    let told = |(name, items): (&&str, &BTreeMap<&str, Vec<&str>>)| {
        let users: BTreeSet<&str> = items.values().flatten().copied().collect();
        format!("`{name}` of {}", users.into_iter().collect::<Vec<_>>().join(" and "))
    };
    different.map(told).collect()
}

/// What a source exports at its top level.
fn exports(text: &str, of: &str) -> Result<Exports, String> {
    let code = source::code(text);
    let mut found = Exports::default();
    for item in top_level(source::without_tests(&code)) {
        let (public, item) = match item.strip_prefix("pub ") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, item.as_str()),
        };
        let mut words =
            item.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        let first = words.next().unwrap_or_default();
        if first == "use" {
            if public {
                let tree = item.trim_start_matches("use").trim().trim_end_matches(';');
                uses(tree, &mut Vec::new(), of, &mut found.names)?;
            }
            continue;
        }
        // `const fn`, `unsafe trait` and the like: the last word of a kind is the one before the name.
        let kind = [Some(first), words.next(), words.next()].into_iter().flatten().collect::<Vec<_>>();
        let at = kind.iter().rposition(|word| KINDS.contains(word) || *word == "mod");
        let Some(at) = at else { continue };
        found.defines = true;
        let name = kind.get(at + 1).copied().or_else(|| words.next()).unwrap_or_default().to_owned();
        if public && kind[at] == "mod" {
            found.modules.push(name);
        } else if public {
            found.names.insert(name.clone(), format!("{of}::{name}"));
        }
    }
    Ok(found)
}

/// The items of a file, without attributes and without what is in their braces; a list of imports is kept whole.
fn top_level(code: &str) -> Vec<String> {
    let (mut items, mut item, mut depth, mut attribute) = (Vec::new(), String::new(), 0_usize, 0_usize);
    let mut before = ' ';
    for c in code.chars() {
        if attribute > 0
            || c == '[' && matches!(before, '#' | '!') && item.trim_end_matches('!').ends_with('#')
        {
            attribute = attribute + usize::from(c == '[') - usize::from(c == ']');
            if attribute == 0 {
                item.clear();
            }
            before = c;
            continue;
        }
        before = c;
        let listed = item.trim_start().starts_with("pub use") || item.trim_start().starts_with("use");
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || listed || (c == '{' && depth == 1) {
            item.push(if c.is_whitespace() { ' ' } else { c });
        }
        if depth == 0 && (c == ';' || (c == '}' && !listed)) {
            items.push(item.trim().to_owned());
            item.clear();
        }
    }
    items
}

/// The names of one import, by the crate that each is from.
fn uses(
    tree: &str,
    path: &mut Vec<String>,
    of: &str,
    names: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let depth = path.len();
        path.extend(tree[..open].split("::").map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned));
        let inner = tree[open + 1..].trim_end().trim_end_matches('}');
        let inner = &tree[open + 1..tree.rfind('}').unwrap_or(open + 1 + inner.len())];
        for one in split(inner) {
            uses(one, path, of, names)?;
        }
        path.truncate(depth);
        return Ok(());
    }
    let (tree, alias) =
        tree.split_once(" as ").map_or((tree, None), |(tree, alias)| (tree, Some(alias.trim())));
    let whole: Vec<&str> = path
        .iter()
        .map(String::as_str)
        .chain(tree.split("::").map(str::trim))
        .filter(|s| !s.is_empty())
        .collect();
    let (Some(first), Some(last)) = (whole.first(), whole.last()) else { return Ok(()) };
    if *last == "*" {
        return Err(format!("{of} exports everything of `{}`: names must be listed", whole.join("::")));
    }
    // A whole crate under another name is a module.
    if whole.len() == 1 && alias.is_some() {
        return Ok(());
    }
    let foreign = first.starts_with("lissom") || first.starts_with("bevy_") || *first == "glam";
    let from = if foreign { first } else { of };
    names.insert(alias.unwrap_or(last).to_owned(), format!("{from}::{last}"));
    Ok(())
}

/// A list at its commas, those within braces aside.
fn split(list: &str) -> Vec<&str> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                pieces.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&list[start..]);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

/// Violations that the checks must find, and things that are none.
fn plants() -> Result<(), String> {
    let of = |name: &str, text: &str| Ok::<_, String>((name.to_owned(), exports(text, name)?.names));
    let ours =
        of("lissom_a", "mod x;\n#[cfg(feature = \"b\")]\npub use x::{Animator, y::{Pace, Walk as Gait}};")?;
    let theirs = of(
        "lissom_b",
        "/// One.\n#[derive(Debug)]\npub struct Animator { pub a: u32 }\npub const fn gait() {}",
    )?;
    let found = twice(&BTreeMap::from([ours.clone(), theirs]));
    if found != ["`Animator` of lissom_a and lissom_b"] {
        return Err(format!("the planted name of two crates was not found: {found:?}"));
    }
    let again = of("lissom_c", "pub use lissom_a::{Animator, Gait};\npub(crate) enum Pace { A }")?;
    let found = twice(&BTreeMap::from([ours.clone(), again]));
    // A re-export is the same item, but `Gait` is another name of `Walk`.
    if found != ["`Gait` of lissom_a and lissom_c"] {
        return Err(format!("a re-export is no second item: {found:?}"));
    }
    let Exports { names, modules, defines } = exports(
        "pub mod a;\npub mod b { pub struct Hidden; }\npub use a::{B, C};\npub trait D { fn e(); }",
        "f",
    )?;
    if names.len() != 3 || modules != ["a", "b"] || !defines {
        return Err(format!("planted names were not counted: {names:?} {modules:?}"));
    }
    if exports("pub use crate::{A, b::C};", "f")?.defines || exports("pub use a::*;", "f").is_ok() {
        return Err("a planted module that only re-exports was not found".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_crates_export_one_name_and_motion_exports_few() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn planted_violations_are_found() {
        assert_eq!(plants(), Ok(()));
    }

    #[test]
    fn more_names_than_allowed_are_found() {
        let many: String = (0..=MOST_OF_MOTION).map(|i| format!("pub use a::A{i};\n")).collect();
        assert!(exports(&many, "lissom_motion").unwrap().names.len() > MOST_OF_MOTION);
    }
}

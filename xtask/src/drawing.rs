//! The drawing of the crates in `ARCHITECTURE.md`, and what cargo knows.
//!
//! One line a crate that others stand on: `lissom-math ← lissom, lissom-world`. A crate without such a
//! line, and that stands on nothing, has a line of its own.

use crate::workspace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The drawing of the workspace as cargo sees it.
pub fn of_workspace() -> Result<String, String> {
    let metadata = workspace::metadata()?;
    Ok(draw(&dependants(workspace::packages(&metadata)?)))
}

/// Compares `ARCHITECTURE.md` with cargo.
pub fn check() -> Result<(), String> {
    let path = workspace::root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("ARCHITECTURE.md: {e}"))?;
    let wanted = of_workspace()?;
    match block(&text) {
        Some(found) if found == wanted => Ok(()),
        Some(found) => {
            Err(format!("ARCHITECTURE.md draws\n{found}\nbut the crates are (cargo xtask drawing)\n{wanted}"))
        }
        None => Err(format!("ARCHITECTURE.md has no ```crates block; it should be\n{wanted}")),
    }
}

/// Each crate with the crates that stand on it (normal dependencies, between members of the workspace).
fn dependants(packages: &[Value]) -> BTreeMap<String, BTreeSet<String>> {
    let name = |p: &Value| p["name"].as_str().unwrap_or_default().to_owned();
    let members: BTreeSet<String> = packages.iter().map(name).collect();
    let mut map: BTreeMap<String, BTreeSet<String>> =
        members.iter().map(|m| (m.clone(), BTreeSet::new())).collect();
    for package in packages {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // `kind` is null for a normal dependency.
            if let Some(users) = map.get_mut(&name(dependency)).filter(|_| dependency["kind"].is_null()) {
                users.insert(name(package));
            }
        }
    }
    map
}

fn draw(dependants: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut text = String::new();
    for (name, users) in dependants {
        let stands_on_something = dependants.values().any(|users| users.contains(name));
        if !users.is_empty() {
            let users: Vec<&str> = users.iter().map(String::as_str).collect();
            text.push_str(&format!("{name} ← {}\n", users.join(", ")));
        } else if !stands_on_something {
            text.push_str(&format!("{name}\n"));
        }
    }
    text
}

/// What stands between "```crates" and "```".
fn block(markdown: &str) -> Option<String> {
    let (_, rest) = markdown.split_once("```crates\n")?;
    Some(rest.split_once("```")?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawing_in_architecture_md_is_what_cargo_says() {
        check().unwrap();
    }

    #[test]
    fn a_drawing_shows_normal_dependencies_between_members_alone() {
        let packages = serde_json::json!([
            { "name": "a", "dependencies": [{ "name": "serde", "kind": null }, { "name": "c", "kind": "dev" }] },
            { "name": "b", "dependencies": [{ "name": "a", "kind": null }] },
            { "name": "c", "dependencies": [{ "name": "a", "kind": null }, { "name": "b", "kind": null }] },
            { "name": "d", "dependencies": [] },
        ]);
        let drawing = draw(&dependants(packages.as_array().unwrap()));
        assert_eq!(drawing, "a ← b, c\nb ← c\nd\n");
        assert_eq!(block(&format!("# x\n```crates\n{drawing}```\nmore")), Some(drawing));
    }
}

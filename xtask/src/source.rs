//! Reading the workspace's sources: files, code without comments and strings, and the paths that it names.

use crate::workspace;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The text of a file, named from the workspace's folder in errors.
pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", shown(path)))
}

/// A path as seen from the workspace's folder.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(workspace::root()).unwrap_or(path).display().to_string()
}

/// All Rust files below a folder, in order; build folders are left out.
pub fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
            let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
            if path.is_dir() && !hidden && !path.join("CACHEDIR.TAG").exists() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The code alone: comments are blanks, strings are empty. Lines stay where they are.
pub fn code(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let used = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(hashes) = raw_string(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            out.push_str("\"\"");
            rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len())
        } else if c == '"' {
            out.push_str("\"\"");
            string_end(rest)
        } else if c == '\'' {
            // A character; a lifetime has no second quote so near.
            let literal = ["'\\", "'\""].iter().any(|s| rest.starts_with(s));
            if literal { rest[2..].find('\'').map_or(1, |at| at + 3) } else { 1 }
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        out.extend(rest[..used].chars().filter(|c| *c == '\n'));
        if used == 1 {
            out.push(c);
        }
        rest = &rest[used..];
    }
    out
}

/// How many `#` a raw string starts with, if one starts here.
fn raw_string(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// Where a string that starts here ends.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// The code without the tests at its end.
pub fn without_tests(code: &str) -> &str {
    code.find("#[cfg(test)]\nmod ").map_or(code, |at| &code[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_code() {
        let source = "a // b\n/* c\nd */ e(\"f\\\"g\", r#\"h\"i\"#, '\"', 'j') <'a>";
        assert_eq!(code(source), "a \n\n e(\"\", \"\", , 'j') <'a>");
    }
}

//! Every job is documented in one shape: a table of its fields, its errors, its cost.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// How many jobs there are.
const JOBS: usize = 23;

/// The documentation and the fields of every job in a file.
fn jobs(text: &str) -> Vec<(String, String, Vec<String>)> {
    let mut out = Vec::new();
    let mut page = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("///") {
            page.push_str(text.trim());
            page.push('\n');
        } else if let Some(name) = line.strip_prefix("pub struct ").and_then(|rest| rest.split('<').next())
            && name.ends_with("Job")
        {
            let field = |line: &str| Some(line.trim().strip_prefix("pub ")?.split(':').next()?.to_owned());
            let fields = lines.by_ref().take_while(|line| *line != "}").filter_map(field).collect();
            out.push((name.to_owned(), std::mem::take(&mut page), fields));
        } else if !line.starts_with("#[") {
            page.clear();
        }
    }
    out
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// What is missing from a job's page.
fn missing(page: &str, fields: &[String]) -> Vec<String> {
    let rows: String = page.lines().filter(|line| line.starts_with("| `")).collect();
    let parts = ["| field | | |", "# Errors", "# Cost and determinism"];
    let parts = parts.into_iter().filter(|part| !page.lines().any(|line| line == *part)).map(String::from);
    parts.chain(fields.iter().filter(|field| !rows.contains(&format!("`{field}`"))).cloned()).collect()
}

#[test]
fn every_job_has_its_fields_errors_and_cost_on_its_page() {
    let mut names = Vec::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/job")) {
        for (name, page, fields) in jobs(&fs::read_to_string(path).unwrap()) {
            assert!(!fields.is_empty(), "{name}");
            assert_eq!(missing(&page, &fields), [""; 0], "{name}");
            names.push(name);
        }
    }
    assert_eq!(names.len(), JOBS, "{names:?}");
}

#[test]
fn a_planted_gap_is_found() {
    let text = "/// | field | | |\n/// | `a` | in | it |\n///\n/// # Errors\n#[derive(Debug)]\n\
                pub struct SomeJob<'a> {\n    /// It.\n    pub a: u8,\n    pub b: &'a u8,\n}\n";
    let [(name, page, fields)] = &jobs(text)[..] else { panic!("one job") };
    assert_eq!(name, "SomeJob");
    assert_eq!(missing(page, fields), ["# Cost and determinism", "b"]);
}

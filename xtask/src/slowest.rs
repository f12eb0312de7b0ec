//! The ten slowest tests: what makes `cargo test` long.

use crate::workspace;
use serde_json::Value;

const SHOWN: usize = 10;

/// `cargo xtask slowest`: builds the tests of the default members as `cargo test` does and runs one program after the
/// other, so that no test waits for another program.
pub fn command() -> Result<(), String> {
    let mut build = workspace::cargo();
    build.args(["test", "--no-run", "--message-format", "json-render-diagnostics"]);
    let built = workspace::output(&mut build)?;
    let built = String::from_utf8_lossy(&built.stdout).into_owned();
    let mut times = Vec::new();
    for message in built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some(program) = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)
        else {
            continue;
        };
        // The harness tells times only to those who ask with the name of a nightly compiler's option.
        let mut run = workspace::command(program);
        run.args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
        // Tests look for their files in the folder of their package.
        if let Some(folder) = message["manifest_path"].as_str().and_then(|m| m.strip_suffix("Cargo.toml")) {
            run.current_dir(folder);
        }
        let said = workspace::output(&mut run)?;
        let target = message["target"]["name"].as_str().unwrap_or_default();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        times.extend(said.lines().filter_map(time).map(|(s, test)| (s, format!("{target}: {test}"))));
    }
    if times.is_empty() {
        return Err("no test told its time".into());
    }
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total: f64 = times.iter().map(|(s, _)| s).sum();
    println!("{} tests, {total:.1} s one after the other; the slowest:", times.len());
    for (seconds, name) in times.iter().take(SHOWN) {
        println!("{seconds:8.3} s  {name}");
    }
    Ok(())
}

/// Seconds and name out of `test NAME ... ok <1.234s>`.
fn time(line: &str) -> Option<(f64, &str)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ok <")?;
    Some((rest.strip_suffix("s>")?.parse().ok()?, name))
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_read() {
        assert_eq!(super::time("test a::b ... ok <1.250s>"), Some((1.25, "a::b")));
        assert_eq!(super::time("test a::b ... ignored"), None);
        assert_eq!(super::time("test result: ok. 3 passed; 0 failed"), None);
    }
}

//! What CI runs, in order, and why.

use crate::{
    Options, bevy, drawing, foreign, fused, fuzzing, glam, pages, python, sanitizer, viewer, web, workspace,
};
use std::{
    fs,
    path::PathBuf,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// How a step ended, if it did not fail.
pub enum Outcome {
    /// All is well.
    Passed,
    /// It could not run, and why.
    Skipped(String),
}

struct Step {
    name: &'static str,
    why: &'static str,
    run: fn(&Options) -> Result<Outcome, String>,
}

/// What most steps build and test. Others bring so much of their own that each is a step by itself.
const PACKAGES: [&str; 12] = [
    "lissom",
    "lissom-bench",
    "lissom-build",
    "lissom-checks",
    "lissom-cli",
    "lissom-draw",
    "lissom-examples",
    "lissom-math",
    "lissom-motion",
    "lissom-testkit",
    "lissom-world",
    "xtask",
];

/// Members that only the steps named after them build: Bevy's crates, to measure against.
const APART: [&str; 1] = ["lissom-bench-world"];

const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        why: "one layout, so that a change shows only what changed",
        run: |_| cargo(&["fmt", "--all", "--check"]),
    },
    Step {
        name: "drawing",
        why: "ARCHITECTURE.md draws the crates as they are",
        run: |_| drawing::check().map(|()| Outcome::Passed),
    },
    Step {
        name: "pages",
        why: "what the pages name is there, and packages stand alone",
        run: |_| pages::check().map(|()| Outcome::Passed),
    },
    Step {
        name: "fused-source",
        why: "fused and estimated arithmetic gives other bits on other CPUs: none in the sources",
        run: |_| fused::sources(),
    },
    Step {
        name: "clippy",
        why: "warnings are errors; clippy.toml forbids what breaks \"same bits\"",
        run: |_| clippy(&PACKAGES),
    },
    Step {
        name: "bench-world",
        why: "the bench against Bevy's crates: it is read by clippy, and built by those who measure",
        run: |_| clippy(&APART),
    },
    Step {
        name: "glam",
        why: "glam rounds differently from build to build: the promised crates compile without its arithmetic",
        run: |_| glam::check(),
    },
    Step { name: "build", why: "what users build: release, and what the steps below run", run: |_| build() },
    Step { name: "run", why: "the first command of the README works", run: |_| cargo(&["run", "--release"]) },
    Step {
        name: "test",
        why: "every promise has a test",
        run: |_| on(&PACKAGES, &["test", "--lib", "--bins", "--tests"]),
    },
    Step {
        name: "features",
        why: "what is off by default works too: FBX, the other codecs; and no spoiled file does harm there",
        run: |_| features(),
    },
    Step {
        name: "doctest",
        why: "examples in the documentation compile and hold",
        run: |_| on(&PACKAGES, &["test", "--doc"]),
    },
    Step {
        name: "doc",
        why: "documentation without a broken link",
        run: |_| {
            let mut doc = workspace::cargo();
            doc.args(["doc", "--no-deps"]).args(named(&PACKAGES)).env("RUSTDOCFLAGS", "--deny warnings");
            workspace::run(&mut doc).map(|()| Outcome::Passed)
        },
    },
    Step { name: "examples", why: "every example runs to its end", run: |_| examples() },
    Step {
        name: "no-std",
        why: "the runtime builds where there is no standard library",
        run: |o| foreign::no_std(o.install),
    },
    Step {
        name: "fused-code",
        why: "nor any in the machine code of the libraries",
        run: |_| fused::machine_code(),
    },
    Step {
        name: "sanitizer",
        why: "the few lines that are not checked by the compiler touch no byte that is not theirs",
        run: |_| sanitizer::run(),
    },
    Step { name: "neon", why: "the golden hashes hold on NEON", run: |o| foreign::neon(o.install) },
    Step { name: "wasm", why: "the golden hashes hold in WebAssembly", run: |o| foreign::wasm(o.install) },
    Step {
        name: "gltf",
        why: "other programs open the mannequin's .glb: the Khronos validator finds no error",
        run: |o| gltf(o.install),
    },
    Step {
        name: "python",
        why: "the Python package installs where there is nothing but Rust and pip, and its own tests pass",
        run: python::run,
    },
    Step {
        name: "bevy",
        why: "characters play in a Bevy app without a window; no other step builds the plugin",
        run: |_| bevy::run(),
    },
    Step {
        name: "viewer",
        why: "the viewer is linted, driven as its users drive it, and its pictures are looked at; no other step builds it",
        run: viewer::run,
    },
    Step {
        name: "web",
        why: "the viewer as a page: a browser shows it, moves it, is given files, and computes the same poses to the bit",
        run: web::run,
    },
    Step {
        name: "fuzz",
        why: "no bytes make a reader panic, hang or take too much memory",
        run: |o| fuzzing::run(o.install),
    },
    Step { name: "assets", why: "what holds for our own data holds for real files too", run: assets },
];

/// The steps' names, in order.
pub fn names() -> Vec<&'static str> {
    STEPS.iter().map(|s| s.name).collect()
}

/// Runs the steps, all of them even if one fails, and sums up.
pub fn run(options: &Options) -> Result<(), String> {
    let mut table = String::new();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for step in STEPS {
        let named = options.only.iter().any(|name| name == step.name);
        if !named && !options.only.is_empty() {
            continue;
        }
        println!("\n== {}: {}", step.name, step.why);
        let start = Instant::now();
        let result = (step.run)(options);
        let seconds = start.elapsed().as_secs_f64();
        let line = match result {
            Ok(Outcome::Passed) => {
                passed += 1;
                "passed".to_owned()
            }
            Ok(Outcome::Skipped(why)) => {
                skipped += 1;
                format!("SKIPPED {why}")
            }
            Err(why) => {
                failed += 1;
                println!("{why}");
                "FAILED".to_owned()
            }
        };
        println!("   {line} ({seconds:.1} s)");
        table.push_str(&format!("{:14} {seconds:7.1} s  {line}\n", step.name));
    }
    println!("\n{table}\n{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err("CI failed".into()) }
}

fn cargo(args: &[&str]) -> Result<Outcome, String> {
    workspace::run(workspace::cargo().args(args)).map(|()| Outcome::Passed)
}

/// Cargo on these packages. Their features are united, so steps that name the same ones share what is built.
fn on(packages: &[&str], args: &[&str]) -> Result<Outcome, String> {
    workspace::run(workspace::cargo().args(args).args(named(packages))).map(|()| Outcome::Passed)
}

fn named<'a>(packages: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    packages.iter().flat_map(|p| ["--package", *p])
}

pub(crate) fn clippy(packages: &[&str]) -> Result<Outcome, String> {
    let mut clippy = workspace::cargo();
    clippy.args(["clippy", "--all-targets"]).args(named(packages)).args(["--", "--deny", "warnings"]);
    workspace::run(&mut clippy).map(|()| Outcome::Passed)
}

/// Every program that the steps run, with one set of features.
fn build() -> Result<Outcome, String> {
    on(&PACKAGES, &["build", "--release", "--bins"])
}

/// Tests and lints of features that are off by default. FBX needs a C compiler, like zstd.
fn features() -> Result<Outcome, String> {
    if !["cc", "gcc", "clang"].iter().any(|c| workspace::has(c)) {
        return Ok(Outcome::Skipped("there is no C compiler".into()));
    }
    cargo(&[
        "test",
        "--package",
        "lissom-build",
        "--features",
        "draco,fbx,gzip,zstd",
        "--test",
        "fbx",
        "--test",
        "codecs",
    ])?;
    cargo(&[
        "test",
        "--package",
        "lissom-testkit",
        "--features",
        "draco,fbx,gzip,zstd",
        "--test",
        "hostile",
    ])?;
    let all = ["--package", "lissom-build", "--package", "lissom-testkit", "--package", "lissom-checks"];
    let mut clippy = workspace::cargo();
    clippy.arg("clippy").args(all).args(["--all-targets", "--all-features", "--", "--deny", "warnings"]);
    workspace::run(&mut clippy).map(|()| Outcome::Passed)
}

/// Builds the examples as the tests are built, since optimising each to its end takes longer than all of them run; then runs
/// each in a folder of its own, where it may write.
fn examples() -> Result<Outcome, String> {
    const PACKAGE: &str = "lissom-examples";
    let metadata = workspace::metadata()?;
    let Some(package) = workspace::packages(&metadata)?.iter().find(|p| p["name"] == PACKAGE) else {
        return Ok(Outcome::Skipped(format!("there is no package {PACKAGE}")));
    };
    let is_example = |t: &&serde_json::Value| t["kind"][0] == "example";
    let targets = package["targets"].as_array().into_iter().flatten().filter(is_example);
    let names: Vec<&str> = targets.filter_map(|t| t["name"].as_str()).collect();
    if names.is_empty() {
        return Err(format!("{PACKAGE} has no examples"));
    }
    on(&PACKAGES, &["build", "--examples"])?;
    let target = workspace::target()?;
    for name in names {
        let folder = scratch(&format!("examples/{name}"))?;
        let mut command = Command::new(target.join("debug/examples").join(name));
        command.current_dir(folder);
        println!("   $ {name}");
        run_limited(&mut command, name)?;
    }
    Ok(Outcome::Passed)
}

/// Runs to the end, but not for ever.
fn run_limited(command: &mut Command, name: &str) -> Result<(), String> {
    const LIMIT: Duration = Duration::from_secs(120);
    let mut child = command.spawn().map_err(|e| format!("{name}: {e}"))?;
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|e| format!("{name}: {e}"))? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("{name}: {status}")),
            None if start.elapsed() > LIMIT => {
                let _ = child.kill();
                return Err(format!("{name} did not end within {LIMIT:?}"));
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Writes the mannequin and shows it to the validator.
fn gltf(install: bool) -> Result<Outcome, String> {
    if let Some(why) = foreign::missing(&["node", "npm"], &["nodejs", "npm"], install) {
        return Ok(Outcome::Skipped(why));
    }
    let folder = match node_package("gltf-validator")? {
        Ok(folder) => folder,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let glb = folder.join("mannequin.glb");
    workspace::run(release("lissom")?.args(["mannequin", "-o"]).arg(&glb))?;
    let mut validate = workspace::command("node");
    workspace::run(validate.args(["scripts/validate-gltf.mjs", "--modules"]).arg(&folder).arg(&glb))?;
    meshopt()
}

/// Shows the meshopt decoder what the package that packs such files makes of random data.
fn meshopt() -> Result<Outcome, String> {
    let folder = match node_package("meshoptimizer")? {
        Ok(folder) => folder,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let vectors = folder.join("meshopt-vectors.bin");
    let mut make = workspace::command("node");
    make.args(["scripts/meshopt-vectors.mjs", "--modules"]).arg(&folder).arg("-o").arg(&vectors);
    workspace::run(&mut make)?;
    workspace::run(release("lissom-checks")?.arg("meshopt").arg(&vectors))?;
    Ok(Outcome::Passed)
}

fn assets(options: &Options) -> Result<Outcome, String> {
    let Some(folder) = &options.assets else {
        return Ok(Outcome::Skipped("no --assets FOLDER given".into()));
    };
    let mut checks = release("lissom-checks")?;
    // Some checks compare with packages of npm's; without them they say why they were skipped.
    checks.env_remove("LISSOM_NODE_MODULES");
    for name in ["three", "meshoptimizer", "gltf-validator"] {
        match node_package(name)? {
            Ok(modules) => {
                checks.env("LISSOM_NODE_MODULES", modules);
            }
            Err(why) => println!("   {why}"),
        }
    }
    workspace::run(checks.arg("all").arg(folder))?;
    let mut fbx = workspace::cargo();
    fbx.args(["run", "--release", "--package", "lissom-checks", "--features", "fbx", "--", "fbx"]);
    workspace::run(fbx.arg(folder)).map(|()| Outcome::Passed)
}

/// The folder whose `node_modules` has a package of npm's, fetched if need be; or why there is none.
pub(crate) fn node_package(name: &str) -> Result<Result<PathBuf, String>, String> {
    let folder = scratch("gltf")?;
    if !folder.join("node_modules").join(name).is_dir() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg(name);
        if let Err(why) = workspace::output(&mut npm) {
            return Ok(Err(format!("npm cannot fetch {name}: {why}")));
        }
    }
    Ok(Ok(folder))
}

/// A command of ours, built as the build step builds it: building one package alone would unite features in
/// another way and compile most of the workspace again.
fn release(binary: &str) -> Result<Command, String> {
    build()?;
    let path = workspace::target()?.join("release").join(binary);
    Ok(workspace::command(&path.to_string_lossy()))
}

/// A folder under the target folder for what a step writes.
pub(crate) fn scratch(name: &str) -> Result<PathBuf, String> {
    let folder = workspace::target()?.join("ci").join(name);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_member_of_the_workspace_is_in_a_step() {
        let metadata = workspace::metadata().unwrap();
        let members = workspace::packages(&metadata).unwrap().iter().filter_map(|p| p["name"].as_str());
        assert_eq!(
            members.collect::<BTreeSet<_>>(),
            PACKAGES
                .into_iter()
                .chain(APART)
                .chain([bevy::PACKAGE, python::PACKAGE, viewer::PACKAGE, web::BINDGEN])
                .collect()
        );
    }
}

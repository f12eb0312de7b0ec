//! What CI runs, in order, and why.

use crate::{
    Options, bevy, drawing, features, foreign, fused, fuzzing, glam, gltf, gpu, guests, pages, python,
    scalar,
    step::{Lane, Outcome, Step, cargo, clippy, on_all_cores, scratch},
    viewer, web, workspace,
};
use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// Members that `cargo test` leaves out, since they have no tests, and that are linted and documented all the same.
const TOOLS: [&str; 2] = ["lissom-bench", "lissom-checks"];

const STEPS: &[Step] = &[
    Step {
        name: "test",
        lane: Lane::Quick,
        why: "the second command of the README: every test of the default members, their documentation included",
        run: |_| cargo(&["test", "--no-fail-fast"]),
    },
    Step {
        name: "fmt",
        lane: Lane::Quick,
        why: "one layout, so that a change shows only what changed",
        run: |_| cargo(&["fmt", "--all", "--check"]),
    },
    Step {
        name: "drawing",
        lane: Lane::Quick,
        why: "ARCHITECTURE.md draws the crates as they are",
        run: |_| drawing::check().map(|()| Outcome::Passed),
    },
    Step {
        name: "pages",
        lane: Lane::Quick,
        why: "what the pages name is there, and packages stand alone",
        run: |_| pages::check(&names()).map(|()| Outcome::Passed),
    },
    Step {
        name: "fused-source",
        lane: Lane::Quick,
        why: "fused and estimated arithmetic gives other bits on other CPUs: none in the sources",
        run: |_| fused::sources(),
    },
    Step {
        name: "clippy",
        lane: Lane::Quick,
        why: "warnings are errors; clippy.toml forbids what breaks \"same bits\"",
        run: |_| clippy(&most()?),
    },
    Step {
        name: "build",
        lane: Lane::Deep,
        why: "what users build: release, and what the steps below run",
        run: |_| cargo(&["build", "--release"]),
    },
    Step {
        name: "run",
        lane: Lane::Deep,
        why: "the first command of the README works",
        run: |_| cargo(&["run", "--release"]),
    },
    Step {
        name: "features",
        lane: Lane::Deep,
        why: "what is off by default works too: FBX and the other codecs; and no spoiled file does harm there",
        run: |o| features::run(o.install),
    },
    Step {
        name: "scalar",
        lane: Lane::Deep,
        why: "the backend of CPUs without vectors has the bits of all others",
        run: |_| scalar::run(),
    },
    Step {
        name: "doc",
        lane: Lane::Deep,
        why: "documentation without a broken link",
        run: |_| {
            let mut doc = workspace::cargo();
            doc.args(["doc", "--no-deps"])
                .args(workspace::named(most()?))
                .env("RUSTDOCFLAGS", "--deny warnings");
            workspace::run(&mut doc).map(|()| Outcome::Passed)
        },
    },
    Step { name: "examples", lane: Lane::Deep, why: "every example runs to its end", run: |_| examples() },
    Step {
        name: "no-std",
        lane: Lane::Deep,
        why: "the runtime builds where there is no standard library",
        run: |o| foreign::no_std(o.install),
    },
    Step {
        name: "glam",
        lane: Lane::Deep,
        why: "glam rounds differently from build to build: the promised crates compile without its arithmetic",
        run: |_| glam::check(),
    },
    Step {
        name: "fused-code",
        lane: Lane::Deep,
        why: "no fused or estimated arithmetic in the machine code of the libraries either",
        run: |_| fused::machine_code(),
    },
    Step {
        name: "sanitizer",
        lane: Lane::Deep,
        why: "the few lines that are not checked by the compiler touch no byte that is not theirs",
        run: |o| fuzzing::sanitize(o.install),
    },
    Step {
        name: "neon",
        lane: Lane::Deep,
        why: "the golden hashes hold on NEON",
        run: |o| foreign::neon(o.install),
    },
    Step {
        name: "wasm",
        lane: Lane::Deep,
        why: "the golden hashes hold in WebAssembly",
        run: |o| foreign::wasm(o.install),
    },
    Step {
        name: "gltf",
        lane: Lane::Deep,
        why: "other programs open the mannequin's .glb: the Khronos validator finds no error",
        run: |o| gltf::run(o.install),
    },
    Step {
        name: "lint-guests",
        lane: Lane::Guests,
        why: "the members that bring much of their own are linted together, and what they share is read once",
        run: |_| guests::lint(),
    },
    Step {
        name: "python",
        lane: Lane::Guests,
        why: "the Python package installs where there is nothing but Rust and pip, and its own tests pass",
        run: python::run,
    },
    Step {
        name: "bevy",
        lane: Lane::Guests,
        why: "characters play in a Bevy app without a window",
        run: |_| bevy::run(),
    },
    Step {
        name: "viewer",
        lane: Lane::Guests,
        why: "the viewer is driven as its users drive it, and its pictures are looked at",
        run: viewer::run,
    },
    Step {
        name: "gpu",
        lane: Lane::Guests,
        why: "crowds on the GPU show what crowds on the CPU show, whatever they play",
        run: gpu::run,
    },
    Step {
        name: "fuzz",
        lane: Lane::Long,
        why: "no bytes make a reader panic, hang or take too much memory",
        run: |o| fuzzing::run(o.install),
    },
    Step {
        name: "assets",
        lane: Lane::Long,
        why: "what holds for our own data holds for real files too",
        run: assets,
    },
    Step {
        name: "web",
        lane: Lane::Guests,
        why: "the viewer as a page: a browser shows it, moves it, is given files, and computes the same poses to the bit",
        run: web::run,
    },
];

/// The steps' names, in order.
pub fn names() -> Vec<&'static str> {
    STEPS.iter().map(|s| s.name).collect()
}

/// Runs the steps, all of them even if one fails, and sums up.
pub fn run(options: &Options) -> Result<(), String> {
    let mut table = String::new();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let whole = Instant::now();
    if options.install && options.only.is_empty() {
        foreign::install_ahead();
    }
    for step in STEPS {
        let named = |name: &String| name == step.name || name == step.lane.name();
        if !options.only.is_empty() && !options.only.iter().any(named) {
            continue;
        }
        println!("\n== {}: {}", step.name, step.why);
        let (start, cpu) = (Instant::now(), children_s());
        let late = options.minutes.filter(|most| whole.elapsed().as_secs_f64() > most * 60.0);
        let result = match late {
            Some(most) => Ok(Outcome::Skipped(format!("no step begins after {most} minutes"))),
            None => (step.run)(options),
        };
        let (seconds, cpu) = (start.elapsed().as_secs_f64(), children_s() - cpu);
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
        table.push_str(&format!(
            "{:7} {:13} {seconds:7.1} s {cpu:7.1} s of CPU  {line}\n",
            step.lane.name(),
            step.name
        ));
    }
    let whole = whole.elapsed().as_secs_f64() / 60.0;
    println!("\n{table}\nin {whole:.1} minutes\n{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err("CI failed".into()) }
}

/// CPU seconds of all commands that have ended: on a busy machine they tell more than the clock. 0 where the system
/// does not say.
fn children_s() -> f64 {
    const TICKS_PER_S: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The program's name stands in brackets and may hold blanks. Fields 16 and 17 are the children's user and system time.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = after_name.split_whitespace().skip(13).take(2).filter_map(|n| n.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS_PER_S
}

/// What most steps build and test: the default members and the tools.
fn most() -> Result<Vec<&'static str>, String> {
    Ok(workspace::DEFAULT_MEMBERS.into_iter().chain(TOOLS).collect())
}

/// Builds the examples as `cargo test` builds them, since optimising each to its end takes longer than all of them run;
/// then runs each in a folder of its own, where it may write.
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
    // Without `--examples`, which would build a test harness of each. The step `test` has built them already.
    cargo(&["test", "--no-run"])?;
    let target = workspace::target()?;
    on_all_cores(&names, |name| {
        let folder = scratch(&format!("examples/{name}"))?;
        let mut command = Command::new(target.join("debug/examples").join(name));
        command.current_dir(folder);
        println!("   $ {name}");
        run_limited(&mut command, name)
    })?;
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

/// The checks on files that are not part of the project. What one of them could not do is this step's SKIPPED.
fn assets(options: &Options) -> Result<Outcome, String> {
    let Some(folder) = &options.assets else {
        return Ok(Outcome::Skipped("no --assets FOLDER given".into()));
    };
    let mut checks = gltf::checks()?;
    // Some checks compare with packages of npm; without them they say why they were skipped.
    checks.env_remove("LISSOM_NODE_MODULES");
    let mut skipped = Vec::new();
    for name in ["three", "meshoptimizer", "gltf-validator"] {
        match crate::step::node_package(name)? {
            Ok(modules) => {
                checks.env("LISSOM_NODE_MODULES", modules);
            }
            Err(why) => skipped.push(why),
        }
    }
    skipped.extend(workspace::run_and_find(checks.arg("all").arg(folder), "SKIPPED")?);
    if skipped.is_empty() { Ok(Outcome::Passed) } else { Ok(Outcome::Skipped(skipped.join("; "))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_member_of_the_workspace_is_in_a_step() {
        let metadata = workspace::metadata().unwrap();
        let members = workspace::packages(&metadata).unwrap().iter().filter_map(|p| p["name"].as_str());
        let in_steps = most().unwrap().into_iter().chain(guests::LINTED);
        assert_eq!(members.collect::<BTreeSet<_>>(), in_steps.collect());
    }

    #[test]
    fn what_cargo_test_takes_is_what_most_steps_take() {
        let metadata = workspace::metadata().unwrap();
        assert_eq!(
            workspace::default_members(&metadata).unwrap(),
            BTreeSet::from(workspace::DEFAULT_MEMBERS.map(str::to_owned))
        );
    }

    #[test]
    fn every_lane_has_steps_and_no_step_is_called_as_a_lane() {
        for lane in Lane::ALL {
            assert!(STEPS.iter().any(|s| s.lane == lane), "{}", lane.name());
            assert!(!names().contains(&lane.name()));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_time_of_children_is_counted() {
        let before = children_s();
        let loops = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
        // By its whole path: a machine with Rust alone may have no other program on its PATH.
        assert!(Command::new("/bin/sh").args(["-c", loops]).status().unwrap().success());
        assert!(children_s() > before);
    }
}

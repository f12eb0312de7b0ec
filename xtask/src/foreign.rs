//! Other machines: NEON under qemu, wasm in Node, and targets without a standard library.
//!
//! Two toolchains can build for them: rustup's, where the target was added (`rustup target add`), or
//! Debian's, which brings the standard library's source and builds it.

use crate::{fused, step::Outcome, workspace};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, Once},
    thread::{self, JoinHandle},
};

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_TOOLCHAIN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Golden hashes on NEON, and the machine code that met them.
pub fn neon(install: bool) -> Result<Outcome, String> {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    let tools = ["qemu-aarch64", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump"];
    let packages = ["qemu-user", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"];
    if let Some(why) = missing(&tools, &packages, install) {
        return Ok(Outcome::Skipped(why));
    }
    let Some(toolchain) = Toolchain::find(TARGET, install) else {
        return Ok(Outcome::Skipped(no_toolchain(TARGET)));
    };
    let kernels: Vec<String> =
        fused::libraries()?.into_iter().map(|(name, _)| name).filter(in_testkit).collect();
    let mut build = toolchain.cargo("std,panic_abort")?;
    build.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");
    build.args(["build", "--release", "--no-default-features"]);
    build.args(["--lib", "--bin", "conformance"]);
    build.args(["--package", workspace::TESTKIT]);
    for name in &kernels {
        build.args(["--package", name]);
    }
    workspace::run(&mut build)?;
    let folder = toolchain.folder()?.join("release");
    fused::neon_code(&folder, &kernels.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut qemu = workspace::command("qemu-aarch64");
    qemu.args(["-L", "/usr/aarch64-linux-gnu"]).arg(folder.join("conformance"));
    met_on("neon", &workspace::output(&mut qemu)?.stdout)
}

/// How CI builds for wasm: the test kit and the viewer are named always, so that what they share is built once. FBX is read
/// by a C library, which a page has not.
pub const WASM: [&str; 9] = [
    "build",
    "--release",
    "--no-default-features",
    "--features",
    "lissom-viewer/draco",
    "--package",
    workspace::TESTKIT,
    "--package",
    workspace::VIEWER,
];

/// Golden hashes on wasm's simd128, in Node.
pub fn wasm(install: bool) -> Result<Outcome, String> {
    const TARGET: &str = "wasm32-unknown-unknown";
    if let Some(why) = missing(&["node"], &["nodejs"], install) {
        return Ok(Outcome::Skipped(why));
    }
    let Some(toolchain) = Toolchain::find(TARGET, install) else {
        return Ok(Outcome::Skipped(no_toolchain(TARGET)));
    };
    let mut build = match toolchain.wasm(install)? {
        Ok(cargo) => cargo,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    build.args(WASM);
    workspace::run(build.args(["--example", "conformance_wasm"]))?;
    let file = toolchain.folder()?.join("release/examples/conformance_wasm.wasm");
    let mut node = workspace::command("node");
    met_on("simd128", &workspace::output(node.arg("scripts/conformance.mjs").arg(file))?.stdout)
}

/// The libraries that promise it build where there is no standard library at all.
pub fn no_std(install: bool) -> Result<Outcome, String> {
    let packages = ["lissom-math", "lissom", "lissom-motion"];
    let mut check = workspace::cargo();
    check.args(["check", "--no-default-features"]).args(workspace::named(packages.iter().copied()));
    workspace::run(&mut check)?;
    // With vectors and without: both have their own paths. Checking is enough: what is missing has no name.
    let mut skipped = Vec::new();
    for target in ["aarch64-unknown-none", "thumbv7em-none-eabihf"] {
        let Some(toolchain) = Toolchain::find(target, install) else {
            skipped.push(target);
            continue;
        };
        let mut check = toolchain.cargo("core,alloc")?;
        check.args(["check", "--release", "--no-default-features"]);
        workspace::run(check.args(workspace::named(packages.iter().copied())))?;
    }
    match skipped.first() {
        None => Ok(Outcome::Passed),
        Some(target) => Ok(Outcome::Skipped(no_toolchain(target))),
    }
}

/// A toolchain that can build for a target.
pub struct Toolchain {
    target: &'static str,
    /// True for Debian's: the standard library is built from source.
    build_std: bool,
}

impl Toolchain {
    /// One for this target, if there is any.
    pub fn find(target: &'static str, install: bool) -> Option<Self> {
        wait_for_packages();
        let sysroot = workspace::output(workspace::command("rustc").args(["--print", "sysroot"])).ok()?;
        let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
        if sysroot.join("lib/rustlib").join(target).join("lib").is_dir() {
            return Some(Self { target, build_std: false });
        }
        let there = || is_recent() && has_debian_source() && workspace::has(DEBIAN_CARGO);
        if !there() && install {
            install_packages(&DEBIAN_TOOLCHAIN);
        }
        there().then_some(Self { target, build_std: true })
    }

    /// Cargo with the target, in a target folder of its own: other flags, other compiler, no clashes.
    fn cargo(&self, std: &str) -> Result<Command, String> {
        let mut cargo = if self.build_std { workspace::command(DEBIAN_CARGO) } else { workspace::cargo() };
        if self.build_std {
            // The variables that rustup and the cargo around us set would lead back to their compiler.
            for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER"] {
                cargo.env_remove(name);
            }
            cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", DEBIAN_RUSTC);
            cargo.args(["-Z", &format!("build-std={std}")]);
        }
        // Plain objects, so that they can be disassembled; nothing to debug.
        cargo.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_DEBUG", "0");
        cargo.env("CARGO_PROFILE_RELEASE_PANIC", "abort");
        cargo.env("CARGO_BUILD_TARGET", self.target).env("CARGO_TARGET_DIR", target_folder()?);
        Ok(cargo)
    }

    /// Cargo for wasm with vectors; or what is missing.
    pub fn wasm(&self, install: bool) -> Result<Result<Command, String>, String> {
        let mut cargo = self.cargo("std,panic_abort")?;
        if self.build_std {
            if let Some(why) = missing(&["wasm-ld-22"], &["lld-22"], install) {
                return Ok(Err(why));
            }
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-22");
        }
        cargo.env("RUSTFLAGS", "-C target-feature=+simd128");
        Ok(Ok(cargo))
    }

    /// Where it builds for the target.
    pub fn folder(&self) -> Result<PathBuf, String> {
        Ok(target_folder()?.join(self.target))
    }
}

fn target_folder() -> Result<PathBuf, String> {
    Ok(workspace::target()?.join("foreign"))
}

/// True if Debian's compiler is as new as this workspace asks for. An old list of packages leads to an older one.
fn is_recent() -> bool {
    let numbers = |text: &str| -> Option<(u32, u32)> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        Some((parts.next()??, parts.next()??))
    };
    let version = workspace::output(Command::new(DEBIAN_RUSTC).arg("--version"));
    version.is_ok_and(|o| {
        let text = String::from_utf8_lossy(&o.stdout).into_owned();
        let found = text.split_whitespace().nth(1).and_then(numbers);
        found.is_some_and(|found| numbers(env!("CARGO_PKG_RUST_VERSION")).is_some_and(|asked| found >= asked))
    })
}

fn has_debian_source() -> bool {
    let sysroot = workspace::output(Command::new(DEBIAN_RUSTC).args(["--print", "sysroot"]));
    sysroot.is_ok_and(|o| {
        let sysroot = String::from_utf8_lossy(&o.stdout).trim().to_owned();
        Path::new(&sysroot).join("lib/rustlib/src/rust/library/core").is_dir()
    })
}

/// True for the libraries that the test kit stands on: they are built anyway.
fn in_testkit(name: &String) -> bool {
    workspace::metadata().is_ok_and(|metadata| {
        workspace::packages(&metadata).is_ok_and(|packages| {
            packages.iter().filter(|p| p["name"] == workspace::TESTKIT).any(|p| {
                let dependencies = p["dependencies"].as_array().into_iter().flatten();
                dependencies.into_iter().any(|d| d["name"] == **name && d["kind"].is_null())
            })
        })
    })
}

fn met_on(backend: &str, report: &[u8]) -> Result<Outcome, String> {
    let report = String::from_utf8_lossy(report);
    println!("   {}", report.trim());
    if report.contains("golden hashes met on") && report.contains(backend) {
        Ok(Outcome::Passed)
    } else {
        Err(format!("the report does not name {backend}"))
    }
}

/// What to do where there is none.
pub fn no_toolchain(target: &str) -> String {
    format!(
        "no toolchain for {target}: rustup target add {target}, or Debian's apt-get install {}",
        DEBIAN_TOOLCHAIN.join(" ")
    )
}

/// Why a step cannot run: the tools that are not there, after trying to install them where that is allowed.
pub fn missing(tools: &[&str], packages: &[&str], install: bool) -> Option<String> {
    if install {
        wait_for_packages();
    }
    let lacking = || tools.iter().copied().filter(|t| !workspace::has(t)).collect::<Vec<_>>();
    if !lacking().is_empty() && install {
        install_packages(packages);
    }
    let lacking = lacking();
    (!lacking.is_empty())
        .then(|| format!("{} not found; Debian: apt-get install {}", lacking.join(", "), packages.join(" ")))
}

/// Debian's packages for all steps of CI.
const PACKAGES: [&str; 11] = [
    "cargo-web",
    "chromium",
    "g++",
    "gcc",
    "gcc-aarch64-linux-gnu",
    "libc6-dev-arm64-cross",
    "lld-22",
    "mesa-vulkan-drivers",
    "qemu-user",
    "rust-web-src",
    "rustc-web",
];

/// The same of Node. A machine may have it from elsewhere; apt-get then refuses Debian's, and all that is asked for with it.
const NODE: [&str; 2] = ["nodejs", "npm"];

/// What [`install_ahead`] does meanwhile.
static AHEAD: Mutex<Option<JoinHandle<()>>> = Mutex::new(None);

/// Installs every package while the first steps build, which need none of them. Steps wait for the end of it.
pub fn install_ahead() {
    let tools = ["chromium", "qemu-aarch64", "wasm-ld-22"];
    if !tools.iter().all(|tool| workspace::has(tool))
        && let Ok(mut ahead) = AHEAD.lock()
    {
        let has_node = workspace::has("node") && workspace::has("npm");
        let packages: Vec<&str> = if has_node { PACKAGES.into() } else { [&PACKAGES[..], &NODE].concat() };
        *ahead = Some(thread::spawn(move || apt_get_install(&packages)));
    }
}

/// Tries; whoever needs the packages looks again.
pub fn install_packages(packages: &[&str]) {
    wait_for_packages();
    apt_get_install(packages);
}

/// Until nothing is being installed: a half-installed program would not run.
fn wait_for_packages() {
    if let Ok(mut ahead) = AHEAD.lock()
        && let Some(thread) = ahead.take()
        && thread.join().is_err()
    {
        eprintln!("   what installs packages ahead panicked");
    }
}

fn apt_get_install(packages: &[&str]) {
    let root = workspace::output(Command::new("id").arg("-u")).is_ok_and(|o| o.stdout.trim_ascii() == b"0");
    if !root || !workspace::has("apt-get") {
        return;
    }
    // A machine has no list of packages, or an old one with old packages: ask for it, once.
    static LISTED: Once = Once::new();
    LISTED.call_once(|| {
        if let Err(why) = workspace::output(Command::new("apt-get").arg("update")) {
            eprintln!("   {why}");
        }
    });
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    if let Err(why) = workspace::output(&mut install) {
        eprintln!("   {why}");
    }
}

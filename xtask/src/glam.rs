//! The promised crates against a `glam` without arithmetic: its types, fields and conversions, no operators, no
//! methods that compute. What compiles calls none, whatever a list of forbidden names may have forgotten.

use crate::{source, step::Outcome, workspace};
use std::fs;

/// What must not compile, and the compiler's word for it.
const PLANTED: [(&str, &str); 3] = [
    ("pub fn sum(a: Vec3, b: Vec3) -> Vec3 { a + b }", "E0369"),
    ("pub fn dot(a: Vec3, b: Vec3) -> f32 { a.dot(b) }", "E0599"),
    ("pub fn turned(q: Quat, v: Vec3) -> Vec3 { q * v }", "E0369"),
];

/// Checks the promised crates in a package of its own, so that the workspace's lock file stays as it is.
pub fn check() -> Result<Outcome, String> {
    let root = workspace::root();
    let folder = workspace::target()?.join("ci/stand-in-glam");
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).map_err(|e| format!("{}: {e}", folder.join(name).display()))
    };
    fs::create_dir_all(folder.join("src")).map_err(|e| format!("{}: {e}", folder.display()))?;
    let crates = root.join("crates");
    let version = glam_version(&source::read(&root.join("Cargo.lock"))?)?;
    let manifest = format!(
        "[package]\nname = \"stand-in\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         lissom-math = {{ path = {0:?} }}\nlissom = {{ path = {1:?}, features = [\"rayon\"] }}\n\
         lissom-motion = {{ path = {2:?} }}\nlissom-world = {{ path = {3:?}, features = [\"rayon\"] }}\n[patch.crates-io]\nglam = {{ path = \"glam\" }}\n",
        crates.join("lissom-math"),
        crates.join("lissom"),
        crates.join("lissom-motion"),
        crates.join("lissom-world"),
    );
    write("Cargo.toml", &manifest)?;
    // The versions of everything else are the workspace's.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    let planted = root.join("xtask/planted/glam");
    fs::create_dir_all(folder.join("glam/src")).map_err(|e| format!("{}: {e}", folder.display()))?;
    write("glam/src/lib.rs", &source::read(&planted.join("lib.rs"))?)?;
    write("glam/Cargo.toml", &source::read(&planted.join("manifest.toml"))?.replace("VERSION", &version))?;

    let check = || {
        let mut check = workspace::cargo();
        check.args(["check", "--quiet", "--manifest-path"]).arg(folder.join("Cargo.toml"));
        check.env("CARGO_TARGET_DIR", workspace::target()?.join("stand-in-glam"));
        workspace::output(&mut check)
    };
    for (planted, code) in PLANTED {
        write("src/lib.rs", &format!("use lissom_math::*;\n{planted}\n"))?;
        match check() {
            Err(said) if said.contains(code) && said.contains("(lib) due to 1 previous error") => {}
            Err(said) => return Err(said),
            Ok(_) => return Err(format!("the planted violation `{planted}` compiled")),
        }
    }
    println!("   the planted violations did not compile ({})", PLANTED.len());
    write("src/lib.rs", "pub use {lissom, lissom_math, lissom_motion, lissom_world};\n")?;
    check().map(|_| Outcome::Passed)
}

/// The version that the workspace builds with: the stand-in takes its place.
fn glam_version(lock: &str) -> Result<String, String> {
    let (_, rest) = lock.split_once("name = \"glam\"\nversion = \"").ok_or("Cargo.lock names no glam")?;
    Ok(rest.split('"').next().unwrap_or_default().to_owned())
}
